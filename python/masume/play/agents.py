"""Agents: `make_agent` turns the text that names one into the agent, `ask_many` asks it about games."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agent import Agent, PolicyAgent, Thought, View, ViewError, list_answer
from ..core.config import describe_unknown
from ..core.extras import call_named
from ..core.trace import own_traceback
from ..errors import AgentError, ConfigError, IllegalActionError
from .human import Human
from .names import split_name

if TYPE_CHECKING:
    from ..core.rng import Rng
    from ..game import Game

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


def make_agent(spec: str, game: Game) -> Agent:
    """Make the agent that `spec` names.

    Parameters
    ----------
    spec : str
        `"random"` or another policy of the game (`game.policies`), an agent from the game's own `agents` module,
        `"mcts:BUDGET"`, `"net:MODULE:ATTR"`, `"human"` or `"py:MODULE:ATTR"` (all forms: `NAMED`). `"beam:BUDGET"`
        works in simultaneous games of perfect information, `"alphabeta:BUDGET"` in games of two players, one slot and
        perfect information. `"best:BUDGET"` is the game's strongest agent (`best_of`). MODULE:ATTR is imported and
        called without arguments: `py` expects an agent, `net` an evaluator (`masume.search.mcts.Evaluator`). FOLDER is
        a run of `masume train`, or the name of a network that the game ships.
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
    kind, _, rest = spec.partition(":")
    if kind == "py":
        return _import_agent(rest)
    if is_program(spec):
        raise ConfigError(f"agents: {spec!r}: programs play in matches, arenas and self-play only")
    if kind == "net":
        from ..search.net import make_net_agent

        return make_net_agent(rest, game)
    if kind == "best" and rest:
        agent = make_agent(best_of(game, rest), game)
        agent.name = spec
        return agent
    if kind == "mcts":
        from ..search import MCTSAgent

        return MCTSAgent(rest)
    if kind == "beam" and _plays(kind, game):
        from ..search import BeamAgent

        return BeamAgent(rest)
    if kind == "alphabeta" and _plays(kind, game):
        from ..search import AlphaBetaAgent

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
    from ..learn.network import networks_of

    kinds = ["mcts", *(kind for kind in _KINDS if _plays(kind, game))]
    turn = "/turn" if best_of(game).endswith("/turn") else ""
    searches = [f"{kind}:{SAMPLE_BUDGETS[kind]}{turn if kind == 'mcts' else ''}" for kind in kinds]
    networks = [f"net:{name}{budget}" for name in networks_of(game) for budget in ("", ":64")]
    found = {make_agent(name, game).name: name for name in [*game.policies, *agents_of(game), *searches, *networks]}
    return list(found.values())


def searches_of(game: Game) -> list[str]:
    """Return the names of searches and networks that play this game, in addition to those that play every game."""
    from ..learn.network import networks_of

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


class Blame:
    """Context manager that turns any error of the block into an AgentError, with the error as its cause.

    where : a description of the question put to the agent, for people. player : the agent's, in a game. This is a class
    because `contextlib.contextmanager` lets a StopIteration through.
    """

    def __init__(self, agent: Agent, where: str, player: int | None = None) -> None:
        self._agent, self._where, self._player = agent, where, player

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, Exception | SystemExit):
            what = str(error).partition("\n")[0] or "no message"
            is_illegal = isinstance(error, IllegalActionError | ViewError)
            if not is_illegal:
                what = f"{type(error).__name__}: {what}"
            log = "" if isinstance(error, IllegalActionError) else own_traceback(error)
            told = f"{self._agent.name}: {self._where}: {what}"
            raise AgentError(told, log, self._player, "illegal" if is_illegal else "crash", what) from error


class Question(NamedTuple):
    """A question to an agent: what its player sees, the generator of its chance in that game, and whose fault it is.

    where : as in Blame.
    """

    view: View
    rng: Rng
    where: str


class Answer(NamedTuple):
    """An agent's answer: an action for each of `view.slots`, the milliseconds that it took, and a thought or None."""

    actions: list[int]
    ms: float
    thought: Thought | None


def ask_many(agent: Agent, questions: Sequence[Question]) -> list[Answer]:
    """Ask one agent about many games: all at once if it has `act_many`, which shares the time equally.

    Raises AgentError, which says where, if the agent raises or answers with actions that are not allowed.
    """
    if not hasattr(agent, "act_many"):
        return [_ask(agent, question) for question in questions]
    before = time.perf_counter()
    seeds = [question.rng.next() for question in questions]
    try:
        found = list(agent.act_many([question.view for question in questions], seeds))
        if len(found) != len(questions):
            raise ValueError(f"expected {len(questions)} answers, one for each view, got {len(found)}")
    except (Exception, SystemExit) as error:
        asked = questions[error.place if isinstance(error, ViewError) else 0]
        with Blame(agent, asked.where, asked.view.player):
            raise
    ms = round(_ms(before) / len(questions), 3)
    answers = []
    for question, given in zip(questions, found, strict=True):
        with Blame(agent, question.where, question.view.player):
            actions, thought = given
            answers.append(Answer(_read(actions, question.view), ms, thought))
    return answers


def _ask(agent: Agent, question: Question) -> Answer:
    """Return the answer of an agent about one game."""
    with Blame(agent, question.where, question.view.player):
        before = time.perf_counter()
        given = agent.act(question.view)
        ms = _ms(before)
        if isinstance(agent, PolicyAgent):  # by the game's own table
            return Answer(list_answer(given, len(question.view.slots)), ms, None)
        return Answer(_read(given, question.view), ms, getattr(agent, "thought", None))


def _read(answer: Any, view: View) -> list[int]:
    """Return an answer as one action for each slot; raise IllegalActionError if it is none, or may not be played."""
    slots = view.slots
    actions = []
    for slot, action in zip(slots, list_answer(answer, len(slots)), strict=True):
        try:
            actions.append(operator.index(action))
        except TypeError:
            raise IllegalActionError(f"action: expected an int, got {action!r:.60}") from None
        if not view.is_legal(actions[-1], slot):
            where = f" of slot {slot}" if len(slots) > 1 else ""
            raise IllegalActionError(f"action {actions[-1]}{where} is not allowed here")
    return actions


def _ms(before: float) -> float:
    return round(1000 * (time.perf_counter() - before), 3)


def close_agent(agent: Agent) -> None:
    """Close an agent; raise AgentError, which names it, if that fails."""
    with Blame(agent, "close"):
        agent.close()
