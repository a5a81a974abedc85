"""Kakomimasu: two to four teams wall in territory, all agents moving at once."""

from .._kakomimasu import State, table
from . import boards as starts
from . import notation, reference
from .config import Config

__all__ = ["Config", "State", "notation", "reference", "starts", "table"]
