"""The rules of Kakomimasu in plain Python: slow twin of the engine.

Implements those of KM-1 to KM-58 and KM-R1 to KM-R34 of docs/rules/kakomimasu.md that are rules of the game;
those of the match server are in the server package. Positions are dicts of cells (x, y); no code is shared with
the engine.
"""

from __future__ import annotations

import dataclasses
import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from ..core.checks import action_of, index, items, number, numbers, place, same_keys
from ..core.positions import Reference
from ..errors import ConfigError, GameOverError, IllegalActionError, StateError
from . import notation
from .config import Config
from .notation import DIRECTIONS, FIRST_MOVE, FIRST_PUT, FIRST_REMOVE

Cell = tuple[int, int]  # column, row [KM-8]
Agent = tuple[int, int]  # player, agent of the player

SUCCESS, CONFLICT, REVERT, ERR_ONLY_ONE_TURN, ERR_ILLEGAL_AGENT, ERR_ILLEGAL_ACTION = range(6)
"""Result codes, as sent on the wire."""
REASONS = {
    REVERT: "the cell is an enemy wall",
    ERR_ONLY_ONE_TURN: "the agent has several entries",
    ERR_ILLEGAL_AGENT: "there is no such agent",
    ERR_ILLEGAL_ACTION: "the action is invalid here",
}


class Entry(NamedTuple):
    """A player's action for an agent in a turn; type is STAY, PUT, MOVE or REMOVE."""

    agent: int
    type: str
    x: int
    y: int


class State(Reference[Config]):
    """A Kakomimasu position, changed in place by `apply`.

    Slot player * n_agents + agent decides for an agent.

    Attributes
    ----------
    config : Config
        Config of the game.
    played : int
        Number of resolved turns, 0..total_turns.
    points : dict of (x, y) to int
        Points of each cell. [KM-10]
    walls, territory : dict of (x, y) to int
        Owners of the cells that are wall or territory; all other cells are neutral. [KM-11]
    agents : dict of (player, agent) to (x, y)
        Cells of the placed agents.
    codes, results : list of int
        Action and result code of each slot in the last turn; 0 for an agent without an entry.
    is_marked : bool
        Whether section 7.2 has been applied to these walls.
    """

    notation = notation

    def __init__(self, config: Config) -> None:
        self.config = config
        self.played = 0
        self.points = {(n % config.width, n // config.width): value for n, value in enumerate(config.board_points())}
        self.walls: dict[Cell, int] = {}  # KM-12: all cells are neutral at the start
        self.territory: dict[Cell, int] = {}
        self.agents: dict[Agent, Cell] = {}
        self.codes = [0] * (config.n_players * config.n_agents)
        self.results = [SUCCESS] * len(self.codes)
        self.is_marked = True

    @classmethod
    def new(cls, config: Config, seed: int = 0) -> Self:  # noqa: ARG003
        """Return the initial position; the seed has no effect because the config defines the board."""
        return cls(config)

    @classmethod
    def parse(cls, config: Config, text: str) -> Self:
        """Return the position that a text board shows.

        Raises
        ------
        NotationError
            If the text is not a board of this config.
        StateError
            If the position breaks an invariant.
        """
        state = cls(config)
        state._load(notation.parse(config, text))
        return state

    @classmethod
    def from_dict(cls, variables: Mapping[str, Any]) -> Self:  # type: ignore[override]
        """Return the position of a dict made by `to_dict`.

        Raises
        ------
        StateError
            If the dict is not a position; the message names the key and the value.
        """
        if not isinstance(variables, Mapping):
            raise StateError(f"dict: expected a dict, got {variables!r}")
        same_keys("", variables, ("version", "config", "played", "wall", "area", "pos"))
        number("version", variables["version"], 1, 1)
        state = cls(_read_config(variables["config"]))
        state._load(variables)
        return state

    def _load(self, variables: Mapping[str, Any]) -> None:
        """Check the variables of section 3 and set them."""
        config, cells = self.config, list(self.points)
        self.played = number("played", variables["played"], 0, config.total_turns)
        for name, owners in (("wall", self.walls), ("area", self.territory)):
            for n, owner in enumerate(numbers(name, variables[name], len(cells), -1, config.n_players - 1)):
                if owner >= 0:
                    owners[cells[n]] = owner
        for player, mine in enumerate(items("pos", variables["pos"], config.n_players)):
            for agent, n in enumerate(numbers(f"pos[{player}]", mine, config.n_agents, -1, len(cells) - 1)):
                if n >= 0:
                    self.agents[player, agent] = cells[n]
        self.is_marked = False
        fault = next(self._faults(), None)
        if fault is not None:
            raise StateError(fault)

    def to_dict(self) -> dict[str, Any]:
        """Return the serialised form of section 3: version, config, played, wall, area, pos, as plain JSON types."""
        config, cells = self.config, list(self.points)
        return {
            "version": 1,
            "config": config.to_dict(),
            "played": self.played,
            "wall": [self.walls.get(cell, -1) for cell in cells],
            "area": [self.territory.get(cell, -1) for cell in cells],
            "pos": [[self._cell_number((p, a)) for a in range(config.n_agents)] for p in self._players()],
        }

    def clone(self) -> Self:
        """Return a new State equal to this one."""
        other = type(self)(self.config)
        other.played, other.is_marked = self.played, self.is_marked
        other.codes, other.results = list(self.codes), list(self.results)
        other.walls, other.territory, other.agents = dict(self.walls), dict(self.territory), dict(self.agents)
        return other

    def __str__(self) -> str:
        return notation.to_text(self.to_dict())

    def check(self) -> None:
        """Check the invariants of section 3; raise AssertionError with the position if one does not hold."""
        super().check()
        if self.is_marked:
            again = self.clone()
            again._mark_territory()
            assert again.territory == self.territory, f"area: marking it again changes it\n{self}"  # (v)

    def _faults(self) -> Iterator[str]:
        """Yield the violations of the invariants (i) to (iii)."""
        number = {cell: n for n, cell in enumerate(self.points)}
        for cell in self.walls.keys() & self.territory.keys():  # (i)
            yield f"area[{number[cell]}]: {self.territory[cell]} on a wall"
        taken: dict[Cell, Agent] = {}
        for (p, a), cell in self.agents.items():
            if cell in taken:  # (ii)
                yield f"pos[{p}][{a}]: {number[cell]} is the cell of pos[{taken[cell][0]}][{taken[cell][1]}] too"
            if self.walls.get(cell) != p:  # (iii)
                yield f"pos[{p}][{a}]: {number[cell]} is not a wall of player {p}"
            taken[cell] = p, a

    # -- slots and legal actions --------------------------------------------------------------------

    @property
    def slots(self) -> list[int]:
        """Player of each slot (player * n_agents + agent); all decide at once. Empty at the end. [KM-6]"""
        if self.is_terminal():
            return []
        return [p for p in range(self.config.n_players) for _ in range(self.config.n_agents)]

    @property
    def turn(self) -> int:
        """Number of the turn to be played, from 1; total_turns at the end. [KM-R26]"""
        return min(self.played + 1, self.config.total_turns)

    def legal_actions(self, slot: int = 0) -> list[int]:
        """Return the valid codes of the agent of `slot`, ascending; empty at the end."""
        agent = self._agent(slot)
        if self.is_terminal():
            return []
        codes = range(FIRST_PUT + len(self.points))
        return [code for code in codes if self._judge(agent[0], self._entry_of(agent, code)) == SUCCESS]

    def legal_mask(self, slot: int = 0) -> list[int]:
        """Return a list with 1 for each valid code of the agent of `slot`, else 0."""
        legal = set(self.legal_actions(slot))
        return [int(code in legal) for code in range(FIRST_PUT + len(self.points))]

    def _context(self, slot: int) -> tuple[Config, int]:
        return self.config, self._cell_number(self._agent(slot))

    def _cell_number(self, agent: Agent) -> int:
        """Return the number of an agent's cell, -1 if it is not placed."""
        if agent not in self.agents:
            return -1
        x, y = self.agents[agent]
        return y * self.config.width + x

    def _agent(self, slot: int) -> Agent:
        return divmod(place("slot", slot, len(self.results)), self.config.n_agents)

    def _entry_of(self, agent: Agent, code: int) -> Entry:
        """Return the entry that a code denotes. [section 6]"""
        if code == 0:
            return Entry(agent[1], "STAY", 0, 0)
        if code >= FIRST_PUT:
            y, x = divmod(code - FIRST_PUT, self.config.width)
            return Entry(agent[1], "PUT", x, y)
        x, y = self.agents.get(agent, (0, 0))  # for an unplaced agent any target is invalid [KM-15]
        dx, dy = DIRECTIONS[(code - FIRST_MOVE) % 8]
        return Entry(agent[1], "MOVE" if code < FIRST_REMOVE else "REMOVE", x + dx, y + dy)

    def _code_of(self, agent: Agent, entry: Entry) -> int:
        """Return the code of an entry; 0 for STAY and for an entry without a code. [section 6]"""
        target = entry.x, entry.y
        if entry.type == "STAY" or target not in self.points:
            return 0
        if entry.type == "PUT":
            return FIRST_PUT + entry.y * self.config.width + entry.x
        x, y = self.agents.get(agent, target)
        step = entry.x - x, entry.y - y
        if step not in DIRECTIONS:
            return 0
        return (FIRST_MOVE if entry.type == "MOVE" else FIRST_REMOVE) + DIRECTIONS.index(step)

    def _judge(self, player: int, entry: Entry) -> int:
        """Return the result code of an entry alone, on the board at the start of the turn. [KM-R4]"""
        agent, target = (player, entry.agent), (entry.x, entry.y)
        if entry.agent not in range(self.config.n_agents):
            return ERR_ILLEGAL_AGENT
        if entry.type == "STAY":
            return SUCCESS  # KM-21, KM-R19
        if (entry.type == "PUT") == (agent in self.agents):
            return ERR_ILLEGAL_ACTION  # KM-14, KM-15, KM-R3
        if target not in self.points:
            return ERR_ILLEGAL_ACTION  # KM-31
        if entry.type != "PUT":
            x, y = self.agents[agent]
            if (entry.x - x, entry.y - y) not in DIRECTIONS:
                return ERR_ILLEGAL_ACTION  # KM-22, KM-27, KM-R3
        if entry.type == "REMOVE":
            return SUCCESS if target in self.walls else ERR_ILLEGAL_ACTION  # KM-32, KM-40; own walls too: KM-R11
        if self.walls.get(target, player) != player:
            if entry.type == "PUT" and self.config.put_on_enemy_wall == "server":
                return SUCCESS  # KM-R34
            return REVERT  # KM-19, KM-24, KM-33, KM-R6
        return SUCCESS

    # -- a turn -------------------------------------------------------------------------------------

    def apply(self, actions: Sequence[int], on_illegal: str = "raise") -> None:
        """Play a turn in array form and store the result codes in `results`.

        Parameters
        ----------
        actions : sequence of int
            One code per slot.
        on_illegal : {"raise", "fallback"}, optional
            "fallback" plays an invalid action as STAY and keeps its result code.

        Raises
        ------
        IllegalActionError
            If an action is invalid (with "raise") or out of range (always); it names player, agent and action.
        GameOverError
            If the game is over.
        ValueError
            If `actions` is not a list of codes.

        Notes
        -----
        The state is unchanged after an error.
        """
        strict = _is_strict(on_illegal)
        if not isinstance(actions, list | tuple) or len(actions) != len(self.results):
            raise ValueError(f"actions: expected {len(self.results)} codes, one for each slot, got {actions!r}")
        codes = [action_of(self, f"actions[{slot}]", code, slot) for slot, code in enumerate(actions)]
        self._check_not_over()
        entries: list[tuple[int, Entry]] = []
        for slot, code in enumerate(codes):
            p, a = self._agent(slot)
            if not 0 <= code < FIRST_PUT + len(self.points):
                raise IllegalActionError(f"player {p}, agent {a}: action {code} is not a code\n{self}")
            entries.append((p, self._entry_of((p, a), code)))
        self._play(entries, strict, [str(code) for code in codes])
        self.codes = codes

    def apply_lists(self, lists: Sequence[Sequence[Sequence[Any]]], on_illegal: str = "raise") -> list[list[int]]:
        """Play a turn in list form and return the result code of each entry.

        Parameters
        ----------
        lists : sequence
            Per player a list of entries (agent, type, x, y), type one of STAY, PUT, MOVE, REMOVE. Agents may be
            missing, repeated or out of range. [KM-R5] [KM-R20] [KM-R21]
        on_illegal : {"raise", "fallback"}, optional
            As in `apply`.

        Returns
        -------
        list of list of int
            The result codes, in the shape of `lists`.

        Raises
        ------
        ValueError
            If an entry is malformed or the number of lists is wrong; checked first.
        IllegalActionError, GameOverError
            As in `apply`.
        """
        strict = _is_strict(on_illegal)
        checked = _read_lists(lists, self.config.n_players)
        self._check_not_over()
        entries = [(player, entry) for player, mine in enumerate(checked) for entry in mine]
        meant = {(player, entry.agent): self._code_of((player, entry.agent), entry) for player, entry in entries}
        results = self._play(entries, strict, [f"{entry.type} {entry.x},{entry.y}" for _, entry in entries])
        is_one = [result != ERR_ONLY_ONE_TURN for result in self.results]
        self.codes = [meant.get(self._agent(slot), 0) if one else 0 for slot, one in enumerate(is_one)]
        rest = iter(results)
        return [[next(rest) for _ in mine] for mine in checked]

    def _check_not_over(self) -> None:
        if self.is_terminal():
            raise GameOverError(f"the game is over: {self.played} turns are played\n{self}")

    def _play(self, entries: list[tuple[int, Entry]], strict: bool, texts: list[str]) -> list[int]:
        """Play a turn by section 7.1 and return the result code of each entry; `texts` are used in errors."""
        codes = [self._judge(player, entry) for player, entry in entries]  # step 2
        times = Counter((player, entry.agent) for player, entry in entries)
        for k, (player, entry) in enumerate(entries):  # step 1
            if codes[k] != ERR_ILLEGAL_AGENT and times[player, entry.agent] > 1:
                codes[k] = ERR_ONLY_ONE_TURN  # KM-16, KM-R5
        for k, (player, entry) in enumerate(entries):
            if codes[k] != SUCCESS and strict:
                who = f"player {player}, agent {entry.agent}"
                raise IllegalActionError(f"{who}: action {texts[k]}: {REASONS[codes[k]]}\n{self}")
        self._resolve(entries, codes)
        self.results = [SUCCESS] * len(self.results)
        for (player, entry), code in zip(entries, codes, strict=True):
            if code != ERR_ILLEGAL_AGENT:
                self.results[player * self.config.n_agents + entry.agent] = code
        return codes

    def _resolve(self, entries: list[tuple[int, Entry]], codes: list[int]) -> None:
        """Carry out steps 3 to 8 of 7.1 simultaneously, so that the order does not matter. [KM-55] [KM-R27]"""
        targets = {
            k: (entry.x, entry.y)
            for k, (_, entry) in enumerate(entries)
            if codes[k] == SUCCESS and entry.type != "STAY"
        }  # the candidate set K, by index into `entries`
        aims = Counter(targets.values())
        for k, target in list(targets.items()):  # step 3: KM-7, KM-20, KM-25, KM-30, KM-35, KM-R7
            if aims[target] > 1:
                codes[k] = CONFLICT
                del targets[k]
        before = dict(self.agents)
        while True:  # step 4: KM-26, KM-36, KM-R8, KM-R9; ends: every pass but the last shrinks K
            moves = [entries[k] for k in targets if entries[k][1].type == "MOVE"]
            leaving = {(player, entry.agent) for player, entry in moves}
            held = {cell for agent, cell in before.items() if agent not in leaving}  # B
            blocked = [k for k, target in targets.items() if target in held and entries[k][1].type != "REMOVE"]
            if not blocked:
                break
            for k in blocked:
                codes[k] = REVERT
                del targets[k]
        for k, target in list(targets.items()):  # step 5: KM-29, KM-36
            if target in held:
                codes[k] = REVERT
                del targets[k]
        for k, target in targets.items():  # step 6
            player, entry = entries[k]
            if entry.type == "REMOVE":  # KM-5, KM-27
                del self.walls[target]
            elif self.walls.get(target, player) == player:  # otherwise a PUT on an enemy wall: no effect [KM-R6]
                self.agents[player, entry.agent] = target  # KM-1, KM-17, KM-22
                self.walls[target] = player  # KM-18, KM-23
                self.territory.pop(target, None)  # KM-R13
        assert before.keys() <= self.agents.keys(), f"an agent has left the board\n{self}"  # (iv)
        self._mark_territory()  # step 7
        self.played += 1  # step 8

    def _mark_territory(self) -> None:
        """Mark the territory by algorithm A of section 7.2. [KM-3] [KM-37] [KM-R18]

        It peels the wall layers from the outside. A cell enclosed by the active walls of only one player belongs to
        that player. A cell enclosed by several players is decided once the outer layers are removed, so the
        innermost encloser owns it. [KM-42] [KM-R14] [KM-R15] A cell that nobody encloses keeps its mark. [KM-39]
        [KM-R16]
        """
        active = dict(self.walls)
        undecided = set(self.points)
        rounds = 0
        while undecided:  # ends: each round decides the outermost layers
            rounds += 1
            outside = [self._outside({cell for cell, owner in active.items() if owner == p}) for p in self._players()]
            decided = set()
            for cell in undecided:
                owners = [p for p in self._players() if cell not in outside[p]]
                if len(owners) <= 1:
                    decided.add(cell)
                    if owners and cell not in self.walls:  # an enemy wall inside is not territory [KM-41]
                        self.territory[cell] = owners[0]  # KM-28: also a cell whose wall was removed
            undecided -= decided
            active = {cell: owner for cell, owner in active.items() if cell not in decided}
        assert rounds <= (min(self.config.width, self.config.height) + 1) // 2 + 1, f"{rounds} rounds\n{self}"
        self.is_marked = True

    def _outside(self, walls: set[Cell]) -> set[Cell]:
        """Return the cells of board and margin that 8-connected steps around `walls` reach. [KM-38] [KM-R17]"""
        seen = {(-1, -1)}
        stack = [(-1, -1)]
        while stack:
            x, y = stack.pop()
            for dx, dy in DIRECTIONS:
                cell = x + dx, y + dy
                in_plane = -1 <= cell[0] <= self.config.width and -1 <= cell[1] <= self.config.height
                if in_plane and cell not in walls and cell not in seen:
                    seen.add(cell)
                    stack.append(cell)
        return seen

    # -- scores and the end -------------------------------------------------------------------------

    def _players(self) -> range:
        return range(self.config.n_players)

    @property
    def wall_points(self) -> list[int]:
        """Sum of the signed points of each player's walls. [KM-2] [KM-46]"""
        return [sum(self.points[cell] for cell, owner in self.walls.items() if owner == p) for p in self._players()]

    @property
    def territory_points(self) -> list[int]:
        """Sum of the absolute points of each player's territory. [KM-4] [KM-47]"""
        return [
            sum(abs(self.points[cell]) for cell, owner in self.territory.items() if owner == p) for p in self._players()
        ]

    def scores(self) -> list[int]:
        """Return the sum of wall points and territory points of each player. [KM-45]"""
        return list(map(operator.add, self.wall_points, self.territory_points))

    def is_terminal(self) -> bool:
        """Return whether all turns are played. [KM-58]"""
        return self.played == self.config.total_turns

    def returns(self) -> list[float]:
        """Return the result of each player: 1 for a sole leader, 0 for tied leaders, -1 for the rest.

        All are 0 before the end. Players rank by total [KM-49], then by wall points [KM-50]; equal in both is a
        tie. [KM-51] [KM-R22]
        """
        if not self.is_terminal():
            return [0.0] * self.config.n_players
        ranks = list(zip(self.scores(), self.wall_points, strict=True))
        top = max(ranks)
        return [-1.0 if rank != top else 1.0 if ranks.count(top) == 1 else 0.0 for rank in ranks]

    def events(self, player: int | None = None) -> list[dict[str, Any]]:
        """Return the agents' actions in the last turn, which all players see, in slot order. [section 9]

        Parameters
        ----------
        player : int, optional
            The player who looks; all players see the same.

        Returns
        -------
        list of dict
            {"player": p, "event": "action", "agent": a, "action": code, "result": result code} for each agent,
            except those with a plain STAY.
        """
        if player is not None:
            place("player", player, self.config.n_players)
        found = []
        for slot, (code, result) in enumerate(zip(self.codes, self.results, strict=True)):
            if code or result:
                p, a = self._agent(slot)
                found.append({"player": p, "event": "action", "agent": a, "action": code, "result": result})
        return found

    def observation(self, player: int) -> dict[str, list[Any]]:
        """Return the observation of a player, who sees everything, as nested lists. [section 9]

        The players are in the order `player`, `player` + 1, ...

        Returns
        -------
        dict
            planes : float[3P+3][H][W]. scalars : float[2+4P]. agent_cells : int[A], -1 if not placed.
            packed : int[3P][H], walls, territory, agents as bit rows; bit x of a row is column x.
        """
        place("player", player, self.config.n_players)
        config = self.config
        count, agents = config.n_players, config.n_agents
        order = [(player + i) % count for i in self._players()]
        placed: list[dict[Cell, int]] = [{} for _ in order]
        for (p, a), cell in self.agents.items():
            placed[p][cell] = a + 1

        def plane(values: Mapping[Cell, float]) -> list[list[float]]:
            return [[float(values.get((x, y), 0)) for x in range(config.width)] for y in range(config.height)]

        def mark_owned(owners: Mapping[Cell, int], p: int) -> dict[Cell, float]:
            return {cell: 1 for cell, owner in owners.items() if owner == p}

        bits = [mark_owned(self.walls, p) for p in order] + [mark_owned(self.territory, p) for p in order]
        neutral = self.points.keys() - self.walls.keys() - self.territory.keys()
        wall_points, territory_points = self.wall_points, self.territory_points
        scalars = [self.played / config.total_turns, 1 / config.total_turns]
        for p in order:
            scores = wall_points[p], territory_points[p], wall_points[p] + territory_points[p]
            scalars += [len(placed[p]) / agents, *(score / 256 for score in scores)]
        marked: list[Mapping[Cell, float]] = [*bits, *(placed[p] for p in order)]
        return {
            "planes": [
                *map(plane, bits),
                *(plane({cell: number / agents for cell, number in placed[p].items()}) for p in order),
                plane(dict.fromkeys(neutral, 1)),
                plane({cell: point / 16 for cell, point in self.points.items()}),
                plane(dict.fromkeys(self.points, 1)),
            ],
            "scalars": scalars,
            "agent_cells": [self._cell_number((player, a)) for a in range(agents)],
            "packed": [
                [sum(1 << x for x in range(config.width) if (x, y) in cells) for y in range(config.height)]
                for cells in marked
            ],
        }


# -- checks of arguments ----------------------------------------------------------------------------


def _is_strict(on_illegal: str) -> bool:
    """Return whether an invalid action is an error; raise ValueError unless the word is "raise" or "fallback"."""
    if on_illegal not in ("raise", "fallback"):
        raise ValueError(f"on_illegal: expected 'raise' or 'fallback', got {on_illegal!r}")
    return on_illegal == "raise"


def _read_lists(lists: Any, players: int) -> list[list[Entry]]:
    """Read a turn in list form; raise ValueError if an entry is malformed."""
    if not isinstance(lists, list | tuple) or len(lists) != players:
        raise ValueError(f"lists: expected {players} lists, one for each player, got {lists!r}")
    checked: list[list[Entry]] = []
    for player, entries in enumerate(lists):
        if not isinstance(entries, list | tuple):
            raise ValueError(f"lists[{player}]: expected a list, got {entries!r}")
        checked.append([])
        for k, entry in enumerate(entries):
            name = f"lists[{player}][{k}]"
            if not isinstance(entry, list | tuple) or len(entry) != 4:
                raise ValueError(f"{name}: expected (agent, type, x, y), got {entry!r}")
            agent, kind, x, y = entry
            if not isinstance(kind, str) or kind not in ("STAY", "PUT", "MOVE", "REMOVE"):
                raise ValueError(f"{name}: type: expected STAY, PUT, MOVE or REMOVE, got {kind!r}")
            numbers = [index(f"{name}: {key}", value) for key, value in (("agent", agent), ("x", x), ("y", y))]
            checked[player].append(Entry(numbers[0], kind, *numbers[1:]))
    return checked


def _read_config(value: Any) -> Config:
    """Return the config of a serialised state, which must contain every field and the points."""
    if not isinstance(value, Mapping):
        raise StateError(f"config: expected a dict, got {value!r}")
    same_keys("config: ", value, [field.name for field in dataclasses.fields(Config)])
    if value["points"] is None:
        raise StateError("config: points: expected the points of all cells, got None")
    try:
        return Config(**value)
    except ConfigError as error:
        raise StateError(f"config: {error}") from None
