"""Board files are read, written and refused; the shipped boards."""

import copy
import json
from pathlib import Path

import pytest

import masume.kakomimasu.boards
from masume.errors import ConfigError
from masume.kakomimasu.boards import (
    Board,
    dump_boards,
    find_shipped,
    is_text,
    load_boards,
    load_file,
    load_shipped,
)
from masume.kakomimasu.config import Config

from .boards import make_boards

ONE = {"name": "one", "width": 3, "height": 2, "points": [1, 2, 3, 4, 5, -6]}
FULL = {**ONE, "name": "full", "nAgent": 5, "nPlayer": 3, "totalTurn": 7, "operationSec": 0.5, "transitionSec": 0}
CONTEST = {  # the older form, with all its keys
    "width": 2, "height": 2, "points": [[1, -2], [3, 4]], "startedAtUnixTime": 0, "turn": 0, "tiled": [[0, 1], [2, 0]],
    "teams": [
        {"teamID": 1, "agents": [{"agentID": 1, "x": 1, "y": 1}, {"agentID": 2, "x": 2, "y": 2}], "tilePoint": 0},
        {"teamID": 2, "agents": [{"agentID": 3, "x": 1, "y": 2}, {"agentID": 4, "x": 2, "y": 1}], "tilePoint": 0},
    ],
    "actions": [],
}  # fmt: skip


def test_absent_keys_have_the_format_s_values():
    board = Board.from_json(ONE)
    assert board == Board("one", 3, 2, (1, 2, 3, 4, 5, -6))
    assert (board.n_agents, board.n_players, board.total_turns) == (4, 2, 30)
    assert (board.operation_sec, board.transition_sec) == (1, 1)
    assert board.to_json() == {
        **ONE, "nAgent": 4, "nPlayer": 2, "totalTurn": 30, "operationSec": 1, "transitionSec": 1,
    }  # fmt: skip


def test_every_key_is_read_and_written():
    board = Board.from_json(FULL)
    assert board == Board("full", 3, 2, (1, 2, 3, 4, 5, -6), 5, 3, 7, 0.5, 0)
    assert board.to_json() == FULL
    assert board.config_fields() == {
        "width": 3, "height": 2, "points": (1, 2, 3, 4, 5, -6), "n_agents": 5, "n_players": 3, "total_turns": 7,
        "operation_sec": 0.5, "transition_sec": 0,
    }  # fmt: skip


def test_unknown_keys_are_named_and_rows_are_flattened():
    with pytest.warns(UserWarning, match=r"^board 'one': unknown keys are left out: 'comment', 'seed'$"):
        assert Board.from_json({**ONE, "comment": [None], "seed": 7}) == Board.from_json(ONE)
    with pytest.warns(UserWarning, match="'totalturn'; did you mean 'totalTurn'"):
        Board.from_json({**ONE, "totalturn": 7})
    assert Board.from_json({**ONE, "points": [[1, 2, 3], [4, 5, -6]]}) == Board.from_json(ONE)
    assert Board("one", 3, 2, [[1, 2, 3], [4, 5, -6]]) == Board.from_json(ONE)


@pytest.mark.parametrize(
    "source",
    [
        [ONE, FULL],
        {"one": ONE, "full": FULL},
        json.dumps([ONE, FULL]),
        json.dumps({"one": ONE, "full": FULL}),
        (ONE, FULL),
    ],
    ids=["array", "mapping", "text of an array", "text of a mapping", "tuple"],
)
def test_collections(source):
    assert load_boards(source) == {"one": Board.from_json(ONE), "full": Board.from_json(FULL)}
    assert list(load_boards(source)) == ["one", "full"]


def test_single_and_empty():
    assert load_boards(ONE) == load_boards(json.dumps(ONE)) == {"one": Board.from_json(ONE)}
    assert load_boards([]) == load_boards({}) == load_boards("{}") == {}


def test_the_older_contest_form():
    """The agents of the first team are counted and their positions ignored; the name may be absent."""
    board = Board.from_json(CONTEST)
    assert board == Board("contest-2019", 2, 2, (1, -2, 3, 4), n_agents=2)
    assert load_boards(json.dumps(CONTEST)) == {"contest-2019": board}
    assert Board.from_json({**CONTEST, "name": "final"}).name == "final"
    assert (
        Board.from_json({**CONTEST, "name": "x", "nAgent": 7}).n_agents == 7
    )  # the server's form, in which `teams` is an unknown key
    for teams in (None, [], [{}], [{"agents": None}], [{"agents": 2}], [[]], {"agents": []}, "ab"):
        with pytest.raises(ConfigError, match=r"^board 'contest-2019': teams: "):
            Board.from_json({**CONTEST, "teams": teams})
    with pytest.raises(ConfigError, match=r"^board 'contest-2019': nAgent: expected 1..16, got 0"):
        Board.from_json({**CONTEST, "teams": [{"agents": []}]})


@pytest.mark.parametrize(
    ("key", "values"),
    {
        "name": [None, 5, ["one"], True],
        "width": [None, 0, 31, -1, 2.0, "3", True, [3]],
        "height": [None, 0, 31, 2.0, "2", True],
        "points": [None, [], 5, "123456", [1] * 5, [1] * 7, [[1, 2, 3]], [1, 2, 3, 4, 5, 40000], [1, 2, 3, 4, 5, 6.5],
                   [1, 2, 3, 4, 5, None], [1, 2, 3, 4, 5, True], {"0": 1}],
        "nAgent": [None, 0, 17, 4.0, "4", True, []],
        "nPlayer": [None, 0, 1, 5, 2.0, "2", False],
        "totalTurn": [None, 0, -1, 10001, 1.5, "30"],
        "operationSec": [None, 0, -1, "1", True, float("inf"), float("nan")],
        "transitionSec": [None, -1, "1", True, float("inf"), float("nan")],
    }.items(),
)  # fmt: skip
def test_a_bad_value_is_named_with_its_board(key, values):
    for value in values:
        for source in ({**FULL, key: value}, [{**FULL, key: value}], json.dumps({**FULL, key: value})):
            with pytest.raises(ConfigError, match="board: name: " if key == "name" else f"^board 'full': {key}"):
                load_boards(source)
    with pytest.raises(ConfigError, match=r"^board 'full': n"):
        load_boards({"full": {**FULL, "nAgent": 0}})


@pytest.mark.parametrize("key", ["name", "width", "height", "points"])
def test_a_missing_key_is_named_with_its_board(key):
    board = {name: value for name, value in ONE.items() if name != key}
    with pytest.raises(
        ConfigError, match=r"^board: name: missing" if key == "name" else f"^board 'one': {key}: missing"
    ):
        load_boards([board])


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "not JSON"), ("{", "not JSON"), ("[1,]", "not JSON"), ("[" * 100_000, "not JSON"),
        ("9" * 5_000, "not JSON"),
        ("5", "JSON text, an object or an array"), ("null", "an object or an array"), (5, "an object or an array"),
        (None, "an object or an array"), ([5], "expected an object, got 5"), ([[]], "expected an object"),
        ({"a": 5}, "'a': expected an object, got 5"), ({"a": ONE, "b": None}, "'a': name: expected 'a', got 'one'"),
        ({"one": ONE, "b": None}, "'b': expected an object, got None"), ([ONE, ONE], "'one': two boards"),
    ],
)  # fmt: skip
def test_what_is_no_collection_is_refused(source, message):
    with pytest.raises(ConfigError, match=f"^board.*{message}"):
        load_boards(source)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"nagent": 5, "nplayer": 3, "nturn": 7}, {"nAgent": 5, "nPlayer": 3, "totalTurn": 7}),
        ({"nAgent": 5, "nPlayer": 3, "nTurn": 7}, {"nAgent": 5, "nPlayer": 3, "totalTurn": 7}),
        ({"nsec": 7}, {"operationSec": 6, "transitionSec": 1}),  # from turn to turn
        ({"nSec": 1}, {"operationSec": 1, "transitionSec": 0}),
        ({"nSec": 0.5}, {"operationSec": 0.5, "transitionSec": 0}),
    ],
)
def test_keys_of_older_servers_are_read_as_what_they_mean(older, newer):
    assert Board.from_json(ONE | older) == Board.from_json(ONE | newer)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"nagent": 5, "nAgent": 5}, "nagent: given beside the newer key, nAgent"),
        ({"nturn": 5, "nTurn": 5}, "nTurn: given beside the newer key, totalTurn"),
        ({"nSec": 5, "transitionSec": 1}, "nSec: given beside the newer key, transitionSec"),
        ({"nsec": "7"}, "nsec: expected a number, got '7'"),
        ({"nsec": 0}, "nsec: "),
        ({"nturn": 0}, "totalTurn: expected 1..10000, got 0"),
    ],
)
def test_bad_keys_of_older_servers_are_named(keys, message):
    with pytest.raises(ConfigError, match=f"^board 'one': {message}"):
        Board.from_json(ONE | keys)


def test_a_file_may_begin_with_a_mark(tmp_path):
    (tmp_path / "old.json").write_text(json.dumps(ONE), encoding="utf-8-sig")
    assert load_file(tmp_path / "old.json") == load_boards(ONE)


def test_a_text_is_told_from_a_name_of_a_file():
    assert all(map(is_text, ("{", '{"name": 1}', " [", "[]", "[\n {", "[[1]]")))
    assert not any(map(is_text, ("", "boards (1).json", "[1].json", "a{b}", "C:\\x + y, z & w.json")))


def test_written_boards_read_back():
    boards = [Board.from_json(ONE), Board.from_json(FULL), Board('q"\\é囲', 1, 1, (0,))]
    text = dump_boards(boards)
    assert list(load_boards(text).values()) == boards
    assert json.loads(text)["full"] == FULL
    assert load_boards(dump_boards([])) == {}


# -- shipped boards ---------------------------------------------------------------------------------

SHAPES = [  # size, agents, turns, seconds, minimum, maximum point of the official collection
    (10, 8, 30, 1, 1, 12), (10, 3, 30, 1, -14, 15), (20, 8, 60, 3, -16, 16), (20, 8, 60, 3, -16, 16),
    (20, 8, 60, 3, -16, 16), (20, 8, 30, 1, -11, 16), (20, 8, 60, 2, -15, 16), (20, 8, 60, 2, -15, 16),
    (20, 8, 60, 2, -14, 16),
]  # fmt: skip
SYMMETRIES = ["both axes, both diagonals", "both axes", "both axes", *["none"] * 6]


def symmetry(board):
    rows = [list(board.points[start : start + board.width]) for start in range(0, len(board.points), board.width)]
    axes = rows[::-1] == rows and [row[::-1] for row in rows] == rows
    diagonals = [list(column) for column in zip(*rows, strict=True)] == rows
    either = rows[::-1] == rows or [row[::-1] for row in rows] == rows or [row[::-1] for row in rows[::-1]] == rows
    if not either and not diagonals:
        return "none"
    return "both axes, both diagonals" if axes and diagonals else "both axes" if axes else "another"


def test_nine_boards_are_shipped_in_the_official_shapes():
    found = load_shipped()
    assert list(found) == ["hill", "court", "meadow", "heath", "marsh", "isle", "strait", "isles", "reef"]
    shapes = [
        (board.width, board.n_agents, board.total_turns, board.operation_sec, min(board.points), max(board.points))
        for board in found.values()
    ]
    assert shapes == SHAPES
    assert [symmetry(board) for board in found.values()] == SYMMETRIES
    for name, board in found.items():
        assert board.name == name
        assert (board.height, board.n_players, board.transition_sec) == (board.width, 2, 1)
        assert Config.make(board=board, n_agents=6, official=True).board_points() == board.points
    assert len({board.points for board in found.values()}) == 9


def test_the_file_is_what_the_recipe_makes():
    path = Path(masume.kakomimasu.boards.__file__).with_name("boards.json")
    assert path.read_text(encoding="utf-8") == dump_boards(make_boards())


def test_a_shipped_board_by_name():
    assert find_shipped("reef") == load_shipped()["reef"]
    with pytest.raises(ConfigError, match=r"^board: unknown board 'atlantis' \(known: hill, court"):
        find_shipped("atlantis")
    with pytest.raises(AttributeError):
        load_shipped().clear()


def test_reading_changes_nothing():
    before = copy.deepcopy(CONTEST)
    Board.from_json(CONTEST)
    assert before == CONTEST
