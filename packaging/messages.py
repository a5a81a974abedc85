"""Collect the texts that people read, and bring the catalogues of translations up to date.

    python packaging/messages.py            adds new texts to every masume.po, drops old ones, compiles masume.mo
    python packaging/messages.py --check    exits with 1 if a text has no translation or a file is not up to date

Texts are the constants in calls of `_`, `translate` and `say`, the constants that variables in such calls may hold,
help of the command line, names of tiles, verbs, outcomes, shapes and scores of pictures, what pages mark with {{}},
what the games say to people, and what the scripts of the page say.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import io
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from masume import cli
from masume.contest.desk import WORDS
from masume.core.language import FOLDER
from masume.game import games
from masume.nezumi.stages import load_shipped
from masume.nezumi.workbench.findings import numbers
from masume.play.lessons import lessons_of
from masume.render import html
from masume.render.canvas import Outcome, Shape, Tile, Verb
from masume.render.sheet import SYMMETRIES
from masume.web.offers import title_of
from masume.web.words import find_words

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)  # a file depends on its texts alone
PACKAGE = Path(html.__file__).parent.parent
CALLS = ("_", "translate", "say")
ARGPARSE = (
    "usage: ", "options", "positional arguments", "show this help message and exit", "%(prog)s: error: %(message)s\n",
    "the following arguments are required: %s", "expected one argument", "expected at least one argument",
    "unrecognized arguments: %s", "argument %(argument_name)s: %(message)s", "not allowed with argument %s",
    "invalid %(type)s value: %(value)r", "invalid choice: %(value)r (choose from %(choices)s)",
)  # fmt: skip
"""The texts of argparse, which has no catalogue of its own."""
TABLES = (
    ("masume.referee.check", "TRIED"), ("masume.referee.seat", "TIMEOUT"), ("masume.referee.seat", "CLOSED"),
    ("masume.referee.seat", "PROTOCOL"), ("masume.referee.seat", "ILLEGAL"), ("masume.referee.seat", "FLOOD"),
    ("masume.referee.seat", "CRASH"), ("masume.referee.seat", "NOT_STARTED"), ("masume.referee.match", "SKIPPED"),
    ("masume.referee.match", "RESTARTED"), ("masume.referee.match", "NOT_PLAYED"),
    ("masume.battleship.notation", "REASONS"), ("masume.terraforming.protocol", "REASONS"),
    ("masume.battleship.notation", "DEFEATS"), ("masume.chaser.notation", "REASONS"),
    ("masume.nezumi.notation", "PLAYERS"),
    ("masume.nezumi.notation", "RESULTS"), ("masume.nezumi.stages", "GROUPS"), ("masume.contest.words", "WALKOVER"),
    ("masume.contest.words", "OUT"), ("masume.contest.words", "DRAWN"), ("masume.contest.words", "DECIDED"),
    ("masume.contest.state", "LOT"),
)  # fmt: skip
"""(module, name) of texts that are translated where they are shown: verdicts and reasons."""


def collect() -> set[str]:
    """Return all texts that need a translation."""
    found = {*ARGPARSE, *html.WORDS, *find_words(), *_pages(), *_scenes(), *_people(), *_editors(), *_lessons()}
    for module, name in TABLES:
        found |= set(_strings(getattr(importlib.import_module(module), name)))
    found |= {word.help for word in WORDS.values()}
    for path in PACKAGE.rglob("*.py"):
        found |= set(_calls(path))
    filled = [re.compile(re.sub(r"\\\{\w+\\\}", ".*", re.escape(text)), re.DOTALL) for text in _templates()]
    found |= {name.replace("_", " ") for name in numbers(next(iter(load_shipped().values())))}
    found |= {text for text in _help(cli.parser()) if not any(one.fullmatch(text) for one in filled)}
    return {text for text in found if len(text) > 1 and re.search("[A-Za-z]", text)}


def _templates() -> Iterator[str]:
    """Yield the texts with fields in `help=` of the sources, which are filled in before argparse sees them."""
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "help":
                for part in ast.walk(node.value):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str) and "{" in part.value:
                        yield part.value


def _pages() -> Iterator[str]:
    pages = ("render/page.html", "web/static/frame.html", "web/static/index.html", "web/static/refused.html")
    for path in (PACKAGE / page for page in pages):
        yield from re.findall(r"\{\{(.+?)\}\}", path.read_text("utf-8"))


def _help(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the help of every option; templates that are filled in before are found as calls."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from (choice.help for choice in action._choices_actions if choice.help)
            for child in set(action.choices.values()):
                yield from _help(child)
        elif action.help and action.help != argparse.SUPPRESS:
            yield action.help


def _scenes() -> Iterator[str]:
    """Yield the names of tiles, verbs, outcomes and shapes in the games' pictures."""
    for game in games():
        for value in vars(importlib.import_module(f"masume.{game}.render")).values():
            for item in value if isinstance(value, tuple) else ():
                if isinstance(item, Tile | Verb | Outcome):
                    yield item.name
        yield from _shapes(importlib.import_module(f"masume.{game}.shapes").SHAPES)


def _shapes(shapes: dict[str, Any]) -> Iterator[str]:
    """Yield the names of shapes, by name or by ruleset and name."""
    for item in shapes.values():
        yield from [item.name] if isinstance(item, Shape) else _shapes(item)


def _people() -> Iterator[str]:
    """Yield what the games say to people who play on the page."""
    for game in games():
        yield title_of(game)
        people = importlib.import_module(f"masume.{game}.people")
        for name in ("ABOUT", "ENDINGS", "HELP", "REST", "RANDOM", "GOALS", "TAUGHT", "TITLES"):
            yield from _strings(getattr(people, name, ()))
        yield from [people.FIRST_BOARD.sentence] if hasattr(people, "FIRST_BOARD") else []
        for level in people.LEVELS:
            yield from (level.name, level.text)
        yield from _strings(tuple(people.VARIANTS) if hasattr(people, "VARIANTS") else ())


def _lessons() -> Iterator[str]:
    """Yield what the games' lessons say."""
    for game in games():
        for lesson in lessons_of(game):
            yield from (lesson.title, lesson.text, lesson.hint)


def _editors() -> Iterator[str]:
    """Yield what editors and menus say of the games' starts."""
    for names in SYMMETRIES.values():
        yield from names.values()
    for game in games():
        editor = importlib.import_module(f"masume.{game}.editor")
        desk = editor.DESK
        yield from (one.name for one in (*desk.brushes, *desk.fields, *editor.TASKS))
        yield from [desk.kinds.name] if desk.kinds else []
        yield from _strings(getattr(editor, "FAULTS", ()))
        starts = importlib.import_module(f"masume.{game}").starts
        yield from (name.replace("_", " ") for name in starts.facts(*next(iter(starts.load_shipped().items()))))


def _calls(path: Path) -> Iterator[str]:
    """Yield the texts of the calls of `_`, `translate` and `say`, and of `score_names`, in a file."""
    tree = ast.parse(path.read_text("utf-8"))
    name = ".".join(["masume", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
    for scope in [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))]:
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                texts = node.args[:1] if node.func.id in CALLS else []
                if node.func.id == "map" and isinstance(node.args[0], ast.Name) and node.args[0].id in CALLS:
                    texts = node.args[1:]
                for text in texts:
                    yield from _constants(text, scope, name, seen=frozenset())
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Tile":
                yield from _constants(node.args[3], scope, name, seen=frozenset())
            if isinstance(node, ast.keyword) and node.arg == "score_names":
                yield from _constants(node.value, scope, name, seen=frozenset())


def _constants(node: ast.AST, scope: ast.AST, module: str, seen: frozenset[str]) -> Iterator[str]:
    """Yield the strings that an expression may be: constants, what names in it are assigned, choices of a table."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        for part in (node.body, node.orelse):
            yield from _constants(part, scope, module, seen)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _constants(value, scope, module, seen)
    elif isinstance(node, ast.Tuple | ast.List):
        for value in node.elts:
            yield from _constants(value, scope, module, seen)
    elif isinstance(node, ast.Subscript | ast.Starred):
        yield from _constants(node.value, scope, module, seen)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        texts = set(_constants(node.func.value, scope, module, seen))
        if node.func.attr == "get":
            for default in node.args[1:]:
                yield from _constants(default, scope, module, seen)
        yield from {_changed(node, text) for text in texts}
    elif isinstance(node, ast.Name) and node.id not in seen:
        assigned = list(_assigned(node.id, scope))
        for value in assigned:
            yield from _constants(value, scope, module, seen | {node.id})
        if not assigned:
            yield from _strings(getattr(importlib.import_module(module), node.id, None))


def _assigned(name: str, scope: ast.AST) -> Iterator[ast.expr]:
    """Yield what a scope assigns to a name, or iterates over with it."""
    for node in ast.walk(scope):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            if isinstance(node, ast.comprehension):
                yield node.iter
            elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                yield node.value


def _changed(call: ast.Call, text: str) -> str:
    """Return the text as the method leaves it: lower case, or with other characters."""
    method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    if method == "replace":
        return text.replace(*(argument.value for argument in call.args if isinstance(argument, ast.Constant)))
    return text.lower() if method == "lower" else text


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _strings(tuple(value.values()))
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _strings(item)


class _Texts(Catalog):
    """A catalogue whose files depend on nothing but its texts."""

    @property
    def mime_headers(self) -> list[tuple[str, str]]:
        return [("Language", str(self.locale)), ("Content-Type", "text/plain; charset=utf-8")]


def update(catalog: Catalog, texts: Iterable[str]) -> Catalog:
    """Return a catalogue of these texts, in order, with the translations that this one has."""
    found = _Texts(
        locale=catalog.locale, header_comment=f"# The texts of masume, language {catalog.locale}.", fuzzy=False
    )
    for text in sorted(texts):
        known = catalog.get(text)
        found.add(text, known.string if known else "", flags=())
    return found


def files(catalog: Catalog) -> tuple[bytes, bytes]:
    """Return the catalogue as the bytes of masume.po and of masume.mo."""
    readable, compiled = io.BytesIO(), io.BytesIO()
    write_po(readable, catalog, width=120, omit_header=False, sort_output=True)
    write_mo(compiled, catalog)
    return readable.getvalue(), compiled.getvalue()


def problems(text: str, translation: str) -> list[str]:
    """Return what is wrong with a translation: it is missing, or has other {fields} or %(names)s."""
    if not translation:
        return [f"no translation: {text!r}"]
    fields = r"\{\w+\}|%\(\w+\)[srd]|%%|%s"
    if sorted(re.findall(fields, text)) != sorted(re.findall(fields, translation)):
        return [f"other fields than the text: {text!r}: {translation!r}"]
    return []


def main() -> int:
    """Bring the catalogues up to date, or check them; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if something is wrong")
    arguments = parser.parse_args()
    texts, wrong = collect(), []
    for path in sorted(FOLDER.glob("*/LC_MESSAGES/masume.po")):
        with path.open("rb") as file:
            catalog = read_po(file, locale=path.parent.parent.name)
        catalog = update(catalog, texts)
        wrong += [problem for one in catalog if one.id for problem in problems(one.id, one.string)]
        for target, content in zip((path, path.with_suffix(".mo")), files(catalog), strict=True):
            if not arguments.check:
                target.write_bytes(content)
            elif not target.exists() or target.read_bytes() != content:
                wrong.append(f"{target.relative_to(PACKAGE)}: not up to date; run python packaging/messages.py")
    print("\n".join(wrong) or f"{len(texts)} texts are translated")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
