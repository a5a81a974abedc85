"""A step of a game that comes with PettingZoo, which draws its games with pygame."""

from __future__ import annotations

from pettingzoo.classic import tictactoe_v3

from masume.bench import Case

from .environments import case, turns


def cases() -> list[Case]:
    return [case("random step/PettingZoo's tictactoe", lambda _: turns(tictactoe_v3.env()))]
