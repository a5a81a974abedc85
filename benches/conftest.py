"""Run a case of masume.bench as a pytest-benchmark: `time_case`, once for each case of the module's SUBJECT."""

import functools
import sys
from pathlib import Path

import pytest

from masume import bench

sys.path.insert(0, str(Path(__file__).parent))
import peers

ROUNDS = 20
midgame = functools.cache(functools.partial(bench.Midgame, sets=1))  # a case is checked on two sets, timed on one


def pytest_generate_tests(metafunc):
    if "time_case" in metafunc.fixturenames:
        found = [(name, case) for name in bench.workloads() for case in [*bench.cases(name), *peers.cases(name)]]
        chosen = [
            pytest.param(name, case, id=f"{name} {case.name}")
            for name, case in found
            if case.subject == metafunc.module.SUBJECT
        ]
        metafunc.parametrize(("game", "case"), chosen)


@pytest.fixture
def time_case(benchmark, game, case):
    """Check the case's answer, then time it; the time per unit is in the extra info."""

    def run():
        work = case.ready(midgame(game))
        benchmark.group = f"{game}: {case.operation}, {work.units:,} {case.unit}s a call"
        benchmark.extra_info.update(units=work.units, unit=case.unit)
        benchmark.pedantic(work.run, setup=work.before, rounds=ROUNDS)
        if benchmark.stats:  # None under --benchmark-disable
            benchmark.extra_info["median_ns_per_unit"] = benchmark.stats.stats.median / work.units * 1e9

    return run
