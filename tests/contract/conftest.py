"""The games every contract test runs on: small, odd and default configs of each."""

import pytest

import masume

CASES = {
    "kakomimasu": [
        {},
        {"width": 1, "height": 1, "n_agents": 1, "total_turns": 3},
        {"width": 5, "height": 4, "n_players": 3, "n_agents": 2, "total_turns": 12, "seed": 3},
        {"width": 7, "height": 30, "n_players": 4, "n_agents": 16, "total_turns": 6, "put_on_enemy_wall": "server"},
        {"width": 4, "height": 4, "n_agents": 3, "total_turns": 40, "seed": 8, "symmetry": "none"},
    ],
}
ALL = [pytest.param(name, fields, id=f"{name}-{k}") for name, cases in CASES.items() for k, fields in enumerate(cases)]


def pytest_generate_tests(metafunc):
    if "game" in metafunc.fixturenames:
        metafunc.parametrize(("name", "fields"), ALL, scope="module")


@pytest.fixture(scope="module")
def game(name, fields):
    return masume.load(name, **fields)
