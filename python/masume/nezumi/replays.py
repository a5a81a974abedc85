"""Convert replay texts to Replays and back: the stage, the actions, the end. [section 13]

    nezumi-replay 1
    nezumi-stage 1
    ...
    actions:
    3,1+ - E 3,1N ...
    end TURNS mice 7

The stage is the one that was played, with the config's overrides applied. Actions are separated by blanks or line
ends; the writer puts one turn on each line.
"""

from __future__ import annotations

from typing import Any, cast

from ..errors import ConfigError, ReplayError
from ..game import load
from ..records.replay import Replay
from .config import Config
from .notation import PLAYERS, RESULTS
from .stages import BLANKS

FIRST_LINE = "nezumi-replay 1"
ACTIONS = "actions:"
END = "end"


def read_text(text: str) -> list[Replay] | None:
    """Return the one game of a replay text as a list, or None if the text is in another format.

    Parameters
    ----------
    text : str
        Contents of a replay file.

    Returns
    -------
    list of Replay or None
        Every action is played on the way, so the game is known to be legal.

    Raises
    ------
    ReplayError
        If an action is not legal or the end is another; the error names the line. Also if the stage is invalid.
    """
    lines = [line.rstrip(BLANKS + "\r") for line in text.split("\n")]
    if not lines[0].startswith(FIRST_LINE.split()[0]):
        return None
    if lines[0] != FIRST_LINE:
        raise ReplayError(f"line 1: expected {FIRST_LINE!r}, got {lines[0]!r}")
    if ACTIONS not in lines:
        raise ReplayError(f"{ACTIONS}: missing")
    begin = lines.index(ACTIONS)
    try:
        game = load("nezumi", stage="\n".join(["", *lines[1:begin]]))  # the empty line keeps the numbers of the lines
    except ConfigError as error:
        raise ReplayError(str(error)) from None
    words = [(word, number) for number, line in enumerate(lines[begin + 1 :], begin + 2) for word in line.split()]
    state: Any = game.new_state()
    moves: list[int] = []
    for word, number in words:
        if word == END:
            break
        try:
            moves.append(state.text_to_action(word))
            state.apply(moves[-1])
        except ValueError as error:
            raise ReplayError(f"line {number}: {str(error).partition(chr(10))[0]}") from None
    expected = [END, *_end(state)] if state.is_terminal() else []
    rest = [word for word, _ in words[len(moves) :]]
    if rest != expected:
        number = words[len(moves)][1] if rest else len(lines)
        wanted = " ".join(expected) or "another action"
        raise ReplayError(f"line {number}: expected {wanted!r}, got {' '.join(rest)!r:.60}")
    return [Replay(game, 0, list(PLAYERS), moves, state.returns().tolist(), state.scores().tolist())]


def to_replay_text(replay: Replay) -> str:
    """Return a game as a replay text.

    Raises
    ------
    ReplayError
        If the text cannot represent the game: it is not over, began from another position than the stage's start,
        uses `surround_flip`, or its stage cannot be written as a stage file.
    """
    config = cast(Config, replay.game.config)
    stage = config.start_stage
    if config.surround_flip:
        raise ReplayError("surround_flip: a replay text has no flipped scores")
    if not stage.has_text:
        raise ReplayError(f"stage: {stage.name!r}: no stage file can hold it")
    states = list(replay.states())
    if states[0].to_bytes() != replay.game.new_state().to_bytes():
        raise ReplayError("start: a replay text can only describe a game from its stage's start")
    if not states[-1].is_terminal():
        raise ReplayError("end: a replay text needs a finished game")
    turns: dict[int, list[str]] = {}
    for state, move in zip(states, cast(list[int], replay.moves), strict=False):  # the last position has no move
        turns.setdefault(state.to_dict()["t"], []).append(state.action_to_text(move))
    lines = [ACTIONS, *(" ".join(texts) for texts in turns.values()), " ".join([END, *_end(states[-1])])]
    return f"{FIRST_LINE}\n{stage.to_text()}" + "".join(line + "\n" for line in lines)


def _end(state: Any) -> list[str]:
    """Return the result, the winner and the score, as texts."""
    won = PLAYERS[int(state.returns()[1] > 0)]
    return [RESULTS[state.to_dict()["result"]], won, str(int(state.scores()[1]))]
