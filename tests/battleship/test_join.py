"""A client of the course protocol on a server of others: what it knows, and whole games over loopback. [section 13]"""

import asyncio
import json
import threading

import numpy as np
import pytest

import masume
from masume.agent import View
from masume.agents.make import make_agent
from masume.battleship.knowledge import Knowledge, calls
from masume.battleship.notation import views_of
from masume.battleship.protocol import DIALECTS, SETUP, observation, read_action, result
from masume.battleship.server import Server, Settings
from masume.battleship.told import Told, action_text, places_text
from masume.cli import main
from masume.referee.match import play_match
from masume.referee.seats import make_seat

NEVER = 60  # seconds


def compare(game, seed, names, most=60):
    """Compare what clients in both seats know with the players' own views; return the number of decisions compared."""
    dialect = DIALECTS["new"]
    state, agents, places = game.new_state(seed), [], ([], [])
    for player, name in enumerate(names):
        agents.append(make_agent(name, game))
        agents[-1].start(game.public, player, seed)
    while state.phase == SETUP:
        player = state.current_player
        places[player].append(int(agents[player].act(View(state, player))))
        state.apply(places[player][-1])
    told = [Told(game, player, places[player], dialect) for player in range(2)]
    for count in range(most):
        if state.is_terminal():
            return count
        player = state.current_player
        mine, its = View(state, player), View(told[player].state, player)
        assert its.information_state() == mine.information_state()
        assert its.legal_actions().tolist() == mine.legal_actions().tolist()
        seen = its.observation()
        for name, array in mine.observation().items():
            np.testing.assert_array_equal(seen[name], array)
        for seed_of_sample in range(2):
            samples = [view.resample(seed_of_sample).to_dict() for view in (mine, its)]
            assert samples[0] == samples[1]
        text = json.dumps(action_text(state, int(agents[player].act(mine))))
        for one in told:  # the protocol names no ship that attacks: the server takes the first that can
            assert one.state.current_player == player
        state.apply(read_action(state, text))
        if state.is_terminal():
            return count + 1
        for who, one in enumerate(told):
            message = result(game.config, state.events(who), who) | observation(state, who, dialect)
            one.heard(text if who == player else "", json.loads(json.dumps(message)))
    return most


@pytest.mark.parametrize("names", [("hunter", "hunter:hard"), ("gunner", "random")])
def test_a_client_knows_just_what_the_player_knows(names):
    for seed in range(2):
        assert compare(masume.load("battleship", "submarine"), seed, names) > 5


def test_a_client_knows_just_what_the_player_knows_between_reefs():
    game = masume.load("battleship", "submarine", terrain_map=".#..../....../...#../....../.#....")
    assert compare(game, 1, ("gunner", "hunter")) > 5


def test_what_no_places_explain_begins_a_game_anew():
    game = masume.load("battleship", "submarine")
    state = game.new_state()
    places = [int(state.text_to_action(text)) for text in ("SA1", "SB2", "SC3")]
    told = Told(game, 0, places, DIALECTS["new"])
    assert places_text(game.config, places) == {"w": [0, 0], "c": [1, 1], "s": [2, 2]}
    seen = observation(told.state, 0, DIALECTS["new"])
    hit = {"result": {"attacked": {"position": [1, 0], "hit": "w", "near": []}}} | seen
    hit["observation"]["opponent"]["w"]["hp"] = 2
    told.heard('{"attack": {"to": [1, 0]}}', hit)
    assert told.state.to_dict()["ship_pos"][1][0] == 1
    assert not told.has_forgotten
    hit["observation"]["me"]["c"] = {"hp": 1, "position": [4, 4]}
    del hit["observation"]["me"]["s"]
    told.heard("", {"result": {"moved": {"ship": "w", "distance": [0, -1]}}} | hit)  # off the map
    assert told.has_forgotten
    assert observation(told.state, 0, DIALECTS["new"]) == {"observation": hit["observation"]}
    view = told.view()
    assert view.slots == [0]
    known = Knowledge(game.config.public(), 0)
    for call in calls(views_of(view.information_state())[1]):
        known.hear(call)
    assert [(ship.panel, ship.hp) for ship in known.ships[:2]] == [(0, 3), (24, 1)]
    assert known.alive[0] == [True, True, False]
    agent = make_agent("hunter", game)
    agent.start(game.public, 0, 0)
    assert view.is_legal(agent.act(view), 0)


# -- over loopback ----------------------------------------------------------------------------------


def serve(game, seed, commands, count=1, **settings):
    """Play games between joined clients, the first of which moves first; return the records and the exit codes."""
    has_connected = threading.Event()
    server = Server(game, Settings(port=0, **settings), say=lambda news: "connected" in news and has_connected.set())
    server.listen()
    records, codes = [], {}

    async def play():
        records.extend([await server.play(seed) for _ in range(count)])

    threads = [threading.Thread(target=lambda: asyncio.run(play()), daemon=True)]
    threads[0].start()
    for number, command in enumerate(commands):
        listening = ["join", "battleship", "127.0.0.1", str(server.port), *command]
        threads.append(
            threading.Thread(
                target=lambda number=number, listening=listening: codes.update({number: main(listening)}), daemon=True
            )
        )
        threads[-1].start()
        assert has_connected.wait(NEVER)
    for thread in threads:
        thread.join(NEVER)
        assert not thread.is_alive()
    return records, codes


def test_agents_play_over_a_server_as_in_a_match(capsys):
    game, agents = masume.load("battleship", "submarine"), ["mcts:60", "hunter:hard"]
    commands = [
        ["--agent", agent, "--name", agent[:3], "--seed", "4", *(["--second"] if number else [])]
        for number, agent in enumerate(agents)
    ]
    (record,), codes = serve(game, 4, commands)
    assert codes == {0: 0, 1: 0}
    assert record.replay.names == ["mct", "hun"]
    assert record.faults == []
    same = asyncio.run(play_match(game, [make_seat(agent, game) for agent in agents], 4))
    texts = []
    for one in (record, same):  # a ship may attack for another one: the protocol does not name it
        state = game.new_state(4)
        texts.append([])
        for move in one.replay.moves:
            texts[-1].append(action_text(state, move) if state.phase != SETUP else move)
            state.apply(move)
    assert texts[0] == texts[1]
    told = capsys.readouterr().out
    assert "won" in told
    assert "lost" in told


def test_several_games_on_one_connection_in_the_old_dialect(capsys):
    game = masume.load("battleship", "submarine", max_rounds=6)
    fields = ["--set", "max_rounds=6", "--json"]
    commands = [["--agent", "random", *fields], ["--agent", "gunner", "--second", *fields]]
    records, codes = serve(game, 1, commands, count=2, loop=2, dialect="old")
    assert codes == {0: 0, 1: 0}
    assert [record.faults for record in records] == [[], []]
    assert capsys.readouterr().out.count('"result"') == 4


def test_the_map_of_the_server_is_taken_over():
    reefs = ".#..../....../...#../....../.#...."
    game = masume.load("battleship", "submarine", terrain_map=reefs, max_rounds=8)
    fields = ["--set", "max_rounds=8"]
    (record,), codes = serve(game, 1, [["--agent", "gunner", *fields], ["--agent", "hunter", "--second", *fields]])
    assert codes == {0: 0, 1: 0}
    assert record.faults == []


def test_a_server_of_another_protocol(capsys):
    async def run():
        async def talk(reader, writer):
            writer.write(b"220 hello\n")
            await reader.read()
            writer.close()

        async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
            port = str(server.sockets[0].getsockname()[1])
            return await asyncio.to_thread(main, ["join", "battleship", "127.0.0.1", port, "--agent", "random"])

    assert asyncio.run(run()) == 1
    assert "expected a greeting of the course protocol, got '220 hello'" in capsys.readouterr().err
