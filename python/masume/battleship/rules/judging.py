"""Battleship: scores, defeated players and the end of the game. [section 8]"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from ..config import OILER, SCORE_MISSIONS
from ..notation import DEFEATS, REASONS
from .fuel import Fuel
from .state import OVER, Player, Ship


class Judging(Fuel):
    """Scores, defeats and results."""

    def counts_sunk(self, ship: Ship) -> bool:
        """Return whether the ship is sunk, or an Oiler that cannot attack. [section 3.3] [BS-74]"""
        unable = self.config.fuel and ship.cls == OILER and ship.fp < self.config.attack_cost[OILER]
        return not ship.is_alive or unable

    def is_able(self, ship: Ship) -> bool:
        """Return whether the ship is alive and not out of fuel. [section 3.3] [BS-101]"""
        return ship.is_alive and not self.is_fuel_out(ship)

    def scores(self) -> list[int]:
        """Return the current score of each player. [8.4] [BS-R44]"""
        return [self._score_of(player) for player in self.players]

    def _score_of(self, player: Player) -> int:
        config = self.config
        left = [ship for ship in player.fleet if not self.counts_sunk(ship)]
        earned = config.score_sunk * player.kills + config.score_hit * player.dealt
        return earned + config.score_ship * len(left) + config.score_hp * sum(ship.hp for ship in left)

    def returns(self) -> list[float]:
        """Return the result of each player, -1..1; 0 before the end. [8.5]"""
        if not self.is_terminal():
            return [0.0] * self.config.players
        sides = self._sides_of(self.everybody)
        losers = len(sides) - len(self.winners)
        lost = -1 / (len(sides) - 1)
        won = losers / ((len(sides) - 1) * len(self.winners))
        return [won if side in self.winners else lost for side in self.config.sides]

    def _defeat_of(self, p: int) -> str | None:
        """Return why the player is defeated, or None if it is not. [8.1] [BS-73] [BS-76] [BS-R39]"""
        fleet = self.players[p].fleet
        if self.config.has_flagship and any(ship.flagship and not ship.is_alive for ship in fleet):
            return "flagship"
        return "annihilated" if all(map(self.counts_sunk, fleet)) else None  # BS-126

    def _sides_of(self, members: Iterable[int]) -> set[int]:
        return {self.config.sides[p] for p in members}

    def _list_qualified(self) -> list[int]:
        return [p for p, player in enumerate(self.players) if player.qual]

    def _active(self) -> list[int]:
        return [p for p, player in enumerate(self.players) if player.active]

    def _judge(self) -> None:
        """Find players who are defeated or out now; end the game if due. [8.2] [BS-77] [BS-R40]"""
        before = self._list_qualified()
        for p in before:
            cause = self._defeat_of(p)
            if cause is not None:
                self._disqualify(p, cause)  # BS-100
        if self.config.mission == "rescue":  # BS-12
            lost = self._sides_of(self.everybody - set(self._list_qualified()))
            for p in self._list_qualified():
                if self.config.sides[p] in lost:
                    self._disqualify(p, "ally")
        for p in self._active():
            player = self.players[p]
            if not player.qual and not any(map(self.is_able, player.fleet)):
                self._remove_player(p, "unable")  # BS-104, BS-R48
        left = self._sides_of(self._list_qualified())  # BS-92
        if len(left) == 1:
            self._finish(left, "victory")
        elif not left:
            self._finish(self._sides_of(before) | self._sides_of(self._active()), "mutual")

    def _disqualify(self, p: int, cause: str) -> None:
        self.players[p].qual = False
        self._tell("DEFEATED", p, None, None, None, DEFEATS.index(cause))

    def _remove_player(self, p: int, cause: str) -> None:
        """Remove a player with its whole fleet; its mines stay. [7.13] [BS-150] [BS-R28]"""
        player = self.players[p]
        if player.qual:
            player.qual = False
            self._tell("DEFEATED", p, None, None, None, DEFEATS.index(cause))
        player.active = False
        for ship in player.fleet:
            ship.hp = 0
            ship.stealth = ship.surf = ship.fuelout = False
        player.torpedoes = []
        self._tell("OUT", p, None, None, None, DEFEATS.index(cause))

    def _adjudicate(self, reason: str) -> None:
        """End the game by the rules of the mission. [8.3] [BS-78]"""
        self._finish(self._find_winners(), reason)

    def _find_winners(self) -> set[int]:
        config, qualified = self.config, self._list_qualified()
        sides = sorted(set(config.sides))
        if config.mission == "retreat":  # BS-15
            return {config.sides[config.defender]}
        if config.teams is not None:  # BS-80, BS-93
            losses = [sum(config.sides[p] == side and p not in qualified for p in self.everybody) for side in sides]
            if losses[0] != losses[1]:
                return {sides[losses.index(min(losses))]}
        if config.mission in SCORE_MISSIONS:  # BS-79, BS-95
            averages = {side: self._average(side) for side in self._sides_of(qualified)}
            return {side for side, score in averages.items() if score == max(averages.values())}
        return self._sides_of([*qualified, *self._active()])  # BS-9, BS-11, BS-R45

    def _average(self, side: int) -> Fraction:
        scores = [score for p, score in enumerate(self.scores()) if self.config.sides[p] == side]
        return Fraction(sum(scores), len(scores))

    def _finish(self, winners: set[int], reason: str) -> None:
        self.phase = OVER
        self.winners = winners
        self.reason = REASONS.index(reason)
        mask = sum(1 << side for side in winners)
        self._tell("GAME_OVER", None, None, None, None, mask, self.reason)
