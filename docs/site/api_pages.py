"""A Sphinx extension: a page for each public module, made from its docstrings.

Public is what a module without a leading underscore lists in `__all__`, or defines under such a name. What a package
offers from its modules is on the package's page. Compiled classes have their docstrings from the extension modules
and their signatures from the stubs (.pyi) next to them.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import itertools
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.ext.autodoc.mock import mock
from sphinx.pycode import ModuleAnalyzer, PycodeError
from sphinx.roles import XRefRole
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import find_pending_xref_condition, make_refnode

import masume

HERE = "docs/api"
ENTRY = re.compile(r"([a-z_*][^`:]{0,90}?) : (\S.*)")
CODE = re.compile(r"(`[^`]*`)")
LARGE = ["stable_baselines3", "torch"]  # the site is made without them; a class of theirs is only a base here
OTHER_SYSTEM = "masume.core.system." + ("posix" if sys.platform == "win32" else "windows")  # refuses to be imported


@functools.cache
def find_modules() -> dict[str, ModuleType]:
    """Return masume's public modules by name."""
    names = [found.name for found in pkgutil.walk_packages(masume.__path__, "masume.")]
    public = [name for name in names if "._" not in name and name != OTHER_SYSTEM]
    with mock(LARGE):
        return {name: importlib.import_module(name) for name in ["masume", *public]}


def list_public(module: ModuleType) -> list[str]:
    """Return the names of a module's public classes, functions and described values."""
    if hasattr(module, "__all__"):
        return [name for name in module.__all__ if not inspect.ismodule(getattr(module, name))]
    try:
        analyzer = ModuleAnalyzer.for_module(module.__name__)
        described = {name for scope, name in analyzer.find_attr_docs() if not scope}
    except PycodeError:
        described = set()
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (name in described or (is_code(value) and getattr(value, "__module__", None) == module.__name__))
    ]


def is_code(value: object) -> bool:
    """Whether a value is a class or a function."""
    return (inspect.isclass(value) and not isinstance(value, types.GenericAlias)) or inspect.isroutine(value)


@functools.cache
def find_homes() -> dict[int, str]:
    """Return where each public class and function is described, by its id: at the shortest of its names."""
    homes: dict[int, str] = {}
    for name in sorted(find_modules(), key=lambda name: (name.count("."), name)):
        module = find_modules()[name]
        for public in list_public(module):
            value = getattr(module, public)
            if is_code(value) and f"{name}.{public}" not in find_modules():
                homes.setdefault(id(value), f"{name}.{public}")
    return homes


def write_pages(app: Sphinx) -> None:
    """Write the pages, those that changed only."""
    folder = Path(app.srcdir, HERE)
    folder.mkdir(exist_ok=True)
    pages = {f"{name}.rst": page_of(name, module) for name, module in find_modules().items()}
    for old in folder.glob("*.rst"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def page_of(name: str, module: ModuleType) -> str:
    """Return the page of a module: its docstring, its modules, what it offers."""
    parts = [f"{name}\n{'=' * len(name)}", ".. highlight:: default", f".. automodule:: {name}\n   :no-members:"]
    inner = [other for other in find_modules() if other.rpartition(".")[0] == name]
    if inner:
        listed = "\n".join(f"      {other}" for other in inner)
        parts.append(f".. container:: modules\n\n   .. toctree::\n      :maxdepth: 1\n\n{listed}")
    elsewhere = []
    for public in list_public(module):
        value = getattr(module, public)
        home = find_homes().get(id(value), "") if is_code(value) else _home_of_value(name, public, value)
        if home != f"{name}.{public}":
            elsewhere.append(f"* ``{public}``: `{home}`")
        elif inspect.isclass(value) and is_code(value):
            kind = "exception" if issubclass(value, BaseException) else "class"
            parts.append(f".. auto{kind}:: {home}{_construct(value)}")
        else:
            parts.append(f".. auto{'function' if inspect.isroutine(value) else 'data'}:: {home}")
    if elsewhere:
        parts.append("Described elsewhere:\n\n" + "\n".join(elsewhere))
    return "\n\n".join(parts) + "\n"


def _home_of_value(package: str, name: str, value: object) -> str:
    """Return where a value that a package lists is described: in the module of the package that defines it, if any."""
    for other, module in find_modules().items():
        if other.startswith(f"{package}.") and getattr(module, name, None) is value and name in list_public(module):
            return f"{other}.{name}"
    return f"{package}.{name}"


def _construct(kind: type) -> str:
    """Return the arguments of a named tuple, or of a compiled class, which its extension module does not tell."""
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return f"({', '.join(kind._fields)})"
    stub = read_stub(kind.__module__)
    own = stub.get(f"{kind.__qualname__}.__init__") or stub.get(f"{kind.__qualname__}.__new__")
    return _show_arguments(own) if own else ""


@functools.cache
def read_stub(module: str) -> dict[str, ast.FunctionDef]:
    """Return the functions and methods of a compiled module's stub, by their names in the module."""
    path = Path(masume.__file__).parent.joinpath(*module.split(".")[1:]).with_suffix(".pyi")
    return dict(_functions(ast.parse(path.read_text("utf-8")), "")) if path.exists() else {}


def _functions(tree: ast.AST, where: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{where}{node.name}.")
        elif isinstance(node, ast.FunctionDef):
            yield where + node.name, node


def sign(
    app: Sphinx, what: str, name: str, value: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, str] | None:
    """Return the signature in the stub of a compiled function or method."""
    if what not in ("function", "method"):
        return None
    module = getattr(value, "__module__", None) or getattr(getattr(value, "__objclass__", None), "__module__", "")
    own = read_stub(module).get(getattr(value, "__qualname__", ""))
    if own is None:
        return None
    return _show_arguments(own), ast.unparse(own.returns) if own.returns else ""


def _show_arguments(function: ast.FunctionDef) -> str:
    """Return the arguments in the way they are passed: without `self`."""
    shown = ast.unparse(function.args)
    return f"({re.sub(r'^(self|cls)(, )?', '', shown)})"


def lay_out(app: Sphinx, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Make reStructuredText of a docstring's plain text, up to its first section in the manner of numpydoc.

    `name : text` becomes the entry of a list, what is indented a block of code, and a star or a bar itself.
    """
    sections = [at for at, line in enumerate(lines) if re.fullmatch(r"\s*-{3,}", line)]
    end = sections[0] - 1 if sections else len(lines)
    laid: list[str] = []
    for paragraph in _paragraphs(lines[:end]):
        if paragraph[0].startswith(">>>"):
            laid += paragraph
        elif all(line.startswith("    ") for line in paragraph):
            before = laid[-2] if len(laid) > 1 else ""
            laid += paragraph if before.endswith("::") or before.startswith("    ") else ["::", "", *paragraph]
        else:
            laid += _lay_out_text(paragraph)
        laid.append("")
    for paragraph in _paragraphs(lines[end:]):
        laid += paragraph if paragraph[0].lstrip().startswith(">>>") else map(_escape_section, paragraph)
        laid.append("")
    lines[:] = laid


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    for is_text, group in itertools.groupby(lines, key=lambda line: bool(line.strip())):
        if is_text:
            yield list(group)


def _lay_out_text(paragraph: list[str]) -> Iterator[str]:
    if re.match("[*-] ", paragraph[0]):
        paragraph = [line if re.match("[*-] ", line) else f"  {line.strip()}" for line in paragraph]
    is_list = False
    for line in paragraph:
        entry = ENTRY.fullmatch(line)
        if entry:
            if not is_list:
                yield ""
            is_list = True
            yield f"``{entry[1]}``"
            yield f"    {_escape(entry[2])}"
        elif is_list:
            yield f"    {_escape(line.strip())}"
        else:
            yield line[:2] + _escape(line[2:]) if re.match("[*-] ", line) else _escape(line)


def _escape_section(line: str) -> str:
    """Escape a line below a heading of numpydoc, but for bullets and the names of arguments, which numpydoc escapes."""
    name, colon, rest = line.partition(" : ")
    if colon and re.fullmatch(r"[\w*, ]+", name):
        return f"{name}{colon}{_escape(rest)}"
    start = re.match(r" *([*-] )?", line)
    assert start is not None
    return line[: start.end()] + _escape(line[start.end() :])


def _escape(text: str) -> str:
    """Return the text with stars and bars that are meant as such, but for those in code."""
    return "".join(part if part[:1] == "`" else re.sub(r"([*|])", r"\\\1", part) for part in CODE.split(text))


@functools.cache
def find_names() -> dict[str, list[str]]:
    """Return the described names by their last part."""
    names: dict[str, list[str]] = {}
    for home in find_homes().values():
        names.setdefault(home.rpartition(".")[2], []).append(home)
    return names


def find_target(target: str, module: str | None, kind: str | None, described: dict[str, Any]) -> str | None:
    """Return the described name that a name stands for in a module, and in a class of it; None if there is none."""
    module = module or "masume"
    for name in (f"{module}.{kind}.{target}" if kind else "", f"{module}.{target}", target, f"masume.{target}"):
        if name in described:
            return name
    value: Any = find_modules().get(module)
    chain = target.removeprefix("masume.").split(".")
    for start in (value, masume):
        value = start
        for at, part in enumerate(chain):
            value = getattr(value, part, None)
            if id(value) in find_homes():
                name = ".".join([find_homes()[id(value)], *chain[at + 1 :]])
                if name in described:
                    return name
    known = find_names().get(chain[0], []) if len(chain) < 3 else []
    if len(known) == 1:
        name = ".".join([known[0], *chain[1:]])
        return name if name in described else None
    return None


class Resolve(SphinxPostTransform):
    """Resolve the names of annotations and of docstrings as their module knows them."""

    default_priority = 5  # before Sphinx does, which takes any other name that ends like this one

    def run(self, **_: Any) -> None:
        described = self.env.domains.python_domain.objects
        for node in list(self.document.findall(addnodes.pending_xref)):
            is_named = node.get("reftype") == "named"
            if is_named or node.get("refdomain") == "py":
                target = node["reftarget"].removesuffix("()")
                found = find_target(target, node.get("py:module"), node.get("py:class"), described)
                if found is not None:
                    entry = described[found]
                    content = find_pending_xref_condition(node, "resolved") or node
                    docname = self.env.current_document.docname
                    link = make_refnode(
                        self.app.builder, docname, entry.docname, entry.node_id, content.children, found
                    )
                    node.replace_self(link)
                elif is_named or not target.startswith("masume."):
                    shown = find_pending_xref_condition(node, "*") or node  # not what Sphinx shows where it finds it
                    node.replace_self(shown.children)


class Named(XRefRole):
    """The role of `name` in a docstring."""

    def process_link(self, env: BuildEnvironment, node: nodes.Element, *rest: Any) -> tuple[str, str]:
        node["py:module"] = env.ref_context.get("py:module")
        node["py:class"] = env.ref_context.get("py:class")
        return super().process_link(env, node, *rest)


def setup(app: Sphinx) -> dict[str, Any]:
    # numpydoc fails for aliases such as `Turn = list[int]`, and looks for signatures in docstrings, which hold none
    signers = app.events.listeners["autodoc-process-signature"]
    signers[:] = [signer for signer in signers if signer.handler.__module__ != "numpydoc.numpydoc"]
    app.add_role("named", Named())
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", sign)
    app.connect("autodoc-process-docstring", lay_out, priority=100)
    app.add_post_transform(Resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
