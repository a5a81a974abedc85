"""The owner of old files: files of older and other servers are read, or one line says what they are."""

import json
import re

import pytest

POINTS = [-1, 4, 2, 0, 5, 3, 1, -1]
BOARD = {"name": "older", "width": 8, "height": 8, "points": POINTS * 8}
GAME = {
    "board": BOARD | {"nAgent": 2, "nPlayer": 2, "nTurn": 5, "nSec": 3}, "gameId": "0", "gaming": False, "ending": True,
    "log": [], "players": [], "tiled": [], "totalTurn": 5, "turn": 0,
}  # fmt: skip
MAP = {"Map": [[0] * 15] * 17, "Turn": 100, "Cool": [1, 1], "Hot": [13, 15]}  # of another server


def test_a_board_of_an_older_server_is_read_as_what_it_means(person):
    person.write("old.json", json.dumps(BOARD | {"nagent": 2, "nturn": 50, "nsec": 7, "nagents": 3}))
    shown, told = person.run("masume", "info", "kakomimasu", "--board", "old.json", "--json")
    config = json.loads(shown)["config"]
    assert [config[name] for name in ("n_agents", "total_turns", "operation_sec", "transition_sec")] == [2, 50, 6, 1]
    assert told == "masume: board 'older': unknown keys are left out: 'nagents'; did you mean 'nAgent'?\n"


def test_a_file_that_is_not_there_is_said_so(person):
    name = "old + (1), [2] & 7"
    lines = ["import masume", "for game in masume.games():", "    try:", f"        masume.load(game, board={name!r})"]
    person.write("try.py", "\n".join([*lines, "    except ValueError as error:", "        print(error)", ""]))
    shown, _ = person.run("python", "try.py")
    assert re.findall(r"^(\w+): no such file, and unknown \1 '(.*)' \(known: ", shown, re.MULTILINE) == [
        (kind, name) for kind in ("terrain_map", "map", "board", "stage", "map")
    ]
    _, told = person.run("masume", "play", "chaser", "--map", name, code=1)
    assert told.startswith(f"masume: map: no such file, and unknown map {name!r} (known: ")
    assert told.count("\n") == 1


def test_a_file_with_a_copy_s_name_holds_several_boards(person):
    person.write("boards (1).json", json.dumps({name: BOARD | {"name": name} for name in "ab"}))
    _, told = person.run("masume", "play", "kakomimasu", "--board", "boards (1).json", code=1)
    assert told.count("\n") == 1
    person.run("masume", "play", "kakomimasu", "--board", "boards (1).json:b", "--agents", "a3", "--json")


@pytest.mark.parametrize(
    ("file", "command", "told"),
    [
        (MAP, "play chaser --map", "map: FILE: line 1, column 1: JSON, not a map file, whose lines begin with N:"),
        (MAP, "view", "FILE: JSON with the keys 'Map', 'Turn', 'Cool', 'Hot', and no replay"),
        (BOARD, "view", "FILE: JSON with the keys 'name', 'width', 'height', 'points', and no replay"),
        (GAME, "view", "FILE: the Game JSON of a match server before 1.0.0-beta.12; only that of later ones is read"),
        (GAME, "play kakomimasu --board", "board: FILE: this is the Game JSON of a match, not a board"),
    ],
)
def test_what_masume_does_not_read_is_said_in_one_line(person, file, command, told):
    person.write("found.json", json.dumps(file, indent=None if file is MAP else 2))
    _, error = person.run("masume", *command.split(), "found.json", code=1)
    assert error.startswith(f"masume: {told.replace('FILE', 'found.json')}")
    assert error.count("\n") == 1
    assert len(error) < 160
