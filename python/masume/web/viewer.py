"""The viewer: who asks, and what it may see of a match.

The guard makes one for each request; nothing else reads cookies, and nothing else decides what may be seen.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from starlette.exceptions import HTTPException

from ..core.language import translate as _
from ..render.canvas import TOGETHER
from .people import is_same

if TYPE_CHECKING:
    from .match import Match
    from .people import PersonSeat, Question


class HiddenError(HTTPException):
    """A viewer may see no board of a match now."""

    def __init__(self) -> None:
        super().__init__(403, _("this game hides things: its board is shown when it is over"))


@dataclasses.dataclass(frozen=True)
class Viewer:
    """Who asks, and what it may see.

    Attributes
    ----------
    language : str
        The language of its texts.
    is_host : bool
        Whether this is the host, who sees and controls every match.
    is_hall : bool
        Whether this is the wall of a hall, which sees every match.
    tokens : mapping
        The secrets of seats that its browser keeps, by the id of the match.
    window : str
        The page of the browser that asks; "": it gave no name.
    player : int or None
        The player for whom it asks; None: the first one of its seats.
    view : int, "all" or None
        The player whose view it wants, or everything; None: what it may see.
    shows_all, is_dark : bool
        What the page shows to everybody, as in Access.
    base : str
        The path below which it has the page, as in Front.
    is_secure : bool
        Whether nobody between may read what it is sent.
    is_here : bool
        Whether its browser runs on the machine of the page, without a proxy between.
    share : str or None
        The address for whose share of what is there it counts; None for the host, who counts in none.
    """

    language: str = "en"
    is_host: bool = False
    is_hall: bool = False
    tokens: Mapping[str, Sequence[str]] = dataclasses.field(default_factory=dict)
    window: str = ""
    player: int | None = None
    view: int | Literal["all"] | None = None
    shows_all: bool = False
    is_dark: bool = False
    base: str = ""
    is_secure: bool = False
    is_here: bool = False
    share: str | None = None

    # -- its seats ---------------------------------------------------------------------------------

    @property
    def is_anybody(self) -> bool:
        """Whether it has no secret, and sees what everybody may see."""
        return not (self.oversees or self.tokens)

    def seats_of(self, match: Match) -> list[int]:
        """Return the players whose seats this browser has."""
        tokens = self.tokens.get(match.id, ())
        return [
            player for player, seat in match.seats.items() if any(is_same(seat.token, token) for token in tokens)
        ]  # fmt: skip

    def seat_of(self, match: Match) -> tuple[int, PersonSeat]:
        """Return the player for whom this viewer asks, and its seat; HTTPException if it may not play that one here."""
        players = self.seats_of(match)
        player = self.player if self.player is not None else players[0] if players else -1
        if player not in players:
            raise HTTPException(403, _("this seat is not yours"))
        seat = match.seats[player]
        if not self.plays(seat):
            raise HTTPException(409, _("this seat is played in another window"))
        return player, seat

    def plays(self, seat: PersonSeat) -> bool:
        """Return whether a seat of this browser is played in this window."""
        return seat.window in ("", self.window)

    def questions_of(self, match: Match) -> list[tuple[int, Question]]:
        """Return what the seats of this window are asked now, by player."""
        seats = [(player, match.seats[player]) for player in self.seats_of(match)]
        return [
            (player, seat.question) for player, seat in seats if seat.question is not None and self.plays(seat)
        ]  # fmt: skip

    def may_press(self, match: Match) -> bool:
        """Return whether this viewer may start, pause and pace a match."""
        return self.is_host or bool(self.seats_of(match))

    # -- its view ----------------------------------------------------------------------------------

    @property
    def oversees(self) -> bool:
        """Whether this is the host, or the wall of the hall."""
        return self.is_host or self.is_hall

    def sees_all(self, match: Match) -> bool:
        """Return whether nothing of a match is hidden from this viewer now."""
        return not match.hides or self.shows_all or (self.oversees and not self.seats_of(match))

    def _is_dark(self, match: Match) -> bool:
        """Return whether it sees what the players together have seen; never if people play, who may watch."""
        knows = getattr(match.game.part("render"), "SEEN_TOGETHER", False)
        return bool(self.is_dark and not self.oversees and match.hides and not match.seats and knows)

    def eyes_for(self, match: Match) -> int | None:
        """Return the player whose view of a match this viewer may have and wants; None: everything.

        Raises HiddenError if it may see nothing.
        """
        players, sees_all = self.seats_of(match), self.sees_all(match)
        if self._is_dark(match):
            return TOGETHER
        if isinstance(self.view, int) and self.view < match.game.num_players:
            if sees_all or self.view in players:
                return self.view
        elif self.view == "all":
            if sees_all:
                return None
        elif players and match.hides:
            return players[0]
        elif sees_all:
            return None
        raise HiddenError
