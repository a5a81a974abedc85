"""What a match server keeps from one start to the next: its accounts, and the matches that are not over."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...core.files import write_atomic
from ...errors import ConfigError
from ..agents import AGENTS
from ..boards import Board
from ..protocol import to_line
from .accounts import User
from .hall import Entrant, Hall, Match, Phase, Refusal

NAME, OLD_NAME = "matches.json", "matches.old.json"
VERSION = 1


def save(folder: Path, hall: Hall, now: float) -> int:
    """Write the file; return the number of matches in it."""
    matches = [_match(match) for match in hall.matches.values() if not match.state.is_terminal()]
    users = [_user(user) for user in hall.accounts if user.address is not None]
    write_atomic(folder / NAME, to_line({"version": VERSION, "savedAt": now, "users": users, "matches": matches}))
    return len(matches)


def restore(folder: Path, hall: Hall, now: float) -> int:
    """Read the file, if there is one, and give it another name; return the number of matches.

    Matches go on from the turn they were in, later by the whole seconds that nobody served.
    ConfigError, which names the file, where it is none of this server's.
    """
    path = folder / NAME
    if not path.exists():
        return 0
    try:
        found = json.loads(path.read_bytes())
        if found["version"] != VERSION:
            raise ConfigError(f"version: expected {VERSION}, got {found['version']!r}")
        late = math.ceil(max(0.0, now - found["savedAt"]))
        for one in found["users"]:
            user = User.make(one)
            user.address = str(one["address"])
            if not hall.accounts.is_known(user):  # a file of accounts has it by now
                hall.register(user)
        matches = [_read_match(one, late) for one in found["matches"]]
        for match in matches:
            hall.keep(match, now)
            for index, entrant in enumerate(match.entrants):
                if entrant.agent is not None:
                    hall.wake(match, index)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, Refusal) as error:
        raise ConfigError(f"state: {path}: {type(error).__name__}: {error}") from None
    path.replace(folder / OLD_NAME)  # a server that is killed does not go back to it
    return len(matches)


def _user(user: User) -> dict[str, Any]:
    return {
        "name": user.name, "screenName": user.screen_name, "id": user.id, "avaterUrl": user.avatar_url,
        "bearerToken": user.token, "address": user.address,
    }  # fmt: skip


def _match(match: Match) -> dict[str, Any]:
    return {
        "id": match.id,
        "board": match.board.to_json(),
        "fields": match.fields,
        "kind": match.kind,
        "name": match.name,
        "reserved": match.reserved,
        "owner": match.owner,
        "address": match.address,
        "phase": match.phase.name,
        "startedAt": match.started_at,
        "turns": match.turns(),
        "entrants": [_entrant(entrant) for entrant in match.entrants],
    }


def _entrant(entrant: Entrant) -> dict[str, Any]:
    return {
        "id": entrant.id,
        "spec": entrant.spec,
        "pic": entrant.pic,
        "user": entrant.user,
        "isComputer": entrant.agent is not None,
        "address": entrant.address,
        "stored": list(entrant.stored.values()),
    }


def _read_match(found: Mapping[str, Any], late: int) -> Match:
    match = Match(
        Board.from_json(found["board"]), found["fields"], found["kind"], found["name"], found["reserved"],
        found["owner"], found["address"],
    )  # fmt: skip
    match.id = str(found["id"])
    for turn in found["turns"]:
        match.play(turn)
    match.phase = Phase[found["phase"]]
    if found["startedAt"] is not None:
        match.started_at = int(found["startedAt"]) + late
    for one in found["entrants"]:
        agent = AGENTS[one["id"]]() if one["isComputer"] else None
        stored = {entry[0]: tuple(entry) for entry in one["stored"]}
        match.entrants.append(Entrant(one["id"], one["spec"], one["pic"], one["user"], agent, stored, one["address"]))
    return match
