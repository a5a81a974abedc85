"""Test a game, also one of another package, against the contract of its function table: `check_game`.

It needs NumPy alone and no test framework::

    def test_the_game_keeps_its_contract():
        masume.testing.check_game(masume.load("connect_four"))
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from .core import registry
from .core._planes import Form
from .core.config import integer
from .core.function_table import TERMINAL, FunctionTable
from .core.rng import Rng, stream
from .errors import ContractError, NotationError, StateError
from .game import Game, load
from .planes import expand

__all__ = ["CLAUSES", "check_game"]

CLAUSES = {
    "name": "be of small letters, digits and `_`, begin with a letter, and be no game of masume's own",
    "max_legal": "be the most legal codes of a slot in any state",
    "max_game_length": "be at least the plies of every game, or 0 if no bound is known; games end",
    "state_fields": "include everything that decides the future: a dict reads back as the same position",
    "init": "write every byte of the state and, unless NULL, all of memory that is read; equal seeds, equal starts",
    "slots": "return 0 exactly at the end, and otherwise write a player for each slot",
    "legal": "write the legal codes in ascending order, at least one; called only before the end",
    "mask": "write `num_actions` bytes: 1 for the codes of `legal`, 0 for the others",
    "sample": "return `legal[below(len(legal))]`, by one draw",
    "fallback": "return a legal code",
    "apply": "check every code: return `MASUME_ILLEGAL(slot)` and change nothing if one is illegal, also at the end of"
    " the game; the same codes in the same state lead to the same state, with memory and without",
    "returns": "be 0 before the end",
    "observe": "write all of `out[i]` for each bit i of `fields`, and no other; never show what `player` cannot know",
    "key": "be equal exactly for positions with the same future",
    "check": "accept every position of a game, and trust nothing else: its bytes come from files. The other functions"
    " must survive every state that it accepts",
    "playout": "play as `slots`, `sample` and `apply` do, with the same draws",
    "step_many": "do what one `apply` for each state does",
    "mask_bits": "write the mask as bits, and 0 behind them",
    "observe_compact": "write bytes that stand for the values of `observe`, as `planes` says, in every form",
    "observe_changes": "leave what `observe` or `observe_compact` writes in full",
    "policy": "choose legal codes for the player's slots",
    "resample": "write states in which the player sees the same and has the same choice",
    "decode": "be the inverse of `encode` for every legal code",
    "forecast": "write a finite number for each player",
    "forfeit": "end the game or go on, as its status says; change nothing for an unknown cause",
    "State": "read the text of every legal action back as this action",
    "notation.py": "read the text of every position back as this position",
}
"""What each entry of the table, or part of the package, must do, as docs/plugins.md says it."""
NAME = re.compile(r"[a-z][a-z0-9_]*")
MARGIN = 64  # bytes on both sides of what a function may write
FILLS = (0x5A, 0xC3)  # what lies in memory before a function writes
MOST_PLIES = 20_000  # of a game without a bound
FEW = 24  # codes of a slot that are tried one by one


def check_game(game: Any, games: int = 4, seed: int = 0) -> None:
    """Play random games and test at each position that the game keeps the contract of its function table.

    Parameters
    ----------
    game : Game, str or object
        The game, or what `masume.load` accepts.
    games : int, optional
        Random games to play, 1 or more. Default 4.
    seed : int, optional
        Seed of the first game, 0..2**63-1; the others follow. Default 0.

    Raises
    ------
    ContractError
        If a clause is broken: `clause` is its key in `CLAUSES`; the message says what was found and where.
    ConfigError
        If masume refuses the table as a whole, or an argument is out of range.
    """
    integer("games", games, 1, 2**31 - 1)
    integer("seed", seed, 0, 2**63 - 1)
    _Examiner(game if isinstance(game, Game) else load(game)).check(range(seed, seed + games))


class _Block:
    """Bytes that a function may write, with margins that it may not."""

    def __init__(self, size: int, fill: int) -> None:
        self._all = np.full(size + 3 * MARGIN, fill, np.uint8)
        start = MARGIN + -(self._all.ctypes.data + MARGIN) % MARGIN
        self.inner, self._fill, self._end = self._all[start : start + size], fill, start + size
        self._start = start

    def is_intact(self) -> bool:
        return bool((self._all[: self._start] == self._fill).all() and (self._all[self._end :] == self._fill).all())

    def copy(self) -> _Block:
        other = _Block(len(self.inner), self._fill)
        other.inner[:] = self.inner
        return other

    def tobytes(self) -> bytes:
        return self.inner.tobytes()


class _Examiner:
    """The checks of one game; `where` is the position at which they are."""

    def __init__(self, game: Game) -> None:
        self.game, self.table = game, FunctionTable(game)
        self.where = "in its table"
        self._by_key: dict[int, tuple[str, bytes]] = {}
        self._by_text: dict[str, int] = {}

    def fail(self, clause: str, found: str) -> NoReturn:
        raise ContractError(f"{clause}: {found}, {self.where}; it must {CLAUSES[clause]}", clause)

    def require(self, condition: object, clause: str, found: str) -> None:
        if not condition:
            self.fail(clause, found)

    def check(self, seeds: range) -> None:
        self.check_name()
        for seed in seeds:
            self.check_start(seed)
            for ply, (state, memory) in enumerate(self.walk(seed)):
                self.where = f"after {ply} plies of the game of seed {seed}"
                players = self.check_moves(state, ply)
                if ply < 3 or ply % 16 == 0 or not players:
                    self.check_position(state, memory, players, Rng(stream(seed, ply)))
        self.where = f"in a batch of seed {seeds[0]}"
        self.check_changes(seeds[0])

    # -- what is the same for all positions ---------------------------------------------------

    def check_name(self) -> None:
        name, package = self.game.name, self.game.package
        self.require(NAME.fullmatch(name), "name", f"{name!r}")
        own = package is not None and package.__name__ == f"masume.{name}"
        self.require(own or name not in registry.own_names(), "name", f"{name!r} is a game of masume's own")

    def check_start(self, seed: int) -> None:
        self.where = f"at the start of the game of seed {seed}"
        starts, views = [], []
        for fill in FILLS:
            (state, memory), (alone, _) = self.blocks(fill), self.blocks(fill)
            self.table.call("init", state.inner, memory.inner if memory else None, seed)
            self.table.call("init", alone.inner, None, seed)
            self.require(state.is_intact() and (memory is None or memory.is_intact()), "init", "it writes elsewhere")
            starts += [state.tobytes(), alone.tobytes()]
            views.append([self.observe(state, memory, player) for player in range(self.game.num_players)])
        self.require(starts[0] == starts[2] and views[0] == views[1], "init", "two starts of one seed differ")
        self.require(starts[0] == starts[1], "init", "without memory the start is another one")

    def blocks(self, fill: int = FILLS[0]) -> tuple[_Block, _Block | None]:
        size = self.game.memory_size
        return _Block(self.game.state_size, fill), _Block(size, fill) if size else None

    def walk(self, seed: int) -> Iterator[tuple[_Block, _Block | None]]:
        """Yield state and memory before each ply of a random game, and at the end."""
        state, memory = self.blocks()
        self.table.call("init", state.inner, memory.inner if memory else None, seed)
        draws = np.array([stream(seed, 1)], np.uint64)
        for ply in itertools.count():
            self.check_length(ply)
            yield state, memory
            players = self.read_slots(state)
            if not players:
                return
            codes = [self.table.call("sample", state.inner, slot, draws) for slot in range(len(players))]
            self.play(state, memory, codes)

    def check_length(self, plies: int) -> None:
        most = self.game.max_game_length
        bound = f"its max_game_length {most}" if most else f"{MOST_PLIES} plies"
        self.require(plies <= (most or MOST_PLIES), "max_game_length", f"a game goes on beyond {bound}")

    def read_slots(self, state: _Block) -> list[int]:
        """Return the players who decide."""
        players = np.full(self.game.num_slots + 1, -1, np.int32)
        count = self.ask("slots", state, players)
        self.require(0 <= count <= self.game.num_slots, "slots", f"it returns {count} of {self.game.num_slots} slots")
        found: list[int] = players[:count].tolist()
        for player in found:
            self.require(0 <= player < self.game.num_players, "slots", f"it writes player {player}")
        return found

    def ask(self, name: str, state: _Block, *arguments: Any) -> Any:
        """Call a function that may not change the state."""
        before = state.tobytes()
        found = self.table.call(name, state.inner, *arguments)
        self.require(state.tobytes() == before and state.is_intact(), name, "it changes the state")
        return found

    def play(self, state: _Block, memory: _Block | None, codes: list[int]) -> int:
        """Apply legal codes, and return the status."""
        row = np.array(codes + [0] * (self.game.num_slots - len(codes)), np.int32)
        alone = state.copy()
        status = self.table.call("apply", state.inner, memory.inner if memory else None, row)
        self.require(status in (0, TERMINAL), "apply", f"it returns {status} for the legal codes {codes}")
        self.require(state.is_intact() and (memory is None or memory.is_intact()), "apply", "it writes elsewhere")
        again = self.table.call("apply", alone.inner, None, row)
        self.require(
            (again, alone.tobytes()) == (status, state.tobytes()),
            "apply",
            f"{codes} lead to another state the second time",
        )
        over = not self.read_slots(state)
        self.require(
            over == (status == TERMINAL),
            "slots",
            f"apply returns {status}, and the game is{'' if over else ' not'} over",
        )
        return int(status)

    # -- what is checked at each position -----------------------------------------------------

    def check_moves(self, state: _Block, ply: int) -> list[int]:
        """Check what a random game asks of each position; return the players who decide."""
        players = self.read_slots(state)
        self.require(self.ask("check", state, None) is None, "check", "it refuses the position")
        returns = np.full(self.game.num_players, np.nan, np.float32)
        self.ask("returns", state, returns)
        self.require(np.isfinite(returns).all(), "returns", f"they are {returns.tolist()}")
        self.require(not players or not returns.any(), "returns", f"they are {returns.tolist()} before the end")
        for slot in range(len(players)):
            self.check_choice(state, slot, ply)
        return players

    def check_choice(self, state: _Block, slot: int, ply: int) -> list[int]:
        game = self.game
        codes, mask = _Block(4 * game.num_actions, FILLS[0]), _Block(game.num_actions, FILLS[0])
        count = self.ask("legal", state, slot, codes.inner)
        self.require(codes.is_intact() and 1 <= count <= game.num_actions, "legal", f"it returns {count} codes")
        most = self.table.entries.max_legal
        self.require(count <= most, "max_legal", f"{count} codes are legal where it says at most {most}")
        legal: list[int] = codes.inner.view(np.int32)[:count].tolist()
        self.require(legal == sorted(set(legal)), "legal", f"it writes {legal[:FEW]}")
        self.require(legal[0] >= 0 and legal[-1] < game.num_actions, "legal", f"it writes {legal[0]} and {legal[-1]}")
        self.ask("mask", state, slot, mask.inner)
        self.require(mask.is_intact(), "mask", "it writes elsewhere")
        wrong = np.flatnonzero(mask.inner != np.isin(np.arange(game.num_actions), legal))
        if wrong.size:
            code = int(wrong[0])
            self.fail("mask", f"it is {mask.inner[code]} for code {code} of slot {slot}, which is"
                      f"{'' if code in legal else ' not'} among the legal {legal[:FEW]}")  # fmt: skip
        rng, drawn = Rng(ply), np.array([ply], np.uint64)
        code, right = self.ask("sample", state, slot, drawn), legal[rng.below(len(legal))]
        self.require(code == right and drawn[0] == rng.state, "sample", f"it returns {code} where {right} is drawn")
        code = self.ask("fallback", state, slot)
        self.require(code in legal, "fallback", f"it returns {code}, which is not among the legal {legal[:FEW]}")
        if self.table.has("mask_bits"):
            bits = np.full((game.num_actions + 31) // 32, 0xFFFFFFFF, np.uint32)
            self.ask("mask_bits", state, slot, bits)
            set_codes = np.flatnonzero(np.unpackbits(bits.view(np.uint8), bitorder="little")).tolist()
            self.require(set_codes == legal, "mask_bits", f"they are those of {set_codes[:FEW]}, not of {legal[:FEW]}")
        return legal

    # -- what is checked at some positions ----------------------------------------------------

    def check_position(self, state: _Block, memory: _Block | None, players: list[int], rng: Rng) -> None:
        legal = [self.check_choice(state, slot, 0) for slot in range(len(players))]
        self.check_illegal(state, memory, legal)
        self.check_views(state, memory)
        self.check_values(state, memory, legal)
        self.check_policies(state, memory, players, legal)
        self.check_fast_paths(state, memory, legal, rng)
        self.check_damage(state, rng)

    def check_illegal(self, state: _Block, memory: _Block | None, legal: list[list[int]]) -> None:
        """Every legal code is played, and no other; at the end none."""
        base = [codes[0] for codes in legal]
        for slot, codes in enumerate(legal):
            for code in codes[:FEW]:
                self.play(state.copy(), memory.copy() if memory else None, [*base[:slot], code, *base[slot + 1 :]])
        for slot in range(len(legal)) if legal else (0,):
            codes = legal[slot] if legal else []
            barred = [code for code in range(self.game.num_actions) if code not in codes][:FEW]
            for code in (-1, self.game.num_actions, 2**31 - 1, -(2**31), *barred):
                row = np.array(base + [0] * (self.game.num_slots - len(base)), np.int32)
                row[slot] = code
                after, seen = state.copy(), memory.copy() if memory else None
                status = self.table.call("apply", after.inner, seen.inner if seen else None, row)
                right = status == -1 - slot if legal else status < 0
                self.require(right, "apply", f"it returns {status} for the illegal code {code} of slot {slot}")
                is_unchanged = after.tobytes() == state.tobytes() and (
                    not seen or not memory or seen.tobytes() == memory.tobytes()
                )
                self.require(is_unchanged, "apply", f"the illegal code {code} of slot {slot} changes the state")

    def check_views(self, state: _Block, memory: _Block | None) -> None:
        """Views are written whole and alone; compact ones hold the same values."""
        spec = self.game.observation_spec
        for player in range(self.game.num_players):
            whole = self.observe(state, memory, player)
            for fill in FILLS:
                for name in spec:
                    told = (
                        f"field {name!r} of player {player} depends on what lay there, or on which fields are asked for"
                    )
                    alone = self.observe(state, memory, player, [name], fill)
                    self.require(alone[name] == whole[name], "observe", told)
        if self.table.has("observe_compact"):
            self.check_forms(self.position(state, memory))

    def observe(
        self, state: _Block, memory: _Block | None, player: int, names: Iterable[str] = (), fill: int = FILLS[0]
    ) -> dict[str, bytes]:
        """Return the bytes of a player's view: of these fields, or of all."""
        spec = self.game.observation_spec
        asked = set(names) or set(spec)
        views = {name: _Block(int(np.prod(shape)) * dtype.itemsize, fill) for name, (shape, dtype) in spec.items()}
        fields = sum(1 << field for field, name in enumerate(spec) if name in asked)
        out = np.array([view.inner.ctypes.data for view in views.values()], np.uint64)
        self.ask("observe", state, memory.inner if memory else None, player, fields, out)
        for name, view in views.items():
            told = f"field {name!r} of player {player}"
            self.require(view.is_intact(), "observe", f"it writes beyond {told}")
            untouched = bool((view.inner == fill).all())
            self.require(untouched or name in asked, "observe", f"it writes {told}, which was not asked for")
        return {name: view.tobytes() for name, view in views.items() if name in asked}

    def check_forms(self, position: Any) -> None:
        for player in range(self.game.num_players):
            plain = position.observation(player)
            for dtype in ("uint8", "bits"):
                form = position.observation(player, dtype=dtype)
                for name in Form(self.game, dtype, None).planes:
                    found = expand(form[name], self.game.plane_spec(name, dtype))
                    for plane in np.flatnonzero(
                        [not np.array_equal(*pair) for pair in zip(found, plain[name], strict=True)]
                    ):
                        told = (
                            f"plane {plane} of {name!r} of player {player} has other values as {dtype} than as float32"
                        )
                        self.fail("observe_compact", told)

    def position(self, state: _Block, memory: _Block | None) -> Any:
        """Return the State."""
        try:
            return self.game.state_from_bytes(state.tobytes() + (memory.tobytes() if memory else b""))
        except StateError as error:
            self.fail("check", f"it refuses the position: {error}")

    def check_values(self, state: _Block, memory: _Block | None, legal: list[list[int]]) -> None:
        """The position reads back from its dict and texts, and its key says which position it is."""
        position = self.position(state, memory)
        variables = position.to_dict()
        try:
            twin = self.game.state_from_dict(json.loads(json.dumps(variables)))
        except StateError as error:
            self.fail("state_fields", f"the dict of the position is refused: {error}")
        key = self.ask("key", state)
        self.require(key == self.table.call("key", state.copy().inner), "key", "it differs for equal states")
        data = state.tobytes()
        self.require(twin.to_dict() == variables, "state_fields", "the dict reads back as another one")
        message = "the position read back from its dict has another key"
        self.require(twin.key == key, "state_fields" if twin.to_bytes()[: len(data)] != data else "key", message)
        text = json.dumps(variables, sort_keys=True)
        self.require(self._by_text.setdefault(text, key) == key, "key", "it differs for positions with the same dict")
        other_text, other = self._by_key.setdefault(key, (text, data))
        if other_text != text:
            self.check_futures(data, other)
        for slot, codes in enumerate(legal):
            for code in codes[:FEW]:
                action = position.decode(code)
                self.require(
                    position.encode(action) == code, "decode", f"code {code} is {action}, which is another code"
                )
                message = position.action_to_text(action, slot)
                try:
                    read = position.text_to_action(message, slot)
                except NotationError as error:
                    self.fail("State", f"{message!r}, the text of action {action}, is refused: {error}")
                self.require(read == action, "State", f"{message!r}, the text of action {action}, is read as {read}")
        if self.game.part("notation"):
            try:
                read = self.game.parse(str(position)).to_dict()
            except (NotationError, StateError) as error:
                self.fail("notation.py", f"the text of the position is refused: {error}")
            self.require(read == variables, "notation.py", "the text of the position is read as another one")

    def check_futures(self, *states: bytes) -> None:
        """Two positions with equal keys go on in the same way."""
        draws, blocks = np.array([1], np.uint64), []
        for data in states:
            block, _ = self.blocks()
            block.inner[:] = np.frombuffer(data, np.uint8)
            blocks.append(block)
        for ply in range(MOST_PLIES):
            futures: list[Any] = []
            for block in blocks:
                players = self.read_slots(block)
                returns = np.zeros(self.game.num_players, np.float32)
                self.table.call("returns", block.inner, returns)
                futures.append(
                    [players, returns.tolist(), [self.check_choice(block, slot, ply) for slot in range(len(players))]]
                )
            self.require(futures[0] == futures[1], "key", f"two positions have one key, but differ {ply} plies later")
            players = futures[0][0]
            if not players:
                return
            codes = [self.table.call("sample", blocks[0].inner, slot, draws) for slot in range(len(players))]
            for block in blocks:
                self.play(block, None, codes)

    def check_policies(self, state: _Block, memory: _Block | None, players: list[int], legal: list[list[int]]) -> None:
        """Policies choose legal codes, samples look the same, forecasts are numbers, forfeits end the game."""
        seen = memory.inner if memory else None
        for policy in range(self.table.entries.num_policies):
            for player in sorted(set(players)):
                codes = np.full(self.game.num_slots + 1, -1, np.int32)
                self.ask("policy", state, seen, policy, player, np.array([policy], np.uint64), codes)
                own = [codes for owner, codes in zip(players, legal, strict=True) if owner == player]
                for slot, (code, allowed) in enumerate(zip(codes.tolist(), own, strict=False)):
                    name = self.game.policies[1 + policy]
                    self.require(
                        code in allowed, "policy", f"{name!r} chooses {code} in slot {slot} of player {player}"
                    )
        if self.table.has("forecast"):
            scores = np.full(self.game.num_players, np.nan)
            self.ask("forecast", state, scores)
            self.require(np.isfinite(scores).all(), "forecast", f"it writes {scores.tolist()}")
        if self.table.has("resample") and players and not self.game.is_perfect_information:
            self.check_samples(self.position(state, memory))
        if self.table.has("forfeit") and players:
            for cause in (*range(-1, 9), 2**31 - 1):
                after, past = state.copy(), memory.copy() if memory else None
                status = self.table.call("forfeit", after.inner, past.inner if past else None, 0, cause)
                over = not self.read_slots(after)
                verdict = f"it returns {status} for cause {cause}"
                self.require(status < 0 or over == (status == TERMINAL), "forfeit", verdict)
                self.require(
                    status >= 0 or after.tobytes() == state.tobytes(), "forfeit", f"{verdict} and changes the state"
                )

    def check_samples(self, position: Any) -> None:
        for player in range(self.game.num_players):
            try:
                sample = position.resample(player, 1)
            except ValueError:  # none was found, which a game may say
                continue
            try:
                sample.check()
            except AssertionError as error:
                self.fail("resample", f"a sample for player {player} is refused: {str(error).partition(chr(10))[0]}")
            where = f"in a sample player {player}"
            self.require(
                sample.slots.tolist() == position.slots.tolist(), "resample", f"{where} is not to move as before"
            )
            for name, view in position.observation(player).items():
                same = np.array_equal(view, sample.observation(player)[name])
                self.require(same, "resample", f"{where} sees another {name!r}")
            for slot, owner in enumerate(position.slots.tolist()):
                same = owner != player or np.array_equal(position.legal_mask(slot), sample.legal_mask(slot))
                self.require(same, "resample", f"{where} has another choice")

    def check_fast_paths(self, state: _Block, memory: _Block | None, legal: list[list[int]], rng: Rng) -> None:
        """What exists for speed does what the slow functions do."""
        if self.table.has("playout"):
            quick, slow, plies = state.copy(), state.copy(), 0
            draws = np.array([rng.next()], np.uint64)
            drawn = draws.copy()
            while players := self.read_slots(slow):
                self.check_length(plies)
                codes = [self.table.call("sample", slow.inner, slot, draws) for slot in range(len(players))]
                padded = np.array(codes + [0] * (self.game.num_slots - len(codes)), np.int32)
                self.table.call("apply", slow.inner, None, padded)
                plies += 1
            played = self.table.call("playout", quick.inner, drawn)
            same = quick.tobytes() == slow.tobytes() and played == plies and drawn[0] == draws[0]
            self.require(same, "playout", f"it plays {played} plies where there are {plies}, or other ones")
        if self.table.has("step_many") and legal:
            rows = np.array([legal[0][0], -1, legal[0][-1]], np.int32)
            many, seen = np.tile(state.inner, 3), np.tile(memory.inner, 3) if memory else None
            statuses, movers = np.full(3, 99, np.int32), np.full(3, 99, np.int32)
            self.table.call("step_many", 3, many, seen, rows, statuses, movers)
            for row, (after, status) in enumerate(zip(many.reshape(3, -1), statuses, strict=True)):
                one, alone_memory = state.copy(), memory.copy() if memory else None
                right = self.table.call(
                    "apply", one.inner, alone_memory.inner if alone_memory else None, rows[row : row + 1]
                )
                same = status == right and after.tobytes() == one.tobytes()
                if seen is not None and alone_memory is not None:
                    same = same and seen.reshape(3, -1)[row].tobytes() == alone_memory.tobytes()
                same = same and (right != 0 or self.read_slots(one) == [movers[row]])
                self.require(same, "step_many", f"code {rows[row]} leads to another state, status or mover")

    def check_damage(self, state: _Block, rng: Rng) -> None:
        """States with damaged bytes are refused, or can be played."""
        for _ in range(8):
            damaged = state.copy()
            for _ in range(1 + rng.below(3)):
                damaged.inner[rng.below(len(damaged.inner))] = rng.below(256)
            if self.table.call("check", damaged.inner, None) is not None:
                continue
            self.where = "in a damaged state that check accepts"
            for ply in range(3):
                players = self.read_slots(damaged)
                if not players:
                    break
                self.play(damaged, None, [self.check_choice(damaged, slot, ply)[0] for slot in range(len(players))])

    def check_changes(self, seed: int) -> None:
        """Views of which only changes are written equal views written in full."""
        if not self.table.has("observe_changes"):
            return
        changing = [
            name for field, name in enumerate(self.game.observation_spec) if self.table.entries.changing >> field & 1
        ]
        for dtype in ("float32", "uint8"):
            full, changed = (
                self.game.batch(4, seed=seed, observe=changing, dtype=dtype, only_changes=only)
                for only in (False, True)
            )
            for step in range(60):
                for name in changing:
                    same = full.observations[name].tobytes() == changed.observations[name].tobytes()
                    self.require(same, "observe_changes", f"{name!r} as {dtype} differs after {step} steps")
                for batch in (full, changed):
                    batch.sample_actions()
                    batch.step()
