"""Agents, evaluators, classes and functions play wherever names do."""

import asyncio
import os
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import masume
import players
from masume.agents.given import GivenAgent, name_agents
from masume.agents.make import make_agent
from masume.play.arena import Arena, Tournament
from masume.play.league import League
from masume.play.selfplay import selfplay
from masume.referee.match import play_match
from masume.referee.seats import make_seat

SMALL = {"width": 5, "height": 5, "n_blocks": 2, "n_items": 4, "turn_limit": 8}


@pytest.fixture
def game():
    return masume.load("chaser", **SMALL)


class Cropped:
    """Evaluator in the form of a network that was trained on a crop of compact planes."""

    observe, dtype, crop = ("planes", "masks"), "uint8", 5

    def __call__(self, observations, players):
        assert observations["planes"].dtype == np.uint8
        assert observations["planes"].shape[-2:] == (5, 5)
        return observations["masks"].astype(float), np.zeros((len(players), 2))


def make_cropped():
    return Cropped()


def results(game, agent, **options):
    """Return the results of an arena against the policy of the game."""
    arena = Arena(Tournament(game, (agent, "safe"), 4, seed=3, **options))
    arena.run()
    return [one.returns for one in arena.games], arena.plan.names


def test_names_of_what_is_given():
    one, other = players.Random(), players.Random()
    named = name_agents(["greedy", players.Random, make_cropped, one, other, one])
    assert named == (
        "greedy", "py:players:Random", f"py:{__name__}:make_cropped", "py:players:Random()",
        "py:players:Random() (2)", "py:players:Random()",
    )  # fmt: skip
    assert pickle.loads(pickle.dumps(named[1])).given is players.Random
    with pytest.raises(masume.ConfigError, match=r"^agents: expected names, agents, or what makes them, got 7$"):
        name_agents([7])


@pytest.mark.parametrize("given", [players.Random, players.Random()], ids=["class", "object"])
def test_an_arena_plays_what_it_is_given_as_by_name(game, given):
    """Its games are those of the same agent by name; the agents play in other processes."""
    games, names = results(game, given)
    assert games == results(game, "py:players:Random")[0]
    assert names[0].startswith("py:players:Random")


def test_self_play_of_objects_is_that_of_names(game):
    """Each seat has a copy of an object."""
    given = players.Random()
    told = selfplay([game], [given, "safe"], num_games=12, seed=1, threads=2)
    assert not hasattr(given, "rng")
    named = selfplay([game], ["py:players:Random", "safe"], num_games=12, seed=1)
    for one, other in zip(told.games.values(), named.games.values(), strict=True):
        assert (one.plies, one.won) == (other.plies, other.won)


@pytest.mark.parametrize("given", [Cropped, Cropped(), make_cropped], ids=["class", "object", "function"])
def test_an_evaluator_with_a_crop_plays_everywhere(game, given):
    """What was trained with the crop that the guide advises needs no class of its own to be deployed."""
    from masume.envs.gymnasium import VectorEnv

    agent = make_agent(given, game)
    assert hasattr(agent, "act_many")
    selfplay([game], [given], num_games=4, seed=1)
    record = asyncio.run(play_match(game, [make_seat(given, game), make_seat("safe", game)], 1))
    assert not record.faults
    env = VectorEnv(game, 3, opponents=given)
    _, info = env.reset(seed=1)
    for _ in range(10):
        info = env.step(info["action_mask"].argmax(axis=1))[4]
    assert len({id(agents[1]) for agents in env._opponents.agents}) == 1


def test_an_object_is_an_opponent_in_every_game(game):
    """Each game has a copy, also of a member of a league."""
    from masume.envs.gymnasium import VectorEnv

    for opponents in (players.Random(), League({"slow": players.Random()})):
        env, twin = VectorEnv(game, 3, opponents=opponents), VectorEnv(game, 3, opponents=players.Random)
        info, other = env.reset(seed=1)[1], twin.reset(seed=1)[1]
        for _ in range(20):
            assert np.array_equal(info["action_mask"], other["action_mask"])
            actions = info["action_mask"].argmax(axis=1)
            info, other = env.step(actions)[4], twin.step(actions)[4]


class Locked(players.Random):
    """Agent that cannot be copied or pickled."""

    def __init__(self):
        self.lock = threading.Lock()


def test_an_object_that_cannot_be_copied_is_named(game):
    with pytest.raises(masume.ConfigError, match=rf"py:{__name__}:Locked\(\): cannot be copied .*; give its class"):
        selfplay([game], [Locked()], num_games=1)
    with pytest.raises(masume.ConfigError, match=r"Locked\(\) cannot be sent to other processes \(TypeError: .*"):
        Arena(Tournament(game, (Locked(), "safe"), 2)).run()


def test_what_only_one_process_knows_is_named(game):
    with pytest.raises(masume.ConfigError, match=r"<lambda> cannot be sent .*; define it in a module"):
        Arena(Tournament(game, (lambda: players.Random(), "safe"), 2)).run()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    program = f"""
import masume
from masume.play.arena import Arena, Tournament
from players import Random
class Mine(Random):
    pass
Arena(Tournament(masume.load("chaser", **{SMALL}), (Mine, "safe"), 2)).run()
"""
    ran = subprocess.run([sys.executable, "-"], input=program, capture_output=True, text=True, env=environment)
    assert "py:__main__:Mine cannot be sent to other processes (it is defined in a shell or notebook)" in ran.stderr


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (dict, masume.ConfigError, r"^agents: py:builtins:dict: \{\} lacks name, start, act or close$"),
        (lambda: 1 / 0, masume.AgentError, r"<lambda>: ZeroDivisionError: division by zero$"),
        (lambda one: one, masume.ConfigError, r"<lambda>: .* lacks name, start, act or close$"),
    ],
)
def test_what_makes_no_agent_is_named(game, given, error, message):
    with pytest.raises(error, match=message):
        make_agent(given, game)


def test_a_given_agent_is_a_name():
    """Files, tables and commands see the text."""
    name = GivenAgent("py:mine:Mine", players.Random)
    assert (name, f"{name}", hash(name)) == ("py:mine:Mine", "py:mine:Mine", hash("py:mine:Mine"))
