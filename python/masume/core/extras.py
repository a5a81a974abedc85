"""Packages that masume does not need, but some part of it does: its extras."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

from ..errors import AgentError, ConfigError, ExtraError

# What pip is given to install masume, and where: a release makes them "masume" and "". A test holds the docs to this.
SOURCE = "."
WHERE = " in a clone of masume"


def install_command(*extras: str) -> str:
    """Return the shell command that installs masume with these extras today."""
    return f"pip install '{SOURCE}[{','.join(extras)}]'" if extras else f"pip install {SOURCE}"


def extra(module: str, name: str) -> ModuleType:
    """Return the module; raise ExtraError, which names the extra that brings it, where its package is not installed."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ExtraError(f"{package} is not installed: {install_command(name)}{WHERE}", name=package) from None


def call_named(spec: str, where: str) -> Any:
    """Import MODULE:ATTR and call it without arguments.

    Raise ConfigError if there is none, and AgentError for what its code raises; both name `spec`.
    """
    module, _, attribute = where.partition(":")
    if not module or not attribute:
        raise ConfigError(f"agents: {spec}: MODULE:ATTR is wanted after {spec.partition(':')[0]}:")
    try:
        try:
            maker = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            raise ConfigError(f"agents: {spec}: {error}") from None
        return maker()
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        what = str(error).partition("\n")[0] or "no message"
        raise AgentError(f"agents: {spec}: {type(error).__name__}: {what}") from error
