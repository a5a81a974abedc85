"""What the first bots know of Nezumi (`masume.bots`)."""

OPPONENT = "greedy"
OPTIONS = ""
ABOUT = """
You play the cat or the mice, and are asked for one small decision at a time; `phase` says which. The message holds
`state`, with the whole stage; masume also takes texts for an action, such as "2,0+".
"""
