"""Jobs: commands of masume that a browser asks for, each in a separate process, limited and cancellable."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from ..core import environment, system
from ..core.language import say
from ..core.language import translate as _
from ..http.limits import FullError, Turns

AT_ONCE = 2  # that run at the same time
MOST = 16  # that run or wait
KEPT = 20  # the oldest finished ones are forgotten
LIMIT_S = 60.0
FOLDER = "masume-page-"  # how the names of folders begin whose owner, a page, locks them
RUN = """
import os, sys, threading
def watch():
    os.read(0, 1)
    os._exit(1)
threading.Thread(target=watch, daemon=True).start()
from masume.cli import main
main()
"""  # masume, until its input ends: with the page
MAX_OUTPUT = 20_000  # letters that are shown


class Place:
    """Where jobs run.

    Attributes
    ----------
    folder : str
        The folder of their files, which is locked as long as the page runs.
    alive : int
        A pipe that ends when the page does.
    """

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix=FOLDER)
        self._lock = system.lock_folder(Path(self.folder))
        self.alive, self._end = os.pipe()

    def close(self) -> None:
        """Remove the folder, and end what runs there."""
        for file in (self.alive, self._end, self._lock):
            os.close(file)
        shutil.rmtree(self.folder, ignore_errors=True)


def remove_left() -> None:
    """Remove the folders of pages that were killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDER}*"):
        if folder.is_dir():
            with contextlib.suppress(OSError):  # in use, or another user's
                os.close(system.lock_folder(folder))
                shutil.rmtree(folder, ignore_errors=True)


class Job:
    """A command that waits for its turn and runs; `facts` says how far it is."""

    def __init__(self, limit_s: float) -> None:
        self.id = secrets.token_urlsafe(12)
        self.state, self.text = "waiting", ""
        self.limit_s, self._since, self._seconds = limit_s, time.monotonic(), 0.0
        self.task: asyncio.Task[None] | None = None

    def cancel(self) -> None:
        """End the job; nothing happens to a finished one."""
        if self.task is not None and self.is_open:
            self.state = "cancelled"
            self.task.cancel()

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in ("waiting", "running")

    def facts(self) -> dict[str, Any]:
        """Return the state (waiting, running, done, failed, cancelled or late), the seconds and what was printed."""
        seconds = time.monotonic() - self._since if self.is_open else self._seconds
        reasons = {
            "waiting": _("waiting for the tasks of others"),
            "cancelled": _("cancelled"),
            "late": say("stopped after {seconds} s: too much work for this page", seconds=int(self.limit_s)),
        }
        return {"state": self.state, "seconds": int(seconds), "text": reasons.get(self.state, self.text)}

    async def run(
        self,
        turn: contextlib.AbstractAsyncContextManager[None],
        arguments: Sequence[str],
        name: str,
        content: str,
        place: Place,
    ) -> None:
        """Run a command beside a file of this name, when its turn has come."""
        state = "failed"
        try:
            async with turn:
                self.state, self._since = "running", time.monotonic()
                with tempfile.TemporaryDirectory(dir=place.folder) as folder:
                    (Path(folder) / name).write_text(content, "utf-8", newline="")
                    state, self.text = await self._run(arguments, folder, place.alive)
        except FullError as error:
            self.text = str(error)
        except TimeoutError:
            state = "late"
        except asyncio.CancelledError:
            state = "cancelled"
        finally:
            self.state, self._seconds = state, time.monotonic() - self._since

    async def _run(self, arguments: Sequence[str], folder: str, alive: int) -> tuple[str, str]:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", RUN, *arguments, cwd=folder, env=environment.of_programs(),
            stdin=alive, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(self.limit_s):
                output, errors = await process.communicate()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode:
            return "failed", errors.decode("utf-8", "replace").strip().rpartition("\n")[2][:MAX_OUTPUT]
        return "done", output.decode("utf-8", "replace").strip()[:MAX_OUTPUT]


class Jobs:
    """All jobs of a page."""

    def __init__(self, limit_s: float = LIMIT_S) -> None:
        self._limit_s = limit_s
        self._turns = Turns(AT_ONCE, MOST, limit_s)
        self._found: dict[str, Job] = {}
        self._place: Place | None = None

    def start(self, share: str | None, arguments: Sequence[str], name: str, content: str, language: str) -> str:
        """Begin a job on a file; return its secret name. FullError if too many wait."""
        self._turns.make_room(share)
        finished = [job for job in self._found.values() if not job.is_open]
        for old in finished[: max(0, len(finished) - KEPT + 1)]:
            del self._found[old.id]
        job = Job(self._limit_s)
        self._found[job.id] = job
        self._place = self._place or Place()
        run = job.run(self._turns.turn(share), [*arguments, "--lang", language], name, content, self._place)
        job.task = asyncio.get_running_loop().create_task(run)
        return job.id

    def find(self, name: str) -> Job:
        """Return a job; HTTPException if there is none of this name."""
        if name not in self._found:
            raise HTTPException(404, _("there is no such task"))
        return self._found[name]

    async def close(self) -> None:
        """End all jobs."""
        tasks = [job.task for job in self._found.values() if job.task is not None]
        for task in tasks:
            task.cancel()
        try:
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:  # Ctrl-C also ends the waiting
            if self._place is not None:
                self._place.close()
