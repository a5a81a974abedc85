"""Human: a person at the terminal as an agent."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TextIO

from ..agent import View, position_of
from ..errors import NotationError

if TYPE_CHECKING:
    from ..game import Game


class Human:
    """A person at the terminal, asked for each slot; `?` lists the legal actions, an empty line is an error."""

    name = "human"

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        self._in = stdin or sys.stdin
        self._out = stdout or sys.stdout

    def start(self, game: Game, player: int, seed: int) -> None:
        """Say which seat is the person's."""
        print(f"You are player {player} of {game.name}.", file=self._out)

    def act(self, view: View) -> Any:
        """The actions typed, one line each; an illegal or unreadable one is asked for again.

        The board is shown as the player sees it.
        """
        from ..render import text, wants_color

        print(text(position_of(view), view.player, color=wants_color(self._out)), file=self._out)
        actions = [self._ask(view, slot) for slot in view.slots]
        return actions if view.game.num_slots > 1 else actions[0]

    def _ask(self, view: View, slot: int) -> int:
        legal = view.legal_actions(slot).tolist()
        where = f" for slot {slot}" if view.game.num_slots > 1 else ""
        while True:
            print(f"action{where} (? lists the legal ones): ", end="", file=self._out, flush=True)
            line = self._in.readline()
            if not line:
                print(file=self._out)  # behind the question
                raise EOFError("the input ended before the game")
            if line.strip() == "?":
                print("  ".join(position_of(view).action_to_text(action, slot) for action in legal), file=self._out)
                continue
            try:
                action = position_of(view).text_to_action(line.strip(), slot)
            except NotationError as error:
                print(error, file=self._out)
                continue
            if action in legal:
                return int(action)
            print(f"{line.strip()} is not allowed now", file=self._out)

    def close(self) -> None:
        """Nothing to let go."""
