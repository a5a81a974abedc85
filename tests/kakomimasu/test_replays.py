"""Conversion between the match server's Game JSON and replays. [section 14.4]"""

import dataclasses
import json

import pytest

import masume
from masume.agent import PolicyAgent
from masume.core.rng import Rng
from masume.kakomimasu import reference
from masume.kakomimasu.protocol import game_from_json, game_to_json
from masume.kakomimasu.replays import read_text, to_game_json
from masume.play.driver import play_game
from masume.records import replay

SERVER = {"width": 5, "height": 4, "n_agents": 2, "total_turns": 8, "put_on_enemy_wall": "server"}


def junk_turn(state, rng):
    """Return entries of all kinds: legal, off the board, repeated, for nonexistent agents. [KM-R3, KM-R5]"""
    config = state.config
    turn = []
    for player in range(config.n_players):
        entries = []
        for _ in range(rng.below(5)):
            agent = rng.below(config.n_agents + 2) - 1 if rng.below(6) == 0 else rng.below(config.n_agents)
            kind = ("STAY", "PUT", "MOVE", "REMOVE")[rng.below(4)]
            cell = state.to_dict()["pos"][player][agent % config.n_agents]
            near = cell >= 0 and rng.below(4)
            x = cell % config.width + rng.below(3) - 1 if near else rng.below(config.width + 2) - 1
            y = cell // config.width + rng.below(3) - 1 if near else rng.below(config.height + 2) - 1
            entries.append((agent, kind, x, y))
        turn.append(entries)
    return turn


@pytest.mark.parametrize("seed", range(20))
def test_a_game_of_the_server_becomes_the_same_positions(seed):
    """For any log, including invalid entries, every position of the replay equals the reference's. [KM-R4]"""
    rng = Rng(seed)
    config = masume.load("kakomimasu", **SERVER, seed=seed, n_players=2 + seed % 3).config
    state = reference.State.new(config)
    turns, positions = [], [state.to_dict()]
    while not state.is_terminal():
        turns.append(junk_turn(state, rng))
        state.apply_lists(turns[-1], on_illegal="fallback")
        positions.append(state.to_dict())
    names = [f"team {player}" for player in range(config.n_players)]
    (one,) = read_text(json.dumps(game_to_json(config, turns, names=names)))
    assert one.names == names
    found = [position.to_dict() for position in one.states()]
    for position in (*positions, *found):
        del position["config"]
    assert found == positions
    assert one.scores == list(state.scores())
    assert one.returns == list(state.returns())


@pytest.mark.parametrize("seed", range(5))
def test_a_replay_becomes_the_game_json_it_is_read_from(seed):
    game = masume.load("kakomimasu", **SERVER, seed=seed)
    played = play_game(game, [PolicyAgent("random"), PolicyAgent("random")], seed).to_replay(seed, ["甲", "乙"])
    found = to_game_json(played)
    assert found["status"] == "ended"
    assert len(found["log"]) == 8
    (back,) = read_text(json.dumps(found))
    assert (back.names, list(back.moves)) == (played.names, played.moves)
    assert (back.scores, back.returns) == (played.scores, played.returns)
    config, turns = game_from_json(found)
    assert config.board_points() == game.config.board_points()
    assert len(turns) == 8


def test_a_game_that_began_elsewhere_has_no_game_json():
    game = masume.load("kakomimasu", **SERVER)
    played = play_game(game, [PolicyAgent("random"), PolicyAgent("random")], 1).to_replay(1, ["a", "b"])
    positions = list(played.states())
    later = dataclasses.replace(played, moves=played.moves[2:], ms=None, start=positions[2].to_dict())
    assert list(later.states())[-1].to_dict() == positions[-1].to_dict()
    with pytest.raises(masume.ReplayError, match="start: "):
        to_game_json(later)
    same = dataclasses.replace(played, start=positions[0].to_dict())
    assert read_text(json.dumps(to_game_json(same)))[0].moves == played.moves


def test_a_game_in_progress_is_a_replay_too():
    game = masume.load("kakomimasu", **SERVER)
    played = play_game(game, [PolicyAgent("random"), PolicyAgent("random")], 1).to_replay(1, ["a", "b"])
    found = game_to_json(game.config, game_from_json(to_game_json(played))[1][:3], names=["a", "b"])
    assert found["status"] == "gaming"
    (back,) = read_text(json.dumps(found))
    assert list(back.moves) == played.moves[:3]
    assert back.returns == [0.0, 0.0]


def test_a_file_of_the_server_loads_as_any_replay(tmp_path):
    game = masume.load("kakomimasu", **SERVER)
    played = play_game(game, [PolicyAgent("random"), PolicyAgent("random")], 1).to_replay(1, ["a", "b"])
    path = tmp_path / "game.json"
    found = to_game_json(played)
    path.write_text(json.dumps(found, indent=2))
    (back,) = replay.load(path)
    assert list(back.moves) == played.moves
    found["log"][2]["players"][1]["point"]["wallPoint"] += 1
    path.write_text(json.dumps(found))
    with pytest.raises(masume.ReplayError, match=rf"{path}: log\[2\].players\[1\].point.wallPoint: "):
        replay.load(path)


def test_a_list_of_matches_is_all_that_have_begun(tmp_path):
    game = masume.load("kakomimasu", **SERVER)
    games = [
        play_game(game, [PolicyAgent("random"), PolicyAgent("random")], seed).to_replay(seed, ["a", "b"])
        for seed in (1, 2)
    ]
    first, last = map(to_game_json, games)
    waiting = {**first, "status": "free", "field": None, "log": []}
    path = tmp_path / "matches.json"
    path.write_text(json.dumps([first, waiting, last]))
    assert [list(one.moves) for one in replay.load(path)] == [one.moves for one in games]
    last["log"][2]["players"][1]["point"]["wallPoint"] += 1
    path.write_text(json.dumps([first, waiting, last]))
    with pytest.raises(masume.ReplayError, match=rf"{path}: \[2\].log\[2\].players\[1\].point.wallPoint: "):
        replay.load(path)


@pytest.mark.parametrize(
    "text", ["", "[]", '[{"field": {}, "log": []}, 5]', "5", '{"t": "replay"}', '{"field": {}}', "[" * 100_000]
)
def test_what_is_in_another_format_is_left_to_others(text):
    assert read_text(text) is None


@pytest.mark.parametrize("rule", ["server", "invalid"])
def test_a_log_is_played_again_by_the_rule_that_it_was_played_by(rule):  # KM-R6
    config = masume.load("kakomimasu", **{**SERVER, "total_turns": 3, "put_on_enemy_wall": rule}).config
    put, leave, none = [(0, "PUT", 1, 1)], [(0, "MOVE", 2, 1)], []
    (one,) = read_text(json.dumps(game_to_json(config, [[put, none], [leave, none], [none, put]])))
    assert one.game.config.put_on_enemy_wall == rule
