"""Imports between masume's modules have no cycles, except for types, and no room knows one on a higher floor."""

import ast
import graphlib
import re
from pathlib import Path

import pytest

import masume
from cases import GAMES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python" / "masume"
PATHS = {  # for compiled modules, the path of the stub
    ".".join(("masume", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")])
}


def tree_of(name):
    """Return the syntax tree of a module, without what is under `if TYPE_CHECKING`."""
    tree = ast.parse(PATHS[name].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            node.body = []
    return tree


def imports_of(name):
    """Return the modules of masume that a module imports, at its top or later, by a statement or a literal name."""
    path = PATHS[name]
    if path.suffix == ".pyi":
        return set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = set()
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{module}.{alias.name}"
                found.add(full if full in PATHS else module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("import_module", "__import__") and isinstance(node.args[0], ast.Constant):
                found.add(node.args[0].value)
    return (found & PATHS.keys()) - {name}


def test_imports_go_one_way():
    graph = {name: imports_of(name) - {"masume"} for name in PATHS if name != "masume"}
    assert graph["masume.play.selfplay"] >= {"masume.play.run", "masume.play.cluster"}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def room_of(name):
    """Return the room of a module, which is its folder, or the module itself if it is in none."""
    return name.split(".")[1] if "." in name else "masume"


def arrows():
    """Return (who, room, other room) for each import of a module or a Cython file of another room."""
    found = {(name, room_of(name), room_of(other)) for name in PATHS for other in imports_of(name)}
    for path in (ROOT / "cython/masume").glob("*/*.p[xy]*"):
        others = re.findall(r"^\s*(?:from|c?import) masume\.(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
        found |= {(f"{path.parent.name}/{path.name}", path.parent.name, other) for other in others}
    return {(who, room, other) for who, room, other in found if room != other}


def floors():
    """Return the floor of each room, from the list of the decision, which begins at the top; all games are on one."""
    text = (ROOT / "docs/decisions/0014-rooms.md").read_text(encoding="utf-8")
    block = re.search(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
    lines = [line.split() for line in reversed(block.replace("(games)", " ".join(GAMES)).splitlines())]
    found = {room: floor for floor, line in enumerate(lines) for room in line}
    assert len(found) == sum(map(len, lines)), "a room is listed twice"
    return found


def test_rooms_know_only_those_on_lower_floors():
    floor, known = floors(), arrows()
    assert floor.keys() == {room_of(name) for name in PATHS}
    assert {("search/_mcts.pyx", "search", "core"), ("masume.game", "game", "render")} <= known
    assert sorted((room, other, who) for who, room, other in known if floor[room] <= floor[other]) == []


def test_masume_itself_takes_nothing_that_is_forwarded():
    """Two modules forward a name to where it has moved, for the documentation's readers."""
    forwards = {"masume.play.agents", "masume.learn.network"}
    assert forwards <= PATHS.keys()
    assert [name for name in PATHS if imports_of(name) & forwards] == []


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
    for path in (ROOT / "src").rglob("*.[ch]"):
        code = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search("|".join(GAMES), code, re.IGNORECASE), path.name


def test_every_module_is_named():
    assert len(PATHS) > 150
    assert masume.__name__ in PATHS
