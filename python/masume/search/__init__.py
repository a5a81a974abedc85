"""What looks ahead: exact solving."""

from .solve import Solution, solve

__all__ = ["Solution", "solve"]
