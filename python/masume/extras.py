"""Packages that masume does not need, but some part of it does: its extras."""

from __future__ import annotations

import importlib
from types import ModuleType

from .errors import ExtraError


def extra(module: str, name: str) -> ModuleType:
    """The module; ExtraError, which says that the extra `name` brings it, where its package is not installed."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ExtraError(f"{package} is not installed: pip install 'masume[{name}]'", name=package) from None
