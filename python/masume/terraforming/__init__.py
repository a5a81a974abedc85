"""Terraforming: three players settle an asteroid of hexagonal cells with robots."""

from . import blocks, maps, notation, reference
from . import maps as starts
from ._engine import State, canonical_codes, canonical_indices, table
from .config import Config

__all__ = [
    "Config",
    "State",
    "blocks",
    "canonical_codes",
    "canonical_indices",
    "maps",
    "notation",
    "reference",
    "starts",
    "table",
]
