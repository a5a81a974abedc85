"""Comparison of engine and reference over one game per seed; tests/campaign.py plays many."""

import numpy as np

from kakomimasu.games import random_codes, random_config, random_lists
from lockstep import Lockstep
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.errors import IllegalActionError
from masume.kakomimasu.reference import State

TEST_GAMES, SLOW_GAMES = 300, 1000
SIZES = [(7, 15, 5)] * 27 + [(14, 10, 8)] * 4 + [(30, 5, 16)]
"""Maximum of (side, turns, agents); most games are small and short."""
DEEP_WORK = 400
"""Cells times slots up to which masks and observations are compared after every turn."""


def play(seed):
    """Play the game of this seed on both and compare all outputs; return the number of turns compared."""
    rng = Rng(seed)
    max_side, max_turns, max_agents = SIZES[rng.below(len(SIZES))]
    config = random_config(rng, max_side, max_turns, n_agents=1 + rng.below(max_agents))
    level = levels()[rng.below(len(levels()))]
    position = random_position(State.new(config).to_dict(), rng) if rng.below(2) else None
    junk = (0, 4, 12)[rng.below(3)]
    with Lockstep("kakomimasu", config, level=level, position=position) as twins:
        compare(twins)
        while not twins.reference.is_terminal():
            play_turn(twins, rng, junk)
            compare(twins)
    return twins.reference.played


def play_turn(twins, rng, junk):
    """Play a random turn, in list or in array form; sometimes first in the mode that refuses illegal actions."""
    in_lists = rng.below(2)
    verb = "apply_lists" if in_lists else "apply"
    legal = random_codes(twins.reference, rng)
    turn = random_lists(twins.reference, rng, junk) if in_lists else random_junk(twins.reference, rng, junk)
    refused = IllegalActionError
    if rng.below(4) == 0:
        refused = twins.attempt(verb, turn, "raise")
    if refused is IllegalActionError:
        refused = twins.attempt(verb, turn, "fallback")
    if refused is IllegalActionError:  # out of range: continue with a legal turn
        twins.apply(legal)


def random_junk(state, rng, junk):
    """Return a turn in array form; `junk` of 16 codes are arbitrary, in rare turns also out of range."""
    codes = random_codes(state, rng)
    size, strays = len(state.legal_mask()), 2 * (rng.below(16) == 0)
    for slot in range(len(codes)):
        if rng.below(16) < junk:
            codes[slot] = rng.below(size + 2 * strays) - strays
    return codes


def compare(twins):
    """Compare the position and the result, after every turn."""
    for name in ("to_dict", "results", "scores", "returns"):
        twins.ask(name)
    if twins.is_due(1 + twins.game.config.width * twins.game.config.height * twins.game.num_slots // DEEP_WORK):
        compare_deeply(twins)


def compare_deeply(twins):
    """Compare scores, legal codes, observations and text, and check the invariants."""
    engine = twins.engine
    engine.check()
    twins.reference.check()
    for name in ("__str__", "slots", "played", "turn", "wall_points", "territory_points"):
        twins.ask(name)
    for slot in range(twins.game.num_slots):
        legal = twins.reference.legal_actions(slot)
        twins.same(f"legal_actions({slot})", engine.legal_actions(slot), legal)
        twins.same(f"legal_mask({slot})", np.flatnonzero(engine.legal_mask(slot)), legal)
    for player in range(twins.game.num_players):
        twins.ask("observation", player)
    again = twins.game.state_from_dict(engine.to_dict())
    assert (again.key, again.to_bytes()) == (engine.key, engine.to_bytes())


def random_position(variables, rng):
    """Return the position with random rings (nested or anywhere), walls and marks, and agents on some walls."""
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
