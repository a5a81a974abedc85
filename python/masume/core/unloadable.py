"""Error message of `import masume` if its compiled modules do not load: built for another machine, or absent."""

from __future__ import annotations

import importlib.machinery
import sys
from pathlib import Path


def explain(error: ImportError) -> ImportError:
    """Return the error as one line with what is present and what is needed; for other modules, the error itself."""
    folder = Path(__file__).parent
    module = (error.name or "").rpartition(".")[2]  # if the file does not load, this is the whole name
    is_ours = error.name == f"masume.core.{module}" or (error.path is not None and Path(error.path).parent == folder)
    if not is_ours:
        return error
    files = sorted(path.name for path in folder.glob(f"{module}.*") if path.suffix in (".so", ".pyd"))
    if not files:
        there = "its compiled modules are missing"
    elif isinstance(error, ModuleNotFoundError):
        there = f"its compiled modules are for another Python or machine: {', '.join(files)}"
    else:
        there = f"its compiled modules do not load on this machine: {error}"
    return ImportError(
        f"masume: {there}; this Python loads {module}{importlib.machinery.EXTENSION_SUFFIXES[0]}; "
        f"install masume anew with {sys.executable}",
        name=error.name,
        path=error.path,
    )
