"""What the first bots know of Terraforming (`masume.bots`)."""

OPPONENT = "greedy"
OPTIONS = "--set ruleset=contest"
ABOUT = """
Commands are "move X Y WAY NUMBER" and, in a turn without moves, "build X Y house"; commands that are not allowed have
no effect, such as a move to a building of another player. x grows to the right, y downward and half a cell to the
right. An owner of -1 is nobody. Land counts 1 point, developed land 3; robots never come out of a hole.
"""
