"""One game of the comparison of engine and reference, from a seed; tests/campaign.py plays many."""

import json

import numpy as np

from lockstep import Lockstep
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.errors import GameOverError
from masume.terraforming import blocks, hexes
from masume.terraforming.buildings import (
    BRIDGE,
    BUILDABLE,
    FACTORY,
    NONE,
    PIT,
    PLAZA,
    PUBLIC,
    PUBLIC_BONUS,
    SHIELD,
    TOWER,
)
from masume.terraforming.config import Config
from masume.terraforming.notation import BUILT, CHOOSE, FINISH, MOVE, PER_AMOUNT, PHASES
from masume.terraforming.reference import State

from .rotation import rename, rotate_action, rotate_codes

TEST_GAMES = 80
SLOW_GAMES = 200
RADII = (1, 2, 2, 2, 3, 3, 3, 4)
ROUNDS = (1, 4, 10, 20, 30, 40)
RULESETS = tuple(BUILDABLE)
LEGAL = 5  # actions between comparisons of legal actions and masks
DEEP = 25  # actions between comparisons of everything else
FILLS = ("none", "none", "sparse", "dense", "rich")


def play(seed):
    """Play the game of this seed on both, comparing every answer; return the number of actions compared."""
    rng = Rng(seed)
    config, fill = random_config(rng, seed)
    start = rng.next()
    position = None
    if fill != "none":
        position = fill_board(config, State.new(config, start).to_dict(), fill, rng)
    with Lockstep("terraforming", config, start, level=levels()[seed % len(levels())], position=position) as twins:
        compare(twins)
        likes_builds = rng.below(4)
        while not twins.reference.is_terminal():
            if rng.below(6) == 0:
                attempt_anything(twins, rng)
                compare(twins)
            action = choose(twins.engine, rng, likes_builds)
            if rng.below(2):
                assert twins.attempt("attempt", action) is True
            else:
                twins.apply(action)
            compare(twins)
        attempt_anything(twins, rng)
        compare(twins)
    return twins.plies


# -- configs, positions and actions -----------------------------------------------------------------


def random_config(rng, seed):
    """Return (config, fill of the board); two games of a hundred are played in full on the default board."""
    ruleset = RULESETS[seed % 2]
    if rng.below(50) == 0:
        return Config.make(ruleset=ruleset, max_turns=10 + rng.below(30)), "none"
    radius = RADII[rng.below(len(RADII))]
    third = radius * (radius + 1)
    fields = {
        "ruleset": ruleset,
        "radius": radius,
        "max_turns": ROUNDS[rng.below(len(ROUNDS))],
        "tie_break": ("later", "shared")[rng.below(2)],
        "illegal_locks": bool(rng.below(2)),
        "end_all_developed": bool(rng.below(2)),
        "score_limit": (0, 0, 0, 10 + 30 * rng.below(radius + 1))[rng.below(4)],
    }
    if rng.below(2):
        check = ("full", "third", "none")[rng.below(3)]
        few = third // 3 if check == "full" else third // 2
        fields |= {"hole_mode": "count", "holes_per_third": rng.below(few + 1), "map_check": check}
    else:
        fields |= {
            "hole_mode": "chance",
            "hole_divisor": 4 + rng.below(5),
            "hole_cap": third + rng.below(2),
            "map_check": ("third", "none")[rng.below(2)],
        }
    config = Config.make(**fields)
    if rng.below(4) == 0:
        config = Config.make(**fields, map=config.start_map(rng.next()).to_text())
    return config, FILLS[rng.below(len(FILLS))]


def fill_board(config, variables, fill, rng):
    """Return the variables with robots and buildings of all players spread over the board, in the middle of a game."""
    kinds = [building.code for building in BUILDABLE[config.ruleset] if building.code != BRIDGE]
    rich = [kind for kind in (TOWER, PLAZA, PUBLIC, SHIELD, SHIELD, FACTORY) if kind in kinds]
    most = (4, 40, 120, 2000)[rng.below(4)]
    for n in range(len(variables["owner"])):
        if variables["building"][n] != NONE or rng.below(6) < (4 if fill == "sparse" else 1):
            continue
        variables["owner"][n] = rng.below(3) if fill != "rich" or rng.below(3) == 0 else variables["player"]
        variables["robots"][n] = rng.below(most)
        built = rng.below(12)
        if fill == "sparse" or built > 5:
            continue
        if variables["hole"][n]:
            if built:
                continue
            variables["hole"][n], variables["building"][n] = False, BRIDGE
        elif fill == "rich":
            variables["building"][n] = PIT if built < 4 else rich[rng.below(len(rich))]
        else:
            variables["building"][n] = kinds[rng.below(len(kinds))]
        if variables["building"][n] == PUBLIC:
            variables["bonus"][n] = PUBLIC_BONUS
        if variables["building"][n] == PLAZA and config.ruleset == "contest":
            variables["bonus"][n] = rng.below(41)
    ply = 1 + rng.below(3 * config.max_turns)
    variables["player"], variables["ply"] = (ply - 1) % 3, ply
    if rng.below(4) == 0:
        variables["phase"] = MOVE
        for n, owner in enumerate(variables["owner"]):
            if owner == variables["player"]:
                variables["moved"][n] = rng.below(variables["robots"][n] + 1)
    return variables


def choose(engine, rng, likes_builds):
    """Return a legal action; builds are rare, so some games prefer them."""
    legal = engine.legal_actions()
    if likes_builds:
        first_build = 1 + 6 * engine.game.config.num_cells
        builds = legal[(legal >= first_build) & (legal < PER_AMOUNT)]
        if len(builds) and rng.below(4) < likes_builds:
            kinds = len(BUILDABLE[engine.game.config.ruleset])
            kind = rng.below(kinds)
            wanted = builds[(builds - first_build) % kinds == kind]
            legal = wanted if len(wanted) else builds
        elif rng.below(8) == 0:
            return FINISH
    return int(legal[rng.below(len(legal))])


def attempt_anything(twins, rng):
    """Check that both judge and refuse any integer alike and change in the same way."""
    config, engine = twins.game.config, twins.engine
    end = 1 + (6 + len(BUILDABLE[config.ruleset])) * config.num_cells
    index = (rng.below(end), rng.below(1 + 6 * config.num_cells), end, -1)[(0, 0, 1, 1, 1, 2, 3)[rng.below(7)]]
    action = index + PER_AMOUNT * (0, 1, 2, 5, 30, 2**31 - 1)[rng.below(6)] if index >= 0 else index
    if index == FINISH:
        action = 2**40
    twins.ask("why_illegal", action)
    twins.ask("encode", action)
    broken = engine.why_illegal(action)
    if broken is not None:
        refused = twins.attempt("apply", action)
        assert issubclass(refused, ValueError)
        assert (refused is GameOverError) == twins.reference.finished
    before = engine.to_bytes()
    assert twins.attempt("attempt", action) is (broken is None)
    phase = PHASES[engine.phase]
    if broken and config.illegal_locks and broken[0] in "MB":
        assert phase != PHASES[CHOOSE]
        assert engine.phase in (MOVE, BUILT)
    elif broken:
        assert engine.to_bytes() == before


# -- comparison -------------------------------------------------------------------------------------


def compare(twins):
    """Compare position, material and results; run after every action."""
    for name in ("to_dict", "material", "scores", "returns", "ranks", "slots", "is_terminal"):
        twins.ask(name)
    if twins.is_due(LEGAL):
        compare_legal(twins)
        compare_rotated(twins.game, twins.engine, twins.rng())
    if twins.is_due(DEEP):
        compare_deeply(twins)


def compare_legal(twins):
    """Compare the legal codes and their actions."""
    twins.ask("legal_mask")
    twins.ask("legal_actions")
    codes, actions = np.flatnonzero(twins.engine.legal_mask()).tolist(), twins.reference.legal_actions()
    assert [twins.engine.decode(code) for code in codes] == actions
    assert [twins.reference.encode(action) for action in actions] == codes


def compare_deeply(twins):
    """Compare derived values, observations and texts."""
    game, engine, reference, rng = twins.game, twins.engine, twins.reference, twins.rng()
    engine.check()
    reference.check()
    for name in ("__str__", "turn", "winner", "current_player"):
        twins.ask(name)
    cell, player = rng.below(game.config.num_cells), rng.below(3)
    twins.ask("material_sum", cell, player)
    for _ in range(20):
        twins.ask("decode", rng.below(game.num_actions))
    twins.ask("observation", player)
    again = game.state_from_dict(json.loads(json.dumps(engine.to_dict())))
    assert again.to_bytes() == engine.to_bytes()
    assert again.key == engine.key == game.parse(str(reference)).key
    block = blocks.block(game.config, engine.to_dict(), player)
    if not engine.finished and engine.phase == CHOOSE and engine.player == player:
        towns = [kind == PLAZA and game.config.ruleset == "contest" for kind in engine.building.tolist()]
        cells = zip(hexes.cells(game.config.radius), engine.bonus.tolist(), towns, strict=True)
        bonuses = {place: bonus for place, bonus, is_town in cells if is_town}
        assert blocks.parse_block(game.config, block, bonuses) == engine.to_dict()


def compare_rotated(game, engine, rng):
    """Check that rotating the board by 120 degrees and renaming the players commutes with actions. [section 12, 16]"""
    if engine.is_terminal() or engine.ply + 2 > 3 * game.config.max_turns:
        return  # the rotated game is one turn ahead and would end earlier
    config = game.config
    other = game.state_from_dict(rename(engine.to_dict()))
    legal = engine.legal_actions()
    turned = sorted(rotate_action(config, int(action)) for action in legal)
    assert sorted(other.legal_actions().tolist()) == turned
    codes = rotate_codes(config)
    assert np.array_equal(other.legal_mask()[codes], engine.legal_mask())
    action = int(legal[rng.below(len(legal))]) if rng.below(2) else FINISH
    state = engine.clone()
    state.apply(action)
    other.apply(rotate_action(config, action))
    assert rename(state.to_dict()) == other.to_dict()
    assert other.scores().tolist() == [state.scores()[(player - 1) % 3] for player in range(3)]
    for player in range(3):
        left, right = state.observation(player), other.observation((player + 1) % 3)
        for name in ("canonical_planes", "canonical_grid"):
            assert np.array_equal(left[name], right[name])
