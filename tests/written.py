"""Write one of each kind of file that masume writes: `python tests/written.py FOLDER`.

A folder of tests/data/written/ contains the output of the masume version that it is named after. test_written.py reads
it with the current version.
"""

import json
import pickle
import shutil
import sys
from pathlib import Path

import masume
from masume.kakomimasu.replays import to_game_json
from masume.nezumi.replays import to_replay_text
from masume.play.arena import Arena, Tournament
from masume.play.selfplay import selfplay
from masume.records.replay import load, save

CONFIGS = {
    "battleship": [{"preset": "submarine", "width": 4, "height": 3}, {"preset": "tag", "width": 5, "height": 5}],
    "chaser": [{"height": 5, "width": 6, "n_blocks": 4, "n_items": 4, "turn_limit": 10}, {"preset": "contest"}],
    "kakomimasu": [{"width": 8, "height": 6, "n_agents": 2, "total_turns": 8}, {"width": 5, "height": 5, "seed": 4}],
    "nezumi": [{}, {"stage": "siege", "turns": 3}],
    "terraforming": [{"radius": 2, "max_turns": 2}, {"preset": "contest", "radius": 2, "max_turns": 2, "seed": 5}],
}
RUN = {"num_games": 12, "seed": 5, "replays": 4}
ARENA = {"games": 6, "seed": 7}


def games(name):
    return [masume.load(name, **fields) for fields in CONFIGS[name]]


def arena_plan(name):
    game = games(name)[0]
    return Tournament(game, ("random", *["py:written:First"] * (game.num_players - 1)), **ARENA)


def middle(game, seed):
    """Return a position in the middle of the game of this seed, after random moves."""
    state = game.new_state(seed)
    rng = masume.core.rng.Rng(seed)
    for _ in range(8):
        actions = [int(legal[rng.below(len(legal))]) for legal in map(state.legal_actions, range(len(state.slots)))]
        state.apply(actions if game.num_slots > 1 else actions[0])
        if state.is_terminal():
            return game.new_state(seed)
    return state


def state_of(game, seed):
    """Return a position in all its forms."""
    state = middle(game, seed)
    return {
        "pickle": pickle.dumps(state, protocol=5).hex(),
        "bytes": state.to_bytes().hex(),
        "dict": state.to_dict(),
        "key": state.key,
        "text": str(state),
        "scores": state.scores().tolist(),
    }


def cut(folder):
    """Leave the run as a kill would: its last chunk is missing in the manifest, which ends with half a line."""
    (folder / "report.html").unlink()
    manifest = folder / "manifest.jsonl"
    *lines, last = manifest.read_bytes().splitlines(keepends=True)
    manifest.write_bytes(b"".join(lines) + last[: len(last) // 2])


def write(folder):
    """Write all kinds of files, for every game."""
    for name in CONFIGS:
        home = folder / name
        home.mkdir(parents=True)
        all_games = games(name)
        pickles = [pickle.dumps(game, protocol=5).hex() for game in all_games]
        states = [state_of(game, seed) for seed, game in enumerate(all_games, 3)]
        (home / "states.json").write_text(json.dumps({"games": pickles, "states": states}), encoding="utf-8")
        selfplay(all_games, ["random", "py:written:First"], out=home / "npz", keep=["legal"], **RUN)
        if name == "chaser":
            selfplay(all_games, ["random", "mcts:8"], out=home / "parquet", records="parquet", **RUN)
            (home / "parquet" / "report.html").unlink()
        shutil.copytree(home / "npz", home / "cut")
        cut(home / "cut")
        (home / "npz" / "report.html").unlink()  # pages are for people, and large
        replays = load(next((home / "npz").glob("replays/*.jsonl")))
        save(home / "replays.jsonl", replays)
        if name == "kakomimasu":
            (home / "official.json").write_text(json.dumps([to_game_json(one) for one in replays]), encoding="utf-8")
        if name == "nezumi":
            (home / "official.txt").write_text(to_replay_text(replays[0]), encoding="utf-8")
        Arena(arena_plan(name), home / "arena").run()


class First:
    """Play the first legal action, so that a run is the same whatever the players have learned."""

    name = "first"

    def start(self, game, player, seed): ...

    def act(self, view):
        actions = [int(view.legal_actions(slot)[0]) for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]

    def close(self): ...


if __name__ == "__main__":
    write(Path(sys.argv[1]))
