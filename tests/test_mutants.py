"""The mutator: which changes it finds in a source, and what it makes of them."""

import pytest

from mutants import sites

SOURCE = '''# cython: language_level=3
"""A game."""
from libc.stdint cimport int32_t, uint64_t

cdef enum:
    MOST = 3

cdef inline int32_t count(const Board *board, int32_t from_cell,
                          uint64_t *rng) noexcept nogil:
    """How many 1 + 2."""
    cdef int32_t n, found = <int32_t>board.first - 1
    cdef uint64_t cells[2 + 2]
    found = 0                          # 1 < 2
    for n in range(1, board.size, 2):
        if not board.wall[n] and n != from_cell:
            found += 1
        if is_open(board, n):
            break
    put(&cells[0], found,
        n < 7)
    return found << 1

def face():
    return 1 + 1
'''
FOUND = [
    (11, "- -> +"), (11, "1 -> 2"), (11, "1 -> 0"),
    (13, "0 -> 1"), (13, "dropped"),
    (14, "1 -> 2"), (14, "1 -> 0"),
    (15, "and -> or"), (15, "not dropped"), (15, "!= -> =="),
    (16, "1 -> 2"), (16, "1 -> 0"), (16, "dropped"),
    (17, "condition negated"),
    (18, "dropped"),
    (19, "< -> <="), (19, "< -> >"), (19, "< -> >="), (19, "7 -> 8"), (19, "7 -> 6"), (19, "dropped"),
    (21, "<< -> >>"), (21, "1 -> 2"), (21, "1 -> 0"),
]  # fmt: skip


def test_sites_are_in_the_bodies_of_functions_without_the_gil():
    found = sites.find_sites(SOURCE)
    assert sorted((site.line, site.change) for site in found) == sorted(FOUND)
    assert {site.function for site in found} == {"count"}


@pytest.mark.parametrize(
    ("line", "change", "text"),
    [
        (11, "- -> +", "found = ((<int32_t>board.first + 1) if masume_mutant == 7 else (<int32_t>board.first - 1))"),
        (13, "dropped", "    if masume_mutant != 7: found = 0"),
        (14, "1 -> 2", "for n in range(((2) if masume_mutant == 7 else (1)), board.size, 2):"),
        (15, "not dropped", "(not not board.wall[n] and n != from_cell) if masume_mutant == 7 else (not board.wall[n]"),
        (17, "condition negated", "((not (is_open(board, n))) if masume_mutant == 7 else (not not (is_open(board, n"),
        (19, "< -> >=", "        ((n >= 7) if masume_mutant == 7 else (n < 7)))"),
        (21, "<< -> >>", "return ((found >> 1) if masume_mutant == 7 else (found << 1))"),
    ],
)  # fmt: skip
def test_a_change_is_switched_on_by_its_number_and_moves_no_line(line, change, text):
    (site,) = [site for site in sites.find_sites(SOURCE) if (site.line, site.change) == (line, change)]
    changed = sites.rewrite(SOURCE, {7: site})
    assert text in changed
    assert changed.count("\n") == SOURCE.count("\n")
    others = [
        number
        for number, (old, new) in enumerate(zip(SOURCE.split("\n"), changed.split("\n"), strict=True), 1)
        if old != new
    ]
    assert set(others) <= {3, *range(site.line, site.line + site.height)}


def test_the_choice_is_that_of_the_seed_with_one_change_a_line():
    sources = {"one.pxd": SOURCE, "two.pxd": SOURCE}
    chosen = sites.choose(sources, 12, 5, set())
    assert chosen == sites.choose(sources, 12, 5, set())
    assert chosen != sites.choose(sources, 12, 6, set())
    assert len({(name, site.line) for name, site in chosen}) == 12


def test_a_change_that_does_not_compile_gives_way_to_another_line():
    chosen = sites.choose({"one.pxd": SOURCE}, 4, 5, set())
    name, site = chosen[0]
    others = sites.choose({"one.pxd": SOURCE}, 4, 5, {(name, site.line, site.change)})
    assert len(others) == 4
    assert [pair for pair in others if pair in chosen] == chosen[1:]
