"""The match server's HTTP API: requests and their answers. [section 14]

`app.py` reads the requests from the wire and sends the answers.
"""

from __future__ import annotations

import itertools
import re
import uuid
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

from ...errors import ConfigError
from ...http.limits import Buckets
from ...http.openapi import FLAG, INTEGER, TEXT, Operation, array, describe, ref
from ..boards import Board
from ..protocol import to_line
from . import contests, legacy, sessions, tournaments
from .accounts import User
from .hall import COMPUTER_PLAYERS, COMPUTERS, Entrant, Hall, Refusal, ServedMatch
from .openapi import GAME, JOINED, OWN, PAGE, TOURNAMENT, USER, components
from .requests import NUMBERS, Answer, Body, Request, list_lines, read_entry

MAX_LISTED = 100  # items of a list
MAX_GAMES = 1000  # game ids shown of an account, the last ones
ACCOUNTS, ACCOUNT_S = 256, 1.0  # accounts that an address may create at once; seconds until it may create one more


class Api:
    """Handlers of the requests to a Hall.

    Parameters
    ----------
    hall : Hall
        The accounts and matches.
    version : str
        Version that GET /version reports.
    is_open : bool, optional
        Whether anybody may create an account. [KM-R29]
    base : str, optional
        Path below which it is known, as in Front.
    """

    def __init__(self, hall: Hall, version: str, is_open: bool = False, base: str = "") -> None:
        self.hall, self._version, self._is_open, self.base = hall, version, is_open, base
        self._accounts = Buckets(ACCOUNTS, ACCOUNT_S)

    def answer(self, request: Request) -> Answer:
        """Return the answer; raise Refusal for an error."""
        method = "GET" if request.method == "HEAD" else request.method
        for path, handler in _ROUTES.get(method, ()):
            found = path.fullmatch(request.path)
            if found:
                if handler is Api.register and not self._is_open:
                    raise Refusal(5)
                value = handler(self, request, *map(unquote, found.groups()))
                if isinstance(value, Answer):
                    return value
                return Answer(value if isinstance(value, bytes) else to_line(value))
        if method == "GET":
            raise Refusal(5)
        return Answer(b"404 Not Found", 404, {"Content-Type": "text/plain; charset=UTF-8"})

    def needs_session(self, request: Request) -> bool:
        """Return whether a session may identify the account of a request, because no bearer token does."""
        return request.path in sessions.PATHS and self.hall.accounts.with_token(request.token) is None

    # -- identity ----------------------------------------------------------------------------------

    def account(self, request: Request) -> User:
        """Return the account of the request; raise Refusal with status 401 if there is none."""
        user = self.hall.accounts.with_token(request.token)
        if user is None and request.path in sessions.PATHS:
            user = sessions.user_of(self, request)
        if user is None:
            raise Refusal(4, status=401)
        return user

    def make_entrant(self, request: Request, body: Body) -> Entrant:
        """Return a new entrant, without a seat, for a request to join. [section 14.2]"""
        guest, spec = body.text("guestName"), body.text("spec")
        user = self.hall.accounts.with_token(request.token)
        if user is None and not guest:
            raise Refusal(204)
        if user is None:
            if self.hall.accounts.find(guest) is not None or self.hall.is_claimed(guest):
                raise Refusal(203)
            return Entrant(guest, spec, "", address=request.address)
        return Entrant(user.id, spec, "", user.id, address=request.address, label=user.label)

    def show(self, user: User) -> dict[str, Any]:
        """Return the User object."""
        return {
            "screenName": user.screen_name,
            "name": user.name,
            "id": user.id,
            "gameIds": [match.id for match in self.hall.matches_of(user)[-MAX_GAMES:]],
            "avaterUrl": user.avatar_url,
        }

    def show_own(self, user: User) -> dict[str, Any]:
        """Return the AuthedUser object."""
        return {**self.show(user), "bearerToken": user.token}

    def me(self, request: Request) -> Any:
        """Answer GET /v1/users/me."""
        return self.show_own(self.account(request))

    def new_token(self, request: Request) -> Any:
        """Answer GET /v1/users/me/token."""
        user = self.account(request)
        self.hall.accounts.change_token(user)
        return self.show_own(user)

    def leave(self, request: Request) -> Any:
        """Answer DELETE /v1/users/me."""
        request.check_type()
        user = self.account(request)
        is_dry = request.parse().flag("dryRun")
        found = self.show_own(user)
        if not is_dry:
            self.hall.remove(user)
        return found

    def user(self, request: Request, id_or_name: str) -> Any:
        """Answer GET /v1/users/{idOrName}."""
        return self.show(self.find_user(id_or_name))

    def find_user(self, id_or_name: str) -> User:
        """Return the account with this id or name; raise Refusal if there is none."""
        user = self.hall.accounts.find(id_or_name)
        if user is None:
            raise Refusal(204)
        return user

    def search(self, request: Request) -> Any:
        """Answer GET /v1/users?q=text."""
        text = request.query.get("q")
        if not text:
            raise Refusal(1)
        first, count = _page(request)
        found = (user for user in self.hall.accounts if user.name.startswith(text) or user.id.startswith(text))
        return [self.show(user) for user in itertools.islice(found, first, first + count)]

    def register(self, request: Request) -> Any:
        """Answer POST /v1/users."""
        body = request.content()
        is_dry = body.flag("dryRun")
        keys = ("name", "screenName", "id", "avaterUrl")
        fields = {key: body.text(key) for key in keys if key in body.values}
        ids = body.strings("sessions")
        if len(ids) > sessions.MAX_SESSIONS or not all(ids):
            raise Refusal(6)
        try:
            user = User.make(fields)
        except ConfigError:
            raise Refusal(6) from None
        user.sessions = dict.fromkeys(ids, request.at + sessions.LENGTH_S)
        if self.hall.accounts.is_known(user) or any(map(self.hall.is_claimed, (user.id, user.name))):
            raise Refusal(203)
        if not is_dry:
            bucket = self._accounts.find(request.address, request.at)
            if not bucket.take(request.at):
                raise Refusal(0, "too many users at once", 500, bucket.wait_s(request.at))
            user.address = request.address
            self.hall.register(user)
        return self.show_own(user)

    # -- matches -----------------------------------------------------------------------------------

    def version(self, request: Request) -> Any:
        """Answer GET /version."""
        return {"version": self._version}

    def document(self, request: Request) -> Any:
        """Answer GET /v1/openapi.json. [section 14.13]"""
        return describe("Kakomimasu API", "/v1", self.base, OPERATIONS, ref("ErrorResponse"), components())

    def boards(self, request: Request) -> Any:
        """Answer GET /v1/boards."""
        return [board.to_json() for board in self.hall.boards.values()]

    def board(self, name: str) -> Board | None:
        """Return the board of this name, None for an empty name; raise Refusal for an unknown one."""
        if name and name not in self.hall.boards:
            raise Refusal(400)
        return self.hall.boards[name] if name else None

    def new_match(self, request: Request) -> Any:
        """Answer POST /v1/matches."""
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
        cup = tournaments.find(self, tournament, 302) if tournament else None
        kind, owner = ("personal", user.id) if is_personal and user else ("self", None)
        match = self.hall.make(
            board, numbers, kind=kind, name=name or None, reserved=reserved, owner=owner, address=request.address
        )
        if not is_dry:
            self.hall.open(match, request.at)
            if cup is not None:
                cup.add_game(match.id)
        return match.line

    def join_free(self, request: Request) -> Any:
        """Answer POST /v1/matches/free/players."""
        body = request.content()
        is_dry = body.flag("dryRun")
        return self.enter_free(request, self.make_entrant(request, body), is_dry)

    def enter_free(self, request: Request, entrant: Entrant, is_dry: bool) -> dict[str, Any]:
        """Join the oldest free match, or a new one; return the JoinMatch object."""
        if self.hall.choose is not None:
            return self._enter(self.hall.choose(entrant), entrant, is_dry, request)
        match = self.hall.free_match()
        if match is None and not is_dry:
            match = self.hall.make(None, {}, address=request.address)
            self.hall.open(match, request.at)
        return self._enter(match, entrant, is_dry, request)

    def join_computer(self, request: Request) -> Any:
        """Answer POST /v1/matches/ai/players."""
        body = request.content()
        name, board_name, is_dry = body.text("aiName"), body.text("boardName"), body.flag("dryRun")
        numbers = body.numbers(NUMBERS.keys() - {"nPlayer"})
        if name not in COMPUTERS:
            raise Refusal(6)
        return self.enter_computer(request, self.make_entrant(request, body), name, board_name, numbers, is_dry)

    def enter_computer(
        self, request: Request, entrant: Entrant, name: str, board_name: str, numbers: Mapping[str, int], is_dry: bool
    ) -> dict[str, Any]:
        """Begin a match against the computer; return the JoinMatch object."""
        board, match = self.board(board_name), None
        if not is_dry:
            fields = {**numbers, "n_players": COMPUTER_PLAYERS}
            match = self.hall.make(board, fields, name=f"{entrant.label} vs AI({name})", address=request.address)
            self.hall.open(match, request.at)
        found = self._enter(match, entrant, is_dry, request)
        if match is not None:
            self.hall.join(match, self.hall.make_computer(name), request.at)
        return found

    def join(self, request: Request, match_id: str) -> Any:
        """Answer POST /v1/matches/{id}/players."""
        body = request.content()
        is_dry = body.flag("dryRun")
        return self.enter(request, self.make_entrant(request, body), match_id, is_dry)

    def enter(self, request: Request, entrant: Entrant, match_id: str, is_dry: bool) -> dict[str, Any]:
        """Join the match with this id; return the JoinMatch object."""
        match = self.find_match(request, match_id)
        if match.reserved and entrant.user not in match.reserved:
            raise Refusal(0, "Not allowed user", 500)
        if match.status != "free" and match.taken_by(entrant.user) is None:
            raise Refusal(101)
        return self._enter(match, entrant, is_dry, request)

    def _enter(self, match: ServedMatch | None, entrant: Entrant, is_dry: bool, request: Request) -> dict[str, Any]:
        """Join the match, if there is one; return the JoinMatch object."""
        match_id, index = str(uuid.uuid4()), -1
        entrant.pic = "000000"
        if match is not None and not is_dry:
            match_id, taken = match.id, match.taken_by(entrant.user)
            if taken is None:
                entrant.pic = match.new_pic()
                index = self.hall.join(match, entrant, request.at)
            else:  # its client has begun again
                index, entrant = taken
            if request.known is not None:
                request.known.add((match_id, index))
        return {"userId": entrant.id, "spec": entrant.spec, "gameId": match_id, "index": index, "pic": entrant.pic}

    def find_match(self, request: Request, match_id: str) -> ServedMatch:
        """Return the match with this id, advanced to the time of the request; raise Refusal if there is none."""
        if match_id not in self.hall.matches:
            raise Refusal(100)
        match = self.hall.matches[match_id]
        match.asked_at = request.at
        self.hall.advance_match(match, request.at)
        return match

    def match(self, request: Request, match_id: str) -> Any:
        """Answer GET /v1/matches/{id}."""
        match = self.find_match(request, match_id)
        if match.is_changing:
            raise Refusal(105)
        return match.line

    def matches(self, request: Request) -> Any:
        """Answer GET /v1/matches."""
        first, count = _page(request)
        return list_lines(match.line for match in itertools.islice(self.hall.matches.values(), first, first + count))

    def act(self, request: Request, match_id: str) -> Any:
        """Answer PATCH /v1/matches/{id}/actions."""
        body = request.content()
        match = self.find_match(request, match_id)
        if match.is_changing:
            raise Refusal(105)
        is_dry = body.flag("dryRun")
        actions = body.values.get("actions")
        if not isinstance(actions, list):
            raise Refusal(6)
        entries = [read_entry(action) for action in actions]
        known = set() if request.known is None else request.known
        entrant = match.identify(request.headers.get("authorization", ""), request.address, known, request.at)
        if entrant is None:
            raise Refusal(207)
        if not is_dry:  # KM-R25
            match.store(entrant, entries, replaces=False)
        return self.acknowledge(request, match)

    def acknowledge(self, request: Request, match: ServedMatch) -> dict[str, int]:
        """Return the answer to received actions."""
        return {"receptionUnixTime": int(request.at), "turn": match.turn}


def _page(request: Request) -> tuple[int, int]:
    """Return offset and length of the requested part of a list."""
    found = []
    for key, default in (("offset", 0), ("limit", MAX_LISTED)):
        text = request.query.get(key, str(default))
        if not re.fullmatch("[0-9]{1,9}", text, re.ASCII):
            raise Refusal(106)
        found.append(int(text))
    return found[0], min(found[1], MAX_LISTED)


# The handlers return plain JSON types, or bytes that are already a line of JSON.
OPERATIONS = (
    Operation("GET", "/version", Api.version),
    Operation("GET", "/v1/boards", Api.boards, "List the boards", array(ref("Board"))),
    Operation("GET", "/v1/users", Api.search, "Find accounts", array(USER), query={"q": TEXT, **PAGE}),
    Operation("POST", "/v1/users", Api.register),
    Operation("GET", "/v1/users/me", Api.me, "Get the own account", OWN, security="Bearer"),
    Operation(
        "DELETE", "/v1/users/me", Api.leave, "Delete the own account", OWN, ref("DryRunRequest"), security="Bearer"
    ),
    Operation("GET", "/v1/users/me/token", Api.new_token, "Get a new token", OWN, security="Bearer"),
    Operation("GET", "/v1/users/{userIdOrName}", Api.user, "Get an account", USER),
    Operation("GET", "/v1/oauth/signout", sessions.sign_out),
    Operation("GET", "/v1/openapi.json", Api.document),
    Operation("GET", "/v1/tournaments", tournaments.every, "List the tournaments", array(TOURNAMENT)),
    Operation(
        "POST", "/v1/tournaments", tournaments.create, "Create a tournament", TOURNAMENT, ref("TournamentRequest")
    ),
    Operation("GET", "/v1/tournaments/{tournamentId}", tournaments.one, "Get a tournament", TOURNAMENT),
    Operation(
        "DELETE", "/v1/tournaments/{tournamentId}", tournaments.delete, "Delete a tournament", TOURNAMENT,
        ref("DryRunRequest"),
    ),
    Operation(
        "POST", "/v1/tournaments/{tournamentId}/users", tournaments.add_user, "Add an account", TOURNAMENT,
        ref("TournamentUserRequest"),
    ),
    Operation("GET", "/v1/matches", Api.matches, "List matches", array(GAME), query=PAGE),
    Operation("POST", "/v1/matches", Api.new_match, "Create a match", GAME, ref("NewMatchRequest")),
    Operation(
        "POST", "/v1/matches/free/players", Api.join_free, "Join a free match", JOINED, ref("MatchesRequestBase")
    ),
    Operation(
        "POST", "/v1/matches/ai/players", Api.join_computer, "Play against the computer", JOINED, ref("AiMatchRequest")
    ),
    Operation(
        "POST", "/v1/matches/{gameId}/players", Api.join, "Join a match", JOINED, ref("MatchesRequestBase")
    ),
    Operation(
        "GET", "/v1/matches/stream", None, "Watch matches", TEXT, media="text/event-stream",
        query={"q": TEXT, "startIndex": INTEGER, "endIndex": INTEGER, "allowNewGame": FLAG},
    ),
    Operation("GET", "/v1/matches/{gameId}", Api.match, "Get a match", GAME),
    Operation(
        "PATCH", "/v1/matches/{gameId}/actions", Api.act, "Act", ref("ActionsResponse"), ref("ActionsRequest"),
        security="PIC",
    ),
    Operation("POST", "/(?:api|v1)/match", legacy.join),
    Operation("GET", "/(?:api|v1)/match/{id}", legacy.match),
    Operation("POST", "/(?:api|v1)/match/{id}/action", legacy.act),
    Operation("GET", "/(?:api|v1)/users/show/{id}", legacy.user),
    Operation("GET", "/miyakonojo/ping", contests.ping),
    Operation("GET", "/miyakonojo/matches", contests.miyakonojo_matches),
    Operation("GET", "/miyakonojo/matches/{id}", contests.miyakonojo_match),
    Operation("POST", "/miyakonojo/matches/{id}/action", contests.miyakonojo_act),
    Operation("GET", "/tomakomai/matches", contests.tomakomai_matches),
    Operation("GET", "/tomakomai/matches/{id}", contests.tomakomai_match),
    Operation("POST", "/tomakomai/matches/{id}/action", contests.tomakomai_act),
)  # fmt: skip
_ROUTES: dict[str, list[tuple[re.Pattern[str], Callable[..., Any]]]] = {}
for _one in OPERATIONS:
    if _one.handler is not None:
        _ROUTES.setdefault(_one.method, []).append((_one.pattern, _one.handler))
