"""The site: what is in docs/ for it, its notebooks, and where `make site` has built it, what is in there."""

import functools
import html
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import urllib.parse
import zlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "docs/notebooks").glob("*.ipynb"))
PICTURES = runpy.run_path(str(ROOT / "docs/pictures.py"))


def test_the_moving_picture_is_that_of_today():
    drawn = PICTURES["draw_game"]()
    assert (ROOT / "docs/games/moving.svg").read_text("utf-8") == drawn, "`python docs/pictures.py` draws it anew"
    assert len(drawn) < 150_000
    assert "<script" not in drawn
    assert "prefers-reduced-motion" in drawn
    assert "prefers-color-scheme: dark" in drawn
    assert re.search("https?://(?!www.w3.org/2000/svg)", drawn) is None


@pytest.mark.filterwarnings("ignore")  # what the kernel's packages deprecate among themselves
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_from_top_to_bottom(path, tmp_path):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, 4)
    if "polars" in path.read_text("utf-8"):
        pytest.importorskip("polars")
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()


def test_notebooks_are_kept_without_output():
    nbformat = pytest.importorskip("nbformat")
    assert len(NOTEBOOKS) >= 6
    for path in NOTEBOOKS:
        for cell in nbformat.read(path, 4).cells:
            if cell.cell_type == "code":
                assert (cell.outputs, cell.execution_count) == ([], None), path.name


@pytest.fixture(scope="module")
def site():
    """The folder of the site, which `make site` names when it has built it."""
    folder = os.environ.get("MASUME_SITE")
    if folder is None:
        pytest.skip("`make site` builds the site")
    return ROOT / folder


def pages_of(site):
    return [page for page in sorted(site.rglob("*.html")) if "_static" not in page.parts]


class Reader:
    """Resources, links and ids of a page. Sphinx writes attributes in double quotes."""

    def __init__(self, page):
        text = page.read_text("utf-8")
        self.ids = set(re.findall(r'\b(?:id|name)="([^"]*)"', text))
        self.links = [html.unescape(link) for link in re.findall(r'<a\s[^>]*?\bhref="([^"]*)"', text)]
        linked = [element for element in re.findall(r"<link\s[^>]*>", text) if 'rel="stylesheet"' in element]
        self.loads = re.findall(r'\bsrc="([^"]*)"', re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL))
        self.loads += [html.unescape(re.search(r'href="([^"]*)"', element)[1]) for element in linked]


read = functools.cache(Reader)


def test_no_page_loads_anything_from_the_network(site):
    for page in pages_of(site):
        for load in read(page).loads:
            assert not re.match("(https?:)?//", load), f"{page}: {load}"
    for path in [*site.rglob("*.css"), *site.rglob("*.js")]:
        text = path.read_text("utf-8", errors="replace")
        assert not re.search(r"(url\(|@import |import\(|src=)[\"']?(https?:)?//", text), path


def test_links_lead_to_pages_and_places_that_are_there(site):
    files = {str(path) for path in site.rglob("*")}
    pages = {str(page): read(page) for page in pages_of(site) if "_modules" not in page.parts}
    for page, reader in pages.items():
        for link in {*reader.links, *reader.loads}:
            where = urllib.parse.urlsplit(link)
            if where.scheme or not link:
                continue
            path = urllib.parse.unquote(where.path)
            target = os.path.normpath(f"{page}/../{path}") if path else page
            assert target in files, f"{page}: {link}"
            if where.fragment and target in pages:
                assert urllib.parse.unquote(where.fragment) in pages[target].ids, f"{page}: {link}"


def read_inventory(site):
    """Return the names of objects.inv by kind."""
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    names = {}
    for line in zlib.decompress(packed).decode().splitlines():
        name, kind, _ = re.fullmatch(r"(.+?) (\S+:\S+) (.+)", line).groups()
        names.setdefault(kind, set()).add(name)
    return names


def test_every_public_name_is_in_the_inventory(site):
    pytest.importorskip("sphinx")
    api = runpy.run_path(str(ROOT / "docs/site/api_pages.py"))
    described = {name for kind, names in read_inventory(site).items() if kind.startswith("py:") for name in names}
    homes = api["find_homes"]()
    public = 0
    for module_name, module in api["find_modules"]().items():
        assert module_name in described
        for name in api["list_public"](module):
            value = getattr(module, name)
            if api["is_code"](value):
                assert {f"{module_name}.{name}", homes[id(value)]} & described, f"{module_name}.{name}"
                public += 1
    assert public > 500
    assert {"masume.State", "masume.State.apply", "masume.search.MCTS.search", "masume.kakomimasu.State"} <= described
    import masume

    assert {f"masume.{name}" for name in masume.__all__} <= described


def test_every_clause_has_an_anchor_that_the_api_pages_link_to(site):
    labels = read_inventory(site)["std:label"]
    clauses = r"\b(?:KM|CH|NZ|TF|BS)-R?\d+\b"
    for rules in sorted((ROOT / "docs/rules").glob("*.md")):
        if rules.stem.endswith(".ja"):  # a summary that cites the clauses
            continue
        text = rules.read_text("utf-8")
        ids = read(site / f"docs/rules/{rules.stem}.html").ids
        own = {clause for clause in re.findall(clauses, text) if re.search(rf"^(?:\| |[-*] \**){clause}\b", text, re.M)}
        assert len(own) > 50, rules.stem
        for clause in own:
            assert clause.lower() in ids, clause
            assert clause.lower() in labels, clause
    links = read(site / "docs/api/masume.nezumi.reference.html").links
    assert any("rules/nezumi.html#nz-" in link for link in links)
    assert any("rules/nezumi.html#nezumi-" in link for link in links)


def test_the_gallery_has_a_page_for_each_game(site):
    import masume

    for name in masume.games():
        assert "<script>" in (site / f"gallery/{name}.html").read_text("utf-8")
        assert f"gallery/{name}.html" in (site / "docs/site/gallery.html").read_text("utf-8")


def test_the_search_finds_pages_offline(site):
    index = (site / "searchindex.js").read_text("utf-8")
    assert index.startswith("Search.setIndex(")
    assert "docs/rules/nezumi" in index


QUESTIONS = {
    "mask": "rl", "crop": "rl", "VectorEnv": "rl", "Gymnasium": "rl", "PettingZoo": "rl", "MCTS": "search",
    "contest": "contest", "plugin": "plugins", "proxy": "serving", "nginx": "serving",
}  # fmt: skip


def test_the_search_shows_guides_first(site):
    """Ten questions, by the site's own search; the guide that answers each is the first page."""
    node = shutil.which("node", path=Path(sys.executable).parent)  # of the extra `test`
    command = [node, ROOT / "tests/javascript/ask_site.cjs", site, *QUESTIONS]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    first = dict(zip(QUESTIONS, json.loads(ran.stdout), strict=True))
    assert first == {question: f"docs/{page}" for question, page in QUESTIONS.items()}
