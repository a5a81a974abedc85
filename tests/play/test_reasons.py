"""Why a game ended: in replays of agents' games, in reports, and when an agent fails."""

import dataclasses

import pytest

import masume
from masume import cli
from masume.agents.make import make_agent
from masume.play.driver import play_game
from masume.records import replay
from masume.render import html


@pytest.mark.parametrize(("agent", "cause", "told"), [("Raises", "crash", "KeyError"), ("Illegal", "illegal", "")])
def test_play_saves_what_was_played_when_an_agent_fails(agent, cause, told, capsys, tmp_path):
    path = tmp_path / "game.jsonl"
    agents = ["random", f"py:players:{agent}"]
    assert cli.main(["play", "nezumi", "--agents", *agents, "--seed", "3", "--out", str(path)]) == 1
    assert str(path) in capsys.readouterr().err
    (one,) = replay.load(path)
    (note,) = one.notes
    assert (one.reason, note.player, note.ply, note.cause) == (cause, 1, len(one.moves), cause)
    assert told in note.detail
    assert f'"ended":"{cause}"' in html.page([one], title="a game")


def test_a_report_says_who_won_and_why():
    game = masume.load("chaser", seed=1)
    one = play_game(game, [make_agent("random", game) for _ in range(2)], 3).to_replay(3, ["a", "b"])
    assert one.reason
    won = one.names[one.returns.index(1)]
    for known in (one, dataclasses.replace(one, reason=None)):
        assert f'"ended":"{won} wins: {one.reason}"' in html.page([known], title="a game")
