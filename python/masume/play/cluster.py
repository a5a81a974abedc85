"""Self-play on Ray: the chunks of a run as tasks of a cluster, their files written where the run was started.

A task plays so many chunks that it takes about TASK_S; no more than AHEAD tasks a processor are under way at once, so
that what workers have made and nobody has written yet stays small. A task whose worker or node is lost is played
again, RETRIES times; what is ended is in the manifest, whoever is lost.
"""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from ..core.extras import extra
from ..errors import AgentError, ConfigError
from .run import Chunk, Run

LOCAL = "local"
TASK_S = 0.5
AHEAD = 2
RETRIES = 5
CONNECT_S = 10.0
RESIZE_S = 10.0  # between two looks at how large the cluster is


def play_on_cluster(
    address: str, workers: int, run: Run, chunks: Iterator[int], with_files: bool, tick: Callable[[int], None]
) -> Generator[Callable[[], Chunk]]:
    """What has packed each chunk, as it is played somewhere; asks for one only when there is room.

    address : as in `selfplay`; workers : of a local one. tick : called with the number of games that have ended.
    ExtraError without Ray, ConfigError without the cluster; AgentError where an agent is at fault, or where a task
    has lost its worker RETRIES + 1 times.
    """
    ray = _ray()
    is_mine = not ray.is_initialized()
    if is_mine:
        _start(ray, address, workers)
    try:
        yield from _play_chunks(ray, run, chunks, with_files, tick)
    finally:
        if is_mine:
            ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a run tells nobody that it runs
    return extra("ray", "ray")


def _start(ray: Any, address: str, workers: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        if address == LOCAL:
            # else its workers give way (nice 15) to whatever the machine does beside them, as threads would not
            eager = {"worker_niceness": 0}
            ray.init(address="local", num_cpus=workers, include_dashboard=False, _system_config=eager, **quiet)
        else:
            _reach(address)
            ray.init(address=address, **quiet)
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigError(f"ray: {address}: {str(error).partition(chr(10))[0]}") from None


def _reach(address: str) -> None:
    """OSError where nobody listens; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_S).close()


def _play_chunks(
    ray: Any, run: Run, chunks: Iterator[int], with_files: bool, tick: Callable[[int], None]
) -> Generator[Callable[[], Chunk]]:
    shared = ray.put(run)
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
    running: dict[Any, list[int]] = {}
    pace = _Pace()
    try:
        while True:
            room = AHEAD * _processors(ray) - len(running)
            for _ in range(room):
                mine = list(itertools.islice(chunks, pace.chunks))
                if not mine:
                    break
                running[task.remote(shared, mine, with_files)] = mine
            if not running:
                return
            ended, _ = ray.wait(list(running), num_returns=1, timeout=RESIZE_S)
            for reference in ended:
                mine = running.pop(reference)
                for chunk in _result(ray, reference, mine):
                    pace.add(chunk)
                    tick(chunk.num_games)
                    yield _return_chunk(chunk)
    finally:
        for reference in running:
            ray.cancel(reference, force=True)


def _play(run: Run, chunks: list[int], with_files: bool) -> list[Chunk]:
    """A task: the chunks, played and packed."""
    return [run.make_chunk(chunk, with_files, lambda _: None) for chunk in chunks]


def _result(ray: Any, reference: Any, chunks: list[int]) -> list[Chunk]:
    try:
        found: list[Chunk] = ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        what = str(error).partition("\n")[0]
        raise AgentError(f"chunks {chunks[0]}..{chunks[-1]} ended {RETRIES + 1} workers: {what}") from None
    return found


def _return_chunk(chunk: Chunk) -> Callable[[], Chunk]:
    """What packs a chunk whose worker has packed it."""
    return lambda: chunk


def _processors(ray: Any) -> int:
    """How many processors the cluster has now; one that has lost all its nodes may get others."""
    resources: Mapping[str, float] = ray.cluster_resources()
    return max(1, int(resources.get("CPU", 0)))


class _Pace:
    """How many chunks a task is to play, from how long those played have taken."""

    def __init__(self) -> None:
        self.chunks = 1
        self._busy_s = 0.0
        self._count = 0

    def add(self, chunk: Chunk) -> None:
        """Learn from a chunk."""
        self._busy_s += chunk.busy_s
        self._count += 1
        self.chunks = max(1, round(TASK_S * self._count / max(self._busy_s, 1e-6)))
