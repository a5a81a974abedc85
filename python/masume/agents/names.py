"""Names of teams: `NAME=AGENT` gives an agent a name, and equal names are told apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

NAMED = re.compile(r"([^=:]{1,60})=(.+)", re.DOTALL)


def split_name(spec: str) -> tuple[str | None, str]:
    """Return the name and the agent of `NAME=AGENT`, such as `Kobe=cmd:./bot`; None if it has no name."""
    found = NAMED.fullmatch(spec)
    return (None, spec) if found is None else (found[1].strip() or None, found[2])


def distinct(names: Sequence[str]) -> list[str]:
    """Return the names, those that occur again with a number: bot, bot (2), bot (3)."""
    taken = set(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        told = name
        while seen[name] > 1 and (told := f"{name} ({seen[name]})") in taken:
            seen[name] += 1
        taken.add(told)
        found.append(told)
    return found
