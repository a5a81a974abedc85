"""Imports between masume's modules have no cycles, except for types."""

import ast
import graphlib
import re
from pathlib import Path

import pytest

import masume
from cases import GAMES

PACKAGE = Path(__file__).parents[1] / "python" / "masume"
PATHS = {  # for compiled modules, the path of the stub
    ".".join(("masume", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
}


def imports_of(name):
    """Return the modules of masume that a module imports, at its top or later, except under `if TYPE_CHECKING`."""
    path = PATHS[name]
    if path.suffix == ".pyi":
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names = {f"{module}.{alias.name}" for alias in node.names}
            found |= (names & PATHS.keys()) or ({module} & PATHS.keys())
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & PATHS.keys()
    return found - {name, "masume"}  # every module may ask the package for its version


def test_imports_go_one_way():
    graph = {name: imports_of(name) for name in PATHS if name != "masume"}
    assert graph["masume.play.selfplay"] >= {"masume.play.run", "masume.play.cluster"}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def strings_of(tree):
    """Return (line, text) of the strings of a module, without docstrings and the commands shown in help texts."""
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        (node.lineno, node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out
        and not node.value.startswith("masume ")
    ]  # fmt: skip


def test_generic_code_names_no_game():
    """Generic code asks the registry for what it needs of a game; docstrings and examples of commands may name one."""
    game = re.compile("|".join(GAMES), re.IGNORECASE)
    paths = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in GAMES]
    assert len(paths) > 60
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = [(node.lineno, node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
        words += [(node.lineno, node.attr) for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        words += [(node.lineno, node.module or "") for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        words += [(node.lineno, alias.name) for node in ast.walk(tree)
                  if isinstance(node, ast.Import | ast.ImportFrom) for alias in node.names]  # fmt: skip
        named = [(path.name, *found) for found in [*words, *strings_of(tree)] if game.search(found[1])]
        assert named == []


def test_generic_c_names_no_game():
    """A game's C code is next to its engine, in cython/masume/<game>/. A comment in `rng.h` names a game."""
    for path in (PACKAGE.parents[1] / "src").rglob("*.[ch]"):
        code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search("|".join(GAMES), code, re.IGNORECASE), path.name


def test_every_module_is_named():
    assert len(PATHS) > 150
    assert masume.__name__ in PATHS
