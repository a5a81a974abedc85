"""Programs as children, well-behaved and not, in Python and in C: what comes out, and that nothing stays behind."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from masume.errors import ConfigError
from masume.referee.process import Child, Limits
from masume.referee.seat import Fault
from shell import all_end, programs, runs

HERE = Path(__file__).parents[1]


@pytest.fixture(scope="module", params=["python", "c"])
def program(request, tmp_path_factory):
    """The command that runs the test program in a mode."""
    return programs(HERE, request.param, tmp_path_factory)


def group(pid):
    """The processes that run in this group."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
            except (FileNotFoundError, ProcessLookupError):
                continue
            state, _, number = status.rpartition(")")[2].split()[:3]
            if int(number) == pid and state not in "ZX":
                found.append(int(entry.name))
    return found


def children():
    """The processes that this one has started and not reaped, those of other tests included."""
    return {pid for task in Path("/proc/self/task").glob("*/children") for pid in task.read_text().split()}


def open_files():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def with_child(command, use, limits=None, grace_s=0.0):
    """What `use(child)` gives, after which nothing of the child may be left: no process, no open file."""
    files = open_files()

    async def run():
        child = await Child.start(command, limits)
        try:
            return await use(child)
        finally:
            started = time.monotonic()
            await child.close(grace_s)
            await child.close(grace_s)  # again: nothing
            assert time.monotonic() - started < 10
            while group(child.pid):  # a signal that was sent takes its time
                assert time.monotonic() - started < 10
            with pytest.raises(ChildProcessError):
                os.waitpid(child.pid, os.WNOHANG)
            run.log = child.log

    try:
        return asyncio.run(run()), run.log
    finally:
        assert open_files() == files


def soon(seconds=20):
    return time.monotonic() + seconds


def fault_of(awaitable_of):
    """The Fault that `await awaitable_of(child)` raises, to be used in `with_child`."""

    async def use(child):
        with pytest.raises(Fault) as caught:
            await awaitable_of(child)
        return caught.value.cause, caught.value.detail

    return use


async def lines(child, count):
    return [await child.line(64, soon()) for _ in range(count)]


def test_a_program_is_sent_lines_and_answers(program):
    async def use(child):
        await child.send(b"hello\nworld\n", soon())
        return await lines(child, 2)

    assert with_child(program("echo"), use) == ([b"hello", b"world"], "")


def test_what_a_program_writes_ahead_is_kept_in_order(program):
    async def use(child):
        first = await lines(child, 1)
        await asyncio.sleep(0.05)
        child.write(b"four\n")
        return first + await lines(child, 3)

    assert with_child(program("ahead"), use)[0] == [b"one", b"two", b"three", b"four"]


def test_a_program_may_end_itself_when_its_input_ends(program):
    async def use(child):
        await child.send(b"x\n", soon())
        await lines(child, 1)
        await child.close(20)
        return child._process._popen.returncode

    assert with_child(program("echo"), use)[0] == 0


def test_a_slow_program_is_a_timeout_and_is_killed(program):
    cause, detail = with_child(program("slow"), fault_of(lambda child: child.line(64, soon(0.1))))[0]
    assert (cause, detail) == ("timeout", "no line in time")


def test_a_program_that_outlives_its_grace_is_killed(program):
    async def use(child):
        return None

    started = time.monotonic()
    with_child(program("slow"), use, grace_s=0.1)
    assert 0.1 <= time.monotonic() - started < 10


def test_a_dead_program_says_with_what(program):
    (cause, detail), log = with_child(program("dead"), fault_of(lambda child: child.line(64, soon())))
    assert (cause, detail) == ("closed", "the program ended with exit code 3")
    assert log == "no memory of what it was\n"
    (cause, detail), _ = with_child(program("crash"), fault_of(lambda child: child.line(64, soon())))
    assert (cause, detail) == ("closed", "the program ended with signal 6 (Aborted)")


def test_a_command_that_does_not_exist_is_a_dead_program():
    (cause, detail), log = with_child("/nowhere/at.all", fault_of(lambda child: child.line(64, soon())))
    assert (cause, detail) == ("closed", "the program ended with exit code 127")
    assert "/nowhere/at.all" in log


def test_a_flood_of_lines_stops_at_the_limit(program):
    async def use(child):
        count = 0
        try:
            while True:
                assert len(await child.line(64, soon())) == 40
                count += 1
                assert len(child.inbox.data) < 2**20
        except Fault as fault:
            return count, fault.cause, fault.detail

    (count, cause, detail), _ = with_child(program("flood"), use, Limits(output_mb=1))
    assert (cause, detail) == ("flood", "more than 1 MiB of output")
    assert 0.6 * 2**20 < 41 * count <= 2**20


def test_a_flood_that_nobody_reads_costs_no_memory(program):
    async def use(child):
        await asyncio.sleep(0.3)
        return len(child.inbox.data)

    assert with_child(program("flood"), use)[0] < 2**20


def test_a_line_without_end_is_no_line(program):
    (cause, detail), _ = with_child(program("line"), fault_of(lambda child: child.line(64, soon())))
    assert (cause, detail) == ("protocol", "a line of more than 64 bytes: b'xxxxxxxxxxxxxxxxxxxx'...")


def test_of_a_flooded_log_the_end_is_kept(program):
    async def use(child):
        await child.send(b"done\n", soon())
        return await lines(child, 1)

    found, log = with_child(program("log"), use, Limits(log_kb=1))
    assert found == [b"done"]
    assert len(log) == 1024
    assert log.endswith("299998\n299999\n")


def test_garbage_comes_through_as_it_is(program):
    async def use(child):
        return await lines(child, 3)

    assert with_child(program("garbage"), use)[0] == [b"\0\xff\r", b"\r\r", b""]


def test_what_a_program_has_forked_is_killed_with_it(program):
    async def use(child):
        found = [int(line) for line in await lines(child, 3)]
        assert await child._has_ended(20)
        assert all(map(runs, found))
        with pytest.raises(Fault) as caught:
            await child.line(64, soon(0.1))
        assert caught.value.cause == "timeout"  # the children keep the pipe open
        return found

    found, _ = with_child(program("fork"), use)
    assert all_end(found)


def test_a_program_that_closes_its_output_is_gone(program):
    (cause, detail), _ = with_child(program("no output"), fault_of(lambda child: child.line(64, soon())))
    assert (cause, detail) == ("closed", "the program has closed its output")


def test_a_program_that_closes_its_input_can_still_talk(program):
    async def use(child):
        heard = await lines(child, 1)
        try:
            while True:
                await child.send(b"anybody?\n", soon())
                await asyncio.sleep(0.01)
        except Fault as fault:
            return heard, fault.cause, fault.detail

    assert with_child(program("no input"), use)[0] == ([b"deaf"], "closed", "the program has closed its input")


def test_a_program_that_reads_nothing_does_not_block_the_referee(program):
    async def use(child):
        with pytest.raises(Fault) as caught:
            await child.send(b"x" * 2**20 + b"\n", soon(0.2))
        return await lines(child, 1), caught.value.cause, caught.value.detail

    assert with_child(program("unread"), use)[0] == ([b"talks only"], "timeout", "it does not read what it is sent")


def test_memory_is_limited(program):
    (cause, detail), log = with_child(
        program("memory"), fault_of(lambda child: child.line(64, soon())), Limits(memory_mb=512)
    )
    assert (cause, detail) == ("closed", "the program ended with exit code 4")
    assert log == "no memory\n"


def test_a_start_that_is_given_up_leaves_nothing(program):
    async def run():
        task = asyncio.create_task(Child.start(program("slow")))
        await asyncio.sleep(0)  # the program runs, its pipes are being connected
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    files, others = open_files(), children()
    asyncio.run(run())
    assert open_files() == files
    assert children() == others


@pytest.mark.parametrize("field", ["memory_mb", "output_mb", "log_kb"])
def test_limits_are_checked(field):
    with pytest.raises(ConfigError, match=rf"^{field}: 0 is not in"):
        Limits(**{field: 0})
