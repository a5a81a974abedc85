"""Terraforming: three players settle an asteroid of hexagonal cells with robots."""

from . import maps, notation, protocol, reference
from . import maps as starts
from ._engine import State, canonical_codes, canonical_indices, table
from .config import Config

__all__ = [
    "Config",
    "State",
    "canonical_codes",
    "canonical_indices",
    "maps",
    "notation",
    "protocol",
    "reference",
    "starts",
    "table",
]
