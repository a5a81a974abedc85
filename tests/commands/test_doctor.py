"""`masume doctor`: its known values are the reference's, its facts are those of this Python, and it reports faults."""

import dataclasses
import platform
import sys

import numpy as np
import pytest

import masume
from masume.bench import workloads
from masume.commands import diagnosis as doctor
from shell import run, run_json


def test_every_game_is_tested():
    assert tuple(workloads()) == masume.games()


@pytest.mark.parametrize("name", masume.games())
def test_the_reference_gives_the_known_value(name):
    game = masume.load(name)
    assert doctor.walk(game.reference.State.new(game.config, 1)) == workloads()[name].checksum


def test_a_sound_installation_passes(capsys):
    found = run_json(capsys, "doctor")
    assert found["checks"] == {**dict.fromkeys(masume.games()), "threads": None, "files": None}
    assert found["masume"]["version"] == masume.__version__
    assert found["python"]["version"] == f"{platform.python_version()} {platform.python_implementation()}"
    assert found["python"]["program"] == sys.executable
    assert found["python"]["numpy"] == np.__version__
    assert found["processor"]["usable"] >= 1
    assert found["processor"]["best level"] in ("v2", "v3", "v4")
    assert found["extras"]["test: pytest"] == pytest.__version__
    code, text, error = run(capsys, "doctor")
    assert (code, error) == (0, "")
    assert f"  numpy          {np.__version__}\n" in text
    assert "  threads       ok\n" in text


def test_what_is_not_installed_is_told(monkeypatch):
    monkeypatch.setattr(doctor, "PROGRAMS", ("no-such-program",))
    monkeypatch.setattr(doctor.importlib.metadata, "requires", lambda name: ['no_such>=1; extra == "nothing"', "numpy"])
    found = doctor.facts()
    assert found["programs"] == {"no-such-program": None}
    assert found["extras"] == {"nothing: no_such": None}


@pytest.mark.parametrize("arguments", [(), ("--json",)])
def test_a_wrong_answer_is_exit_code_1(capsys, monkeypatch, arguments):
    monkeypatch.setattr("masume.nezumi.bench.WORKLOAD", dataclasses.replace(workloads()["nezumi"], checksum=7))
    code, text, error = exits(capsys, *arguments)
    assert (code, error) == (1, "masume: these checks failed: nezumi\n")
    assert "AssertionError: nezumi: expected checksum 00000007, got 328560e2" in text


def test_a_level_that_the_machine_lacks_is_told(capsys, monkeypatch):
    monkeypatch.setenv("MASUME_CPU", "v9")
    code, text, error = exits(capsys)
    assert (code, error) == (
        1,
        "masume: these checks failed: battleship, chaser, kakomimasu, nezumi, terraforming, threads\n",
    )
    assert "ConfigError: MASUME_CPU: expected one of v2" in text


def test_threads_that_play_something_else_are_told(monkeypatch):
    class Other:
        states = np.zeros(3)

        def __init__(self, threads):
            self.threads = threads

        def playout(self):
            return self.threads

    monkeypatch.setattr(masume.Game, "batch", lambda self, size, seed, threads: Other(threads))
    assert doctor.checks()["threads"] == "AssertionError: two threads played other games than one"


def test_a_file_that_is_not_whole_is_told(monkeypatch):
    monkeypatch.setattr(doctor, "write_atomic", lambda path, data: path.write_bytes(data[:1]))
    assert doctor.checks()["files"].startswith("AssertionError: ")


def exits(capsys, *arguments):
    """Return (exit code, stdout, stderr) of a doctor that finds a fault."""
    with pytest.raises(SystemExit) as caught:
        run(capsys, "doctor", *arguments)
    return caught.value.code, *capsys.readouterr()
