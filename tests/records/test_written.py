"""Files of earlier versions are read, verified and continued (tests/data/written/, made by written.py)."""

import io
import json
import pickle
import shutil
from pathlib import Path

import pytest

import masume
import written
from masume.play.arena import Arena, replays
from masume.play.selfplay import selfplay
from masume.records import replay

HOMES = sorted((Path(__file__).parents[1] / "data" / "written").glob("*/*"))
pytestmark = pytest.mark.parametrize("home", HOMES, ids=lambda home: f"{home.parent.name}-{home.name}")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parents[1])


class Unpickler(pickle.Unpickler):
    """Unpickler of states from versions before 0.1.0: the function that they name has moved (CHANGELOG.md)."""

    def find_class(self, module, name):
        if (module, name) == ("masume._state", "restore"):
            return lambda game, *rest: game.restore_state(*rest)
        return super().find_class(module, name)


def unpickle(text):
    return Unpickler(io.BytesIO(bytes.fromhex(text))).load()


def test_games_and_states_are_what_they_were(home):
    kept = json.loads((home / "states.json").read_text("utf-8"))
    for made, pickled, old in zip(written.games(home.name), kept["games"], kept["states"], strict=True):
        game = unpickle(pickled)
        assert game == made
        state = unpickle(old["pickle"])
        assert state.game == game
        for found in (state, game.state_from_bytes(bytes.fromhex(old["bytes"])), game.state_from_dict(old["dict"])):
            found.check()
            assert found.key == old["key"]
            assert found.to_dict() == old["dict"]
            assert found.scores().tolist() == old["scores"]
        assert state.to_bytes().hex() == old["bytes"]
        assert str(state) == old["text"]


def test_replays_verify(home):
    found = replay.load(home / "replays.jsonl")
    assert len(found) == 4
    for official in home.glob("official.*"):
        again = replay.load(official)
        assert [one.scores for one in again] == [one.scores for one in found[: len(again)]]


def test_records_verify(home):
    runs = [folder for folder in (home / "npz", home / "parquet") if folder.exists()]
    for folder in runs:
        records = masume.load_records(folder)
        assert records.verify() == written.RUN["num_games"]


def test_a_run_that_was_cut_off_goes_on(home, tmp_path):
    folder = shutil.copytree(home / "cut", tmp_path / "cut")
    games = masume.load_records(home / "npz").games
    selfplay(games, ["random", "py:written:First"], out=folder, keep=["legal"], **written.RUN)
    whole, mended = masume.load_records(home / "npz"), masume.load_records(folder)
    assert set(whole) == set(mended)
    for name in whole:
        assert whole[name].tobytes() == mended[name].tobytes(), name


def test_an_arena_that_was_cut_off_goes_on(home, tmp_path):
    plan = written.arena_plan(home.name)
    whole = Arena(plan, shutil.copytree(home / "arena", tmp_path / "whole"))
    assert len(whole.games) == plan.games
    assert len(list(replays(home / "arena"))) == plan.games
    folder = shutil.copytree(home / "arena", tmp_path / "arena")
    lines = (folder / "games.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "games.jsonl").write_bytes(b"".join(lines[:-1]) + lines[-1][:9])
    mended = Arena(plan, folder)
    assert len(mended.games) < plan.games
    mended.run()
    assert mended.games == whole.games
