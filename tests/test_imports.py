"""No module of masume needs another that needs it, but for types."""

import ast
import graphlib
from pathlib import Path

import pytest

import masume

PACKAGE = Path(__file__).parents[1] / "python" / "masume"
PATHS = {  # of a compiled module, its stub
    ".".join(("masume", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
}


def imports_of(name):
    """Return the modules of masume that a module imports, at its top or later, `if TYPE_CHECKING` left out."""
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
    return found - {name, "masume"}  # everybody may ask the package for its version


def test_imports_go_one_way():
    graph = {name: imports_of(name) for name in PATHS if name != "masume"}
    assert graph["masume.play.selfplay"] >= {"masume.play.run", "masume.play.cluster"}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_every_module_is_named():
    assert len(PATHS) > 150
    assert masume.__name__ in PATHS
