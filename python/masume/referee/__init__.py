"""The referee: programs and agents play whole games under clocks, and each game ends with a verdict.

`match.play_match` plays one game between seats (seat.py); `tcp.py` and `process.py` bring programs to a seat,
`clock.py` counts their time. What a fault means is the game's to say (`protocol.py` of its package); the referee
decides no rule.
"""
