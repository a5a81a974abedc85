"""Tracebacks for the authors of agents: their own frames, without masume's."""

from __future__ import annotations

import importlib
import traceback
from pathlib import Path

HOME = str(Path(__file__).parents[1])
OTHERS = (HOME, str(Path(importlib.__file__).parent), "<frozen importlib", "<frozen runpy")
MAX_CHARS = 4000  # of a traceback: the first and the last half of a longer one are kept


def own_traceback(error: BaseException) -> str:
    """Return the traceback of an error as Python prints it, from the agent's own frames on.

    Frames of masume and of Python's import system are left out. Empty if nothing else is there.
    """
    trace = traceback.TracebackException.from_exception(error)
    seen: set[int] = set()
    link: traceback.TracebackException | None = trace
    is_own = False
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        frames = [frame for frame in link.stack if not _is_ours(frame.filename)]
        is_own |= bool(frames) or (link.exc_type is not None and issubclass(link.exc_type, SyntaxError))
        link.stack = traceback.StackSummary.from_list(frames)
        link = link.__cause__ or link.__context__
    if not is_own:
        return ""
    text = "".join(trace.format()).rstrip("\n")
    if len(text) <= MAX_CHARS:
        return text
    half = MAX_CHARS // 2
    return f"{text[:half]}\n[{len(text) - 2 * half} characters left out]\n{text[-half:]}"


def _is_ours(path: str) -> bool:
    return path.startswith(OTHERS) or path.endswith((".pyx", ".pxd"))  # of compiled modules
