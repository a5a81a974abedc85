"""What the people of a finished match play next: one asks, and all others must agree.

It is kept in memory alone: after a restart nobody has a seat in a finished match.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..core.language import translate as _
from ..errors import ConfigError
from ..game import Game
from ..referee.clock import TimeControl
from .match import Phase
from .offers import game_of, offer
from .people import Stale

if TYPE_CHECKING:
    from .holding import Holding
    from .match import Match

AGAIN, SWAP, BOARD = "rematch", "swap", "board"
WAYS = (AGAIN, SWAP, BOARD)
YES, NO, GO = "yes", "no", "go"
MAX_SEED = 2**32 - 1


class Rematch:
    """The question of a finished match what its people play next.

    Attributes
    ----------
    board : str
        The next board of the game's list; "": there is none.
    number : int
        Number of questions and refusals so far; who answers gives the number seen.
    way : str
        What is asked: AGAIN, SWAP, BOARD, or "" while nothing is.
    by : int
        The player who has asked last; -1: nobody.
    agreed, refused : set of int
        The players who have answered.
    found : str
        The id of the next match, once all have agreed.
    seats : dict
        The players of the next match, by the players of this one.
    """

    def __init__(self, match: Match) -> None:
        self.board = _next_board(match)
        self.number, self.way, self.by = 0, "", -1
        self.agreed: set[int] = set()
        self.refused: set[int] = set()
        self.found = ""
        self.seats: dict[int, int] = {}

    def facts(self) -> dict[str, Any]:
        """Return it as plain JSON types."""
        return {
            "number": self.number,
            "board": self.board,
            "asked": self.way,
            "by": self.by,
            "agreed": sorted(self.agreed),
            "refused": sorted(self.refused),
            "id": self.found,
        }

    def ask(self, players: Iterable[int], way: str, match: Match, holding: Holding, share: str | None) -> None:
        """Let these players ask for a way to go on; it begins at once if there are no others.

        Raises Stale if something is asked already, ConfigError for a board that there is not, else as `Holding.play`.
        """
        if self.way:
            raise Stale(_("this question is no longer open"))
        if way == BOARD and not self.board:
            raise ConfigError(f"do: expected {AGAIN} or {SWAP}, got {way!r}")
        asking = set(players)
        if asking.issuperset(match.seats):
            self._begin(way, match, holding, share)
        self.way, self.by, self.agreed, self.refused = way, min(asking), asking, set()
        self.number += 1

    def agree(self, players: Iterable[int], match: Match, holding: Holding, share: str | None) -> None:
        """Let these players agree; the next match begins if they are the last.

        Raises Stale if nothing is asked, or if they have agreed already, else as `Holding.play`.
        """
        if not self.way or self.agreed.issuperset(players):
            raise Stale(_("this question is no longer open"))
        agreed = self.agreed.union(players)
        if agreed.issuperset(match.seats):
            self._begin(self.way, match, holding, share)
        self.agreed = agreed

    def refuse(self, players: Iterable[int]) -> None:
        """Let these players refuse, or take back what they have asked; Stale if nothing is asked."""
        if not self.way:
            raise Stale(_("this question is no longer open"))
        self.refused = set() if self.by in players else set(players)
        self.way, self.agreed = "", set()
        self.number += 1

    def _begin(self, way: str, match: Match, holding: Holding, share: str | None) -> None:
        """Begin the next match, in which everybody sits already."""
        recipe, count = dict(match.recipe or {}), match.game.num_players
        old, first = list(recipe["seats"]), int(way == SWAP)
        order = [(seat + first) % count for seat in range(count)]  # who of this match sits there
        recipe["seats"] = [old[player] for player in order]
        game = match.game
        if way == BOARD:
            recipe["start"] = self.board
            game = _game_on(recipe, self.board)
        found = holding.play(
            game,
            ["me" if player in match.seats else old[player] for player in order],
            [match.names[player] if player in match.seats else "" for player in order],
            secrets.randbelow(MAX_SEED),
            TimeControl.parse(recipe.get("clock") or "none"),
            recipe,
            share,
        )
        self.found, self.seats = found.id, {player: seat for seat, player in enumerate(order)}


def rematch_of(match: Match) -> Rematch | None:
    """Return the question what the people of a match play next; None unless several have played it to its end."""
    if match.rematch is None and match.phase is Phase.OVER and len(match.seats) > 1 and match.recipe:
        match.rematch = Rematch(match)
    return match.rematch


def _next_board(match: Match) -> str:
    """Return the board after that of a match in the list of its game, for as many players; "" if there is none."""
    recipe = match.recipe or {}
    starts: list[str] = offer(match.game.name)["starts"]
    if recipe.get("start") not in starts:
        return ""
    at = starts.index(recipe["start"])
    boards = [*starts[at + 1 :], *starts[:at]]
    return next((name for name in boards if _game_on(recipe, name).num_players == match.game.num_players), "")


def _game_on(recipe: dict[str, Any], start: str) -> Game:
    """Return the game of a recipe on another board."""
    return game_of(recipe["game"], start, recipe.get("variant") or "")
