"""Limits of programs: what they use, with all that they start; the network and files; transcripts."""

import asyncio
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from masume.core import environment, system
from masume.core.system import sealing
from masume.errors import ConfigError
from masume.referee import transcript
from masume.referee.process import Child, Limits
from masume.referee.seat import Fault
from masume.referee.transcript import OURS, SAID, SENT, Transcript
from shell import all_end

LINUX = pytest.mark.skipif(
    "supervisor" not in vars(sys.modules[system.Program.__module__]), reason="only Linux watches trees of processes"
)  # not by the platform, which tests/systems fakes

PROGRAMS = {
    "map": "import mmap; space = mmap.mmap(-1, 64 << 30, flags=0x4022); print('mapped', flush=True)",  # no reserve
    "use": "block = b'\\1' * (300 << 20); time.sleep(1000)",
    "share": (
        "for _ in range(3):\n    if os.fork() == 0:\n        os.setsid(); block = b'\\1' * (60 << 20)\n"
        "        time.sleep(1000)\ntime.sleep(1000)"
    ),
    "fork": "for _ in range(20):\n    if os.fork() == 0:\n        os.setsid(); time.sleep(1000)\ntime.sleep(1000)",
    "spin": "if os.fork() == 0:\n    os.setsid()\n    while True: pass\ntime.sleep(1000)",
    "small": "print('in use', flush=True); input()",
    "pair": (
        "block = b'\\1' * (60 << 20)\nfor _ in range(2):\n    os.fork()\nprint('shared', flush=True); time.sleep(1000)"
    ),
}


def command(mode):
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(f'import os, time{chr(10)}{PROGRAMS[mode]}')}"


def heard(mode, limits):
    """Return the first line of a program under limits, or the detail of its fault, and the process that was started."""

    async def run():
        child = await Child.start(command(mode), limits)
        try:
            return (await child.line(9999, time.monotonic() + 60)).decode(), child.pid
        except Fault as fault:
            return f"{fault.cause}: {fault.detail}", child.pid
        finally:
            await child.close(0)

    return asyncio.run(run())


@LINUX
@pytest.mark.parametrize(
    ("mode", "limits", "told"),
    [
        ("use", Limits(memory_mb=100), "MiB of memory, more than 100"),
        ("share", Limits(memory_mb=150), "MiB of memory, more than 150"),
        ("fork", Limits(procs=5), "processes, more than 5"),
        ("spin", Limits(cpu_s=1), "s of processors, more than 1"),
    ],
)
def test_a_program_beyond_a_limit_is_ended_with_all_that_it_started(mode, limits, told):
    found, pid = heard(mode, limits)
    assert found.startswith("closed: the program was ended: ")
    assert found.endswith(told)
    assert all_end([pid])


@LINUX
@pytest.mark.parametrize(
    ("mode", "limits", "told"),
    [
        ("map", Limits(memory_mb=100), "mapped"),  # as Deno and node's WebAssembly do at start
        ("small", Limits(memory_mb=100, cpu_s=60, procs=3), "in use"),
        ("pair", Limits(memory_mb=150), "shared"),  # four processes with the same 60 MiB
    ],
)
def test_what_is_only_mapped_or_shared_is_not_counted(mode, limits, told):
    assert heard(mode, limits)[0] == told


def test_limits_are_handed_to_workers(monkeypatch):
    monkeypatch.delenv(environment.LIMITS, raising=False)
    assert Limits.of_environment() == Limits()
    with environment.setting(environment.LIMITS, '{"output_mb": 7}'):
        assert Limits.of_environment() == Limits(output_mb=7)
        with environment.setting(environment.LIMITS, None):
            assert Limits.of_environment() == Limits(output_mb=7)
    assert environment.LIMITS not in os.environ
    for bad in ("{", '{"memory": 1}', '{"output_mb": 0}', "3"):
        with environment.setting(environment.LIMITS, bad), pytest.raises(ConfigError, match=r"^MASUME_LIMITS: "):
            Limits.of_environment()


@LINUX
def test_a_missing_bubblewrap_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    system.check_bounds.cache_clear()
    with pytest.raises(ConfigError, match=r"^no-network: it needs bubblewrap, and there is no bwrap"):
        Limits(network=False)
    with pytest.raises(ConfigError, match=r"^files-under: .*: no such folder$"):
        Limits(files_under=str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"^files-under: it needs bubblewrap"):
        Limits(files_under=str(tmp_path))
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    with pytest.raises(ConfigError, match=r"^no-network: bubblewrap does not work here: bwrap: No permissions"):
        Limits(network=False)


@LINUX
def test_bubblewrap_is_called_with_what_the_limits_mean(monkeypatch, tmp_path):
    """A bubblewrap that writes its arguments and runs the rest shows the command."""
    (tmp_path / "bwrap").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir("/")
    system.check_bounds.cache_clear()
    told = heard("small", Limits(network=False))[0]
    assert told.startswith("--die-with-parent --dev-bind / / --unshare-net /bin/sh -c ")
    told = heard("small", Limits(files_under=str(tmp_path)))[0]
    assert told.startswith("--die-with-parent --ro-bind / / --dev /dev --tmpfs /tmp ")
    assert f" --bind {tmp_path} {tmp_path} --chdir / /bin/sh -c " in told


@pytest.fixture
def below_tmp(monkeypatch):
    """Return a new folder below /tmp, wherever pytest has its own, with a program, an interpreter and a link to it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        files = {
            "a/bin/python": "#!/bin/sh\necho run by $0 $1\n",
            "b c/bot": f"#!{folder}/a/bin/python\n",
            "plain/bot.py": "",
        }
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
        (path.parent / "link").symlink_to("../b c/bot")
        monkeypatch.chdir("/")
        yield folder


@LINUX
@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("{0}/plain/bot.py", ["plain"]),
        ("'{0}/b c/bot' 1 2", ["a", "b c"]),  # with the interpreter of its first line
        ("{0}/plain/link", ["a", "b c", "plain"]),
        ("LEVEL=3 exec {0}/a/bin/python; true", ["a"]),
        ("bot x", ["a", "b c"]),  # found by PATH
        ("cd {0}/plain&&./bot.py", ["plain"]),
        ("{0}/nowhere/bot 'an open quote", []),
        ("true /tmp", []),
    ],
)
def test_the_folders_of_what_a_command_names_stay_visible(below_tmp, command, folders):
    bounds = system.Bounds(files_under="/var")
    words = sealing.seal(bounds, command.format(below_tmp), f"{below_tmp}/b c:/usr/bin")
    shown = words[words.index("/tmp") + 1 : words.index("--bind")]
    assert shown == [word for one in folders for word in ("--ro-bind", f"{below_tmp}/{one}", f"{below_tmp}/{one}")]


@LINUX
def test_a_file_in_tmp_itself_and_the_working_folder_stay_visible(below_tmp, monkeypatch):
    monkeypatch.chdir(below_tmp)
    with tempfile.NamedTemporaryFile(dir="/tmp") as file:
        words = sealing.seal(system.Bounds(files_under="/var"), f"python {file.name}")
    assert {file.name, below_tmp} <= set(words)


SEALED = """
import socket
tries = [lambda: socket.create_connection(("127.0.0.1", {port}))]
tries += [lambda: open("{outside}", "w"), lambda: open("x", "w")]
for what in tries:
    try:
        what()
        print("yes", end=" ")
    except OSError:
        print("no", end=" ")
print(flush=True)
"""


@pytest.fixture
def not_tmp():
    """Return a new folder that is not in the private /tmp of a sealed program."""
    with tempfile.TemporaryDirectory(dir=Path(__file__).parent) as folder:
        yield Path(folder)


BUBBLEWRAP = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@LINUX
@BUBBLEWRAP
def test_a_sealed_program_reaches_no_network_and_no_other_folder(monkeypatch, tmp_path, not_tmp):
    import socket

    own, outside = tmp_path / "own", not_tmp / "outside"
    own.mkdir()
    monkeypatch.chdir(own)
    system.check_bounds.cache_clear()
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = SEALED.format(port=server.getsockname()[1], outside=outside)
        monkeypatch.setitem(PROGRAMS, "sealed", code)
        assert heard("sealed", Limits(network=False, files_under=str(own), procs=3))[0].split() == ["no", "no", "yes"]
        assert not outside.exists()
        assert heard("sealed", Limits(network=False))[0].split() == ["no", "yes", "yes"]


@LINUX
@BUBBLEWRAP
def test_a_sealed_program_below_tmp_is_run_and_one_that_it_does_not_see_is_said_so(below_tmp, tmp_path):
    async def hear(command):
        child = await Child.start(command, Limits(files_under=str(tmp_path)))
        try:
            return (await child.line(999, time.monotonic() + 60)).decode()
        except Fault as fault:
            return fault.detail
        finally:
            await child.close(0)

    system.check_bounds.cache_clear()
    bot = f"{below_tmp}/b c/bot"
    assert asyncio.run(hear(f"'{bot}'")) == f"run by {below_tmp}/a/bin/python {bot}"
    told = asyncio.run(hear(f"bot=plain/bot.py; {below_tmp}/$bot"))
    assert told == f"the program ended with exit code 127: {sealing.UNSEEN}"


@LINUX
def test_a_command_may_begin_with_exec():
    async def run():
        child = await Child.start("exec echo replaced")
        try:
            return await child.line(99, time.monotonic() + 60)
        finally:
            await child.close(0)

    assert asyncio.run(run()) == b"replaced"


# -- transcripts ----------------------------------------------------------------------------------


def test_a_transcript_holds_what_went_both_ways_and_stderr(tmp_path, monkeypatch):
    monkeypatch.setenv(environment.LOG, str(tmp_path / "logs"))

    async def run():
        child = await Child.start("read line; echo heard $line; echo oh >&2")
        await child.send(b"hello\n", time.monotonic() + 60)
        await child.line(99, time.monotonic() + 60)
        child.note("a fault")
        await child.close(60)

    asyncio.run(run())
    (path,) = (tmp_path / "logs").iterdir()
    assert path.name == "0001-read-line-echo-heard-line-echo-oh-2.log"
    lines = [line[10:] for line in path.read_text().splitlines()]
    assert lines[0] == "# read line; echo heard $line; echo oh >&2"
    assert sorted(lines[1:]) == sorted(["> hello", "< heard hello", "! oh", "# a fault", "# it ended with exit code 0"])
    asyncio.run(run())
    assert sorted(one.name[:4] for one in (tmp_path / "logs").iterdir()) == ["0001", "0002"]


def test_of_a_long_transcript_the_middle_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(transcript, "MAX_BYTES", 4000)
    log = Transcript(tmp_path / "log", "bot")
    for number in range(1000):
        log.add(SENT, b"question %d\nand " % number)
        log.add(SAID, b"a" * (number % 7) + b"\n" * (number % 2))
    log.close()
    log.add(OURS, b"too late\n")
    log.close()
    data = (tmp_path / "log").read_bytes()
    assert 3500 < len(data) < 4300
    assert b"> question 0\n" in data
    assert b"question 999\n" in data
    assert data.count(b"bytes are left out here: a log holds at most 4000") == 1


def test_a_line_without_end_is_cut_into_pieces(tmp_path):
    log = Transcript(tmp_path / "log", "bot")
    for _ in range(40):
        log.add(SAID, b"x" * 5000)
    log.close()
    lines = (tmp_path / "log").read_bytes().splitlines()
    assert len(lines) == 1 + 200_000 // transcript.MAX_PIECE + 1
    assert sum(line.count(b"x") for line in lines) == 200_000


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_log_and_not_the_match(tmp_path, monkeypatch):
    log = Transcript(tmp_path / "log", "bot")
    monkeypatch.setattr(log, "_file", os.open("/dev/full", os.O_WRONLY))
    with pytest.warns(RuntimeWarning, match="No space left on device: this log ends here"):
        log.say("no room")
    log.say("nothing")
    log.close()


def test_match_keeps_a_log_and_refuses_a_bad_one(tmp_path):
    bot = f"json:{sys.executable} {Path(__file__).parents[1] / 'json_bot.py'} exit"
    arguments = [sys.executable, "-m", "masume", "match", "chaser", "--map", "duel", "--agents", bot, "random"]
    run = subprocess.run([*arguments, "--log", tmp_path / "logs"], capture_output=True, text=True, check=True)
    assert "    | I have had enough\n" in run.stdout
    (path,) = (tmp_path / "logs").iterdir()
    text = path.read_text()
    assert '> {"t":"hello"' in text
    assert '< {"t": "ready"' in text
    assert "! I have had enough" in text
    assert "# fault in move " in text
    (tmp_path / "file").touch()
    run = subprocess.run([*arguments, "--log", tmp_path / "file"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (1, "")
    assert "Not a directory" in run.stderr
