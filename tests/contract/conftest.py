"""The games that every contract test runs on: small, odd and default configs of each."""

import pytest

import masume
from cases import GAMES

ALL = [pytest.param(name, fields, id=f"{name}-{k}") for name in GAMES for k, fields in enumerate(GAMES[name].CASES)]


def pytest_generate_tests(metafunc):
    if "game" in metafunc.fixturenames:
        metafunc.parametrize(("name", "fields"), ALL, scope="module")


@pytest.fixture(scope="module")
def game(name, fields):
    return masume.load(name, **fields)
