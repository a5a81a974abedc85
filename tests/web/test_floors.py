"""The page in floors: what holds matches knows nothing of HTTP, and one module reads and writes cookies."""

import ast

import pytest

from test_imports import PATHS, imports_of, tree_of

HTTP = {"starlette", "uvicorn"}
WEB = [name for name in PATHS if name.startswith("masume.web.")]


def foreign_of(name):
    """Return the packages besides masume that a module imports."""
    nodes = list(ast.walk(tree_of(name)))
    names = [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
    names += [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.partition(".")[0] for name in names}


def reached_from(name):
    """Return a module and all of masume that it imports, straight or through others."""
    reached, waiting = set(), [name]
    while waiting:
        module = waiting.pop()
        if module not in reached:
            reached.add(module)
            waiting += imports_of(module)
    return reached


@pytest.mark.parametrize("name", ["match", "gallery", "holding", "people", "films", "journals"])
def test_what_holds_matches_knows_nothing_of_http(name):
    reached = reached_from(f"masume.web.{name}")
    assert len(reached) > 10
    assert [module for module in sorted(reached) if foreign_of(module) & HTTP] == []
    assert not reached & {"masume.web.viewer", "masume.web.requests", "masume.web.guard"}


def test_who_answers_requests_is_found():
    assert {name for name in WEB if foreign_of(name) & HTTP} >= {"masume.web.guard", "masume.web.server"}


def test_only_the_guard_reads_and_writes_cookies():
    text = {name: PATHS[name].read_text(encoding="utf-8") for name in WEB}
    assert [name for name in WEB if ".cookies" in text[name] or "set_cookie" in text[name]] == ["masume.web.guard"]
