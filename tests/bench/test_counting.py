"""Counted instructions: under valgrind, in other projects' suites, as JSON for the benchmark action."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import masume
from masume import bench
from masume.bench import counting

CI = Path(__file__).parents[2] / "docs" / "ci.md"
needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")


def test_per_unit_takes_the_empty_region_off():
    found = counting.per_unit([385, 4_000_385, 1_385], [["kakomimasu turn/table", 1000], ["kakomimasu key/table", 3]])
    assert found == {"kakomimasu turn/table": 4000.0, "kakomimasu key/table": 333.33}


def test_two_cases_have_two_names():
    with pytest.raises(masume.ConfigError, match="cases: two have the same name"):
        counting.per_unit([1, 2, 3], [["turn", 1], ["turn", 1]])


def test_totals_reads_a_dump_of_callgrind(tmp_path):
    dump = tmp_path / "out.1"
    dump.write_text(
        "# callgrind format\npart: 1\nevents: Ir Bc Bcm\nfn=(1) masume_counted\n12 7 1\n\nsummary: 84\n"
        "totals: 84118 900 45\n"
    )
    assert counting._totals(dump) == {"Ir": 84118, "Bc": 900, "Bcm": 45}


def test_the_benchmark_action_gets_name_unit_and_value():
    assert json.loads(bench.benchmark_json({"a": 12.5, "b": 3.0})) == [
        {"name": "a", "unit": "instructions", "value": 12.5},
        {"name": "b", "unit": "instructions", "value": 3.0},
    ]


def fail():
    yield "broken", None, 1


@pytest.mark.parametrize("cases", [lambda: "", len, bench.Midgame.batch])
def test_only_a_function_of_a_file_can_be_found_again(cases):
    with pytest.raises(masume.ConfigError, match="cases: expected a function on the top level of a file, got"):
        bench.count_instructions(cases)


def test_without_valgrind_it_says_so(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(masume.ExtraError, match="valgrind is not installed"):
        bench.count_instructions(fail)


def test_what_fails_under_valgrind_is_an_error(tmp_path, monkeypatch):
    valgrind = tmp_path / "valgrind"
    valgrind.write_text("#!/bin/sh\nexit 3\n")
    valgrind.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(masume.ConfigError, match="cases: fail failed under valgrind with exit code 3"):
        bench.count_instructions(fail)


@pytest.mark.slow
@needs_valgrind
def test_the_example_of_the_page_runs_in_a_suite(tmp_path):
    blocks = re.findall(r"^```python\n(.*?)^```$", CI.read_text(), re.MULTILINE | re.DOTALL)[-2:]
    (tmp_path / "test_speed.py").write_text("\n".join(blocks))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "masume.bench.pytest_plugin", "-p", "no:cacheprovider"]
    command += ["--instructions-json", "found.json", "test_speed.py"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "1 passed" in run.stdout
    (entry,) = json.loads((tmp_path / "found.json").read_text())
    assert (entry["name"], entry["unit"]) == ("nezumi playouts", "instructions")
    assert 50 < entry["value"] < 1500


def sums():
    """Yield twice the work, and a set-up that takes longer than both."""
    list(range(1_000_000))
    for count in (1_000, 2_000):
        yield f"{count} numbers", lambda count=count: sum(range(count)), 1


def tosses():
    """Yield a chain of mixes, whose branches are all alike, and games of nezumi, whose draws nobody can foresee."""
    batch = masume.load("nezumi", stage="garden").batch(64, seed=1, observe=None, masks=False)
    batch.playout()
    batch.reset(2)
    yield "mixes", lambda: bench._loops.calibrate(10_000), 10_000
    yield "games", batch.playout, 64


def both():
    """Yield all of these: a Python takes half a minute to begin under valgrind."""
    yield from sums()
    yield from tosses()


@pytest.fixture(scope="module")
def counted():
    """Return the counts of both, with mispredictions."""
    return bench.count_instructions(both, mispredictions=True)


@pytest.mark.slow
@needs_valgrind
def test_mispredictions_are_counted_on_request(counted):
    names = ["1000 numbers", "2000 numbers", "mixes", "games"]
    assert list(counted) == [*names, *(f"{name}, mispredicted" for name in names)]
    assert counted["mixes, mispredicted"] < 0.1
    assert 1 < counted["games, mispredicted"] < counted["games"] / 10


@pytest.mark.slow
@needs_valgrind
def test_what_is_counted_is_the_work_and_not_its_set_up(counted):
    once, twice = counted["1000 numbers"], counted["2000 numbers"]
    assert 1.5 * once < twice < 2.5 * once < 500_000


def test_a_suite_without_valgrind_skips(tmp_path):
    (tmp_path / "conftest.py").write_text("import shutil\nshutil.which = lambda name: None\n")
    (tmp_path / "test_speed.py").write_text("def test_skipped(instructions):\n    raise AssertionError\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-rs",
        "-p",
        "masume.bench.pytest_plugin",
        "-p",
        "no:cacheprovider",
        ".",
    ]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (run.returncode, "valgrind is not installed" in run.stdout) == (0, True), run.stdout
