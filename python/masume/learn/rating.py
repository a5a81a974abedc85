"""Ratings of a network while it trains: its score against an agent, over the same games each time."""

from __future__ import annotations

from collections.abc import Iterator

from ..agent import Agent
from ..agents.make import make_agent
from ..agents.net import NetAgent
from ..core.rng import stream
from ..game import Game
from ..nets.network import Network
from ..play.driver import play_games
from ..play.ratings import score_interval


def rate(network: Network, against: str, games: int, seed: int) -> dict[str, float]:
    """Return the score of a network's policy, without a search, and the ends of its 95 % interval.

    Parameters
    ----------
    network : Network
        The network.
    against : str
        The agent of all other seats, as for `make_agent`.
    games : int
        Number of games; it plays the seats in turn.
    seed : int
        Seed of the games; where the config draws the board, each game of a seat has another one (`Game.redrawn`).

    Returns
    -------
    dict
        games, score, low, high. A game scores 1 if the network alone has the highest return, a share of it if several
        have, else 0.
    """
    scores = []
    for game, seat, seeds in _split(network.game, games, seed):
        seats = []
        for player in range(game.num_players):
            one: Agent = NetAgent(network) if player == seat else make_agent(against, game)
            shared = hasattr(one, "act_many")  # one agent then plays all games
            seats.append([one] if shared else [one, *(make_agent(against, game) for _ in seeds[1:])])
        for played in play_games(game, seats, seeds, lambda _: None):
            returns = played.state.returns().tolist()
            best = [player for player, result in enumerate(returns) if result == max(returns)]
            scores.append(1 / len(best) if seat in best else 0.0)
    mean, low, high = score_interval(scores)
    return {"games": len(scores), "score": mean, "low": low, "high": high}


def _split(game: Game, games: int, seed: int) -> Iterator[tuple[Game, int, list[int]]]:
    """Split games by board and by the network's seat: yield the game, the seat and the seeds."""
    for seat in range(min(games, game.num_players)):
        seeds = [stream(seed, k) >> 1 for k in range(seat, games, game.num_players)]
        if game.redrawn(1) is game:
            yield game, seat, seeds
        else:
            yield from ((game.redrawn(one), seat, [one]) for one in seeds)
