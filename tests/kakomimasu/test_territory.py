"""Territory by the literal Definition of 7.2, compared with both implementations."""

import functools
import itertools

from masume.core.rng import Rng
from masume.kakomimasu.config import Config
from masume.kakomimasu.notation import DIRECTIONS

SIZES = [(2, 9), (3, 3), (5, 4), (5, 5), (6, 7), (7, 7), (8, 6), (9, 9), (10, 8), (12, 11)]
BOARDS_PER_SIZE = 240


def component(walls, cell):
    """Return the maximal 4-connected set of the owner's wall cells that contains `cell`."""
    found, stack = {cell}, [cell]
    while stack:
        x, y = stack.pop()
        for other in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if other not in found and walls.get(other) == walls[cell]:
                found.add(other)
                stack.append(other)
    return frozenset(found)


def fill(width, height, walls):
    """Return Fill(C): the board cells that 8-connected steps from the margin that avoid C do not reach."""
    seen, stack = {(-1, -1)}, [(-1, -1)]
    while stack:
        x, y = stack.pop()
        for dx, dy in DIRECTIONS:
            cell = x + dx, y + dy
            if -1 <= cell[0] <= width and -1 <= cell[1] <= height and cell not in walls and cell not in seen:
                seen.add(cell)
                stack.append(cell)
    return {(x, y) for x in range(width) for y in range(height)} - seen


def declare(width, height, walls, territory):
    """Return the territory after 7.2 from walls {cell: owner} and old territory, and the maximum depth of a cell.

    KM-R30 is asserted as well: two fills are disjoint or strictly nested.
    """
    components = {component(walls, cell) for cell in walls}
    fills = [(fill(width, height, ring), walls[min(ring)]) for ring in components]
    for (one, _), (other, _) in itertools.combinations(fills, 2):
        assert not one & other or one < other or other < one
    marked, depth = {}, 0
    for x in range(width):
        for y in range(height):
            if (x, y) in walls:
                continue
            enclosing = [(len(inside), owner) for inside, owner in fills if (x, y) in inside]
            depth = max(depth, len({owner for _, owner in enclosing}))
            if enclosing:
                marked[x, y] = min(enclosing)[1]
            elif (x, y) in territory:
                marked[x, y] = territory[x, y]
    return marked, depth


def random_board(rng, width, height, players):
    """Return walls and old territory: outlines of rectangles, often nested, with gaps and noise."""
    walls = {}
    x0, y0, x1, y1 = 0, 0, width - 1, height - 1
    while x1 - x0 >= 2 and y1 - y0 >= 2:
        owner = rng.below(players) if rng.below(8) else -1
        outline = [(x, y) for x in range(x0, x1 + 1) for y in range(y0, y1 + 1) if x in (x0, x1) or y in (y0, y1)]
        if owner >= 0:
            walls.update(dict.fromkeys(outline, owner))
            if rng.below(6) == 0:
                del walls[outline[rng.below(len(outline))]]
        x0, y0 = x0 + 1 + rng.below(2), y0 + 1 + rng.below(2)
        x1, y1 = x1 - 1 - rng.below(2), y1 - 1 - rng.below(2)
    noise = (0, 0, 2, 4, 10, 40)[rng.below(6)]
    cells = [(x, y) for y in range(height) for x in range(width)]
    for cell in cells:
        if rng.below(100) < noise:
            walls.pop(cell, None)
            if rng.below(2):
                walls[cell] = rng.below(players)
    territory = {cell: rng.below(players) for cell in cells if cell not in walls and rng.below(8) == 0}
    return walls, territory


def flat(width, height, owners):
    return [owners.get((x, y), -1) for y in range(height) for x in range(width)]


@functools.cache
def cases():
    """Return serialised positions before their only turn, and the territory by the Definition."""
    found, nested = [], 0
    rng = Rng(72)
    for width, height in SIZES:
        for players in (2, 3, 4):
            config = Config.make(width=width, height=height, n_players=players, n_agents=1, total_turns=1).to_dict()
            for _ in range(BOARDS_PER_SIZE // 3):
                walls, territory = random_board(rng, width, height, players)
                marked, depth = declare(width, height, walls, territory)
                nested += depth > 1
                position = {
                    "version": 1, "config": config, "played": 0, "wall": flat(width, height, walls),
                    "area": flat(width, height, territory), "pos": [[-1]] * players,
                }  # fmt: skip
                found.append((position, flat(width, height, marked)))
    assert len(found) == BOARDS_PER_SIZE * len(SIZES)
    assert nested >= 250  # boards with a ring of one team inside another's
    return found


def test_km_r30_territory_is_that_of_the_definition(implementation):
    """KM-R30 KM-R14 KM-R15 KM-R16 KM-R17 KM-R33 KM-41 KM-42"""
    for position, expected in cases():
        state = implementation.from_dict(position)
        state.apply([0] * len(state.slots))
        assert state.to_dict()["area"] == expected, str(implementation.from_dict(position))
        assert state.to_dict()["wall"] == position["wall"]


def test_the_definition_agrees_with_the_vectors():
    """The independent vectors show that the Definition does not share a mistake of the twins."""
    from . import vectors

    for vector in vectors.load():
        if not any(vector.turns):
            walls, old, new = {}, {}, {}
            for y, (left, right) in enumerate(zip(vector.left, vector.right, strict=True)):
                for x, (before, after) in enumerate(zip(left, right, strict=True)):
                    for letter, owners in ((before, old), (after, new)):
                        if letter.isupper():
                            walls[x, y] = "ABC".index(letter)
                        elif letter != ".":
                            owners[x, y] = "abc".index(letter)
            assert declare(vector.width, len(vector.left), walls, old)[0] == new, vector.name
