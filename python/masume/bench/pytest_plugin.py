"""The pytest fixture `instructions`: use `pytest -p masume.bench.pytest_plugin`, or put it into `addopts`."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import pytest

from ..core.files import write_atomic
from .counting import Cases, benchmark_json, count_instructions

FOUND = pytest.StashKey[dict[str, float]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--instructions-json", metavar="FILE", help="write what `instructions` counted, for github-action-benchmark"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[FOUND] = {}


@pytest.fixture
def instructions(pytestconfig: pytest.Config) -> Callable[..., dict[str, float]]:
    """Return `masume.bench.count_instructions`; the test is skipped if valgrind is missing."""
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed")

    def count(cases: Cases, *arguments: str) -> dict[str, float]:
        found = count_instructions(cases, *arguments)
        pytestconfig.stash[FOUND].update(found)
        return found

    return count


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--instructions-json")
    if path is not None:
        found = session.config.stash[FOUND]
        write_atomic(path, benchmark_json(found).encode())
