"""Search: simulations of MCTS."""

SUBJECT = "search"


def test_search(time_case):
    time_case()
