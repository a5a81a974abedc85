"""Set the package's project URLs, and make the links in its long description absolute.

The only setting is the environment variable PROJECT_URL, the address of the repository's page
(`https://host/owner/name`), which the release workflow sets. Without it the package has no URL, and its description
has neither pictures nor links into the repository, since an index page could not show them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SETTING = "PROJECT_URL"
LOCAL = r"(?!https?://|#|mailto:)"  # prefix of an address inside the repository


def dynamic_metadata(_settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `readme` and `urls` of [project]."""
    url = os.environ.get(SETTING, "").rstrip("/")
    if url and not re.fullmatch(r"https?://[^\s/]+/\S+", url):
        raise ValueError(f"{SETTING}: expected an address such as https://host/owner/name, got {url!r}")
    text = describe(Path("README.md").read_text("utf-8"), url, f"v{project['version']}")
    urls = {"Source": url, "Changelog": f"{url}/blob/HEAD/CHANGELOG.md", "Issues": f"{url}/issues"} if url else {}
    return {"readme": {"content-type": "text/markdown", "text": text}, "urls": urls}


def describe(text: str, url: str, tag: str) -> str:
    """Return the README with absolute addresses at this tag; if the URL is empty, without the parts that need one."""
    if url:
        text = re.sub(rf'src="{LOCAL}', f'src="{url}/raw/{tag}/', text)
        text = re.sub(rf'href="{LOCAL}', f'href="{url}/blob/{tag}/', text)
        return re.sub(rf"\]\({LOCAL}", f"]({url}/blob/{tag}/", text)
    text = re.sub(rf'<a href="{LOCAL}[^>]*>\s*<img [^>]*>\s*</a>\n?', "", text)
    return re.sub(rf"\[([^\]]+)\]\({LOCAL}[^)]*\)", r"\1", text)
