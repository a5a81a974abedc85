"""How games end."""

from masume.results import winners


def test_winners_have_return_1():
    assert winners([1.0, -1.0]) == [0]
    assert winners([0.0, 0.0]) == []
    assert winners([0.5, 0.5, -1.0]) == []
    assert winners([1.0, -1.0, 1.0, -1.0]) == [0, 2]
