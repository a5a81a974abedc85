"""Human: a person at the terminal as an agent.

What a person may type is the same everywhere: commands (`?`, `moves`, `board`, `undo`, `quit`), the action texts of the
game in capital or small letters, and the short forms of the game. A game plugs in its words by a module `prompt`:

question(state, slot) -> str
    What is decided now, with the names on the board.
read(state, slot, text) -> str or None
    The action text meant by a short form, None if it is none. `text` is in small letters, arrows are n, e, s, w.
explain(state, slot) -> list of str
    Lines that explain the letters of the board and what may be typed.
tell(state, slot, action) -> str, optional
    The short form of an action; without it its action text.
may_undo(state) -> bool, optional
    Whether a decision in this position tells its player nothing new, neither by chance nor by what was hidden.
"""

from __future__ import annotations

import contextlib
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

from ..agent import View, position_of
from ..core.language import say
from ..core.language import translate as _
from ..errors import NotationError

if TYPE_CHECKING:
    from types import ModuleType

    from ..core._state import State
    from ..game import Game

ARROWS = {
    "↑": "n", "→": "e", "↓": "s", "←": "w", "\x1b[a": "n", "\x1b[c": "e", "\x1b[b": "s", "\x1b[d": "w",
    "↗": "ne", "↘": "se", "↙": "sw", "↖": "nw",
}  # fmt: skip
"""Signs, and what the arrow keys send to a terminal without line editing (in small letters)."""
SHOWN = 40  # actions that `?` lists
WIDE = 100  # columns of a list
STICKY = "\x1f"  # a blank at which no line is broken
UNDO = "undo"
TOO_LATE = "There is nothing to take back: you have decided nothing since the others did."


class Quit(BaseException):  # an agent's faults are Exceptions; this is a person's wish
    """The person at the terminal leaves the game."""


class _UndoError(Exception):
    """The person takes a decision back."""


class Human:
    """A person at the terminal, who decides with the names of the board.

    The end of the input raises EOFError, the command `quit` raises Quit. All decisions that the person takes one after
    the other can be taken back (`undo`) until somebody else decides, if they told nothing new.

    Parameters
    ----------
    stdin, stdout : text stream, optional
        Where to read actions and write prompts; the process's own by default, with line editing on a terminal.
    """

    name = "human"

    def __init__(self, stdin: TextIO | None = None, stdout: TextIO | None = None) -> None:
        self._in = stdin or sys.stdin
        self._out = stdout or sys.stdout
        self._prompt: ModuleType | None = None
        self._planned: list[int] = []
        self._last: tuple[State, int] | None = None  # after the last decision, and its number of plies
        self._plies: Sequence[Sequence[int]] | None = None  # of the whole game, as it grows
        self._greeting = ""

    def start(self, game: Game, player: int, seed: int) -> None:
        """Begin a game; the first board tells the person which seat it is."""
        self._prompt = game.part("prompt")
        self._planned, self._last = [], None
        self._greeting = _("You are {name}: player {player} of {game}. Type ? to see what you can do.")
        if self._in is sys.stdin and self._in.isatty():
            with contextlib.suppress(ImportError):  # there is none on Windows
                import readline  # noqa: F401 - gives `input` line editing

    def act(self, view: View) -> Any:
        """Show the board as the player sees it and return what the person decides.

        An illegal or unreadable action is asked for again.
        """
        if view.game.num_slots > 1:
            return self._plan_slots(view)
        if not self._planned:
            self._planned = self._plan_turn(view)
        return self._planned.pop(0)

    def _plan_slots(self, view: View) -> list[int]:
        """Return one action for each slot; `undo` goes back to the slot before."""
        self._show(view)
        actions: list[int] = []
        while len(actions) < len(view.slots):
            try:
                actions.append(self._ask(view, view.slots[len(actions)]))
            except _UndoError:
                if actions:
                    actions.pop()
                else:
                    self._say(_(TOO_LATE))
        return actions

    def _plan_turn(self, view: View) -> list[int]:
        """Return the actions up to the first one that ends the turn or tells something new."""
        positions, actions = [position_of(view).clone()], list[int]()
        self._tell_news(view)
        is_shown = False
        while True:
            here = positions[-1]
            is_mine = not here.is_terminal() and here.current_player == view.player
            if actions and not (is_mine and self._may_undo(positions[-2])):
                break
            now = View(here, view.player)
            if not is_shown:
                self._show(now)
                is_shown = True
            try:
                action = self._ask(now, 0)
            except _UndoError:
                if actions:
                    positions.pop()
                    actions.pop()
                    is_shown = False
                else:
                    self._say(_(TOO_LATE))
                continue
            is_shown = False
            following = here.clone()
            following.apply(action)
            positions.append(following)
            actions.append(action)
        if self._plies is not None:
            self._last = positions[-1], len(self._plies) + len(actions)
        return actions

    def _may_undo(self, state: State) -> bool:
        may = getattr(self._prompt, "may_undo", None)
        return may is not None and may(state)

    def follow(self, plies: Sequence[Sequence[int]]) -> None:
        """Tell the person what the others do in this game, where everybody sees it.

        plies : the actions of each ply, to which those of later plies are added.
        """
        self._plies = plies

    def _tell_news(self, view: View) -> None:
        """Print what the others have done since this person's last decision, if everybody sees it."""
        if self._plies is None or self._last is None or not view.game.is_perfect_information:
            return
        state, number = self._last
        runs: list[tuple[int, list[str]]] = []
        for (action,) in self._plies[number:]:
            if not runs or runs[-1][0] != state.current_player:
                runs.append((state.current_player, []))
            runs[-1][1].append(self._tell(state, 0, action))
            state.apply(action)
        for player, told in runs:
            self._say(f"{self._seat(state, player)}: {', '.join(told)}")

    def _show(self, view: View) -> None:
        """Print the board as the player sees it."""
        from ..render import text, wants_color

        if self._greeting:
            name = self._seat(position_of(view), view.player)
            self._say(self._greeting.format(name=name, player=view.player, game=view.game.name))
            self._greeting = ""
        print(text(position_of(view), view.player, color=wants_color(self._out)), file=self._out)

    def _seat(self, state: State, player: int) -> str:
        """Return the name of a player on the board."""
        from ..render.drawing import draw_seen

        players: Sequence[str] = draw_seen(state, player)[0].players
        return players[player] if player < len(players) else str(player)

    def _ask(self, view: View, slot: int) -> int:
        """Return the legal action that the person chooses for a slot."""
        state = position_of(view)
        question = self._prompt.question(state, slot) if self._prompt else _("your move")
        if not self._prompt and view.game.num_slots > 1:
            question = say("your move in slot {slot}", slot=slot)
        while True:
            typed = self._read_line(f"{question}> ").strip()
            text = typed.lower()
            for sign, direction in ARROWS.items():
                text = text.replace(sign, f" {direction} ")
            text = " ".join(text.split())
            if text in ("?", "help"):
                self._explain(view, slot)
            elif text == "moves":
                self._list(view, slot, None)
            elif text == "board":
                self._show(view)
            elif text == UNDO:
                raise _UndoError
            elif text in ("quit", "exit"):
                raise Quit
            elif text:
                action = self._understand(view, slot, typed, text)
                if action is not None:
                    return action

    def _understand(self, view: View, slot: int, typed: str, text: str) -> int | None:
        """Return the legal action of a line; None, after telling the person, if it is not one."""
        state = position_of(view)
        try:
            meant = self._prompt.read(state, slot, text) if self._prompt else None
            action = self._action_of(state, slot, meant or typed)
        except NotationError as error:
            self._say(say("{text}: not understood; ? shows what you can type. ({error})", text=typed, error=error))
            return None
        if view.is_legal(action, slot):
            return action
        self._say(say("{action} is not allowed now; moves lists what is.", action=typed))
        return None

    @staticmethod
    def _action_of(state: State, slot: int, text: str) -> int:
        """Return the action of a text in the game's notation, in capital or small letters."""
        for told in (text.upper(), text.lower()):
            with contextlib.suppress(NotationError):
                return int(state.text_to_action(told, slot))
        return int(state.text_to_action(text, slot))

    def _tell(self, state: State, slot: int, action: int) -> str:
        """Return what a person types for an action."""
        tell = getattr(self._prompt, "tell", None)
        return str(tell(state, slot, action)) if tell else state.action_to_text(action, slot)

    def _explain(self, view: View, slot: int) -> None:
        """Print what the board shows, and what may be typed."""
        for line in self._prompt.explain(position_of(view), slot) if self._prompt else []:
            self._say(line)
        self._say(_("?      explains the board and what may be typed"))
        self._say(_("moves  lists everything that is allowed now"))
        self._say(_("board  shows the board again"))
        self._say(_("undo   takes back your last decision, until somebody else decides"))
        self._say(_("quit   ends the game; it can be saved and gone on with"))
        self._list(view, slot, SHOWN)

    def _list(self, view: View, slot: int, most: int | None) -> None:
        """Print the legal actions if there are at most `most`, else their number."""
        legal = view.legal_actions(slot).tolist()
        if most is not None and len(legal) > most:
            self._say(say("{number} actions are allowed now; moves lists them.", number=len(legal)))
            return
        told = [self._tell(position_of(view), slot, action).replace(" ", STICKY) for action in legal]
        self._say(say("allowed now: {actions}", actions="   ".join(told)))

    def _say(self, line: str) -> None:
        if len(line) > WIDE:
            line = textwrap.fill(line, WIDE, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        print(line.replace(STICKY, " "), file=self._out)

    def _read_line(self, prompt: str) -> str:
        """Return the line that a person types; EOFError at the end of the input."""
        if self._in is sys.stdin and self._out is sys.stdout and self._in.isatty() and self._out.isatty():
            return input(prompt)  # with line editing
        print(prompt, end="", file=self._out, flush=True)
        line = self._in.readline()
        if not line:
            print(file=self._out)  # ends the line of the question
            raise EOFError("the input ended before the game")
        return line

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
