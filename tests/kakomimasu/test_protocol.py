"""The Game JSON is written, read back, and refused if it is wrong."""

import copy
import json

import pytest

from masume.core.rng import Rng
from masume.errors import GameOverError, ReplayError
from masume.kakomimasu.config import Config
from masume.kakomimasu.protocol import game_from_json, game_to_json
from masume.kakomimasu.reference import State

from .games import random_config, random_lists


def random_game(seed, turns=None, **fields):
    """Return a config and the turns of a random game on it, including junk entries."""
    rng = Rng(seed)
    config = random_config(rng, **fields)
    state, played = State.new(config), []
    while not state.is_terminal() and (turns is None or len(played) < turns):
        played.append(random_lists(state, rng))
        state.apply_lists(played[-1], on_illegal="fallback")
    return config, played


def same_game(config, other):
    """Return whether two configs define the same game."""
    return config.to_dict() | {"seed": 0, "symmetry": ""} == other.to_dict() | {"seed": 0, "symmetry": ""}


@pytest.mark.parametrize("seed", range(60))
def test_random_games_come_back(implementation, seed):
    """KM-52 KM-53: config and turns; the reader verifies every tile, agent, point and result code."""
    config, turns = random_game(seed, put_on_enemy_wall="server")

    def new_state(config):
        return implementation.new(**config.to_dict())

    written = game_to_json(config, turns, new_state=new_state)
    assert written == game_to_json(config, turns)
    read, log = game_from_json(json.dumps(written), new_state=new_state)
    assert log == turns
    assert same_game(read, config)
    assert game_to_json(read, log) == written


def test_a_game_of_the_seed_rule_needs_to_be_told(implementation):
    """KM-R6: by the server's rule the same log gives other results."""
    config = Config.make(width=2, height=1, n_agents=1, total_turns=2)
    turns = [[[(0, "PUT", 0, 0)], []], [[(0, "MOVE", 1, 0)], [(0, "PUT", 0, 0)]]]
    written = game_to_json(config, turns, new_state=lambda config: implementation.new(**config.to_dict()))
    assert written["log"][1]["players"][1]["actions"][0]["res"] == 2
    assert game_from_json(written, put_on_enemy_wall="invalid")[1] == turns
    with pytest.raises(ReplayError, match=r"log\[1\]\.players\[1\]\.actions\[0\]\.res: expected 0, .*, got 2"):
        game_from_json(written)


def test_km_53_the_game_tells_what_is_published():
    """KM-53 KM-52: start time, width, height, agents, players, turns, turn time, points."""
    config = Config.make(width=3, height=2, n_agents=2, total_turns=7, points=[1, 2, 3, -4, 5, 6], operation_sec=2.5)
    game = game_to_json(config, [], game_id="x", names=["red", "blue"], started_at=1700000000)
    assert game == {
        "id": "x", "status": "gaming", "turn": 1, "totalTurn": 7, "nPlayer": 2, "nAgent": 2,
        "operationSec": 2.5, "transitionSec": 1, "startedAtUnixTime": 1700000000,
        "field": {
            "width": 3, "height": 2, "points": [1, 2, 3, -4, 5, 6],
            "tiles": [{"type": 0, "player": None}] * 6,
        },
        "players": [
            {
                "id": name, "spec": "", "type": "guest", "agents": [{"x": -1, "y": -1}] * 2,
                "point": {"areaPoint": 0, "wallPoint": 0},
            }
            for name in ("red", "blue")
        ],
        "log": [], "reservedUsers": [], "type": "self",
    }  # fmt: skip


def test_km_r19_the_log_writes_5_for_none():
    """KM-R19 KM-R20 KM-R5: codes 4 and 3 are kept, and so is the order; agents without an entry are not logged."""
    config = Config.make(width=3, height=1, n_agents=3, total_turns=1)
    turn = [[(2, "STAY", 0, 0), (0, "PUT", 1, 0), (7, "STAY", 5, 6)], [(1, "STAY", 0, 0), (1, "PUT", 0, 0)]]
    game = game_to_json(config, [turn])
    assert game["log"] == [
        {
            "players": [
                {
                    "point": {"areaPoint": 0, "wallPoint": config.board_points()[1]},
                    "actions": [
                        {"agentId": 2, "type": 2, "x": 0, "y": 0, "res": 5},
                        {"agentId": 0, "type": 1, "x": 1, "y": 0, "res": 0},
                        {"agentId": 7, "type": 2, "x": 5, "y": 6, "res": 4},
                    ],
                },
                {
                    "point": {"areaPoint": 0, "wallPoint": 0},
                    "actions": [
                        {"agentId": 1, "type": 2, "x": 0, "y": 0, "res": 3},
                        {"agentId": 1, "type": 1, "x": 0, "y": 0, "res": 3},
                    ],
                },
            ]
        }
    ]
    assert game["field"]["tiles"][1] == {"type": 1, "player": 0}
    assert game["players"][0]["agents"] == [{"x": 1, "y": 0}, {"x": -1, "y": -1}, {"x": -1, "y": -1}]


def test_km_r26_the_turn_number_stays_at_the_last():
    """KM-R26: 0 before the start, then the turn to be played; the length of the log shows the end."""
    config, turns = random_game(3, total_turns=4)
    games = [game_to_json(config, turns[:count]) for count in range(5)]
    assert [(game["turn"], game["status"]) for game in games] == [
        (1, "gaming"), (2, "gaming"), (3, "gaming"), (4, "gaming"), (4, "ended"),
    ]  # fmt: skip
    for game in games:
        game_from_json(game, put_on_enemy_wall=config.put_on_enemy_wall)
    ready = {**games[0], "status": "ready", "turn": 0}
    assert game_from_json(ready)[1] == []
    for wrong in ({**ready, "turn": 1}, {**games[1], "status": "ready"}, {**games[4], "status": "gaming"}):
        with pytest.raises(ReplayError, match=r"turn|status"):
            game_from_json(wrong)
    with pytest.raises(GameOverError):
        game_to_json(config, [*turns, turns[0]])


def test_what_cannot_be_written_is_refused():
    config = Config.make(width=2, height=1, n_agents=1)
    with pytest.raises(ValueError, match="names"):
        game_to_json(config, [], names=["one"])
    with pytest.raises(ValueError, match="lists"):
        game_to_json(config, [[[]]])


def places(value, path=()):
    """Yield the path of every value inside a parsed JSON."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def apply_change(game, path, change):
    """Return a copy with `change(holder, key)` applied at a path; the rest is shared."""
    found = holder = copy.copy(game)
    for key in path[:-1]:
        holder[key] = copy.copy(holder[key])
        holder = holder[key]
    change(holder, path[-1])
    return found


META = {"id", "name", "spec", "startedAtUnixTime", "operationSec", "transitionSec"}  # no effect on the game
OPTIONAL = {"name", "spec"}
AIMS = {"agentId", "type", "x", "y"}  # a void action may be void in another way


def at(value, path):
    """Return the value at a path."""
    for key in path:
        value = value[key]
    return value


@pytest.fixture(scope="module")
def game():
    """Return the JSON of a short, eventful game, and its rule."""
    config, turns = random_game(11, width=3, height=3, n_agents=3, n_players=2, total_turns=5)
    return {**game_to_json(config, turns, names=["a", "b"]), "name": "final"}, config.put_on_enemy_wall


@pytest.mark.parametrize("wrong", [None, "x", [], {}, 1.5, True, [[1]], {"type": 0}, float("nan")], ids=repr)
def test_every_value_of_another_kind_is_refused(game, wrong):
    """Each value of the JSON in turn is replaced by one of another type."""
    written, rule = game
    refused = 0
    for path in places(written):
        value = at(written, path)
        if type(value) is type(wrong) or (wrong == 1.5 and path[-1:] and path[-1] in META):
            continue
        mutant = apply_change(written, path, lambda holder, key: holder.__setitem__(key, wrong)) if path else wrong
        with pytest.raises(ReplayError):
            game_from_json(mutant, put_on_enemy_wall=rule)
        refused += 1
    assert refused > 200


def test_every_missing_value_is_refused(game):
    written, rule = game
    for path in places(written):
        if path and path[-1] not in OPTIONAL and path[-2:-1] != ("actions",):
            mutant = apply_change(written, path, lambda holder, key: holder.__delitem__(key))
            with pytest.raises(ReplayError):
                game_from_json(mutant, put_on_enemy_wall=rule)
    mutant = copy.deepcopy(written)
    for holder in (mutant, *mutant["players"]):
        for key in OPTIONAL:
            holder.pop(key, None)
    assert game_from_json(mutant, put_on_enemy_wall=rule) == game_from_json(written, put_on_enemy_wall=rule)


def test_every_other_number_is_refused(game):
    """A number changed by one is refused, except the target of a void action or the points of an unscored cell."""
    written, rule = game
    same = refused = 0
    for path in places(written):
        value = at(written, path)
        if type(value) is not int or path[-1] in META:
            continue
        for other in (value - 1, value + 1, 10**40):
            mutant = apply_change(written, path, lambda holder, key, other=other: holder.__setitem__(key, other))
            try:
                _, turns = game_from_json(mutant, put_on_enemy_wall=rule)
            except ReplayError:
                refused += 1
                continue
            same += 1
            assert path[-1] in AIMS or path[:2] == ("field", "points"), path  # a cell that nobody scores
            assert len(turns) == 5
    assert refused > 3 * same > 0


@pytest.mark.parametrize("share", range(1, 40))
def test_truncated_text_is_refused(game, share):
    text = json.dumps(game[0])
    with pytest.raises(ReplayError, match="not JSON"):
        game_from_json(text[: len(text) * share // 40])


@pytest.mark.parametrize(
    "source", ["", "null", "[]", "3", '"x"', "{}", "[" * 100_000, "9" * 10_000, None, 5, [], b"{}"]
)
def test_what_is_no_game_is_refused(source):
    with pytest.raises(ReplayError, match=r"game|field"):
        game_from_json(source)


def test_a_game_that_has_not_begun_is_refused(game):
    free = {**game[0], "status": "free", "field": None, "turn": 0, "log": [], "startedAtUnixTime": None}
    with pytest.raises(ReplayError, match="field"):
        game_from_json(free)


def test_km_r28_the_log_of_a_game_json_is_whole():
    """KM-R28 empties the log of legacy replies only: this form has it, and a game without it is refused."""
    config, turns = random_game(11, put_on_enemy_wall="server")
    written = game_to_json(config, turns)
    assert len(written["log"]) == len(turns) == config.total_turns
    with pytest.raises(ReplayError, match="status"):
        game_from_json(written | {"log": []})


@pytest.mark.parametrize("kind", ["account", "guest"])
def test_km_r29_who_a_player_is_decides_nothing(kind):
    """KM-R29: games of accounts and of guests read the same; another kind of player is refused."""
    config, turns = random_game(12, put_on_enemy_wall="server")
    written = game_to_json(config, turns)
    for player in written["players"]:
        player["type"] = kind
    assert game_from_json(written)[1] == turns
    written["players"][0]["type"] = "robot"
    with pytest.raises(ReplayError, match=r"players\[0\]\.type"):
        game_from_json(written)
