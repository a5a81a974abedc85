"""Run: the plan of a run of self-play, cut into chunks that are played completely or not at all.

Game k of a run with seed s is `games[k % len(games)]` with the seed stream(s, k) >> 1. Seat p of it is played by
agents[(p + k // len(games)) % len(agents)], so that seats rotate each time all games have been played once, and the
agent there starts from stream(seed of the game, p). Nothing else decides a game: threads, machines, interruptions and
the language of an agent (policy or Python) change nothing.

A chunk is a number of consecutive games. With random agents it has about CHUNK_ACTIONS unit actions, with other
policies an eighth of that; with agents that are asked about many games at once CHUNK_TOGETHER games, with others
CHUNK_PYTHON. The user may choose another number.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..agent import Agent
from ..agents.asking import close_agent
from ..agents.given import AgentLike, name_agents
from ..agents.make import is_program, make_agent
from ..core import _playout
from ..core.config import integer
from ..errors import ConfigError
from ..game import Game
from ..records.arrays import Arrays, Kind, RecordField, Shard, check_form, fields_of, kinds_of, number_games, seeds_of
from ..records.arrays import pack as pack_arrays
from ..records.replay import Replay
from ..records.store import Outbox, file_kind
from .driver import PlayedGame, play_game, play_games, play_programs, record
from .summary import Tally

CHUNK_ACTIONS = 2**20
CHUNK_BYTES = 2**26  # in the arrays of a chunk's plies, at most
CHUNK_TOGETHER = 64
CHUNK_PYTHON = 8
PROBES = 16  # games that are played to estimate their length
REPLAYS = 256
REPLAY_PLIES = 2**16  # 2 s in Terraforming: games are played again when their replays are written


@dataclasses.dataclass(frozen=True)
class Chunk:
    """A chunk that was played.

    files : its files by kind (store.py), empty if nothing is kept or they are saved. shard : its line in the manifest,
    if it is saved.
    """

    chunk: int
    files: dict[str, bytes]
    tallies: dict[str, Tally]
    shard: dict[str, Any] | None = None

    @property
    def num_games(self) -> int:
        """Number of games."""
        return sum(tally.games for tally in self.tallies.values())

    def told(self) -> dict[str, Any]:
        """Return the tallies as plain JSON types."""
        return {name: vars(tally) for name, tally in self.tallies.items()}

    def saved(self, outbox: Outbox) -> Chunk:
        """Save the files and return the chunk without them; raise OSError, which names what cannot be written."""
        return dataclasses.replace(self, files={}, shard=outbox.save(self.chunk, self.files, self.told()))

    @property
    def busy_s(self) -> float:
        """Seconds that the games took, all threads together."""
        return sum(tally.busy_s for tally in self.tallies.values())


@dataclasses.dataclass(frozen=True)
class Run:
    """Plan of a run: games, agents, limits and what is kept.

    chunk : games per chunk. fields : of its records. kinds : of games, each with its own records; empty if all games
    are recorded together.
    """

    games: tuple[Game, ...]
    agents: tuple[str, ...]
    seed: int
    num_games: int | None
    seconds: float | None
    replays: int | None
    records: str
    keep: tuple[str, ...]
    chunk: int
    fields: Mapping[str, RecordField]
    kinds: Mapping[str, Kind]

    @classmethod
    def make(
        cls,
        games: Sequence[Game],
        agents: Sequence[AgentLike],
        seed: int,
        num_games: int | None,
        seconds: float | None,
        replays: int | None,
        records: str,
        keep: Sequence[str],
        chunk: int | None = None,
    ) -> Run:
        """Return the plan, with all arguments checked."""
        if not isinstance(games, Sequence) or not games:
            raise ConfigError(f"games: expected a list of at least one, got {games!r}")
        plugins = {game.name: game for game in games if game.config is None}
        for game in games:
            if plugins.get(game.name, game) != game:  # records identify a plug-in by its name alone: it has no config
                raise ConfigError(f"games: two plug-ins are named {game.name!r}")
        if isinstance(agents, str) or not isinstance(agents, Sequence) or not agents:
            raise ConfigError(f"agents: expected a list of names or agents, got {agents!r}")
        named = name_agents(agents)
        if num_games is None and seconds is None:
            raise ConfigError("num_games: expected num_games or seconds, to say when to end")
        if num_games is not None:
            num_games = integer("num_games", num_games, 1, 2**62)
        if seconds is not None and not (isinstance(seconds, int | float) and 0 < seconds < float("inf")):
            raise ConfigError(f"seconds: expected a positive number, got {seconds}")
        if isinstance(keep, str) or len(set(keep)) < len(keep):
            raise ConfigError(f"keep: expected a list of different names, got {keep!r}")
        seed = integer("seed", seed, 0, 2**64 - 1)
        replays = None if replays is None else integer("replays", replays, 0, 2**62)
        chunk_size = None if chunk is None else integer("chunk", chunk, 1, 2**31 - 1)
        tried = [_try_agent(name, game) for game in {game.name: game for game in games}.values() for name in named]
        thinks = any(hasattr(agent, "thought") for agent in tried)
        fields, kinds = fields_of(games, keep, thinks), kinds_of(games, keep, thinks)
        if chunk_size is not None:
            chunk = chunk_size
        elif any(hasattr(agent, "act_many") for agent in tried):
            chunk = max(CHUNK_TOGETHER, *(getattr(agent, "together", 0) for agent in tried))
        elif all(name in game.policies for game in games for name in named):
            actions = CHUNK_ACTIONS if set(named) == {"random"} else CHUNK_ACTIONS // 8
            chunk = _native_chunk(games, actions, [field for field in fields.values() if field.of == "ply"])
        else:
            chunk = CHUNK_PYTHON
        return cls(
            tuple(games), named, seed, num_games, seconds, replays, check_form(records), tuple(keep), chunk,
            fields, kinds,
        )  # fmt: skip

    def parameters(self) -> dict[str, Any]:
        """Return everything that decides the files of a run, as plain JSON types."""
        names = ("seed", "num_games", "seconds", "replays", "records", "chunk")
        kinds = {"kinds": {name: kind.to_dict() for name, kind in self.kinds.items()}} if self.kinds else {}
        return {
            "games": [
                {"game": game.name, "config": None if game.config is None else game.config.to_dict()}
                for game in self.games
            ],
            "agents": list(self.agents),
            **{name: getattr(self, name) for name in names},
            "keep": list(self.keep),
            "num_actions": max(game.num_actions for game in self.games),
            "fields": {name: field.to_dict() for name, field in self.fields.items()},
            **kinds,
        }

    def chunks(self, done: dict[int, Any], spent: Callable[[], float]) -> Iterator[int]:
        """Yield the chunks to play, ascending.

        `done` holds the chunks already played. The time limit ends the run only after the first chunk and those in
        `done`.
        """
        last: int = max(done, default=-1)
        for chunk in itertools.count():
            if self.num_games is not None and chunk * self.chunk >= self.num_games:
                return
            if chunk > max(last, 0) and self.seconds is not None and spent() >= self.seconds:
                return
            if chunk not in done:
                yield chunk

    def seats(self, k: int) -> list[int]:
        """Return, for each player of game k, the index of its agent in `agents`."""
        turn, which = divmod(k, len(self.games))
        return [(player + turn) % len(self.agents) for player in range(self.games[which].num_players)]

    def make_chunk(self, chunk: int, with_files: bool, tick: Callable[[int], None]) -> Chunk:
        """Play and pack a chunk."""
        return self.pack(chunk, *self.play(chunk, tick), with_files)

    def pack(self, chunk: int, shards: dict[str, Arrays], tallies: dict[str, Tally], with_files: bool) -> Chunk:
        """Return a chunk that was played, with its files if requested."""
        files: dict[str, bytes] = {}
        if with_files:
            for name, arrays in shards.items():
                packed = pack_arrays(self.records, self._fields(name), arrays)
                files |= {file_kind(kind, name): data for kind, data in packed.items()}
            replays = [line + "\n" for replay in self.replays_of(shards) for line in replay.to_lines()]
            if replays:
                files["replays"] = "".join(replays).encode()
        return Chunk(chunk, files, tallies)

    def _fields(self, kind: str) -> Mapping[str, RecordField]:
        """Return the fields of the records of a kind of game, "" for all together."""
        return self.kinds[kind].fields if kind else self.fields

    def _kinds(self, ks: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        """Return the numbers of those games of each kind that are among these; "": all together."""
        if not self.kinds:
            return {"": ks}
        of_config = np.array([game.name for game in self.games])[ks % len(self.games)]
        return {name: mine for name in self.kinds if len(mine := ks[of_config == name])}

    def play(self, chunk: int, tick: Callable[[int], None]) -> tuple[dict[str, Arrays], dict[str, Tally]]:
        """Return the arrays of a shard (records/arrays.py), by kind, and the tally of each game by name."""
        first = chunk * self.chunk
        end = first + self.chunk if self.num_games is None else min(first + self.chunk, self.num_games)
        ks = np.arange(first, end)
        seeds = seeds_of(self.seed, ks)
        turns = ks % (len(self.games) * len(self.agents))  # games with equal turns have the same config and seats
        order = np.argsort(turns, kind="stable")
        kinds = self._kinds(ks)
        shards = {name: Shard(self._fields(name), len(indices)) for name, indices in kinds.items()}
        tallies: dict[str, Tally] = {}
        with _Cast(self.agents) as cast:
            for rows in np.split(order, np.flatnonzero(np.diff(turns[order])) + 1):
                k = int(ks[rows[0]])
                game, seats = self.games[k % len(self.games)], self.seats(k)
                before = time.perf_counter()
                part = self._part(game, seats, seeds[rows], cast, tick)
                tally = _tally(part, [self.agents[seat] for seat in seats], time.perf_counter() - before)
                kind = game.name if self.kinds else ""
                own = np.searchsorted(kinds[kind], ks[rows])
                shards[kind].add(own, part | {"agents": np.tile(np.array(seats, np.int16), (len(rows), 1))})
                tallies.setdefault(game.name, Tally()).add(tally)
        numbers = {name: number_games(self.seed, len(self.games), indices) for name, indices in kinds.items()}
        return {name: numbers[name] | shard.arrays() for name, shard in shards.items()}, tallies

    def _part(
        self, game: Game, seats: Sequence[int], seeds: NDArray[np.uint64], cast: _Cast, tick: Callable[[int], None]
    ) -> dict[str, NDArray[Any]]:
        """Play games of one config with the same seats; return them as arrays."""
        names = [self.agents[seat] for seat in seats]
        if all(name in game.policies for name in names):
            part = _playout.record(game, seeds, np.array([game.policies.index(name) for name in names], np.int32))
            tick(len(seeds))
        else:
            part = record(_play_games(game, names, seats, seeds.tolist(), cast, tick), "value" in self.fields)
        if self.keep:
            kept = [name for name in self.keep if name != "legal"]
            again = _playout.replay(game, seeds, part["length"], part["actions"], "legal" in self.keep, kept)
            part |= {name: again[name] for name in self.keep}
        return part

    def replays_of(self, shards: Mapping[str, Arrays]) -> list[Replay]:
        """Return the games of a shard, given by kind, that are also kept as replays."""
        replays: list[Replay] = []
        played = 0
        ends = {name: np.cumsum(arrays["length"]) for name, arrays in shards.items()}
        rows = ((k, name, row) for name, arrays in shards.items() for row, k in enumerate(arrays["game"].tolist()))
        for k, name, row in sorted(rows):
            arrays, end, length = shards[name], ends[name][row], shards[name]["length"][row]
            played += length
            if k >= (REPLAYS if self.replays is None else self.replays):
                break
            if self.replays is None and replays and played > REPLAY_PLIES:
                break
            game = self.games[arrays["config"][row]]
            plies = arrays["actions"][end - length : end, : game.num_slots]
            replays.append(
                Replay(
                    game,
                    int(arrays["seed"][row]),
                    [self.agents[seat] for seat in self.seats(k)],
                    (plies if game.num_slots > 1 else plies[:, 0]).tolist(),
                    arrays["returns"][row, : game.num_players].tolist(),
                    arrays["scores"][row, : game.num_players].tolist(),
                )
            )
        return replays


class _Cast(contextlib.ExitStack):
    """The agents of a chunk, made on first use and closed at its end."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._agents: dict[tuple[str, int, int, int], Agent] = {}
        self._shared: dict[tuple[str, str], Agent] = {}

    def agent(self, game: Game, seat: int, player: int, copy: int = 0) -> Agent:
        """Return the agent at this index of the names for a player; different copies are different objects.

        An agent with `act_many` is one object for all seats with its name.
        """
        name = self._names[seat]
        if (game.name, name) in self._shared:
            return self._shared[game.name, name]
        key = (game.name, seat, player, copy)
        if key not in self._agents:
            agent = self._agents[key] = make_agent(name, game)
            self.callback(close_agent, agent)
            if hasattr(agent, "act_many"):
                self._shared[game.name, name] = agent
        return self._agents[key]


def _play_games(
    game: Game, names: Sequence[str], seats: Sequence[int], seeds: Sequence[int], cast: _Cast,
    tick: Callable[[int], None],
) -> list[PlayedGame]:  # fmt: skip
    """Play the games of these seeds with agents that are not all policies."""
    if any(map(is_program, names)):
        return play_programs(game, names, seeds, tick)
    agents = [cast.agent(game, seat, player) for player, seat in enumerate(seats)]
    if any(hasattr(agent, "act_many") for agent in agents):
        copies = [
            [agent] if hasattr(agent, "act_many")
            else [cast.agent(game, seat, player, copy) for copy in range(len(seeds))]
            for player, (agent, seat) in enumerate(zip(agents, seats, strict=True))
        ]  # fmt: skip
        return play_games(game, copies, seeds, tick)
    games = []
    for seed in seeds:
        games.append(play_game(game, agents, seed, watch=lambda _: tick(0)))
        tick(1)
    return games


def _try_agent(name: str, game: Game) -> Agent | None:
    """Make an agent to inspect it, and close it; None for a program. Raise ConfigError if it cannot play."""
    if is_program(name):
        from ..referee.seats import make_seat

        if name.startswith("tcp:"):
            raise ConfigError(f"agents: {name}: self-play plays several games at once")
        make_seat(name, game)
        return None
    agent = make_agent(name, game)
    close_agent(agent)
    return agent


def _native_chunk(games: Sequence[Game], actions: int, fields: Sequence[RecordField]) -> int:
    """Return a number of games with about `actions` unit actions and at most CHUNK_BYTES in these fields."""
    plies = slots = 0
    for k, seed in enumerate(seeds_of(0, np.arange(PROBES))):
        game = games[k * len(games) // PROBES]
        part = _playout.record(game, np.array([seed]), np.zeros(game.num_players, np.int32))
        plies += len(part["actions"])
        slots += part["actions"].size
    row = sum(np.dtype(field.dtype).itemsize * int(np.prod(field.shape, dtype=np.int64)) for field in fields)
    return max(1, min(actions * PROBES // slots, CHUNK_BYTES * PROBES // (plies * row)))


def _tally(part: dict[str, NDArray[Any]], names: Sequence[str], seconds: float) -> Tally:
    won = part["returns"] == 1
    agents: dict[str, list[int]] = {}
    for player, name in enumerate(names):
        counts = agents.setdefault(name, [0, 0])
        counts[0] += len(won)
        counts[1] += int(won[:, player].sum())
    return Tally(
        games=len(won),
        plies=len(part["player"]),
        moves=int(np.count_nonzero(part["actions"] >= 0)),
        won=won.sum(axis=0).tolist(),
        drawn=int((~won.any(axis=1)).sum()),
        busy_s=round(seconds, 6),
        agents=agents,
    )
