"""Skipped tests by reason; with --may-skip TARGET a skip that skips.toml does not list for TARGET fails the run."""

import collections
import fnmatch
import tomllib
from pathlib import Path

import pytest

LIST = Path(__file__).with_name("skips.toml")


def pytest_addoption(parser):
    targets = ", ".join(tomllib.loads(LIST.read_text("utf-8")))
    parser.addoption(
        "--may-skip", metavar="TARGET",
        help=f"print skipped tests by reason, and fail for those that tests/skips.toml does not list ({targets})",
    )  # fmt: skip


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter, config):
    target = config.getoption("may_skip")
    if target is None:
        return
    listed = tomllib.loads(LIST.read_text("utf-8"))[target]
    places = collections.defaultdict(set)
    for report in terminalreporter.stats.get("skipped", ()):
        places[reason_of(report)].add(report.nodeid.partition("[")[0])
    terminalreporter.section(f"skipped, by reason; tests/skips.toml lists what `make {target}` may skip in CI")
    for reason, found in sorted(places.items()):
        mark = "listed" if is_listed(reason, listed) else "NOT LISTED"
        terminalreporter.line(f"{mark}: {reason}: {', '.join(sorted(found))}")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session, exitstatus):
    target = session.config.getoption("may_skip")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if target is None or reporter is None or exitstatus != pytest.ExitCode.OK:  # None: a worker of xdist
        return
    listed = tomllib.loads(LIST.read_text("utf-8"))[target]
    if not all(is_listed(reason_of(report), listed) for report in reporter.stats.get("skipped", ())):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def reason_of(report):
    """Return the reason of the report of a skipped test or file."""
    return report.longrepr[2].removeprefix("Skipped: ")


def is_listed(reason, listed):
    """Return whether one of these patterns is that of a reason."""
    return any(fnmatch.fnmatchcase(reason, pattern) for pattern in listed)
