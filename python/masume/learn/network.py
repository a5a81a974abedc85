"""Network: a policy and a value for each position of one game, in float32 arrays that NumPy runs.

The flattened fields of a player's view, and which player that is, go through layers of rectified linear units. From
the last one come the logits of the codes for each slot of that player, and the result expected for each player, the
viewer's first.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core._planes import Form
from ..core.config import choice, integer
from ..core.files import read_regular, write_atomic
from ..core.rng import stream
from ..errors import ConfigError, ReplayError
from ..records.reading import check_shape, parsing
from .packed import pack, unpack

if TYPE_CHECKING:
    from ..game import Game

FILE = "network.npz"
"""Name of the network in the folder of a run."""

VERSION = 1
CROP = 11  # rows and columns, in games whose views have a middle
LEAST_LOGIT = -30.0  # below the greatest: no prior of a legal code is 0
MAX_WIDTH, MAX_LAYERS = 4096, 8
SHAPE = {
    "kind": str,
    "version": int,
    "game": str,
    "config": dict | None,
    "observe": [str],
    "crop": list | None,
    "hidden": [int],
}

Weights = dict[str, NDArray[np.float32]]


class Network:
    """Policy-value network of one game; as an `Evaluator` it answers a search about many leaves at once.

    Parameters
    ----------
    game : Game
        The game.
    observe : sequence of str, optional
        Fields of the observation that it sees. None: those of "planes" and "scalars" that the game has.
    crop : int or (int, int), optional
        Odd numbers of rows and columns: it sees only this part of the planes, around the player. None: 11, in games
        that can crop; elsewhere everything.
    hidden : sequence of int, optional
        Width of each layer, 1..4096; at most 8 layers. Default (128, 128).
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
    inputs : int
        Numbers that it sees of a view.
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
        seed: int = 0,
        weights: Weights | None = None,
    ) -> None:
        self.game = game.public
        form = _form(self.game, crop)
        if isinstance(form.crop, str):
            raise ConfigError(f"crop: expected odd numbers, got {form.crop!r}")
        self.crop = form.crop
        spec = form.spec
        wanted = [name for name in ("planes", "scalars") if name in spec] if observe is None else observe
        self.observe = tuple(choice("observe", name, tuple(spec)) for name in wanted)
        if not self.observe:
            raise ConfigError(f"observe: expected at least one field of {', '.join(spec)}")
        self.hidden = tuple(integer("hidden", width, 1, MAX_WIDTH) for width in hidden)
        if not 1 <= len(self.hidden) <= MAX_LAYERS:
            raise ConfigError(f"hidden: expected 1..{MAX_LAYERS} layers, got {len(self.hidden)}")
        self._fields = {name: spec[name][0] for name in self.observe}
        self.inputs = game.num_players + sum(int(np.prod(shape)) for shape in self._fields.values())
        self.owner, self.head = _split_slots(game)
        self.heads = int(self.head.max()) + 1
        self.weights = self._draw(integer("seed", seed, 0, 2**64 - 1)) if weights is None else weights
        shapes = self.shapes
        if {name: array.shape for name, array in self.weights.items()} != shapes:
            raise ConfigError(f"weights: expected arrays of the shapes {shapes}")

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by name."""
        found: dict[str, tuple[int, ...]] = {}
        before = self.inputs
        for k, width in enumerate(self.hidden):
            found |= {f"layer{k}.weight": (before, width), f"layer{k}.bias": (width,)}
            before = width
        codes, players = self.heads * self.game.num_actions, self.game.num_players
        return found | {
            "policy.weight": (before, codes),
            "policy.bias": (codes,),
            "value.weight": (before, players),
            "value.bias": (players,),
        }

    def _draw(self, seed: int) -> Weights:
        """Return first weights: He's for the layers, nearly none for the policy, which begins uniform."""
        rng = np.random.Generator(np.random.PCG64(stream(seed, 0)))
        found: Weights = {}
        for name, shape in self.shapes.items():
            scale = 0.01 if name == "policy.weight" else (2 / shape[0]) ** 0.5
            found[name] = (
                np.zeros(shape, np.float32)
                if len(shape) == 1
                else (scale * rng.standard_normal(shape)).astype(np.float32)
            )
        return found

    # -- answers ------------------------------------------------------------------------------------------

    def rows(self, observations: Mapping[str, NDArray[Any]], players: NDArray[Any]) -> NDArray[np.float32]:
        """Return what the layers see of views: float32[n, inputs].

        observations : {field: array[n, *shape]}, cropped. players : int[n], who looks. Fields without rows and columns,
        which may hold any number, are shown as sign(x) * log(1 + abs(x)).
        """
        found = np.zeros((len(players), self.inputs), np.float32)
        count = self.game.num_players
        found[np.arange(len(players)), players] = 1
        for name, shape in self._fields.items():
            size = int(np.prod(shape))
            told = observations[name].reshape(len(players), size)
            if len(shape) < 2:
                told = np.sign(told) * np.log1p(np.abs(told.astype(np.float32)))
            found[:, count : count + size] = told
            count += size
        return found

    def forward(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return float32[n, heads, num_actions], the logits, and float32[n, num_players], the results in -1..1.

        The results are those of the viewer, the player after it, and so on.
        """
        for k in range(len(self.hidden)):
            rows = rows @ self.weights[f"layer{k}.weight"]
            rows += self.weights[f"layer{k}.bias"]
            np.maximum(rows, 0, out=rows)
        logits = rows @ self.weights["policy.weight"] + self.weights["policy.bias"]
        values = np.tanh(rows @ self.weights["value.weight"] + self.weights["value.bias"])
        return logits.reshape(len(rows), self.heads, self.game.num_actions), values

    def __call__(
        self, observations: Mapping[str, NDArray[Any]], players: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return priors and values of positions, as an `Evaluator` (`masume.search.mcts`)."""
        count, seats = len(players), self.game.num_players
        every = np.arange(count)
        if self.game.is_simultaneous:
            views = {name: observations[name].reshape(count * seats, *shape) for name, shape in self._fields.items()}
            logits, values = self.forward(self.rows(views, np.tile(np.arange(seats), count)))
            logits = logits.reshape(count, seats, self.heads, -1)[:, self.owner, self.head]
            return _exp(logits), values.reshape(count, seats, seats)[:, :, 0]
        logits, told = self.forward(self.rows(observations, players))
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
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file, atomically; OSError, which names `path`, if that fails."""
        write_atomic(path, pack(self.header(), self.weights))

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
        network = cls(game, observe=header["observe"], crop=crop, hidden=header["hidden"], weights=dict(weights))
        for name, array in weights.items():
            if array.dtype != np.float32:
                raise ReplayError(f"{name}: expected float32, got {array.dtype}")
            if not np.isfinite(array).all():
                raise ReplayError(f"{name}: expected finite numbers")
        return network


def check_header(header: dict[str, Any], shape: dict[str, Any], kind: str, version: int) -> None:
    """Raise ReplayError unless the header of a file has this shape, kind and version."""
    check_shape("", {key: header.get(key) for key in ("kind", "version")}, {"kind": str, "version": int})
    if header["kind"] != kind:
        raise ReplayError(f"kind: expected {kind}, got {header['kind']!r:.60}")
    if header["version"] != version:
        raise ReplayError(f"version: expected {version}, got {header['version']}")
    check_shape("", header, shape)


def check_game(where: str, header: Mapping[str, Any], game: Game) -> None:
    """Raise ConfigError unless a header's game and config, apart from its seed, are those of the game."""
    if header["game"] != game.name:
        raise ConfigError(f"game: {where} is of {header['game']}, not of {game.name}")
    own = game.public.config
    mine, theirs = ({} if own is None else own.to_dict()), header["config"] or {}
    for field in sorted({*mine, *theirs} - {"seed"}):
        if mine.get(field) != theirs.get(field):
            told = f"expected {theirs.get(field)!r:.60}, as {where} has it, got {mine.get(field)!r:.60}"
            raise ConfigError(f"{field}: {told}")


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


def _exp(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights in proportion to exp(logits), none of them 0."""
    weights: NDArray[np.float32] = np.exp(np.maximum(logits - logits.max(axis=-1, keepdims=True), LEAST_LOGIT))
    return weights
