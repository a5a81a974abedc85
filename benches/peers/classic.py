"""A step of a game that comes with PettingZoo, which draws its games with pygame."""

from __future__ import annotations

from masume.bench.report import Case
from pettingzoo.classic.tictactoe.tictactoe import env

from .environments import case, turns


def cases() -> list[Case]:
    return [case("random step/PettingZoo's tictactoe", lambda _: turns(env()))]
