"""Maps, map files, the generator, and configs with maps."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from masume.chaser import maps
from masume.chaser.config import Config
from masume.chaser.maps import GENERATED, Map, generate, mirror, room, start_cells
from masume.chaser.reference import State
from masume.errors import ConfigError, ConfigTypeError, NotationError

GOOD = {"rows": [[0, 3, 0], [0, 2, 0]], "cool": (0, 0), "hot": (1, 2)}


# -- a map ------------------------------------------------------------------------------------------


def test_a_map_is_a_value():
    one, other = Map(**GOOD), Map(**GOOD | {"cool": [0, 0]})
    assert one == other
    assert hash(one) == hash(other)
    assert one.rows == ((0, 3, 0), (0, 2, 0))
    assert (one.height, one.width, one.starts, one.turn_limit, one.name) == (2, 3, ((0, 0), (1, 2)), 100, "")
    assert [one.value((r, c)) for r in (-1, 0, 1, 2) for c in (-1, 1, 3)] == [2, 2, 2, 2, 3, 2, 2, 2, 2, 2, 2, 2]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"rows": "00"}, "rows: expected a list"),
        ({"rows": [[0, 0], 0]}, r"rows\[1\]: expected a list"),
        ({"rows": [[0, "0"]]}, r"rows\[0\]\[1\]: expected an int"),
        ({"rows": [[0, False]]}, r"rows\[0\]\[1\]: expected an int"),
        ({"cool": 5}, "cool: expected a list"),
        ({"hot": (0, None)}, r"hot\[1\]: expected an int"),
        ({"turn_limit": 1.0}, "turn_limit: expected an int"),
        ({"name": b"x"}, "name: expected a string"),
        ({"name": 5, "turn_limit": 0, "cool": (9, 9)}, "name: expected a string"),
    ],
)
def test_types_are_checked_before_anything_else(fields, told):
    with pytest.raises(ConfigTypeError, match=f"^map: {told}"):
        Map(**GOOD | fields)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"rows": []}, "height: expected 1..64, got 0"),
        ({"rows": [[]]}, "width: expected 1..64, got 0"),
        ({"rows": [[0]] * 65}, "height: expected 1..64, got 65"),
        ({"rows": [[0] * 65]}, "width: expected 1..64, got 65"),
        ({"rows": [[0]], "hot": (0, 0)}, "rows: one cell is too few"),
        ({"rows": [[0, 3, 0], [0, -2, 0]]}, r"rows\[1\]\[1\]: expected 0, 2 or 3, got -2"),
        ({"cool": (0, 0, 0)}, "cool: expected 2 values"),
        ({"turn_limit": 0}, "turn_limit: expected 1..10000, got 0"),
        ({"turn_limit": 10001}, "turn_limit: expected 1..10000, got 10001"),
        ({"name": "a\nb"}, r"name: 'a\\nb' has a line end"),
        ({"name": "a\r"}, r"name: 'a\\r' has a line end"),
        ({"name": "\ud83d"}, "name: .* has half a character"),
    ],
)
def test_what_no_map_is(fields, told):
    """Invalid maps by CH-R22, section 4.2 and the names of section 14.9."""
    with pytest.raises(ConfigError, match=f"^map: {told}"):
        Map(**GOOD | fields)


def test_ch_r20_explicit_maps_need_no_symmetry():
    """CH-R20"""
    assert not Map(**GOOD).is_symmetric
    assert not Map([[0, 0, 0], [0, 0, 0]], (0, 0), (1, 1)).is_symmetric
    assert Map([[0, 3, 2], [2, 3, 0]], (0, 0), (1, 2)).is_symmetric
    assert State.new(Config.make(map=Map(**GOOD))).position == [(0, 0), (1, 2)]


# -- map files --------------------------------------------------------------------------------------


def test_the_key_lines_may_have_any_order_and_any_line_end():
    assert Map.parse("H:2,1\r\nD:0,3,0\n\n \t\r\nC:0,0\r\nD:0,2,0") == Map(**GOOD)


def test_numbers_may_have_a_sign_zeros_and_blanks():
    found = Map.parse("D:00,\t3 , -0\nD:0,2,0\nC: 0,0\nH:2,001\nT:" + "0" * 5000 + "9")
    assert found == Map(**GOOD | {"turn_limit": 9})


@pytest.mark.parametrize(
    ("text", "line", "column", "told"),
    [
        ("", 1, 1, "C: missing"),
        ("D:0,0\nC:0,0\nH:1,0\nC:0,0", 4, 1, "C: given twice"),
        ("N:a\nN:a", 2, 1, "N: given twice"),
        ("D:0,0\n:D", 2, 2, "no colon"),
        ("D", 1, 2, "no colon"),
        ("d:0", 1, 1, "expected one of the keys"),
        ("D:0,,0", 1, 5, "expected a number, got ''"),
        ("D:", 1, 3, "expected a number, got ''"),
        ("D:0,1 2", 1, 5, "expected a number, got '1 2'"),
        ("D:0,--1", 1, 5, "expected a number, got '--1'"),
        ("D:0,٣", 1, 5, "expected a number, got '٣'"),
        ("D:0," + "9" * 19, 1, 5, "expected a number"),
        ("T:1,2", 1, 3, "expected 1 numbers, got 2"),
        ("S:1", 1, 3, "expected 2 numbers, got 1"),
        ("H:1,2,3", 1, 3, "expected 2 numbers, got 3"),
        ("D:0,0\nC:0,0\nH:1,0\n\nS:1,2", 5, 3, "S: 1,2 is not the size of the rows, 2,1"),
        ("N:a\rb", 1, 4, "a CR inside a line"),
        ("N:a\r\r\n", 1, 4, "a CR inside a line"),
    ],
)
def test_malformed_files_say_where(text, line, column, told):
    for source in (text, text.encode()):
        with pytest.raises(NotationError, match=f"^line {line}, column {column}: .*{told}") as caught:
            Map.parse(source)
        assert (caught.value.line, caught.value.column) == (line, column)


def test_names_are_utf_8_or_else_cp932():
    rest = b"\nD:0,0\nC:0,0\nH:1,0"
    assert Map.parse("N:盤 \u3000".encode() + rest).name == "盤 \u3000"
    assert Map.parse("N:盤".encode("cp932") + rest).name == "盤"
    assert Map.parse(b"N:\x81\xff\xfd" + rest).name.count("\ufffd") >= 1


@pytest.mark.parametrize("source", [5, True, ["D:0,0"], {"rows": [[0, 0]]}])
def test_a_config_takes_a_map_or_the_text_of_one(source):
    with pytest.raises(ConfigTypeError, match=r"^map: "):
        Config.make(map=source)
    with pytest.raises(ConfigTypeError, match=r"^map: expected a Map"):
        Config(map=source)


CELLS = st.sampled_from([0, 0, 2, 3])


@st.composite
def any_map(draw):
    height, width = draw(st.integers(1, 9)), draw(st.integers(2, 9))
    rows = [[draw(CELLS) for _ in range(width)] for _ in range(height)]
    cool = draw(st.integers(0, height - 1)), draw(st.integers(0, width - 2))
    hot = cool[0], cool[1] + 1  # next to each other, so that neither is closed in
    for row, column in (cool, hot):
        rows[row][column] = 0
    name = draw(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=12))
    return Map(rows, cool, hot, draw(st.integers(1, 10_000)), name)


@given(any_map())
def test_files_round_trip(found):
    text = found.to_text()
    assert Map.parse(text) == Map.parse(text.encode()) == found
    assert Map.parse(text.replace("\n", "\r\n").encode()) == found
    assert Map.parse(text.removesuffix("\n")) == found
    assert text.endswith("\n")
    again = Config.make(**Config.make(map=found).to_dict())
    assert again == Config.make(map=found)
    assert again.map == found


@given(st.binary(max_size=60))
def test_any_bytes_are_a_map_or_an_error_of_ours(data):
    try:
        found = Map.parse(data)
    except (NotationError, ConfigError):
        return
    assert Map.parse(found.to_text()) == found


# -- the generator ----------------------------------------------------------------------------------

SIZES = [(h, w) for h in range(1, 11) for w in range(1, 11)]


def pairs_beside(start, height, width):
    """Count, one by one, the pairs of cells that the generator may fill. [section 4.1 step 4]"""
    count = 0
    for k in range(height * width // 2):
        row, column = divmod(k, width)
        starts = (start, mirror(start, height, width))
        count += all(abs(row - r) + abs(column - c) >= 2 for r, c in starts)
    return count


@pytest.mark.parametrize(("height", "width"), SIZES)
def test_room_is_what_the_worst_start_leaves(height, width):
    starts = start_cells(height, width)
    assert room(height, width) == min((pairs_beside(start, height, width) for start in starts), default=-1)
    for row, column in starts:
        other_row, other_column = mirror((row, column), height, width)
        assert max(abs(row - other_row), abs(column - other_column)) >= 3
        assert (column, row) < (other_column, other_row)


@pytest.mark.parametrize(("height", "width"), [(1, 4), (4, 1), (3, 4), (5, 5), (6, 3), (15, 17)])
def test_ch_r21_every_seed_has_a_map_however_full(height, width):
    """CH-R21: the maximum number of blocks and items of a config works; two more are refused."""
    full = 2 * room(height, width)
    centre = height * width % 2
    for blocks in (0, full // 4 * 2, full):
        config = Config.make(height=height, width=width, n_blocks=blocks, n_items=full - blocks + centre)
        for seed in range(40):
            found = config.start_map(seed)
            assert found.is_symmetric
            assert found.name == GENERATED
            counts = [sum(row.count(value) for row in found.rows) for value in (2, 3)]
            assert counts == [blocks, full - blocks + centre]
    with pytest.raises(ConfigError, match=r"^n_blocks: .* do not fit"):
        Config.make(height=height, width=width, n_blocks=full, n_items=2 + centre)


def test_the_seed_of_a_state_goes_before_that_of_the_config():
    config = Config.make(seed=3)
    assert State.new(config).to_dict() == State.new(config, 3).to_dict() == State.new(Config(), 3).to_dict()
    assert State.new(config, 4).to_dict() != State.new(config).to_dict()
    assert config.start_map(3) == generate(15, 17, 100, 20, 50, 3)


def test_an_explicit_map_has_no_seed():
    config = Config.make(map=Map(**GOOD))
    assert State.new(config, 1).to_dict() == State.new(config, 2).to_dict()


# -- the config -------------------------------------------------------------------------------------


def test_presets():
    assert Config.make("standard") == Config()
    for name, size in (("contest", (17, 15)), ("wide", (17, 21))):
        assert Config.make(name) == Config(*size)
    with pytest.raises(ConfigError, match=r"^preset: unknown preset 'tiny' \(known: standard, contest, wide"):
        Config.make("tiny")


def test_a_map_gives_the_sizes_and_the_limit():
    its = Map(**GOOD | {"turn_limit": 7})
    config = Config.make("contest", map=its)
    assert (config.height, config.width, config.turn_limit, config.map) == (2, 3, 7, its)
    assert Config.make(map=its.to_text()) == Config.make(map=its.to_text().encode()) == Config.make(map=its)
    assert Config.make(map=its, height=2, n_blocks=7, n_items=99, seed=5).map == its


@pytest.mark.parametrize("fields", [{"height": 3}, {"width": 2}, {"turn_limit": 8}])
def test_other_sizes_beside_a_map_are_refused(fields):
    its = Map(**GOOD | {"turn_limit": 7})
    (name,) = fields
    with pytest.raises(ConfigError, match=f"^{name}: expected the map's .*, got {fields[name]}"):
        Config.make(map=its, **fields)
    with pytest.raises(ConfigError, match=f"^{name}"):
        dataclasses.replace(Config.make(map=its), **fields)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"height": 0}, "height: expected 1..64, got 0"),
        ({"width": 65}, "width: expected 1..64, got 65"),
        ({"turn_limit": 10001}, "turn_limit: expected 1..10000, got 10001"),
        ({"n_blocks": -2}, "n_blocks: expected 0..4096, got -2"),
        ({"n_blocks": 256}, "n_blocks: expected 0..255, got 256"),
        ({"n_items": 256}, "n_items: expected 0..255, got 256"),
        ({"n_blocks": 3, "n_items": 256}, "n_items: expected 0..255, got 256"),
        ({"n_items": 51, "width": 16}, "n_items: 51 is odd"),
        ({"height": 3, "width": 3, "n_blocks": 0, "n_items": 0}, "height: 3 rows of width 3 have no room"),
        ({"blocks": 3}, "blocks: no such field"),
    ],
)
def test_configs_that_are_refused(fields, told):
    with pytest.raises(ConfigError, match=f"^{told}"):
        Config.make(**fields)


@pytest.mark.parametrize("name", ["height", "width", "turn_limit", "n_blocks", "n_items", "seed"])
def test_every_field_is_an_int(name):
    for bad in (True, 1.0, "1", None):
        with pytest.raises(ConfigTypeError, match=f"^{name}: expected an int"):
            Config.make(**{name: bad})


def test_all_types_come_before_any_range():
    with pytest.raises(ConfigTypeError, match=r"^seed: expected an int"):
        Config.make(height=0, n_blocks=-1, seed=1.5)
    with pytest.raises(ConfigTypeError, match=r"^map: expected a Map"):
        Config(height=0, map="N:")


# -- the shipped maps -------------------------------------------------------------------------------


def test_the_shipped_maps():
    found = maps.load_shipped()
    assert list(found) == ["duel", "orchard", "rooms", "spiral"]
    for name, its in found.items():
        assert its.name == name
        assert its.is_symmetric
        assert its.turn_limit >= 30
        State.new(Config.make(map=its)).check()
    with pytest.raises(TypeError):
        found["duel"] = None
