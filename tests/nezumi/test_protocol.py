"""What a referee asks of the game: faults, ends, phases."""

import asyncio

import masume
import players
from masume.agent import Native
from masume.nezumi import notation, protocol
from masume.referee import match
from masume.referee.seat import AgentSeat


def test_nz_r28_what_is_wrong_is_replaced_by_done_or_the_lowest():
    game = masume.load("nezumi")
    stage = game.config.start_stage
    state, seen = game.new_state(), set()
    rng = players.Rng(5)
    while not state.is_terminal():
        legal = state.legal_actions().tolist()
        (played,) = protocol.penalty(state, state.current_player, None)
        is_done = 5 * stage.height * stage.width in legal
        seen.add((protocol.phase(state), is_done))
        assert played in legal
        assert (state.action_to_text(played) == "-") == is_done
        assert is_done or played == min(legal)
        state.apply(legal[rng.below(len(legal))])
    assert {is_done for _, is_done in seen} == {True, False}
    assert {name for name, _ in seen} <= set(notation.PHASES)


def test_a_match_of_somebody_who_errs_goes_on_to_a_result():
    game = masume.load("nezumi")
    seats = [AgentSeat(players.Raises()), AgentSeat(Native("random"))]
    record = asyncio.run(match.play(game, seats, 3))
    assert [fault[:3] for fault in record.faults] == [(0, record.faults[0].ply, "crash")]
    assert record.replay.reason in notation.RESULTS[1:]
    record.replay.to_lines()
