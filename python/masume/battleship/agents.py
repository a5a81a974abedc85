"""Computer players: the hunter, in three strengths. They use what a view offers and never a state."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..agent import ScriptedAgent
from . import notation
from .config import BATTLESHIP, DESTROYER, OILER, SUBMARINE, Config
from .knowledge import Knowledge, calls
from .notation import Action

LEVELS = ("easy", "normal", "hard")
SPLASH = 0.5  # of a hit: what it is worth to learn whether a ship is near
LATER = 0.4  # of a hit: what one is worth that may come a turn later
NEARER = 0.1  # of a hit: what it is worth to be where an enemy is; half as much beside it
TORPEDO = 0.5  # of a hit: what one is worth when the torpedo has to find its way first


class Hunter(ScriptedAgent):
    """Shoots where an enemy most likely is, by what hits, splashes and moves have told; else it comes nearer.

    level : "normal" goes by the panels where each enemy ship may be; "easy" does so every second turn, and plays at
    random in the others; "hard" also goes by what a splash, or none, would tell.
    """

    def __init__(self, level: str = "normal") -> None:
        super().__init__()
        self.name = f"hunter:{level}"
        self.level = level
        self._known: Knowledge | None = None
        self._told = 0  # events of the information state that `_known` has heard

    def start(self, game: Any, player: int, seed: int) -> None:
        """A game begins."""
        super().start(game, player, seed)
        self._known = Knowledge(game.config.public(), player)
        self._told = 0

    def act(self, view: Any) -> int:
        """The legal action that promises most; all chance comes from the seed given to `start`."""
        legal = [int(action) for action in view.legal_actions()]
        known = self._hear(view)
        if not known.ships:
            return self._set_up(view.game.config, legal)
        if self.level == "easy" and self.rng.below(2):
            return self.one_of(self._without_resigning(view.game.config, legal))
        judge = _Judge(known, SPLASH if self.level == "hard" else 0.0)
        said = {code: notation.decode(view.game.config, code) for code in legal}
        worth = {code: judge.worth(action) for code, action in said.items()}
        best = max(worth.values())
        return self.one_of([code for code in legal if worth[code] >= best - 1e-9])

    def _without_resigning(self, config: Config, legal: list[int]) -> list[int]:
        others = [code for code in legal if notation.decode(config, code).kind != notation.RESIGN]
        return others or legal

    def _hear(self, view: Any) -> Knowledge:
        """What the player knows by now."""
        assert self._known is not None
        words = view.information_state().split("|")
        _, new = notation.views_of("|".join([words[0], *words[1 + self._told :]]))
        self._told = len(words) - 1
        for told in calls(new):
            self._known.hear(told)
        return self._known

    def _set_up(self, config: Config, legal: list[int]) -> int:
        """Warships before all others, in random places; a flagship that is hard to sink."""
        said = [notation.decode(config, code) for code in legal]
        if said[0].kind == notation.PICK:
            wanted = (BATTLESHIP, DESTROYER, SUBMARINE)[self.rng.below(3)]
            return notation.encode(config, Action(notation.PICK, where=wanted))
        if said[0].kind == notation.FLAG and config.fleets is not None:
            return legal[0]
        return self.one_of(legal)


def enemies(known: Knowledge) -> list[tuple[int, int, set[int]]]:
    """(player, slot, panels where it may be) of each living ship of the other sides."""
    sides = known.config.sides
    return [
        (q, slot, panels)
        for q, row in enumerate(known.suspects)
        if sides[q] != sides[known.player]
        for slot, panels in enumerate(row)
        if panels
    ]


class _Judge:
    """What each action of a turn is worth, in hits."""

    def __init__(self, known: Knowledge, curiosity: float) -> None:
        self.known = known
        self.curiosity = curiosity
        self.enemies = enemies(known)
        self.heat = dict.fromkeys(range(known.config.panels), 0.0)
        for _, _, panels in self.enemies:
            for panel in panels:
                self.heat[panel] += 1 / len(panels)

    def worth(self, action: Action) -> float:
        """The expected hits of an action, with what it lets one hope for."""
        kind, slot, where, distance = action
        if kind == notation.RESIGN:
            return -10.0
        if kind == notation.PASS:
            return -5.0
        ship = self.known.ships[slot]
        if kind == notation.ATTACK:
            target = self._beside(ship.panel, notation.DIRECTIONS[where])
            return self.shot(target) - self._price(self.known.config.attack_cost[ship.cls])
        if kind == notation.TORPEDO:
            return TORPEDO * self.heat[where] - self._price(self.known.config.torpedo_cost)
        if kind == notation.MOVE:
            panel = ship.panel
            for _ in range(distance):
                panel = self._beside(panel, notation.HEADINGS[where])
            gain = LATER * self.best_shot(panel) if ship.cls != OILER else 0.0
            price = self._price(self.known.config.move_fp(ship.cls, distance))
            return gain - price + self.nearness(panel) - self.nearness(ship.panel)
        if kind == notation.REINFORCE:
            return 1.0 + LATER * self.best_shot(where)
        return 0.02 if kind == notation.MINE else -1.0

    def _price(self, fp: int) -> float:
        """Fuel in hits: what is left at the end is worth nothing."""
        return fp / 2000 if self.known.config.fuel else 0.0

    @functools.cache  # noqa: B019  # a judge lives for one turn
    def shot(self, panel: int) -> float:
        """The hits to be expected of a shot at a panel, and what a splash, or none, would tell."""
        near = self.known.around(panel)
        learnt = 0.0
        for _, _, panels in self.enemies:
            share = len(panels & near) / len(panels)
            learnt += min(share, 1 - share)
        return self.heat[panel] + self.curiosity * learnt

    @functools.cache  # noqa: B019
    def best_shot(self, panel: int) -> float:
        """The best shot from a panel."""
        return max(self.shot(target) for target in self.known.around(panel))

    @functools.cache  # noqa: B019
    def nearness(self, panel: int) -> float:
        """How near a panel is to the enemy, in hits."""
        width = self.known.config.width
        y, x = divmod(panel, width)
        far = {cell: max(abs(cell // width - y), abs(cell % width - x)) for cell in self.heat}
        return NEARER * sum(warmth / (1 + far[cell]) for cell, warmth in self.heat.items())

    def _beside(self, panel: int, direction: str) -> int:
        right = ("E" in direction) - ("W" in direction)
        down = ("S" in direction) - ("N" in direction)
        return panel + down * self.known.config.width + right


AGENTS: dict[str, Callable[[], Hunter]] = {
    "hunter": Hunter,
    **{f"hunter:{level}": functools.partial(Hunter, level) for level in LEVELS},
}
MCTS = {"policy": "gunner", "exploration": 0.5}
"""What suits `masume.search.MCTS` (docs/search.md)."""
