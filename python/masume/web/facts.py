"""Facts: what people are told of a match beside its board."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from ..core.language import say, speaking
from ..core.language import translate as _
from ..play.lessons import lessons_of
from ..records.course import Praise
from ..render.drawing import drawing_of
from ..results import winners
from .match import Match
from .people import tell_halt
from .rematch import rematch_of
from .streams import event
from .viewer import Viewer

MAX_NOTES = 200  # faults and remarks of a match that are listed


class Facts:
    """The facts of matches, each made once for all who are told the same."""

    def __init__(self) -> None:
        self._made: WeakKeyDictionary[Match, dict[Hashable, tuple[int, Any]]] = WeakKeyDictionary()

    def _once(self, match: Match, audience: Hashable, make: Callable[[], Any]) -> Any:
        """Return what `make` returned for this audience since the last change of the match."""
        made = self._made.setdefault(match, {})
        version, value = made.get(audience, (-1, None))
        if version != match.version:
            value = make()
            made[audience] = match.version, value
        return value

    def of_all(self, match: Match, language: str) -> dict[str, Any]:
        """Return what everybody may know."""
        facts: dict[str, Any] = self._once(match, language, lambda: tell(match, language))
        return facts

    def of_one(self, match: Match, viewer: Viewer) -> dict[str, Any]:
        """Return what a viewer may know."""
        players = viewer.seats_of(match)
        has_views = not match.game.is_perfect_information and viewer.sees_all(match)
        facts = self.of_all(match, viewer.language) | {
            "noted": list_notes(match, viewer.language),
            "mine": players,
            "views": ["all", *range(len(match.names))] if has_views else [],
            "hosting": viewer.may_press(match),
            "recipe": match.recipe if players else None,
        }
        if players:
            facts["invitations"] = {
                str(player): f"/j/{seat.invitation}" for player, seat in match.seats.items() if not seat.is_taken
            }
            facts["links"] = {str(player): f"/j/{match.seats[player].token}" for player in players}
            rematch = rematch_of(match)
            facts["next"] = rematch and rematch.facts()
            facts["away"] = [player for player in players if not viewer.plays(match.seats[player])]
        return facts

    def event(self, match: Match, viewer: Viewer) -> bytes:
        """Return the event with what a viewer may know."""

        def make() -> bytes:
            return event("match", self.of_one(match, viewer))

        if viewer.seats_of(match):
            return make()
        made: bytes = self._once(match, (viewer.language, viewer.is_host, viewer.is_hall), make)
        return made


def tell(match: Match, language: str) -> dict[str, Any]:
    """Return what everybody may know of a match, as plain JSON types."""
    with speaking(language):
        scene = drawing_of(match.first).scene(match.first)
        halted = tell_halt(match.halted) if match.halted else ""
        why = _ending(match)
        players = [_(name) for name in scene.players]
        scores = drawing_of(match.state).frame(match.state).scores if match.returns else []
    return {
        "id": match.id,
        "game": match.game.name,
        "title": scene.title,
        "players": players,
        "names": match.names,
        "phase": match.phase,
        "mover": -2 if match.is_over else match.state.current_player,
        "deciding": [] if match.is_over else sorted({int(player) for player in match.state.slots}),
        "plies": len(match.moves) if not match.hides else None,
        "left_ms": match.left_ms,
        "returns": match.returns,
        "winners": winners(match.returns) if match.returns else [],
        "why": why,
        "scores": list(map(list, scores)),
        "detail": match.detail,
        "halted": halted,
        "delay_ms": int(1000 * match.delay_s),
        "hides": match.hides,
        "missing": [player for player, seat in match.seats.items() if not seat.is_taken],
        "people": sorted(match.seats),
        "here": [player for player, seat in sorted(match.seats.items()) if seat.is_here],
        "at": match.at,
        "lesson": None if match.attempt is None else tell_lesson(match, language),
    }


def tell_lesson(match: Match, language: str) -> dict[str, Any]:
    """Return what everybody may know of a lesson; its hint and its solution are told when they are asked for."""
    assert match.attempt is not None
    attempt, lesson, name = match.attempt, match.attempt.lesson, match.game.name
    names = [one.name for one in lessons_of(name)]
    number = names.index(lesson.name)
    with speaking(language):
        return {
            "name": lesson.name,
            "title": _(lesson.title),
            "text": _(lesson.text),
            "par": lesson.par,
            "most": lesson.most,
            "used": attempt.used,
            "state": "shown" if match.is_shown else attempt.outcome,
            "stars": 0 if match.is_shown else attempt.stars,
            "number": number + 1,
            "all": len(names),
            "next": names[number + 1] if number + 1 < len(names) else "",
        }


def _ending(match: Match) -> str:
    """Return how a match ended, in a sentence of its game; empty if there is nothing to say."""
    if not match.reason or not match.returns:
        return ""
    endings = getattr(match.game.part("people"), "ENDINGS", {})
    if match.reason not in endings:
        return _(match.reason).replace("_", " ")
    first = winners(match.returns)
    players = drawing_of(match.first).scene(match.first).players
    names = [name or player for name, player in zip(match.names, players, strict=True)]
    return say(
        endings[match.reason],
        winner=", ".join(names[player] for player in first),
        loser=", ".join(name for player, name in enumerate(names) if player not in first),
    )


def tell_praise(praise: Sequence[Praise], language: str) -> list[str]:
    """Return why a finished match is worth watching, in words."""
    with speaking(language):
        words = {
            "rare": _("a rare ending"),
            "fewer": _("won with fewer points"),
            "draw": _("a draw"),
            "close": _("decided by {number} points"),
            "back": _("won after being {number} points behind"),
            "leads": _("the lead changed {number} times"),
        }
        one = {"close": _("decided by one point"), "back": _("won after being one point behind")}
        level = {"close": _("equal points at the end")}
        return [
            ({0: level, 1: one}.get(it.number, {}).get(it.kind) or words[it.kind]).format(number=it.number)
            for it in praise
        ]


def list_notes(match: Match, language: str) -> list[list[Any]]:
    """Return what players did wrong, after the end: (player, moves before, cause, detail), without their logs."""
    with speaking(language):
        return [[note.player, note.ply, _(note.cause), note.detail] for note in match.notes[:MAX_NOTES]]
