"""Programs as child processes, well-behaved and not, in Python and in C: their output, and that no process remains."""

import asyncio
import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from masume.core import environment, system
from masume.errors import ConfigError
from masume.referee.process import Child, Limits
from masume.referee.seat import Fault
from shell import all_end, children, open_files, programs, runs

HERE = Path(__file__).parents[1]


@pytest.fixture(scope="module", params=["python", "c"])
def program(request, tmp_path_factory):
    """The command that runs the test program in a mode."""
    return programs(HERE, request.param, tmp_path_factory)


def group(pid):
    """Return the processes of this process group."""
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


def with_child(command, use, limits=None, grace_s=0.0):
    """Return the result of `use(child)`, and check that no process and no open file of the child remains."""
    files = open_files()

    async def run():
        child = await Child.start(command, limits)
        try:
            return await use(child)
        finally:
            started = time.monotonic()
            await child.close(grace_s)
            await child.close(grace_s)  # a second call does nothing
            assert time.monotonic() - started < 10
            while group(child.pid):  # a signal takes effect after a while
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
    """Return the Fault that `await awaitable_of(child)` raises, for `with_child`."""

    async def use(child):
        with pytest.raises(Fault) as caught:
            await awaitable_of(child)
        return caught.value.cause, caught.value.detail

    return use


async def lines(child, count, max_bytes=64):
    return [await child.line(max_bytes, soon()) for _ in range(count)]


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
        return child._process.ending()

    assert with_child(program("echo"), use)[0] == "exit code 0"


def test_a_slow_program_is_a_timeout_and_is_killed(program):
    cause, detail = with_child(program("slow"), fault_of(lambda child: child.line(64, soon(0.1))))[0]
    assert (cause, detail) == ("timeout", "no line within 0.1 s; if it writes one, its output may need a flush")


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
        assert await child.has_ended(20)
        assert all(map(runs, found))
        with pytest.raises(Fault) as caught:
            await child.line(64, soon(0.1))
        assert caught.value.cause == "timeout"  # the children keep the pipe open
        return found

    found, _ = with_child(program("fork"), use)
    assert all_end(found)


PYTHON = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'programs.py'))}"
LINUX = pytest.mark.skipif(
    "supervisor" not in vars(sys.modules[system.Program.__module__]), reason="only Linux has subreapers"
)  # not by the platform, which tests/systems fakes


def session(pid):
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


@LINUX
def test_what_has_moved_into_a_session_or_a_group_of_its_own_is_killed_too():
    async def use(child):
        found = [int(line) for line in await lines(child, 6)]
        assert len({session(pid) for pid in found} - {child.pid, None}) == 5  # the sixth leads a group and ends early
        return found

    found, _ = with_child(f"{PYTHON} scatter", use)
    assert all_end(found)


@LINUX
def test_only_what_the_program_has_started_is_killed():
    """No orphan of another process and no other program is killed."""

    async def use(child):
        other = await Child.start(f"{PYTHON} slow")
        process = subprocess.Popen(["sleep", "1000"])
        await child.close(0)
        assert runs(other.pid)
        assert runs(process.pid)
        process.kill()
        process.wait()
        await other.close(0)
        return other.pid

    found, _ = with_child(f"{PYTHON} scatter", use)
    assert all_end([found])


@LINUX
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=lambda end: end.name)
def test_programs_end_with_a_referee_that_is_killed(end):
    code = (
        "import asyncio, sys\nfrom masume.referee.process import Child\n"
        "async def run():\n"
        "    child = await Child.start(sys.argv[1])\n"
        "    print(child.pid, *[int(await child.line(64, None)) for _ in range(6)], flush=True)\n"
        "    await asyncio.sleep(1000)\n"
        "asyncio.run(run())\n"
    )
    command = [sys.executable, "-c", code, f"{PYTHON} scatter"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as referee:
        found = [int(pid) for pid in referee.stdout.readline().split()]
        running = runs(found[0])
        referee.send_signal(end)
    assert running
    assert len(found) == 7
    assert all_end(found)


@LINUX
def test_a_program_whose_supervisor_is_killed_or_stopped_is_ended():
    for number in (signal.SIGKILL, signal.SIGSTOP):

        async def use(child, number=number):
            os.kill(child._process._popen.pid, number)
            if number == signal.SIGSTOP:
                return child.pid
            with pytest.raises(Fault) as caught:
                await child.line(64, soon())
            assert caught.value.cause == "closed"
            assert child._process.ending() == "the end of its supervisor"
            return child.pid

        pid, _ = with_child(f"{PYTHON} slow", use)
        assert all_end([pid])


def test_a_program_has_the_variables_that_it_needs_and_no_other(monkeypatch):
    monkeypatch.setenv("PLANTED_SECRET", "s3cret")
    monkeypatch.setenv("LC_TIME", "C")
    monkeypatch.delenv(environment.PASSED, raising=False)

    async def use(child):
        return (await lines(child, 1, 4096))[0].decode().split()

    names = with_child(f"{PYTHON} environment", use)[0]
    assert "PLANTED_SECRET" not in names
    assert {"PATH", "LC_TIME"} <= set(names)
    assert all(name.startswith("LC_") or name in system.KEPT for name in set(names) - {"PWD", "SHLVL", "_", "OLDPWD"})
    with environment.passing(["PLANTED_*"]):
        assert "PLANTED_SECRET" in with_child(f"{PYTHON} environment", use)[0]
    monkeypatch.setenv(environment.PASSED, "PLANTED_SECRET,NOWHERE")
    assert {"PATH", "PLANTED_SECRET"} <= set(with_child(f"{PYTHON} environment", use)[0])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "expected the name of a variable"),
        ("a,b", "expected the name of a variable"),
        ("NOWHERE_9", "the variable is not set"),
    ],
)
def test_a_variable_that_is_not_there_is_told(name, message):
    with pytest.raises(ConfigError, match=message), environment.passing([name]):
        pass


PEEK = """
import sys
for name in ("environ", "mem"):
    try:
        with open(f"/proc/{sys.argv[1]}/{name}", "rb") as file:
            is_open = name == "mem" or file.read(1)
        print(name, "is read" if is_open else "is kept", flush=True)
    except OSError:
        print(name, "is kept", flush=True)
"""


@LINUX
def test_a_program_cannot_read_the_memory_of_the_referee(tmp_path):
    """A root process first gives up its capabilities, which would let its programs read everything."""
    (tmp_path / "peek.py").write_text(PEEK)
    code = (
        "import asyncio, ctypes, os, shlex, sys\nfrom masume.referee.process import Child\n"
        "libc = ctypes.CDLL(None)\n"
        "for capability in range(64):\n    libc.prctl(24, capability, 0, 0, 0)\n"  # PR_CAPBSET_DROP
        "header = (ctypes.c_uint32 * 2)(0x20080522, 0)\n"  # _LINUX_CAPABILITY_VERSION_3
        "assert libc.capset(header, (ctypes.c_uint32 * 6)()) == 0\n"
        "async def run():\n"
        "    child = await Child.start(f'{sys.executable} {shlex.quote(sys.argv[1])} {os.getpid()}')\n"
        "    for _ in range(2):\n"
        "        print((await child.line(64, None)).decode())\n"
        "    await child.close(5)\n"
        "asyncio.run(run())\n"
    )
    command = [sys.executable, "-c", code, tmp_path / "peek.py"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.stdout, run.stderr) == ("environ is kept\nmem is kept\n", "")


@LINUX
def test_memory_is_private_as_long_as_any_program_runs():
    prctl = ctypes.CDLL(None).prctl

    async def use(child):
        other = await Child.start("sleep 1000")
        assert prctl(3, 0, 0, 0, 0) == 0
        await other.close(0)
        return prctl(3, 0, 0, 0, 0)

    assert with_child("sleep 1000", use)[0] == 0
    assert prctl(3, 0, 0, 0, 0) == 1


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

    assert with_child(program("unread"), use)[0] == ([b"talks only"], "timeout", "it does not read its input")


JOBS = system.Program.__module__.endswith("windows")  # not by the platform, which tests/systems fakes


@pytest.mark.skipif(not JOBS, reason="elsewhere the memory in use is watched")
def test_memory_of_a_job_is_limited(program):
    (cause, detail), log = with_child(
        program("memory"), fault_of(lambda child: child.line(64, soon())), Limits(memory_mb=512)
    )
    assert (cause, detail) == ("closed", "the program ended with exit code 4")
    assert log == "no memory\n"


def test_a_start_that_is_given_up_leaves_nothing(program):
    async def run():
        task = asyncio.create_task(Child.start(program("slow")))
        await asyncio.sleep(0)  # the program runs, and its pipes are being connected
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    files, others = open_files(), children()
    asyncio.run(run())
    assert open_files() == files
    assert children() == others


@pytest.mark.parametrize("field", ["memory_mb", "cpu_s", "procs", "output_mb", "log_kb"])
def test_limits_are_checked(field):
    with pytest.raises(ConfigError, match=rf"^{field}: expected"):
        Limits(**{field: 0})
