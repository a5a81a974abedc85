"""make_agent: from the text that names an agent to the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..agent import Agent, PolicyAgent
from ..core.extras import call_named
from ..errors import AgentError, ConfigError, IllegalActionError
from .human import Human

if TYPE_CHECKING:
    from ..game import Game

PROGRAMS = ("cmd", "json", "tcp")
"""What begins the name of a program (`referee.seats.make_seat`)."""


NAMED = (
    "mcts:SIMULATIONS",
    "mcts:MSms",
    "mcts:BUDGET/turn",
    "net:MODULE:ATTR",
    "net:MODULE:ATTR:SIMULATIONS",
    "human",
    "py:MODULE:ATTR",
)
"""How agents are named that play every game, beside those of the table."""


def is_program(spec: str) -> bool:
    """Whether `spec` names a program (`referee.seats.make_seat`)."""
    kind, _, rest = spec.partition(":")
    return kind in PROGRAMS and rest != ""


def make_agent(spec: str, game: Game) -> Agent:
    """The agent that `spec` names: random, a name of the game's own, or one of NAMED.

    MODULE:ATTR is imported and called without arguments: by py to make an agent, by net to make an evaluator
    (`search.net.Net`). ConfigError for what is none of these.
    """
    kind, _, rest = spec.partition(":")
    if kind == "py":
        return _import_agent(rest)
    if is_program(spec):
        raise ConfigError(f"agents: {spec!r}: programs play in matches, arenas and self-play only")
    if kind == "net":
        from ..search.net import NetAgent

        return NetAgent(rest, game)
    if kind == "mcts":
        from ..search import MCTSAgent

        return MCTSAgent(rest)
    plans = game.is_simultaneous and game.is_perfect_information
    if kind == "beam" and plans:
        from ..search import BeamAgent

        return BeamAgent(rest)
    duels = game.num_players == 2 and game.num_slots == 1 and game.is_perfect_information
    if kind == "alphabeta" and duels:
        from ..search import AlphaBetaAgent

        return AlphaBetaAgent(rest)
    if spec == "human":
        return Human()
    if spec in game.policies:
        return PolicyAgent(spec)
    named = agents_of(game)
    if spec in named:
        return named[spec]()
    searches = plans * ["beam:SIMULATIONS", "beam:MSms"] + duels * ["alphabeta:NODES", "alphabeta:MSms"]
    known = [*dict.fromkeys([*game.policies, *named]), *searches, *NAMED]
    raise ConfigError(f"agents: {spec!r} is none of {', '.join(known)}")


def agents_of(game: Game) -> Mapping[str, Callable[[], Agent]]:
    """Return the game's own agents that are written in Python, by name."""
    return getattr(game.part("agents"), "AGENTS", {})


def _import_agent(rest: str) -> Agent:
    agent = call_named(f"py:{rest}", rest)
    if not isinstance(agent, Agent):
        raise ConfigError(f"agents: py:{rest}: {agent!r} lacks name, start, act or close")
    return agent


class Blame:
    """A context in which whatever goes wrong is the agent's fault: AgentError, with the cause behind it.

    where : what the agent was asked, for people. A class: `contextlib.contextmanager` lets a StopIteration through.
    """

    def __init__(self, agent: Agent, where: str) -> None:
        self._agent, self._where = agent, where

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception | SystemExit):
            what = str(error).partition("\n")[0] or "no message"
            if not isinstance(error, IllegalActionError):
                what = f"{type(error).__name__}: {what}"
            raise AgentError(f"{self._agent.name}: {self._where}: {what}") from error


def close_agent(agent: Agent) -> None:
    """Close an agent; AgentError, which names it, where it raises."""
    with Blame(agent, "close"):
        agent.close()
