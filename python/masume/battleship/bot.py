"""What the first bots know of Battleship (`masume.bots`)."""

OPPONENT = "hunter:easy"
OPTIONS = ""
ONLINE = "{run} 2000 127.0.0.1 NAME"
ABOUT = """
In `phase` "setup" you choose your ships and place them; then you fire, move and scout. The message holds the `events`
since your last action: what you did, and what you learned of the others. masume also takes texts for an action, such
as "KB" or "A0NE".
"""
