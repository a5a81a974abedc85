"""What the first bots know of CHaser (`masume.bots`)."""

OPPONENT = "safe"
OPTIONS = "--map orchard"
ONLINE = "{run} 2009 127.0.0.1 NAME"
ABOUT = """
`info` holds the last ten digits that you saw: 1 (0: the game is over), then the nine cells around you, row by row, you
in the middle at 5: 0 floor, 1 the opponent, 2 a block or the edge, 3 an item. Actions: 0-3 walk, 4-7 look, 8-11 search,
12-15 put, each up, right, left, down. The message holds all `events` since your last turn.
"""
UP, RIGHT, LEFT, DOWN = 2, 6, 4, 8  # places of the cells around you
RULES = [
    [(UP, 1, 12), (RIGHT, 1, 13), (LEFT, 1, 14), (DOWN, 1, 15)],  # put a block on the opponent
    [(UP, 3, 0), (RIGHT, 3, 1), (LEFT, 3, 2), (DOWN, 3, 3)],  # take an item
    [(UP, 0, 0), (RIGHT, 0, 1), (LEFT, 0, 2), (DOWN, 0, 3)],  # walk on
]
