"""A step of a game from PettingZoo, which draws its games with pygame."""

from __future__ import annotations

from pettingzoo.classic.tictactoe.tictactoe import env

from masume.bench import Case

from .environments import case, turns


def cases() -> list[Case]:
    return [case("random step/PettingZoo's tictactoe", lambda _: turns(env()))]
