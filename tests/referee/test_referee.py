"""Matches: seats are asked, informed and judged, and the record shows it."""

import asyncio
import threading
import time

import pytest

import masume
import players
import toy
from masume.agents.make import agents_of, make_agent
from masume.core.rng import stream
from masume.play.driver import play_game
from masume.records import replay
from masume.referee import match
from masume.referee.clock import TimeControl
from masume.referee.match import Blame
from masume.referee.seat import AgentSeat, Fault, Seat

SMALL = {"width": 5, "height": 4, "n_agents": 2, "total_turns": 6}
SHORT = {"kakomimasu": SMALL, "chaser": {"turn_limit": 9}, "terraforming": {"radius": 2, "max_turns": 2}}
"""Fields that shorten each game with a long default."""


class Script(Seat):
    """Seat that gives its answers in turn (and raises Faults), then the lowest legal action; it logs all messages."""

    def __init__(self, name, *answers, started=None, told=None, ended=None):
        self.name, self.log = name, f"{name} says hello"
        self.answers, self.heard = list(answers), []
        self.faults = {"start": started, "told": told, "end": ended}

    def _note(self, what, *details):
        self.heard.append((what, *details))
        fault = self.faults.get(what)
        if fault:
            raise fault

    async def start(self, view, names, seed):
        self._note("start", view.player, list(names), seed)

    async def act(self, view, timer):
        self.heard.append(("act", view.left_ms))
        answer = self.answers.pop(0) if self.answers else [view.legal_actions(slot)[0] for slot in view.slots]
        if isinstance(answer, Fault):
            raise answer
        return answer

    async def tell(self, view):
        self._note("told", *(event["event"] for event in view.events()))

    async def end(self, outcome):
        self._note("end", outcome.reason, sorted(outcome.faults))

    async def close(self):
        self.heard.append(("close",))


def play(game, seats, seed=3, **options):
    """Return the record of a match, whose replay is verified."""
    record = asyncio.run(match.play_match(game, seats, seed, **options))
    record.replay.to_lines()
    return record


def chaser(turns=2):
    return masume.load("chaser", turn_limit=turns, n_blocks=0, n_items=0)


def counting(**options):
    return masume.load(toy.Counting(**options))


# -- agents ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", masume.games())
def test_a_match_of_agents_is_the_game_that_self_play_plays(name):
    game = masume.load(name, **SHORT.get(name, {}))
    names = ["random", *list(agents_of(game))[-1:]] * game.num_players
    agents = [[make_agent(spec, game) for spec in names[: game.num_players]] for _ in range(2)]
    alone = play_game(game, agents[0], 11).to_replay(11, names[: game.num_players])
    record = play(game, [AgentSeat(agent) for agent in agents[1]], 11)
    assert record.faults == []
    assert [*record.replay.moves] == [*alone.moves]
    assert (record.replay.returns, record.replay.scores) == (alone.returns, alone.scores)


def test_an_agent_that_never_answers_stops_nobody():
    released = threading.Event()

    class Stuck(players.Random):
        name = "stuck"

        def act(self, view):
            released.wait(60)
            return super().act(view)

    game = masume.load("kakomimasu", **SMALL)
    before = time.monotonic()
    seats = [AgentSeat(Stuck()), AgentSeat(players.Random())]
    record = play(game, seats, control=TimeControl(move_ms=400))
    asyncio.run(seats[0].close())  # returns at once, although the agent still thinks
    assert time.monotonic() - before < 20
    released.set()
    assert [blame[:3] for blame in record.faults] == [(0, ply, "timeout") for ply in range(6)]
    assert record.faults[0].detail.startswith("no action of stuck after ")
    assert all(actions[:2] == [0, 0] for actions in record.replay.moves)  # STAY, the game's neutral action
    assert any(actions[2:] != [0, 0] for actions in record.replay.moves)
    assert all(ms[0] >= 400 for ms in record.replay.ms)


def test_an_agent_that_never_answers_does_not_keep_the_next_game_from_being_played(monkeypatch):
    monkeypatch.setattr("masume.referee.seat.BUSY_S", 0.1)
    released = threading.Event()

    class Stuck(players.Random):
        name = "stuck"

        def act(self, view):
            released.wait(60)

    async def two_games():
        game = masume.load("kakomimasu", **SMALL | {"total_turns": 2})
        seats = [AgentSeat(Stuck()), AgentSeat(players.Random())]
        return [await match.play_match(game, seats, seed, TimeControl(move_ms=1000)) for seed in (1, 2)]

    _, record = asyncio.run(two_games())
    released.set()
    assert record.faults == [Blame(0, 0, "timeout", "stuck is busy with the game before")]
    assert all(actions[:2] == [0, 0] for actions in record.replay.moves)
    assert any(actions[2:] != [0, 0] for actions in record.replay.moves)


def test_an_agent_that_is_late_is_asked_again():
    """KM-R21: only the turn in which it was late is lost, and the late answer does not count."""
    released = threading.Event()

    class Late(players.Random):
        name = "late"
        turns = 0

        def act(self, view):
            self.turns += 1
            if self.turns == 2:
                released.wait(60)
            return [legal[-1] for legal in map(view.legal_actions, view.slots)]

    def watch(state):
        if state.played == 2:
            released.set()

    game = masume.load("kakomimasu", **SMALL)
    seats = [AgentSeat(Late()), AgentSeat(players.Random())]
    record = play(game, seats, control=TimeControl(move_ms=2000), watch=watch)
    assert [blame[:3] for blame in record.faults] == [(0, 1, "timeout")]
    assert [actions[:2] == [0, 0] for actions in record.replay.moves] == [ply == 1 for ply in range(6)]


@pytest.mark.parametrize(
    ("kind", "blame"),
    [
        (players.Raises, Blame(0, 0, "crash", "KeyError: 'lost\\nits way'")),
        (players.RaisesAtStart, Blame(0, 0, "crash", "RuntimeError")),
        (players.Text, Blame(0, 0, "illegal", "action: expected an int, got 'STAY'")),
    ],
)
def test_a_bad_agent_loses_where_the_game_has_forfeits(kind, blame):
    record = play(chaser(), [AgentSeat(kind()), AgentSeat(players.Random())])
    assert [fault[:3] for fault in record.faults] == [blame[:3]]
    assert record.replay.moves == [replay.Forfeit(0, "FOUL")]
    assert (record.replay.returns, record.replay.reason) == ([-1.0, 1.0], "FOUL")


@pytest.mark.parametrize("kind", [players.Raises, players.Illegal, players.Short, players.Text])
def test_a_bad_agent_plays_the_neutral_action_where_the_game_has_no_forfeits(kind):
    game = masume.load("kakomimasu", **SMALL)
    record = play(game, [AgentSeat(players.Random()), AgentSeat(kind())])
    assert len(record.replay.moves) == 6
    wrong = [blame.ply for blame in record.faults]
    assert {blame.player for blame in record.faults} == {1}
    stays = [0] if kind is players.Illegal else [0, 0]  # only the action of its last unit is illegal
    assert all(record.replay.moves[ply][-len(stays) :] == stays for ply in wrong)
    assert len(wrong) == {players.Raises: 1, players.Illegal: 1, players.Short: 6, players.Text: 6}[kind]


def test_whatever_an_agent_raises_ends_its_game_only():
    class Exits(players.Random):
        name = "exits"

        def act(self, view):
            raise self.error

    for error in (SystemExit(3), StopIteration(), KeyboardInterrupt()):
        Exits.error = error
        record = play(chaser(), [AgentSeat(players.Random()), AgentSeat(Exits())])
        assert record.faults[-1][:3] == (1, 1, "crash")
        assert record.replay.returns == [1.0, -1.0]


def test_an_agent_is_closed_and_what_goes_wrong_then_is_in_its_log():
    class Unclosable(players.Random):
        def close(self):
            raise OSError("stuck lid")

    async def close():
        seat = AgentSeat(Unclosable())
        await seat.close()
        return seat.log

    assert asyncio.run(close()) == "close: OSError: stuck lid"
    players.Counted.closed = 0
    asyncio.run(AgentSeat(players.Counted()).close())
    assert players.Counted.closed == 1


def test_the_threads_of_closed_seats_end():
    async def many():
        for _ in range(20):
            await AgentSeat(players.Random()).close()

    before = set(threading.enumerate())
    asyncio.run(many())
    for thread in set(threading.enumerate()) - before:
        thread.join(20)
        assert not thread.is_alive()


# -- messages to seats -------------------------------------------------------------------------


def test_everybody_is_told_every_move_the_mover_first_and_the_end():
    seats = [Script("a"), Script("b")]
    log = []
    for seat in seats:
        seat.heard = log  # one log for all, to see the order
    record = play(chaser(1), seats, 5)
    assert log == [
        ("start", 0, ["a", "b"], stream(5, 0)),
        ("start", 1, ["a", "b"], stream(5, 1)),
        ("act", None),
        ("told", "action", "method"),
        ("told", "ready"),
        ("act", None),
        ("told", "action", "method"),
        ("told", "end"),
        ("end", "SCORE", []),
        ("end", "SCORE", []),
    ]
    assert record.logs == ["a says hello", "b says hello"]
    assert record.to_dict() == {
        "game": "chaser", "seed": 5, "names": ["a", "b"], "returns": [0.0, 0.0], "scores": [0, 0], "winners": [],
        "reason": "SCORE", "plies": 2, "faults": [], "remarks": [], "logs": ["a says hello", "b says hello"],
    }  # fmt: skip


def test_a_program_that_was_not_ready_has_lost_when_it_is_to_move():
    seats = [Script("a"), Script("b", started=Fault("timeout", "not ready"))]
    record = play(chaser(), seats)
    assert record.faults == [Blame(1, 0, "timeout", "not ready", "b says hello")]
    assert record.replay.moves[1:] == [replay.Forfeit(1, "FOUL")]
    assert [what for what, *_ in seats[1].heard] == ["start", "end"]
    assert seats[0].heard[-1] == ("end", "FOUL", [1])


def test_a_fault_of_one_who_is_told_counts_at_once_and_the_move_stands():
    seats = [Script("a", told=Fault("protocol", "no end mark")), Script("b")]
    record = play(chaser(), seats)
    assert record.faults == [Blame(0, 1, "protocol", "no end mark", "a says hello")]
    assert len(record.replay.moves) == 2
    assert record.replay.moves[1] == replay.Forfeit(0, "FOUL")
    assert [what for what, *_ in seats[1].heard] == ["start", "told", "end"]


def test_a_fault_after_the_end_changes_nothing():
    for faults in ({"told": Fault("closed", "gone")}, {"ended": Fault("closed", "gone")}):
        record = play(chaser(1), [Script("a"), Script("b", **faults)])
        assert record.faults[-1][:3] == (1, record.faults[-1].ply, "closed")
        assert record.replay.reason == ("SCORE" if "ended" in faults else "FOUL")
    record = play(chaser(1), [Script("a"), Script("b", ended=Fault("closed", "gone"))])
    assert (record.replay.reason, len(record.replay.moves)) == ("SCORE", 2)


def test_a_fault_that_is_not_final_costs_one_turn():
    game = masume.load("kakomimasu", **SMALL)
    late = Fault("timeout", "late once", is_final=False)
    seat = Script("a", [17, 18], late)
    record = play(game, [seat, Script("b")])
    assert record.faults == [Blame(0, 1, "timeout", "late once", "a says hello")]
    assert [what for what, *_ in seat.heard].count("act") == 6
    assert record.replay.moves[1][:2] == [0, 0]


@pytest.mark.parametrize("bad", [10**6, -1, 0.5, None, "STAY"])
def test_of_several_slots_the_one_that_errs_plays_the_neutral_action(bad):
    game = masume.load("kakomimasu", **SMALL)
    record = play(game, [Script("a", [17, bad], [bad, bad]), Script("b", [bad, 20])])
    assert record.replay.moves[0] == [17, 0, 0, 20]
    assert record.replay.moves[1] == [0, 0, 0, 0]
    assert [fault[:3] for fault in record.faults] == [(0, 0, "illegal"), (1, 0, "illegal"), (0, 1, "illegal")]
    assert record.faults[0].detail == f"action {bad!r} in slot 1"


def test_an_answer_that_is_late_counts_for_nothing():
    game = masume.load("kakomimasu", **SMALL)
    late = Fault("timeout", "late", actions=[17, 18], is_final=False)
    assert play(game, [Script("a", late), Script("b")]).replay.moves[0] == [0, 0, 0, 0]


def test_what_was_complete_before_a_final_fault_is_played_once():
    """In later turns the game plays for a player that is not asked again."""
    game = masume.load("terraforming", radius=1, max_turns=3)
    move = game.new_state(3).text_to_action("move 0 1 ul 1")
    seats = [Script("a", Fault("timeout", "late", actions=[move])), Script("b"), Script("c")]
    record = play(game, seats)
    assert record.faults == [Blame(0, 0, "timeout", "late", "a says hello")]
    assert record.replay.moves == [move, *[0] * 9]


# -- turns of several actions --------------------------------------------------------------------


def test_several_actions_are_played_in_turn_and_those_after_the_turn_are_a_fault():
    game = counting(length=4)
    record = play(game, [Script("a", [1, 1]), Script("b")])
    assert record.faults == [Blame(0, 1, "illegal", "action 1 comes after the end of the turn", "a says hello")]
    assert record.replay.moves == [1, 0, 0, 0]
    record = play(chaser(), [Script("a", [4, 4]), Script("b")])
    assert record.replay.moves == [4, replay.Forfeit(0, "FOUL")]


@pytest.mark.parametrize(("answer", "detail"), [([], "no action"), ([9], "action 9"), ([2**70], "action")])
def test_what_may_not_be_played_is_replaced_by_the_lowest_legal_action(answer, detail):
    record = play(counting(length=4), [Script("a", answer), Script("b", [2])])
    (blame,) = record.faults
    assert blame[:3] == (0, 0, "illegal")
    assert blame.detail.startswith(detail)
    assert record.replay.moves == [0, 2, 0, 0]


def test_the_time_of_a_turn_is_in_the_replay_and_on_the_clock():
    class Slow(Script):
        async def act(self, view, timer):
            timer.restart()
            await asyncio.sleep(0.03)
            return await super().act(view, timer)

    seats = [Slow("a"), Script("b")]
    record = play(counting(length=4), seats, control=TimeControl(main_ms=60_000))
    assert record.replay.ms[0] >= 30
    left = [details[0] for what, *details in seats[0].heard if what == "act"]
    assert left[0] == 60_000
    assert left[1] == int(60_000 - record.replay.ms[0])


def test_an_answer_that_comes_too_late_is_none():
    class Blocking(Script):
        async def act(self, view, timer):
            time.sleep(0.01)  # blocks the event loop, so that no deadline can interrupt
            return await super().act(view, timer)

    record = play(chaser(), [Blocking("a"), Script("b")], control=TimeControl(move_ms=5))
    assert record.faults[0][:3] == (0, 0, "timeout")
    assert record.replay.moves == [replay.Forfeit(0, "FOUL")]


def test_the_number_of_seats_is_that_of_the_players():
    with pytest.raises(ValueError, match=r"^seats: expected 2, got 1$"):
        play(chaser(), [Script("a")])


def test_the_watcher_sees_every_position():
    seen = []
    record = play(chaser(), [Script("a"), Script("b")], watch=lambda state: seen.append(state.half))
    assert seen == list(range(len(record.replay.moves) + 1))


def test_a_match_may_begin_in_another_position_and_its_replay_tells_it():
    game = masume.load("kakomimasu", **SMALL)
    start = game.new_state(3)
    start.apply([17, 18, 19, 20])
    before = str(start)
    record = play(game, [Script("a"), Script("b")], start=start)
    assert str(start) == before
    assert (record.replay.start, len(record.replay.moves)) == (start.to_dict(), SMALL["total_turns"] - 1)
    assert str(next(iter(record.replay.states()))) == before
    assert list(record.replay.states())[-1].is_terminal()
