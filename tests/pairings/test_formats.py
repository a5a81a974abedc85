"""Formats as pure functions: everybody plays, nobody too often, and tables rank as they promise."""

import itertools
import random
from collections import Counter

import pytest

from masume.pairings.brackets import Bracket, seed_bracket, seeded
from masume.pairings.groups import Groups, deal
from masume.pairings.leagues import RoundRobin, circle
from masume.pairings.matching import perfect
from masume.pairings.qualifiers import Qualifier
from masume.pairings.swiss import Swiss, swiss_line_ups
from masume.pairings.tables import BOT, NOBODY, MatchResult, at_the_line

SIZES = range(2, 34)


def result(match, winner=None, totals=(0, 0), parts=()):
    """Return a result: the winner (NOBODY for a draw), by default the first entry."""
    winner = match.entries[0] if winner is None else winner
    points = (1, 1) if winner == NOBODY else tuple(3 * (entry == winner) for entry in match.entries)
    return MatchResult(match.entries, points, tuple(totals), winner, parts)


def play(form, choose):
    """Play a format to its end, always the first match that can be played; return the results in order."""
    results = {}
    while True:
        left = [match for match in form.matches(results) if match.id not in results]
        if not left:
            return results
        match = next(match for match in left if match.is_known)
        results[match.id] = choose(match)


@pytest.mark.parametrize("number", SIZES)
def test_a_bracket_of_any_size(number):
    """It has a match fewer than entries (and the third place); the loser of each is out; all places are told."""
    chance = random.Random(number)
    bracket = Bracket(range(1, number + 1))
    results = play(bracket, lambda match: result(match, chance.choice(match.entries)))
    assert len(results) == number - 1 + (number >= 4)
    losses = Counter(
        next(e for e in one.entries if e != one.winner) for name, one in results.items() if name != "third"
    )
    rows = bracket.standings(results)
    assert losses == {row.entry: 1 for row in rows[1:]}
    assert {row.entry for row in rows} == set(range(1, number + 1))
    assert [row.place for row in rows[:4]] == [1, 2, 3, 4][:number]
    assert results["final"].winner == rows[0].entry
    if number >= 4:
        assert list(results).index("third") < list(results).index("final")


@pytest.mark.parametrize("number", SIZES)
def test_byes_go_to_the_best_seeds(number):
    bracket = Bracket(range(1, number + 1))
    first = [entry for match in bracket.matches({}) if match.round == 0 for entry in match.entries]
    assert len(first) == 2 * number - bracket.size
    assert sorted(first) == list(range(number - len(first) + 1, number + 1))
    results = play(bracket, lambda match: result(match, min(match.entries)))
    assert [row.entry for row in bracket.standings(results)][:2] == [1, 2]


def test_seeds_meet_as_late_as_they_can():
    assert seeded(8) == [0, 7, 3, 4, 1, 6, 2, 5]


@pytest.mark.parametrize("number", SIZES)
def test_in_a_double_elimination_two_losses_are_out(number):
    chance = random.Random(number)
    bracket = Bracket(range(1, number + 1), is_double=True)
    results = play(bracket, lambda match: result(match, chance.choice(match.entries)))
    losses = Counter(next(e for e in one.entries if e != one.winner) for one in results.values())
    rows = bracket.standings(results)
    champion = rows[0].entry
    assert losses[champion] <= 1
    assert all(losses[row.entry] == 2 for row in rows[1:])
    assert len(results) == 2 * (number - 1) + losses[champion]
    assert [row.place for row in rows[:3]] == [1, 2, 3][:number]


def test_both_out_lets_the_next_through():
    bracket = Bracket([1, 2, 3, 4])
    results = {"K1.1": result(bracket.matches({})[0], NOBODY)}
    left = [match for match in bracket.matches(results) if match.id not in results]
    assert [match.id for match in left] == ["K1.2"]
    results["K1.2"] = result(left[0], 2)
    assert [match.id for match in bracket.matches(results)] == ["K1.1", "K1.2"]
    assert bracket.standings(results)[0].entry == 2


@pytest.mark.parametrize("number", SIZES)
def test_a_league_has_every_pair_once_with_balanced_sides(number):
    league = RoundRobin(range(1, number + 1))
    matches = league.matches({})
    assert sorted(tuple(sorted(match.entries)) for match in matches) == list(
        itertools.combinations(range(1, number + 1), 2)
    )
    firsts = Counter(match.entries[0] for match in matches)
    assert all(abs(2 * firsts[entry] - (number - 1)) <= 1 for entry in range(1, number + 1))
    for line_ups in circle(range(1, number + 1)):
        assert len({entry for pair in line_ups for entry in pair}) == 2 * len(line_ups)
    assert len({match.id for match in RoundRobin(range(1, number + 1), 2).matches({})}) == number * (number - 1)


def test_a_late_entry_keeps_the_matches_of_a_league():
    before = {match.id for match in RoundRobin([1, 2, 3]).matches({})}
    after = {match.id for match in RoundRobin([1, 2, 3]).with_late(4, {}).matches({})}
    assert before < after
    assert len(after) == 6


def test_a_league_ranks_by_points_then_total_points_then_direct_encounter():
    league = RoundRobin([1, 2, 3, 4])
    wins = {(1, 2): 2, (1, 3): 1, (1, 4): 1, (2, 3): 3, (2, 4): 2, (3, 4): 3}  # 1, 2 and 3 with 6 points
    totals = {1: 10, 2: 20, 3: 10, 4: 90}
    results = {
        match.id: result(match, wins[tuple(sorted(match.entries))], [totals[entry] for entry in match.entries])
        for match in league.matches({})
    }
    rows = league.standings(results)
    assert [(row.place, row.entry, row.points) for row in rows] == [(1, 2, 6), (2, 1, 6), (3, 3, 6), (4, 4, 0)]


def test_equal_entries_share_a_place():
    league = RoundRobin([1, 2, 3])
    results = {match.id: result(match, NOBODY) for match in league.matches({})}
    assert [row.place for row in league.standings(results)] == [1, 1, 1]


def test_groups_are_dealt_in_snake_order():
    assert deal(range(1, 14), 3) == [[1, 6, 7, 12, 13], [2, 5, 8, 11], [3, 4, 9, 10]]
    together = Groups(range(1, 7), 2)
    assert [match.group for match in together.matches({})] == list("ABABAB")
    assert [match.group for match in Groups(range(1, 7), 2, is_parallel=False).matches({})] == list("AAABBB")
    assert together.with_late(7, {}).dealt == [[1, 4, 5, 7], [2, 3, 6]]


@pytest.mark.parametrize(("groups", "each"), [(2, 2), (3, 2), (4, 2), (5, 2), (4, 3), (6, 4), (8, 2)])
def test_those_of_a_group_do_not_meet_at_once(groups, each):
    ranked = [[10 * group + place for group in range(1, groups + 1)] for place in range(each)]
    bracket = Bracket(seed_bracket(ranked))
    for match in bracket.matches({}):
        if match.round == 0:
            assert match.entries[0] // 10 != match.entries[1] // 10
    assert sorted(bracket.entries) == sorted(entry for tier in ranked for entry in tier)


def test_a_qualifier_ranks_by_points_then_blows_then_items():
    form = Qualifier([1, 2, 3, 4], ("blow", "items"))
    told = {1: (90, 0, 90), 2: (90, 50, 40), 3: (90, 50, 40), 4: (95, 0, 95)}
    results = {}
    for match in form.matches({}):
        total, blow, items = told[match.entries[0]]
        assert match.entries[1] == BOT
        results[match.id] = result(match, BOT, (total, 7), ({"blow": blow, "items": items}, {}))
    rows = form.standings(results)
    assert [(row.place, row.entry) for row in rows] == [(1, 4), (2, 2), (2, 3), (4, 1)]
    assert at_the_line(rows, 1) == ([4], [])
    assert at_the_line(rows, 2) == ([4], [2, 3])
    assert at_the_line(rows, 3) == ([4, 2, 3], [])


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6, 7, 8, 9, 13, 16])
def test_swiss_rounds_repeat_nothing_as_long_as_they_can(number):
    """Nobody meets anybody twice as long as a round without it exists; nobody rests twice."""
    chance = random.Random(number)
    rounds = number - 1 if number % 2 == 0 else number
    form = Swiss(range(1, number + 1), rounds)
    results = play(form, lambda match: result(match, chance.choice([*match.entries, NOBODY])))
    matches = form.matches(results)
    met, rests = Counter(), Counter()
    for k in range(rounds):
        pairs = [frozenset(match.entries) for match in matches if match.round == k]
        playing = [entry for pair in pairs for entry in pair]
        resting = set(range(1, number + 1)) - set(playing)
        assert (len(set(playing)), len(resting)) == (len(playing), number % 2)
        rests.update(resting)
        if any(met[pair] for pair in pairs):
            candidates = [rest for rest in range(1, number + 1) if rests[rest] - (rest in resting) == 0]
            for rest in candidates if resting else [None]:
                here = [one for one in range(1, number + 1) if one != rest]
                fresh = {a: {b for b in here if b != a and not met[frozenset((a, b))]} for a in here}
                assert perfect(here, fresh) is None
        met.update(pairs)
    assert max(rests.values(), default=0) <= 1
    assert {row.entry for row in form.standings(results)} == set(range(1, number + 1))


def test_a_matching_exists_if_one_is_found_by_trying_all():
    chance = random.Random(5)
    for _ in range(300):
        number = chance.choice([2, 4, 6, 8])
        pairs = {pair for pair in itertools.combinations(range(number), 2) if chance.random() < 0.4}
        edges = {a: {b for b in range(number) if (min(a, b), max(a, b)) in pairs} for a in range(number)}

        def exists(left, edges=edges):
            if not left:
                return True
            return any(exists([one for one in left if one not in (left[0], b)]) for b in edges[left[0]] if b in left)

        found = perfect(range(number), edges)
        assert (found is not None) == exists(list(range(number)))
        if found:
            assert all(found[found[a]] == a and found[a] in edges[a] for a in range(number))


def test_a_round_of_three_seats_takes_those_met_least():
    met = {frozenset((1, 2)): 1, frozenset((1, 3)): 1}
    assert swiss_line_ups([1, 2, 3, 4, 5, 6, 7], met, {7: 1}, 3) == ([(1, 4, 5), (2, 3, 7)], [6])


def test_those_who_come_later_and_leave_earlier():
    form = Swiss([1, 2, 3, 4], 3)
    results = {match.id: result(match) for match in form.matches({})}
    late = form.with_late(5, results).with_late(6, results)
    assert {entry for match in late.matches(results) if match.round == 1 for entry in match.entries} == {
        1,
        2,
        3,
        4,
        5,
        6,
    }
    gone = form.without(4, results)
    assert {entry for match in gone.matches(results) if match.round == 1 for entry in match.entries} < {1, 2, 3}
