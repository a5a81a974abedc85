"""selfplay: play a run's chunks on threads or on a cluster, and keep each once it is whole."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..core import system
from ..core.config import integer
from ..core.files import write_atomic
from ..errors import ConfigError
from ..records.store import REPORT, Store
from .cluster import LOCAL, play_on_cluster
from .run import Chunk, Run
from .summary import Summary

if TYPE_CHECKING:
    from ..game import Game


def selfplay(
    games: Sequence[Game],
    agents: Sequence[str],
    *,
    num_games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    out: str | os.PathLike[str] | None = None,
    records: str = "npz",
    keep: Sequence[str] = (),
    replays: int | None = None,
    ray: str | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Summary:
    """Play games of these agents, as the head of run.py says, and sum up.

    games : the starts, gone through in turn; they may be of several games. agents : names as `make_agent` knows
    them, and programs (cmd:COMMAND, json:COMMAND), one or more; each seat has its own agent even where names are equal.
    num_games, seconds : when to end, the sooner of the two; time ends a run after the chunks in play.
    threads : 1..; 0 means as many as the machine has. They help policies, and Python agents that release the GIL.
    out : a folder for records (`masume.load_records`), replays of the first games, `manifest.jsonl` and
    `report.html`; None keeps nothing. A run that was interrupted, even by a kill or a power cut, goes on where
    the manifest ends when it is called again with the same arguments; `seconds` count all its parts.
    records : "npz", or "parquet" (extra `data`). keep : what records hold beside the moves, for each ply: "legal", the
    masks, and fields of the observation. replays : of so many games; None: of 256, but of each chunk no more than have
    65,536 plies together, or of one.
    ray : None for threads; "local" for Ray (extra `ray`) on this machine, with as many workers as `threads` says; else
    the address of a cluster ("auto", "HOST:PORT", "ray://HOST:PORT"), all of whose processors are used.
    progress : called with (games finished, seconds so far), from any thread.

    ConfigError for bad arguments, and for an `out` that holds a run of other ones or is in use. ReplayError for
    files there that are damaged, OSError for what cannot be written. AgentError ends the run where an agent raises or
    answers with what it may not play, or ends its process; finished chunks are kept, as they are after
    KeyboardInterrupt.
    """
    run = Run.make(games, agents, seed, num_games, seconds, replays, records, keep)
    if ray not in (None, LOCAL) and threads not in (0, 1):
        raise ConfigError(f"threads: {threads}, but a cluster has its own")
    threads = integer("threads", threads, 0, 1024) or system.count_cpus()
    with contextlib.ExitStack() as stack:
        store = None if out is None else stack.enter_context(Store(Path(out), run.parameters()))
        shards = {} if store is None else store.shards
        clock = _Clock(shards)
        stop, commit = threading.Event(), threading.Lock()

        def tick(games: int) -> None:
            if stop.is_set():
                raise _Stopped
            finished = clock.count(games)
            if progress:
                progress(finished, clock.seconds())

        def play(chunk: int) -> Callable[[], Chunk]:
            arrays, tallies = run.play(chunk, tick)
            return lambda: run.pack(chunk, arrays, tallies, store is not None)

        def save(pack: Callable[[], Chunk]) -> None:
            made = pack()
            files = {} if store is None else store.write(made.chunk, made.files)
            tallies = {name: vars(tally) for name, tally in made.tallies.items()}
            shard = {"chunk": made.chunk, "files": files, "tallies": tallies}
            with commit:
                shard["finished_s"] = round(clock.seconds(), 6)
                if store is None:
                    shards[made.chunk] = shard
                else:
                    store.commit(shard)

        tick(0)
        chunks = run.chunks(shards, clock.seconds)
        if ray is None:
            played = _play_on_threads(threads, chunks, play, stop)
        else:
            played = play_on_cluster(ray, threads, run, chunks, store is not None, tick)
        with _Saver(save, threads) as saver, contextlib.closing(played):
            for pack in played:
                saver.add(pack)
        summary = Summary.of(shards, None if store is None else store.folder)
        if store is not None:
            from .report import report  # here: most runs of a library keep nothing

            plugins = [game for game in run.games if game.config is None]
            write_atomic(store.folder / REPORT, report(store, plugins, summary).encode())
    return summary


class _Stopped(Exception):  # noqa: N818  (it ends a worker; nobody outside sees it)
    """The run ends: the chunk in play is given up."""


class _Clock:
    """Games and seconds of a run, those of its earlier parts included."""

    def __init__(self, shards: dict[int, dict[str, Any]]) -> None:
        self.games: int = sum(tally["games"] for shard in shards.values() for tally in shard["tallies"].values())
        self._start = time.monotonic() - max((shard["finished_s"] for shard in shards.values()), default=0.0)
        self._lock = threading.Lock()

    def seconds(self) -> float:
        return time.monotonic() - self._start

    def count(self, games: int) -> int:
        with self._lock:
            self.games += games
            return self.games


def _play_on_threads(
    threads: int, chunks: Iterator[int], play: Callable[[int], Callable[[], Chunk]], stop: threading.Event
) -> Generator[Callable[[], Chunk]]:
    """What packs each chunk, as it ends; asks for one only when a thread is free."""
    if threads == 1:
        yield from map(play, chunks)
        return
    with ThreadPoolExecutor(threads) as pool:
        running: set[Future[Callable[[], Chunk]]] = set()
        try:
            while True:
                running |= {pool.submit(play, chunk) for chunk in itertools.islice(chunks, threads - len(running))}
                if not running:
                    return
                ended, running = system.wait_for_one(running)
                for future in ended:
                    yield future.result()
        finally:
            stop.set()  # where the loop was left by an error, the pool waits for those still at work


class _Saver:
    """Has chunks packed and saved while others are played: the disk is slow, and needs no processor.

    ahead : chunks that may wait for the disk. What goes wrong there is raised by `add` or at the end.
    """

    def __init__(self, save: Callable[[Callable[[], Chunk]], None], ahead: int) -> None:
        self._save, self._ahead = save, ahead
        self._pool = ThreadPoolExecutor(ahead)
        self._waiting: deque[Future[None]] = deque()

    def add(self, pack: Callable[[], Chunk]) -> None:
        self._waiting.append(self._pool.submit(self._save, pack))
        while len(self._waiting) > self._ahead:
            self._waiting.popleft().result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()  # all that was played is saved, whatever has ended the run
        for future in self._waiting:
            future.result()
