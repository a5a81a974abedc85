"""The forecast equals a slow one, by steps between cells on stages where they are known and by waves on larger ones."""

import math

import pytest

import masume
from golden import forecast
from masume.core.function_table import FunctionTable
from masume.core.rng import Rng
from masume.nezumi.stages import DIAGONALS, STEPS, generate, load_course, load_shipped, neighbours, the_stage

UNMOVED, MOVED = 1, 2
CAT_PHASES = (1, 2)  # the cat moves before the mice do again
FADE, CONTEST, HUNT, CLOSER, DOUBT = 0.6, 3.0, 0.4, 0.55, 0.05


def waves(stage, starts, late, most):
    """Return the turn from 1 in which each cell is reached first, at most `most`; `late` cells start a turn later."""
    found, wave = {}, set(starts)
    for turn in range(1, most + 1):
        wave |= {
            near for cell in wave for near in neighbours(cell, stage.height, stage.width, STEPS) if not stage.wall[near]
        }
        wave |= set(late)
        found |= {cell: turn for cell in wave if cell not in found}
    return found


def slow_forecast(state):
    """Return what the mice's score is expected to be."""
    stage, now = state.game.config.start_stage, state.to_dict()
    score = now["food_sum"] - now["cost_sum"]
    mice = [cell for cell, mouse in enumerate(now["mouse"]) if mouse]
    reserve = stage.max_mice - len(mice) - now["captured"]
    if state.is_terminal() or (not mice and not reserve):
        return score
    charges = stage.turns - now["t"] + 1
    turns = charges - (now["t"] == 0)
    unmoved = [cell for cell in mice if now["mouse"][cell] == UNMOVED]
    zone = [cell for cell in range(len(stage.zone)) if stage.zone[cell]]
    most = min(turns, 64)
    by_mice = waves(stage, unmoved if mice else zone, mice, most)
    by_cat = waves(stage, [now["cat"]], [], most)
    foods = [cell for cell, amount in enumerate(now["food"]) if amount]
    last = min(
        most, max([1, *(by_mice.get(cell, most) for cell in foods), *(by_cat.get(cell, most) for cell in foods)])
    )
    harvest = 0.0
    for cell in foods:
        if by_mice.get(cell, last + 1) > last:
            continue
        lead = 1.0
        if by_cat.get(cell, last + 1) <= last:
            lead = (by_cat[cell] + (now["phase"] not in CAT_PHASES) - by_mice[cell]) / CONTEST
            lead /= 1 + abs(lead)
        harvest += now["food"][cell] * (1 - FADE * by_mice[cell] / (turns + 1)) * (1 + lead) / 2
    met = min([by_cat.get(cell, last + 1) for cell in mice], default=last + 1)
    if met <= last:
        harvest *= 1 - HUNT / (met + 1)
    cost = charges * max(1, len(mice)) * (now["captured"] + 1)
    expected = score + harvest - cost
    if not mice:
        expected = max(expected, score)
    chance = surround(stage, now, mice, unmoved, reserve)
    if chance > 0:
        doubt = 1 + DOUBT * (harvest + cost)
        expected = doubt * math.log((math.exp(min(expected / doubt, 500)) + chance) / (1 - chance))
    return expected


def surround(stage, now, mice, unmoved, reserve):
    """Return the chance that the cat is surrounded within eight turns."""
    diagonals = [cell for cell in neighbours(now["cat"], stage.height, stage.width, DIAGONALS) if not stage.wall[cell]]
    gaps = [cell for cell in diagonals if cell not in mice]
    if not diagonals or len(gaps) > len(mice) + reserve:
        return 0
    arrivals = [waves(stage, unmoved, mice, 8).get(cell, 9) for cell in gaps]
    return 0 if max(arrivals, default=0) > 8 else CLOSER ** sum(arrivals)


def positions(game, seed):
    state, rng = game.new_state(seed), Rng(seed)
    while not state.is_terminal():
        yield state
        codes = state.legal_actions()
        state.apply(codes[rng.below(len(codes))])
    yield state


STAGES = {
    **load_shipped(),
    **{f"course {name}": lesson.stage for name, lesson in load_course().items()},
    "large": the_stage(generate(3, height=20, width=18, max_mice=6)),
    "a crowd": the_stage(generate(4, height=12, width=12, max_mice=40, zone=40, foods=12)),
}


@pytest.mark.parametrize("name", STAGES)
def test_the_forecast_equals_a_slow_one(name):
    game = masume.load("nezumi", stage=STAGES[name])
    table = FunctionTable(game)
    for seed in range(2):
        for n, state in enumerate(positions(game, seed)):
            if n % 5 == seed or state.is_terminal():
                expected = slow_forecast(state)
                assert forecast(table, state) == pytest.approx([-expected, expected], rel=1e-9, abs=1e-9)
