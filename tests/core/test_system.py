"""Linux with the code paths of macOS or Windows (systems/sitecustomize.py): results are equal, and nothing remains.

These are not the real systems: Windows' event loop, job objects and locks are imitated as far as their documentation
describes them.
"""

import contextlib
import functools
import http.client
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from masume.core import system
from masume.records import replay
from shell import all_end

HERE = Path(__file__).parents[1]
BOT = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'json_bot.py'))}"
CHASER = ["chaser", "--set", "turn_limit=9"]
SMALL = shlex.split("--set width=5 --set height=4 --set n_agents=2 --set total_turns=6")
OTHERS = pytest.mark.parametrize("name", ["darwin", "win32"])
LEFT_OUT = {
    "darwin": "memory or forked",  # memory is unlimited; the rest of a group is killed once its leader's end is noticed
    "win32": "dead_program",  # there are no signals to report
}
WAIT_S = 60
ALIEN = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONWARNDEFAULTENCODING": "1"}
"""Environment of an ASCII console, with a warning if a file's encoding is left to the system."""


def environment(name, **more):
    """Return the environment of a Python that behaves as on another system; None: as on this one."""
    there = {} if name is None else {"TEST_SYSTEM": name, "PYTHONPATH": str(HERE / "systems"), **ALIEN}
    return os.environ | there | more


def python(name, *arguments, **more):
    """Return Python's output there; it must succeed, without a warning about a file of masume."""
    run = subprocess.run(
        [sys.executable, *map(str, arguments)], env=environment(name, **more), capture_output=True, check=False,
        timeout=3 * WAIT_S,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout.decode() + run.stderr.decode()
    warned = [line for line in run.stderr.decode().splitlines() if "EncodingWarning" in line]
    assert not [line for line in warned if "/python/masume/" in line]  # other files may cause warnings
    return run.stdout.decode()


def masume(name, *arguments):
    return python(name, "-m", "masume", *arguments)


def files(folder):
    """Return the contents of a run's files, without the time it took."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.*") if path.suffix != ".html"}
    found.pop(".lock", None)
    first, *lines = found.pop("manifest.jsonl").splitlines()
    found["manifest"] = [first, *sorted((shard["chunk"], str(shard["files"])) for shard in map(json.loads, lines))]
    return found


@OTHERS
def test_the_module_of_the_other_system_is_in_use(name):
    code = "import masume.core.system as s; print(s.Program.__module__, s.count_cpus() > 0, s.MAX_WORKERS)"
    wanted = {"darwin": "masume.core.system.posix True 1024\n", "win32": "masume.core.system.windows True 61\n"}
    assert python(name, "-c", code) == wanted[name]


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """Return a function that runs a command as on this system, once for all others, and returns (output, its --out)."""
    folder = tmp_path_factory.mktemp("here")

    @functools.cache
    def run(*arguments, suffix=""):
        out = folder / f"{arguments[0]}{suffix}"
        return masume(None, *arguments, "--out", out), out

    return run


@OTHERS
def test_self_play_writes_the_same_bytes(name, here, tmp_path):
    """In 25 chunks, on two threads."""
    arguments = ["selfplay", *CHASER, "--agents", "greedy", "random", "--games", "200", "--threads", "2", "--seed", "3"]
    masume(name, *arguments, "--out", tmp_path)
    before = files(tmp_path)
    assert before == files(here(*arguments)[1])
    masume(name, *arguments, "--out", tmp_path)  # resumes: there is nothing left to do
    assert files(tmp_path) == before


@OTHERS
def test_a_folder_in_use_is_refused(name, tmp_path):
    code = (
        "import os, sys; from pathlib import Path\n"
        "from masume import errors\nfrom masume.core import system\nfrom masume.records import store\n"
        "with store.Store(Path(sys.argv[1]), {}):\n"
        "    try:\n        store.Store(Path(sys.argv[1]), {}).__enter__()\n"
        "    except errors.ConfigError as error:\n        print(error)\n"
        "os.close(system.lock_folder(Path(sys.argv[1])))\n"
    )
    assert python(name, "-c", code, tmp_path / "run") == f"out: {tmp_path / 'run'} is in use by another run\n"


@OTHERS
def test_a_match_with_programs_is_the_same(name, here, tmp_path):
    agents = [f"cmd:{BOT} first", f"json:{BOT} comment"]
    arguments = ["match", "kakomimasu", *SMALL, "--agents", *agents, "--games", "2"]
    masume(name, *arguments, "--out", tmp_path / "there.jsonl")
    both = (here(*arguments, suffix=".jsonl")[1], tmp_path / "there.jsonl")
    mine, there = ([(one.seed, one.moves, one.returns) for one in replay.load(path)] for path in both)
    assert there == mine
    assert [len(moves) for _, moves, _ in there] == [6, 6]


@OTHERS
def test_an_arena_with_a_program_is_the_same(name, here, tmp_path):
    arguments = ["arena", *CHASER, "--agents", f"cmd:{BOT} first", "greedy", "--games", "4", "--jobs", "2", "--json"]
    mine, folder = here(*arguments)
    assert json.loads(masume(name, *arguments, "--out", tmp_path)) == json.loads(mine)
    played = [(place / "games.jsonl").read_bytes().splitlines() for place in (folder, tmp_path)]
    assert sorted(played[0]) == sorted(played[1])


@OTHERS
def test_a_board_is_shown_on_a_console_that_has_few_signs(name):
    shown = masume(name, "info", "kakomimasu")
    assert shown.isascii()
    assert "kakomimasu" in shown


@OTHERS
def test_a_server_serves_until_ctrl_c_and_has_its_port_alone(name, tmp_path):
    pytest.importorskip("uvicorn")
    command = [sys.executable, "-m", "masume", "serve", "kakomimasu", "--out", str(tmp_path), "--port"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([*command, "0"], env=environment(name), **pipes) as server:
        port = int(server.stdout.readline().rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        with contextlib.closing(connection):
            connection.request("GET", "/version")
            answer = connection.getresponse().status
        other = subprocess.run([*command, str(port)], env=environment(name), **pipes, check=False, timeout=WAIT_S)
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=WAIT_S)
    assert answer == 200
    assert other.returncode == 1
    assert other.stderr.endswith(f"masume: port: 127.0.0.1:{port}: Address already in use\n")
    assert server.returncode == 130
    assert errors.endswith("masume: interrupted\n")


@pytest.mark.slow
@pytest.mark.nightly
@OTHERS
def test_programs_end_as_they_do_here(name):
    """Run the tests of programs, in Python and in C, with all that they start."""
    tests = HERE / "referee" / "test_process.py"
    told = python(
        name,
        "-m",
        "pytest",
        "-q",
        tests,
        "-p",
        "no:cacheprovider",
        "-k",
        f"not ({LEFT_OUT[name]})",
        PYTHONWARNDEFAULTENCODING="",
    )
    assert " passed" in told


@OTHERS
def test_what_a_program_has_started_ends_with_it(name):
    code = (
        "import asyncio, sys\nfrom masume.referee.process import Child\n"
        "async def run():\n"
        "    child = await Child.start(sys.argv[1])\n"
        "    print(*[int(await child.line(64, None)) for _ in range(3)], flush=True)\n"
        "    await child.close(0.1)\n"
        "asyncio.run(run())\n"
    )
    program = f"{shlex.quote(sys.executable)} {shlex.quote(str(HERE / 'programs.py'))} fork"
    assert all_end([int(pid) for pid in python(name, "-c", code, program).split()])


@OTHERS
def test_files_are_written_and_refused_as_they_are_here(name):
    assert " passed" in python(
        name,
        "-m",
        "pytest",
        "-q",
        HERE / "core" / "test_files.py",
        "-p",
        "no:cacheprovider",
        PYTHONWARNDEFAULTENCODING="",
    )


@OTHERS
def test_a_report_of_a_machine_without_a_load(name):
    code = "from masume import bench\nprint(bench.text(bench.report([])).splitlines()[1])\n"
    assert ("load" in python(name, "-c", code)) == (name == "darwin")


def test_a_program_that_cannot_be_put_into_a_job_is_ended():
    code = (
        "import masume.core.system.windows as windows\n"
        "from pathlib import Path\n"
        "def files(): return len(list(Path('/proc/self/fd').iterdir()))\n"
        "before = files()\n"
        "windows.KERNEL.AssignProcessToJobObject.function = lambda job, process: 0\n"
        "started = []\n"
        "start = windows.start\n"
        "windows.start = lambda *given: started.append(start(*given)) or started[0]\n"
        "try:\n    windows.Program('sleep 1000', windows.Bounds(), {'PATH': '/usr/bin:/bin'})\n"
        "except OSError as error:\n    print(error, started[0].returncode, files() - before)\n"
        "print([one.get('closed') for one in windows.KERNEL.handles.values()])\n"
    )
    assert python("win32", "-c", code) == "[Errno 5] WinError 5 -9 0\n[True, True]\n"


def test_a_job_and_all_handles_are_closed_at_the_end():
    code = (
        "import asyncio, masume.core.system.windows as windows\nfrom masume.referee.process import Child\n"
        "async def run():\n    await (await Child.start('cat')).close(5)\n"
        "asyncio.run(run())\n"
        "print({one.get('closed') for one in windows.KERNEL.handles.values()})\n"
    )
    assert python("win32", "-c", code) == "{True}\n"


def test_a_port_may_be_taken_while_its_last_connections_are_closing():
    with socket.socket() as found:
        system.claim_port(found)
        assert found.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 1


def test_the_addresses_of_the_machine_are_those_that_it_listens_on():
    found = system.list_addresses()
    assert found
    for address in found:
        with socket.create_server((address, 0)) as server:
            assert server.getsockname()[0] == address
