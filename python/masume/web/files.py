"""The files that pages load, and the links to them."""

from __future__ import annotations

import functools
import gzip
import hashlib
import re
from importlib import resources

STATIC = {"js": "text/javascript", "css": "text/css"}
FOR_READERS = re.compile(
    rb"^ *(//.*|/\*\*([^*]|\*(?!/))*\*/)\n|^ +", re.MULTILINE
)  # comments and indents: a quarter of the bytes
IMPORTED = re.compile(rb'from "\./(\w+\.js)";')


@functools.cache
def read_files() -> tuple[str, dict[str, bytes]]:
    """Return the files that pages load, by name, and before them their version."""
    drawing, static = resources.files("masume.render"), resources.files("masume.web") / "static"
    paths = [*static.iterdir(), drawing / "draw.js", drawing / "board.css"]
    found = {path.name: path.read_bytes() for path in paths if path.name.rpartition(".")[2] in STATIC}
    found = {name: FOR_READERS.sub(b"", data) for name, data in found.items()}
    return hashlib.sha256(repr(sorted(found.items())).encode()).hexdigest()[:12], found


@functools.cache
def pack(name: str) -> bytes:
    """Return a file by gzip."""
    return gzip.compress(read_files()[1][name])


@functools.cache
def links(base: str, script: str) -> str:
    """Return the links of a page to its files: also to all that its script imports, so that they load together."""
    version, files = read_files()
    names = ["app.js", script]
    for name in names:
        names += [found.decode() for found in IMPORTED.findall(files[name]) if found.decode() not in names]
    loaded = [f'<link rel="modulepreload" href="{base}/static/{version}/{name}">' for name in names]
    sheets = styles(base, *(name for script in names if (name := script.replace(".js", ".css")) in files))
    return "\n".join([sheets, *loaded, f'<script type="module" src="{base}/static/{version}/app.js"></script>'])


def styles(base: str, *more: str) -> str:
    """Return the links to the styles of a page below a path. more : those of its scripts alone."""
    version = read_files()[0]
    found = [
        f'<link rel="stylesheet" href="{base}/static/{version}/{name}">' for name in ("board.css", "page.css", *more)
    ]
    return "\n".join(found)
