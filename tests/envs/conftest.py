"""The games on which the adapters are tested: small ones, so that many of them end."""

import pytest

import masume
from cases import GAMES

SMALL = {name: its.SMALL for name, its in GAMES.items()}


@pytest.fixture(params=SMALL)
def name(request):
    return request.param


@pytest.fixture
def config(name):
    return SMALL[name]


@pytest.fixture
def game(name, config):
    return masume.load(name, **config)
