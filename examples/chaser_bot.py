"""A first CHaser bot: takes adjacent items, blocks the opponent, otherwise walks on. Run it with a port."""

import sys

from masume.chaser.client import BLOCK, ITEM, OPPONENT, Client

AROUND = {"up": 2, "right": 6, "down": 8, "left": 4}  # place in an info of the four adjacent cells


def choose(info, before):
    """Return "walk" or "put", and a direction."""
    for direction, place in AROUND.items():
        if info[place] == OPPONENT:
            return "put", direction
    free = [direction for direction, place in AROUND.items() if info[place] != BLOCK]
    for direction in free:
        if info[AROUND[direction]] == ITEM:
            return "walk", direction
    return "walk", before if before in free else free[-1]


with Client(int(sys.argv[1]), "first") as client:
    direction = "up"
    while not client.is_over:
        info = client.get_ready()
        if not client.is_over:
            method, direction = choose(info, direction)
            call = getattr(client, f"{method}_{direction}")  # client.walk_up, client.put_left, ...
            call()
