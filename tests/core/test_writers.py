"""All who write files that only grow: killed between any two writes, what they confirmed is there, and they go on."""

import functools
import os
import shutil
import sys
import types

import pytest

import masume
from kills import killed_everywhere, largest_file
from masume.core import system
from masume.play.arena import Arena, Tournament
from masume.records.store import Store, read_manifest

pytestmark = pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "fork"), reason="no kills of this kind")
PLAN = Tournament(masume.load("chaser", height=7, width=7, n_blocks=4, n_items=5, turn_limit=4), ("greedy", "safe"), 4)
PARAMETERS = {
    "games": [], "agents": [], "seed": 1, "num_games": 2, "seconds": None, "replays": 0, "chunk": 1, "records": "npz",
    "keep": [], "num_actions": 1, "fields": {},
}  # fmt: skip


class ArenaWriter:
    """An arena of two pairings."""

    file = "games.jsonl"

    @staticmethod
    @functools.cache
    def played():
        run = Arena(PLAN)
        run.run()
        return run.pairings

    def write(self, folder, say):
        run = Arena(PLAN, folder)
        for number, games in self.played().items():
            if number not in run.pairings:
                run._keep(number, games, b"a replay\n")
            say()

    def count(self, folder):
        found = Arena(PLAN, folder).pairings
        assert found == {number: self.played()[number] for number in found}
        return len(found)


class StoreWriter:
    """A run of self-play of two chunks."""

    file = "manifest.jsonl"

    def write(self, folder, say):
        with Store(folder, PARAMETERS) as store:
            for chunk in range(2):
                if chunk not in store.shards:
                    store.save(chunk, {"records": b"rows"}, {}, lambda: 1.0)
                say()

    def count(self, folder):
        return len(read_manifest(folder).shards) if (folder / self.file).exists() else 0


class PageWriter:
    """The journal of a match of the page."""

    file = "unfinished/match.jsonl"
    head = {  # noqa: RUF012
        "id": "match", "game": "chaser", "config": None, "seed": 1, "names": ["a", "b"], "seats": ["", ""], "clock": {},
        "recipe": {},
    }  # fmt: skip

    def write(self, folder, say):
        from masume.web.journals import Journal, read

        syncer = types.SimpleNamespace(add=lambda _journal: None)
        journal, now = Journal(folder, "match", syncer, print), {"seats": {}, "paused": False, "delay_ms": 0}
        moves = []
        if journal.path.exists():
            moves = list(read(journal.path).begun.moves)
            journal.go_on(len(moves), now)
        else:
            journal.begin(self.head, now)
        for k in range(2):
            if k >= len(moves):
                journal.answer(0, k, k, [k], 1.0, "nonce")
                moves.append(k)
                journal.add(moves, [1.0] * len(moves))
            say()
        journal.sync()

    def count(self, folder):
        from masume.web.journals import read

        return len(read(folder / self.file).begun.moves) if (folder / self.file).exists() else 0


@pytest.fixture(params=[ArenaWriter, StoreWriter, PageWriter])
def writer(request, monkeypatch):
    if request.param is PageWriter:
        pytest.importorskip("starlette", reason="starlette is not installed")
    monkeypatch.setattr(system, "sync_file", lambda _file: None)  # nothing waits for the disk
    monkeypatch.setattr(system, "sync_folder", lambda _folder: None)
    return request.param()


def test_kill_9_between_every_two_writes(writer, tmp_path):
    folder = tmp_path / "run"
    if isinstance(writer, ArenaWriter):
        writer.played()
    for n, said in killed_everywhere(lambda say: writer.write(folder, say)):
        assert writer.count(folder) in (said, said + 1)
        if n % 9 == 0:
            writer.write(folder, lambda: None)
            assert writer.count(folder) == 2
        shutil.rmtree(folder, ignore_errors=True)
    assert said == 2


def test_a_disk_that_fills_at_any_place_and_has_room_again(writer, tmp_path):
    writer.write(tmp_path / "whole", lambda: None)
    size = (tmp_path / "whole" / writer.file).stat().st_size
    for room in range(0, size, 1 + size // 40):
        folder, said = tmp_path / str(room), []
        with largest_file(room), pytest.raises(OSError, match=r"\."):
            writer.write(folder, lambda said=said: said.append(1))
        assert writer.count(folder) in (len(said), len(said) + 1)
        writer.write(folder, lambda: None)
        assert (folder / writer.file).read_bytes().count(b"\n") >= 3
        assert writer.count(folder) == 2
