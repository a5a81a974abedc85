"""A run of training: its plan, its folder, and the loop of playing, learning and measuring.

The folder of a run:

    checkpoint.npz      the network, Adam's moments, and in its header the plan and the log: all that a run goes on from
    samples/000012.npz  what the games of an iteration gave, for the last ones
    pool/000010.npz     networks of earlier iterations, the opponents of later ones
    network.npz, log.jsonl, index.html      made of the checkpoint, for agents and people

Every iteration draws its games and its rows from (seed, iteration), and the checkpoint is replaced last, in one step: a
run that was killed plays the iteration again and comes to the same weights.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..agents.make import make_agent
from ..core.config import integer, real
from ..core.files import locked, make_folder, read_regular, remove_temporary, write_atomic
from ..core.growing import GrowingFile
from ..core.rng import stream
from ..core.shapes import COUNT, Int, Real, check_fields, field, read
from ..errors import ConfigError, ReplayError
from ..game import Game
from ..nets import network as networks
from ..nets.network import Network, check_game, check_header
from ..nets.packed import pack, unpack
from ..play.cluster import connect
from ..play.league import League
from ..records.reading import parsing
from .actor import Harvest
from .learner import MOMENTS, Learner, TorchNetwork
from .page import draw_page
from .parts import Here, Iteration, OnCluster, Part, Playing
from .rating import rate
from .samples import Samples

CHECKPOINT, LOG, PAGE = "checkpoint.npz", "log.jsonl", "index.html"
VERSION = 4
MAX_ITERATIONS = 1_000_000
ITERATION = "iteration "
"""Begins the names of the networks in the pool."""
BEFORE = "before."
"""Begins the names of the weights of the iteration before, if iterations overlap."""
SHAPE = networks.SHAPE | {"plan": dict, "steps": COUNT, "log": list}


@dataclasses.dataclass(frozen=True)
class TrainingPlan:
    """Everything that decides the weights of a run after each iteration.

    Parameters
    ----------
    game : Game
        The game.
    seed : int, optional
        Seed of the first weights, the games and the learner, 0..2**64 - 1. Default 0.
    games : int, optional
        Games of an iteration, 1..65536. Default 128.
    parts : int, optional
        Parts of an iteration, each of which plays its share of the games at once, 1..games. Default 1.
    simulations : int, optional
        Simulations for each decision, 2..10000. Default 16.
    considered : int, optional
        Codes of each slot that sequential halving at the root begins with, 2..65536. Default 8.
    hidden : tuple of int, optional
        Width of each layer of the network. Default (128, 128).
    channels : int, optional
        Width of its convolutions; 0: none. Default 0.
    blocks : int, optional
        Blocks of two convolutions after the first one. Default 2.
    rate : float, optional
        Learning rate of Adam, 0..1. Default 0.001.
    rows : int, optional
        Rows of a step of the learner, 1..65536. Default 256.
    passes : float, optional
        How often an iteration's learning uses each row of its games on average, 0..100. Default 2.
    window : int, optional
        Iterations whose games are learned from, 1..1000. Default 4.
    scale : float, optional
        Weight of the searched values in the improved policy, 0..100. Default 0.1.
    playouts : float, optional
        Share of a playout in the value of a leaf, in the searches of training and of the agent, 0..1. Default 0.
    pool : float, optional
        Share of the games in which a member of the pool plays all other seats, 0..1. Default 0.25.
    pool_every : int, optional
        Iterations between two networks that join the pool, 1..1000000. Default 5.
    teacher : str, optional
        Name of an agent that plays the games of the first iterations; the network learns its choices, and it joins the
        pool. Default "": none.
    taught : int, optional
        Number of these iterations, 0..1000000. Default 0.
    against : tuple of str, optional
        Agents that measure the network. Default random and the game's policies.
    measured : int, optional
        Games against each of them, 1..65536. Default 60.
    measure_every : int, optional
        Iterations between two measurements, 1..1000000. Default 1.
    overlap : bool, optional
        Play the games of the next iteration while this one is learned from and measured, by the network of before. It
        saves time with workers; the weights are the same without. Default False.

    Raises
    ------
    ConfigError
        If an argument is out of range; the message names it.
    """

    game: Game
    seed: int = field(0, Int(0, 2**64 - 1))
    games: int = field(128, Int(1, 65536))
    parts: int = 1
    simulations: int = field(16, Int(2, 10_000))
    considered: int = field(8, Int(2, 65536))
    hidden: tuple[int, ...] = (128, 128)
    channels: int = field(0, Int(0, networks.MAX_CHANNELS))
    blocks: int = field(2, Int(0, networks.MAX_BLOCKS))
    rate: float = field(1e-3, Real(0, 1))
    rows: int = field(256, Int(1, 65536))
    passes: float = field(2.0, Real(0, 100))
    window: int = field(4, Int(1, 1000))
    scale: float = field(0.1, Real(0, 100))
    playouts: float = field(0.0, Real(0, 1))
    pool: float = field(0.25, Real(0, 1))
    pool_every: int = field(5, Int(1, MAX_ITERATIONS))
    teacher: str = ""
    taught: int = field(0, Int(0, MAX_ITERATIONS))
    against: tuple[str, ...] = ()
    measured: int = field(60, Int(1, 65536))
    measure_every: int = field(1, Int(1, MAX_ITERATIONS))
    overlap: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
        integer("parts", self.parts, 1, self.games)
        if (self.taught > 0) != (self.teacher != ""):
            raise ConfigError(f"taught: expected 1 or more with a teacher, 0 without, got {self.taught}")
        if not self.against:
            object.__setattr__(self, "against", tuple(self.game.policies))
        for name in (*self.against, *([self.teacher] if self.teacher else [])):
            make_agent(name, self.game).close()

    def to_dict(self) -> dict[str, Any]:
        """Return all but the game as plain JSON types."""
        fields = [one.name for one in dataclasses.fields(self) if one.name != "game"]
        told = {name: getattr(self, name) for name in fields}
        return told | {"hidden": list(self.hidden), "against": list(self.against)}


Start = Callable[[Iteration, Sequence[Part]], Playing]
"""Function that begins the parts of an iteration."""


class TrainingRun:
    """A run in a folder: a new one, or one that goes on from its checkpoint.

    Parameters
    ----------
    folder : path-like
        The folder; it is created if there is none.
    plan : TrainingPlan
        The plan, which must be that of the checkpoint.

    Attributes
    ----------
    log : list of dict
        A row for each finished iteration, after a row 0 that measures the first weights.
    network : Network
        The network of the last finished iteration.

    Raises
    ------
    ConfigError
        If the folder holds a run of another plan, game or config.
    ReplayError
        If the checkpoint is damaged.
    ExtraError
        If torch is not installed.
    OSError
        If the folder cannot be read or written.
    """

    def __init__(self, folder: str | os.PathLike[str], plan: TrainingPlan) -> None:
        self.folder, self.plan = make_folder(folder), plan
        self.log: list[dict[str, Any]] = []
        self._lines = GrowingFile(self.folder / LOG)
        self._before: Network  # that of the iteration before the last
        path = self.folder / CHECKPOINT
        if path.exists():
            self._resume(path)
        else:
            self.network: Network = TorchNetwork(
                plan.game,
                hidden=plan.hidden,
                channels=plan.channels,
                blocks=plan.blocks,
                playouts=plan.playouts,
                seed=plan.seed,
            )
            self._learner = Learner(self.network, plan.rate)
            self._before = self.network

    def _resume(self, path: Path) -> None:
        data, plan = read_regular(path), self.plan
        with parsing(str(path)):
            header, arrays = unpack(data)
            check_header(header, SHAPE, "checkpoint", VERSION)
        check_game(str(path), header, plan.game)
        own_plan = plan.to_dict()
        for name in sorted({*own_plan, *header["plan"]}):
            if own_plan.get(name) != header["plan"].get(name):
                before = f"expected {header['plan'].get(name)!r:.80}, as {path} has it, got {own_plan.get(name)!r:.80}"
                raise ConfigError(f"{name}: {before}")
        with parsing(str(path)):
            moments = {name: arrays.pop(name) for name in list(arrays) if name.partition(".")[0] in MOMENTS}
            older = {one.removeprefix(BEFORE): arrays.pop(one) for one in list(arrays) if one.startswith(BEFORE)}
            self.network = TorchNetwork.restore(header, arrays, plan.game)
            self._before = self.network
            if plan.overlap:
                self._before = TorchNetwork.restore(header, older, plan.game)
            if moments:
                for kind in MOMENTS:
                    weights = {
                        name.partition(".")[2]: one for name, one in moments.items() if name.startswith(f"{kind}.")
                    }
                    Network.restore(header, weights, plan.game)  # checks their shapes, too
            for row in header["log"]:
                read("log", row, ROW, ReplayError)
            self.log = header["log"]
        self._learner = Learner(self.network, plan.rate, moments, header["steps"])

    @property
    def iterations(self) -> int:
        """Number of finished iterations."""
        return max(len(self.log) - 1, 0)

    def train(
        self,
        iterations: int,
        seconds: float | None = None,
        tick: Callable[[int], None] = lambda _: None,
        ray: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Go on to this number of iterations, and yield the row of each when it is safe on the disk.

        Parameters
        ----------
        iterations : int
            Number of iterations, with those of before, 0..1000000.
        seconds : float, optional
            No iteration begins after this time.
        tick : callable, optional
            Called during an iteration with the number of games that have ended since the last call.
        ray : str, optional
            Play the parts of an iteration on the Ray cluster at this address, "local" for one on this machine, as in
            `masume.play.selfplay.selfplay`; the weights are the same. None: here, one part after the other.

        Raises
        ------
        TrainingError
            If a loss is not finite.
        ConfigError
            If another process uses the folder, or the cluster cannot be reached.
        ExtraError
            If Ray is missing.
        AgentError
            If an agent is at fault, or a part has lost its worker too often.
        """
        integer("iterations", iterations, 0, MAX_ITERATIONS)
        deadline = None if seconds is None else time.monotonic() + real("seconds", seconds, 0, 1e9)
        with contextlib.ExitStack() as stack:
            stack.enter_context(locked(self.folder))
            start: Start = Here
            if ray is not None:
                cluster = stack.enter_context(connect(ray, min(self.plan.parts, os.cpu_count() or 1)))
                start = functools.partial(OnCluster, cluster)
            remove_temporary(self.folder, {CHECKPOINT, networks.FILE, LOG, PAGE}.__contains__)
            if not self.log:
                self._lines.path.unlink(missing_ok=True)
                self._keep({"iteration": 0, "measured": self._measure(), "pool": {}})
                yield self.log[-1]
            else:
                self._lines.replace(b"".join(map(_line, self.log)))
                self._show()
            begun: Playing | None = None
            while self.iterations < iterations and (deadline is None or time.monotonic() < deadline):
                number = self.iterations + 1
                begun = begun or self._begin(number, start)
                harvest = Harvest.join(begun.finish(tick))
                begun = self._begin(number + 1, start) if self.plan.overlap and number < iterations else None
                self._keep(self._learn(number, harvest))
                yield self.log[-1]

    def _begin(self, iteration: int, start: Start) -> Playing:
        """Begin the games of an iteration, by what the one before it gave, or if they overlap the one before that."""
        plan = self.plan
        finished = max(0, iteration - 1 - plan.overlap)
        network = self.network if finished == self.iterations else self._before
        seed = stream(plan.seed, iteration)
        seeds = [stream(seed, k) >> 1 for k in range(plan.games)]
        is_taught = iteration <= plan.taught
        drawn, members = self._draw_guests(seed, iteration, finished) if not is_taught else ([None] * plan.games, {})
        parts = [Part(seeds[k :: plan.parts], drawn[k :: plan.parts], is_taught) for k in range(plan.parts)]
        return start(Iteration(plan, copy.copy(network), members), parts)

    def _learn(self, iteration: int, harvest: Harvest) -> dict[str, Any]:
        """Let the network learn from the games of an iteration and those before; return the row of the log."""
        plan, played = self.plan, time.perf_counter()
        seed = stream(plan.seed, iteration)
        self._before = copy.copy(self.network)  # the learner gives the network other arrays
        make_folder(self.folder / "samples")
        write_atomic(self._samples(iteration), pack({"kind": "samples"}, harvest.samples.to_arrays()))
        window = [harvest.samples, *(self._read(k) for k in range(max(1, iteration - plan.window + 1), iteration))]
        steps = round(plan.passes * len(harvest.samples) / plan.rows)
        rng = np.random.Generator(np.random.PCG64(stream(seed, plan.games)))
        losses = self._learner.learn(Samples.join(window), steps, plan.rows, rng)
        learned = time.perf_counter()
        return {
            "iteration": iteration,
            "plies": harvest.plies,
            "samples": len(harvest.samples),
            "losses": losses,
            "measured": {} if iteration % plan.measure_every else self._measure(),
            "pool": _count(harvest),
            "seconds": {
                **harvest.seconds,
                "learning": learned - played,
                "measuring": time.perf_counter() - learned,
            },
        }

    # -- the pool -----------------------------------------------------------------------------------------

    def league(self, seed: int, iterations: int | None = None) -> League:
        """Return the pool with its table, after so many iterations or all finished ones; `seed` decides its draws."""
        game, count = self.plan.game, self.iterations if iterations is None else iterations
        members = {name: name for name in (*game.policies, *([self.plan.teacher] if self.plan.teacher else ()))}
        for k in range(self.plan.pool_every, count + 1, self.plan.pool_every):
            members[f"{ITERATION}{k}"] = f"net:{self._pooled(k)}"
        league = League(members, seed=seed)
        for row in self.log[: count + 1]:
            for name, results in row["pool"].items():
                for result, times in zip((1.0, 0.0, -1.0), results, strict=True):
                    for _ in range(times):
                        league.tell(name, result)
        return league

    def _draw_guests(
        self, seed: int, iteration: int, finished: int
    ) -> tuple[list[tuple[str, int] | None], dict[str, str | Network]]:
        """Draw who plays in each game of an iteration: a member of the pool in all seats but one, or nobody.

        finished : the iterations after which the pool is as it is drawn from.

        Return for each game the member and the learner's seat, and for each member that was drawn an agent's name or a
        network of the pool.
        """
        plan = self.plan
        league = self.league(stream(seed, plan.games + 1), finished)
        drawn: list[tuple[str, int] | None] = [None] * plan.games
        members: dict[str, str | Network] = {}
        for k in range(round(plan.pool * plan.games)):
            name = league.draw()
            drawn[k] = name, (k + iteration) % plan.game.num_players
            if name not in members:
                number = name.removeprefix(ITERATION)
                members[name] = name if number == name else Network.load(self._pooled(int(number)), plan.game)
        return drawn, members

    # -- measuring ----------------------------------------------------------------------------------------

    def _measure(self) -> dict[str, Any]:
        """Return the score of the policy alone against each of `against`: mean, low, high, in the same games always."""
        plan = self.plan
        seed = stream(plan.seed, MAX_ITERATIONS + 1)
        return {name: rate(self.network, name, plan.measured, seed) for name in plan.against}

    # -- files --------------------------------------------------------------------------------------------

    def _samples(self, iteration: int) -> Path:
        return self.folder / "samples" / f"{iteration:06d}.npz"

    def _pooled(self, iteration: int) -> Path:
        return self.folder / "pool" / f"{iteration:06d}.npz"

    def _read(self, iteration: int) -> Samples:
        """Return the samples of an iteration; ReplayError if their file is damaged."""
        path, network = self._samples(iteration), self.network
        data = read_regular(path)
        with parsing(str(path)):
            shapes = {
                "rows": (network.inputs,),
                "policies": (network.heads, network.game.num_actions),
                "results": (network.game.num_players,),
            }
            return Samples.check(unpack(data)[1], shapes)

    def _keep(self, row: dict[str, Any]) -> None:
        """Write an iteration: first what the checkpoint needs, then the checkpoint, then what is made of it."""
        count = row["iteration"]
        if count and count % self.plan.pool_every == 0:
            make_folder(self.folder / "pool")
            self.network.save(self._pooled(count))
        log = [*self.log, row]
        header = self.network.header() | {
            "kind": "checkpoint",
            "version": VERSION,
            "plan": self.plan.to_dict(),
            "steps": self._learner.steps,
            "log": log,
        }
        before = {BEFORE + name: array for name, array in self._before.weights.items()} if self.plan.overlap else {}
        write_atomic(self.folder / CHECKPOINT, pack(header, self.network.weights | before | self._learner.moments()))
        self.log = log
        self._lines.append(_line(row))
        self._show()
        self._samples(max(0, count - self.plan.window)).unlink(missing_ok=True)

    def _show(self) -> None:
        """Write what is made of the checkpoint, beside the log: the network and the page."""
        self.network.save(self.folder / networks.FILE)
        table = [
            {**row._asdict(), "score": round(row.score, 3), "weight": round(row.weight, 3)}
            for row in self.league(0).table()
        ]
        write_atomic(self.folder / PAGE, draw_page(self.plan.game, self.network, self.log, table).encode())


ROW = {"iteration": COUNT, "measured": {"*": {"*": int | float}}, "pool": {"*": [COUNT]}, "*": object}
"""The shape of a row of the log."""


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode() + b"\n"


def _count(harvest: Harvest) -> dict[str, list[int]]:
    """Return the learner's wins, draws and losses against each member of the pool that it met."""
    found: dict[str, list[int]] = {}
    for name, result in harvest.met:
        found.setdefault(name, [0, 0, 0])[0 if result == 1 else 2 if result < 0 else 1] += 1
    return dict(sorted(found.items()))
