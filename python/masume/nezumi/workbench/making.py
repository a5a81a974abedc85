"""Making stages: draw mirrored stages, tune their food until the game is close, and keep those that need thought."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...agent import ScriptedAgent, View, position_of
from ...agents.make import make_agent
from ...core.config import choice, integer
from ...core.rng import Rng, stream
from ...errors import SearchError, StageError
from ...game import load
from ...play.driver import play_game
from ...search._solve import solve as solve_code
from ...search.alphabeta import AlphaBeta
from ...search.solve import solve
from ..notation import CAT, MICE
from ..stages import Food, Stage
from .findings import findings

KINDS = ("food", "crowd", "siege")
SIMPLE = ("greedy", "crafty", "alphabeta:30")
"""Players who do not think: a stage that they win is too easy."""
STRONG = "alphabeta:2000"
BEST = (1500, 20000)
"""Nodes of the searches that play both sides of a crowd whose value is too much to work out; the last result counts."""
MANY = 5  # mice from which on a crowd is not worked out
MORE = 4  # mg a share that such a crowd may get beyond what the first of BEST needs
GAMES = 3  # of each simple player
CLOSE = 3  # mg: the value of a close game is this or less from a draw between "won" and "lost"
SHARES = {"a": 1, "b": 3}


@dataclasses.dataclass(frozen=True)
class Plan:
    """What a stage to be made is like.

    Parameters
    ----------
    kind : str
        "food": the score is close. "crowd": so, and with one mouse fewer the cat wins; from MANY mice on this is found
        by play of all BEST, and it is two mice or more fewer. "siege": without food; the mice have just enough turns to
        surround the cat.
    height, width : int
        Size in cells, 3..32.
    max_mice, require, turns : int
        As in a stage; in a siege `turns` is the largest limit that is tried.
    walls : int
        Number of pairs of walls that are drawn.
    zone, foods : int
        Number of cells of the zone, and number of pairs of cells with food (0 in a siege).
    """

    kind: str
    height: int
    width: int
    max_mice: int
    require: int
    turns: int
    walls: int
    zone: int
    foods: int

    def __post_init__(self) -> None:
        choice("kind", self.kind, KINDS)
        for name, low, high in (
            ("height", 3, 32), ("width", 3, 32), ("max_mice", 1, 255), ("require", 1, self.max_mice),
            ("turns", 1, 9999), ("walls", 0, 500), ("zone", 1, 64), ("foods", 0, 128),
        ):  # fmt: skip
            integer(name, getattr(self, name), low, high)


class Made(NamedTuple):
    """A stage and what was found out about it.

    side : the side that wins with perfect play, CAT or MICE. par : the exact value, mg, for the mice; in a siege the
    least number of turns in which they can surround the cat. thought : share of the games that simple players of the
    winning side lose against a searching player, 0..1. is_exact : whether the par has been worked out; else it is the
    best play known.
    """

    stage: Stage
    side: int
    par: int
    thought: float
    is_exact: bool = True


def draw(plan: Plan, seed: int) -> Stage | None:
    """Return a random stage of a plan whose left and right halves are mirror images; None if it is not playable.

    The cat starts in the middle column, the zone is as far from it as possible. Each food letter is worth its share.
    """
    rng = Rng(seed)
    height, width = plan.height, plan.width
    half = (width + 1) // 2
    marks = [["."] * width for _ in range(height)]

    def put(mark: str, row: int, column: int) -> bool:
        if marks[row][column] != "." or marks[row][width - 1 - column] != ".":
            return False
        marks[row][column] = marks[row][width - 1 - column] = mark
        return True

    cat_row, cat_column = rng.below(height), width // 2
    marks[cat_row][cat_column] = "C"
    for _ in range(plan.walls):
        put("#", rng.below(height), rng.below(half))
    far = sorted(
        ((-abs(row - cat_row) - abs(column - cat_column), rng.below(1000), row, column)
         for row in range(height) for column in range(half)),
    )  # fmt: skip
    left = plan.zone
    for away, _, row, column in far:
        if left > 0 and away < -2 and put("Z", row, column):
            left -= 1 if column == width - 1 - column else 2
    for _ in range(plan.foods):
        put("b" if rng.below(4) == 0 else "a", rng.below(height), rng.below(half))
    letters = "".join(mark if mark in SHARES else "." for row in marks for mark in row)
    flat = [mark for row in marks for mark in row]
    try:
        return _with_unit(
            Stage(
                f"draft-{seed}", height, width, tuple(int(mark == "#") for mark in flat),
                tuple(int(mark == "Z") for mark in flat), tuple(SHARES.get(mark, 0) for mark in flat),
                flat.index("C"), plan.max_mice, plan.require, plan.turns,
                tuple(Food(letter, "food", share) for letter, share in SHARES.items() if letter in letters), letters,
            ), 1,
        )  # fmt: skip
    except StageError:
        return None


def _with_unit(stage: Stage, unit: int) -> Stage:
    """Return the stage with `unit` mg for each share of its foods."""
    kinds = {"a": "crumb", "b": "cheese"}
    foods = tuple(Food(food.letter, kinds[food.letter], SHARES[food.letter] * unit) for food in stage.foods)
    amount = {food.letter: food.amount for food in foods}
    told = tuple(amount.get(letter, 0) for letter in stage.letters)
    return dataclasses.replace(stage, food=told, foods=foods)


def value_of(stage: Stage, max_states: int, max_mice: int | None = None) -> int:
    """Return the final score of perfect play, mg; SearchError if that takes more than `max_states` positions."""
    fewer: dict[str, Any] = {} if max_mice is None else {"max_mice": max_mice, "require": min(stage.require, max_mice)}
    return solve(load("nezumi", stage=stage, **fewer).new_state(), max_states=max_states).values[MICE]


def played(stage: Stage, max_mice: int | None = None, nodes: int = BEST[0]) -> int:
    """Return the final score when alpha-beta of so many nodes plays both sides, mg; below 0 if the cat wins."""
    fewer: dict[str, Any] = {} if max_mice is None else {"max_mice": max_mice, "require": min(stage.require, max_mice)}
    game = load("nezumi", stage=stage, **fewer)
    state = play_game(game, [Searcher(nodes), Searcher(nodes)], 1).state
    score = int(state.scores()[MICE])
    return score if state.returns()[MICE] > 0 else min(-1, score)


def siege_turns(stage: Stage, max_states: int) -> int | None:
    """Return the least turn limit with which the mice can surround the cat; None if the stage's own does not suffice.

    Only for stages without food: there nothing but a surround wins, so positions that differ in cost only are the same.

    Raises
    ------
    SearchError
        If that takes more than `max_states` positions.
    """
    assert not any(stage.food)
    assert stage.require > 1
    for turns in range(1, stage.turns + 1):
        game = load("nezumi", stage=stage, turns=turns)
        fields: Mapping[str, Any] = game.state_dtype.fields or {}
        place, size = fields["cost_sum"][1], fields["cost_sum"][0].itemsize
        value, _, _ = solve_code(game.new_state(), True, max_states, [(place, size)])
        if value < 0:  # the cat's
            return turns
    return None


def make(plan: Plan, seed: int, tries: int, max_states: int, tick: Callable[[], None] = lambda: None) -> Iterator[Made]:
    """Yield the stages worth keeping among `tries` random stages of a plan, in the order of drawing.

    Parameters
    ----------
    plan : Plan
        What the stages are like.
    seed : int
        Seed of everything.
    tries : int
        Number of stages that are drawn.
    max_states : int
        Positions per solution; a stage that takes more is dropped.
    tick : callable, optional
        Called after each try.
    """
    for k in range(tries):
        stage = draw(plan, stream(seed, k))
        if stage is not None:
            try:
                found = _make(plan, stage, seed, max_states)
            except SearchError:
                found = None
            if found is not None:
                yield found
        tick()


def _make(plan: Plan, stage: Stage, seed: int, max_states: int) -> Made | None:
    """Return the stage with its numbers tuned; None if it is not worth keeping."""
    is_exact = plan.kind != "crowd" or plan.max_mice < MANY
    if plan.kind == "siege":
        turns = siege_turns(stage, max_states)
        if turns is None:
            return None
        stage, par, side = dataclasses.replace(stage, turns=turns), turns, MICE
    else:
        tuned = _tune(stage, functools.partial(value_of, max_states=max_states) if is_exact else played)
        if tuned is not None and not is_exact:
            tuned = _enrich(*tuned)
        if tuned is None:
            return None
        stage, par = tuned
        side = MICE if par >= 0 else CAT
        if plan.kind == "crowd" and is_exact and (side == CAT or value_of(stage, max_states, plan.max_mice - 1) >= 0):
            return None
    if any(one.kind in ("cat-wins", "mice-win", "nowhere", "far-food") for one in findings(stage)):
        return None
    if not wins_of(stage, MICE, [STRONG], "stay", 1, seed):
        return None  # a cat that sleeps wins
    thought = 1 - wins_of(stage, side, SIMPLE, STRONG, GAMES, seed)
    return Made(stage, side, par, thought, is_exact) if thought >= 0.5 else None


def _tune(stage: Stage, value_with: Callable[..., int]) -> tuple[Stage, int] | None:
    """Return the stage with the least food that lets the mice win, and its value; None if that is not close."""
    low, high = 0, 2 * (stage.turns + 1)  # mg for each share: too little, and enough for a mouse that eats one
    best = None
    while high - low > 1:
        unit = (low + high) // 2
        one = _with_unit(stage, unit)
        value = value_with(one)
        if value >= 0:
            high, best = unit, (one, value)
        else:
            low = unit
    return best if best is not None and best[1] <= CLOSE and low > 0 else None


def _enrich(stage: Stage, _par: int) -> tuple[Stage, int] | None:
    """Return the crowd with as little more food as lets the mice win among all BEST, and its value; None if that is not
    enough, or if two fewer or more win, too."""
    least = stage.foods[0].amount // SHARES[stage.foods[0].letter]
    for unit in range(least, least + MORE + 1):
        one = _with_unit(stage, unit)
        if all(played(one, nodes=nodes) >= 0 for nodes in BEST):
            if any(played(one, mice, nodes) >= 0 for mice in range(1, stage.max_mice - 1) for nodes in BEST):
                return None
            return one, played(one, nodes=BEST[-1])
    return None


class Searcher(ScriptedAgent):
    """Agent that plays by alpha-beta alone, for either side: for points where it cannot win."""

    name = "searcher"

    def __init__(self, nodes: int) -> None:
        super().__init__()
        self._nodes = nodes

    def start(self, game: Any, player: int, seed: int) -> None:
        """Start with an empty table."""
        super().start(game, player, seed)
        self._search = AlphaBeta(game, nodes=self._nodes)

    def act(self, view: View) -> int:
        """Return the best action that the search finds."""
        return self._search.search(position_of(view)).actions[0]


class Stay(ScriptedAgent):
    """A cat that never moves and captures nobody."""

    name = "stay"

    def act(self, view: View) -> int:
        """Return the action without a cell."""
        return int(view.legal_actions()[0])


def wins_of(stage: Stage, side: int, players: Sequence[str], other: str, games: int, seed: int) -> float:
    """Return the share of games that these players of a side win against `other`, 0..1; all meet it `games` times."""
    game = load("nezumi", stage=stage)
    won = 0
    for name in players:
        for k in range(games):
            both: list[Any] = [make_agent(name, game), Stay() if other == "stay" else make_agent(other, game)]
            if side != CAT:
                both.reverse()
            won += play_game(game, both, stream(seed, k)).state.returns()[side] > 0
    return won / (len(players) * games)
