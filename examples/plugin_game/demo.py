"""Demo of what a plug-in game gets: states, texts, pickles, perft, batches, self-play, replays; all are checked."""

import pickle
import tempfile
from pathlib import Path

import masume
from masume import render
from masume.core._perft import perft
from masume.play.selfplay import selfplay
from masume.records import replay

game = masume.load("connect_four")
print(game, "observes", game.observation_spec)
assert game.name in masume.games()

state = game.new_state()
for column in "ddeeff":
    state.apply(state.text_to_action(column))
print("Three in a row, bottom:", state, sep="\n")
won = state.clone()
won.apply(6)
assert won.is_terminal()
assert won.returns().tolist() == [1, -1]
assert game.parse(str(won)).key == won.key
assert game.state_from_dict(won.to_dict()).key == won.key
assert pickle.loads(pickle.dumps(won)).key == won.key
assert pickle.loads(pickle.dumps(game)) == game
assert "X wins" in render.text(won)
assert render.svg(won).startswith("<svg")

counts = [perft(game.new_state(), depth) for depth in range(1, 9)]
print("perft", *counts)
assert counts == [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]  # the known numbers of Connect Four

batch = game.batch(4096, seed=1, threads=2)
for _ in range(20):
    batch.sample_actions()
    batch.step()
print(f"{batch.playout()} plies more to the end of 4096 games: {batch.stats()}")

with tempfile.TemporaryDirectory() as folder:
    print(selfplay([game], ["careful", "random"], num_games=200, seed=1, out=folder).table())
    records = masume.load_records(folder)
    first = replay.load(Path(folder, "replays", "0000.jsonl"))[0]
    careful = records["agents"] == list(records["names"]).index("careful")
    assert records["returns"][careful].mean() > 0.9
    assert first.moves == records["actions"][: len(first.moves), 0].tolist()
