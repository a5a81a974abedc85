"""`Network`, under the name that the documentation uses."""

from ..nets.network import Network

__all__ = ["Network"]
