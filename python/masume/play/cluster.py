"""Self-play on Ray: the chunks of a run are tasks of a cluster; their files are written where the run was started, or
by the workers themselves if the run is kept at a URL.

A task plays enough chunks to take about TASK_S. At most AHEAD tasks per processor are under way at once, so that
results that are not written yet stay small. A task that loses its worker or node is played again, up to RETRIES times;
completed chunks are in the manifest, whichever node fails.

No task is ever cancelled: Ray aborts the process that cancels a task in the moment in which it ends. Tasks under way
when a run stops end with the connection, or, if the caller has made that, by themselves; their results are dropped.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

from ..core.extras import extra
from ..errors import AgentError, ConfigError
from ..records.store import Outbox
from .run import Chunk, Run

LOCAL = "local"
TASK_S = 0.5
AHEAD = 2
RETRIES = 5
CONNECT_S = 10.0
TOKEN = "where a cluster has a token, this machine needs the same one in ~/.ray/auth_token or RAY_AUTH_TOKEN"
RESIZE_S = 10.0  # between two checks of the cluster's size


def play_on_cluster(
    address: str,
    workers: int,
    run: Run,
    chunks: Iterator[int],
    with_files: bool,
    outbox: Outbox | None,
    tick: Callable[[int], None],
) -> Generator[Callable[[], Chunk]]:
    """Yield a function that returns each chunk, as it is played on the cluster; request chunks only when there is room.

    address : as in `selfplay`. workers : number of workers of a local cluster. outbox : what
    the workers save their chunks with; None: their files come back. tick : called with the number of games
    that have ended. Raises ExtraError if Ray is missing, ConfigError if the cluster cannot be reached, AgentError if
    an agent is at fault or a task has lost its worker RETRIES + 1 times.
    """
    with connect(address, workers) as ray:
        yield from _play_chunks(ray, run, chunks, with_files, outbox, tick)


@contextlib.contextmanager
def connect(address: str, workers: int) -> Iterator[Any]:
    """Connect to a cluster, or start one of this number of workers here, for the block; the module ray.

    address : as in `selfplay`. Raises ExtraError if Ray is missing, ConfigError if the cluster cannot be reached.
    """
    ray = _ray()
    is_mine = not ray.is_initialized()
    if is_mine:
        _start(ray, address, workers)
    try:
        yield ray
    finally:
        if is_mine:
            ray.shutdown()


def _ray() -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no usage statistics leave the machine
    return extra("ray", "ray")


def _start(ray: Any, address: str, workers: int) -> None:
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    os.environ.setdefault("RAY_IGNORE_UNHANDLED_ERRORS", "1")  # the first error ends the run and is reported by us
    try:
        if address == LOCAL:
            # by default workers run at nice 15 and give way to other processes, unlike threads
            eager = {"worker_niceness": 0}
            ray.init(address="local", num_cpus=workers, include_dashboard=False, _system_config=eager, **quiet)
        else:
            _reach(address)
            try:
                ray.init(address=address, **quiet)
            except ConnectionError as error:  # somebody listens there
                raise ConnectionError(f"{error}; {TOKEN}") from None
    except ray.exceptions.AuthenticationError:
        raise ConfigError(f"ray: {address}: no token was found here; {TOKEN}") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise ConfigError(f"ray: {address}: {str(error).partition(chr(10))[0]}") from None


def _reach(address: str) -> None:
    """Raise OSError if nobody listens at the address; Ray itself would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if port.isdigit():
        socket.create_connection((host, int(port)), CONNECT_S).close()


def _play_chunks(
    ray: Any,
    run: Run,
    chunks: Iterator[int],
    with_files: bool,
    outbox: Outbox | None,
    tick: Callable[[int], None],
) -> Generator[Callable[[], Chunk]]:
    try:
        shared = ray.put(run)
    except TypeError as error:  # of an agent that is an object
        raise ConfigError(f"agents: cannot be sent to the cluster: {str(error).partition(chr(10))[0]}") from error
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
    running: dict[Any, list[int]] = {}
    pace = _Pace()
    while True:
        room = AHEAD * _processors(ray) - len(running)
        for _ in range(room):
            batch = list(itertools.islice(chunks, pace.chunks))
            if not batch:
                break
            running[task.remote(shared, batch, with_files, outbox)] = batch
        if not running:
            return
        ended, _ = ray.wait(list(running), num_returns=1, timeout=RESIZE_S)
        for reference in ended:
            batch = running.pop(reference)
            for chunk in fetch(ray, reference, f"chunks {batch[0]}..{batch[-1]}"):
                pace.add(chunk)
                tick(chunk.num_games)
                yield _return_chunk(chunk)


def _play(run: Run, chunks: list[int], with_files: bool, outbox: Outbox | None) -> list[Chunk]:
    """Play and pack the chunks of a task, and save them if there is an outbox."""
    made = (run.make_chunk(chunk, with_files, lambda _: None) for chunk in chunks)
    return [chunk if outbox is None else chunk.saved(outbox) for chunk in made]


def fetch(ray: Any, reference: Any, task: str) -> Any:
    """Return the result of a task, which errors name; raise its own exception, or AgentError if it lost all workers."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except ray.exceptions.RayError as error:
        what = str(error).partition("\n")[0]
        raise AgentError(f"{task} ended {RETRIES + 1} workers: {what}") from None


def _return_chunk(chunk: Chunk) -> Callable[[], Chunk]:
    """Return a function that does nothing but return the chunk: the worker has already packed it."""
    return lambda: chunk


def _processors(ray: Any) -> int:
    """Return the cluster's number of processors, at least 1: a cluster that lost all its nodes may get new ones."""
    resources: Mapping[str, float] = ray.cluster_resources()
    return max(1, int(resources.get("CPU", 0)))


class _Pace:
    """Number of chunks per task, estimated from the time that earlier chunks took."""

    def __init__(self) -> None:
        self.chunks = 1
        self._busy_s = 0.0
        self._count = 0

    def add(self, chunk: Chunk) -> None:
        """Update the estimate with a chunk that was played."""
        self._busy_s += chunk.busy_s
        self._count += 1
        self.chunks = max(1, round(TASK_S * self._count / max(self._busy_s, 1e-6)))
