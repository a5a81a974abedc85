"""Engine and reference in lockstep: a difference is reported, kept as a case and played again."""

import json
import sys

import numpy as np
import pytest

import campaign
import lockstep
import masume
from lockstep import DifferenceError, Lockstep, first_difference, play_case

KEPT = lockstep.FAILURES


@pytest.fixture(autouse=True)
def failures(monkeypatch, tmp_path):
    """Return the folder for the cases of a test."""
    monkeypatch.setattr(lockstep, "FAILURES", tmp_path)
    return tmp_path


@pytest.fixture
def plant(monkeypatch):
    """Return a function that makes the reference of a game count a point too many after its third action."""

    def add_a_point(name):
        state = masume.load(name).reference.State
        apply, scores = state.apply, state.scores

        def count(self, *arguments):
            apply(self, *arguments)
            self.count = getattr(self, "count", 0) + 1

        monkeypatch.setattr(state, "apply", count)
        monkeypatch.setattr(
            state, "scores", lambda self: [one + (getattr(self, "count", 0) == 3) for one in scores(self)]
        )

    return add_a_point


def report_of(name, steps, **start):
    """Return the DifferenceError that ends these steps of a game."""
    with pytest.raises(DifferenceError) as caught:
        take(name, steps, **start)
    return caught.value


def take(name, steps, **start):
    with Lockstep(name, masume.load(name).config, **start) as twins:
        steps(twins)


def replay(monkeypatch, capsys, name, path):
    """Return (exit status, output) of the command that plays a case again."""
    monkeypatch.setattr(sys, "argv", ["campaign.py", name, "--case", str(path)])
    return campaign.main(), capsys.readouterr().out


def test_kept_failures_do_not_come_back():
    for path in sorted(KEPT.glob("*.json")):
        play_case(path.stem.rpartition("-")[0], path)


@pytest.mark.parametrize("name", masume.games())
def test_a_difference_is_reported_kept_and_played_again(name, plant, failures, monkeypatch, capsys):
    plant(name)
    _, fault = campaign.play_chunk((name, 0, 20))
    (path,) = failures.glob(f"{name}-*.json")
    case = json.loads(path.read_text())
    difference, after, *_ = fault.splitlines()
    assert difference == case["difference"]
    assert difference.startswith("scores()[0]: engine ")
    assert after.startswith("after a")
    assert fault.index("\nengine:\n") < fault.index("\nreference:\n") < fault.index(f"\nconfig: Game({name!r}")
    assert f"python tests/campaign.py {name} --case {path}" in fault
    assert f"\nseed: {case['seed']}, ply: " in fault

    status, told = replay(monkeypatch, capsys, name, path)
    assert (status, told.splitlines()[0]) == (1, difference)
    monkeypatch.undo()
    assert replay(monkeypatch, capsys, name, path) == (0, f"{path}: no difference\n")


def test_the_report_shows_the_action_and_both_boards():
    def steps(twins):
        twins.apply(action)
        twins.reference.cat = (0, 0)
        boards.extend(map(masume.render.text, (twins.engine, twins.reference)))
        twins.ask("to_dict")

    start, boards = masume.load("nezumi").new_state(), []
    action = int(start.legal_actions()[-1])
    report = str(report_of("nezumi", steps))
    assert report.startswith("to_dict()['cat']: engine ")
    assert f"\nafter apply({action}): {start.action_to_text(action)}\n" in report
    assert f"\nengine:\n{boards[0]}\n\nreference:\n{boards[1]}\n" in report
    assert boards[0] != boards[1]


def test_any_exception_is_reported(failures):
    def fail(_):
        raise AssertionError

    error = report_of("nezumi", lambda twins: twins.calls[0])
    assert isinstance(error.__cause__, IndexError)
    assert str(error).startswith("IndexError: list index out of range\nafter the start\n")
    assert str(report_of("nezumi", fail)).startswith("raise AssertionError\nafter the start\n")
    assert len(list(failures.iterdir())) == 2


@pytest.mark.parametrize(
    ("engine", "reference", "told"),
    [
        ({"a": [1, [2, 3]]}, {"a": [1, [2, 4]]}, "x['a'][1][1]: engine 3, reference 4"),
        ({"a": 1}, {"b": 1}, "x: engine {'a': 1}, reference {'b': 1}"),
        ([1, 2], [1], "x: engine [1, 2], reference [1]"),
        (np.array([[1, 2]], np.int8), [[1, 3]], "x[0][1]: engine 2, reference 3"),
        (
            np.array([0.1], np.float32),
            [0.2],
            f"x[0]: engine {np.float32(0.1).item()}, reference {np.float32(0.2).item()}",
        ),
        ("a\nb", "a\nc", "x[line 2]: engine 'b', reference 'c'"),
        (ValueError, None, "x: engine <class 'ValueError'>, reference None"),
    ],
)
def test_the_first_difference_is_named_with_both_values(engine, reference, told):
    assert first_difference(engine, reference, "x") == told


@pytest.mark.parametrize(
    ("engine", "reference"),
    [(np.array([0.1], np.float32), [0.1]), (np.array([1, 0]), [True, False]), ((1, [2]), [1, (2,)]), ("a\nb", "a\nb")],
)
def test_equal_answers_have_no_difference(engine, reference):
    assert first_difference(engine, reference, "x") is None


def test_an_action_must_be_accepted_and_refused_as_told():
    take("nezumi", lambda twins: twins.refuse(-1))
    assert "apply(-1): both refuse with IllegalActionError" in str(report_of("nezumi", lambda twins: twins.apply(-1)))
    assert "apply(1): both accept it" in str(report_of("chaser", lambda twins: twins.refuse(1)))


def test_a_case_goes_through_a_restart_and_a_given_position(failures):
    def steps(twins):
        twins.refuse("no action")
        twins.restart()
        twins.apply(4)
        raise AssertionError

    start = masume.load("chaser").new_state(5)
    start.apply(0)
    report_of("chaser", steps, position=start.to_dict())
    (path,) = failures.iterdir()
    case = json.loads(path.read_text())
    assert case["calls"] == [["apply", "no action"], ["restart"], ["apply", 4]]
    assert case["position"] == start.to_dict()
    play_case("chaser", path)
