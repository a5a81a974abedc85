"""A test that is named after clauses of the rules cites them in the spelling of the rules, so that grep finds all."""

import ast
import functools
import re
from pathlib import Path

TESTS = Path(__file__).parent
RULES = TESTS.parent / "docs" / "rules"
WRITTEN = r"\b(?:KM|CH|NZ|TF|BS)-R?\d+\b"
NAMED = r"(?:km|ch|nz|tf|bs)_r?\d+(?=_)"
CLAUSES = {clause for path in RULES.glob("*.md") for clause in re.findall(WRITTEN, path.read_text(encoding="utf-8"))}


def read_clauses(name):
    """Return the clauses that a test is named after: KM-9 and KM-R13 for test_km_9_km_r13_x."""
    start = re.match(rf"test_({NAMED}_)+", name)
    return [clause.upper().replace("_", "-") for clause in re.findall(NAMED, start[0])] if start else []


@functools.cache
def all_tests():
    """Return (where, name, docstring) of every test."""
    return [
        (f"{path.relative_to(TESTS)}::{node.name}", node.name, ast.get_docstring(node) or "")
        for path in sorted(TESTS.rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    ]


def test_a_test_named_after_clauses_cites_them():
    missing = [
        f"{where}: {clause}"
        for where, name, text in all_tests()
        for clause in read_clauses(name)
        if clause not in re.findall(WRITTEN, text)
    ]
    assert missing == []


def test_the_clauses_that_tests_cite_are_in_the_rules():
    unknown = [
        f"{where}: {clause}"
        for where, _, text in all_tests()
        for clause in re.findall(WRITTEN, text)
        if clause not in CLAUSES
    ]
    assert unknown == []


def test_names_are_read_as_clauses():
    assert read_clauses("test_km_9_km_r13_the_contest_of_2026") == ["KM-9", "KM-R13"]
    assert read_clauses("test_names_km_9") == []
    assert len([where for where, name, _ in all_tests() if read_clauses(name)]) > 300
