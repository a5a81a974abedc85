"""What a move brings, in words before it is pressed: each number is what the engine then makes of it."""

import re

import pytest

import masume
from masume.agent import View
from masume.battleship import notation
from masume.battleship.people import VERB_OF
from masume.chaser.notation import LOOK, SEARCH, WALK
from masume.web.drafts import Draft
from random_games import random_game

NUMBER = r"([+-]?\d+)"


def offered(name, seeds=3, plies=None, **fields):
    """Yield (state, player, choice, code, target, what it brings) of positions of random games."""
    game = masume.load(name, **fields)
    for seed in range(seeds):
        for state in random_game(game, ["x"] * game.num_players, seed, plies).positions:
            for player in sorted({int(slot) for slot in state.slots}):
                for choice in Draft(View(state, player)).choices():
                    texts = choice.brings or [""] * len(choice.codes)
                    for code, target, text in zip(choice.codes, choice.targets, texts, strict=True):
                        yield state, player, choice, code, target, text


def number(pattern, text, default=0):
    found = re.search(pattern, text)
    return int(found[1]) if found else default


def test_kakomimasu_walls_and_territory_are_those_after_the_turn_in_which_the_others_stay():
    seen = set()
    for state, player, choice, code, _target, text in offered("kakomimasu", width=8, height=8, n_agents=4):
        slot = choice.slots[0]
        after = state.clone()
        after.apply([code if one == slot else 0 for one in range(len(state.slots))])
        if text.startswith("stays here"):
            assert after.results[slot] != 0
        assert number(f"walls {NUMBER}", text) == after.wall_points[player] - state.wall_points[player]
        territory = after.territory_points[player] - state.territory_points[player]
        assert number(f"territory {NUMBER}", text) == territory
        other = 1 - player
        change = after.scores()[other] - state.scores()[other]
        assert number(f"{'AB'[other]} {NUMBER}", text) == change
        seen |= {bool(territory), f"change {bool(change)}"}
    assert len(seen) == 4


def test_nezumi_food_and_ends_are_those_that_follow():
    seen = set()
    for state, _player, choice, code, _target, text in offered("nezumi", 6):
        after = state.clone()
        after.apply(code)
        eaten = sum(event["mg"] for event in after.events() if event["event"] == "eat")
        assert number(r"eat (\d+) mg", text) == eaten
        if "with it a turn costs" in text:
            mice = 1 + state.on_board
            assert number(r"costs (\d+) mg", text) == mice * (state.captured + 1)
            seen.add("cost")
        elif choice.brings:
            assert ("win" in text) == after.is_terminal()
            seen |= {"eat"} if eaten else set()
    assert seen == {"cost", "eat"}


@pytest.mark.parametrize("ruleset", ["rulebook", "contest"])
def test_terraforming_robots_and_points_are_those_that_follow(ruleset):
    seen = set()
    for state, player, choice, code, target, text in offered("terraforming", ruleset=ruleset, radius=3, max_turns=15):
        after = state.clone()
        if choice.start < 0:
            if text:
                after.apply(code)
                assert number(f"{NUMBER} points", text) == after.scores()[player] - state.scores()[player]
                assert number(r"(\d+) robots stay", text) == after.robots[target]
                seen.add("build")
            continue
        after.apply(code)  # one robot
        most = choice.most[choice.codes.index(code)]
        assert state.robots[choice.start] == most + number(r"beside (\d+) that have moved", text)
        owner = state.owner[target]
        taken = after.owner[target] == player != owner
        assert taken == ("becomes yours" in text or "is taken from" in text or ("a hole" in text and owner < 0))
        there = number(r"has (\d+) there", text, -1)
        assert there == (state.robots[target] if owner not in (-1, player) and state.robots[target] else -1)
        assert ("a hole" in text) == bool(state.hole[target])
        seen |= {"fight"} if there > 0 else {"take"} if taken else set()
    assert seen >= {"take", "fight"}


def test_battleship_fuel_is_what_a_command_takes_and_the_enemies_are_those_that_may_be_there():
    kinds = set()
    for state, player, _choice, code, target, text in offered("battleship", 4, terrain=False, refuel=False):
        if not text:
            continue
        kind, slot, _where, _distance = notation.decode(state.game.config, code)
        after = state.clone()
        after.apply(code)
        left = after.to_dict()["ship_fp"][player][slot]
        if after.to_dict()["ship_hp"][player][slot] > 0:
            assert number(r"(\d+) left", text) == left
            assert number(r"costs (\d+) FP", text) == state.to_dict()["ship_fp"][player][slot] - left
        if "enemy" in text:
            assert number(r"there: (\d+)", text) == state.suspects(player).reshape(-1, 25)[:, target].sum()
        kinds.add(kind)
    assert kinds == set(VERB_OF) - {notation.REINFORCE}


def test_chaser_says_what_is_not_seen_and_never_what_is_there():
    seen = set()
    for state, player, _choice, code, _target, text in offered("chaser", 40):
        verb = code // 4
        if "of 9" in text:  # beyond the edge nothing is learnt
            after = state.clone()
            after.apply(code)
            before, now = (count_known(one, player) for one in (state, after))
            assert number(r"seen: (\d+) of 9", text) >= now - before
            seen |= {verb} if now > before else set()
        if verb in (LOOK, SEARCH):
            assert "of 9" in text
        elif verb == WALK and "an item" in text:
            after = state.clone()
            after.apply(code)
            assert after.items[player] == state.items[player] + 1
            seen.add("item")
    assert seen >= {"item", WALK, LOOK, SEARCH}


def count_known(state, player):
    """Return how many cells the player knows."""
    return int((state.observation(player)["planes"][:3].sum(axis=0) > 0).sum())
