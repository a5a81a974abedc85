"""Floors and peers: other programs at the same work, or at work of such a kind."""

import pytest

SUBJECT = "peers"


@pytest.mark.filterwarnings("default")  # theirs are no errors of ours
def test_peers(time_case):
    time_case()
