"""The actions and the success of the computer players."""

import pytest

import masume
from masume.agent import PolicyAgent, View
from masume.chaser.agents import AGENTS
from masume.chaser.config import Config
from masume.chaser.notation import CODES
from masume.chaser.reference import State
from masume.core.rng import stream

from .conftest import draw_map, lines, play


class Blinkers:
    """A view that offers only the player's observation and actions."""

    def __init__(self, state):
        self._state = state

    def observation(self):
        return self._state.observation(self._state.mover)

    def legal_actions(self, slot=0):
        return self._state.legal_actions(slot)


def start(text):
    return State.new(Config.make(map=draw_map(lines(text))))


def choice(name, state, seed=0):
    """Return the letters of the agent's action."""
    agent = AGENTS[name]()
    agent.start(None, state.mover, seed)
    code = CODES[agent.act(Blinkers(state))]
    agent.close()
    return code


def moves_of(names, seed, state, view):
    """Play a game between two agents on this state to its end; return the actions."""
    players = [PolicyAgent(name) if name == "random" else AGENTS[name]() for name in names]
    for player, agent in enumerate(players):
        agent.start(None, player, stream(seed, 1 + player))
    moves = []
    while not state.is_terminal():
        moves.append(players[state.current_player].act(view(state)))
        state.apply(moves[-1])
    return moves


def match(names, seed):
    """Return the name of the winner of a game on the default config, played by the engine; None for a draw."""
    state = masume.load("chaser").new_state(stream(seed, 0) >> 1)
    moves_of(names, seed, state, lambda state: View(state, state.current_player))
    return names[state.winner] if state.winner < 2 else None


@pytest.mark.parametrize("names", [("greedy", "greedy"), ("safe", "greedy")])
def test_agents_play_alike_on_both_twins(names):
    game = masume.load("chaser", preset="contest", turn_limit=30)
    for seed in range(3):
        engine, reference = game.new_state(seed), State.new(game.config, seed)
        moves = moves_of(names, seed, engine, lambda state: View(state, state.current_player))
        assert moves == moves_of(names, seed, reference, Blinkers)
        assert engine.to_dict() == reference.to_dict()


def share_won(other, games):
    """Return the share of games that `greedy` wins against the other; sides are swapped every game."""
    sides = (("greedy", other), (other, "greedy"))
    return sum(match(sides[k % 2], k // 2) == "greedy" for k in range(games)) / games


@pytest.mark.parametrize(("other", "least"), [("random", 0.9), ("safe", 0.7)])
def test_greedy_wins(other, least):
    """Of 200 games, as of 1000, it wins all against random and 99.5 % against safe: far from the bounds."""
    assert share_won(other, 200) >= least


def test_the_names():
    assert list(AGENTS) == ["safe", "greedy"]
    assert all(make().name == name for name, make in AGENTS.items())


def test_agents_are_the_same_for_the_same_seed():
    state = start("""
        .....
        .C...
        ....H
    """)
    for name in AGENTS:
        assert len({choice(name, state, 5) for _ in range(3)}) == 1
        assert len({choice(name, state, seed) for seed in range(40)}) > 1


def test_safe_does_not_walk_into_what_it_sees():
    state = start("""
        C#.
        ..H
    """)
    assert {choice("safe", state, seed) for seed in range(300)} == set(CODES) - {"wu", "wl", "wr"}


@pytest.mark.parametrize(("text", "code"), [(".CH", "pr"), ("H.. C.. ...", "pu"), ("... .C. .H.", "pd"), ("HC.", "pl")])
def test_greedy_attacks_beside_the_opponent(text, code):
    assert choice("greedy", start(text)) == code


def test_greedy_closes_the_last_way_out():
    state = start("""
        ....
        #C..
        H...
        #...
    """)
    assert choice("greedy", state) != "pd"  # it has not seen the other sides
    play(state, "ll lu ld lu")
    assert choice("greedy", state) == "pd"


def test_greedy_buries_the_opponent_that_shares_its_cell():
    state = start("""
        ....
        CH*.
        ....
    """)
    play(state, "wr lu")
    assert choice("greedy", state) == "wr"


def test_greedy_takes_the_nearest_item():
    state = start("""
        .......
        ...C*..
        ......*
        ......H
    """)
    assert choice("greedy", state) == "wr"


def test_greedy_leaves_an_item_that_is_a_trap():
    state = start("""
        ####...
        #*C....
        ####...
        ......H
    """)
    play(state, "ll lu")  # now it knows that the opponent has no other way out
    assert choice("greedy", state) != "wl"


def test_greedy_looks_before_it_takes():
    state = start("""
        ####...
        .*C....
        ####...
        ......H
    """)
    assert choice("greedy", state) == "ll"
    play(state, "ll lu")
    assert choice("greedy", state) == "wl"


def test_greedy_keeps_away_from_the_opponent():
    state = start("""
        .....
        .*C*.
        .*.H.
        .....
    """)
    assert {choice("greedy", state, seed) for seed in range(20)} == {"wl"}


def test_greedy_goes_where_it_has_not_been():
    state = start("""
        .........
        .C.......
        .........
        .........
        ........H
    """)
    assert choice("greedy", state) in ("wr", "wd", "wu", "wl")


def test_greedy_waits_when_all_is_seen():
    state = start("""
        ###...
        #C#...
        #.#...
        ###..H
    """)
    play(state, "wd lu wu lu")
    assert choice("greedy", state)[0] == "s"


# -- the policy -----------------------------------------------------------------------------------------


def duel(game, agents, seed):
    """Return the winner of a game between two agents, and its actions."""
    state = game.new_state(seed)
    actions = []
    for player, agent in enumerate(agents):
        agent.start(game, player, stream(seed, player))
    while not state.is_terminal():
        actions.append(agents[state.current_player].act(View(state, state.current_player)))
        state.apply(actions[-1])
    return state.winner, actions


def test_the_forager_plays_as_well_as_greedy():
    game = masume.load("chaser")
    forager = PolicyAgent("forager")
    assert [duel(game, [forager, AGENTS["safe"]()], seed)[0] for seed in range(8)].count(0) >= 7
    winners = [duel(game, [forager, AGENTS["greedy"]()], seed)[0] for seed in range(16)]
    assert 3 <= winners.count(0) <= 13
    assert duel(game, [forager, forager], 1) == duel(game, [forager, forager], 1)


@pytest.mark.parametrize(
    ("board", "method"),
    [
        (["...", "CH.", "..."], "pr"),  # a block on the neighbour
        (["#..", "C..", "H.."], "pd"),
        (["....", "C...", "#H#.", ".#.."], "pr"),  # on its last way out, known from two looks
        (["..#", ".B*", "..#", "..."], "wr"),  # the cell that the forager leaves for an item
        (["....", ".C*.", "...."], "wr"),
    ],
)
@pytest.mark.parametrize("policy", ["forager", "wary", "planner"])
def test_the_forager_takes_what_it_sees(board, method, policy):
    rows = [row.ljust(6, ".") for row in [*board, "", "", ""][:6]]
    if not set("HB") & set("".join(rows)):
        rows[-1] = ".....H"
    game = masume.load("chaser", height=len(rows), width=6, n_blocks=0, n_items=0)
    state = game.parse("\n".join(rows))
    for code in ("ld", "su", "lr", "su"):
        state.apply(CODES.index(code))
    forager = PolicyAgent(policy)
    for seed in range(8):
        forager.start(game, 0, seed)
        assert CODES[forager.act(View(state, 0))] == method


@pytest.mark.parametrize("policy", ["forager", "wary", "planner"])
def test_the_forager_sees_nothing_that_is_hidden(policy):
    """In a position that it cannot distinguish from the true one it acts the same."""
    game = masume.load("chaser")
    compared = 0
    for seed in range(4):
        state, forager = game.new_state(seed), PolicyAgent(policy)
        while not state.is_terminal():
            other = state.resample(state.current_player, seed)
            compared += other.to_dict() != state.to_dict()
            forager.start(game, state.current_player, seed)
            action = forager.act(View(state, state.current_player))
            forager.start(game, state.current_player, seed)
            assert forager.act(View(other, state.current_player)) == action
            state.apply(action)
    assert compared > 100


@pytest.mark.parametrize("policy", ["wary", "planner"])
def test_the_wary_player_and_the_planner_beat_the_forager(policy):
    game = masume.load("chaser")
    players = [PolicyAgent(policy), PolicyAgent("forager")]
    won = [duel(game, players, seed)[0] for seed in range(200)]
    lost = [duel(game, players[::-1], seed)[0] for seed in range(200)]
    assert won.count(0) + lost.count(1) > won.count(1) + lost.count(0) + 10


def test_the_wary_player_forages_waits_with_most_items_and_looks_before_it_meets_the_opponent():
    """It differs from the forager, with the same draws, only in that it waits, or looks where the forager walks."""
    game = masume.load("chaser")
    waited = looked = 0
    for seed in range(60):
        state, rng = game.new_state(seed), seed
        while not state.is_terminal():
            player = state.current_player
            (action,), _ = state._choose(player, "wary", rng)
            (other,), following = state._choose(player, "forager", rng)
            if player == 0:
                if 2 * state.items[0] > 50 and CODES[action][0] != "p":
                    assert CODES[action][0] == "s"
                    waited += 1
                elif action != other:
                    assert (CODES[action][0], CODES[other][0]) == ("l", "w")
                    assert CODES[action][1] == CODES[other][1]
                    looked += 1
                    if looked % 2:
                        action = other  # now and then it goes on all the same
            rng = following
            state.apply(action)
    assert waited > 50
    assert looked > 5


def test_the_planner_goes_where_more_items_are_in_reach():
    """The nearest item would cut it off from three others: the cell left for an item becomes a block."""
    game = masume.load("chaser", height=1, width=12, n_blocks=0, n_items=0)
    state = game.parse("..*C.***...H")
    for code in ("sr", "su", "sl", "su"):
        state.apply(CODES.index(code))
    for policy, method in (("forager", "wl"), ("wary", "wl"), ("planner", "wr")):
        for seed in range(8):
            (action,), _ = state._choose(0, policy, seed)
            assert CODES[action] == method


def test_samples_keep_the_opponent_from_a_cell_that_was_looked_at_a_turn_ago():
    """With nobody on it or on the four cells next to it, it can only be reached a turn later."""
    game = masume.load("chaser")
    ahead = dict(enumerate([(-2, 0), (0, 2), (0, -2), (2, 0)]))
    looked = others = 0
    for seed in range(12):
        state, rng = game.new_state(seed), seed
        while not state.is_terminal():
            player, half = state.current_player, state.half
            action = 4 + (half // 2 + seed) % 4
            if half % 6 > 1:
                (action,), rng = state._choose(player, "forager", rng)
            state.apply(action)
            if state.is_terminal() or half < 40 or action >> 2 != 1:
                continue
            known = state.clone()
            (reply,), rng = state._choose(1 - player, "forager", rng)
            known.apply(reply)
            if known.is_terminal():
                continue
            own = known.to_dict()["row"][player], known.to_dict()["col"][player]
            cell = own[0] + ahead[action & 3][0], own[1] + ahead[action & 3][1]
            foe = state.to_dict()["row"][1 - player], state.to_dict()["col"][1 - player]
            if abs(foe[0] - cell[0]) + abs(foe[1] - cell[1]) <= 2:
                continue
            for sample in range(20):
                drawn = known.resample(player, sample).to_dict()
                away = drawn["row"][1 - player] - drawn["row"][player], drawn["col"][1 - player] - drawn["col"][player]
                looked += away == ahead[action & 3]
                others += away in ahead.values() and away != ahead[action & 3]
    assert looked == 0
    assert others > 20
