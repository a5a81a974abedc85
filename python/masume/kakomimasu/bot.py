"""What the first bots know of Kakomimasu (`masume.bots`)."""

OPPONENT = "greedy"
OPTIONS = "--board court"
ONLINE = "{run} http://127.0.0.1:8880 TOKEN"
ABOUT = """
You have several agents: `legal` holds a list for each, and `choose` is called for each. 0 stays; the other actions put
the agent on the board, move it, or remove a wall. The message holds `state`, with the points of the cells, the walls
and the agents, and masume also takes texts such as "MOVE 3,4" for an action.
"""
AVOID = 0
