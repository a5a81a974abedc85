"""`make_agent`, under the name that the documentation uses."""

from ..agents.make import make_agent

__all__ = ["make_agent"]
