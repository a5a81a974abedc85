"""selfplay: play a run's chunks on threads or on a cluster, and save each completed chunk."""

from __future__ import annotations

import contextlib
import itertools
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from ..agents.given import AgentLike
from ..core import system
from ..core.config import integer
from ..errors import ConfigError
from ..game import Game
from ..records.store import open_store
from .cluster import LOCAL, play_on_cluster
from .run import Chunk, Run
from .summary import Summary


def selfplay(
    games: Sequence[Game],
    agents: Sequence[AgentLike],
    *,
    num_games: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    out: str | os.PathLike[str] | None = None,
    records: str = "npz",
    keep: Sequence[str] = (),
    replays: int | None = None,
    chunk: int | None = None,
    ray: str | None = None,
    progress: Callable[[int, float], None] | None = None,
) -> Summary:
    """Play games between these agents and return a summary.

    Game k is `games[k % len(games)]` with the seed stream(seed, k) >> 1; seats rotate after each pass through
    `games`. Threads, machines and interruptions do not change the games.

    Parameters
    ----------
    games : sequence of Game
        The games or configs to play, in turn; they may be of different kinds.
    agents : sequence of str, Agent, class or callable
        One or more agents as `make_agent` takes them, or programs (`cmd:COMMAND`, `json:COMMAND`). Each seat has its
        own agent, even if names are equal.
    num_games : int, optional
        Number of games, 1..2**62.
    seconds : float, optional
        Time limit in seconds, above 0; the run ends after the chunks in play. At least one of `num_games` and `seconds`
        is required; the one reached first ends the run.
    seed : int, optional
        Seed of the run, 0..2**64 - 1.
    threads : int, optional
        Number of threads, 0..1024; 0: one per processor. Threads speed up policies, and Python agents that release the
        GIL.
    out : path-like, optional
        Folder for records (`masume.load_records`), replays of the first games, `manifest.jsonl` and `report.html`;
        None keeps nothing. The same call continues a run that was interrupted, even by a kill or a power cut;
        `seconds` counts all its parts. A URL that pyarrow opens (extra `data`), such as `s3://BUCKET/PATH`,
        `gs://BUCKET/PATH` or `file:///PATH`: each worker writes the files of its chunks there.
    records : {"npz", "parquet"}, optional
        Format of the records; "parquet" needs the extra `data`.
    keep : sequence of str, optional
        Arrays to record for each ply in addition to the moves: "legal" (the masks) and fields of the observation.
    replays : int, optional
        Number of games to keep as replays, 0 or more. By default the first 256, but of each chunk only the games within
        its first 65,536 plies, at least one.
    chunk : int, optional
        Number of games in a chunk, and so in a file of records, 1..2**31 - 1. A chunk is played as a whole by one
        thread, in memory, and lost if the run is interrupted. None: 8 for slow agents, 64 for agents that are asked
        about many games at once, thousands for policies.
    ray : str, optional
        None: threads. "local": Ray (extra `ray`) on this machine, with `threads` workers. Otherwise the address of a
        cluster ("auto", "HOST:PORT", "ray://HOST:PORT"), all of whose processors are used.
    progress : callable, optional
        Called with (games finished, seconds so far), from any thread.

    Returns
    -------
    Summary
        Counts of what was played, including earlier parts of a resumed run.

    Raises
    ------
    ConfigError
        If an argument is out of range, or if `out` holds a run with other arguments or is in use.
    ExtraError
        If `records` or `ray` needs a package that is not installed.
    ReplayError
        If files in `out` are damaged.
    OSError
        If a file cannot be written.
    AgentError
        If an agent raises, answers with an action that it may not play, or ends its process. Completed chunks are kept,
        as they are after KeyboardInterrupt.
    """
    run = Run.make(games, agents, seed, num_games, seconds, replays, records, keep, chunk)
    if ray not in (None, LOCAL) and threads not in (0, 1):
        raise ConfigError(f"threads: expected 0 or 1 with a cluster, got {threads}")
    threads = integer("threads", threads, 0, 1024) or system.count_cpus()
    with contextlib.ExitStack() as stack:
        store = None if out is None else open_store(out, run.parameters())
        if store is not None:
            stack.enter_context(store)
        shards = {} if store is None else store.shards
        clock = _Clock(shards)
        stop = threading.Event()

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
            if made.shard is not None:  # who played it has saved it
                shards[made.chunk] = made.shard
            elif store is not None:
                store.save(made.chunk, made.files, made.told(), clock.seconds)
            else:
                shards[made.chunk] = {"tallies": made.told(), "finished_s": round(clock.seconds(), 6)}

        tick(0)
        chunks = run.chunks(shards, clock.seconds)
        if ray is None:
            played = _play_on_threads(threads, chunks, play, stop)
        else:
            outbox = None if store is None else store.outbox
            played = play_on_cluster(ray, threads, run, chunks, store is not None, outbox, tick)
        with _Saver(save, threads) as saver, contextlib.closing(played):
            for pack in played:
                saver.add(pack)
        summary = Summary.of(shards, None if store is None else store.place.path)
        if store is not None:
            from .report import report  # here, because most runs of a library keep nothing

            plugins = [game for game in run.games if game.config is None]
            store.write_report(report(store, plugins, summary))
    return summary


class _Stopped(Exception):  # noqa: N818  (it ends a worker; nobody outside sees it)
    """The run ends: the chunk in play is abandoned."""


class _Clock:
    """Games and seconds of a run, including its earlier parts."""

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
    """Yield a function that packs each chunk, as it is completed; request chunks only when a thread is free."""
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
            stop.set()  # after an error the pool waits for its threads: end them early


class _Saver:
    """Packs and saves chunks while others are played: the disk is slow and needs no processor.

    ahead : number of chunks that may wait for the disk. `add` raises errors of saving, or the end of the context does.
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
        self._pool.shutdown()  # all completed chunks are saved, whatever has ended the run
        for future in self._waiting:
            future.result()
