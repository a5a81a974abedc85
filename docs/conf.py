"""Configure the site: `make site` builds it into build/site. The folder `site` holds its extensions and section pages.

The source is the whole repository, so that links between README.md, docs/ and examples/ stay links. The build needs no
network, and no page of the site loads anything from one.
"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "site"))
os.environ["SPHINX_AUTODOC_IGNORE_NATIVE_MODULE_TYPE_STUBS"] = "1"  # docstrings are in the compiled modules

project = "masume"
author = "The masume developers"
copyright = author  # noqa: A001 (Sphinx's name)
version = release = importlib.metadata.version("masume")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_design",
    "clauses",
    "api_pages",
    "gallery",
    "repository",
]
root_doc = "docs/index"
include_patterns = ["*.md", "docs/**", "examples/README.md"]
exclude_patterns = [".[a-z]*", "build", "dist", "report", "tests", "docs/site/static"]  # the first: .venv, .git
nitpicky = True
nitpick_ignore = [  # private, in signatures
    ("py:class", "masume.core._planes.Form"),
    ("py:class", "masume.core.positions.C"),
    ("py:class", "masume.search._mcts.Forest"),
    ("py:class", "masume.web.streams._Stream"),
]
nitpick_ignore_regex = [("py:class", r"masume\.kakomimasu\.server\..*")]  # the server's parts have no pages

default_role = "named"  # `name` in a docstring: a link where masume has the name, else code
add_module_names = False
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False
autosummary_generate = False  # numpydoc loads it: over an old build it imports modules before api_pages can
maximum_signature_line_length = 88
python_use_unqualified_type_names = True

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 6
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build/notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_search_scorer = str(HERE / "site/scorer.js")
html_title = f"masume {release}"
html_static_path = ["site/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "masume"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"docs/index": [], "docs/site/gallery": []}
