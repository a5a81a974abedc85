"""Conversion between replay texts and replays. [section 13]"""

import dataclasses

import pytest

import masume
from masume.agent import PolicyAgent
from masume.nezumi.replays import read_text, to_replay_text
from masume.nezumi.stages import generate, load_shipped
from masume.play.driver import play_game
from masume.records import replay

from .test_stages import ARRAYS


def play(seed=1, **fields):
    """Return a random game as a Replay."""
    game = masume.load("nezumi", **fields)
    return play_game(game, [PolicyAgent("random"), PolicyAgent("random")], seed).to_replay(seed, ["cat", "mice"])


@pytest.mark.parametrize("stage", [*load_shipped(), generate(5), generate(6, 5, 5, 10, 2, 2, 3)])
def test_a_game_becomes_a_text_and_the_text_the_game(stage):
    game = play(3, stage=stage)
    text = to_replay_text(game)
    (back,) = read_text(text)
    assert list(back.moves) == list(game.moves)
    assert (back.names, back.returns, back.scores) == (["cat", "mice"], game.returns, game.scores)
    assert [state.to_bytes() for state in back.states()] == [state.to_bytes() for state in game.states()]
    assert to_replay_text(back) == text


def test_the_text_of_a_game():
    game = masume.load("nezumi", turns=1)
    state = game.new_state()
    moves = []
    for word in ["2,0+", "-", "W", "-", "2,0E"]:
        moves.append(state.text_to_action(word))
        state.apply(moves[-1])
    one = replay.Replay(game, 0, ["a", "b"], moves, state.returns().tolist(), state.scores().tolist())
    stage = load_shipped()["garden"].to_text().replace("turns: 14", "turns: 1")
    assert to_replay_text(one) == f"nezumi-replay 1\n{stage}actions:\n2,0+ -\nW - 2,0E\nend TURNS cat -2\n"


def test_blanks_and_line_ends_part_actions_alike():
    text = to_replay_text(play())
    head, _, actions = text.partition("actions:\n")
    for other in (actions.replace("\n", " \t "), actions.replace(" ", "\n\n"), actions.replace("\n", "\r\n")):
        assert list(read_text(f"{head}actions: \n{other}")[0].moves) == list(read_text(text)[0].moves)


TEXT = to_replay_text(play())
LINES = TEXT.splitlines()
ACTIONS = LINES.index("actions:") + 1  # line number, from 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (TEXT.replace("nezumi-replay 1", "nezumi-replay 2"), "^line 1: expected 'nezumi-replay 1', got"),
        (TEXT.replace("actions:", "moves:"), "^actions:: missing"),
        (TEXT.replace("turns: 14", "turns: x"), "^stage: line 6, column 8: turns: expected 1..9999, got 'x'"),
        ("\n".join([*LINES[:ACTIONS], "0,0+", *LINES[ACTIONS:]]), rf"^line {ACTIONS + 1}: action 4"),
        ("\n".join([*LINES[:ACTIONS], "jump", *LINES[ACTIONS:]]), rf"^line {ACTIONS + 1}: expected one of"),
        ("\n".join(LINES[:-1]), rf"^line {len(LINES) - 1}: expected 'end \w+ \w+ -?\d+', got ''"),
        ("\n".join([*LINES[:-2], LINES[-1]]), rf"^line {len(LINES) - 1}: expected 'another action', got 'end "),
        ("\n".join([*LINES[:-1], "end TURNS cat 99"]), rf"^line {len(LINES)}: expected .*, got 'end TURNS cat 99'"),
        (TEXT + "more", rf"^line {len(LINES)}: expected .*, got 'end .* more'"),
        ("\n".join([*LINES[:-1], "-", LINES[-1]]), rf"^line {len(LINES)}: the game is over"),
    ],
)
def test_texts_that_are_refused(text, told):
    with pytest.raises(masume.ReplayError, match=told):
        read_text(text)


def test_other_formats_are_not_ours():
    assert read_text("") is None
    assert read_text('{"t": "replay"}') is None
    assert read_text(load_shipped()["garden"].to_text()) is None


def test_a_replay_text_loads_as_any_replay(tmp_path):
    path = tmp_path / "game.txt"
    path.write_text(TEXT)
    (back,) = replay.load(path)
    assert list(back.moves) == list(play().moves)
    path.write_text(TEXT.replace("end ", "end X "))
    with pytest.raises(masume.ReplayError, match=rf"^{path}: line {len(LINES)}: "):
        replay.load(path)


def test_games_that_a_text_cannot_tell_of():
    whole = play()
    states = list(whole.states())
    later = dataclasses.replace(whole, moves=whole.moves[2:], ms=None, start=states[2].to_dict())
    unfinished = dataclasses.replace(whole, moves=whole.moves[:3], ms=None)
    overlapping = play(stage=ARRAYS | {"zone": [1, 0, 0, 1, 0, 0, 0, 1]})
    for game, told in (
        (later, "start: "),
        (unfinished, "end: "),
        (overlapping, "stage: "),
        (play(surround_flip=True), "surround_flip: "),
    ):
        with pytest.raises(masume.ReplayError, match=f"^{told}"):
            to_replay_text(game)
