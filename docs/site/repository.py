"""A Sphinx extension: what links to files that are not pages become.

A file of the repository is copied into the site, so that the link works without a network. A folder cannot be copied:
its link becomes its name. With PROJECT_URL (packaging/project_page.py) both lead to the repository's page instead.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

URL = os.environ.get("PROJECT_URL", "").rstrip("/")


def lead_elsewhere(app: Sphinx, tree: nodes.document) -> None:
    """Turn the links of a page to files that are not pages into links to their text."""
    root = Path(app.srcdir)
    here = (root / app.env.docname).parent
    for link in list(tree.findall(lambda node: isinstance(node, addnodes.download_reference | addnodes.pending_xref))):
        target = (here / link.get("reftarget", "").partition("#")[0]).resolve()
        is_page = isinstance(link, addnodes.pending_xref)
        if (is_page and not target.is_dir()) or target == here or not target.is_relative_to(root):
            continue
        if not target.exists():
            continue
        path = target.relative_to(root).as_posix()
        if URL:
            kind = "tree" if target.is_dir() else "blob"
            link.replace_self(nodes.reference("", "", *link.children, refuri=f"{URL}/{kind}/HEAD/{path}"))
        elif target.is_dir():
            link.replace_self(link.children)


def read_pictures(app: Sphinx, docname: str, source: list[str]) -> None:
    """Write linked pictures in HTML, which a README needs for their height, as Markdown, which Sphinx understands."""
    source[0] = re.sub(
        r'<a href="([^"]+)"><img src="([^"]+)" height="(\d+)" alt="([^"]+)"></a>', r"[![\4](\2){h=\3}](\1)", source[0]
    )


def lead_to_start(app: Sphinx, error: Exception | None) -> None:
    """Put a page at the root of the site that leads to the start page, which lies in a folder."""
    if error is None and app.builder.format == "html":
        start, title = f"{app.config.root_doc}.html", app.config.html_title
        Path(app.outdir, "index.html").write_text(
            f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>{title}</title>\n'
            f'<meta http-equiv="refresh" content="0; url={start}"><a href="{start}">{title}</a></html>\n',
            "utf-8",
        )
        shutil.rmtree(Path(app.outdir, "jupyter_execute"), ignore_errors=True)  # what is on the notebooks' pages


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", read_pictures)
    app.connect("doctree-read", lead_elsewhere)
    app.connect("build-finished", lead_to_start)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
