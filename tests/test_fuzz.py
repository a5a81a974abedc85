"""Hostile input: some cases of tests/fuzz.py, and that it would report failures."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import fuzz
import masume

SCRIPT = Path(__file__).with_name("fuzz.py")


def run(cases, seed, *more):
    command = [sys.executable, SCRIPT, "--cases", str(cases), "--seed", str(seed), *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=3600)


def test_nothing_undocumented_happens():
    found = run(2000, 20261128)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "2000 cases from seed 20261128, 0 failed" in found.stdout


def test_nothing_undocumented_happens_to_files():
    found = run(150, 20261128, "--game", "kakomimasu", "--files")
    assert found.returncode == 0, found.stdout + found.stderr
    assert "150 cases from seed 20261128, 0 failed" in found.stdout


@pytest.mark.slow
@pytest.mark.nightly
def test_nothing_undocumented_happens_to_many_files():
    found = run(1000, 1_000_000, "--files")
    assert found.returncode == 0, found.stdout + found.stderr
    for line in found.stdout.splitlines()[:-1]:
        name, done, _, accepted, *_ = line.split()
        assert int(done) > 50, line
        assert int(accepted) < int(done), f"{name} lets in all: {line}"


@pytest.mark.slow
@pytest.mark.nightly
def test_nothing_undocumented_happens_in_many_cases():
    found = run(20_000, 1_000_000)
    assert found.returncode == 0, found.stdout + found.stderr
    for line in found.stdout.splitlines()[:-1]:
        name, done, _, accepted, *_ = line.split()
        assert int(done) > 100, line
        if not name.startswith("hostile_"):  # these end in a position whatever was rejected
            assert 0 < int(accepted) < int(done), f"{name} lets in all or nothing: {line}"


def crash(_):
    os.kill(os.getpid(), signal.SIGTERM)  # a signal for which pytest shows no stack


def hang(_):
    while True:
        pass


def leak(_):
    raise KeyError("undocumented")


def differ(_):
    """Return a position that differs from what it writes."""

    class Twin:
        def __getattr__(self, name):
            return getattr(state, name)

        def __str__(self):
            return str(state)

        def to_dict(self):
            return {**state.to_dict(), "played": 1}

    state = masume.load("kakomimasu", width=3, height=3).new_state()
    return Twin()


@pytest.mark.parametrize(
    ("entrance", "told"),
    [(crash, "killed by SIGTERM"), (hang, "no end after"), (leak, "KeyError: 'undocumented'"), (differ, "other dict")],
)
def test_what_goes_wrong_is_told_and_the_rest_is_run(monkeypatch, entrance, told):
    monkeypatch.setattr(fuzz, "HANG_S", 1)
    monkeypatch.setattr(fuzz, "ENTRANCES", {entrance: (ValueError,)})
    monkeypatch.setattr(fuzz, "OWN_ENTRANCES", {})
    found = list(fuzz.failures(5, 2, tuple(fuzz.GAMES), {}))
    assert [seed for seed, _ in found] == [5, 6]
    assert all(told in what for _, what in found)


def test_a_refused_input_and_a_sound_position_are_no_failures(monkeypatch):
    def refuse(_):
        raise masume.StateError("no position")

    for entrance, accepted in ((refuse, 0), (lambda sample: sample.state, 3)):
        counts = {}
        monkeypatch.setattr(fuzz, "ENTRANCES", {entrance: (masume.StateError,)})
        monkeypatch.setattr(fuzz, "OWN_ENTRANCES", {})
        assert list(fuzz.failures(5, 3, tuple(fuzz.GAMES), counts)) == []
        assert counts == {entrance.__name__: [3, accepted]}
