"""Properties of every game, tested by random play with junk on both implementations."""

import pytest

from masume.core.rng import Rng
from masume.errors import IllegalActionError
from masume.kakomimasu.notation import DIRECTIONS, FIRST_MOVE, FIRST_PUT, FIRST_REMOVE

from .games import random_codes, random_config, random_lists

GAMES = 40


@pytest.fixture
def games(implementation):
    """Return a generator of (state, rng) at the start of random games."""

    def start():
        rng = Rng(2021)
        for _ in range(GAMES):
            yield implementation.new(**random_config(rng, max_side=7, max_turns=10).to_dict()), rng

    return start


def positions(games):
    """Yield (state, rng) for every position of random games except the end; the state may be changed."""
    for state, rng in games():
        while not state.is_terminal():
            yield state.clone(), rng
            state.apply_lists(random_lists(state, rng), on_illegal="fallback")
            state.check()


def without_config(state):
    return {**state.to_dict(), "config": None}


def test_km_r27_the_order_of_submission_is_irrelevant(games):
    """KM-R27 KM-6: shuffling the entries of each list changes nothing."""
    for state, rng in positions(games):
        lists = random_lists(state, rng)
        orders = [sorted(range(len(mine)), key=lambda _: rng.next()) for mine in lists]
        shuffled = [[mine[k] for k in order] for mine, order in zip(lists, orders, strict=True)]
        other = state.clone()
        codes = state.apply_lists(lists, on_illegal="fallback")
        others = other.apply_lists(shuffled, on_illegal="fallback")
        assert others == [[mine[k] for k in order] for mine, order in zip(codes, orders, strict=True)]
        assert without_config(other) == without_config(state)


def test_km_30_with_the_seed_rules_void_actions_equal_stay(games):
    """KM-30 KM-R6 KM-R20: leaving out the void actions changes nothing."""
    compared = 0
    for state, rng in positions(games):
        if state.to_dict()["config"]["put_on_enemy_wall"] == "server":
            continue
        lists, other = random_lists(state, rng), state.clone()
        codes = state.apply_lists(lists, on_illegal="fallback")
        pairs = [zip(mine, results, strict=True) for mine, results in zip(lists, codes, strict=True)]
        effective = [[entry for entry, code in mine if code == 0] for mine in pairs]
        assert all(code == 0 for mine in other.apply_lists(effective, on_illegal="raise") for code in mine)
        assert without_config(other) == without_config(state)
        compared += any(code for mine in codes for code in mine)
    assert compared > 50


def test_the_mask_is_exactly_what_does_not_raise(games):
    """Section 6: also in list form; an illegal action leaves the state unchanged."""
    for k, (state, _) in enumerate(positions(games)):
        if k % 12:
            continue
        variables = state.to_dict()
        width, before = variables["config"]["width"], str(state)
        for slot in range(len(state.slots)):
            mask = list(state.legal_mask(slot))
            assert [code for code, legal in enumerate(mask) if legal] == list(state.legal_actions(slot))
            assert len(mask) == FIRST_PUT + len(variables["wall"])
            assert mask[0] == 1
            player, agent = divmod(slot, len(variables["pos"][0]))
            cell = variables["pos"][player][agent]
            for code, legal in enumerate(mask):
                actions = [0] * len(state.slots)
                actions[slot] = code
                other = state.clone()
                try:
                    other.apply(actions)
                except IllegalActionError:
                    assert not legal
                    assert str(other) == before
                else:
                    assert legal
                    assert list(other.results)[slot] in (0, 2)  # 2: the target is occupied by an agent that stays
            for code, (dx, dy) in enumerate(DIRECTIONS):
                for first, kind in ((FIRST_MOVE, "MOVE"), (FIRST_REMOVE, "REMOVE")):
                    x, y = (cell % width + dx, cell // width + dy) if cell >= 0 else (0, 0)
                    lists = [[] for _ in variables["pos"]]
                    lists[player].append((agent, kind, x, y))
                    other = state.clone()
                    if mask[first + code]:
                        other.apply_lists(lists)
                    else:
                        with pytest.raises(IllegalActionError):
                            other.apply_lists(lists)


def test_km_8_mirrored_games_are_mirrored(implementation, games):
    """KM-8: mirroring left and right, or up and down, mirrors the game."""
    for state, rng in positions(games):
        variables = state.to_dict()
        width, height = variables["config"]["width"], variables["config"]["height"]
        lists = random_lists(state, rng)
        for image in (lambda x, y, w=width: (w - 1 - x, y), lambda x, y, h=height: (x, h - 1 - y)):
            cells = [(n % width, n // width) for n in range(width * height)]
            place = [image(*cell)[1] * width + image(*cell)[0] for cell in cells]

            def mirror(variables, place=place):
                found = {**variables, "config": {**variables["config"]}}
                for holder, name in ((found, "wall"), (found, "area"), (found["config"], "points")):
                    holder[name] = [holder[name][n] for n in place]
                found["pos"] = [[place[n] if n >= 0 else -1 for n in mine] for mine in found["pos"]]
                return found

            twin = implementation.from_dict(mirror(variables))
            images = [[(agent, kind, *image(x, y)) for agent, kind, x, y in mine] for mine in lists]
            other = state.clone()
            assert twin.apply_lists(images, on_illegal="fallback") == other.apply_lists(lists, on_illegal="fallback")
            assert mirror(twin.to_dict()) == other.to_dict()
            assert list(twin.scores()) == list(other.scores())


def test_km_39_what_becomes_of_cells(games):
    """KM-39 KM-R16 KM-18 KM-28 KM-R13: territory never turns neutral; agents stay on their walls."""
    for state, rng in games():
        while not state.is_terminal():
            before = state.to_dict()
            state.apply(random_codes(state, rng))
            after = state.to_dict()
            for n, owner in enumerate(before["area"]):
                if owner >= 0:
                    assert after["area"][n] >= 0 or after["wall"][n] >= 0
                if before["wall"][n] >= 0 and after["wall"][n] >= 0:
                    assert before["wall"][n] == after["wall"][n]
            for player, mine in enumerate(after["pos"]):
                for agent, cell in enumerate(mine):
                    assert cell >= 0 or before["pos"][player][agent] < 0
                    if cell >= 0:
                        assert after["wall"][cell] == player
                        if before["wall"][cell] < 0:
                            assert after["area"][cell] == -1
            assert after["played"] == before["played"] + 1


def test_km_r18_a_turn_without_actions_changes_nothing_more(games):
    """KM-R18: applying 7.2 again changes nothing."""
    for state, rng in positions(games):
        state.apply_lists(random_lists(state, rng), on_illegal="fallback")
        if not state.is_terminal():
            before = state.to_dict()
            state.apply([0] * len(state.slots))
            assert state.to_dict() == {**before, "played": before["played"] + 1}


def test_results_of_the_two_forms_agree(games):
    """Section 6: `results` contains the codes of the turn by slot, 0 for an agent without an entry."""
    for state, rng in positions(games):
        lists = random_lists(state, rng)
        codes = state.apply_lists(lists, on_illegal="fallback")
        agents = len(state.to_dict()["pos"][0])
        expected = [0] * (agents * len(lists))
        for player, (mine, results) in enumerate(zip(lists, codes, strict=True)):
            for (agent, *_), code in zip(mine, results, strict=True):
                if code != 4:
                    expected[player * agents + agent] = code
        assert list(state.results) == expected
