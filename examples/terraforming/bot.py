"""A program for Terraforming's contest: takes land that it can afford, sends other robots to the border, and builds."""

import sys
from collections import namedtuple

Cell = namedtuple("Cell", "owner robots material landform building")
STEPS = {"r": (1, 0), "ur": (1, -1), "dr": (0, 1), "l": (-1, 0), "ul": (0, -1), "dl": (-1, 1)}


def read_block():
    """Return (our number, the cells by place) of the next state block; None at the end of the input."""
    if sys.stdin.readline() != "START\n":
        return None
    me = int(sys.stdin.readline().split()[2])  # preceded by the turn and the number of turns
    num_cells = int(sys.stdin.readline().split()[1])
    board = {}
    for _ in range(num_cells):
        x, y, owner, robots, material, landform, building = sys.stdin.readline().split()
        board[int(x), int(y)] = Cell(int(owner), int(robots), int(material), landform, building)
    sys.stdin.readline()  # EOS
    return me, board


def sides(board, place):
    """Return (direction, place) of each neighbour on the board."""
    around = ((word, (place[0] + dx, place[1] + dy)) for word, (dx, dy) in STEPS.items())
    return [(word, side) for word, side in around if side in board]


def best_building(me, board):
    """Return (points, commands) of the building that gives the most points; (0, []) if none can be built."""
    best = 0, []
    for place, cell in board.items():
        if cell.owner != me or cell.landform != "settlement" or cell.robots < 10:
            continue
        ours = [board[side] for _, side in sides(board, place) if board[side].owner == me]
        material = cell.material + sum(other.material for other in ours)
        land = sum(other.landform == "settlement" for other in ours)  # developed by a town
        points = 2 + 2 * land if material >= 9 else 2
        if material >= 4 and points > best[0]:
            best = points, [f"build {place[0]} {place[1]} {'town' if material >= 9 else 'house'}"]
    return best


def best_moves(me, board):
    """Return (cells taken, commands): robots take the cheapest adjacent land; robots farther away move towards land."""
    free = {place: cell.robots for place, cell in board.items() if cell.owner == me and cell.landform != "hole"}
    prizes = {
        place for place, cell in board.items() if cell.owner != me and cell.landform in ("wasteland", "settlement")
    }
    offers = [(board[side].robots + 1, place, word, side) for place in free for word, side in sides(board, place)]
    taken, commands = set(), []
    for price, place, word, side in sorted(offers):
        if side in prizes - taken and free[place] >= price:
            free[place] -= price
            taken.add(side)
            commands.append(f"move {place[0]} {place[1]} {word} {price}")
    steps = dict.fromkeys(prizes, 0)  # distance of each place from land that can be taken
    queue = list(prizes)
    for place in queue:
        for _, side in sides(board, place):
            if side in free and side not in steps:
                steps[side] = steps[place] + 1
                queue.append(side)
    for place, robots in free.items():
        if robots and steps.get(place, 0) > 1:
            word = next(word for word, side in sides(board, place) if steps.get(side, 99) < steps[place])
            commands.append(f"move {place[0]} {place[1]} {word} {robots}")
    return len(taken), commands


read_block()  # before the first turn: it asks for our name
print("settler", flush=True)
while found := read_block():
    points, building = best_building(*found)
    taken, moves = best_moves(*found)
    print(*(building if 3 * points > taken else moves), "finish", sep="\n", flush=True)
