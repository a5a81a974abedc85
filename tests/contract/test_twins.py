"""Engine and reference, played side by side from the same draws. [design sections 6 and 7]"""

import json
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

import masume
from cases import GAMES
from masume.core import _perft
from masume.core.rng import Rng, stream

TESTS = Path(__file__).parents[1]


def codes_of(state, rng):
    """One uniform legal code a slot, as design section 7 draws them."""
    drawn = []
    for slot in range(len(state.slots)):
        codes = np.flatnonzero(state.legal_mask(slot)).tolist()
        drawn.append(codes[rng.below(len(codes))])
    return drawn


def play(state, codes):
    """Apply these codes to a State of either kind."""
    state.apply(codes if len(codes) > 1 else codes[0])


def assert_same_view(game, engine, reference):
    """What the two say of the same position is equal."""
    assert engine.to_dict() == reference.to_dict()
    assert engine.slots.tolist() == list(reference.slots)
    assert engine.is_terminal() == reference.is_terminal()
    assert engine.returns().tolist() == list(reference.returns())
    assert engine.scores().tolist() == list(reference.scores())
    assert str(engine) == str(reference)
    for slot in range(len(reference.slots)):
        assert engine.legal_actions(slot).tolist() == list(reference.legal_actions(slot))
        assert engine.legal_mask(slot).tolist() == [int(bit) for bit in reference.legal_mask(slot)]
    for player in range(game.num_players):
        expected = reference.observation(player)
        for name, array in engine.observation(player).items():
            assert np.array_equal(array, np.array(expected[name], array.dtype)), name
    for player in (None, *range(game.num_players)):
        assert engine.events(player) == reference.events(player)


def test_a_seed_gives_the_same_random_game_in_reference_state_and_batch(game):
    batch = game.batch(1, seed=9, autoreset="disabled", observe=None)
    rng = Rng(stream(9, 0))
    seed = rng.next() >> 1
    engine, reference = game.new_state(seed), game.reference.State.new(game.config, seed)
    for _ in range(15):
        assert_same_view(game, engine, reference)
        assert batch.states[0].tobytes() == engine.to_bytes()[: game.state_size]
        if engine.is_terminal():
            break
        batch.sample_actions()
        codes = codes_of(reference, rng)
        assert batch.actions[0, : len(codes)].tolist() == codes
        batch.step()
        actions = [engine.decode(code) for code in codes]
        play(engine, actions)
        play(reference, actions)


def test_errors_of_the_twins_are_of_one_kind(game):
    engine, reference = game.new_state(3), game.reference.State.new(game.config, 3)
    for bad in ([game.num_actions] * game.num_slots, [-1] * game.num_slots, ["x"] * game.num_slots, []):
        action = bad if game.num_slots > 1 else next(iter(bad), None)
        kinds = []
        for state in (engine, reference):
            with pytest.raises(ValueError, match=r".") as caught:
                state.apply(action)
            kinds.append(caught.type)
        assert kinds[0] is kinds[1]


# -- perft --------------------------------------------------------------------------------------


def golden():
    """The cases of tests/*/golden.perft: lines of {"config", "seed", "counts": [depth 1, ...], "reference": depth}."""
    for path in sorted(TESTS.glob("*/golden.perft")):
        for line in path.read_text().splitlines():
            case = json.loads(line)
            name = path.parent.name
            yield pytest.param(name, case, id=f"{name}-{json.dumps(case['config'])}")


def count_sequences(state, depth):
    """perft by the reference alone."""
    if depth == 0:
        return 1
    options = [state.legal_actions(slot) for slot in range(len(state.slots))]
    if not options:
        return 0
    if depth == 1:
        return prod(map(len, options))
    total = 0
    for actions in product(*options):
        following = state.clone()
        play(following, list(actions))
        total += count_sequences(following, depth - 1)
    return total


@pytest.mark.parametrize(("name", "case"), [*golden()])
def test_perft_is_the_golden_number(name, case):
    game = masume.load(name, **case["config"])
    for depth, count in enumerate(case["counts"], start=1):
        assert _perft.perft(game.new_state(case["seed"]), depth) == count
        if depth <= case["reference"]:
            assert count_sequences(game.reference.State.new(game.config, case["seed"]), depth) == count


def test_every_game_has_golden_perfts():
    assert {path.parent.name for path in TESTS.glob("*/golden.perft")} == set(GAMES)
