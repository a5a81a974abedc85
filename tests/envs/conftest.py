"""The games the adapters are tested on: small ones, so that many of them end."""

import pytest

import masume

SMALL = {
    "battleship": {"preset": "submarine", "width": 4, "height": 3},
    "chaser": {"width": 5, "height": 4, "n_blocks": 2, "n_items": 4, "turn_limit": 10},
    "kakomimasu": {"width": 4, "height": 3, "n_agents": 2, "total_turns": 5, "seed": 3},
    "nezumi": {"turns": 4},
    "terraforming": {"radius": 2, "max_turns": 2},
}


@pytest.fixture(params=SMALL)
def name(request):
    return request.param


@pytest.fixture
def config(name):
    return SMALL[name]


@pytest.fixture
def game(name, config):
    return masume.load(name, **config)
