"""The referee: programs and agents play complete games under clocks, and each game ends with a verdict.

`match.play_match` plays one game between seats (seat.py); `tcp.py` and `process.py` connect programs to seats, and
`clock.py` measures their time. The game defines the cost of a fault (`protocol.py` of its package); the referee decides
no rule.
"""
