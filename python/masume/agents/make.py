"""make_agent: from the text that names an agent to the agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..agent import Agent, PolicyAgent
from ..core.config import describe_unknown
from ..core.extras import call_named
from ..errors import ConfigError
from ..game import Game
from .given import AgentLike, GivenAgent, name_agent
from .human import Human
from .names import split_name

PROGRAMS = ("cmd", "json", "tcp")
"""Prefixes of the names of programs (`referee.seats.make_seat`)."""


NAMED = (
    "best:BUDGET",
    "best:clock",
    "mcts:SIMULATIONS",
    "mcts:MSms",
    "mcts:BUDGET/turn",
    "net:MODULE:ATTR",
    "net:MODULE:ATTR:BUDGET",
    "net:MODULE:ATTR:BUDGET:LEAVES",
    "net:FOLDER",
    "net:FOLDER:BUDGET",
    "net:FOLDER:BUDGET:LEAVES",
    "human",
    "py:MODULE:ATTR",
)
"""Names of agents that play every game, in addition to each game's policies and its own agents."""


def is_program(spec: str) -> bool:
    """Return whether `spec` names a program (`referee.seats.make_seat`)."""
    kind, _, rest = split_name(spec)[1].partition(":")
    return kind in PROGRAMS and rest != ""


def make_agent(spec: AgentLike, game: Game) -> Agent:
    """Make the agent that `spec` names, or is.

    Parameters
    ----------
    spec : str, Agent, class or callable
        `"random"` or another policy of the game (`game.policies`), an agent from the game's own `agents` module,
        `"mcts:BUDGET"`, `"net:MODULE:ATTR"`, `"human"` or `"py:MODULE:ATTR"` (all forms: `NAMED`). `"beam:BUDGET"`
        works in simultaneous games of perfect information, `"alphabeta:BUDGET"` in games of two players, one slot and
        perfect information. `"best:BUDGET"` is the game's strongest agent (`best_of`). MODULE:ATTR is imported and
        called without arguments: `py` expects an agent, `net` an evaluator (`masume.search.mcts.Evaluator`). FOLDER is
        a run of `masume train`, or the name of a network that the game ships. Instead of a name: an agent, of which a
        copy is made; an evaluator; or a class or function that makes one of these without arguments.
    game : Game
        The game that the agent will play.

    Returns
    -------
    Agent

    Raises
    ------
    ConfigError
        If `spec` names no agent of this game, or a program: programs play in matches, arenas and self-play only; or if
        MODULE:ATTR cannot be imported or does not make an agent.
    AgentError
        If calling MODULE:ATTR raises.
    """
    spec = name_agent(spec)
    if isinstance(spec, GivenAgent):
        return spec.make()
    kind, _, rest = spec.partition(":")
    if kind == "py":
        return _import_agent(rest)
    if is_program(spec):
        raise ConfigError(f"agents: {spec!r}: programs play in matches, arenas and self-play only")
    if kind == "net":
        from .net import make_net_agent

        return make_net_agent(rest, game)
    if kind == "best" and rest:
        agent = make_agent(best_of(game, rest), game)
        agent.name = spec
        return agent
    if kind == "mcts":
        from .searching import MCTSAgent

        return MCTSAgent(rest)
    if kind == "beam" and _plays(kind, game):
        from .searching import BeamAgent

        return BeamAgent(rest)
    if kind == "alphabeta" and _plays(kind, game):
        from .searching import AlphaBetaAgent

        return AlphaBetaAgent(rest)
    if spec == "human":
        return Human()
    if spec in game.policies:
        return PolicyAgent(spec)
    named = agents_of(game)
    if spec in named:
        return named[spec]()
    known = [*dict.fromkeys([*game.policies, *named]), *searches_of(game), *NAMED]
    raise ConfigError(f"agents: {describe_unknown('agent', spec, known)}{_meant(spec)}")


def best_of(game: Game, budget: str = "BUDGET") -> str:
    """Return the name of the game's strongest agent with a budget.

    A game names it in its `agents` module: `BEST`, a name with {budget}, or a function of the game that returns one. Of
    other games it is the search that suits them.
    """
    best = getattr(game.part("agents"), "BEST", None)
    if callable(best):
        best = best(game)
    if best is None:
        best = next((f"{kind}:{{budget}}" for kind in ("alphabeta", "beam") if _plays(kind, game)), "mcts:{budget}")
    return str(best).format(budget=budget)


SAMPLE_BUDGETS = {"mcts": "1000", "beam": "20000", "alphabeta": "5000"}
"""Budgets of the searches among the players of a game: numbers, so that games repeat."""


def players_of(game: Game) -> list[str]:
    """Return a name for each different player of a game: policies, its own agents, searches with a budget, networks."""
    from ..nets.network import networks_of

    kinds = ["mcts", *(kind for kind in _KINDS if _plays(kind, game))]
    turn = "/turn" if best_of(game).endswith("/turn") else ""
    searches = [f"{kind}:{SAMPLE_BUDGETS[kind]}{turn if kind == 'mcts' else ''}" for kind in kinds]
    networks = [f"net:{name}{budget}" for name in networks_of(game) for budget in ("", ":64")]
    found = {make_agent(name, game).name: name for name in [*game.policies, *agents_of(game), *searches, *networks]}
    return list(found.values())


def searches_of(game: Game) -> list[str]:
    """Return the names of searches and networks that play this game, in addition to those that play every game."""
    from ..nets.network import networks_of

    searches = [name for kind in _KINDS if _plays(kind, game) for name in _KINDS[kind]]
    return searches + [f"net:{name}{budget}" for name in networks_of(game) for budget in ("", ":BUDGET")]


_KINDS = {"beam": ("beam:SIMULATIONS", "beam:MSms"), "alphabeta": ("alphabeta:NODES", "alphabeta:MSms")}


def _plays(kind: str, game: Game) -> bool:
    if kind == "beam":
        return game.is_simultaneous and game.is_perfect_information
    return game.num_players == 2 and game.num_slots == 1 and game.is_perfect_information


def _meant(spec: str) -> str:
    """Return a hint for a name that looks like a program; an empty text for others."""
    if spec.endswith(".py"):
        return f'; a Python class is py:{spec[:-3].replace("/", ".")}:CLASS, a program "cmd:python3 {spec}"'
    if "/" in spec or " " in spec or spec.startswith("-"):
        return f'; a program is "cmd:{spec}", with quotes around a command with spaces'
    return ""


def agents_of(game: Game) -> Mapping[str, Callable[[], Agent]]:
    """Return the game's own agents that are written in Python, by name."""
    return getattr(game.part("agents"), "AGENTS", {})


def _import_agent(rest: str) -> Agent:
    agent = call_named(f"py:{rest}", rest)
    if not isinstance(agent, Agent):
        raise ConfigError(f"agents: py:{rest}: {agent!r} lacks name, start, act or close")
    return agent
