"""The page of lessons has a row for every lesson and every clause that one teaches, in both languages."""

import importlib.util
from pathlib import Path

import pytest

from masume.core import registry
from masume.play.lessons import lessons_of

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("lessons_page", ROOT / "docs" / "lessons.py")
writer = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(writer)


@pytest.mark.parametrize("language", writer.PAGES)
def test_the_tables_are_those_of_the_lessons(language):
    text = writer.PAGES[language].read_text("utf-8")
    assert text == writer.rewrite(text, language), "`python docs/lessons.py` writes them anew"


def test_every_clause_that_a_lesson_teaches_has_a_row():
    text = writer.PAGES["en"].read_text("utf-8")
    clauses = {clause for game in registry.own_names() for lesson in lessons_of(game) for clause in lesson.clauses}
    assert len(clauses) > 50
    assert all(f"\n| {clause} | " in text for clause in clauses)


def test_clauses_stand_in_the_order_of_the_rules():
    assert sorted(["KM-R2", "KM-10", "KM-9"], key=writer._order) == ["KM-9", "KM-10", "KM-R2"]
