"""What a simulation costs beside the evaluator and the rules, by game, beside other searches with an evaluator.

    python benches/evaluators.py [--rounds 9]     print the tables
    python benches/evaluators.py --page           and write them into docs/learning.md

N games in lockstep, in positions of random play, search SIMULATIONS simulations each with sequential halving at the
root; an evaluator answers N leaves at once, from arrays that were made before. All times are CPU time of one thread and
of a simulation after the first, so that making the trees and reading the results is left out. What the functions of the
game's table take (rules, legal codes, observations, samples) is counted in ticks of the processor by peers/clocked.c.
mctx plays no game: its model returns arrays that were made before. Libraries that are not installed are left out.
"""

from __future__ import annotations

import argparse
import ctypes as ct
import datetime as dt
import os
import platform
import re
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import masume
from masume.core.machine import cpu
from masume.core.rng import Rng
from masume.game import Game
from masume.search import MCTS
from peers.floor import library
from training import installed

PAGE = Path(__file__).parents[1] / "docs" / "learning.md"
PART = re.compile(r"(<!-- measured: evaluators -->\n).*?(<!-- end -->)", re.DOTALL)
N = 256
SIMULATIONS = 64
OPENING = 24  # random plies before a position, at most
CALIBRATION = 1_000_000
GAMES: dict[str, tuple[dict[str, Any], int | None]] = {
    "nezumi": ({"stage": "siege"}, None),
    "chaser": ({"preset": "contest"}, 11),
    "kakomimasu": ({"width": 8, "height": 8, "n_agents": 3, "total_turns": 30}, None),
    "battleship": ({}, None),
    "terraforming": ({"radius": 4, "max_turns": 8}, None),
}
"""Config and crop of each game, as in the table of what the time of self-play goes to."""

CAPSULE = b"masume.game.v1"
PACKAGES = ("numpy", "mctx", "jax", "open_spiel")


class Answers:
    """Evaluator whose answers were made before; counts its calls, its leaves and its own CPU time."""

    def __init__(self, game: Game) -> None:
        rng = np.random.default_rng(1)
        self._priors = rng.random((N, game.num_slots, game.num_actions), np.float32)
        self._values = 2 * rng.random((N, game.num_players), np.float32) - 1
        self.calls = self.leaves = self.ns = 0

    def __call__(self, observations: Any, players: Any) -> tuple[Any, Any]:
        before = time.perf_counter_ns()
        self.calls, self.leaves = self.calls + 1, self.leaves + len(players)
        found = self._priors[: len(players)], self._values[: len(players)]
        self.ns += time.perf_counter_ns() - before
        return found


class Clocked:
    """Provider of a game whose table's functions are timed."""

    def __init__(self, game: Game) -> None:
        self._name, self._table = CAPSULE, ct.create_string_buffer(4096)
        get, new = ct.pythonapi.PyCapsule_GetPointer, ct.pythonapi.PyCapsule_New
        get.restype, get.argtypes = ct.c_void_p, [ct.py_object, ct.c_char_p]
        new.restype, new.argtypes = ct.py_object, [ct.c_void_p, ct.c_char_p, ct.c_void_p]
        self._given = game.package.table(game.public.config)
        self._code = library("clocked")
        self._pair = (ct.c_uint64 * 2)()
        self._code.calibrate(ct.c_int64(CALIBRATION), self._pair)
        self._spare = self._pair[0] / CALIBRATION  # ticks of a call that does nothing
        before = time.perf_counter_ns()
        self._code.calibrate(ct.c_int64(10 * CALIBRATION), self._pair)
        self._tick_ns = (time.perf_counter_ns() - before) / self._pair[1]
        self._code.clock_table(ct.c_void_p(get(self._given, CAPSULE)), self._table)
        self._capsule = new(ct.addressof(self._table), self._name, None)

    def __masume_game__(self) -> Any:
        return self._capsule

    def take_ns(self) -> float:
        """Return the nanoseconds in the table's functions since the last time."""
        self._code.take(self._pair)
        return self._tick_ns * max(0.0, self._pair[0] - self._spare * self._pair[1])


class Cost(NamedTuple):
    """Nanoseconds of a simulation, all, in the evaluator, and in the rules; the share of a call that is filled."""

    total: float
    evaluator: float
    rules: float
    fill: float

    @property
    def beyond(self) -> float:
        """Nanoseconds beyond the evaluator and the rules."""
        return self.total - self.evaluator - self.rules


def positions(game: Game) -> list[Any]:
    """Return N positions of random games."""
    found: list[Any] = []
    seed = 0
    while len(found) < N:
        state, rng = game.new_state(seed), Rng(seed)
        for _ in range(seed % OPENING):
            legal = [state.legal_actions(slot) for slot in range(len(state.slots))]
            actions = [int(codes[rng.below(len(codes))]) for codes in legal]
            state.apply(actions if game.num_slots > 1 else actions[0])
            if state.is_terminal():
                break
        else:
            found.append(state)
        seed += 1
    return found


def searches(game: Game, crop: int | None, answers: Answers) -> dict[int, Callable[[int], object]]:
    """Return {number of simulations: a search of all positions by seed}."""
    states = positions(game)
    found = {}
    for simulations in (1, SIMULATIONS):
        search = MCTS(game, simulations=simulations, considered=8, evaluator=answers, leaves=N, crop=crop)
        found[simulations] = lambda seed, search=search: search.search_many(states, seed)
    return found


def costs(name: str, rounds: int) -> Cost:
    """Return what a simulation of a game costs, the median of the rounds."""
    fields, crop = GAMES[name]
    game = masume.load(name, **fields)
    clocked = Clocked(game)
    answers = Answers(game)
    plain = searches(game, crop, answers)
    timed = searches(masume.load(clocked), crop, Answers(game))
    found = []
    for seed in range(rounds + 1):
        spent: dict[int, tuple[int, int, float]] = {}
        for simulations in (1, SIMULATIONS):
            answers.ns = answers.calls = answers.leaves = 0
            before = time.process_time_ns()
            plain[simulations](seed)
            all_ns = time.process_time_ns() - before
            clocked.take_ns()
            timed[simulations](seed)
            spent[simulations] = all_ns, answers.ns, clocked.take_ns()
        fill = answers.leaves / (N * answers.calls)
        each = [(most - least) / (N * (SIMULATIONS - 1)) for least, most in zip(*spent.values(), strict=True)]
        found.append((*each, fill))
    return Cost(*(statistics.median(column) for column in zip(*found[1:], strict=True)))


def others(rounds: int) -> Iterator[tuple[str, float]]:
    """Yield (name, ns of a simulation) of what is installed of other libraries."""
    for make in (mctx, openspiel):
        try:
            for name, run, simulations in make():
                run()  # compiles, and fills the caches
                taken = []
                for _ in range(rounds):
                    before = time.process_time_ns()
                    run()
                    taken.append((time.process_time_ns() - before) / simulations)
                yield name, statistics.median(taken)
        except ImportError:
            continue


def mctx() -> Iterator[tuple[str, Callable[[], object], int]]:
    """The search of Gumbel AlphaZero in JAX, with as many codes as CHaser and Nezumi have."""
    import jax
    import jax.numpy as jnp
    import mctx

    def model(answers: Any, _key: Any, _action: Any, state: Any) -> Any:
        logits, values = answers
        told = mctx.RecurrentFnOutput(
            reward=jnp.zeros(N), discount=-jnp.ones(N), prior_logits=logits, value=values
        )  # fmt: skip
        return told, state

    @jax.jit
    def search(answers: Any, key: Any) -> Any:
        root = mctx.RootFnOutput(prior_logits=answers[0], value=answers[1], embedding=jnp.zeros((N, 1)))
        found = mctx.gumbel_muzero_policy(answers, key, root, model, SIMULATIONS, max_num_considered_actions=8)
        return found.action, found.action_weights

    for codes in (16, 286):
        rng = np.random.default_rng(1)
        answers = jnp.asarray(rng.standard_normal((N, codes), np.float32)), jnp.asarray(rng.random(N, np.float32))

        def run(answers: Any = answers) -> None:
            jax.block_until_ready(search(answers, jax.random.PRNGKey(1)))

        yield f"mctx (JAX), without a game, {codes} codes", run, N * SIMULATIONS


def openspiel() -> Iterator[tuple[str, Callable[[], object], int]]:
    """OpenSpiel's search in Python, which is the one that takes an evaluator; its rules are C++."""
    import pyspiel
    from open_spiel.python.algorithms import mcts

    class Same(mcts.Evaluator):
        def evaluate(self, state):
            return np.zeros(2)

        def prior(self, state):
            legal = state.legal_actions()
            return [(action, 1 / len(legal)) for action in legal]

    for name in ("go(board_size=9)", "breakthrough"):
        game = pyspiel.load_game(name)
        state = game.new_initial_state()
        bot = mcts.MCTSBot(game, 1.4, SIMULATIONS, Same(), child_selection_fn=mcts.SearchNode.puct_value)
        codes = game.num_distinct_actions()
        yield (
            f"OpenSpiel (Python), {name}, {codes} codes",
            lambda bot=bot, state=state: bot.mcts_search(state),
            SIMULATIONS,
        )


def text(own: dict[str, Cost], others: dict[str, float], load: float) -> str:
    """Return the tables, in Markdown."""
    lines = ["| game | codes | a simulation | rules, observations and samples | evaluator | beyond | calls filled |"]
    lines.append("|---|---:|---:|---:|---:|---:|---:|")
    for name, cost in own.items():
        game = masume.load(name, **GAMES[name][0])
        codes = f"{game.num_slots} x {game.num_actions}" if game.num_slots > 1 else game.num_actions
        numbers = " | ".join(f"{ns:,.0f} ns" for ns in (cost.total, cost.rules, cost.evaluator, cost.beyond))
        lines.append(f"| {name} | {codes} | {numbers} | {cost.fill:.1%} |")
    lines += ["", "| another search, all in all | a simulation |", "|---|---:|"]
    lines += [f"| {name} | {ns:,.0f} ns |" for name, ns in others.items()]
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := installed(name)))
    machine = f"{cpu()}, load average {load:.0f} on {os.cpu_count()} processors, Python {platform.python_version()}"
    day = dt.datetime.now(dt.UTC).strftime("%Y-%m-%d")
    return "\n".join([*lines, "", f"{day}: {machine}, {versions}.", ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--page", action="store_true", help="write the tables into docs/learning.md")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # from the other libraries
    load = os.getloadavg()[1]
    own = {name: costs(name, arguments.rounds) for name in GAMES}
    found = text(own, dict(others(arguments.rounds)), load)
    print(found)
    if arguments.page:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(PART.sub(lambda part: f"{part[1]}{found}{part[2]}", page), "utf-8")


if __name__ == "__main__":
    main()
