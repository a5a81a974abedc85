"""The vectors of section 10 of the rules, on both implementations."""

import itertools
import re

import pytest

from masume.core.rng import Rng
from masume.nezumi.notation import DIRECTIONS
from masume.nezumi.stages import generate, load_shipped

from . import vectors
from .conftest import Position, Sketch, board_counts, config_of, legal, phase, play, result, rows, winner

VECTORS = vectors.load()
WALKS = vectors.walks()


def test_every_vector_is_read():
    groups = itertools.groupby(VECTORS, key=lambda vector: vector.name[0])
    names = {letter: [vector.name for vector in group] for letter, group in groups}
    counts = {"P": 7, "J": 22, "X": 3, "I": 5, "C": 8, "S": 15, "G": 5, "A": 8, "F": 1, "K": 1}
    expected = {letter: [f"{letter}{k}" for k in range(1, count + 1)] for letter, count in counts.items()}
    expected["S"].remove("S11")  # the rules file has no vector S11
    assert names == expected
    steps = [kind for vector in VECTORS for kind, _ in vector.steps]
    assert {kind: steps.count(kind) for kind in ("do", "board", "expect")} == {"do": 111, "board": 38, "expect": 105}
    assert len(WALKS) == 24


def check(state, told):
    """Check the items of an `expect` line."""
    variables = state.to_dict()
    on_board, reserve = board_counts(state)
    row, column = divmod(variables["react_cell"], config_of(state).start_stage.width)
    found = {
        "phase": phase(state),
        "react": f"{row},{column}",
        "mice": on_board,
        "reserve": reserve,
        "captured": variables["captured"],
        "t": variables["t"],
        "food": variables["food_sum"],
        "cost": variables["cost_sum"],
        "score": int(state.scores()[1]),
        "reported": state.reported_score,
        "result": result(state),
        "winner": winner(state),
    }
    for item, value in told.items():
        if item == "legal":
            assert legal(state) == set(value.split(";"))
        elif item == "illegal":
            for text in value.split(";"):
                before = state.to_dict()
                with pytest.raises(ValueError, match=r"."):
                    state.apply(state.text_to_action(text))
                assert state.to_dict() == before
        else:
            assert str(found[item]) == value, item


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_vector(implementation, vector):
    state = implementation.place(vector.start)
    for kind, what in vector.steps:
        if kind == "do":
            play(state, what)
            state.check()
        elif kind == "board":
            assert rows(state) == what
        else:
            check(state, what)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_every_position_of_a_vector_reads_back(implementation, vector):
    config = vector.start.config
    state = implementation.place(vector.start)
    for what in [None, *(what for kind, what in vector.steps if kind == "do")]:
        if what is not None:
            play(state, what)
        assert implementation.parse(config, str(state)).to_dict() == state.to_dict()
        assert implementation.from_dict(config, state.to_dict()).to_dict() == state.to_dict()


# -- the same positions, mirrored and transposed: the rules are symmetric ---------------------------

TURNS = {
    "upside down": (lambda r, c, height, width: (height - 1 - r, c), "SENW"),
    "mirrored": (lambda r, c, height, width: (r, width - 1 - c), "NWSE"),
    "transposed": (lambda r, c, height, width: (c, r), "WSEN"),
}


def turn_text(text, move, directions, size):
    """Return an action text, mirrored or transposed."""
    cell, what = re.fullmatch(r"(\d+,\d+)?(.)", text).groups()
    if what in DIRECTIONS:
        what = directions[DIRECTIONS.index(what)]
    if cell is None:
        return what
    r, c = move(*map(int, cell.split(",")), *size)
    return f"{r},{c}{what}"


@pytest.mark.parametrize("way", TURNS)
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_vector_from_another_side(implementation, vector, way):
    move, directions = TURNS[way]
    stage, variables = vector.start.config.start_stage, vector.start.variables
    size = stage.height, stage.width
    corner = move(*(side - 1 for side in size), *size)
    width = 1 + max(corner[1], move(0, 0, *size)[1])
    place = {}
    for cell in range(stage.height * stage.width):
        r, c = move(*divmod(cell, stage.width), *size)
        place[r * width + c] = cell

    def turn(values):
        return [values[place[cell]] for cell in range(len(values))]

    cat = next(cell for cell, before in place.items() if before == stage.cat)
    fields = {name: turn(getattr(stage, name)) for name in ("wall", "zone", "food")}
    numbers = {name: getattr(stage, name) for name in ("max_mice", "require", "turns")}
    config = type(vector.start.config)(
        stage=Sketch("turned", len(place) // width, width, **fields, cat=cat, **numbers),
        surround_flip=vector.start.config.surround_flip,
    )
    start = {**variables, "cat": cat, "mouse": turn(variables["mouse"]), "food": turn(variables["food"])}
    state = implementation.place(Position(config, start))
    straight = implementation.place(vector.start)
    for text in (what for kind, what in vector.steps if kind == "do"):
        play(straight, text)
        play(state, turn_text(text, move, directions, size))
        expected, found = straight.to_dict(), state.to_dict()
        for name in ("mouse", "food"):
            expected[name] = turn(expected[name])
        for name in ("cat", "react_cell"):
            found[name] = place.get(found[name], -1)
        assert found == expected
        assert legal(state) == {turn_text(told, move, directions, size) for told in legal(straight)}


# -- golden walks -----------------------------------------------------------------------------------


@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: f"{walk.name}-{walk.seed}")
def test_golden_walk(implementation, walk):
    state = implementation.new(stage=walk.stage)
    rng = Rng(walk.seed)
    digest, decisions = 0xCBF29CE484222325, 0
    while not state.is_terminal():
        actions = [int(action) for action in state.legal_actions()]
        assert actions == sorted(actions)
        action = actions[rng.below(len(actions))]
        state.apply(action)
        decisions += 1
        for byte in (action & 255, action >> 8):
            digest = ((digest ^ byte) * 0x100000001B3) % 2**64
    variables = state.to_dict()
    assert (decisions, f"{digest:016x}") == (walk.decisions, walk.digest)
    assert (result(state), winner(state)) == (walk.result, walk.winner)
    for name in ("t", "captured", "food_sum", "cost_sum"):
        assert variables[name] == getattr(walk, name)


@pytest.mark.parametrize(("name", "ids"), [("garden", 251), ("ring", 456), ("pillars", 411), ("granary", 906)])
def test_the_number_of_ids(implementation, name, ids):
    assert len(implementation.new(stage=name).legal_mask()) == ids


@pytest.mark.parametrize("arguments", [(1,), (2, 7, 11, 30, 4, 3, 8)])
def test_generated_stages_are_those_of_the_rules(arguments):
    assert f"```\n{generate(*arguments)}```" in vectors.section("### 4.4", "## 5.")


def test_the_built_in_stages_are_those_of_the_rules():
    text = vectors.section("### 4.3", "Balance check")
    listed = re.findall(r"^\*\*\d+\. (\w+)\*\*", text, re.MULTILINE)
    assert list(load_shipped()) == listed
    written = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    texts = [stage.to_text() for stage in load_shipped().values()]
    assert texts == [one.replace("1kg", "1000000mg") for one in written]
