"""Hostile input, and the positions that it is made from: shared by tests/fuzz.py and the games' own entrances."""

from __future__ import annotations

import copy
import random
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import masume
from cases import GAMES
from masume.records import replay

ODD_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 127, -128, 255, 256, 2**15, 2**31 - 1, 2**31, -(2**31), 2**32, 2**63 - 1, 2**63,
    -(2**63) - 1, 2**64, 10**40, 0.0, -0.0, 0.5, 1.5, 1e308, float("inf"), float("-inf"), float("nan"), 1j,
    "", "0", "A", "STAY", "\0", "\ud800", "3", "²", "999999999999999999999", b"", b"\0",
    [], {}, [[]], [{}], {"a": 1}, {1: 2}, (), (1,), {1, 2}, range(3), object, len,
    np.int8(3), np.int64(-1), np.uint64(2**64 - 1), np.float32(2.5), np.bool_(True),
    np.zeros(0), np.zeros(3, np.int32), np.array(5),
]  # fmt: skip
ODD_TEXTS = [
    "", " ", "\n", "\r", "\t", "\0", "\x1c", "\u2028", "\ufeff", "A", "a", "z", ".", "-", ",", "@", ":",
    "0", "²", "٣", "９", "é", "🙂", "-1", "00", "1e9", "99999999999", "9" * 5000,
    "agents:", "played:", '"', "{", "}", "[", "]", "null", "NaN",
]  # fmt: skip
DTYPES = ("i1", "u1", "i2", "i8", "u4", "u8", "f4", "f8", "b1", "O", ">i4", "c8", "U3")


# -- mutations ------------------------------------------------------------------------------------


def mutate_bytes(rng: random.Random, data: bytes) -> bytes:
    """Return the bytes with some changed, removed, doubled or replaced."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        at = rng.randrange(len(data) + 1)
        way = rng.randrange(7)
        if way < 3 and data:
            data[at % len(data)] ^= 1 << rng.randrange(8)
        elif way == 3 and data:
            data[at % len(data)] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif way == 4:
            del data[at : at + rng.choice((1, 2, 8, len(data)))]
        elif way == 5:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 8, 64)))
        else:
            size = rng.choice((1, 2, 4, 8, len(data)))
            size = len(data[at : at + size])
            data[at : at + size] = rng.randbytes(size)
    return bytes(data)


def mutate_text(rng: random.Random, text: str) -> str:
    """Return the text with some letters, words or lines changed, removed, doubled or moved."""
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(text) + 1)
        way = rng.randrange(6)
        if way == 0:
            text = text[:at] + text[at + rng.choice((1, 2, 9)) :]
        elif way == 1:
            text = text[:at] + rng.choice(ODD_TEXTS) + text[at:]
        elif way == 2:
            text = text[:at] + rng.choice(ODD_TEXTS) + text[at + 1 :]
        elif way == 3:
            text = text[:at] + rng.choice(text or " ") + text[at + 1 :]
        else:
            lines = text.split("\n")
            first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
            if way == 4:
                lines[first], lines[second] = lines[second], lines[first]
            elif rng.random() < 0.5:
                lines.insert(first, lines[second])
            else:
                del lines[first]
            text = "\n".join(lines)
    return text


def odd_value(rng: random.Random, value: Any) -> Any:
    """Return a replacement for `value`: near it, of another type, or deeply nested."""
    way = rng.randrange(10)
    if way < 3 and isinstance(value, int):
        return value + rng.choice((-1, 1, 2, -(2**32), 2**32, 2**64))
    if way == 3 and isinstance(value, int | float):
        return rng.choice((float(value), str(value), np.float64(value), bool(value)))
    if way == 4:
        return [copy.copy(value)]
    if way == 5 and isinstance(value, str):
        return mutate_text(rng, value)
    if way == 6:
        for _ in range(rng.choice((2, 50, 300))):  # three levels of the last still fit into a repr
            value = [value]
        return value
    return copy.copy(rng.choice(ODD_VALUES))


def mutate_value(rng: random.Random, value: Any) -> Any:
    """Return a copy of nested dicts and lists in which something is changed, removed, doubled or added."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        holder = {"value": value}
        place: tuple[Any, Any] = (holder, "value")
        while True:
            node = place[0][place[1]]
            if not isinstance(node, dict | list) or not node or rng.random() < 0.15:
                break
            place = (node, rng.choice(list(node)) if isinstance(node, dict) else rng.randrange(len(node)))
        node, at = place
        way = rng.randrange(8)
        if way == 0 and node is not holder:
            del node[at]
        elif way == 1 and isinstance(node, list):
            node.insert(at, copy.copy(node[at]))
        elif way == 1 and node is not holder:
            node[rng.choice((f"{at}x", "x", "", 1, None, "self"))] = node[at]
        elif way == 2 and isinstance(node, list):
            other = rng.randrange(len(node))
            node[at], node[other] = node[other], node[at]
        else:
            node[at] = odd_value(rng, node[at])
        value = holder["value"]
    return value


def odd_actions(rng: random.Random, game: masume.Game, codes: list[int]) -> Any:
    """Return something that a caller might pass to apply instead of the codes."""
    array = np.array(codes, np.int32)
    way = rng.randrange(9)
    if way == 0:
        return array.astype(rng.choice(DTYPES))
    if way == 1:
        shorter, longer = array[:-1], np.append(array, 0)
        return rng.choice(
            (shorter, longer, longer[:0], np.repeat(array, 2)[::2], array[::-1], array[None], np.array(7))
        )
    if way == 2:
        array[rng.randrange(len(array))] = rng.choice((-1, -(2**31), 2**31 - 1, game.num_actions, rng.randrange(17)))
        return array
    if way == 3:
        array.flags.writeable = False
        return array
    if way == 4:
        kinds = (tuple, iter, set, str, dict.fromkeys)
        return rng.choice([kind(codes) for kind in kinds] + [bytes(len(codes)), memoryview(array)])
    return mutate_value(rng, codes)


# -- positions ------------------------------------------------------------------------------------


class UnsoundError(AssertionError):
    """Violation of something that must hold."""


def must(condition: bool, what: str) -> None:
    if not condition:
        raise UnsoundError(what)


def play_on(rng: random.Random, state: masume.State, plies: int) -> None:
    """Play random legal moves."""
    game = state.game
    while plies > 0 and len(state.slots):
        chosen = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
        state.apply(chosen if game.num_slots > 1 else chosen[0])
        plies -= 1


class Sample:
    """A game and one of its positions, drawn from the seed of a case."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.fields = rng.choice(GAMES[name].FUZZED)
        self.game = load(name, self.fields)
        self.state = self.game.new_state(rng.randrange(2**64))
        play_on(rng, self.state, rng.choice((0, 1, 4, 12, 40)))

    def codes(self) -> list[int]:
        """Return a legal code for each slot; zeros at the end."""
        state = self.state
        found = [int(self.rng.choice(np.flatnonzero(state.legal_mask(slot)))) for slot in range(len(state.slots))]
        return found or [0] * self.game.num_slots


_games: dict[str, masume.Game] = {}


def load(name: str, fields: dict[str, Any]) -> masume.Game:
    """Return masume.load(...), cached: it would take half the time of a case."""
    text = f"{name}{fields}"
    if text not in _games:
        _games[text] = masume.load(name, **fields)
    return _games[text]


_folder = tempfile.TemporaryDirectory(prefix="masume-fuzz-")


def load_last(data: bytes) -> masume.State:
    """Return the last position of the last replay of a file."""
    path = Path(_folder.name, "game")
    path.write_bytes(data)
    *_, state = replay.load(path)[-1].states()
    return state


Entrance = Callable[[Sample], "masume.State | None"]
