"""Matches with programs over stdin and stdout, well-behaved and not, in Python and in C. [section 14]"""

import asyncio
import time
from pathlib import Path

import pytest

import masume
from masume.referee import match
from masume.referee.clock import TimeControl
from masume.referee.process import Limits
from masume.referee.seat import AgentSeat
from masume.terraforming import blocks, stdio
from masume.terraforming.notation import FINISH
from masume.terraforming.stdio import ProgramSeat
from shell import all_end, children, open_files, programs

HERE = Path(__file__).parent
HOMES = """
      .   .   .
    .   CI0 .   .
  .   .   .   AI0 .
    .   BI0 .   .
      .   .   .
"""
MOVE, DONE = "move 1 0 r 1", "finish"
GOOD, BARE = [MOVE, DONE], [DONE]
SHORT = TimeControl(main_ms=1500, move_ms=500)
LONG = TimeControl(main_ms=60_000, move_ms=60_000)
AMPLE = Limits(output_mb=2**20)


class Idle:
    """An agent that finishes every turn at once."""

    name = "idle"

    def start(self, game, player, seed):
        pass

    def act(self, view):
        return FINISH

    def close(self):
        pass


@pytest.fixture(scope="module", params=["python", "c"])
def program(request, tmp_path_factory):
    """Return a function that makes the command of the test program in a mode."""
    return programs(HERE, request.param, tmp_path_factory)


def load(**fields):
    return masume.load("terraforming", **{"ruleset": "contest", "radius": 2, "max_turns": 4, "map": HOMES, **fields})


def play(seats, game=None, control=None):
    """Return the record of a match; check that no process or open file is left and that the replay can be written."""

    async def run():
        try:
            return await match.play_match(game or load(), seats, 5, control)
        finally:
            await asyncio.gather(*(seat.close() for seat in seats))

    files, others = open_files(), children()
    record = asyncio.run(run())
    assert (open_files(), children()) == (files, others)
    record.replay.to_lines()
    return record


def alone(seat, **options):
    """Return the record of a match of the seat, player 0, against two idle players."""
    return play([seat, AgentSeat(Idle()), AgentSeat(Idle())], **options)


def turns(record, player=0):
    """Return the commands of each turn of the player."""
    found = []
    states = list(record.replay.states())
    for state, action in zip(states, record.replay.moves, strict=False):
        if state.current_player == player:
            if not found or found[-1][-1] == DONE:
                found.append([])
            found[-1].append(state.action_to_text(action))
    return found


def causes(record):
    return [(fault.player, fault.cause) for fault in record.faults]


# -- programs that play ---------------------------------------------------------------------------


def test_14_1_three_programs_play_and_each_reads_its_blocks_and_nothing_else(program):
    """14.1, 14.3: the block for the name, then one block per turn, compared byte by byte."""
    game = load()
    record = play([ProgramSeat(f"tee /dev/stderr | {program('good')}") for _ in range(3)], game)
    assert record.faults == []
    assert record.replay.names == ["good"] * 3  # equal names are allowed [14.4]
    assert record.replay.reason == "max_turns"
    sent = list(blocks.blocks(record.replay.states()))
    first = game.new_state(5).to_dict()
    for player, home in enumerate(("1 0", "-1 1", "0 -1")):
        assert turns(record, player) == [[f"move {home} r 1", DONE]] * 4
        told = [blocks.name_block(game.config, first, player), *sent[player::3]]
        assert record.logs[player] == "".join(told)
    assert record.logs[1].split()[1:6] == ["0", "4", "1", "3", "19"]
    assert {line.split()[3] for line in record.logs[1].split("EOS")[0].splitlines()[3:]} == {"0"}


def test_a_seat_plays_several_games_each_with_a_new_process(program):
    seats = [ProgramSeat(f"echo $$ >&2; {program('good')}"), AgentSeat(Idle()), AgentSeat(Idle())]

    async def run():
        return [await match.play_match(load(), seats, seed) for seed in range(2)]

    first, second = asyncio.run(run())
    assert turns(first) == turns(second) == [GOOD] * 4
    assert first.logs[0] != second.logs[0]


def test_14_2_a_program_may_be_one_block_behind(program):
    """It writes its name before it reads; its first answer is to the block that asked for the name."""
    record = alone(ProgramSeat(program("behind")))
    assert (record.faults, record.replay.names[0], turns(record)) == ([], "behind", [GOOD] * 4)


@pytest.mark.parametrize("mode", ["deaf", "no input"])
def test_14_2_who_writes_all_turns_ahead_need_not_read(program, mode):
    """This holds even if the system accepts no more data for the program."""
    record = alone(ProgramSeat(program(mode)), game=load(max_turns=60))
    assert (record.faults, record.replay.names[0], turns(record)) == ([], mode, [BARE] * 60)
    large = masume.load("terraforming", max_turns=30)  # 30 blocks are more than a pipe holds
    record = alone(ProgramSeat(program(mode)), game=large)
    assert (record.faults, turns(record)) == ([], [BARE] * 30)


def test_14_5_what_was_written_ahead_counts_after_the_end_of_the_program(program):
    """It writes three turns and exits; from the fourth turn on `finish` is supplied."""
    record = alone(ProgramSeat(program("all")))
    assert (record.replay.names[0], turns(record)) == ("all", [BARE] * 4)
    (fault,) = record.faults
    assert fault[:3] == (0, 9, "closed")
    assert fault.detail == "the program ended with exit code 0"


def test_14_5_garbage_is_skipped(program):
    """Invalid bytes, tabs, very long lines and cells off the board are skipped; a CR before an LF is cut. [TF-R33]"""
    record = alone(ProgramSeat(program("garbage")))
    assert record.faults == []
    assert record.replay.names[0] == "a name\tof\x7fmore than "  # 14.4, TF-R45
    assert turns(record) == [GOOD, [MOVE, MOVE, DONE], GOOD, GOOD]


def test_14_6_lines_after_100000_are_skipped_until_finish(program):
    record = alone(ProgramSeat(program("many")), control=TimeControl(main_ms=60_000))
    assert (record.faults, turns(record)) == ([], [GOOD] * 4)


# -- names ----------------------------------------------------------------------------------------


def test_14_4_an_empty_name_and_no_name(program):
    record = alone(ProgramSeat(program("nameless")))
    assert (record.faults, record.replay.names[0], turns(record)) == ([], "nanashi", [GOOD] * 4)
    record = alone(ProgramSeat("true"))
    assert (causes(record), record.replay.names[0], turns(record)) == ([(0, "closed")], "nanashi", [BARE] * 4)


def test_14_4_who_gives_no_name_in_time_plays_no_turn(program):
    """TF-R41: the referee sets the time."""
    started = time.monotonic()
    record = alone(ProgramSeat(program("mute"), name_ms=200))
    assert time.monotonic() - started < 60
    assert (causes(record), record.faults[0].ply) == ([(0, "timeout")], 0)
    assert (record.replay.names[0], turns(record)) == ("nanashi", [BARE] * 4)


# -- programs that fail -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "cause"), [("slow", "timeout"), ("line", "timeout"), ("fork", "timeout"), ("no output", "closed")]
)
def test_14_6_a_turn_without_finish_is_what_was_read_and_the_rest_are_bare(program, mode, cause):
    """The commands read so far count once, in that turn. The other players continue."""
    record = alone(ProgramSeat(program(mode), AMPLE), control=SHORT)
    assert causes(record) == [(0, cause)]
    assert record.faults[0].ply == 4
    assert turns(record) == [GOOD, GOOD, BARE, BARE]
    assert record.replay.reason == "max_turns"
    forked = record.logs[0].split()
    assert len(forked) == (3 if mode == "fork" else 0)
    assert all_end(forked)


def test_14_5_a_dead_program_finishes_its_turn_and_all_others(program):
    record = alone(ProgramSeat(program("dead")))
    assert [fault[0::2] for fault in record.faults] == [(0, "closed", "no will to live")]  # and what it wrote last
    assert record.faults[0].detail == "the program ended with exit code 3"
    assert turns(record) == [GOOD, GOOD, BARE, BARE]
    assert record.logs == ["no will to live\n", "", ""]
    record = alone(ProgramSeat(program("half")))
    assert turns(record) == [GOOD, BARE, BARE, BARE]  # an unfinished line does not count


@pytest.mark.parametrize(
    ("limits", "control", "cause"), [(AMPLE, SHORT, "timeout"), (Limits(output_mb=1), LONG, "flood")]
)
def test_14_6_a_flood_of_commands_ends_with_its_time_or_its_output(program, limits, control, cause):
    """In the second turn nine robots are at home; each is moved before the flood ends."""
    record = alone(ProgramSeat(program("flood"), limits), control=control)
    assert causes(record) == [(0, cause)]
    assert turns(record) == [GOOD, [MOVE] * 9 + [DONE], BARE, BARE]


def test_a_program_that_fails_costs_the_others_nothing(program):
    seats = [ProgramSeat(program(mode)) for mode in ("good", "dead", "good")]
    record = play(seats)
    assert causes(record) == [(1, "closed")]
    for player, home in ((0, "1 0"), (2, "0 -1")):
        assert turns(record, player) == [[f"move {home} r 1", DONE]] * 4


# -- time -----------------------------------------------------------------------------------------


def test_14_6_the_times_of_the_protocol():
    """TF-R34, TF-R41."""
    assert (stdio.TIMES.main_ms, stdio.TIMES.move_ms, stdio.TIMES.inc_ms) == (5000, 1000, 0)
    assert ProgramSeat("true")._name_ms == 5000


def test_14_6_a_long_turn_is_taken_from_the_allowance(program):
    record = alone(ProgramSeat(program("pausing")), control=TimeControl(main_ms=20_000, move_ms=100))
    assert (record.faults, turns(record)) == ([], [GOOD] * 4)
    own = [used for used in record.replay.ms if used is not None][3]  # ms of the second turn, after two opponents
    assert own >= 200  # of a pause of 300 ms: a busy machine starts the clock late


def test_14_6_without_a_clock_the_times_are_the_protocols(program, monkeypatch):
    monkeypatch.setattr(stdio, "TIMES", SHORT)
    record = alone(ProgramSeat(program("slow")))
    assert (causes(record), turns(record)) == ([(0, "timeout")], [GOOD, GOOD, BARE, BARE])


def test_14_6_the_allowance_is_one_for_all_turns(program, monkeypatch):
    """With turns of 400 ms, 100 of them free, an allowance of 700 ms is used up in the third turn at the latest."""
    monkeypatch.setattr(stdio, "TIMES", TimeControl(main_ms=700, move_ms=100))
    record = alone(ProgramSeat(program("dawdling")))
    assert causes(record) == [(0, "timeout")]
    assert turns(record)[2:] == [BARE, BARE]
