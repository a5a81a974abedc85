"""State: one position, called from Python."""

SUBJECT = "state"


def test_state(time_case):
    time_case()
