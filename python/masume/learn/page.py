"""The page of a run of training: curves, the pool's table, and games of the network to step through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..agent import Agent
from ..agents.net import NetAgent
from ..core.language import translate as _
from ..game import Game
from ..nets.network import Network
from ..play.driver import play_game
from ..render import page
from ..render.chart import COLOURS, lines

SHARES = {share / 4: f"{share / 4:.2f}" for share in range(5)}
SHOWN = 20  # rows of the table of iterations, the last ones


def draw_page(
    game: Game, network: Network, log: Sequence[Mapping[str, Any]], pool: Sequence[Mapping[str, object]]
) -> str:
    """Return the page as HTML. log : rows of `Run.log`, at least one. pool : rows of the pool's table, for people."""
    last = log[-1]["iteration"]
    ends = "0", _("{count} iterations").format(count=last)
    names = list(log[0]["measured"])[: len(COLOURS)]
    charts = []
    measured = [row for row in log if row["measured"]]
    if last:
        scores = {name: [(row["iteration"], row["measured"][name]["score"]) for row in measured] for name in names}
        charts.append(lines(_("Score of the policy against each agent"), scores, SHARES, ends))
        losses = {
            _("policy, above its least"): [(row["iteration"], row["losses"]["policy"] - row["losses"]["entropy"])
                                           for row in log[1:]],
            _("value"): [(row["iteration"], row["losses"]["value"]) for row in log[1:]],
        }  # fmt: skip
        most = max(y for curve in losses.values() for _x, y in curve) or 1.0
        marks = {most * share / 4: f"{most * share / 4:.2f}" for share in range(5)}
        charts.append(lines(_("Losses"), losses, marks, ends))
    agents: list[Agent] = [NetAgent(network) for _seat in range(game.num_players)]
    game_names = [f"{_('network')} {player}" for player in range(game.num_players)]
    example = play_game(game, agents, last).to_replay(last, game_names)
    return page(
        [example],
        title=_("{game}: a network after {count} iterations").format(game=game.name, count=last),
        charts=charts,
        tables=[
            (_("Scores"), [_row(row) for row in measured[-SHOWN:]]),
            (_("Pool"), list(pool)),
            (_("Time"), [_times(row) for row in log[1:][-SHOWN:]]),
        ],
    )


def _times(row: Mapping[str, Any]) -> dict[str, object]:
    """Return how fast an iteration played, and the seconds of its parts, for people."""
    seconds = row["seconds"]
    played = seconds["playing"] + seconds["network"] + seconds["agents"]
    return {
        _("iteration"): row["iteration"],
        _("plies/s"): f"{row['plies'] / played:.0f}",
        _("decisions/s"): f"{row['samples'] / played:.0f}",
        _("rules and search, s"): f"{seconds['playing']:.1f}",
        _("network, s"): f"{seconds['network']:.1f}",
        _("other agents, s"): f"{seconds['agents']:.1f}",
        _("learning, s"): f"{seconds['learning']:.1f}",
        _("measuring, s"): f"{seconds['measuring']:.1f}",
    }


def _row(row: Mapping[str, Any]) -> dict[str, object]:
    """Return a row of the log for people."""
    return {_("iteration"): row["iteration"]} | {
        name: f"{told['score']:.3f} ({told['low']:.3f}-{told['high']:.3f})" for name, told in row["measured"].items()
    }
