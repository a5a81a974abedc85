"""A client of the match server's API that plays on a server of others. [sections 14.1 to 14.6]

The server's clock goes on whatever happens here, so nothing but its refusal ends a match: a request without an answer
is sent again, actions until the end of their turn, and a position that the rules do not know is a turn without actions.
"""

from __future__ import annotations

import asyncio
import email.utils
import http.client
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from typing import Any

from ..agent import View
from ..core._state import State
from ..core.language import translate as _
from ..errors import ConfigError, MatchError, ReplayError, StateError
from ..game import Game, load
from ..referee.joining import Guest, Report
from ..referee.transcript import SAID, SENT, Transcript
from .protocol import config_from_json

CHANGING = 105  # error code of requests in a transition step
ANSWER_S = 10.0
PATIENCE_S = 30.0  # without an answer, as while a server is started again
BUSY = 429  # status of a server that asks for fewer requests; those from 500 on are about the server
POLL_S = 0.1
WAIT_S = 0.5  # between two looks at a match that has not begun
MAX_SKEW_S = 2.0  # clocks that differ by less are taken to agree: the server tells whole seconds
MAX_MARGIN_S = 0.3  # before the end of a turn; at most a tenth of it


class Api:
    """Requests to a server.

    Parameters
    ----------
    url : str
        Address of the server, such as http://127.0.0.1:8880.
    token : str, optional
        Bearer token of an account.
    log : Transcript, optional
        Receives requests and answers.

    Attributes
    ----------
    skew_s : float
        Seconds by which the server's clock is ahead, 0 if less than `MAX_SKEW_S`.

    Raises
    ------
    ConfigError
        If the address is not one of HTTP.
    """

    def __init__(self, url: str, token: str | None = None, log: Transcript | None = None) -> None:
        parts = urllib.parse.urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"url: expected an address such as http://127.0.0.1:8880, got {url!r}")
        self._url = parts.geturl().rstrip("/")
        self._token, self._log = token, log
        self.skew_s = 0.0

    async def ask(self, method: str, path: str, body: Any = None, pic: str | None = None, patience_s: float = 0) -> Any:
        """Return the answer to a request, which is sent again for some seconds; None while a turn is computed.

        Raises UnansweredError if the server does not answer, MatchError if it refuses.
        """
        deadline = time.monotonic() + patience_s
        while True:
            try:
                return await asyncio.to_thread(self._ask, method, path, body, pic)
            except _Lost as lost:
                if time.monotonic() + WAIT_S > deadline:
                    told = _("{address}: no server answers: {why}")
                    raise UnansweredError(told.format(address=self._url, why=lost)) from None
                await asyncio.sleep(WAIT_S)

    def _ask(self, method: str, path: str, body: Any, pic: str | None) -> Any:
        headers = {"Content-Type": "application/json"}
        if pic is not None or self._token:
            headers["Authorization"] = f"Bearer {self._token}" if pic is None else pic
        data = None if body is None else json.dumps(body).encode()
        if self._log is not None:
            self._log.add(SENT, b"%s %s %s\n" % (method.encode(), path.encode(), data or b""))
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_S) as reply:
                return self._read(path, reply.headers, reply.read())
        except urllib.error.HTTPError as error:
            answer = self._read(path, error.headers, error.read(), is_error=True)
            if answer.get("errorCode") == CHANGING:
                return None
            what = answer.get("message") or error.reason
            if method != "POST" and (error.code == BUSY or error.code >= 500):
                raise _Lost(f"{error.code} {what}") from None
            raise MatchError(f"{self._url}{path}: {answer.get('errorCode', error.code)}: {what}") from None
        except (OSError, http.client.HTTPException) as error:
            raise _Lost(getattr(error, "reason", None) or error) from None

    def _read(self, path: str, headers: Message, data: bytes, is_error: bool = False) -> Any:
        if self._log is not None:
            self._log.add(SAID, data + b"\n")
        date = email.utils.parsedate_to_datetime(headers["Date"]) if headers.get("Date") else None
        if date is not None:
            skew = date.timestamp() + 0.5 - time.time()
            self.skew_s = skew if abs(skew) > MAX_SKEW_S else 0.0
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            if is_error:
                return {}
            template = _("{address}: expected a JSON object, got {answer}")
            raise MatchError(template.format(address=self._url + path, answer=f"{data!r:.60}"))
        return answer


class _Lost(Exception):  # noqa: N818 - tried again
    """A request without an answer."""


class UnansweredError(MatchError):
    """The server does not answer."""


class PositionError(MatchError):
    """A match is in no position of the rules."""


async def enter(api: Api, name: str, match: str | None, computer: str | None, board: str | None) -> dict[str, Any]:
    """Join a match: that of an id, one against a computer, or else the next free one; return the server's answer."""
    body = {"guestName": name, "spec": "masume"}
    if computer is not None:
        body |= {"aiName": computer, **({} if board is None else {"boardName": board})}
    where = "ai" if computer is not None else "free" if match is None else urllib.parse.quote(match, safe="")
    found: dict[str, Any] = await api.ask("POST", f"/v1/matches/{where}/players", body)
    return found


async def play(
    api: Api,
    joined: Mapping[str, Any],
    make_guest: Callable[[Game], Guest],
    fields: Mapping[str, Any],
    tell: Callable[[str], None],
) -> Report:
    """Play the match that `enter` has joined, to its end.

    Parameters
    ----------
    api : Api
        The server.
    joined : mapping
        The answer of `enter`.
    make_guest : callable
        Makes the agent for a game.
    fields : mapping
        Config fields that the server does not tell.
    tell : callable
        Called with news for people.

    Returns
    -------
    dict
        The report: also `match`, `points` of all players, `turns` that the agent played and those `missed`.

    Raises
    ------
    MatchError
        If the server does not answer, refuses, or sends what is no match.
    AgentError
        If the agent fails.
    """
    try:
        path, player, pic = f"/v1/matches/{joined['gameId']}", int(joined["index"]), str(joined["pic"])
    except (KeyError, TypeError, ValueError):
        raise MatchError(_("expected a place in a match, got {answer}").format(answer=f"{joined!r:.80}")) from None
    tell(_("match {match}, player {player}: waiting for the start").format(match=joined["gameId"], player=player))
    match = await _look(api, path)
    while match["status"] == "free":
        await asyncio.sleep(WAIT_S)
        match = await _look(api, path)
    game = read_game(match, fields)
    guest = make_guest(game)
    facts: Report = {"player": player, "name": joined.get("userId"), "match": joined["gameId"], "turns": 0, "missed": 0}
    try:
        await guest.start(View(game.new_state(), player), [str(one.get("id")) for one in match["players"]])
        played = 0
        while match["status"] != "ended":
            if match["status"] == "gaming" and match["turn"] > played:
                played = match["turn"]
                try:
                    is_sent = await _take_turn(api, path, pic, guest, player, match, read_state(game, match))
                    news = "" if is_sent else _("turn {turn}: too late").format(turn=played)
                except (PositionError, UnansweredError) as error:
                    is_sent, news = False, _("turn {turn}: no actions: {why}").format(turn=played, why=error)
                facts["turns" if is_sent else "missed"] += 1
                if news:
                    tell(news)
            await asyncio.sleep(max(POLL_S, _begin(match, played + 1) - time.time() - api.skew_s))
            match = await _look(api, path)
    finally:
        await guest.close()
    points = read_points(match)
    is_first = points[player] == max(points)
    facts["result"] = "lost" if not is_first else "won" if points.count(points[player]) == 1 else "draw"
    return facts | {"points": [total for total, walls in points]}


async def _take_turn(
    api: Api, path: str, pic: str, guest: Guest, player: int, match: Mapping[str, Any], state: State
) -> bool:
    """Ask the agent and send its actions before the end of the turn; return whether they were sent in time."""
    view = View(state, player)
    if match["turn"] > 1:
        await guest.tell(view)
    length = float(match["operationSec"])
    margin = min(MAX_MARGIN_S, length / 10)
    left = min(length, _begin(match, match["turn"]) + length - time.time() - api.skew_s) - margin
    if left <= 0:
        return False
    limit_ms = max(1, math.floor(1000 * left))
    actions = await guest.act(View(state, player, limit_ms, limit_ms), limit_ms)
    if actions is None:
        return False
    sent = []
    for slot, action in zip(view.slots, actions, strict=True):
        kind, _, target = state.action_to_text(action, slot).partition(" ")
        if target:  # STAY needs no entry
            x, y = map(int, target.split(","))
            sent.append({"agentId": slot % match["nAgent"], "type": kind, "x": x, "y": y})
    left = _begin(match, match["turn"]) + length - time.time() - api.skew_s
    return await api.ask("PATCH", f"{path}/actions", {"actions": sent}, pic, left) is not None


async def _look(api: Api, path: str) -> dict[str, Any]:
    """Return the match, after a turn that is being computed."""
    while (match := await api.ask("GET", path, patience_s=PATIENCE_S)) is None:
        await asyncio.sleep(POLL_S)
    found: dict[str, Any] = match
    missing = {"status", "turn", "nAgent", "operationSec", "transitionSec", "players"} - found.keys()
    if missing:
        raise MatchError(f"{path}: {min(missing)}: missing")
    return found


def _begin(match: Mapping[str, Any], turn: int) -> float:
    """Return the start of a turn in Unix seconds of the server."""
    period = match["operationSec"] + match["transitionSec"]
    begin: float = (match["startedAtUnixTime"] or 0) + period * (turn - 1)
    return begin


def read_game(match: Mapping[str, Any], fields: Mapping[str, Any]) -> Game:
    """Return the game of a Game JSON; `fields` replaces fields of its config. Raise MatchError if it is malformed."""
    try:
        config = config_from_json(match)
        return load("kakomimasu", **{**config.to_dict(), "points": config.board_points(), **fields})
    except (ReplayError, KeyError) as error:
        raise MatchError(f"match: {error}") from None


def read_state(game: Game, match: Mapping[str, Any]) -> State:
    """Return the position of a Game JSON; raise PositionError if it is malformed, or none of the rules."""
    config: Any = game.config
    try:
        tiles, is_over = match["field"]["tiles"], match["status"] == "ended"
        owners = [(-1 if tile["player"] is None else int(tile["player"]), tile["type"] == 1) for tile in tiles]
        variables = {
            "played": match["totalTurn"] if is_over else max(0, match["turn"] - 1),
            "wall": [owner if is_wall else -1 for owner, is_wall in owners],
            "area": [-1 if is_wall else owner for owner, is_wall in owners],
            "pos": [
                [-1 if agent["x"] < 0 else agent["y"] * config.width + agent["x"] for agent in player["agents"]]
                for player in match["players"]
            ],
        }
        return game.state_from_dict({**game.new_state().to_dict(), **variables})
    except (KeyError, TypeError, ValueError, StateError) as error:
        raise PositionError(f"match: {type(error).__name__}: {error}") from None


def read_points(match: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the points of each player, and those for walls, as the server counts them. [KM-R22]"""
    try:
        points = [(int(player["point"]["areaPoint"]), int(player["point"]["wallPoint"])) for player in match["players"]]
    except (KeyError, TypeError, ValueError) as error:
        raise MatchError(f"match: {type(error).__name__}: {error}") from None
    return [(area + walls, walls) for area, walls in points]
