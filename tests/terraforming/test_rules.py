"""The clauses and rulings of sections 1 to 8, one by one, on both implementations.

test_vectors.py covers all of section 10; the tests here state each clause with as little as possible.
"""

import pytest

from masume.errors import GameOverError, IllegalActionError
from masume.terraforming import buildings, hexes
from masume.terraforming.buildings import BUILDABLE
from masume.terraforming.maps import generate
from masume.terraforming.notation import BUILT, CHOOSE, FINISH, MOVE, PRE

from .conftest import cell, config_of, index_of, play

RULESETS = ("rulebook", "contest")


def verdicts_of(state, *lines):
    return play(state, *lines)[1]


def after(state, *lines):
    """Return the state after lines that must all be legal."""
    state, verdicts = play(state, *lines)
    assert set(verdicts) <= {"ok"}
    return state


def totals(state, player):
    """Return (cells, robots) of a player."""
    variables = state.to_dict()
    own = [robots for owner, robots in zip(variables["owner"], variables["robots"], strict=True) if owner == player]
    return len(own), sum(own)


# -- the game ---------------------------------------------------------------------------------------


def test_tf_0_the_story_has_no_rules():
    """TF-0: the config distinguishes the draft and the released rules, and has no other variants."""
    assert buildings.RULESETS == RULESETS


def test_tf_1_three_players_take_turns(implementation):
    """TF-1"""
    state = implementation.new(1, radius=2)
    movers = []
    for _ in range(7):
        movers.append(state.current_player)
        assert list(state.slots) == [state.current_player]
        state = after(state, "finish")
    assert movers == [0, 1, 2, 0, 1, 2, 0]
    assert len(state.scores()) == len(state.returns()) == len(state.ranks) == 3


def test_tf_r1_directions_are_those_of_the_words(implementation):
    """TF-R1, TF-R2: from the centre, by the offsets of the later rule text."""
    offsets = {"r": (1, 0), "ur": (1, -1), "dr": (0, 1), "l": (-1, 0), "ul": (0, -1), "dl": (-1, 1)}
    for word, (x, y) in offsets.items():
        state = implementation.parse(". . . / . . . . / . . a6 . . / . . . . / . . .")
        assert cell(after(state, f"move 0 0 {word} 2"), x, y) == "a2/2"
    assert hexes.cells(2)[9] == (0, 0)


def test_tf_r7_a_round_is_a_turn_of_each(implementation):
    """TF-R7, TF-18: the game is over after max_turns rounds, at the end of the third player's turn."""
    state = implementation.new(1, radius=1, max_turns=2)
    rounds = []
    while not state.is_terminal():
        rounds.append(state.turn)
        state = after(state, "finish")
    assert rounds == [1, 1, 1, 2, 2, 2]
    assert implementation.new(1).to_dict()["ply"] == 1
    assert config_of(implementation.new(1)).max_turns == 200


# -- cells ------------------------------------------------------------------------------------------

STATES = ". . . / . b3 BP4 . / . . a9 #b2 . / . # a2 . / . . ."
AROUND = {"ul": "ok", "ur": "illegal", "r": "ok", "l": "ok", "dl": "ok", "dr": "ok"}


@pytest.mark.parametrize(("word", "verdict"), AROUND.items())
def test_tf_4_what_may_be_entered(implementation, word, verdict):
    """TF-4, TF-13 to TF-16, TF-36: wasteland, own land, enemy territory and holes, but not enemy bases. [TF-9]"""
    state = implementation.parse(STATES)
    assert verdicts_of(state, f"move 0 0 {word} 1") == [verdict]


@pytest.mark.parametrize(("word", "shown"), {"l": "a5/5", "dl": "#a5/5"}.items())
def test_tf_5_entering_what_is_nobodys_takes_it(implementation, word, shown):
    """TF-5, TF-37: wasteland becomes territory; TF-R23: a hole gets an owner."""
    state = after(implementation.parse(STATES), f"move 0 0 {word} 5")
    assert cell(state, *hexes.ahead((0, 0), hexes.DIRECTIONS.index(word))) == shown


def test_tf_6_territory_holds_material(implementation):
    """TF-6: territory has 1; TF-R27: holes, bases and wasteland have none."""
    state = implementation.parse(STATES)
    on = {place: int(state.material[index_of(state, *place)]) for place in hexes.cells(2)}
    assert {place for place, material in on.items() if material} == {(0, 0), (0, -1), (0, 1)}
    assert set(on.values()) == {0, 1}


def test_tf_7_enemy_territory_can_be_taken(implementation):
    """TF-7, TF-14, TF-38, TF-39: the difference of the robots remains."""
    state = after(implementation.parse(STATES), "move 0 0 ul 9")
    assert cell(state, 0, -1) == "a6/6"
    assert cell(state, 0, 0) == "a0"


def test_tf_8_a_building_develops_its_cell(implementation):
    """TF-8, TF-43, TF-13, TF-15, TF-53: a building needs own territory with robots."""
    state = implementation.parse(". . . / . a1 b9 . / . AP9 a9 a1 . / . # a1 . / . . .")
    others = ["build 1 -1 park", "build -1 0 park", "build -1 1 park", "build 2 0 park", "build 1 0 park"]
    assert verdicts_of(state, *others) == ["illegal"] * 5
    state = after(state, "build 0 0 park")
    assert cell(state, 0, 0) == "AP8"


@pytest.mark.parametrize("robots", [1, 9, 100])
def test_tf_9_developed_land_is_never_entered_by_others(implementation, robots):
    """TF-9, TF-R30: with or without robots on it; its owner may enter and leave."""
    board = f". . . / . . . . / . . a{robots} BI0 . / . . . . / . . ."
    assert verdicts_of(implementation.parse(board), f"move 0 0 r {robots}") == ["illegal"]
    own = implementation.parse(f". . . / . . . . / . . a{robots} AI0 . / . . . . / . . .")
    assert cell(after(own, f"move 0 0 r {robots}"), 1, 0) == f"AI{robots}/{robots}"
    out = implementation.parse(f". . . / . . . . / . . AI{robots} . . / . . . . / . . .")
    assert cell(after(out, f"move 0 0 r {robots}"), 0, 0) == "AI0"


def test_tf_10_fallen_robots_stay(implementation):
    """TF-10, TF-41, TF-16: robots in a hole stay there, in this turn and in all later turns."""
    state = after(implementation.parse(". . . / . . . . / . . a3 # . / . . . . / . . ."), "move 0 0 r 3")
    assert verdicts_of(state, "move 1 0 r 1") == ["illegal"]
    state = after(state, "finish", "finish", "finish")
    assert cell(state, 1, 0) == "#a3"
    assert verdicts_of(state, *(f"move 1 0 {word} 1" for word in hexes.DIRECTIONS)) == ["illegal"] * 6


def test_tf_11_a_bridge_lets_them_out(implementation):
    """TF-11, TF-48: the hole becomes developed land; its robots move from the next turn on. [TF-R42]"""
    state = implementation.parse(". . . / . a0 a0 . / . a0 #a12 a0 . / . . . . / . . .")
    state = after(state, "build 0 0 bridge")
    assert cell(state, 0, 0) == "AB2"
    assert list(state.scores()) == [7, 0, 0]
    state = after(state, "finish", "finish", "finish", "move 0 0 dl 2")
    assert cell(state, -1, 1) == "a2/2"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_tf_12_a_hole_takes_a_bridge_only(implementation, ruleset):
    """TF-12, TF-16: a bridge can be built on holes only, and a hole has one bridge of one player."""
    hole = ". . . / . a0 a0 . / . a0 #a99 a0 . / . a0 a0 . / . . ."
    land = hole.replace("#", "")
    config = {"ruleset": ruleset, "illegal_locks": False}
    words = [building.word for building in BUILDABLE[ruleset]]
    on_hole = {word: verdicts_of(implementation.parse(hole, **config), f"build 0 0 {word}") for word in words}
    assert {word for word, verdict in on_hole.items() if verdict == ["ok"]} == {"bridge"}
    on_land = verdicts_of(implementation.parse(land, **config), "build 0 0 bridge")
    assert on_land == ["illegal"]
    bridged = after(implementation.parse(hole, **config), "build 0 0 bridge", "finish", "finish", "finish")
    assert verdicts_of(bridged, "build 0 0 bridge") == ["illegal"]


# -- the aim ----------------------------------------------------------------------------------------


def test_tf_17_the_end_by_development(implementation):
    """TF-17, TF-R31: holes are cells, so a board with a hole is not developed."""
    whole = "ply 10 / CI0 AX0 / BI0 a2 AX0 / AX0 AI9"
    assert after(implementation.parse(whole), "build 0 0 park", "finish").is_terminal()
    holed = implementation.parse("ply 10 / CI0 #a0 / BI0 a2 AX0 / AX0 AX9", end_all_developed=True)
    assert not after(holed, "finish").is_terminal()
    for ruleset, ends in (("rulebook", True), ("contest", False)):
        full = implementation.parse("ply 10 / CI0 AX0 / BI0 AX2 AX0 / AX0 AI9", ruleset=ruleset)
        assert after(full, "finish").is_terminal() is ends


@pytest.mark.parametrize(
    ("board", "scores"),
    [
        (". . . / . a0 b9 . / . #a7 AB0 CI0 . / . c1 c2 . / . . .", [4, 1, 5]),
        (". . . / . AU0+10 a0 . / . AP1 AS0 AT0 . / . . . . / . . .", [23, 0, 0]),
    ],
)
def test_tf_19_points(implementation, board, scores):
    """TF-19, TF-20, TF-21, TF-22, TF-R29: territory 1, developed land 3, a public facility 10 more, a hole 0."""
    assert list(implementation.parse(board).scores()) == scores


def test_tf_2_more_developed_land_wins(implementation):
    """TF-2, TF-19: points decide, not robots."""
    state = implementation.parse(
        "player 2 / ply 3 / . . . / . AP0 b900 . / . c900 . . . / . . . . / . . .", max_turns=1
    )
    assert state.winner == 0
    assert list(state.returns()) == [0, 0, 0]
    state = after(state, "finish")
    assert state.is_terminal()
    assert list(state.ranks) == [1, 3, 2]
    assert list(state.returns()) == [1, -1, 0]


TIES = [("later", [3, 2, 1], [-1, 0, 1], 2), ("shared", [1, 1, 1], [0, 0, 0], -1)]


@pytest.mark.parametrize(("tie_break", "ranks", "returns", "winner"), TIES)
def test_tf_r32_equal_scores(implementation, tie_break, ranks, returns, winner):
    """TF-R32"""
    board = "player 2 / ply 3 / . . . / . a0 b0 . / . c0 . . . / . . . . / . . ."
    state = implementation.parse(board, tie_break=tie_break, max_turns=1)
    assert list(state.ranks) == ranks
    state = after(state, "finish")
    assert list(state.returns()) == returns
    assert state.winner == winner


def test_tf_r32_two_of_three_equal(implementation):
    """TF-R32"""
    board = "player 2 / ply 3 / . . . / . a0 bP0 . / . c0 . . . / . . . . / . . .".replace("bP0", "BP0")
    later = after(implementation.parse(board, max_turns=1), "finish")
    assert (list(later.ranks), list(later.returns())) == ([3, 1, 2], [-1, 1, 0])
    shared = after(implementation.parse(board, max_turns=1, tie_break="shared"), "finish")
    assert (list(shared.ranks), list(shared.returns()), shared.winner) == ([2, 1, 2], [-0.5, 1, -0.5], 1)


# -- the start --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_tf_23_maps_are_symmetric(implementation, ruleset):
    """TF-23, TF-24, TF-25, TF-R6: the map is a third and its copies; players 0, 1, 2 get T0, T1, T2. [TF-R5]"""
    for seed in range(20):
        variables = implementation.new(seed, ruleset=ruleset).to_dict()
        place = dict(zip(hexes.cells(6), zip(variables["owner"], variables["hole"], strict=True), strict=True))
        assert place[0, 0] == (-1, False)
        home = next(spot for spot, (owner, _) in place.items() if owner == 0)
        assert home in hexes.third(6)
        for spot, (owner, is_hole) in place.items():
            turned = (owner + 1) % 3 if owner >= 0 else -1
            assert place[hexes.rotate(spot)] == (turned, is_hole)


def test_tf_r3_how_many_holes(implementation):
    """TF-R3, TF-10: fifteen in all, or each cell with probability 1/5 and fewer than 15 per third."""
    for seed in range(20):
        assert sum(implementation.new(seed).to_dict()["hole"]) == 15
    counts = [sum(implementation.new(seed, ruleset="contest").to_dict()["hole"]) // 3 for seed in range(60)]
    assert max(counts) < 15
    assert 6 < sum(counts) / len(counts) < 10
    low = [sum(implementation.new(seed, ruleset="contest", hole_cap=4).to_dict()["hole"]) // 3 for seed in range(10)]
    assert max(low) < 4


def _reachable(variables, radius):
    """Return the cells connected to the home of player 0 without crossing holes, and the homes of the others."""
    cells = hexes.cells(radius)
    dry = {spot for spot, is_hole in zip(cells, variables["hole"], strict=True) if not is_hole}
    homes = {owner: spot for spot, owner in zip(cells, variables["owner"], strict=True) if owner >= 0}
    reached, stack = set(), [homes[0]]
    while stack:
        spot = stack.pop()
        if spot in dry and spot not in reached:
            reached.add(spot)
            stack += hexes.neighbours(spot)
    return reached, homes, dry


def test_tf_r4_homes_are_joined(implementation):
    """TF-R4: under `full` always, with more than half of the wasteland reachable; under `third` not always. [TF-R40]"""
    for seed in range(60):
        for radius, holes in ((3, 5), (6, 14)):
            state = implementation.new(seed, radius=radius, holes_per_third=holes)
            reached, homes, dry = _reachable(state.to_dict(), radius)
            assert set(homes.values()) <= reached
            assert 2 * (len(reached) - 3) > len(dry) - 3
    config = {"ruleset": "contest", "radius": 3, "hole_divisor": 2}
    cut = 0
    for seed in range(60):
        reached, homes, _ = _reachable(implementation.new(seed, **config).to_dict(), 3)
        cut += not set(homes.values()) <= reached
    assert 0 < cut < 60


def test_tf_26_homes_are_developed_and_produce(implementation):
    """TF-26, TF-27, TF-28, TF-R38: a home makes 5 robots at the start of its owner's turn, a factory one. [TF-51]"""
    state = implementation.new(3)
    variables = state.to_dict()
    homes = [n for n, building in enumerate(variables["building"]) if building == buildings.HOME]
    assert sorted(variables["owner"][n] for n in homes) == [0, 1, 2]
    assert [sum(variables["robots"]), totals(state, 0)] == [5, (1, 5)]
    assert list(state.scores()) == [3, 3, 3]
    state = after(state, "finish")
    assert [totals(state, player) for player in range(3)] == [(1, 5), (1, 5), (1, 0)]
    state = after(state, "finish", "finish", "finish")
    assert [totals(state, player) for player in range(3)] == [(1, 10), (1, 10), (1, 5)]
    factory = implementation.parse("player 2 / ply 3 / . . . / . AF3 BF3 . / . CF3 AI0 . . / . . . . / . . .")
    factory = after(factory, "finish")
    assert [cell(factory, *spot) for spot in ((0, -1), (1, -1), (-1, 0), (0, 0))] == ["AF4", "BF3", "CF3", "AI5"]


# -- turns ------------------------------------------------------------------------------------------

OPEN = ". . . / . a9 a9 . / . a9 a9 a9 . / . . . . / . . ."


@pytest.mark.parametrize("ruleset", RULESETS)
def test_tf_30_moves_or_one_building(implementation, ruleset):
    """TF-30, TF-31, TF-R25: a turn has moves or one build, never both; doing nothing is allowed. [TF-32]"""
    config = {"ruleset": ruleset, "illegal_locks": False}
    board = OPEN.replace("a9", "a30")
    house = BUILDABLE[ruleset][4].word
    state = implementation.parse(board, **config)
    assert verdicts_of(state, f"build 0 0 {house}", f"build 1 0 {house}", "move 1 0 r 1") == [
        "ok",
        "illegal",
        "illegal",
    ]
    assert verdicts_of(state, "move 0 0 r 1", f"build 1 0 {house}", "move 1 0 r 1") == ["ok", "illegal", "ok"]
    assert after(state, "finish").current_player == 1
    phases = [play(state, *lines)[0].to_dict()["phase"] for lines in ([], ["move 0 0 r 1"], [f"build 0 0 {house}"])]
    assert phases == [CHOOSE, MOVE, BUILT]


def test_tf_32_finish_is_always_legal(implementation):
    """TF-32"""
    state = implementation.parse(OPEN)
    for lines in ([], ["move 0 0 r 1"], ["build 0 0 park"]):
        found, _ = play(state, *lines)
        assert FINISH in list(found.legal_actions())
        assert found.why_illegal(FINISH) is None


def test_tf_35_a_robot_moves_one_cell(implementation):
    """TF-35, TF-R20: robots that have moved cannot move again; robots that were on the target cell can."""
    state = implementation.parse(". . . / . . . . / a3 a2 . . . / . . . . / . . .")
    state = after(state, "move -2 0 r 3")
    assert cell(state, -1, 0) == "a5/3"
    assert verdicts_of(state, "move -1 0 r 3", "move -1 0 r 1", "move -1 0 dr 1", "move -1 0 r 1") == [
        "illegal",
        "ok",
        "ok",
        "illegal",
    ]
    assert cell(after(state, "finish"), -1, 0) == "a5"


@pytest.mark.parametrize("amount", ["0", "-1", "-2147483648", "8", "2147483647"])
def test_tf_r22_amounts_that_are_none(implementation, amount):
    """TF-R22"""
    state = implementation.parse(". . . / . . . . / . . a7 . . / . . . . / . . .")
    before = state.to_dict()
    found, verdicts = play(state, f"move 0 0 r {amount}")
    assert verdicts == ["illegal"]
    assert found.to_dict() == before


def test_tf_r19_commands_take_effect_one_by_one(implementation):
    """TF-R19, TF-40: each command starts from the result of the one before."""
    board = ". . . / . . . . / . a4 b5 a4 . / . . . . / . . ."
    state = after(implementation.parse(board), "move -1 0 r 4", "move 1 0 l 4")
    assert cell(state, 0, 0) == "a3/3"
    state = after(implementation.parse(board), "move -1 0 r 4", "move 1 0 l 1")
    assert cell(state, 0, 0) == "b0"


def test_tf_r21_equal_numbers(implementation):
    """TF-R21, TF-38: both sides lose all robots; the defender keeps the cell, which one robot can then take. [TF-39]"""
    state = after(implementation.parse(". . . / . . . . / . a6 b5 . . / . . . . / . . ."), "move -1 0 r 5")
    assert cell(state, 0, 0) == "b0"
    assert cell(after(state, "move -1 0 r 1"), 0, 0) == "a1/1"


def test_tf_42_holes_are_fought_for(implementation):
    """TF-42, TF-R23: fights in holes follow the rules for territory."""
    state = implementation.parse(". . . / . . . . / . a6 #b4 . . / . . . . / . . .")
    assert cell(after(state, "move -1 0 r 4"), 0, 0) == "#b0"
    assert cell(after(state, "move -1 0 r 6"), 0, 0) == "#a2/2"


# -- buildings --------------------------------------------------------------------------------------

PRICES = {
    "rulebook": "factory 4 50 attack 5 25 pit 5 20 bridge 4 10 park 4 1 square 9 1 shield 6 25 public 19 1",
    "contest": "robotmaker 4 50 tower 5 25 excavator 4 25 bridge 4 15 house 4 10 town 9 10",
}


def prices():
    for ruleset, text in PRICES.items():
        parts = text.split()
        for word, material, robots in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
            yield pytest.param(ruleset, word, int(material), int(robots), id=f"{ruleset}-{word}")


def site(word, material, robots):
    """Return a board of radius 3 with this Material around (0, 0) and this number of robots there."""
    values = [0] * 7 if word == "bridge" else [1] + [0] * 6  # (0, 0), then its neighbours
    pits = []
    ring = list(hexes.neighbours((0, 0)))
    for n in range(1, 7):
        if sum(values) == material:
            break
        values[n] = 1
    outer = [spot for spot in hexes.cells(3) if hexes.distance(spot, (0, 0)) == 2]
    for spot in outer:
        beside = [n for n, place in enumerate(ring, 1) if values[n] and spot in hexes.neighbours(place)]
        if beside and sum(values) + len(beside) <= material:
            pits.append(spot)
            for n in beside:
                values[n] += 1
    assert sum(values) == material
    tokens = {(0, 0): f"{'#' if word == 'bridge' else ''}a{robots}", **dict.fromkeys(pits, "AX0")}
    tokens |= {place: "a0" for n, place in enumerate(ring, 1) if values[n]}
    return " / ".join(" ".join(tokens.get(spot, ".") for spot in row) for row in hexes.rows(3))


@pytest.mark.parametrize(("ruleset", "word", "material", "robots"), [*prices()])
def test_tf_44_prices(implementation, ruleset, word, material, robots):
    """TF-44, TF-45, TF-R24, TF-R36, TF-48 to TF-55: a building needs its Material sum and robots.

    The rulebook requires more robots than the price, the contest at least as many. Material is not consumed. [TF-47]
    """
    config = {"ruleset": ruleset, "illegal_locks": False}
    enough = robots + (ruleset == "rulebook")
    state = implementation.parse(site(word, material, enough), **config)
    centre = index_of(state, 0, 0)
    assert state.material_sum(centre, 0) == material
    assert verdicts_of(state, f"build 0 0 {word}") == ["ok"]
    poor = implementation.parse(site(word, material, enough - 1), **config)
    assert poor.why_illegal(poor.text_to_action(f"build 0 0 {word}")) == "B7"
    bare = implementation.parse(site(word, material - 1, enough), **config)
    assert bare.why_illegal(bare.text_to_action(f"build 0 0 {word}")) == "B8"
    built = after(state, f"build 0 0 {word}")
    assert built.to_dict()["robots"][centre] == enough - robots
    lost = 0 if word == "bridge" else 1  # the site's own
    if word not in ("square", "town", "public"):
        pits = sum(
            word in ("pit", "excavator") for n in hexes.neighbours((0, 0)) if built.material[index_of(built, *n)]
        )
        assert built.material_sum(centre, 0) == material - lost + pits


def test_every_building_has_its_price():
    found = {
        ruleset: " ".join(f"{one.word} {one.material} {one.robots}" for one in BUILDABLE[ruleset])
        for ruleset in RULESETS
    }
    assert found == PRICES


def test_tf_46_the_example_of_the_rules(implementation):
    """TF-45, TF-46: five own territories, one of them next to a pit, have 6 Material."""
    state = implementation.parse(". . . / . a0 a0 AX0 / . a0 a60 b5 . / . #a1 a0 . / . . .")
    assert state.material_sum(index_of(state, 0, 0), 0) == 6


def test_tf_52_pits(implementation):
    """TF-52, TF-R27, TF-R43: pits add up on adjacent own territory, at once and on land gained later."""
    state = implementation.parse(". . . / . AX0 AX0 . / . a3 b0 BX0 . / . . . . / . . .")
    at = index_of(state, 0, 0)
    assert int(state.material[at]) == 2  # one for b's own pit
    state = after(state, "move -1 0 r 1")
    assert int(state.material[at]) == 3
    assert [int(state.material[index_of(state, *spot)]) for spot in ((0, -1), (1, 0))] == [0, 0]


@pytest.mark.parametrize(("ruleset", "word"), [("rulebook", "square"), ("contest", "town")])
def test_tf_54_a_plaza_develops_what_is_around(implementation, ruleset, word):
    """TF-54, TF-R28: own territory at distance 1 becomes parks and keeps its robots; nothing else changes."""
    board = "c0 . . / . a4 AX0 AX0 / . AX0 a11 a0 AX0 / . #a3 b6 . / a0 . ."
    state = after(implementation.parse(board, ruleset=ruleset), f"build 0 0 {word}")
    shown = {spot: cell(state, *spot) for spot in hexes.cells(2)}
    assert (shown[0, -1], shown[1, 0], shown[-2, 2]) == ("AP4", "AP0", "a0")
    assert (shown[-1, 1], shown[0, 1], shown[1, -1], shown[2, 0]) == ("#a3", "b6", "AX0", "AX0")
    assert shown[0, 0] == ("AQ10" if ruleset == "rulebook" else "AQ1+1")


def test_tf_r39_the_bonus_of_a_town(implementation):
    """TF-R39: the Material sum before the conversion, minus 9; the rulebook's square has no bonus."""
    rich = ". AX0 . / . AX0 a0 AX0 / . a0 a10 AX0 . / . AX0 a0 . / AX0 . ."
    state = implementation.parse(rich, ruleset="contest")
    total = state.material_sum(index_of(state, 0, 0), 0)
    assert total > 10
    state = after(state, "build 0 0 town")
    assert cell(state, 0, 0) == f"AQ0+{total - 9}"
    assert state.scores()[0] == sum(3 for building in state.to_dict()["building"] if building) + total - 9
    square = after(implementation.parse(rich), "build 0 0 square")
    assert cell(square, 0, 0) == "AQ9"


def test_tf_55_a_public_facility_reaches_two_cells(implementation):
    """TF-55, TF-20, TF-R28, TF-R29: the cells between do not matter."""
    board = """
           .   .   .   .
         a0  AX0 AX0 AX0 .
       .   AX0 a0  a0  AX0 a0
     .   AX0 a0  a2  a0  AX0 a0
       .   AX0 #a1 a0  AX0 .
         .   a0  b0  a0  .
           .   .   .   .
    """
    state = after(implementation.parse(board), "build 0 0 public")
    kinds = state.to_dict()["building"]
    at_two = [spot for spot in hexes.cells(3) if hexes.distance(spot, (0, 0)) == 2]
    assert kinds[index_of(state, -2, 2)] == buildings.PARK  # behind the hole
    assert kinds[index_of(state, 0, 2)] == buildings.PARK
    assert kinds[index_of(state, -1, 2)] == 0  # owned by an opponent
    assert [kinds[index_of(state, *spot)] for spot in ((3, 0), (3, -1))] == [0, 0]
    assert len(at_two) == 12


def test_tf_r42_robots_on_a_new_building_stay(implementation):
    """TF-R42"""
    state = implementation.parse(OPEN)
    state = after(state, "build 0 0 park")
    assert cell(state, 0, 0) == "AP8"
    assert verdicts_of(state, "move 0 0 dl 1") == ["illegal"]
    state = after(state, "finish", "finish", "finish")
    assert cell(after(state, "move 0 0 dl 8"), -1, 1) == "a8/8"


# -- shields ----------------------------------------------------------------------------------------


def test_tf_49_shields_double_and_halve(implementation):
    """TF-49, TF-29, TF-33, TF-R10: own robots next to the shield, on land, bases and in holes, but not on it."""
    board = ". . . / . #a3 AP4 . / a7 a1 AS9 b2 . / . . . . / . . ."
    ended = after(implementation.parse(board), "finish")
    assert [cell(ended, *spot) for spot in ((0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-2, 0))] == [
        "#a6", "AP8", "a2", "AS9", "b2", "a7",
    ]  # fmt: skip
    begun = after(ended, "finish", "finish")
    assert begun.to_dict()["robots"] == implementation.parse(board).to_dict()["robots"]


def test_tf_r8_production_is_halved_too(implementation):
    """TF-R8, TF-R9: five new robots next to a shield become two."""
    state = implementation.parse("player 2 / ply 3 / . . . / . . . . / . AI0 AS0 a1 . / . . . . / . . .")
    state = after(state, "finish")
    assert cell(state, -1, 0) == "AI2"
    assert cell(state, 1, 0) == "a0"  # a lone robot disappears


@pytest.mark.parametrize("count", range(7))
def test_tf_r11_shields_multiply(implementation, count):
    """TF-R11"""
    tokens = {(0, 0): "a3", **dict.fromkeys(hexes.neighbours((0, 0))[:count], "AS0")}
    board = " / ".join(" ".join(tokens.get(spot, ".") for spot in row) for row in hexes.rows(2))
    state = after(implementation.parse(board), "finish")
    assert cell(state, 0, 0) == f"a{3 * 2**count}"
    assert cell(after(state, "finish", "finish"), 0, 0) == "a3"


def test_tf_r12_where_robots_are_is_what_counts(implementation):
    """TF-R12: robots that leave the area before the end of the turn are not doubled; robots that enter it are."""
    state = implementation.parse(". . . / . . . . / a4 a6 AS0 . . / . . . . / . . .")
    out = after(state, "move -1 0 l 6", "finish")
    assert (cell(out, -2, 0), cell(out, -1, 0)) == ("a10", "a0")
    into = after(state, "move -2 0 r 4", "finish")
    assert cell(into, -1, 0) == "a20"


def test_tf_r44_new_buildings_work_at_once(implementation):
    """TF-R44: a tower fires and a shield doubles at the end of its first turn; a factory produces at its next start."""
    fort = ". . . / a1 a1 a1 . / . a1 a99 a1 b30 / . . . . / . . ."
    assert cell(after(implementation.parse(fort), "build 0 0 attack", "finish"), 2, 0) == "b27"
    guarded = fort.replace(". . . . / . . .", ". . a1 . / . . .")
    assert cell(after(implementation.parse(guarded), "build 0 0 shield", "finish"), 1, 0) == "a2"
    state = after(implementation.parse(fort), "build 0 0 factory", "finish", "finish")
    assert cell(state, 0, 0) == "AF49"
    assert cell(after(state, "finish"), 0, 0) == "AF50"


# -- towers -----------------------------------------------------------------------------------------


def test_tf_50_a_tower_shoots_at_the_nearest(implementation):
    """TF-50, TF-34, TF-R14, TF-R15: all cells at the smallest distance lose a tenth of their robots, at least one."""
    board = ". . . / . b25 c9 . / c99 b0 AT0 . . / . #b1 . . / . . ."
    state = after(implementation.parse(board), "finish")
    assert [cell(state, *spot) for spot in ((0, -1), (1, -1), (-2, 0), (-1, 0), (-1, 1))] == [
        "b23", "c8", "c99", "b0", "#b0",
    ]  # fmt: skip


@pytest.mark.parametrize(("robots", "left"), [(1, 0), (9, 8), (10, 9), (19, 18), (20, 18), (109, 99)])
def test_tf_r15_a_tenth_rounded_down(implementation, robots, left):
    """TF-R15"""
    state = implementation.parse(f". . . / . . . . / AT0 . . . b{robots} / . . . . / . . .")
    assert cell(after(state, "finish"), 2, 0) == f"b{left}"


def test_tf_r13_towers_hit_whoever_is_not_their_owner(implementation):
    """TF-R13: territory, bases and holes of both opponents; cells without robots are not targets. [TF-R17]"""
    board = ". . . / . b20 CI20 . / . #c20 AT0 a20 . / . b0 BP20 . / . . ."
    state = after(implementation.parse(board), "finish")
    shown = [cell(state, *spot) for spot in ((0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1))]
    assert shown == ["b18", "CI18", "#c18", "a20", "b0", "BP18"]
    alone = after(implementation.parse(". . . / . . . . / . AT0 b1 . . / . . . . / . . ."), "finish")
    assert cell(alone, 0, 0) == "b0"


def test_tf_r16_towers_fire_at_once(implementation):
    """TF-R16: each damage is computed from the count before the fire; damages add up, and a surplus is lost."""
    two = ". . . / . AT0 AT0 . / . . b{} . . / . . b50 . / . . ."
    assert cell(after(implementation.parse(two.format(99)), "finish"), 0, 0) == "b81"
    state = after(implementation.parse(two.format(1)), "finish")
    assert (cell(state, 0, 0), cell(state, 0, 1)) == ("b0", "b50")


def test_tf_r18_towers_of_the_contest(implementation):
    """TF-R18: at the start of the own turn, two cells along each axis, two robots each, never below 0. [TF-R17]"""
    board = "player 2 / ply 3 / b5 b5 b5 / b5 b5 b5 b5 / b1 b5 AT0 a9 BI9 / b5 b5 b5 b5 / b5 b5 b5"
    state = implementation.parse(board, ruleset="contest")
    ended = after(state, "finish")
    axes = {hexes.ahead((0, 0), direction, steps) for direction in range(6) for steps in (1, 2)}
    for spot in hexes.cells(2):
        before, now = cell(state, *spot), cell(ended, *spot)
        if before == "b5":
            assert now == ("b3" if spot in axes else "b5")
    assert [cell(ended, *spot) for spot in ((-2, 0), (1, 0), (2, 0))] == ["b0", "a9", "BI7"]
    assert cell(after(ended, "finish"), 0, -1) == "b3"  # not at the end of the turn


def test_tf_r37_the_last_turn_has_its_end(implementation):
    """TF-R37: doubling and fire come before the test of the end, and no new turn begins. [section 5.3]"""
    board = "player 2 / ply 3 / . . . / . a20 c3 . / . . CS0 CT0 . / . . . AI7 / . . ."
    state = after(implementation.parse(board, max_turns=1), "finish")
    assert state.is_terminal()
    assert [cell(state, *spot) for spot in ((0, -1), (1, -1), (1, 0), (1, 1))] == ["a20", "c6", "CT0", "AI6"]
    assert (state.to_dict()["ply"], state.to_dict()["player"], state.turn) == (3, 0, 1)


# -- illegal commands -------------------------------------------------------------------------------


def test_tf_r26_an_illegal_command_chooses_the_mode(implementation):
    """TF-R26: in the contest, even a command with a cell off the board or a negative amount."""
    board = OPEN.replace("a9", "a30")
    for line, phase in {
        "move 0 0 r 99": MOVE, "move 9 9 r 1": MOVE, "move 0 0 r -5": MOVE, "move 0 0 l 0": MOVE,
        "build 0 0 bridge": BUILT, "build 7 7 house": BUILT, "build 2 0 house": BUILT,
    }.items():  # fmt: skip
        for locks in (True, False):
            state = implementation.parse(board, ruleset="contest", illegal_locks=locks)
            before = state.to_dict()
            found, verdicts = play(state, line)
            assert verdicts == ["illegal"]
            assert found.to_dict() == before | {"phase": phase if locks else CHOOSE}
    contest = implementation.parse(board, ruleset="contest")
    assert verdicts_of(contest, "move 0 0 r 99", "build 0 0 house", "move 0 0 r 1") == ["illegal", "illegal", "ok"]
    assert verdicts_of(contest, "build 1 -1 bridge", "build 0 0 house", "move 0 0 r 1") == ["illegal"] * 3


def test_tf_r26_nothing_else_locks(implementation):
    """TF-R26: malformed lines, integers that are not actions, and commands after the choice do not lock."""
    state = implementation.parse(OPEN, ruleset="contest")
    for line in ("move 0 0 r", "build 0 0 t", "mov 0 0 r 1", "finish 1", ""):
        assert play(state, line)[1] == ["bad"]
    before = state.to_dict()
    for action in (-1, -65536, 2**40, 1 + (6 + 6) * 19, 65536, (1 + 6 * 19) + 65536):
        assert state.attempt(action) is False
        assert state.why_illegal(action) == "6.4"
        with pytest.raises(IllegalActionError):
            state.apply(action)
        assert state.to_dict() == before
    state.apply(state.text_to_action("move 0 0 r 1"))
    moved = state.to_dict()
    assert not state.attempt(state.text_to_action("build 0 0 house"))
    assert state.to_dict() == moved


WHY = {
    "M2": "move 0 0 r 0",
    "M3": "move 2 0 r 1",
    "M4": "move -1 0 r 1",
    "M5": "move 1 0 r 1",
    "M6": "move 0 0 r 10",
    "M7": "move 0 0 ul 1",
    "B4": "build 1 0 park",
    "B5": "build 0 1 park",
    "B6": "build 0 0 bridge",
    "B7": "build 0 0 factory",
    "B8": "build 0 0 pit",
}


@pytest.mark.parametrize(("rule", "line"), WHY.items())
def test_why_illegal_names_the_rule(implementation, rule, line):
    """Section 6.1: the first condition that does not hold."""
    board = ". . . / . BI3 . . / . #a4 a{} b7 a1 / . . AP2 . / . . ."
    state = implementation.parse(board.format(40 if rule == "B8" else 9))
    action = state.text_to_action(line)
    assert state.why_illegal(action) == rule
    with pytest.raises(IllegalActionError):
        state.apply(action)
    assert state.attempt(action) is False


def test_why_illegal_by_phase(implementation):
    state = implementation.parse(OPEN)
    build, move = state.text_to_action("build 0 0 park"), state.text_to_action("move 0 0 dl 1")
    assert state.why_illegal(build) is state.why_illegal(move) is None
    moved = after(state, "move 1 0 r 1")
    assert (moved.why_illegal(build), moved.why_illegal(move)) == ("B1", None)
    built = after(state, "build 0 0 park")
    assert (built.why_illegal(build), built.why_illegal(move)) == ("B1", "M1")


@pytest.mark.parametrize("value", [True, None, 1.0, "0", [0]])
def test_what_is_no_int_is_no_action(implementation, value):
    state = implementation.new(1, radius=1)
    before = state.to_dict()
    for call in (state.apply, state.attempt, state.why_illegal, state.encode, state.decode):
        with pytest.raises(ValueError, match=r"action|code|expected move"):
            call(value)
    assert state.to_dict() == before


# -- before the start and after the end -------------------------------------------------------------


def map_variables(implementation, **fields):
    return generate(config_of(implementation.new(5, **fields)), 5).variables()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_map_waits_for_its_start(implementation, ruleset):
    """Sections 4.2 and 5: in PRE nobody decides; start() begins the first turn."""
    fields = {"ruleset": ruleset, "radius": 2}
    state = implementation.from_dict(map_variables(implementation, **fields), **fields)
    assert state.to_dict()["phase"] == PRE
    assert (state.turn, state.current_player, list(state.slots), state.is_terminal()) == (0, -2, [], False)
    assert not any(state.legal_mask())
    assert list(state.legal_actions()) == []
    before = state.to_dict()
    for action in (FINISH, 1, 1 + 6 * 19):
        assert state.why_illegal(action) == "pre"
        assert state.attempt(action) is False
        with pytest.raises(IllegalActionError) as caught:
            state.apply(action)
        assert not issubclass(caught.type, GameOverError)
    assert state.to_dict() == before
    assert list(state.returns()) == [0, 0, 0]
    state.start()
    assert state.to_dict() == implementation.new(5, **fields).to_dict()
    with pytest.raises(IllegalActionError, match="begun"):
        state.start()


def test_after_the_end_nothing_changes(implementation):
    state = after(implementation.new(1, radius=1, max_turns=1, ruleset="contest"), "finish", "finish", "finish")
    assert state.is_terminal()
    assert (state.current_player, list(state.slots), list(state.legal_actions())) == (-2, [], [])
    before = state.to_dict()
    assert before["phase"] == CHOOSE
    for action in (FINISH, 1, 1 + 6 * 7):
        assert state.why_illegal(action) == "finished"
        assert state.attempt(action) is False
        with pytest.raises(GameOverError):
            state.apply(action)
    with pytest.raises(IllegalActionError):
        state.start()
    assert state.to_dict() == before


def test_score_limit_is_asked_at_the_end_of_a_turn(implementation):
    """Section 8.2: the limit is not tested within a turn, and the production of the next turn does not count."""
    board = ". . . / . a0 a0 . / . a0 a9 a0 . / . . . . / . . ."
    state = after(implementation.parse(board, score_limit=6), "move 0 0 dr 1", "move 0 0 dl 1")
    assert not state.is_terminal()
    assert state.scores()[0] == 7
    assert after(state, "finish").is_terminal()
    assert not after(implementation.parse(board, score_limit=0), "finish").is_terminal()


def test_a_turn_has_as_many_moves_as_robots_at_most(implementation):
    """Section 6.4: each legal move spends at least one robot."""
    state = implementation.parse(". . . / . a2 . . / . . a3 b1 . / . . . . / . . .")
    count = 0
    while len(state.legal_actions()) > 1:
        state.apply(int(state.legal_actions()[-1]))
        count += 1
    assert count <= 5
