"""Playouts: whole random games."""

SUBJECT = "playout"


def test_playout(time_case):
    time_case()
