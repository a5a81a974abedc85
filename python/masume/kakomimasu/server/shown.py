"""The matches of the server on the page for people."""

from __future__ import annotations

from pathlib import Path

from ...http.front import Front
from ...web.app import PATHS, Page
from ...web.gallery import Gallery
from ...web.guard import Access
from ...web.match import Match
from ...web.match import Phase as ShownPhase
from .hall import Phase, ServedMatch, codes_of


class Shown:
    """The page of a server, and what it shows of each match; `folder` is that of the replays, `front` its front.

    Attributes
    ----------
    page : Page
        The page, an ASGI application.
    host_path : str
        The path that makes a browser the host.
    """

    def __init__(self, name: str, folder: Path, front: Front) -> None:
        front.reserve(PATHS)
        self._gallery = Gallery(folder=folder)
        access = Access()
        self.page = Page(self._gallery, front, access, game=name)
        self.host_path = f"/host/{access.host}"
        self._of: dict[str, Match] = {}

    def note(self, match: ServedMatch) -> None:
        """Show what has changed in a match; one that has not begun is not shown yet."""
        if match.status == "free" or match.is_gone:
            return
        shown = self._of.get(match.id)
        if shown is None:
            shown = self._of[match.id] = self._gallery.new(match.game, match.state.game.config.seed, [])
        if shown.is_over:
            return
        names = [entrant.label for entrant in match.entrants]
        moves = match.turns()[len(shown.moves) :]
        for turn in moves:
            shown.advance([codes_of(shown.state, turn)], names, shown.left_ms)
        if not moves:
            shown.advance([], names, shown.left_ms)
        if match.phase is Phase.OVER:
            shown.returns = match.state.returns().tolist()
            shown.phase = ShownPhase.OVER
            shown.note()
            del self._of[match.id]
