"""SplitMix64 in Python: the check values of the rules, and equality with the C generator."""

import pytest

from masume.core.rng import Rng, mix, stream


def test_first_draws_of_seed_1():
    rng = Rng(1)
    assert [rng.next() for _ in range(3)] == [10451216379200822465, 13757245211066428519, 17911839290282890590]


def test_state_is_all_there_is():
    rng = Rng(2**64 - 1)
    rng.next()
    twin = Rng(rng.state)
    assert [rng.next() for _ in range(5)] == [twin.next() for _ in range(5)]
    assert Rng(2**64 + 5).next() == Rng(5).next()
    assert 0 <= Rng(-1).state < 2**64


@pytest.mark.parametrize("n", [1, 2, 7, 100, 417, 2**32])
def test_below_is_in_range_and_takes_one_draw(n):
    rng, twin = Rng(n), Rng(n)
    drawn = [rng.below(n) for _ in range(2000)]
    for _ in drawn:
        twin.next()
    assert rng.state == twin.state
    assert 0 <= min(drawn) <= max(drawn) < n
    if 1 < n <= 100:
        assert set(drawn) == set(range(n))


def test_mix_is_the_first_output_and_stream_mixes_twice():
    assert mix(1) == 10451216379200822465
    assert stream(7, 3) == mix((mix(7) + 3) % 2**64)
    assert len({stream(seed, i) for seed in range(50) for i in range(50)}) == 2500


def test_random_play_in_c_draws_the_same():
    """`State._choose` draws in C as below(len(legal)) does in Python."""
    import masume
    from masume.agent import PolicyAgent, View

    state = masume.load("kakomimasu", width=5, height=5, n_agents=3).new_state()
    agent, rng = PolicyAgent("random"), Rng(11)
    agent.start(state.game, 1, 11)
    for _ in range(20):
        expected = [int((legal := state.legal_actions(slot))[rng.below(len(legal))]) for slot in (3, 4, 5)]
        assert list(agent.act(View(state, 1))) == expected
        state.apply([0, 0, 0, *expected])
