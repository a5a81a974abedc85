"""Kakomimasu: two to four teams wall in territory, all agents moving at once."""

from .config import Config

__all__ = ["Config"]
