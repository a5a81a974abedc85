"""The 51 vectors of section 10 of the rules, on both implementations, in both forms."""

import pytest

import masume.errors as errors

from . import vectors
from .conftest import rows

ALL = vectors.load()


@pytest.fixture(params=ALL, ids=lambda vector: vector.name)
def vector(request):
    return request.param


def test_every_vector_is_read():
    assert [vector.name for vector in ALL] == [f"V{k}" for k in range(1, 52)]
    assert sum(len(vector.turns) for vector in ALL) == 58
    assert sum(vector.has_invalid_entry() for vector in ALL) == 8


def check_end(vector, state):
    """Check the position after the vector's turns."""
    assert rows(state) == vector.right
    placed = {f"{'ABC'[p]}{a}": cell for (p, a), cell in vector.agents_after.items()}
    agents = state.to_dict()["pos"]
    for name, cell in placed.items():
        n = -1 if cell is None else cell[1] * vector.width + cell[0]
        assert agents["ABC".index(name[0])][int(name[1:])] == n, name
    if vector.scores:
        assert list(zip(state.wall_points, state.territory_points, strict=True)) == vector.scores
        assert list(state.scores()) == [wall + territory for wall, territory in vector.scores]
    if vector.returns:
        assert list(state.returns()) == vector.returns
    assert state.is_terminal()
    assert state.played == state.turn == len(vector.turns)
    state.check()


def test_vector_in_list_form(implementation, vector):
    state = implementation.parse(vector.start(), **vector.fields())
    assert rows(state) == vector.left
    for turn in range(len(vector.turns)):
        lists, codes = vector.lists(turn)
        assert not state.is_terminal()
        assert state.apply_lists(lists, on_illegal="fallback") == codes
    check_end(vector, state)


def test_vector_in_array_form(implementation, vector):
    state = implementation.parse(vector.start(), **vector.fields())
    forms = []
    for turn in range(len(vector.turns)):
        form = vector.codes(turn, state.to_dict()["pos"])
        forms.append(form)
        if form is None:  # a turn without an array form is played as lists
            state.apply_lists(vector.lists(turn)[0], on_illegal="fallback")
            continue
        state.apply(form[0], on_illegal="fallback")
        assert list(state.results) == form[1]
    assert any(forms) or vector.name in ("V43", "V44")
    check_end(vector, state)


def test_vector_raises_exactly_where_an_entry_is_invalid(implementation, vector):
    state = implementation.parse(vector.start(), **vector.fields())
    for turn in range(len(vector.turns)):
        lists, codes = vector.lists(turn)
        before = state.to_dict()
        if vector.has_invalid_entry():
            with pytest.raises(errors.IllegalActionError, match="player"):
                state.apply_lists(lists)
            assert state.to_dict() == before
            state.apply_lists(lists, on_illegal="fallback")
        else:
            assert state.apply_lists(lists) == codes
    check_end(vector, state)


def test_vector_with_the_players_renamed(implementation, vector):
    """KM-R27: the names of the players make no difference."""
    state = implementation.parse(vector.start(), **vector.fields())
    count = vector.fields()["n_players"]
    variables = state.to_dict()
    for name in ("wall", "area"):
        variables[name] = [count - 1 - owner if owner >= 0 else -1 for owner in variables[name]]
    variables["pos"].reverse()
    mirrored = implementation.from_dict(variables)
    for turn in range(len(vector.turns)):
        lists, codes = vector.lists(turn)
        assert mirrored.apply_lists(lists[::-1], on_illegal="fallback") == codes[::-1]
        state.apply_lists(lists, on_illegal="fallback")
    assert list(mirrored.scores()) == list(state.scores())[::-1]
    assert list(mirrored.returns()) == list(state.returns())[::-1]
