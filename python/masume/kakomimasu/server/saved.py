"""Saved state of a match server: its accounts and the unfinished matches."""

from __future__ import annotations

import dataclasses
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
from .hall import Entrant, Hall, Phase, Refusal, ServedMatch, Tournament

NAME, OLD_NAME = "matches.json", "matches.old.json"
VERSION = 1


def save(folder: Path, hall: Hall, now: float) -> int:
    """Write the unfinished matches and the accounts to a file; return the number of matches in it.

    Parameters
    ----------
    folder : Path
        Folder of the file.
    hall : Hall
        The matches and accounts of the server.
    now : float
        The time in Unix seconds.
    """
    tournaments = [dataclasses.asdict(one) for one in hall.tournaments.values()]
    matches = [_match(match) for match in hall.matches.values() if not match.state.is_terminal()]
    users = [_user(user) for user in hall.accounts if user.address is not None]
    found = {"version": VERSION, "savedAt": now, "users": users, "tournaments": tournaments, "matches": matches}
    write_atomic(folder / NAME, to_line(found))
    return len(matches)


def restore(folder: Path, hall: Hall, now: float) -> int:
    """Read the file of `save`, if there is one, and rename it; return the number of matches.

    The matches continue in the turn they were in, postponed by the downtime in whole seconds.

    Parameters
    ----------
    folder : Path
        Folder of the file.
    hall : Hall
        The matches and accounts are added to it.
    now : float
        The time in Unix seconds.

    Raises
    ------
    ConfigError
        If the file was not written by this server; the message names the file.
    """
    path = folder / NAME
    if not path.exists():
        return 0
    try:
        saved = json.loads(path.read_bytes())
        if saved["version"] != VERSION:
            raise ConfigError(f"version: expected {VERSION}, got {saved['version']!r}")
        late = math.ceil(max(0.0, now - saved["savedAt"]))
        for entry in saved["users"]:
            user = User.make(entry)
            user.address = str(entry["address"])
            user.sessions = {str(session): float(end) for session, end in entry.get("sessions", {}).items()}
            if not hall.accounts.is_known(user):  # otherwise the file of accounts contains it by now
                hall.register(user)
        for fields in saved.get("tournaments", []):
            hall.add_tournament(Tournament(**fields))
        matches = [_read_match(match, late) for match in saved["matches"]]
        for match in matches:
            hall.keep(match, now)
            for index, entrant in enumerate(match.entrants):
                if entrant.agent is not None:
                    hall.wake(match, index)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, Refusal) as error:
        raise ConfigError(f"state: {path}: {type(error).__name__}: {error}") from None
    path.replace(folder / OLD_NAME)  # if this server is killed, the next one must not restore it again
    return len(matches)


def _user(user: User) -> dict[str, Any]:
    return {
        "name": user.name, "screenName": user.screen_name, "id": user.id, "avaterUrl": user.avatar_url,
        "bearerToken": user.token, "address": user.address, "sessions": user.sessions,
    }  # fmt: skip


def _match(match: ServedMatch) -> dict[str, Any]:
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
        "label": entrant.label,
        "isComputer": entrant.agent is not None,
        "address": entrant.address,
        "stored": list(entrant.stored.values()),
    }


def _read_match(saved: Mapping[str, Any], late: int) -> ServedMatch:
    match = ServedMatch(
        Board.from_json(saved["board"]), saved["fields"], saved["kind"], saved["name"], saved["reserved"],
        saved["owner"], saved["address"],
    )  # fmt: skip
    match.id = str(saved["id"])
    for turn in saved["turns"]:
        match.play(turn)
    match.phase = Phase[saved["phase"]]
    if saved["startedAt"] is not None:
        match.started_at = int(saved["startedAt"]) + late
    for one in saved["entrants"]:
        agent = AGENTS[one["id"]]() if one["isComputer"] else None
        stored = {entry[0]: tuple(entry) for entry in one["stored"]}
        label = one.get("label", one["id"])
        match.entrants.append(
            Entrant(one["id"], one["spec"], one["pic"], one["user"], agent, stored, one["address"], label)
        )
    return match
