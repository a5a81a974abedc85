"""One game of the comparison of engine and reference, from a seed; tests/campaign.py plays many."""

import functools

import numpy as np

from lockstep import Lockstep, outcome
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.errors import StageError
from masume.nezumi.config import Config
from masume.nezumi.notation import CAT, MOVE, REACT
from masume.nezumi.reference import State
from masume.nezumi.stages import Stage, generate, load_shipped

TEST_GAMES = 500
SLOW_GAMES = 1000

DEEP = 12  # decisions between comparisons of text, dict, observations and refusals
STYLES = ("random", "crowd", "crowd", "hunt", "hunt")


def play(seed):
    """Play the game of this seed on both, comparing every answer; return the number of decisions compared."""
    rng = Rng(seed)
    config = random_config(rng)
    with Lockstep("nezumi", config, rng.next(), level=levels()[seed % len(levels())]) as twins:
        styles = [STYLES[rng.below(len(STYLES))] for _ in range(2)]
        compare(twins)
        while not twins.reference.is_terminal():
            twins.apply(choose(twins.reference, styles[twins.reference.current_player], rng))
            compare(twins)
    return twins.plies


# -- configs and actions ----------------------------------------------------------------------------


def random_config(rng):
    """Return a config: a built-in stage, perhaps with overrides, a generated stage, or a small arbitrary one."""
    flip = bool(rng.below(2))
    kind = rng.below(4)
    if kind == 0:
        stage = list(load_shipped().values())[rng.below(10)]
        turns = 1 + rng.below(stage.turns)
        if rng.below(2):
            return Config(stage=stage, turns=turns, surround_flip=flip)
        mice = max(1, stage.max_mice + rng.below(5) - 2)
        try:
            return Config(stage=stage, max_mice=mice, require=1 + rng.below(mice), turns=turns, surround_flip=flip)
        except StageError:  # with this stock the mice could surround the cat before its first move
            return Config(stage=stage, surround_flip=flip)
    while True:
        try:
            stage = draw_stage(rng) if kind == 1 else odd_stage(rng)
            return Config(stage=stage, surround_flip=flip)
        except StageError:
            continue


def draw_stage(rng):
    """Return a generated stage, occasionally a large one."""
    side = (8, 8, 8, 12, 32)[rng.below(5)]
    height, width = 5 + rng.below(side - 4), 5 + rng.below(side - 4)
    mice = 1 + rng.below((3, 6, 12, 40)[rng.below(4)])
    turns = 1 + rng.below(12 if mice < 12 else 4)
    zone = 1 + rng.below(min(40, 4 + mice))
    return Stage.parse(generate(rng.next(), height, width, rng.below(41), mice, zone, rng.below(12), turns))


def odd_stage(rng):
    """Return a stage of arbitrary cells: corridors, islands, single rows, zone under food and cat, too many mice."""
    height, width = 1 + rng.below((2, 4, 7)[rng.below(3)]), 1 + rng.below((4, 6, 9)[rng.below(3)])
    count = height * width
    walls, zones, foods = rng.below(6), 1 + rng.below(9), rng.below(7)
    wall = [int(rng.below(10) < walls) for _ in range(count)]
    cat = rng.below(count)
    wall[cat] = 0
    zone = [int(not is_wall and rng.below(10) < zones) for is_wall in wall]
    food = [0 if is_wall or rng.below(10) >= foods else amount(rng) for is_wall in wall]
    mice = 1 + rng.below((2, 5, 12, 255)[rng.below(4)])
    turns = 1 + rng.below(8)
    return Stage("odd", height, width, wall, zone, food, cat, mice, 1 + rng.below(mice), turns)


def amount(rng):
    """Return the mg of a food: mostly small."""
    return 1 + rng.below((9, 30, 1000, 10**9)[rng.below(4)]) * (1000 if rng.below(20) == 0 else 1)


def choose(state, style, rng):
    """Return an action: with `crowd` the mice come in and stay, with `hunt` the sides seek each other, else any."""
    legal = state.legal_actions()
    nothing = 5 * len(state.config.start_stage.wall)
    if style == "random" or rng.below(8) == 0:
        return legal[rng.below(len(legal))]
    if state.phase == REACT:
        return legal[rng.below(4) == 0]  # mostly leave it, so that mice pile up
    if state.phase != MOVE and state.current_player != CAT:
        return legal[rng.below(max(1, len(legal) - 1))]
    if style == "crowd":
        return legal[rng.below(len(legal))]
    goals = state.mice if state.current_player == CAT else {state.cat}

    def distance(action):
        other = state.clone()
        other.apply(action)
        places = {other.cat} if state.current_player == CAT else other.mice
        return min((abs(r - R) + abs(c - C) for r, c in places for R, C in goals), default=0)

    if len(legal) > 1 and legal[0] == nothing and rng.below(3):
        legal = legal[1:]
    return min(legal, key=distance) if len(legal) <= 40 else legal[rng.below(len(legal))]


# -- comparison -------------------------------------------------------------------------------------


def compare(twins):
    """Compare position, legal actions and results; run after every decision."""
    reference, legal = twins.reference, twins.reference.legal_actions()
    twins.same("legal_actions()", twins.engine.legal_actions(), legal)
    twins.same("legal_mask()", np.flatnonzero(twins.engine.legal_mask()), legal)
    for name in ("to_dict", "slots", "current_player", "is_terminal", "returns", "scores", "reported_score", "events"):
        twins.ask(name)
    assert [reference.text_to_action(reference.action_to_text(action)) for action in legal] == legal
    if twins.is_due(DEEP):
        compare_deeply(twins)


def compare_deeply(twins):
    """Compare texts, bytes and observations, and the answers to illegal actions and faulty positions."""
    game, engine, reference, rng = twins.game, twins.engine, twins.reference, twins.rng()
    engine.check()
    reference.check()
    config, variables = reference.config, reference.to_dict()
    text = str(reference)
    twins.ask("__str__")
    for player in (0, 1):
        twins.ask("observation", player)
    for again in (game.state_from_dict(variables), game.parse(text), engine.clone()):
        assert again.to_bytes() == engine.to_bytes()
        assert again.key == engine.key
    assert State.parse(config, text).to_dict() == variables
    for _ in range(4):
        action = rng.below(5 * len(variables["mouse"]) + 8) - 1
        accepted = [outcome(state.clone().apply, action) for state in (engine, reference)]
        twins.same(f"apply({action})", *accepted)
        changed = mutate(variables, rng)
        taken = [outcome(make, changed) for make in (game.state_from_dict, functools.partial(State.from_dict, config))]
        twins.same(f"from_dict({changed})", *(one if isinstance(one, type) else one.to_dict() for one in taken))


def mutate(variables, rng):
    """Return the variables with one or two of them changed slightly; mostly the result is not a valid position."""
    changed = {name: list(value) if isinstance(value, list) else value for name, value in variables.items()}
    for _ in range(1 + rng.below(2)):
        name = list(changed)[rng.below(len(changed))]
        value = changed[name]
        if isinstance(value, list):
            cell = rng.below(len(value))
            value[cell] = value[rng.below(len(value))] if rng.below(3) else rng.below(4)
        else:
            changed[name] = value + rng.below(5) - 2
    return changed
