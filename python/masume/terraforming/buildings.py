"""The buildings of each ruleset: codes, letters, words, prices and points. [section 2]"""

from __future__ import annotations

import dataclasses

NONE, HOME, FACTORY, TOWER, PIT, BRIDGE, PARK, PLAZA, SHIELD, PUBLIC = range(10)
LETTERS = "-IFTXBPQSU"
LAND, DEVELOPED = 1, 3  # points of territory, and of land with a building [TF-20] [TF-21]
PUBLIC_BONUS = 10  # points in addition to those of the cell [TF-20] [TF-R29]
PRODUCTION = {HOME: 5, FACTORY: 1}  # robots at the start of the owner's turn [TF-27] [TF-51]
TOWER_RANGE = 5  # rulebook: range of a tower in steps [TF-50]
AXIS_RANGE = 2  # contest: range of a tower in steps along each axis [TF-R18]
SHOT = 2  # contest: robots that a tower removes from each cell
WIDEST = {PLAZA: 1, PUBLIC: 2}  # distance within which a building develops own territory [TF-54] [TF-55]
BONUSES = (0, 40)  # range of the bonus of a town in an explicit position


@dataclasses.dataclass(frozen=True)
class Building:
    """A kind of building: `material` is the least Material sum, `robots` the price. [TF-44] [TF-45]"""

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
"""The buildings that can be built in each ruleset, ascending by code from 2."""
RULESETS = tuple(BUILDABLE)


def words(ruleset: str) -> tuple[str, ...]:
    """Return the words of codes 0, 1, ... in the protocol of a ruleset."""
    return "none", "initial", *(building.word for building in BUILDABLE[ruleset])
