"""`masume view`: replays as text, as a page, as JSON, or as the state blocks that programs receive."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .. import render
from ..core.files import write_atomic
from ..core.language import translate as _
from ..errors import ConfigError, ReplayError
from ..records import replay
from ..records.places import is_url
from ..records.reading import tell_left_out
from ..render import escape_text
from ..render.drawing import draw_seen
from ..results import winners
from .judged import describe
from .output import format_games, print_board, print_json

SUMMARY = "show a replay, verified"
EXAMPLE = "masume view report/replays/0000.jsonl -o games.html"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "replay",
        nargs="+",
        metavar="REPLAY",
        help="replay files, also in the format of a game's own servers, or folders of runs, arenas, contests, servers, "
        "or URLs of them",
    )
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--player", type=int, metavar="P", help="show what this player saw, in games with hidden information"
    )
    form.add_argument("-o", dest="out", metavar="OUT.html", help="write an HTML page with all games and all views")
    form.add_argument(
        "--blocks", action="store_true",
        help="print the state block that programs received in each turn, in games that have such blocks",
    )  # fmt: skip
    form.add_argument("--log", action="store_true", help="print what each move did, without boards")


def run(arguments: argparse.Namespace) -> None:
    """`masume view REPLAY`: every position as text, one HTML page to step through, or state blocks."""
    replays = [one for path in arguments.replay for one in replay.load(path, leave_out=_leave_out)]
    for one in replays:
        if arguments.player is not None and arguments.player not in range(one.game.num_players):
            raise ConfigError(f"player: expected 0..{one.game.num_players - 1}, got {arguments.player}")
    if arguments.out is not None:
        title = ", ".join(map(_name_of, arguments.replay))
        write_atomic(arguments.out, render.page(replays, title=escape_text(title)).encode())
    facts: list[dict[str, Any]] = [
        {
            "game": one.game.name,
            "seed": one.seed,
            "names": one.names,
            "plies": len(one.moves),
            "returns": one.returns,
            "scores": one.scores,
            "winners": winners(one.returns),
            "notes": [note._asdict() for note in one.notes],
            **({"blocks": _blocks(one)} if arguments.blocks else {}),
        }
        for one in replays
    ]
    if arguments.json:
        print_json({"replays": facts})
    elif arguments.out is not None:
        print(f"{format_games(len(replays))}: {escape_text(arguments.out)}")
    elif arguments.blocks:
        for fact in facts:
            print(*fact["blocks"], sep="", end="")
    else:
        for one, fact in zip(replays, facts, strict=True):
            names = escape_text(", ".join(one.names))
            print(_("{game}: {names}; seed {seed}").format(game=fact["game"], names=names, seed=one.seed), end="\n\n")
            if arguments.log:
                print(*map(escape_text, _log(one)), sep="\n")
            else:
                _print_boards(one, arguments.player)
            print(_("scores {scores}, returns {returns}").format(scores=one.scores, returns=one.returns), end="\n\n")


def _leave_out(error: ReplayError | OSError) -> None:
    print(escape_text(tell_left_out(error)), file=sys.stderr)


def _print_boards(one: replay.Replay, player: int | None) -> None:
    """Print every position, and below it what went wrong there."""
    for ply, state in enumerate(one.states()):
        print_board(state, player)
        told = [describe(note) for note in one.notes if note.ply == ply]
        if told:
            print(*("\n".join(map(escape_text, lines.split("\n"))) for lines in told), sep="\n", end="\n\n")


def _name_of(path: str) -> str:
    return Path(urlsplit(path).path).name if is_url(path) else Path(path).resolve().name


def _log(one: replay.Replay) -> Iterator[str]:
    """Yield the lines of a log: each position and what led to it, in words or else in notation; at last the reason."""
    before = None
    for number, state in enumerate(one.states()):
        _scene, frame = draw_seen(state, None)
        yield f"{number}. {frame.caption}"
        told = frame.log
        if not told and before is not None:
            told = _notation(before, one.moves[number - 1])
        yield from (f"   {line}" for line in told)
        before = state
    if one.reason:
        yield _("reason: {reason}").format(reason=_(one.reason))


def _notation(state: Any, move: Any) -> list[str]:
    """Return the actions of a move, in the notation of the game; those of one player are on one line."""
    if isinstance(move, replay.Forfeit):
        return [_("player {number} forfeits: {reason}").format(number=move.player, reason=_(str(move.cause)))]
    if isinstance(move, int):
        return [str(state.action_to_text(move))]
    game, per_player = state.game, len(move) // state.game.num_players
    texts = [state.action_to_text(code, slot) for slot, code in enumerate(move)]
    return [
        f"P{player}: {', '.join(texts[player * per_player : (player + 1) * per_player])}"
        for player in range(game.num_players)
    ]


def _blocks(one: replay.Replay) -> list[str]:
    """Return the state block of each turn of a game; raise ConfigError if the game has none."""
    blocks = one.game.hook("blocks")
    if blocks is None:
        raise ConfigError(f"blocks: {one.game.name} has no state blocks")
    return list(blocks(one.states()))
