"""The vectors of section 10 of the rules, on both implementations."""

import itertools
import zlib

import pytest

from masume.terraforming import blocks, hexes
from masume.terraforming.buildings import BRIDGE, BUILDABLE, NONE, PIT, PLAZA, PUBLIC
from masume.terraforming.config import Config
from masume.terraforming.maps import Lcg, Map, generate
from masume.terraforming.notation import PHASES
from masume.terraforming.reference import State

from . import vectors
from .conftest import cell, config_of, index_of, play
from .rotation import rotate, rotate_command

VECTORS = vectors.load()


def test_every_vector_is_read():
    assert [vector.name for vector in VECTORS] == [f"V{k}" for k in range(1, 60)]
    assert sum(len(vector.commands) for vector in VECTORS) == 135
    assert sum(len(vector.cells) for vector in VECTORS) == 123
    assert sum(len(vector.materials) for vector in VECTORS) == 20
    assert sum(len(vector.told) for vector in VECTORS) == 58
    assert [vector.name for vector in VECTORS if not vector.commands] == ["V19"]


# -- 10.1 Rules -------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_vector(implementation, vector):
    state = implementation.parse(vector.board, **vector.fields)
    for is_sum, (x, y), value in vector.materials:
        index = index_of(state, x, y)
        assert (state.material_sum(index, 0) if is_sum else int(state.material[index])) == value
    state, verdicts = play(state, *(line for line, _ in vector.commands))
    assert verdicts == [verdict for _, verdict in vector.commands]
    assert [cell(state, x, y) for (x, y), _ in vector.cells] == [token for _, token in vector.cells]
    assert results(state, vector.told) == vector.told
    state.check()


def results(state, names):
    """Return the values of the state under these names."""
    variables = state.to_dict()
    return {
        name: {
            "phase": lambda: PHASES[variables["phase"]],
            "scores": lambda: list(state.scores()),
            "ranks": lambda: list(state.ranks),
            "returns": lambda: list(state.returns()),
        }.get(name, lambda name=name: variables[name])()
        for name in names
    }


@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.name)
def test_vector_on_a_rotated_board(implementation, vector, turns):
    """Rotating the board alone commutes with every rule. [section 12, 16]"""
    start = implementation.parse(vector.board, **vector.fields)
    radius = config_of(start).radius
    state = implementation.from_dict(rotate(start.to_dict(), turns), **vector.fields, radius=radius)
    commands = [rotate_command(line, turns) for line, _ in vector.commands]
    state, verdicts = play(state, *commands)
    assert verdicts == [verdict for _, verdict in vector.commands]
    for place, token in vector.cells:
        assert cell(state, *hexes.rotate(place, turns)) == token
    assert results(state, vector.told) == vector.told


# -- 10.2 Geometry ----------------------------------------------------------------------------------


def steps_of(radius, index):
    """Return nbr of a cell."""
    numbers = hexes.indices(radius)
    return [numbers.get(side, -1) for side in hexes.neighbours(hexes.cells(radius)[index])]


def turn(radius):
    """Return rot120 of every index."""
    return [hexes.indices(radius)[hexes.rotate(place)] for place in hexes.cells(radius)]


def scan(radius):
    """Return the indices of T0 in scan order."""
    return [hexes.indices(radius)[place] for place in hexes.third(radius)]


def test_geometry_of_radius_1():
    assert hexes.cells(1) == ((-1, 0), (-1, 1), (0, -1), (0, 0), (0, 1), (1, -1), (1, 0))
    assert turn(1) == [5, 2, 6, 3, 0, 4, 1]
    assert scan(1) == [6, 4]


def test_geometry_of_radius_2():
    assert len(hexes.cells(2)) == 19
    assert steps_of(2, hexes.indices(2)[0, 0]) == [14, 13, 10, 4, 8, 5]
    assert steps_of(2, 0) == [4, 3, 1, -1, -1, -1]
    assert scan(2) == [14, 18, 10, 15, 6, 11]
    assert turn(2) == [16, 12, 7, 17, 13, 8, 3, 18, 14, 9, 4, 0, 15, 10, 5, 1, 11, 6, 2]


def test_tf_3_geometry_of_radius_6():
    """TF-3"""
    assert len(hexes.cells(6)) == 127
    assert [hexes.cells(6)[n] for n in (0, 63, 126)] == [(-6, 0), (0, 0), (6, 0)]
    assert steps_of(6, 63) == [76, 75, 64, 50, 62, 51]
    assert steps_of(6, 0) == [8, 7, 1, -1, -1, -1]
    assert turn(6)[:10] == [120, 112, 103, 93, 82, 70, 57, 121, 113, 104]
    assert scan(6)[:10] == [76, 88, 99, 109, 118, 126, 64, 77, 89, 100]


@pytest.mark.parametrize("radius", range(1, 11))
def test_tf_r5_thirds_and_the_centre_are_the_board(radius):
    """TF-R5"""
    thirds = [{hexes.rotate(place, turns) for place in hexes.third(radius)} for turns in range(3)]
    assert sum(map(len, thirds)) == 3 * radius * (radius + 1) == len(hexes.cells(radius)) - 1
    assert set().union(*thirds, {(0, 0)}) == set(hexes.cells(radius))


def test_directions():
    opposites = [3, 5, 4, 0, 2, 1]
    for direction, opposite in enumerate(opposites):
        assert hexes.ahead((0, 0), direction) == hexes.ahead((0, 0), opposite, -1)
        step = hexes.rotate(hexes.ahead((0, 0), direction))
        assert step == hexes.ahead((0, 0), hexes.ROTATED[direction])
    assert hexes.ROTATED == (5, 2, 3, 1, 0, 4)


# -- 10.3 Generator and maps ------------------------------------------------------------------------


def test_the_generator_draws_as_the_contest_host_did():
    rng = Lcg(1)
    assert [rng.next_int(5) for _ in range(10)] == [0, 3, 2, 3, 4, 4, 4, 1, 3, 3]
    assert [rng.next_int(8) for _ in range(5)] == [0, 1, 7, 1, 7]
    assert [rng.next_int(7) for _ in range(5)] == [2, 0, 0, 0, 5]
    rng = Lcg(-7)
    assert [rng.next_int(6) for _ in range(10)] == [4, 3, 4, 3, 0, 5, 3, 0, 3, 4]


MAPS = vectors.table("### 10.3 Generator", "### 10.4 Encodings")[1:]


@pytest.mark.parametrize("row", MAPS, ids=lambda row: f"{row[0]}{row[1]}")
def test_a_map_is_the_contest_hosts(implementation, row):
    ruleset, seed, homes, holes, of_a_third = row
    found = generate(Config(ruleset=ruleset), int(seed))
    assert list(found.homes) == vectors.cells_of(homes)
    assert len(found.holes) == int(holes)
    assert [place for place in hexes.third(6) if place in found.holes] == vectors.cells_of(of_a_third)
    assert found.is_symmetric
    state = implementation.new(int(seed) % 2**64, ruleset=ruleset)
    start = State(Config(ruleset=ruleset))
    start._load(found.variables())
    start.start()
    assert state.to_dict() == start.to_dict()


def test_all_maps_are_read():
    assert [(row[0], row[1]) for row in MAPS] == [
        (ruleset, seed) for ruleset in BUILDABLE for seed in ("0", "1", "2", "12345", "-1")
    ]


def test_blocks_of_a_game(implementation):
    config = Config(radius=1)
    named, first, second = vectors.blocks()
    assert blocks.block(config, generate(config, 1).variables(), 0) == named
    state = implementation.new(1, radius=1)
    assert blocks.block(config, state.to_dict(), 0) == first
    state, _ = play(state, "move 0 1 ur 3", "finish")
    assert blocks.block(config, state.to_dict(), 1) == second
    assert blocks.parse_block(config, second) == state.to_dict()
    assert Map.parse(named) == generate(config, 1)


# -- 10.4 Encodings ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "command", "action"),
    [
        ("rulebook", "move 0 0 r 3", 196987),
        ("rulebook", "build 0 0 park", 1271),
        ("rulebook", "build 0 0 public", 1274),
        ("rulebook", "build 6 0 public", 1778),
        ("contest", "build 0 0 house", 1145),
        ("contest", "finish", 0),
    ],
)
def test_exact_codes(implementation, ruleset, command, action):
    state = implementation.new(1, ruleset=ruleset)
    assert state.text_to_action(command) == action
    assert state.action_to_text(action) == command
    assert action % 65536 < {"rulebook": 1779, "contest": 1525}[ruleset]


@pytest.mark.parametrize(("ruleset", "code"), [("rulebook", 3557), ("contest", 3431)])
def test_rl_codes(implementation, ruleset, code):
    state = implementation.new(1, ruleset=ruleset)
    assert len(state.legal_mask()) == {"rulebook": 4065, "contest": 3811}[ruleset]
    house = "park" if ruleset == "rulebook" else "house"
    assert state.action_to_text(state.decode(code)) == f"build 0 0 {house}"
    assert state.encode(state.decode(code)) == code


BUCKETS = {0: [], 1: [1], 2: [2, 1], 3: [3, 2, 1], 4: [4, 2, 1], 5: [5, 3, 2, 1], 8: [8, 4, 2, 1], 9: [9, 5, 3, 1]}


@pytest.mark.parametrize(("movable", "amounts"), BUCKETS.items())
def test_buckets(implementation, movable, amounts):
    board = f". . . / . . . . / . . a{movable + 2}/2 . . / . . . . / . . ."
    state = implementation.parse(board)
    first = 1 + 24 * 9 + 4 * 5  # cell 9 is (0, 0), direction dl
    expected = [f"move 0 0 dl {amount}" for amount in amounts]
    actions = [state.decode(first + bucket) for bucket in range(4)]
    assert [state.action_to_text(action) for action in actions if action >= 0] == expected
    assert actions[len(amounts) :] == [-1] * (4 - len(amounts))
    assert list(state.legal_mask()[first : first + 4]) == [1] * len(amounts) + [0] * (4 - len(amounts))
    assert [state.encode(action) for action in actions[: len(amounts)]] == list(range(first, first + len(amounts)))


def test_a_bucket_on_the_large_board(implementation):
    variables = implementation.new(1).to_dict()
    variables["owner"][63], variables["robots"][63] = 0, 9
    state = implementation.from_dict(variables)
    assert state.action_to_text(state.decode(1535)) == "move 0 0 dl 3"  # bucket 2


# -- 10.5 Whole games -------------------------------------------------------------------------------

GAMES = [row for row in vectors.table("### 10.5 Whole", "## 11. Clauses") if row[0] in BUILDABLE]
DENSE, RICH = GAMES[:14], GAMES[14:]
SECOND = {"rulebook": [2, 3, 3, 6, 7, 8, 8, 9], "contest": [2, 3, 3, 6, 7]}


def test_all_games_are_read():
    assert len(DENSE) == 14
    assert len(RICH) == 9
    assert [row[5] for row in DENSE].count("-") == 6


def fill_densely(state, seed):
    rng = Lcg(seed)
    kinds = [building.code for building in BUILDABLE[state.config.ruleset] if building.code != BRIDGE]
    for land in state.land.values():
        if land.building != NONE:
            continue
        u, owner, robots = rng.next_int(12), rng.next_int(3), rng.next_int(40)
        if u < 2:
            continue
        land.owner, land.robots = owner, robots
        if u >= 8 and not land.hole:
            erect(state, land, kinds[rng.next_int(len(kinds))])


def fill_richly(state, seed):
    rng = Lcg(seed)
    kinds = SECOND[state.config.ruleset]
    for place, land in state.land.items():
        if land.building != NONE:
            continue
        u, owner, robots = rng.next_int(12), rng.next_int(16), rng.next_int(120)
        land.owner, land.robots = owner if owner < 3 else 0, robots
        if land.hole:
            continue
        if hexes.distance(place, (0, 0)) % 3 == 2:
            if u < 11:
                land.building = PIT
        elif u < 2:
            erect(state, land, kinds[rng.next_int(len(kinds))])


def erect(state, land, building):
    land.building = building
    land.bonus = 10 if building == PUBLIC else 0
    if building == PLAZA and state.config.ruleset == "contest":
        land.bonus = 3


def game_of(implementation, row, fill, choose):
    """Play the game of a row of section 10.5; return the columns of the row that tell its end."""
    ruleset, radius, max_turns, map_seed, policy_seed, fill_seed = row[0], *row[1:5], row[5]
    fields = {"ruleset": ruleset, "radius": int(radius), "max_turns": int(max_turns), "score_limit": 0}
    config = Config.make(**fields)
    start = State(config)
    start._load(generate(config, int(map_seed)).variables())
    if fill_seed != "-":
        fill(start, int(fill_seed))
    start.start()
    state = implementation.from_dict(start.to_dict(), **fields)
    rng, kinds = Lcg(int(policy_seed)), len(BUILDABLE[ruleset])
    last_move = 24 * config.num_cells
    count = 0
    while not state.is_terminal():
        codes = [*itertools.compress(itertools.count(), bytes(state.legal_mask()))]
        builds = [code for code in codes if code > last_move]
        if builds and rng.next_int(2) == 0:
            codes = choose(builds, rng, last_move + 1, kinds)
        state.apply(state.decode(codes[rng.next_int(len(codes))]))
        count += 1
    variables = state.to_dict()
    text = blocks.block(config, variables, 0)
    state.check()
    return [
        str(count),
        str(variables["ply"]),
        " ".join(str(int(score)) for score in state.scores()),
        str(sum(variables["robots"])),
        f"{zlib.crc32(text.encode()):08x}",
    ]


def any_build(builds, rng, first, kinds):
    return builds


def build_of_a_kind(builds, rng, first, kinds):
    kind = rng.next_int(kinds)
    return [code for code in builds if (code - first) % kinds == kind] or builds


@pytest.mark.parametrize("row", DENSE, ids=lambda row: "-".join(row[:6]))
def test_a_whole_game(implementation, row):
    assert game_of(implementation, row, fill_densely, any_build) == row[6:]


@pytest.mark.parametrize("row", RICH, ids=lambda row: "-".join(row[:6]))
def test_a_whole_rich_game(implementation, row):
    assert game_of(implementation, row, fill_richly, build_of_a_kind) == row[6:]
