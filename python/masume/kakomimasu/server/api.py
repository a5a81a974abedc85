"""The match server's HTTP API: what a request means and what is answered. [section 14]

`server.py` brings requests from the wire and answers back to it.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from ...errors import ConfigError
from ..boards import Board
from ..protocol import to_line
from . import legacy
from .accounts import User
from .hall import COMPUTER_PLAYERS, COMPUTERS, MAX_USERS, Entrant, Hall, Match, Refusal
from .requests import NUMBERS, Body, Request, read_entry


class Api:
    """Answers requests from a Hall.

    is_open : whether anybody may make an account. [KM-R29] version : what /version tells.
    """

    def __init__(self, hall: Hall, version: str, is_open: bool = False) -> None:
        self.hall, self._version, self._is_open = hall, version, is_open

    def answer(self, request: Request) -> bytes:
        """What is answered with status 200, a line of JSON; Refusal with any other."""
        for method, path, handler in _ROUTES:
            found = path.fullmatch(request.path)
            if found and method == request.method and (self._is_open or handler is not Api.register):
                value = handler(self, request, *map(unquote, found.groups()))
                return value if isinstance(value, bytes) else to_line(value)
        raise Refusal(5)

    # -- identity ----------------------------------------------------------------------------------

    def account(self, request: Request) -> User:
        """The account of the request; Refusal with status 401 without one."""
        user = self.hall.accounts.with_token(request.token)
        if user is None:
            raise Refusal(4, status=401)
        return user

    def make_entrant(self, request: Request, body: Body) -> Entrant:
        """Make the entrant of a request to join, who has no place yet. [section 14.2]"""
        guest, spec = body.text("guestName"), body.text("spec")
        user = self.hall.accounts.with_token(request.token)
        if user is None and not guest:
            raise Refusal(204)
        return Entrant(guest, spec, "") if user is None else Entrant(user.id, spec, "", user.id)

    def show(self, user: User) -> dict[str, Any]:
        """Return the User object."""
        return {
            "screenName": user.screen_name,
            "name": user.name,
            "id": user.id,
            "gameIds": [match.id for match in self.hall.matches_of(user)],
            "avaterUrl": user.avatar_url,
        }

    def show_own(self, user: User) -> dict[str, Any]:
        """Return the AuthedUser object."""
        return {**self.show(user), "bearerToken": user.token}

    def me(self, request: Request) -> Any:
        """GET /v1/users/me"""
        return self.show_own(self.account(request))

    def new_token(self, request: Request) -> Any:
        """GET /v1/users/me/token"""
        user = self.account(request)
        self.hall.accounts.change_token(user)
        return self.show_own(user)

    def leave(self, request: Request) -> Any:
        """DELETE /v1/users/me"""
        request.check_type()
        user = self.account(request)
        is_dry = request.parse().flag("dryRun")
        found = self.show_own(user)
        if not is_dry:
            self.hall.accounts.remove(user)
        return found

    def user(self, request: Request, id_or_name: str) -> Any:
        """GET /v1/users/{idOrName}"""
        return self.show(self.find_user(id_or_name))

    def find_user(self, id_or_name: str) -> User:
        """Return the account with this id or name; Refusal where there is none."""
        user = self.hall.accounts.find(id_or_name)
        if user is None:
            raise Refusal(204)
        return user

    def search(self, request: Request) -> Any:
        """GET /v1/users?q=text"""
        text = request.query.get("q")
        if not text:
            raise Refusal(1)
        found = (user for user in self.hall.accounts if user.name.startswith(text) or user.id.startswith(text))
        return [self.show(user) for user in found]

    def register(self, request: Request) -> Any:
        """POST /v1/users"""
        body = request.content()
        is_dry = body.flag("dryRun")
        keys = ("name", "screenName", "id", "avaterUrl")
        fields = {key: body.text(key) for key in keys if key in body.values}
        try:
            user = User.make(fields)
        except ConfigError:
            raise Refusal(6) from None
        if self.hall.accounts.is_known(user):
            raise Refusal(203)
        if len(self.hall.accounts) >= MAX_USERS:
            raise Refusal(0, "too many users", 500)
        if not is_dry:
            self.hall.accounts.add(user)
        return self.show_own(user)

    # -- matches -----------------------------------------------------------------------------------

    def version(self, request: Request) -> Any:
        """GET /version"""
        return {"version": self._version}

    def boards(self, request: Request) -> Any:
        """GET /v1/boards"""
        return [board.to_json() for board in self.hall.boards.values()]

    def board(self, name: str) -> Board | None:
        """The board of this name, None without a name."""
        if name and name not in self.hall.boards:
            raise Refusal(400)
        return self.hall.boards[name] if name else None

    def new_match(self, request: Request) -> Any:
        """POST /v1/matches"""
        body = request.content()
        name, board_name, numbers = body.text("name"), body.text("boardName"), body.numbers()
        wanted, tournament = body.strings("playerIdentifiers"), body.text("tournamentId")
        is_personal, is_dry = body.flag("isPersonal"), body.flag("dryRun")
        if not board_name or ("name" in body.values and not name):
            raise Refusal(6)
        board = self.board(board_name)
        user = self.hall.accounts.with_token(request.token)
        if is_personal and user is None:
            raise Refusal(4)
        reserved = [self.find_user(one).id for one in wanted]
        if len(set(reserved)) < len(reserved):
            raise Refusal(206)
        if tournament:
            raise Refusal(302)
        kind, owner = ("personal", user.id) if is_personal and user else ("self", None)
        match = self.hall.make(board, numbers, kind=kind, name=name or None, reserved=reserved, owner=owner)
        if not is_dry:
            self.hall.open(match)
        return match.line

    def join_free(self, request: Request) -> Any:
        """POST /v1/matches/free/players"""
        body = request.content()
        is_dry = body.flag("dryRun")
        return self.enter_free(request, self.make_entrant(request, body), is_dry)

    def enter_free(self, request: Request, entrant: Entrant, is_dry: bool) -> dict[str, Any]:
        """Take a place in the oldest free match, or in a new one; the JoinMatch object."""
        match = self.hall.free_match()
        if match is None and not is_dry:
            match = self.hall.make(None, {})
            self.hall.open(match)
        return self._enter(match, entrant, is_dry, request.at)

    def join_computer(self, request: Request) -> Any:
        """POST /v1/matches/ai/players"""
        body = request.content()
        name, board_name, is_dry = body.text("aiName"), body.text("boardName"), body.flag("dryRun")
        numbers = body.numbers(NUMBERS.keys() - {"nPlayer"})
        if name not in COMPUTERS:
            raise Refusal(6)
        return self.enter_computer(request, self.make_entrant(request, body), name, board_name, numbers, is_dry)

    def enter_computer(
        self, request: Request, entrant: Entrant, name: str, board_name: str, numbers: Mapping[str, int], is_dry: bool
    ) -> dict[str, Any]:
        """Begin a match against the computer; the JoinMatch object."""
        board, match = self.board(board_name), None
        if not is_dry:
            fields = {**numbers, "n_players": COMPUTER_PLAYERS}
            match = self.hall.make(board, fields, name=f"{entrant.id} vs AI({name})")
            self.hall.open(match)
        found = self._enter(match, entrant, is_dry, request.at)
        if match is not None:
            self.hall.join(match, self.hall.make_computer(name), request.at)
        return found

    def join(self, request: Request, match_id: str) -> Any:
        """POST /v1/matches/{id}/players"""
        body = request.content()
        is_dry = body.flag("dryRun")
        return self.enter(request, self.make_entrant(request, body), match_id, is_dry)

    def enter(self, request: Request, entrant: Entrant, match_id: str, is_dry: bool) -> dict[str, Any]:
        """Take a place in a certain match; the JoinMatch object."""
        match = self.find_match(match_id)
        if match.reserved and entrant.user not in match.reserved:
            raise Refusal(0, "Not allowed user", 500)
        if match.status != "free":
            raise Refusal(101)
        return self._enter(match, entrant, is_dry, request.at)

    def _enter(self, match: Match | None, entrant: Entrant, is_dry: bool, at: float) -> dict[str, Any]:
        """Take a place in the match, if there is one; the JoinMatch object."""
        match_id, index = str(uuid.uuid4()), -1
        entrant.pic = "000000"
        if match is not None and not is_dry:
            entrant.pic = match.new_pic()
            match_id, index = match.id, self.hall.join(match, entrant, at)
        return {"userId": entrant.id, "spec": entrant.spec, "gameId": match_id, "index": index, "pic": entrant.pic}

    def find_match(self, match_id: str) -> Match:
        """Return the match with this id; Refusal where there is none."""
        if match_id not in self.hall.matches:
            raise Refusal(100)
        return self.hall.matches[match_id]

    def match(self, request: Request, match_id: str) -> Any:
        """GET /v1/matches/{id}"""
        match = self.find_match(match_id)
        if match.is_changing:
            raise Refusal(105)
        return match.line

    def matches(self, request: Request) -> Any:
        """GET /v1/matches"""
        return b"[" + b",".join(match.line for match in self.hall.matches.values()) + b"]"

    def act(self, request: Request, match_id: str) -> Any:
        """PATCH /v1/matches/{id}/actions"""
        body = request.content()
        match = self.find_match(match_id)
        if match.is_changing:
            raise Refusal(105)
        is_dry = body.flag("dryRun")
        actions = body.values.get("actions")
        if not isinstance(actions, list):
            raise Refusal(6)
        entries = [read_entry(action) for action in actions]
        pic = request.headers.get("authorization")
        entrant = next((entrant for entrant in match.entrants if entrant.pic == pic and entrant.agent is None), None)
        if entrant is None:
            raise Refusal(207)
        if not is_dry:  # KM-R25
            match.store(entrant, entries, replaces=False)
        return self.acknowledge(request, match)

    def acknowledge(self, request: Request, match: Match) -> dict[str, int]:
        """Answer that actions have come."""
        return {"receptionUnixTime": int(request.at), "turn": match.turn}


# The handlers answer with plain JSON types, or with bytes that are a line of JSON already.
_ROUTES: list[tuple[str, re.Pattern[str], Callable[..., Any]]] = [
    (method, re.compile(path), handler)
    for method, path, handler in (
        ("GET", "/version", Api.version),
        ("GET", "/v1/boards", Api.boards),
        ("GET", "/v1/users", Api.search),
        ("POST", "/v1/users", Api.register),
        ("GET", "/v1/users/me", Api.me),
        ("DELETE", "/v1/users/me", Api.leave),
        ("GET", "/v1/users/me/token", Api.new_token),
        ("GET", "/v1/users/([^/]+)", Api.user),
        ("GET", "/v1/matches", Api.matches),
        ("POST", "/v1/matches", Api.new_match),
        ("POST", "/v1/matches/free/players", Api.join_free),
        ("POST", "/v1/matches/ai/players", Api.join_computer),
        ("POST", "/v1/matches/([^/]+)/players", Api.join),
        ("GET", "/v1/matches/([^/]+)", Api.match),
        ("PATCH", "/v1/matches/([^/]+)/actions", Api.act),
        ("POST", "/(?:api|v1)/match", legacy.join),
        ("GET", "/(?:api|v1)/match/([^/]+)", legacy.match),
        ("POST", "/(?:api|v1)/match/([^/]+)/action", legacy.act),
        ("GET", "/(?:api|v1)/users/show/([^/]+)", legacy.user),
    )
]
