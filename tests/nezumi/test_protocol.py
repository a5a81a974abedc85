"""The referee's hooks: faults, ends, phases."""

import asyncio

import masume
import players
from masume.agent import PolicyAgent
from masume.nezumi import notation, protocol
from masume.records.replay import Forfeit
from masume.referee import match
from masume.referee.seat import AgentSeat, Fault


def test_nz_r28_what_is_wrong_is_replaced_by_done_or_the_lowest():
    """NZ-R28"""
    game = masume.load("nezumi")
    stage = game.config.start_stage
    state, seen = game.new_state(), set()
    rng = players.Rng(5)
    while not state.is_terminal():
        legal = state.legal_actions().tolist()
        (played,) = protocol.penalty(state, state.current_player, Fault("illegal", "", is_final=False))
        is_done = 5 * stage.height * stage.width in legal
        seen.add((protocol.phase(state), is_done))
        assert played in legal
        assert (state.action_to_text(played) == "-") == is_done
        assert is_done or played == min(legal)
        state.apply(legal[rng.below(len(legal))])
    assert {is_done for _, is_done in seen} == {True, False}
    assert {name for name, _ in seen} <= set(notation.PHASES)


def test_nz_r28_the_tenth_decision_that_went_wrong_costs_the_game():
    """NZ-R28"""
    game = masume.load("nezumi")
    seats = [AgentSeat(players.Raises()), AgentSeat(PolicyAgent("random"))]
    record = asyncio.run(match.play_match(game, seats, 3))
    assert [fault[:3] for fault in record.faults] == [(0, record.faults[0].ply, "crash")]
    states = list(record.replay.states())
    assert sum(state.current_player == 0 for state in states[:-2]) == protocol.FAULT_LIMIT - 1  # each was replaced
    assert record.replay.moves[-1] == Forfeit(0, "FORFEIT")
    assert not states[-1].is_terminal()
    assert (record.replay.returns, record.replay.reason) == ([-1.0, 1.0], "FORFEIT")
    assert record.to_dict()["winners"] == [1]
    record.replay.to_lines()


class ErrsNineTimes(players.Random):
    name = "errs nine times"
    errors = 0

    def act(self, view):
        self.errors += 1
        return -1 if self.errors < protocol.FAULT_LIMIT else super().act(view)


def test_nz_r28_nine_cost_no_game():
    """NZ-R28"""
    record = asyncio.run(
        match.play_match(masume.load("nezumi"), [AgentSeat(ErrsNineTimes()), AgentSeat(PolicyAgent("random"))], 3)
    )
    assert [fault.cause for fault in record.faults] == ["illegal"] * (protocol.FAULT_LIMIT - 1)
    assert record.replay.reason in notation.RESULTS[1:]
