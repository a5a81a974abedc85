"""Comparison of engine and reference over one game per seed; tests/campaign.py plays many."""

import json

import numpy as np

from lockstep import Lockstep
from masume.chaser.config import Config
from masume.chaser.maps import BLOCK, FLOOR, ITEM, Map, mirror, neighbours, room
from masume.chaser.notation import LOOK, PUT, SEARCH, WALK
from masume.core.rng import Rng
from masume.errors import ConfigError

TEST_GAMES, SLOW_GAMES = 300, 500
SIDES = (3, 5, 8, 8, 12, 17, 17, 24)
"""Maximum sides of a field, of which one is drawn; most are small, so that the players meet."""
STYLES = ("random", "safe", "safe", "collect", "collect", "wait")
DEEP = 10  # information states, observations, D1 to D10 and samples are compared after this many methods
SAMPLES = 4  # positions drawn per comparison


def play(seed):
    """Play the game of this seed on both and compare all outputs; return the number of methods compared."""
    rng = Rng(seed)
    config = random_config(rng)
    with Lockstep("chaser", config, rng.next()) as twins:
        styles = [STYLES[rng.below(len(STYLES))] for _ in range(2)]
        compare(twins)
        while not twins.reference.is_terminal():
            if rng.below(200) == 0:
                twins.attempt("forfeit", rng.below(2), "FOUL")
            else:
                if rng.below(16) == 0:
                    twins.refuse((16, -1, 2**40, True, None, 1.0, "wx", [0])[rng.below(8)])
                twins.apply(choose(twins.reference, styles[twins.reference.mover], rng))
            compare(twins)
            if rng.below(100) == 0:
                twins.restart()
                compare(twins)
    return twins.plies


# -- random games -----------------------------------------------------------------------------------


def random_config(rng):
    """Return the config of a generated map, or of an arbitrary one."""
    side = SIDES[rng.below(len(SIDES))]
    height, width = 1 + rng.below(side), 1 + rng.below(side)
    turn_limit = (1, 2, 10, 40, 100)[rng.below(5)]
    if rng.below(2) and room(height, width) >= 0:
        pairs = rng.below(room(height, width) + 1)
        blocks = rng.below(pairs // (1 + rng.below(4)) + 1)
        centre = height * width % 2 and rng.below(2)
        return Config(height, width, turn_limit, 2 * blocks, 2 * (pairs - blocks) + centre)
    while True:
        found = random_map(rng, max(1, height), max(2, width), turn_limit)
        if found is not None:
            return Config.make(map=found)


def random_map(rng, height, width, turn_limit):
    """Return a map of random values, half of the time symmetric; None if it is not valid."""
    blocks, items = rng.below(6), rng.below(6)
    values = [BLOCK] * blocks + [ITEM] * items + [FLOOR] * (16 - blocks - items)
    cells = [values[rng.below(16)] for _ in range(height * width)]
    cool, hot = (divmod(rng.below(height * width), width) for _ in range(2))
    if rng.below(2):
        cells = cells[: (height * width + 1) // 2]
        cells += cells[: height * width // 2][::-1]
        hot = mirror(cool, height, width)
    for row, column in (cool, hot):
        cells[row * width + column] = FLOOR
    rows = [cells[row * width : (row + 1) * width] for row in range(height)]
    try:
        return Map(rows, cool, hot, turn_limit)
    except ConfigError:
        return None


def choose(state, style, rng):
    """Return an action: any, or one that does not walk into a block; collectors seek items and each other."""
    if style == "random" or rng.below(40) == 0:
        return rng.below(16)
    if style == "wait":
        return 4 * (LOOK + rng.below(2)) + rng.below(4)
    here, foe = state.position[state.mover], state.position[1 - state.mover]
    ways = [direction for direction, cell in enumerate(neighbours(here)) if state.raw(cell) != BLOCK]
    if style == "collect" and rng.below(8):
        goals = [cell for cell in sorted(state.items_left) if cell != here] or [foe]
        goal = min(goals, key=lambda cell: abs(cell[0] - here[0]) + abs(cell[1] - here[1]))

        def steps(direction):
            row, column = neighbours(here)[direction]
            return abs(row - goal[0]) + abs(column - goal[1])

        if len(ways) > 1:
            return 4 * WALK + min(ways, key=steps)
    kind = (WALK, WALK, WALK, LOOK, SEARCH, PUT)[rng.below(6)]
    if kind == PUT and len(ways) <= 2 and rng.below(8):
        kind = SEARCH
    direction = ways[rng.below(len(ways))] if kind == WALK else rng.below(4)
    return 4 * kind + direction


# -- comparisons ------------------------------------------------------------------------------------


def compare(twins):
    """Compare position, events and result, after every method."""
    for name in ("to_dict", "slots", "returns", "scores", "legal_actions", "safe_mask"):
        twins.ask(name)
    for player in (None, 0, 1):
        twins.ask("events", player)
    if twins.is_due(DEEP):
        compare_deeply(twins)


def compare_deeply(twins):
    """Compare what the players have seen, what they know, and the positions they consider possible."""
    engine, reference = twins.engine, twins.reference
    engine.check()
    reference.check()
    for name in ("__str__", "turns_left", "full_observation"):
        twins.ask(name)
    for player in range(2):
        twins.ask("information_state", player)
        twins.ask("observation", player)
    assert twins.game.state_from_dict(json.loads(json.dumps(engine.to_dict()))).key == engine.key
    if not reference.is_terminal():
        compare_samples(engine, reference, twins.rng())


def compare_samples(engine, reference, rng):
    """Check that the truth and all samples satisfy D1 to D10, and that samples agree with the player's knowledge."""
    player = reference.mover
    assert reference.contradictions(player, reference.to_dict()) == []
    seen, observed = engine.information_state(player), engine.observation(player)
    known = memory_of(engine, player)
    for _ in range(SAMPLES):
        sample = engine.resample(player, rng.next())
        sample.check()
        assert reference.contradictions(player, sample.to_dict()) == []
        assert sample.information_state(player) == seen
        assert memory_of(sample, player) == known
        for name, array in sample.observation(player).items():
            assert np.array_equal(array, observed[name]), name


def memory_of(state, player):
    """Return the bytes of a player's knowledge."""
    game = state.game
    half = (game.memory_size - 8) // 2
    start = game.state_size + 8 + player * half
    return state.to_bytes()[start : start + half]
