"""Computer players: the hunter, in three strengths, and the careful one. They use only the view of their player."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..agent import ScriptedAgent
from . import notation
from .config import BATTLESHIP, DESTROYER, OILER, SUBMARINE, Config
from .knowledge import STEALTH, Knowledge, calls
from .notation import EVENTS, KINDS, Action, View

LEVELS = ("easy", "normal", "hard")
# values in hits
SPLASH = 0.5  # learning whether a ship is near
LATER = 0.4  # a hit that may come a turn later
NEARER = 0.1  # being on the panel of an enemy; half of it on a neighbouring panel
TORPEDO = 0.5  # a hit by a torpedo, which has to reach its target first
# of the careful agent
PATIENT = 0.2  # a hit that may come a turn later
DANGER = 0.5  # an own ship's hit by the next shot of an enemy
PRIVATE = ("SETUP", "STATUS", "TERRAIN", "STEALTH", "REFUEL", "TORP_MOVE", "MINE_LOST")
"""Kinds of events that only the player concerned receives. [section 9.2]"""
HIDDEN = {
    "ATTACK": ("slot", "cls", "why", "id"),
    "MOVE": ("panel",),
    "SUNK": ("panel",),
    "MINE_HIT": ("panel",),
    "MINE_LAID": ("slot", "panel"),
    "TORP_FIRED": ("slot", "panel", "id"),
    "REINFORCED": ("panel",),
    "FLAG_CHANGED": ("slot",),
}
"""What others do not see of the events of other kinds. [section 9.2]"""


class Hunter(ScriptedAgent):
    """Agent that shoots at the most likely panel of an enemy, given hits, splashes and moves, or approaches it.

    Parameters
    ----------
    level : {"easy", "normal", "hard"}
        "normal" judges actions by the panels where each enemy ship may be. "easy" does so in about half of its turns,
        chosen at random, and plays random actions in the others. "hard" also counts the information gained from a
        splash, or from its absence.
    """

    def __init__(self, level: str = "normal") -> None:
        super().__init__()
        self.name = f"hunter:{level}"
        self.level = level
        self._known: Knowledge | None = None
        self._told = 0  # number of events of the information state that have been heard

    def start(self, game: Any, player: int, seed: int) -> None:
        """Prepare for a new game."""
        super().start(game, player, seed)
        self._known = Knowledge(game.config.public(), player)
        self._told = 0

    def act(self, view: Any) -> int:
        """Return the most promising legal action; all randomness comes from the seed passed to `start`."""
        legal = [int(action) for action in view.legal_actions()]
        known = self._hear(view)
        if not known.ships:
            return self._set_up(view.game.config, legal)
        if self.level == "easy" and self.rng.below(2):
            return self.one_of(self._without_resigning(view.game.config, legal))
        judge = self._judge(known)
        said = {code: notation.decode(view.game.config, code) for code in legal}
        worth = {code: judge.worth(action) for code, action in said.items()}
        best = max(worth.values())
        return self.one_of([code for code in legal if worth[code] >= best - 1e-9])

    def _without_resigning(self, config: Config, legal: list[int]) -> list[int]:
        others = [code for code in legal if notation.decode(config, code).kind != notation.RESIGN]
        return others or legal

    def _judge(self, known: Knowledge) -> _Judge:
        return _Judge(known, SPLASH if self.level == "hard" else 0.0)

    def _hear(self, view: Any) -> Knowledge:
        """Return the player's knowledge, updated by the new events of the view."""
        assert self._known is not None
        words = view.information_state().split("|")
        _, new = notation.views_of("|".join([words[0], *words[1 + self._told :]]))
        self._told = len(words) - 1
        for told in calls(new):
            self._take_in(self._known, told)
        return self._known

    def _take_in(self, known: Knowledge, told: Iterable[Sequence[int]]) -> None:
        """Take in the events of one call."""
        known.hear(told)

    def _set_up(self, config: Config, legal: list[int]) -> int:
        """Return a setup action: combat ships, on random panels; slot 0 as flagship if the fleet is fixed."""
        said = [notation.decode(config, code) for code in legal]
        if said[0].kind == notation.PICK:
            wanted = (BATTLESHIP, DESTROYER, SUBMARINE)[self.rng.below(3)]
            return notation.encode(config, Action(notation.PICK, where=wanted))
        if said[0].kind == notation.FLAG and config.fleets is not None:
            return legal[0]
        return self.one_of(legal)


def enemies(known: Knowledge) -> list[tuple[int, int, set[int]]]:
    """Return (player, slot, panels where it may be) for each living ship of the other sides."""
    sides = known.config.sides
    return [
        (q, slot, panels)
        for q, row in enumerate(known.suspects)
        if sides[q] != sides[known.player]
        for slot, panels in enumerate(row)
        if panels
    ]


class _Judge:
    """Values of the actions of a turn, in hits."""

    def __init__(self, known: Knowledge, curiosity: float) -> None:
        self.known = known
        self.curiosity = curiosity
        self.enemies = enemies(known)
        self.heat = dict.fromkeys(range(known.config.panels), 0.0)
        for _, _, panels in self.enemies:
            for panel in panels:
                self.heat[panel] += 1 / len(panels)

    def worth(self, action: Action) -> float:
        """Return the value of an action: its expected hits, its prospects and its price."""
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
        """Return fuel points as hits; the rate is low, because fuel left at the end has no value."""
        return fp / 2000 if self.known.config.fuel else 0.0

    @functools.cache  # noqa: B019  # a judge lives for one turn
    def shot(self, panel: int) -> float:
        """Return the expected hits of a shot at a panel plus the value of the information from a splash."""
        near = self.known.around(panel)
        learnt = 0.0
        for _, _, panels in self.enemies:
            share = len(panels & near) / len(panels)
            learnt += min(share, 1 - share)
        return self.heat[panel] + self.curiosity * learnt

    @functools.cache  # noqa: B019
    def best_shot(self, panel: int) -> float:
        """Return the value of the best shot from a panel."""
        return max(self.shot(target) for target in self.known.around(panel))

    @functools.cache  # noqa: B019
    def nearness(self, panel: int) -> float:
        """Return the value of a panel's proximity to the enemy, in hits."""
        width = self.known.config.width
        y, x = divmod(panel, width)
        far = {cell: max(abs(cell // width - y), abs(cell % width - x)) for cell in self.heat}
        return NEARER * sum(warmth / (1 + far[cell]) for cell, warmth in self.heat.items())

    def _beside(self, panel: int, direction: str) -> int:
        right = ("E" in direction) - ("W" in direction)
        down = ("S" in direction) - ("N" in direction)
        return panel + down * self.known.config.width + right


class Careful(Hunter):
    """Agent that also judges what each enemy knows about its own ships, and what the enemy's next shot may hit.

    It shoots first, keeps away from enemies that may know where it is, and leaves panels where it was hit or noticed.
    """

    def __init__(self) -> None:
        super().__init__("hard")
        self.name = "careful"
        self._foes: list[Knowledge] = []

    def start(self, game: Any, player: int, seed: int) -> None:
        """Prepare for a new game."""
        super().start(game, player, seed)
        config = game.config.public()
        self._foes = [Knowledge(config, q) for q, side in enumerate(config.sides) if side != config.sides[player]]

    def _take_in(self, known: Knowledge, told: Iterable[Sequence[int]]) -> None:
        for foe in self._foes:
            foe.hear(as_told_to(foe.player, known, told))
        super()._take_in(known, told)

    def _judge(self, known: Knowledge) -> _Judge:
        return _CarefulJudge(known, SPLASH, self._foes)


def as_told_to(enemy: int, known: Knowledge, views: Iterable[Sequence[int]]) -> list[View]:
    """Return the part of a player's events that an enemy receives, too, without those about the enemy's own ships.

    Parameters
    ----------
    enemy : int
        The player who is to hear the events.
    known : Knowledge
        Knowledge of the player whose events these are, before the call.
    views : iterable of sequence of int
        Events of one call, as that player sees them.
    """
    told = []
    for view in views:
        kind, player = KINDS[view[0]], view[2]
        if kind in PRIVATE or (player == enemy and kind not in ("ATTACK", "SPLASH", "TURN")):
            continue
        hidden = _hidden_columns(known, kind, view) if player == known.player else set()
        seen = [-1 if n in hidden else value for n, value in enumerate(view)]
        if kind == "MOVE" and seen[6] < 0 and seen[8] == notation.STOPS.index("wave"):
            seen[8] = notation.STOPS.index("none")  # BS-R21: a wave that stops a hidden ship is hidden, too
        told.append(tuple(seen))
    return told


def _hidden_columns(known: Knowledge, kind: str, view: Sequence[int]) -> set[int]:
    """Return the numbers of the columns of a player's own event that others do not see. [section 9.2]"""
    config, hidden = known.config, set(HIDDEN.get(kind, ()))
    if kind == "HIT":
        hidden |= set() if config.hit_reveals_class else {"slot", "cls"}
        hidden |= set() if config.public_hp else {"hp"}
    elif kind == "SUNK" and view[6] == notation.BY_ATTACK:
        hidden = set()
    elif kind == "MOVE" and known.ships[view[3]].flags & STEALTH:
        hidden |= {"dir", "dist"}
    names = ("kind", "round", "player", "slot", "cls", "panel", *EVENTS[kind])
    return {n for n, name in enumerate(names) if name in hidden}


class _CarefulJudge(_Judge):
    """Values of the actions of a turn, in hits, with those that the enemy may score next."""

    def __init__(self, known: Knowledge, curiosity: float, foes: list[Knowledge]) -> None:
        super().__init__(known, curiosity)
        self.foes = [foe for foe in foes if any(known.suspects[foe.player])]
        self.places = {slot: ship.panel for slot, ship in enumerate(known.ships) if ship.hp > 0}

    def worth(self, action: Action) -> float:
        """Return the value of an action as the hunter sees it, less the hits that the enemy may score next."""
        kind, slot, where, distance = action
        if kind not in (notation.ATTACK, notation.MOVE):
            return super().worth(action)
        ship, config = self.known.ships[slot], self.known.config
        columns = [KINDS.index(notation.VERBS[kind].upper()), self.known.round, self.known.player, slot, ship.cls]
        places = self.places
        if kind == notation.ATTACK:
            target = self._beside(ship.panel, notation.DIRECTIONS[where])
            gain = self.shot(target) - self._price(config.attack_cost[ship.cls])
            columns += [target, 0, 0, -1, -1, -1]
        else:
            panel = ship.panel
            for _ in range(distance):
                panel = self._beside(panel, notation.HEADINGS[where])
            places = {**places, slot: panel}
            gain = PATIENT * max(self.best_shot(place) for place in places.values())
            gain -= self._price(config.move_fp(ship.cls, distance))
            columns += [panel, where, distance, 0, -1, -1]
        return gain - DANGER * sum(self.expected_hits(foe, tuple(columns), places) for foe in self.foes)

    def expected_hits(self, foe: Knowledge, event: View, places: Mapping[int, int]) -> float:
        """Return the expected hits of an enemy's next shot after an action of the player.

        The enemy shoots at a panel with a probability in proportion to the square of the hits that it expects there.

        Parameters
        ----------
        foe : Knowledge
            What the enemy knows.
        event : View
            The player's action.
        places : mapping of int to int
            The panels of the player's living ships after it, by slot.
        """
        hopes = self.hopes(foe, *as_told_to(foe.player, self.known, [event]))
        total = sum(hope**2 for hope in hopes.values())
        hits = sum(self.reach(foe.player, panel) * hopes.get(panel, 0.0) ** 2 for panel in set(places.values()))
        return hits / total if total else 0.0

    @functools.cache  # noqa: B019  # a judge lives for one turn
    def hopes(self, foe: Knowledge, event: View) -> dict[int, float]:
        """Return the hits that an enemy expects of a shot at each panel after an event as it hears it."""
        hopes: dict[int, float] = {}
        for panels in foe.imagine([event]).suspects[self.known.player]:
            for panel in panels:
                hopes[panel] = hopes.get(panel, 0.0) + self.reach(foe.player, panel) / len(panels)
        return hopes

    @functools.cache  # noqa: B019  # a judge lives for one turn
    def reach(self, enemy: int, panel: int) -> float:
        """Return the probability that a ship of the enemy is next to a panel."""
        near = self.known.around(panel)
        none = 1.0
        for player, _, panels in self.enemies:
            if player == enemy:
                none *= 1 - len(panels & near) / len(panels)
        return 1 - none


AGENTS: dict[str, Callable[[], Hunter]] = {
    "careful": Careful,
    "hunter": Hunter,
    **{f"hunter:{level}": functools.partial(Hunter, level) for level in LEVELS},
}
MCTS = {"policy": "gunner", "prior": "keeper", "exploration": 0.5}
"""Recommended arguments of `masume.search.MCTS` (docs/search.md)."""
BEST = "mcts:{budget}"
"""The strongest agent (docs/search.md)."""
