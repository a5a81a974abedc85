"""Drafts: what a person has decided of a turn and not yet played.

In a game that hides nothing, a draft plays a turn on a copy, step by step, until somebody else is to decide; so it can
be undone. If all decide at once it is a plan: one action for each slot. Where something is hidden nothing is tried on
the true position: an action is played as soon as it is chosen.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ..agent import View, position_of
from ..core._state import State
from ..core.language import speaking
from ..core.language import translate as _
from ..errors import IllegalActionError
from ..render import canvas
from ..render.canvas import Choice
from ..render.drawing import drawing_of

MAX_STEPS = 256  # of a plan that can be undone

Step = tuple[str, Sequence[int]]
"""("do", (slot, action)), ("undo", ()) or ("redo", ())."""


class Draft:
    """A person's turn as far as it is decided.

    Parameters
    ----------
    view : View
        The player's view of the position at the start of the turn.

    Attributes
    ----------
    actions : list
        The actions so far; in a plan, a dict of the action of each slot.
    """

    def __init__(self, view: View) -> None:
        self._view, self.player = view, view.player
        self._start = position_of(view)
        self.is_plan = view.game.num_slots > 1
        self.can_undo = view.game.is_perfect_information
        self._state = self._start.clone()
        self._done: list[tuple[int, int]] = []
        self._undone: list[tuple[int, int]] = []

    @property
    def state(self) -> State:
        """The position with the draft played; a plan shows the position of its turn."""
        return self._state

    @property
    def plan(self) -> dict[int, int]:
        """The action of each slot of a plan that is decided."""
        return dict(self._done) if self.is_plan else {}

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to decide."""
        if self.is_plan:
            return len(self.plan) == len(self._view.slots)
        return bool(self._done) and not self._is_mine()

    @property
    def size(self) -> int:
        """Number of steps that can be undone."""
        return len(self._done)

    @property
    def is_undone(self) -> bool:
        """Whether a step can be done again."""
        return bool(self._undone)

    def _is_mine(self) -> bool:
        return not self._state.is_terminal() and self._state.current_player == self.player

    def answer(self) -> list[int]:
        """Return what is to be played: the actions in turn, or one for each slot; undecided slots get the default."""
        if not self.is_plan:
            return [action for _, action in self._done]
        plan = self.plan
        return [plan.get(slot, self._start.fallback(slot)) for slot in self._view.slots]

    def after(self, steps: Sequence[Step]) -> Draft:
        """Return the draft after these steps; this one stays as it is. Raise IllegalActionError if one is not allowed.

        In a game that hides something a turn is one step: what is refused after it would tell what it found.
        """
        if len(steps) > 1 and not self.can_undo and not self.is_plan:
            raise IllegalActionError(_("in this game a choice is played at once, and nothing can be taken back"))
        after = copy.copy(self)
        after._state = self._state.clone()
        after._done, after._undone = self._done.copy(), self._undone.copy()
        for kind, values in steps:
            if kind == "do":
                after._do(*values)
            else:
                after._undo() if kind == "undo" else after._redo()
        return after

    def _do(self, slot: int, action: int) -> None:
        if slot not in self._view.slots or (self.is_plan and not self._view.is_legal(action, slot)):
            raise IllegalActionError(_("this is not allowed now"))
        if not self.is_plan:
            if not self._is_mine():
                raise IllegalActionError(_("the turn is complete"))
            try:
                self._state.apply(action)
            except IllegalActionError:
                raise IllegalActionError(_("this is not allowed now")) from None
        self._done.append((slot, action))
        self._undone.clear()
        if self.is_plan and len(self._done) > max(MAX_STEPS, len(self._view.slots)):
            self._forget()

    def _forget(self) -> None:
        """Forget the oldest step that a later one has replaced, of a plan that is changed again and again."""
        last = {slot: number for number, (slot, _action) in enumerate(self._done)}
        del self._done[next(number for number, (slot, _action) in enumerate(self._done) if last[slot] != number)]

    def _undo(self) -> None:
        if self._done and self.can_undo:
            self._undone.append(self._done.pop())
            self._replay()

    def _redo(self) -> None:
        if self._undone:
            self._done.append(self._undone.pop())
            self._replay()

    def _replay(self) -> None:
        if not self.is_plan:
            self._state = self._start.clone()
            for _slot, action in self._done:
                self._state.apply(action)

    def forecast(self) -> list[int] | None:
        """Return the scores after a plan if nobody else acts; None if there is no plan, or something is hidden."""
        if not self.is_plan or not self.can_undo:
            return None
        after, plan = self._start.clone(), self.plan
        after.apply([plan.get(slot, after.fallback(slot)) for slot in range(self._view.game.num_slots)])
        return [int(score) for score in after.scores()]

    def view(self) -> View | None:
        """Return the player's view of the draft; None if the turn is complete."""
        if self.is_plan or not self._done:
            return self._view
        return View(self._state, self.player) if self._is_mine() else None

    # -- what may be pressed -----------------------------------------------------------------------

    def choices(self) -> list[Choice]:
        """Return what the player may choose next; empty if the turn is complete."""
        if not self.is_plan and self._done and not self._is_mine():
            return []
        people = self._view.game.part("people")
        if people is not None:
            choices: list[Choice] = people.choices(self._state, self.player)
            return choices
        return list_choices(self._state, self.player)

    def _tell(self) -> dict[str, Any]:
        """Return what the game's `people` module says of the position: its pad, task and notebook."""
        people = self._view.game.part("people")
        words: dict[str, Any] = {}
        if people is None:
            return words
        if hasattr(people, "PAD"):
            pad = people.pad(self._state, self.player) if hasattr(people, "pad") else people.PAD
            words["pad"] = pad | {"rest": _(people.REST) if hasattr(people, "REST") else ""}
        if hasattr(people, "task"):
            words["task"] = "" if self.is_done and not self.is_plan else people.task(self._state, self.player)
        if hasattr(people, "notebook"):
            words["notebook"] = people.notebook(self._state, self.player)
        return words

    def to_dict(self, language: str) -> dict[str, Any]:
        """Return the open question as plain JSON types (docs/decisions/0018-page.md)."""
        with speaking(language):
            scene = drawing_of(self._state).scene(self._state)
            names = [_(verb.name) for verb in scene.verbs]
            legal = [_pack(choice, names) for choice in self.choices()]
            words = self._tell()
        return {
            "player": self.player,
            "legal": legal,
            **words,
            "plan": [[slot, action] for slot, action in self.plan.items()],
            "slots": self._view.slots if self.is_plan else [],
            "size": self.size,
            "redo": self.is_undone,
            "undo": self.can_undo,
            "done": self.is_done,
            "forecast": self.forecast() if self._done else None,
        }


def list_choices(state: State, player: int) -> list[Choice]:
    """Return every legal action as its text: for games that do not say where their actions are on the board."""
    return [
        canvas.Choice([int(action)], [-1], word=state.action_to_text(int(action), slot), slots=[slot])
        for slot, decider in enumerate(state.slots)
        if decider == player
        for action in state.legal_actions(slot)
    ]


def _pack(choice: Choice, verbs: Sequence[str]) -> dict[str, Any]:
    first = choice.codes[0] - choice.targets[0]
    runs = all(code == first + cell for code, cell in zip(choice.codes, choice.targets, strict=True))
    packed: dict[str, Any] = {
        "word": choice.word or verbs[choice.verb],
        "verb": choice.verb,
        "units": list(choice.units),
        "slots": list(choice.slots),
        "from": choice.start,
        "to": list(choice.targets),
        **({"base": first} if runs else {"codes": list(choice.codes)}),
    }
    if choice.most:
        packed |= {"amount": {"max": list(choice.most), "times": choice.times}}
    for name in ("notes", "ways", "warns"):
        if any(getattr(choice, name)):
            packed[name] = list(getattr(choice, name))
    if any(choice.brings):
        texts = list(dict.fromkeys(choice.brings))
        packed["brings"] = [texts, [texts.index(text) for text in choice.brings]]
    return packed
