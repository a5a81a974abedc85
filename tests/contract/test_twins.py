"""Engine and reference, played side by side with the same draws. [design sections 6 and 7]"""

import json
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

import masume
from cases import GAMES
from lockstep import Lockstep
from masume.core import _perft
from masume.core.rng import Rng, stream

TESTS = Path(__file__).parents[1]


def codes_of(state, rng):
    """Return one uniform legal code per slot, with the draws of design section 7."""
    drawn = []
    for slot in range(len(state.slots)):
        codes = np.flatnonzero(state.legal_mask(slot)).tolist()
        drawn.append(codes[rng.below(len(codes))])
    return drawn


def play(state, codes):
    """Apply these codes to a State of either kind."""
    state.apply(codes if len(codes) > 1 else codes[0])


def test_a_seed_gives_the_same_random_game_in_reference_state_and_batch(game):
    batch = game.batch(1, seed=9, autoreset="disabled", observe=None)
    rng = Rng(stream(9, 0))
    with Lockstep(game.name, game.config, rng.next() >> 1) as twins:
        for _ in range(15):
            twins.compare()
            assert batch.states[0].tobytes() == twins.engine.to_bytes()[: game.state_size]
            if twins.engine.is_terminal():
                break
            batch.sample_actions()
            codes = codes_of(twins.reference, rng)
            assert batch.actions[0, : len(codes)].tolist() == codes
            batch.step()
            actions = [twins.engine.decode(code) for code in codes]
            twins.apply(actions if game.num_slots > 1 else actions[0])


def test_errors_of_the_twins_are_of_one_kind(game):
    with Lockstep(game.name, game.config, 3) as twins:
        for bad in ([game.num_actions] * game.num_slots, [-1] * game.num_slots, ["x"] * game.num_slots, []):
            twins.refuse(bad if game.num_slots > 1 else next(iter(bad), None))
        assert twins.engine.to_dict() == twins.reference.to_dict()


# -- perft --------------------------------------------------------------------------------------


def golden():
    """Yield the cases of tests/*/golden.perft: {"config", "seed", "counts": [depth 1, ...], "reference": depth}."""
    for path in sorted(TESTS.glob("*/golden.perft")):
        for line in path.read_text().splitlines():
            case = json.loads(line)
            name = path.parent.name
            yield pytest.param(name, case, id=f"{name}-{json.dumps(case['config'])}")


def count_sequences(state, depth):
    """Return perft of depths 1 to `depth`, computed by the reference alone."""
    options = [state.legal_actions(slot) for slot in range(len(state.slots))]
    counts = [prod(map(len, options)) if options else 0] + [0] * (depth - 1)
    for actions in product(*options) if options and depth > 1 else ():
        following = state.clone()
        play(following, list(actions))
        for further, count in enumerate(count_sequences(following, depth - 1), start=1):
            counts[further] += count
    return counts


@pytest.mark.parametrize(("name", "case"), [*golden()])
def test_perft_is_the_golden_number(name, case):
    game = masume.load(name, **case["config"])
    for depth, count in enumerate(case["counts"], start=1):
        assert _perft.perft(game.new_state(case["seed"]), depth) == count
    counts, depth = case["counts"], case["reference"]
    assert count_sequences(game.reference.State.new(game.config, case["seed"]), depth) == counts[:depth]


def test_every_game_has_golden_perfts():
    assert {path.parent.name for path in TESTS.glob("*/golden.perft")} == set(GAMES)
