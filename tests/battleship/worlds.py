"""Enumeration of the worlds possible for player 0 in a plain game of two: no fuel, mines, torpedoes or stealth.

A world is the terrain, the fleet of player 1 as (panel or None, HP, in stealth) per ship, and the panels that player 1
knows, as bits. `Worlds` receives what player 0 sees of each call and keeps the worlds in which it would have seen
exactly that: it tries every action that player 1 could have chosen. It is written independently of the engine and the
reference, from sections 4 to 9 of the rules.
"""

import itertools

from masume.battleship import maps
from masume.battleship.notation import KINDS, STOPS

PLAIN = {"fuel": False, "mines": False, "torpedoes": False, "stealth": False, "reinforce_max": 0,
         "mission": "annihilation", "allow_resign": False}  # fmt: skip
SEA, REEF, FOG = maps.SEA, maps.REEF, maps.FOG
HEADINGS = ((0, -1), (1, 0), (0, 1), (-1, 0))


class Worlds:
    """Worlds that player 0 of `config` cannot distinguish, after it has placed its own ships on `own`."""

    def __init__(self, config, own):
        self.config = config
        self.width, self.height = config.width, config.height
        self.panels = range(config.panels)
        self.near = [{q for q in self.panels if q != p and self.distance(p, q) == 1} for p in self.panels]
        kinds = [code for code, weight in enumerate(config.terrain_weights) if weight] if config.terrain else [SEA]
        given = maps.codes(config.terrain_map) if config.terrain_known and config.terrain else None
        hp = [config.hp[cls] for cls in config.fleets[1]]
        self.found = set()
        for places in itertools.permutations(self.panels, len(hp)):
            calm = {*own, *places}
            every = [[given[q]] if given else [SEA] if q in calm else kinds for q in self.panels]
            if given and any(given[q] == REEF for q in places):
                continue
            ships = tuple((q, left, False) for q, left in zip(places, hp, strict=True))
            is_open = given or not config.terrain
            known = sum(1 << q for q in (self.panels if is_open else places))
            self.found |= {(terrain, ships, known) for terrain in itertools.product(*every)}

    def distance(self, p, q):
        return max(abs(p % self.width - q % self.width), abs(p // self.width - q // self.width))

    def ahead(self, panel, heading, steps=1):
        x, y = panel % self.width + steps * HEADINGS[heading][0], panel // self.width + steps * HEADINGS[heading][1]
        return y * self.width + x if 0 <= x < self.width and 0 <= y < self.height else None

    def suspects(self, slot):
        """Return the panels where the ship may be."""
        return {ships[slot][0] for _, ships, _ in self.found} - {None}

    # -- a call ---------------------------------------------------------------------------------------

    def hear(self, views, terrain):
        """Take in the events of a call as player 0 saw them, and the terrain it knows now: {panel: code}."""
        told = {KINDS[view[0]]: view for view in reversed(views)}
        if "ATTACK" in told and told["ATTACK"][2] == 0:
            self.found = {after for world in self.found for after in self.shot_at(world, views)}
        elif "ATTACK" in told or ("MOVE" in told and told["MOVE"][2] == 1):
            wanted = self.signature(told)
            self.found = {after for world in self.found for seen, after in self.actions(world) if seen == wanted}
        self.found = {world for world in self.found if all(world[0][q] == code for q, code in terrain.items())}

    @staticmethod
    def signature(told):
        if "ATTACK" in told:
            return ("ATTACK", told["ATTACK"][5])
        return ("MOVE", told["MOVE"][3], *told["MOVE"][6:9])

    def shot_at(self, world, views):
        """Return [the world after a shot of player 0], or [] if player 0 would have seen something else."""
        terrain, ships, known = world
        panel = next(view[5] for view in views if KINDS[view[0]] == "ATTACK")
        seen = {(KINDS[view[0]], view[3]) for view in views if KINDS[view[0]] in ("HIT", "MISS", "SPLASH", "SUNK")}
        expected, after = set(), list(ships)
        for slot, (place, hp, dived) in enumerate(ships):
            if place == panel:
                named = slot if self.config.hit_reveals_class else -1
                expected.add(("HIT", named))
                after[slot] = (place if hp > 1 else None, hp - 1, dived and hp > 1)
                if hp == 1:
                    expected.add(("SUNK", slot))
        if not expected:
            expected.add(("MISS", -1))
        if ("MISS", -1) in expected or self.config.splash_on_hit:
            for slot, (place, _, dived) in enumerate(after):
                if place is not None and place in self.near[panel] and not dived:
                    expected.add(("SPLASH", slot))
        return [(terrain, tuple(after), known)] if expected == seen else []

    def actions(self, world):
        """Yield (what player 0 sees, the world after it) for each action of player 1."""
        terrain, ships, known = world
        places = {place for place, _, _ in ships}
        for slot, (place, hp, dived) in enumerate(ships):
            if place is None:
                continue
            for target in self.near[place]:
                yield ("ATTACK", target), self.end(terrain, ships, known | 1 << target)
            for heading in range(4):
                for steps in range(1, self.config.max_distance + 1):
                    path = [self.ahead(place, heading, j) for j in range(1, steps + 1)]
                    if self.config.move_rule == "jump":
                        if path[-1] is not None and path[-1] not in places and terrain[path[-1]] != REEF:
                            moved = [*ships[:slot], (path[-1], hp, dived), *ships[slot + 1 :]]
                            yield ("MOVE", slot, heading, steps, 0), self.end(terrain, moved, known)
                        continue
                    if path[-1] is None or any(q in places or (known >> q & 1 and terrain[q] == REEF) for q in path):
                        break
                    free = next((j for j, q in enumerate(path) if terrain[q] == REEF), steps)
                    stop = STOPS.index("none" if free == steps else "reef")
                    learnt = sum(1 << q for q in path[: free + 1])
                    moved = list(ships)
                    moved[slot] = (path[free - 1] if free else place, hp, dived)
                    seen = ("MOVE", slot, -1 if dived else heading, -1 if dived else steps, stop)
                    yield seen, self.end(terrain, moved, known | learnt)

    @staticmethod
    def end(terrain, ships, known):
        """Return the world after the end of a turn of player 1: fog hides its ships."""
        return terrain, tuple((q, hp, q is not None and terrain[q] == FOG) for q, hp, _ in ships), known
