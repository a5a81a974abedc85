"""Matches of Battleship: a player who fails loses; the others play on and see all events. [sections 7.13 and 14]"""

import asyncio
import shlex
import sys
from pathlib import Path

import pytest

import masume
from masume.records.replay import Forfeit
from masume.referee import match
from masume.referee.match import Blame
from masume.referee.seat import CLOSED, ILLEGAL, TIMEOUT, Fault, Seat
from masume.referee.seats import make_seat
from masume.results import winners

BOT = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).parent.parent / 'json_bot.py'))}"


class Player(Seat):
    """Seat that plays the highest legal action, records events per call, and fails in `when` after `calls` calls."""

    def __init__(self, name, fault=None, calls=0, when=""):
        self.name, self.heard = name, []
        self._fault, self._place = fault, (calls, when)

    def _now(self, when):
        if (len(self.heard), when) == self._place:
            raise self._fault

    async def start(self, view, names, seed):
        self.heard.append(view.events())

    async def act(self, view, timer):
        self._now("act")
        return [int(view.legal_actions()[-1])]

    async def tell(self, view):
        self._now("told")
        self.heard.append(view.events())


def play_match(game, *seats):
    """Play a match, check its replay, and return (record, events of each call per player)."""
    record = asyncio.run(match.play_match(game, seats, 3))
    record.replay.to_lines()
    state = game.new_state(3)
    calls = [[state.events(player)] for player in range(game.num_players)]
    for move in record.replay.moves:
        state.forfeit(*move) if isinstance(move, Forfeit) else state.apply(move)
        for player, told in enumerate(calls):
            told.append(state.events(player))
    return record, calls


def three():
    """Return a game of three players whose setup has 6 calls."""
    return masume.load("battleship", "multi", fleets=["BD"], terrain=False, turn_order=[0, 1, 2], allow_resign=False)


def forfeits(record):
    """Return (index among the moves, move) of each forfeit."""
    return [(ply, move) for ply, move in enumerate(record.replay.moves) if isinstance(move, Forfeit)]


def test_bs_183_who_plays_on_is_told_of_a_forfeit():
    """BS-183: the remaining players see the forfeit."""
    seats = [Player("a", Fault(ILLEGAL, "no"), 7, "act"), Player("b"), Player("c", Fault(TIMEOUT, "late"), 13, "act")]
    record, calls = play_match(three(), *seats)
    assert forfeits(record) == [(6, (0, "illegal")), (12, (2, "timeout"))]
    assert winners(record.replay.returns) == [1]
    assert "OUT" in [event["kind"] for event in calls[1][7]]
    assert seats[0].heard == calls[0][:7]
    for player in (1, 2):  # `end` reports the last call
        assert seats[player].heard == calls[player][:13]


@pytest.mark.parametrize("told", [7, 8])
def test_bs_r52_who_is_gone_while_another_is_to_move_forfeits_when_it_is(told):
    """BS-R52: player 0 is lost before it receives the result of its own action, or of player 1's."""
    seats = [Player("a", Fault(CLOSED, "gone"), told, "told"), Player("b"), Player("c")]
    record, calls = play_match(three(), *seats)
    assert record.faults == [Blame(0, told, CLOSED, "gone")]
    assert forfeits(record)[0] == (9, (0, "timeout"))
    for player in (1, 2):
        assert seats[player].heard[:11] == calls[player][:11]


def test_bs_r52_who_is_gone_when_it_is_to_move_forfeits_at_once_and_all_hear_the_move():
    """BS-R52: player 1 is lost before it receives the result of player 0's action, after which it is to move."""
    seats = [Player("a"), Player("b", Fault(CLOSED, "gone"), 7, "told"), Player("c")]
    record, calls = play_match(three(), *seats)
    assert record.faults == [Blame(1, 7, CLOSED, "gone")]
    assert forfeits(record)[0] == (7, (1, "timeout"))
    for player in (0, 2):
        assert seats[player].heard[:9] == calls[player][:9]


def test_bs_r63_who_fails_in_setup_forfeits_in_its_first_turn_and_the_others_play_on():
    """BS-R63: the lowest legal actions are played for it until then."""
    seats = [Player("a"), Player("b", Fault(ILLEGAL, "no panel"), 3, "act"), Player("c")]
    record, calls = play_match(three(), *seats)
    assert record.faults == [Blame(1, 2, ILLEGAL, "no panel")]
    state = three().new_state()
    assert [state.action_to_text(move) for move in record.replay.moves[2:4]] == ["SA1", "SB1"]
    assert forfeits(record)[0] == (7, (1, "illegal"))
    for player in (0, 2):
        assert seats[player].heard[:9] == calls[player][:9]
    assert len(seats[1].heard) == 3


@pytest.mark.parametrize("preset", ["classic", "multi"])
@pytest.mark.parametrize("seat", [0, 1])
def test_14_3_a_bot_that_ends_after_an_answer_has_lost(preset, seat):
    game = masume.load("battleship", preset, allow_resign=False)

    async def run():
        specs = ["random"] * game.num_players
        specs[seat] = f"cmd:{BOT} 'answer and exit'"
        seats = [make_seat(spec, game) for spec in specs]
        try:
            return await asyncio.wait_for(match.play_match(game, seats, 3), 100)
        finally:
            await asyncio.gather(*(one.close() for one in seats))

    record = asyncio.run(run())
    record.replay.to_lines()
    assert [(fault.player, fault.cause) for fault in record.faults] == [(seat, "closed")]
    assert [move for _, move in forfeits(record)] == [(seat, "timeout")]
    assert record.replay.returns[seat] < 0
