"""The vectors of section 10 of the rules, on both implementations."""

import hashlib
import re

import pytest

from masume.chaser.config import Config
from masume.chaser.maps import GENERATED, ITEM, Map
from masume.chaser.notation import CODES
from masume.chaser.reference import State
from masume.errors import ConfigError, ConfigTypeError, GameOverError, IllegalActionError, NotationError

from . import vectors
from .conftest import draw_map, play, positions, read_info, result, rows
from .worlds import is_consistent

BOARDS = vectors.load()
PROSE = vectors.prose()


def test_every_vector_is_read():
    assert [vector.name for vector in BOARDS] == [f"V{k}" for k in range(1, 37)]
    assert sum(len(vector.methods) for vector in BOARDS) == 56
    assert [vector.name for vector in BOARDS if vector.ready] == ["V1"]
    assert [vector.turn_limit for vector in BOARDS if vector.turn_limit != 100] == [2, 1, 2]
    assert sum(vector.winner >= 0 for vector in BOARDS) == 16
    names = [*(f"E{k}" for k in range(1, 7)), *(f"G{k}" for k in range(1, 5)), "M1", "M2", "M3", "I1", "I2"]
    assert list(PROSE) == [*names, "E7", "M4", "K1"]


# -- boards -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", BOARDS, ids=lambda vector: vector.name)
def test_vector(implementation, vector):
    state = implementation.start(vector.before, vector.turn_limit)
    assert rows(state) == vector.before
    if vector.ready:
        assert read_info(state, 0, "ready") == vector.ready
    for n, (player, action, info) in enumerate(vector.methods):
        assert state.current_player == player == n % 2
        state.apply(action)
        assert read_info(state, player, "method") == info
        assert read_info(state, 1 - player, "end" if state.is_terminal() else "ready") is not None
    assert rows(state) == vector.after
    assert positions(state) == vector.positions
    assert list(state.scores()) == vector.items
    assert result(state) == (vector.winner, vector.reason)
    assert state.is_terminal() == (vector.winner >= 0)
    assert list(state.returns()) == {0: [1, -1], 1: [-1, 1]}.get(vector.winner, [0, 0])
    state.check()


@pytest.mark.parametrize("vector", BOARDS, ids=lambda vector: vector.name)
def test_vector_from_a_text_board(implementation, vector):
    state = implementation.parse("\n".join(vector.before), vector.turn_limit)
    for _, action, info in vector.methods:
        player = state.current_player
        state.apply(action)
        assert read_info(state, player, "method") == info
    assert result(state) == (vector.winner, vector.reason)
    again = implementation.parse(str(state), vector.turn_limit)
    assert again.to_dict() == state.to_dict()


TURNED = {0: 3, 1: 2, 2: 1, 3: 0}  # directions, seen from the other side


@pytest.mark.parametrize("vector", BOARDS, ids=lambda vector: vector.name)
def test_vector_upside_down(implementation, vector):
    """Rotating the field by 180 degrees changes no rule: 3 x 3 infos are reversed, lines are the same."""
    state = implementation.start([row[::-1] for row in vector.before[::-1]], vector.turn_limit)
    for player, action, info in vector.methods:
        kind, direction = divmod(action, 4)
        state.apply(4 * kind + TURNED[direction])
        digits = info[1:] if kind == 2 else info[:0:-1]
        assert read_info(state, player, "method") == info[0] + digits
    assert rows(state) == [row[::-1] for row in vector.after[::-1]]
    assert result(state) == (vector.winner, vector.reason)


# -- errors -----------------------------------------------------------------------------------------


def test_e1_a_player_closed_in_at_the_start_is_refused():
    with pytest.raises(ConfigError, match="closed in"):
        draw_map(vectors.read_quoted("E1"))


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"cool": (0, 1)}, r"cool: \(0, 1\) is not floor"),
        ({"hot": (1, 1)}, r"hot: \(1, 1\) is not floor"),
        ({"cool": (-1, 0)}, r"cool: \(-1, 0\) is outside"),
        ({"hot": (0, 3)}, r"hot: \(0, 3\) is outside"),
        ({"cool": (2, 2)}, "hot: .* is the start of COOL"),
    ],
)
def test_e2_starts_that_are_refused(fields, told):
    good = {"rows": [[0, 3, 0], [0, 2, 0], [0, 0, 0]], "cool": (0, 0), "hot": (2, 2)}
    Map(**good)
    with pytest.raises(ConfigError, match=f"^map: {told}"):
        Map(**good | fields)


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"turn_limit": 0}, "turn_limit: expected 1..10000, got 0"),
        ({"n_blocks": 3}, "n_blocks: 3"),
        ({"height": 4, "width": 5, "n_blocks": 0, "n_items": 1}, "n_items: 1"),
        ({"height": 2, "width": 2, "n_blocks": 0, "n_items": 0}, "height: 2"),
        ({"height": 5, "width": 5, "n_blocks": 24, "n_items": 0}, "n_blocks: 24"),
        ({"height": 5, "width": 5, "n_blocks": 24}, "n_items: expected 0..25, got 50"),
        ({"seed": -1}, "seed: expected 0..18446744073709551615, got -1"),
        ({"seed": 2**64}, "seed: expected 0..18446744073709551615, got 18446744073709551616"),
    ],
)
def test_e3_configs_that_are_refused(fields, name):
    with pytest.raises(ConfigError, match=f"^{name}"):
        Config.make(**fields)


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([[0, 1], [0, 0]], r"rows\[0\]\[1\]: expected 0, 2 or 3, got 1"),
        ([[0, 0], [0]], r"rows\[1\]: expected 2 values"),
    ],
)
def test_e3_maps_that_are_refused(rows, told):
    with pytest.raises(ConfigError, match=f"^map: {told}"):
        Map(rows, (0, 0), (1, 0))


@pytest.mark.parametrize("name", ["height", "turn_limit"])
def test_e4_a_bool_is_no_int(name):
    with pytest.raises(TypeError, match=f"^{name}: expected an int, got True"):
        Config.make(**{name: True})


def test_e7_types_are_checked_first():
    with pytest.raises(ConfigTypeError, match=r"^turn_limit"):
        Config.make(n_blocks=3, turn_limit=1.5)


@pytest.mark.parametrize("action", ["gr", "wx", 16, -1, True, 1.0, None])
def test_e5_e7_what_is_no_action_changes_nothing(implementation, action):
    state = implementation.start(vectors.read_quoted("E5")[:1])
    before, seen = state.to_dict(), [state.information_state(player) for player in range(2)]
    with pytest.raises(ValueError, match=r"action|expected one of wu wr"):
        state.apply(action)
    with pytest.raises(NotationError, match=r"expected one of wu wr"):
        state.text_to_action(str(action))
    assert state.to_dict() == before
    assert [state.information_state(player) for player in range(2)] == seen


def test_e5_nothing_can_be_played_after_the_end(implementation):
    state = implementation.start(vectors.read_quoted("E5")[:1])
    assert play(state, "wl") == ["0222220222"]
    assert result(state) == (1, 3)
    before = state.to_dict()
    for act in (lambda: state.apply(0), lambda: state.forfeit(0, "FOUL"), lambda: state.forfeit(1, "FOUL")):
        with pytest.raises(GameOverError):
            act()
    with pytest.raises(IllegalActionError):
        state.apply(16)
    assert state.to_dict() == before


@pytest.mark.parametrize("player", [0, 1])
def test_e6_a_forfeit_changes_nothing_but_the_result(implementation, player):
    state = implementation.start(vectors.read_quoted("E6")[:1])
    before = state.to_dict()
    state.forfeit(player, "FOUL")
    assert state.to_dict() == before | {"winner": 1 - player, "reason": 5}
    assert list(state.returns()) == ([-1, 1] if player == 0 else [1, -1])
    assert [read_info(state, q, "end") for q in range(2)] == ["0222200222", "0222002222"]


# -- the generator ----------------------------------------------------------------------------------


def digest(state):
    digits = "".join(map(str, state.to_dict()["cells"]))
    return hashlib.sha256(digits.encode()).hexdigest()


def starts(name):
    return [tuple(map(int, pair)) for pair in re.findall(r"\((\d+),(\d+)\)", PROSE[name])]


def is_symmetric(state):
    cells = state.to_dict()["cells"]
    return cells == cells[::-1]


def test_g1_the_default_map(implementation):
    state = implementation.new(seed=0)
    variables = state.to_dict()
    assert positions(state) == starts("G1") == [(13, 1), (1, 15)]
    assert (variables["cells"].count(2), variables["cells"].count(3)) == (20, 50)
    assert is_symmetric(state)
    assert digest(state).startswith(re.search(r"begins ([0-9a-f]{16})", PROSE["G1"])[1])
    for row, drawn in zip((0, 7), vectors.read_quoted("G1"), strict=True):
        assert ",".join(map(str, variables["cells"][17 * row : 17 * row + 17])) == drawn
    assert implementation.new().to_dict() == variables


@pytest.mark.parametrize(
    ("name", "fields", "seed"), [("G2", {}, 1), ("G3", {"height": 17, "width": 15, "n_items": 51}, 7)]
)
def test_g2_g3_other_maps(implementation, name, fields, seed):
    state = implementation.new(seed, **fields)
    assert positions(state) == starts(name)
    assert len(starts(name)) == 2
    assert digest(state).startswith(re.search(r"hash ([0-9a-f]{16})", PROSE[name])[1])
    assert is_symmetric(state)
    assert (state.to_dict()["cells"][8 * 15 + 7] == ITEM) == (name == "G3")


def test_g4_a_small_map(implementation):
    fields = {"height": 5, "width": 5, "n_blocks": 2, "n_items": 3, "turn_limit": 10}
    assert rows(implementation.new(5, **fields)) == vectors.read_quoted("G4")
    assert rows(implementation.new(seed=5, **fields)) == rows(implementation.new(**fields | {"n_items": 3}, seed=5))


# -- map files --------------------------------------------------------------------------------------


def test_m1_a_map_file():
    source = "\r\n".join(vectors.read_quoted("M1"))
    found = Map.parse(source)
    assert (found.height, found.width, found.turn_limit, found.name) == (2, 3, 7, "t")
    assert (found.cool, found.hot) == ((0, 0), (1, 2))
    assert found.rows == ((0, 3, 2), (0, 0, 0))
    assert found.to_text() == "N:t\nT:7\nS:3,2\nD:0,3,2\nD:0,0,0\nC:0,0\nH:2,1\n"
    assert Map.parse("\ufeff" + source) == Map.parse(b"\xef\xbb\xbf" + source.encode()) == found
    assert Map.parse(found.to_text()) == found


def test_m2_the_smallest_map_file():
    found = Map.parse("\n".join(vectors.read_quoted("M2")))
    assert (found.turn_limit, found.name) == (100, "")


GOOD = ["N:t", "T:7", "S:3,2", "D:0,3,2", "D:0,0,0", "C:0,0", "H:2,1"]
MALFORMED = {
    "no D": ([*GOOD[:2], *GOOD[5:]], 4, "D: missing"),
    "no H": (GOOD[:6], 6, "H: missing"),
    "S not matching D": ([*GOOD[:2], "S:2,3", *GOOD[3:]], 3, "S: 2,3 is not the size of the rows, 3,2"),
    "unknown key X": ([*GOOD, "X:1"], 8, "expected one of the keys"),
    "two T lines": ([*GOOD, "T:7"], 8, "T: given twice"),
    "a non-number": ([*GOOD[:3], "D:0,x,2", *GOOD[4:]], 4, "expected a number, got 'x'"),
    "`D 0,0` (no colon)": ([*GOOD, "D 0,0"], 8, "no colon"),
    "one number after C": ([*GOOD[:5], "C:0", "H:2,1"], 6, "expected 2 numbers, got 1"),
}
ILLEGAL = {
    "value 1": [*GOOD[:4], "D:0,1,0", *GOOD[5:]],
    "ragged D": [*GOOD[:4], "D:0,0", *GOOD[5:]],
    "H outside": [*GOOD[:6], "H:2,2"],
}


def test_m3_every_refusal_is_tried():
    listed = re.sub(r"^refused: |\.$", "", PROSE["M3"]).split("; ")
    assert sorted(listed) == sorted([*MALFORMED, *ILLEGAL])


@pytest.mark.parametrize(("rows", "line", "message"), MALFORMED.values(), ids=MALFORMED)
def test_m3_malformed_map_files(rows, line, message):
    with pytest.raises(NotationError, match=message) as caught:
        Map.parse("\n".join(rows))
    assert caught.value.line == line
    assert caught.value.column >= 1


@pytest.mark.parametrize("rows", ILLEGAL.values(), ids=ILLEGAL)
def test_m3_map_files_of_illegal_maps(rows):
    with pytest.raises(ConfigError, match=r"^map: "):
        Map.parse("\n".join(rows))


def test_m4_blanks_and_names():
    d, c, h, name, *_ = vectors.read_quoted("M4")
    found = Map.parse("\n".join([d, c, h, " \t ", name]))
    assert (found.cool, found.hot, found.name) == ((0, 0), (0, 1), " a ")


@pytest.mark.parametrize("bad", ["C:+0,0", "T:1_0", "N:a\rb", "D:0\r,0"])
def test_m4_refused_lines(bad):
    assert bad in vectors.read_quoted("M4") or "\r" in bad
    others = [line for line in GOOD[3:] if line[0] != bad[0]]
    with pytest.raises(NotationError):
        Map.parse("\n".join([bad, *others]))


def test_m4_the_name_of_a_generated_map():
    text = Config().start_map(0).to_text()
    assert text.splitlines()[0] == vectors.read_quoted("M4")[-1] == f"N:{GENERATED}"


# -- observations -----------------------------------------------------------------------------------


def test_i1_information_states(implementation):
    *drawn, cool, hot = vectors.read_quoted("I1")
    state = implementation.start(drawn)
    play(state, "wr wu sd")
    assert [state.information_state(player) for player in range(2)] == [cool, hot]


def test_i2_strict_consistency():
    *drawn, cool, _ = vectors.read_quoted("I1")
    actions = [CODES.index(code) for code in ("wr", "wu", "sd")]

    def world(rows):
        return State.new(Config.make(map=draw_map(rows)))

    assert is_consistent(cool, world(drawn), actions)
    assert not is_consistent(cool, world(["*" + drawn[0][1:], *drawn[1:]]), actions)
    assert not is_consistent(cool, world([*(row + "." for row in drawn), ".....", "....."]), actions)


def test_k1_possible_starts(implementation):
    drawn, *codes = re.findall(r"`([^`]+)`|\b([lp]\w)\b", PROSE["K1"])
    state = implementation.start([drawn[0]])
    play(state, " ".join(code for _, code in codes))
    reference = State.new(Config.make(map=draw_map([drawn[0]])))
    play(reference, " ".join(code for _, code in codes))
    assert state.information_state(0) == reference.information_state(0)
    assert reference.knowledge(0).possible_starts(1, 5) == [(0, 1), (0, 2), (0, 3)]
    assert reference.knowledge(0).first[0, 1] == 0
    assert reference.knowledge(0).last[0, 1] == (2, 2)
