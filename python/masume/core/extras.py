"""Optional packages that parts of masume need: its extras."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..errors import AgentError, ConfigError, ExtraError
from .trace import own_traceback

# The requirement and option with which pip installs masume; a release sets "masume" and "". A test compares the docs.
SOURCE = "."
WHERE = " in a clone of masume"


def install_command(*extras: str) -> str:
    """Return the current shell command that installs masume with these extras."""
    return f"pip install '{SOURCE}[{','.join(extras)}]'" if extras else f"pip install {SOURCE}"


def extra(module: str, name: str) -> ModuleType:
    """Return the module; raise ExtraError, which names the extra that installs it, if its package is missing."""
    package = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ExtraError(f"{package} is not installed: {install_command(name)}{WHERE}", name=package) from None


def call_named(spec: str, where: str) -> Any:
    """Import MODULE:ATTR and call it without arguments.

    Raise ConfigError if it does not exist, and AgentError for an exception of its code; both name `spec`.
    """
    module, _, attribute = where.partition(":")
    if not module or not attribute:
        raise ConfigError(f"agents: {spec}: expected MODULE:ATTR after {spec.partition(':')[0]}:")

    def call() -> Any:
        try:
            maker = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError, ValueError) as error:
            raise ConfigError(f"agents: {spec}: {error}") from None
        return maker()

    return call_maker(spec, call)


def call_maker(spec: str, maker: Callable[[], Any]) -> Any:
    """Call what makes the agent `spec`; raise AgentError, which names it, for an exception that is no ConfigError."""
    try:
        return maker()
    except ConfigError:
        raise
    except (Exception, SystemExit) as error:
        what = str(error).partition("\n")[0] or "no message"
        raise AgentError(f"agents: {spec}: {type(error).__name__}: {what}", own_traceback(error)) from error
