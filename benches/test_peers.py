"""Floors and peers: other programs at the same work, or at similar work."""

import pytest

SUBJECT = "peers"


@pytest.mark.filterwarnings("default")  # warnings of peers are not errors
def test_peers(time_case):
    time_case()
