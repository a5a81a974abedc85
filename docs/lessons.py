"""Write the tables of docs/lessons.md and docs/lessons.ja.md, from the lessons of the games.

python docs/lessons.py          writes both pages
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from masume.core import registry
from masume.core.language import speaking
from masume.core.language import translate as _
from masume.play.lessons import Lesson, lessons_of
from masume.web.offers import title_of

ROOT = Path(__file__).parents[1]
PAGES = {"en": ROOT / "docs/lessons.md", "ja": ROOT / "docs/lessons.ja.md"}
HEADS = {
    "en": ("lesson", "what to do", "par", "clause", "lessons"),
    "ja": ("レッスン", "課題", "目標手数", "条", "レッスン"),
}


def write_tables(language: str) -> str:
    """Return for each game its lessons, and by clause where it is taught."""
    comma = "、" if language == "ja" else ", "
    lesson_head, text, par, clause, taught = HEADS[language]
    parts = []
    with speaking(language):
        for game in registry.own_names():
            lessons = lessons_of(game)
            if not lessons:
                continue
            rows = [
                f"| {number} | {_(lesson.title)} | {_(lesson.text)} | {lesson.par} |"
                for number, lesson in enumerate(lessons, 1)
            ]
            by_clause = [f"| {name} | {comma.join(where)} |" for name, where in _by_clause(lessons).items()]
            heads = (f"| | {lesson_head} | {text} | {par} |\n|---|---|---|---|", f"| {clause} | {taught} |\n|---|---|")
            tables = ("\n".join([head, *body]) for head, body in zip(heads, (rows, by_clause), strict=True))
            parts.append(f"## {_(title_of(game))}\n\n" + "\n\n".join(tables) + "\n")
    return "\n".join(parts)


def _by_clause(lessons: Sequence[Lesson]) -> dict[str, list[str]]:
    """Return the numbers and titles of the lessons that teach each clause, by clause in the order of the rules."""
    found: dict[str, list[str]] = {}
    for number, lesson in enumerate(lessons, 1):
        for clause in lesson.clauses:
            found.setdefault(clause, []).append(f"{number} {_(lesson.title)}")
    return {clause: found[clause] for clause in sorted(found, key=_order)}


def _order(clause: str) -> tuple[bool, int]:
    """Return the place of a clause: rulings come after clauses."""
    return "-R" in clause, int(re.sub(r"\D", "", clause))


def rewrite(text: str, language: str) -> str:
    """Return a page with its tables as they are now; what is above the first section stays."""
    return text.partition("\n## ")[0] + "\n" + write_tables(language)


if __name__ == "__main__":
    for language, path in PAGES.items():
        path.write_text(rewrite(path.read_text("utf-8"), language), "utf-8")
