"""The buildings: their codes, letters, words, prices and points, by ruleset. [section 2]"""

from __future__ import annotations

import dataclasses

NONE, HOME, FACTORY, TOWER, PIT, BRIDGE, PARK, PLAZA, SHIELD, PUBLIC = range(10)
LETTERS = "-IFTXBPQSU"
PUBLIC_BONUS = 10  # points beside the 3 of the cell [TF-20] [TF-R29]
BONUSES = (0, 40)  # what a town of an explicit position may have


@dataclasses.dataclass(frozen=True)
class Building:
    """What may be built: `material` is the least Material sum, `robots` what it costs. [TF-44] [TF-45]"""

    code: int
    word: str
    material: int
    robots: int


BUILDABLE = {
    "rulebook": (  # [TF-R36]
        Building(FACTORY, "factory", 4, 50),  # TF-51
        Building(TOWER, "attack", 5, 25),  # TF-50
        Building(PIT, "pit", 5, 20),  # TF-52
        Building(BRIDGE, "bridge", 4, 10),  # TF-48
        Building(PARK, "park", 4, 1),  # TF-53
        Building(PLAZA, "square", 9, 1),  # TF-54
        Building(SHIELD, "shield", 6, 25),  # TF-49
        Building(PUBLIC, "public", 19, 1),  # TF-55
    ),
    "contest": (
        Building(FACTORY, "robotmaker", 4, 50),
        Building(TOWER, "tower", 5, 25),
        Building(PIT, "excavator", 4, 25),
        Building(BRIDGE, "bridge", 4, 15),
        Building(PARK, "house", 4, 10),
        Building(PLAZA, "town", 9, 10),
    ),
}
"""By ruleset, the buildings that can be built, by ascending code from 2."""
RULESETS = tuple(BUILDABLE)


def words(ruleset: str) -> tuple[str, ...]:
    """The words of codes 0, 1, ... in the protocol of a ruleset."""
    return "none", "initial", *(building.word for building in BUILDABLE[ruleset])
