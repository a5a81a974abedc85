"""One game of the comparison of engine and reference, from a seed; tests/campaign.py plays many."""

import functools

import numpy as np

import masume.kakomimasu
from kakomimasu.games import random_codes, random_config, random_lists
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.game import Game
from masume.kakomimasu._engine import table
from masume.kakomimasu.reference import State

TEST_GAMES, SLOW_GAMES = 300, 6000
SIZES = [(7, 15, 5)] * 27 + [(14, 10, 8)] * 4 + [(30, 5, 16)]
"""(longest side, most turns, most agents): most games are small and short."""
DEEP_WORK = 400
"""Cells times slots up to which masks and observations are compared after every turn."""


def play(seed):
    """Play the game of this seed on both, comparing all that they say; the turns compared."""
    rng = Rng(seed)
    max_side, max_turns, max_agents = SIZES[rng.below(len(SIZES))]
    config = random_config(rng, max_side, max_turns, n_agents=1 + rng.below(max_agents))
    game = game_at(config, levels()[rng.below(len(levels()))])
    engine, reference = game.new_state(), State.new(config)
    if rng.below(2):
        position = random_position(reference.to_dict(), rng)
        engine, reference = game.state_from_dict(position), State.from_dict(position)
    junk = (0, 4, 12)[rng.below(3)]
    pace = 1 + config.width * config.height * game.num_slots // DEEP_WORK
    compare(game, engine, reference)
    while not reference.is_terminal():
        turn = turn_in_lists(reference, rng, junk) if rng.below(2) else turn_in_codes(reference, rng, junk)
        for on_illegal in ("raise", "fallback") if rng.below(4) == 0 else ("fallback",):
            assert turn(engine, on_illegal) == turn(reference, on_illegal), on_illegal
            if reference.is_terminal():
                break
        assert engine.to_dict() == reference.to_dict()
        assert engine.results.tolist() == reference.results
        assert engine.scores().tolist() == reference.scores()
        assert engine.returns().tolist() == reference.returns()
        if reference.played % pace == 0 or reference.is_terminal():
            compare(game, engine, reference)
    return reference.played


def game_at(config, level):
    """The game of this config with the kernels of this CPU level."""
    return Game(functools.partial(table, level=level), config, masume.kakomimasu)


def turn_in_lists(position, rng, junk):
    """A random turn in list form, as a function of a state: its result codes, or the kind of its error."""
    lists = random_lists(position, rng, junk)
    return lambda state, on_illegal: outcome(lambda: state.apply_lists(lists, on_illegal))


def turn_in_codes(position, rng, junk):
    """A random turn in array form; of `junk` in 16 codes any may be anything, in rare turns out of range."""
    legal, codes = random_codes(position, rng), random_codes(position, rng)
    size, strays = len(position.legal_mask()), 2 * (rng.below(16) == 0)
    for slot in range(len(codes)):
        if rng.below(16) < junk:
            codes[slot] = rng.below(size + 2 * strays) - strays

    def turn(state, on_illegal):
        found = outcome(lambda: state.apply(codes, on_illegal))
        if found == "IllegalActionError" and on_illegal == "fallback":
            return found, outcome(lambda: state.apply(legal))  # out of range: the game must go on
        return found

    return turn


def outcome(call):
    """What the call returns, or the kind of its error."""
    try:
        return call()
    except ValueError as error:
        return type(error).__name__


def compare(game, engine, reference):
    """Assert that both say the same of a position: scores, legal codes, observations, text; that it is sound."""
    engine.check()
    reference.check()
    assert engine.to_dict() == reference.to_dict()
    assert str(engine) == str(reference)
    assert engine.slots.tolist() == reference.slots
    assert (engine.played, engine.turn) == (reference.played, reference.turn)
    assert engine.wall_points.tolist() == reference.wall_points
    assert engine.territory_points.tolist() == reference.territory_points
    for slot in range(game.num_slots):
        legal = reference.legal_actions(slot)
        assert engine.legal_actions(slot).tolist() == legal
        assert np.flatnonzero(engine.legal_mask(slot)).tolist() == legal
    for player in range(game.num_players):
        expected = reference.observation(player)
        for name, array in engine.observation(player).items():
            assert np.array_equal(array, np.array(expected[name], array.dtype)), (player, name)
    again = game.state_from_dict(engine.to_dict())
    assert (again.key, again.to_bytes()) == (engine.key, engine.to_bytes())


def random_position(variables, rng):
    """The serialised position with rings (nested, or anywhere), stray walls and marks, and agents on some walls."""
    width, height = variables["config"]["width"], variables["config"]["height"]
    players = variables["config"]["n_players"]
    walls = [-1] * (width * height)

    def draw_ring(player, left, top, right, bottom):
        for y in range(top, bottom + 1):
            for x in range(left, right + 1):
                if x in (left, right) or y in (top, bottom):
                    walls[y * width + x] = player

    if rng.below(2):
        inset, strays = rng.below(2), rng.below(3)
        while 2 * inset < min(width, height):
            draw_ring(rng.below(players), inset, inset, width - 1 - inset, height - 1 - inset)
            inset += 1 + rng.below(2)
    else:
        strays = rng.below(1 + width * height // (1 + rng.below(16)))
        for _ in range(rng.below(2 + width * height // 8)):
            left, right = sorted((rng.below(width), rng.below(width)))
            top, bottom = sorted((rng.below(height), rng.below(height)))
            draw_ring(rng.below(players), left, top, right, bottom)
    for _ in range(strays):
        walls[rng.below(width * height)] = rng.below(players + 1) - 1
    territory = [-1 if owner >= 0 or rng.below(3) else rng.below(players + 1) - 1 for owner in walls]
    free = {cell for cell, owner in enumerate(walls) if owner >= 0}
    agents = []
    for player, cells in enumerate(variables["pos"]):
        agents.append([])
        for _ in cells:
            cell = rng.below(width * height)
            chosen = walls[cell] == player and cell in free
            agents[player].append(cell if chosen else -1)
            free.discard(cell if chosen else -1)
    played = rng.below(variables["config"]["total_turns"])
    return {**variables, "played": played, "wall": walls, "area": territory, "pos": agents}
