"""A plugin of pytest, `-p slow_page`: every answer of the page comes up to a second late, as over a bad network."""

import asyncio
import random

from masume.web import guard

LATE_S = (0.05, 0.8)
_answer = guard.Guard.__call__


async def _answer_late(self, scope, receive, send):
    if scope["type"] == "http" and scope["path"].startswith("/api/"):
        await asyncio.sleep(random.uniform(*LATE_S))
    await _answer(self, scope, receive, send)


guard.Guard.__call__ = _answer_late
