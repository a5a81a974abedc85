"""Clients of the match server's API, without the wire and with a clock set by the tests."""

import json

import pytest

from masume.kakomimasu.boards import Board, load_shipped
from masume.kakomimasu.server.accounts import User
from masume.kakomimasu.server.api import Api
from masume.kakomimasu.server.hall import Hall, Refusal
from masume.kakomimasu.server.requests import Request

NOW = 1_700_000_000.75
JSON = {"content-type": "application/json; charset=utf-8"}
DUEL = Board("duel", 4, 4, tuple(range(16)), n_agents=2, total_turns=2, operation_sec=3, transition_sec=2)
TRIO = Board("trio", 4, 4, (1,) * 16, n_agents=1, n_players=3, total_turns=1, transition_sec=0)


class Client:
    """Client of an Api; `now`, `address` and `known` are those of its next request."""

    def __init__(self, is_open=False, users=(), open_boards=("duel",), boards=(DUEL, TRIO), **fields):
        self.told, self.ended = [], []
        boards = {board.name: board for board in boards} | load_shipped()
        fields = {"put_on_enemy_wall": "server", **fields}
        self.hall = Hall(boards, fields, open_boards, users, 1, self.told.append, self.ended.append)
        self.api = Api(self.hall, "9", is_open)
        self.now, self.address, self.known = NOW, "192.0.2.1", None

    def raw(self, method, path, body=b"", headers=JSON, query=None):
        self.hall.advance(self.now)
        request = Request(method, path, query or {}, headers, body, self.now, self.address, self.known)
        answer = self.api.answer(request)
        assert answer.status == 200
        return json.loads(answer.body)

    def answer(self, method, path, body=b"", headers=JSON, query=None):
        """Return the status, headers and body of an answer that need not be 200 or JSON."""
        self.hall.advance(self.now)
        found = self.api.answer(Request(method, path, query or {}, headers, body, self.now, self.address, self.known))
        return found.status, dict(found.headers), found.body

    def __call__(self, method, path, body=None, *, authorization=None, query=None):
        headers = JSON if authorization is None else JSON | {"authorization": authorization}
        return self.raw(method, path, b"" if body is None else json.dumps(body).encode(), headers, query)

    def error(self, method, path, body=None, **keywords):
        with pytest.raises(Refusal) as caught:
            self(method, path, body, **keywords)
        return caught.value.code

    def join(self, guest, match="free", **body):
        return self("POST", f"/v1/matches/{match}/players", {"guestName": guest, **body})

    def duel(self):
        """Return the id of a match between ann and bob that has a start time, and their codes."""
        ann, bob = self.join("ann"), self.join("bob")
        return ann["gameId"], ann["pic"], bob["pic"]

    def act(self, match, pic, *actions, **body):
        return self("PATCH", f"/v1/matches/{match}/actions", {"actions": actions, **body}, authorization=pic)


def user(name, **fields):
    return User.make({"name": name, "id": f"id-{name}", "bearerToken": f"token-{name}", **fields})
