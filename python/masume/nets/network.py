"""Network: a policy and a value for each position of one game, in float32 arrays that NumPy runs.

The flattened fields of a player's view, and which player that is, go through layers of rectified linear units. From
the last one come the logits of the codes for each slot of that player, and the result expected for each player, the
viewer's first. With channels, convolutions of 3x3 cells over the planes come first: one from the planes, to which all
other numbers of the view add the same everywhere, then blocks of two whose input is added to their result, then NECK
numbers for each cell, which take the planes' place in the layers.

Where the view says on which cells the player's slots are (Kakomimasu's agents), each slot goes through the layers by
itself, with the planes around its cell, and the results that its slots expect are averaged.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core import shapes
from ..core._planes import Form
from ..core.config import choice, integer, real
from ..core.files import read_regular, write_atomic
from ..core.rng import stream
from ..errors import ConfigError, ReplayError
from ..game import Game
from ..records.reading import parsing
from ._layers import find_usual, multiply, multiply_around
from .packed import pack, unpack

FILE = "network.npz"
"""Name of the network in the folder of a run."""

VERSION = 3
NECK = 8  # numbers for each cell between the convolutions and the layers
CELLS = "_cells"  # ends the names of fields that hold the numbers of cells
AROUND = 9  # rows and columns of the planes around the cell of a slot
CROP = 11  # rows and columns, in games whose views have a middle
STACK = 4  # rows of a product
SMALL = 2**18  # multiplications of a product that OpenBLAS makes on one thread
LEAST_COLUMNS = 64  # of a product; fewer are too slow
LEAST_LOGIT = -30.0  # below the greatest: no prior of a legal code is 0
MAX_WIDTH, MAX_LAYERS = 4096, 8
MAX_CHANNELS, MAX_BLOCKS = 256, 32
SHAPE = {
    "kind": str,
    "version": int,
    "game": str,
    "config": dict | None,
    "observe": [str],
    "crop": list | None,
    "hidden": [int],
    "channels": int,
    "blocks": int,
    "playouts": float,
}

Weights = dict[str, NDArray[np.float32]]


class Board(NamedTuple):
    """The planes in a row of what a network sees: where they begin and end, and planes, rows, columns."""

    begin: int
    end: int
    shape: tuple[int, ...]

    def split(self, rows: Any) -> tuple[Any, Any]:
        """Return the planes of rows, an array [n, planes, rows, columns], and all other numbers."""
        others = np.concatenate([rows[:, : self.begin], rows[:, self.end :]], axis=1)
        return rows[:, self.begin : self.end].reshape(len(rows), *self.shape), others


class Network:
    """Policy-value network of one game; as an `Evaluator` it answers a search about many leaves at once.

    Parameters
    ----------
    game : Game
        The game.
    observe : sequence of str, optional
        Fields of the observation that it sees. None: those of "planes" and "scalars" that the game has, and, beside
        planes of rows and columns, those whose names end in "_cells": numbers of cells, -1 for none.
    crop : int or (int, int), optional
        Odd numbers of rows and columns: it sees only this part of the planes, around the player. None: 11, in games
        that can crop; elsewhere everything.
    hidden : sequence of int, optional
        Width of each layer, 1..4096; at most 8 layers. Default (128, 128).
    channels : int, optional
        Width of the convolutions, 1..256; 0: there are none. Default 0.
    blocks : int, optional
        Blocks of two convolutions after the first one, 0..32. Default 2.
    playouts : float, optional
        Share of a playout in the value of a leaf when it answers a search, 0..1. Default 0.
    seed : int, optional
        Seed of the first weights, 0..2**64 - 1. Default 0.
    weights : dict, optional
        The weights, float32 arrays as `shapes` names them, instead of random ones.

    Attributes
    ----------
    game : Game
        The game as its players know it.
    observe : tuple of str
        The fields it sees.
    crop : (int, int) or None
        Rows and columns of the planes that it sees; None: everything.
    hidden : tuple of int
        Width of each layer.
    channels, blocks : int
        Width of the convolutions, 0 without; and blocks of two after the first one.
    playouts : float
        Share of a playout in the value of a leaf when it answers a search.
    inputs : int
        Numbers that it sees of a view.
    board : Board or None
        Where the planes are in a row.
    around : ndarray or None
        int64[cells + 1, 81], the cells around each cell, where each slot is seen by itself; `cells` for none.
    own : slice
        The planes of the cells of the player's slots, one each.
    heads : int
        The most slots of one player.
    owner, head : ndarray of int
        int64[num_slots], the player of each slot if all decide at once (else 0), and the head for it.
    weights : dict
        {name: float32 array}.

    Raises
    ------
    ConfigError
        If an argument is bad; the message names it.

    Examples
    --------
    >>> import masume
    >>> game = masume.load("nezumi", stage="garden")
    >>> network = Network(game, hidden=(32,))
    >>> network.inputs, network.heads, network.weights["policy.weight"].shape
    (361, 1, (32, 251))
    """

    def __init__(
        self,
        game: Game,
        *,
        observe: Sequence[str] | None = None,
        crop: int | tuple[int, int] | None = None,
        hidden: Sequence[int] = (128, 128),
        channels: int = 0,
        blocks: int = 2,
        playouts: float = 0.0,
        seed: int = 0,
        weights: Weights | None = None,
    ) -> None:
        self.game = game.public
        form = _form(self.game, crop)
        if isinstance(form.crop, str):
            raise ConfigError(f"crop: expected odd numbers, got {form.crop!r}")
        self.crop = form.crop
        spec = form.spec
        wanted = _choose_fields(spec) if observe is None else observe
        self.observe = tuple(choice("observe", name, tuple(spec)) for name in wanted)
        if not self.observe:
            raise ConfigError(f"observe: expected at least one field of {', '.join(spec)}")
        self.hidden = tuple(integer("hidden", width, 1, MAX_WIDTH) for width in hidden)
        if not 1 <= len(self.hidden) <= MAX_LAYERS:
            raise ConfigError(f"hidden: expected 1..{MAX_LAYERS} layers, got {len(self.hidden)}")
        self.channels = integer("channels", channels, 0, MAX_CHANNELS)
        self.blocks = integer("blocks", blocks, 0, MAX_BLOCKS)
        self.playouts = real("playouts", playouts, 0, 1)
        self._fields = {name: _shape_seen(name, spec) for name in self.observe}
        self.inputs = game.num_players + sum(int(np.prod(shape)) for shape in self._fields.values())
        self.own = slice(0, 0)
        self.board = self._find_board()
        if self.channels and self.board is None:
            raise ConfigError(f"channels: expected 0, as what {game.name} shows is not a board, got {self.channels}")
        self.owner, self.head = _split_slots(game)
        self.heads = int(self.head.max()) + 1
        self.around = self._find_around()
        self.weights = self._draw(integer("seed", seed, 0, 2**64 - 1)) if weights is None else weights
        shapes = self.shapes
        if {name: array.shape for name, array in self.weights.items()} != shapes:
            raise ConfigError(f"weights: expected arrays of the shapes {shapes}")

    def _find_board(self) -> Board | None:
        """Return where the first fields that have planes are in a row, one after the other; None if none has."""
        begin, count = self.game.num_players, 0
        cells: tuple[int, ...] = ()
        for name, shape in self._fields.items():
            if len(shape) == 3 and (not count or shape[1:] == cells):
                if name.endswith(CELLS):
                    self.own = slice(count, count + shape[0])
                count, cells = count + shape[0], shape[1:]
            elif count:
                break
            else:
                begin += math.prod(shape)
        return Board(begin, begin + count * math.prod(cells), (count, *cells)) if count else None

    def _find_around(self) -> NDArray[np.int64] | None:
        """Return the cells around each cell, and around none: int64[cells + 1, AROUND * AROUND], `cells` for none.

        None if no field says on which cells the slots of a player are.
        """
        if self.board is None or self.own.stop - self.own.start != self.heads:
            return None
        _, rows, columns = self.board.shape
        reach = AROUND // 2
        numbers = np.full((rows + 2 * reach, columns + 2 * reach), rows * columns)
        numbers[reach : reach + rows, reach : reach + columns] = np.arange(rows * columns).reshape(rows, columns)
        windows = np.lib.stride_tricks.sliding_window_view(numbers, (AROUND, AROUND)).reshape(rows * columns, -1)
        return np.concatenate([windows, np.full((1, AROUND * AROUND), rows * columns)])

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by name."""
        sizes: dict[str, tuple[int, ...]] = {}
        before = self.inputs
        if self.around is not None and self.board is not None:
            sizes["around.weight"] = (self.around.shape[1] * self.board.shape[0], self.hidden[0])
            sizes["around.bias"] = (self.heads, self.hidden[0])
        if self.channels and self.board is not None:
            planes, rows, columns = self.board.shape
            others, width = before - (self.board.end - self.board.begin), self.channels
            sizes["entry.weight"] = (others, width)
            for k in range(2 * self.blocks + 1):
                sizes |= {f"conv{k}.weight": (9 * (width if k else planes), width), f"conv{k}.bias": (width,)}
            sizes |= {"neck.weight": (width, NECK), "neck.bias": (NECK,)}
            before = others + NECK * rows * columns
        for k, width in enumerate(self.hidden):
            sizes |= {f"layer{k}.weight": (before, width), f"layer{k}.bias": (width,)}
            before = width
        codes, players = self.game.num_actions, self.game.num_players
        codes *= 1 if self.around is not None else self.heads
        return sizes | {
            "policy.weight": (before, codes),
            "policy.bias": (codes,),
            "value.weight": (before, players),
            "value.bias": (players,),
        }

    def _draw(self, seed: int) -> Weights:
        """Return first weights: He's for the layers, nearly none for the policy, which begins uniform.

        The second convolution of a block begins small, so that many blocks do not let the numbers grow.
        """
        rng = np.random.Generator(np.random.PCG64(stream(seed, 0)))
        found: Weights = {}
        ends = {f"conv{k}.weight" for k in range(2, 2 * self.blocks + 1, 2)}
        for name, shape in self.shapes.items():
            scale = 0.01 if name == "policy.weight" else (2 / shape[0]) ** 0.5 * (0.2 if name in ends else 1)
            found[name] = (
                np.zeros(shape, np.float32)
                if len(shape) == 1
                else (scale * rng.standard_normal(shape)).astype(np.float32)
            )
        return found

    def symmetries(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the turns of the board that the game offers, at least one: the first changes nothing.

        int64[n, inputs]: place k of a turned row holds what was at the place that is named there. int64[n,
        num_actions]: so for codes.
        """
        inputs, codes = np.arange(self.inputs), np.arange(self.game.num_actions)
        part = self.game.part("symmetries")
        if part is None or self.board is None:
            return inputs[None], codes[None]
        begin, end, (planes, rows, columns) = self.board.begin, self.board.end, self.board.shape
        turns = part.list_symmetries(self.game, rows, columns)
        places = np.repeat(inputs[None], len(turns), axis=0)
        for k, turn in enumerate(turns):
            first = begin + rows * columns * np.arange(planes)
            places[k, begin:end] = (first[:, None] + turn.cells).reshape(-1)
        return places, np.array([turn.codes for turn in turns])

    # -- answers ------------------------------------------------------------------------------------------

    def rows(self, observations: Mapping[str, NDArray[Any]], players: NDArray[Any]) -> NDArray[np.float32]:
        """Return what the layers see of views: float32[n, inputs].

        observations : {field: array[n, *shape]}, cropped. players : int[n], who looks. Numbers of cells are shown as a
        plane each, which is 1 there. Other fields without rows and columns, which may hold any number, are shown as
        sign(x) * log(1 + abs(x)).
        """
        found = np.zeros((len(players), self.inputs), np.float32)
        count = self.game.num_players
        found[np.arange(len(players)), players] = 1
        for name, shape in self._fields.items():
            size = int(np.prod(shape))
            told = observations[name].reshape(len(players), -1)
            if name.endswith(CELLS) and len(shape) == 3:
                told = (told[:, :, None] == np.arange(math.prod(shape[1:]))).reshape(len(players), size)
            elif len(shape) < 2:
                told = np.sign(told) * np.log1p(np.abs(told.astype(np.float32)))
            found[:, count : count + size] = told
            count += size
        return found

    def forward(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return float32[n, heads, num_actions], the logits, and float32[n, num_players], the results in -1..1.

        The results are those of the viewer, the player after it, and so on.
        """
        count, weights = len(rows), self.weights
        seen = self._convolve(rows) if self.channels else rows
        usual = find_usual(seen)
        hidden = multiply(seen, usual, weights["layer0.weight"], weights["layer0.bias"])
        if self.around is not None and self.board is not None:
            usual = find_usual(rows) if self.channels else usual
            place = self.board.begin, self.own.start, self.around
            each = multiply_around(rows, usual, *place, weights["around.weight"], weights["around.bias"])
            hidden = (each + hidden[:, None]).reshape(count * self.heads, -1)
        np.maximum(hidden, 0, out=hidden)
        for k in range(1, len(self.hidden)):
            hidden = self._multiply(hidden, f"layer{k}")
            np.maximum(hidden, 0, out=hidden)
        values = self._multiply(hidden, "value").reshape(count, -1, self.game.num_players)
        logits = self._multiply(hidden, "policy").reshape(count, self.heads, self.game.num_actions)
        return logits, np.tanh(values.mean(axis=1))

    def _multiply(self, rows: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        """Return what a layer makes of rows."""
        found = _product(rows, self.weights[f"{name}.weight"])
        found += self.weights[f"{name}.bias"]
        return found

    def _convolve(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the rows with NECK numbers for each cell, after all others, in the place of the planes."""
        assert self.board is not None, "there are channels"
        planes, others = self.board.split(rows)
        weights = self.weights
        cells: NDArray[np.float32] = _slide(planes.transpose(0, 2, 3, 1)) @ weights["conv0.weight"]
        cells += (others @ weights["entry.weight"] + weights["conv0.bias"])[:, None, None]
        np.maximum(cells, 0, out=cells)
        for k in range(1, 2 * self.blocks + 1, 2):
            inner = _slide(cells) @ weights[f"conv{k}.weight"]
            inner += weights[f"conv{k}.bias"]
            np.maximum(inner, 0, out=inner)
            cells += _slide(inner) @ weights[f"conv{k + 1}.weight"]
            cells += weights[f"conv{k + 1}.bias"]
            np.maximum(cells, 0, out=cells)
        neck = np.maximum(cells @ weights["neck.weight"] + weights["neck.bias"], 0)
        return np.concatenate([others, neck.reshape(len(rows), -1)], axis=1)

    def see(self, observations: Mapping[str, NDArray[Any]], players: NDArray[np.int8]) -> NDArray[np.float32]:
        """Return the rows of the positions of an `Evaluator`, one each; one for each player if all decide at once."""
        count, seats = len(players), self.game.num_players
        if not self.game.is_simultaneous:
            return self.rows(observations, players)
        views = {name: observations[name].reshape(count * seats, -1) for name in self._fields}
        return self.rows(views, np.tile(np.arange(seats), count))

    def by_slot(
        self, logits: NDArray[np.float32], values: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the answers of `forward` to the rows of `see`, by slot.

        float32[n, num_slots, num_actions], the logits, and float32[n, num_slots], the result of the slot's player.
        """
        seats = self.game.num_players if self.game.is_simultaneous else 1
        logits = logits.reshape(-1, seats, *logits.shape[1:])[:, self.owner, self.head]
        return logits, values[:, 0].reshape(-1, seats)[:, self.owner]

    def __call__(
        self, observations: Mapping[str, NDArray[Any]], players: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return priors and values of positions, as an `Evaluator` (`masume.search.mcts`)."""
        logits, told = self.forward(self.see(observations, players))
        seats, every = self.game.num_players, np.arange(len(players))
        if self.game.is_simultaneous:
            return _exp(self.by_slot(logits, told)[0]), told[:, 0].reshape(-1, seats)
        values = np.empty_like(told)
        for ahead in range(seats):
            values[every, (players + ahead) % seats] = told[:, ahead]
        return _exp(logits), values

    # -- files --------------------------------------------------------------------------------------------

    def header(self) -> dict[str, Any]:
        """Return what a file says of the network, as plain JSON types."""
        config = self.game.config
        return {
            "kind": "network",
            "version": VERSION,
            "game": self.game.name,
            "config": None if config is None else config.to_dict(),
            "observe": list(self.observe),
            "crop": None if self.crop is None else list(self.crop),
            "hidden": list(self.hidden),
            "channels": self.channels,
            "blocks": self.blocks,
            "playouts": self.playouts,
        }

    def save(self, path: str | os.PathLike[str], dtype: str = "float32") -> None:
        """Write the network to a file, atomically, its weights as "float32" or "float16".

        OSError, which names `path`, if that fails. ConfigError if a weight is too large for a float16.
        """
        kind = choice("dtype", dtype, ("float32", "float16"))
        with np.errstate(over="ignore"):
            weights = {name: array.astype(kind) for name, array in self.weights.items()}
        if not all(np.isfinite(array).all() for array in weights.values()):
            raise ConfigError(f"dtype: expected float32, as a weight is too large, got {dtype!r}")
        write_atomic(path, pack(self.header(), weights))

    @classmethod
    def load(cls, path: str | os.PathLike[str], game: Game) -> Network:
        """Return the network of a file, or of the folder of a run.

        Parameters
        ----------
        path : path-like
            The file, or the folder.
        game : Game
            The game it is to play.

        Returns
        -------
        Network

        Raises
        ------
        ConfigError
            If it was trained on another game or config; only the config's seed may differ.
        ReplayError
            If the file is damaged, or a weight is not a finite number.
        OSError
            If the file cannot be read.
        """
        path = Path(path)
        path = path / FILE if path.is_dir() else path
        data = read_regular(path)
        with parsing(str(path)):
            header, weights = unpack(data)
            check_header(header, SHAPE, "network", VERSION)
        check_game(str(path), header, game)
        with parsing(str(path)):
            return cls.restore(header, weights, game)

    @classmethod
    def restore(cls, header: Mapping[str, Any], weights: Mapping[str, NDArray[Any]], game: Game) -> Network:
        """Return the network of a header and its arrays; any error means that they are damaged."""
        crop = None if header["crop"] is None else (header["crop"][0], header["crop"][1])
        shape = {name: header[name] for name in ("observe", "hidden", "channels", "blocks", "playouts")}
        for name, array in weights.items():
            if array.dtype not in (np.float32, np.float16):
                raise ReplayError(f"{name}: expected float32 or float16, got {array.dtype}")
            if not np.isfinite(array).all():
                raise ReplayError(f"{name}: expected finite numbers")
        floats = {name: array.astype(np.float32) for name, array in weights.items()}
        return cls(game, crop=crop, weights=floats, **shape)


def find_shipped(game: Game) -> dict[str, Path]:
    """Return the files of the networks in the folder `networks` of the game's package, by name."""
    if game.package is None or game.package.__file__ is None:
        return {}
    folder = Path(game.package.__file__).parent / "networks"
    return {path.stem: path for path in sorted(folder.glob("*.npz"))}


def networks_of(game: Game) -> list[str]:
    """Return the names of the shipped networks that play this game and config."""
    found = []
    for name, path in find_shipped(game).items():
        with contextlib.suppress(ConfigError):
            check_game(name, unpack(read_regular(path))[0], game)
            found.append(name)
    return found


def check_header(header: dict[str, Any], shape: dict[str, Any], kind: str, version: int) -> None:
    """Raise ReplayError unless the header of a file has this shape, kind and version."""
    shapes.read("", {key: header.get(key) for key in ("kind", "version")}, {"kind": str, "version": int}, ReplayError)
    if header["kind"] != kind:
        raise ReplayError(f"kind: expected {kind}, got {header['kind']!r:.60}")
    if header["version"] != version:
        raise ReplayError(f"version: expected {version}, got {header['version']}")
    shapes.read("", header, shape, ReplayError)


def check_game(where: str, header: Mapping[str, Any], game: Game) -> None:
    """Raise ConfigError unless a header's game and config, apart from its seed, are those of the game.

    If the config draws the board, the header's must be one that it draws.
    """
    if header["game"] != game.name:
        raise ConfigError(f"game: {where} is of {header['game']}, not of {game.name}")
    theirs = header["config"] or {}
    try:
        own = game.redrawn(theirs.get("seed", 0)).public.config
    except ConfigError as error:
        raise ConfigError(f"{error}, as {where} has it") from None
    mine = {} if own is None else own.to_dict()
    for field in sorted({*mine, *theirs} - {"seed"}):
        if mine.get(field) != theirs.get(field):
            told = f"expected {theirs.get(field)!r:.60}, as {where} has it, got {mine.get(field)!r:.60}"
            raise ConfigError(f"{field}: {told}")


def _choose_fields(spec: Mapping[str, tuple[tuple[int, ...], Any]]) -> list[str]:
    """Return the fields that a network sees by default."""
    cells = [name for name in spec if len(_shape_seen(name, spec)) == 3 and name.endswith(CELLS)]
    return [name for name in ("planes", *cells, "scalars") if name in spec]


def _shape_seen(name: str, spec: Mapping[str, tuple[tuple[int, ...], Any]]) -> tuple[int, ...]:
    """Return the shape in which a field is shown to the layers: numbers of cells as a plane each, beside planes."""
    shape = spec[name][0]
    board = spec["planes"][0] if "planes" in spec else ()
    return (*shape, *board[1:]) if name.endswith(CELLS) and len(board) == 3 else shape


def _form(game: Game, crop: int | tuple[int, int] | None) -> Form:
    """Return how the game's views are written: cropped as told, else as the game allows."""
    if crop is not None:
        return Form(game, "float32", crop)
    try:
        return Form(game, "float32", CROP)
    except ConfigError:  # its players are not in one place, or its boards are smaller
        return Form(game, "float32", None)


def _split_slots(game: Game) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the player and the head of each slot, as at the start of a game."""
    slots = np.arange(game.num_slots)
    if not game.is_simultaneous:
        return np.zeros_like(slots), slots
    owner = game.new_state().slots.astype(np.int64)
    owner = np.concatenate([owner, np.zeros(game.num_slots - len(owner), np.int64)])
    return owner, np.array([(owner[:slot] == owner[slot]).sum() for slot in slots])


def _product(rows: NDArray[np.float32], matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows @ matrix, as products that are small enough for OpenBLAS to make each on the thread that asks.

    It divides larger ones among all processors, and where these are busy its threads wait for each other a thousand
    times as long as the product takes. Matrices of more than 1,024 rows are left to it.
    """
    inputs, width = matrix.shape
    columns = SMALL // (STACK * inputs)
    if columns < LEAST_COLUMNS:
        return rows @ matrix
    stacks = -(-len(rows) // STACK)
    stacked = np.zeros((stacks * STACK, inputs), np.float32)
    stacked[: len(rows)] = rows
    found = np.empty((stacks, STACK, width), np.float32)
    for k in range(0, width, columns):
        np.matmul(stacked.reshape(stacks, STACK, inputs), matrix[:, k : k + columns], out=found[:, :, k : k + columns])
    return found.reshape(-1, width)[: len(rows)]


def _slide(cells: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return float32[n, rows, columns, 9 * channels]: the 3x3 cells around each, row by row; zeros outside."""
    count, rows, columns, channels = cells.shape
    padded = np.zeros((count, rows + 2, columns + 2, channels), np.float32)
    padded[:, 1:-1, 1:-1] = cells
    found = np.empty((count, rows, columns, 9, channels), np.float32)
    for k in range(9):
        down, right = divmod(k, 3)
        found[:, :, :, k] = padded[:, down : down + rows, right : right + columns]
    return found.reshape(count, rows, columns, 9 * channels)


def _exp(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights in proportion to exp(logits), none of them 0."""
    weights: NDArray[np.float32] = np.exp(np.maximum(logits - logits.max(axis=-1, keepdims=True), LEAST_LOGIT))
    return weights
