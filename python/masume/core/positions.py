"""Base class of the games' references: what a position in plain Python has besides its rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, Generic, Self, TypeVar

from ..errors import StateError
from .checks import index

C = TypeVar("C")


class Reference(Generic[C]):
    """A position of a game, changed in place by `apply`.

    A subclass has `config`, the game's `notation` and `slots`, and the methods below that raise NotImplementedError.
    """

    notation: ModuleType
    config: C

    def __init__(self, config: C) -> None:
        raise NotImplementedError

    @property
    def slots(self) -> list[int]:
        """Player of each pending slot; empty at the end."""
        raise NotImplementedError

    def _load(self, variables: Mapping[str, Any]) -> None:
        """Check types and ranges of variables, and set them; raise StateError, which names the key."""
        raise NotImplementedError

    def _faults(self) -> Iterator[str]:
        """Yield each broken invariant as a message that begins with the variable's name."""
        raise NotImplementedError

    def _context(self, slot: int) -> tuple[Any, ...]:
        """Return what stands before an action in the functions of the notation; ValueError if there is no such slot."""
        raise NotImplementedError

    @classmethod
    def parse(cls, config: C, text: str) -> Self:
        """Return the position that a text board shows.

        Raises
        ------
        NotationError
            If the text is not a board of this config.
        StateError
            If the board breaks an invariant.
        """
        return cls.from_dict(config, cls.notation.parse(config, text))

    @classmethod
    def from_dict(cls, config: C, variables: Mapping[str, Any]) -> Self:
        """Return the position with these variables; the inverse of `to_dict`.

        Its players have seen no earlier events.

        Raises
        ------
        StateError
            If a key is missing or unknown, a value is out of range, or an invariant is broken. The message names the
            key and the value.
        """
        if not isinstance(variables, Mapping):
            raise StateError(f"dict: expected a dict, got {variables!r}")
        state = cls(config)
        state._load(variables)
        fault = next(state._faults(), None)
        if fault is not None:
            raise StateError(fault)
        return state

    def check(self) -> None:
        """Raise AssertionError, with the position, if an invariant is broken."""
        fault = next(self._faults(), None)
        assert fault is None, f"{fault}\n{self}"

    @property
    def current_player(self) -> int:
        """Player to move; -1 while several slots decide at once, -2 if nobody decides."""
        slots = self.slots
        return -2 if not slots else slots[0] if len(slots) == 1 else -1

    def action_to_text(self, action: int, slot: int = 0) -> str:
        """Return the text of an action of a slot (`notation.action_to_text`)."""
        return str(self.notation.action_to_text(*self._context(slot), index("action", action)))

    def text_to_action(self, text: str, slot: int = 0) -> int:
        """Return the action of a text (`notation.text_to_action`); the inverse of `action_to_text`."""
        return int(self.notation.text_to_action(*self._context(slot), text))
