"""Hostile input: mutations of what masume writes, given to everything that reads.

    python tests/fuzz.py --cases 100000 --seed 1 [--game kakomimasu]

A case is one seed: a game, a position, an entrance and a mutation. Whatever comes in, the entrance takes it
or raises what it documents; a position that is taken passes check() and can be played on, copied and written.
The cases run in a child, so that a crash or a hang costs one case and is reported like any other failure.
Prints the seed of each failure, then a total; the exit status is 1 if there was one. Run a failure again with
`--cases 1 --seed SEED` and the same --game.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import functools
import json
import mmap
import os
import pickle
import random
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import masume
from masume.records import replay
from masume.terraforming.reference import MAX_ROBOTS


def stage(*rows: str) -> str:
    """The text of a Nezumi stage of these rows."""
    head = ["nezumi-stage 1", "name: drawn", "max_mice: 4", "require: 2", "turns: 40"]
    return "\n".join([*head, "food: a crumb 1mg", "food: b wheel 1000000kg", "map:", *rows, ""])


CONFIGS: dict[str, list[dict[str, Any]]] = {
    "battleship": [
        {},
        {"preset": "submarine", "width": 3, "height": 4},
        {"preset": "tag", "mission": "flagship", "fp_base": 40},
        {"width": 9, "height": 9, "players": 3, "fleet_sizes": [12, 1, 12], "fuel": False, "max_rounds": 30},
        {"fleets": ["BDSO", "DS"], "terrain_weights": [1, 1, 1, 1, 1], "surface_period": 1, "attack_known_reef": False},
    ],
    "chaser": [
        {"height": 5, "width": 4, "n_blocks": 2, "n_items": 2, "turn_limit": 6},
        {"height": 1, "width": 64, "n_blocks": 0, "n_items": 8, "turn_limit": 40, "seed": 5},
        {"map": "N:island\nT:30\nD:0,3,2,0\nD:3,0,3,0\nD:0,0,0,3\nC:0,0\nH:3,0\n"},
        {"height": 64, "width": 64, "n_blocks": 400, "n_items": 900},
        {},
    ],
    "kakomimasu": [
        {"width": 4, "height": 3, "n_agents": 2, "total_turns": 9, "seed": 1},
        {"width": 9, "height": 7, "n_players": 4, "n_agents": 5, "total_turns": 30, "seed": 2, "symmetry": "none"},
        {"width": 30, "height": 30, "n_players": 3, "n_agents": 16, "total_turns": 5, "put_on_enemy_wall": "server"},
        {"width": 1, "height": 1, "n_agents": 1, "total_turns": 2},
        {},
    ],
    "nezumi": [
        {"stage": stage("ZZa.", "##.#", "ZZbC"), "turns": 3},
        {"stage": stage("Z.C")},
        {
            "stage": stage("Z" + 30 * "." + "a", *29 * [32 * "Z"], 32 * ".", 31 * "b" + "C"),
            "max_mice": 255,
            "require": 255,
        },
        {"stage": "siege", "surround_flip": True},
        {},
    ],
    "terraforming": [
        {"radius": 1, "max_turns": 9},
        {"preset": "contest", "radius": 2, "max_turns": 30, "score_limit": 0, "seed": 4},
        {"radius": 10, "max_turns": 2, "hole_mode": "chance", "hole_divisor": 2, "hole_cap": 110, "map_check": "none"},
        {"ruleset": "contest", "map": "AI # . / . . BI # / . . . . . / . # . . / . CI .", "max_turns": 3},
        {},
    ],
}
HANG_S = 60

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
    """The bytes with some changed, lost, doubled or replaced."""
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
    """The text with some letters, words or lines changed, lost, doubled or moved."""
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
    """Something in the place of `value`: near it, of another type, or deep."""
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
        for _ in range(rng.choice((2, 50, 300))):  # three of the last still fit into a repr
            value = [value]
        return value
    return copy.copy(rng.choice(ODD_VALUES))


def mutate_value(rng: random.Random, value: Any) -> Any:
    """A copy of nested dicts and lists in which something is changed, lost, doubled or added."""
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
    """What somebody may give to apply in the place of the codes."""
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


# -- what must hold -------------------------------------------------------------------------------


class UnsoundError(AssertionError):
    """Something that must hold does not."""


def must(condition: bool, what: str) -> None:
    if not condition:
        raise UnsoundError(what)


def play_on(rng: random.Random, state: masume.State, plies: int) -> None:
    """Random legal moves."""
    game = state.game
    while plies > 0 and len(state.slots):
        chosen = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
        state.apply(chosen if game.num_slots > 1 else chosen[0])
        plies -= 1


def outgrown(state: masume.State) -> bool:
    """Whether home bases or shields made more robots of the most that a dict or a text may hold. [TF section 12]"""
    return state.game.name == "terraforming" and sum(state.to_dict()["robots"]) > MAX_ROBOTS


def assert_sound(rng: random.Random, state: masume.State) -> None:
    """A position that was let in is one: checked, written, read back, seen and played on."""
    game = state.game
    state.check()
    variables, key, data = state.to_dict(), state.key, state.to_bytes()
    json.dumps(variables, allow_nan=False)
    twins = {"clone": state.clone(), "bytes": game.state_from_bytes(data)}
    if not outgrown(state):
        twins["dict"] = game.state_from_dict(variables)
        if game.package is not None:
            twins["text"] = game.parse(str(state))
    for name, twin in twins.items():
        must(twin.to_dict() == variables, f"{name}: another dict")
        must(twin.key == key, f"{name}: another key")
    for player in range(game.num_players):
        state.observation(player)
    for slot in range(len(state.slots)):
        must(int(state.legal_mask(slot).sum()) == len(state.legal_actions(slot)) > 0, "mask and legal actions differ")
    must(state.to_bytes() == data, "looking changed the state")
    play_on(rng, state, rng.choice((1, 3)))
    state.check()
    state.scores()
    must(state.is_terminal() or not state.returns().any(), "returns before the end")


class Sample:
    """A game and a position of it, drawn from the seed of a case."""

    def __init__(self, rng: random.Random, name: str) -> None:
        self.rng, self.name = rng, name
        self.fields = rng.choice(CONFIGS.get(name, [{}]))
        self.game = load(name, self.fields)
        self.state = self.game.new_state(rng.randrange(2**64))
        play_on(rng, self.state, rng.choice((0, 1, 4, 12, 40)))

    def codes(self) -> list[int]:
        """A legal code for each slot; zeros at the end."""
        state = self.state
        found = [int(self.rng.choice(np.flatnonzero(state.legal_mask(slot)))) for slot in range(len(state.slots))]
        return found or [0] * self.game.num_slots


_games: dict[str, masume.Game] = {}


def load(name: str, fields: dict[str, Any]) -> masume.Game:
    """masume.load, remembered: half of a case would be spent on it."""
    text = f"{name}{fields}"
    if text not in _games:
        _games[text] = masume.load(name, **fields)
    return _games[text]


# -- entrances: each gives mutated input in, and returns the position it became, if any ----------------


def state_bytes(s: Sample) -> masume.State:
    return s.game.state_from_bytes(mutate_bytes(s.rng, s.state.to_bytes()))


def state_dict(s: Sample) -> masume.State:
    return s.game.state_from_dict(mutate_value(s.rng, s.state.to_dict()))


def text_board(s: Sample) -> masume.State:
    return s.game.parse(mutate_text(s.rng, str(s.state)))


def action_text(s: Sample) -> None:
    slot = s.rng.randrange(max(1, len(s.state.slots)))
    legal = s.state.legal_actions(slot)
    text = s.state.action_to_text(int(s.rng.choice(legal)), slot) if len(legal) else "0"
    action = s.state.text_to_action(mutate_text(s.rng, text), slot)
    must(s.state.text_to_action(s.state.action_to_text(action, slot), slot) == action, "another action")


def actions(s: Sample) -> masume.State:
    codes, before, history = s.codes(), s.state.to_bytes(), copy.copy(s.state.history)
    several = s.game.num_slots > 1
    given = odd_actions(s.rng, s.game, codes) if several else odd_value(s.rng, s.state.decode(codes[0]))
    try:
        s.state.apply(given)
    except ValueError:
        must(s.state.to_bytes() == before and s.state.history == history, "a refused action changed the state")
        raise
    return s.state


def batch_actions(s: Sample) -> None:
    size = s.rng.choice((1, 3))
    batch = s.game.batch(size, on_illegal=s.rng.choice(("raise", "fallback")), observe=None)
    batch.sample_actions()
    given = batch.actions.ravel().tolist()
    before = batch.states.tobytes()
    array = odd_actions(s.rng, s.game, given)
    if s.rng.random() < 0.5 and isinstance(array, np.ndarray) and array.size == len(given):
        array = array.reshape(size, -1)
    try:
        batch.step(array)
    except masume.IllegalActionError:
        pass
    except ValueError:
        must(batch.states.tobytes() == before, "refused actions changed a state")
        raise
    for row in batch.states:
        assert_sound(s.rng, s.game.state_from_bytes(row.tobytes()))


def numbers(s: Sample) -> None:
    """Players, slots, codes, actions and seeds that are none."""
    value = odd_value(s.rng, s.rng.randrange(3))
    small = value if value != 2**31 - 1 else -1  # a batch of so many would be made
    game, state, before = s.game, s.state, s.state.to_bytes()
    calls: list[Callable[[], Any]] = [
        lambda: state.legal_actions(value), lambda: state.legal_mask(value), lambda: state.legal_mask(0, value),
        lambda: state.observation(value), lambda: state.observation(0, value),
        lambda: state.observation(0, {"planes": value}), lambda: state.information_state(value),
        lambda: state.decode(value), lambda: state.encode(value),
        lambda: state.action_to_text(value), lambda: state.text_to_action(value),
        lambda: state.forfeit(value, 0), lambda: state.forfeit(0, value), lambda: state.copy_from(value),
        lambda: state.resample(value, 1), lambda: state.resample(0, value),
        lambda: masume.load(value), lambda: masume.load(s.name, value), lambda: masume.load(s.name, preset=value),
        lambda: game.new_state(value), lambda: game.parse(value),
        lambda: game.state_from_bytes(value), lambda: game.state_from_dict(value),
        lambda: game.batch(small, observe=None, masks=False), lambda: game.batch(1, seed=value),
        lambda: game.batch(1, threads=small), lambda: game.batch(1, observe=value), lambda: game.batch(1, masks=value),
        lambda: game.batch(1, rewards=value), lambda: game.batch(1, autoreset=value),
        lambda: game.batch(1, buffers=value), lambda: game.batch(1, buffers={"rewards": value}),
        lambda: game.batch(1).reset(seed=value), lambda: game.batch(1).reset(mask=value),
    ]  # fmt: skip
    try:
        s.rng.choice(calls)()
    finally:
        must(state.to_bytes() == before or state.is_terminal(), "the state changed")


def config(s: Sample) -> masume.State:
    fields = dict(s.fields) or s.game.config.to_dict()
    fields = mutate_value(s.rng, s.rng.choice((fields, s.game.config.to_dict())))
    if not isinstance(fields, dict) or not all(isinstance(name, str) for name in fields):
        raise masume.ConfigError("what is no keyword cannot be given")
    game = masume.load(s.name, **fields)
    again = masume.load(s.name, **game.config.to_dict())
    must(again.config.to_dict() == game.config.to_dict(), "the config does not read back")
    must(pickle.loads(pickle.dumps(game)) == game, "the game does not read back")
    return game.new_state()


def replay_file(s: Sample) -> masume.State:
    """A whole game, or a game's beginning as `start`, with a mutation in a line, in its JSON, or in the bytes."""
    rng, game = s.rng, s.game
    start = s.state.to_dict() if rng.random() < 0.5 and game.memory_size == 0 else None
    seed = rng.randrange(2**63)
    state = game.new_state(seed) if start is None else s.state.clone()
    moves: list[Any] = []
    while not state.is_terminal() and len(moves) < 30:
        chosen = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
        moves.append(chosen if game.num_slots > 1 else chosen[0])
        state.apply(moves[-1])
    results = state.returns().tolist(), state.scores().tolist()
    lines = replay.Replay(game, seed, ["x"] * game.num_players, moves, *results, start=start).to_lines()
    data = "".join(line + "\n" for line in lines).encode()
    way = rng.randrange(3)
    if way == 0:
        data = mutate_bytes(rng, data)
    elif way == 1:
        data = mutate_text(rng, data.decode()).encode(errors="surrogatepass")
    else:
        at = rng.randrange(len(lines))
        lines[at] = json.dumps(mutate_value(rng, json.loads(lines[at])), default=str, skipkeys=True)
        data = "\n".join(lines).encode(errors="surrogatepass")
    return loaded(data)


def loaded(data: bytes) -> masume.State:
    """The last position of the last replay of a file."""
    path = Path(_folder.name, "game")
    path.write_bytes(data)
    *_, state = replay.load(path)[-1].states()
    return state


def kakomimasu_boards(s: Sample) -> masume.State:
    from masume.kakomimasu import boards

    shipped = [board.to_json() for board in boards.shipped().values()]
    contest = {"width": 2, "height": 1, "points": [[1, -2]], "teams": [{"agents": [{}, {}]}, {"agents": [{}, {}]}]}
    value = s.rng.choice((shipped[0], shipped[:3], {board["name"]: board for board in shipped[:3]}, contest))
    value = mutate_value(s.rng, value)
    if s.rng.random() < 0.5:
        value = mutate_text(s.rng, json.dumps(value, default=str, skipkeys=True))
    found = boards.load_boards(value)
    must(boards.load_boards(boards.dump_boards(found.values())) == found, "the boards do not read back")
    return masume.load("kakomimasu", board=next(iter(found.values()))).new_state() if found else s.state


def kakomimasu_lists(s: Sample) -> masume.State:
    """The list form of a turn."""
    before = s.state.to_bytes()
    try:
        s.state.apply_lists(mutate_value(s.rng, random_turn(s)), s.rng.choice(("raise", "fallback")))
    except ValueError:
        must(s.state.to_bytes() == before, "a refused turn changed the state")
        raise
    return s.state


def random_turn(s: Sample) -> list[list[list[Any]]]:
    """An entry for every agent."""
    own = s.game.config

    def entry(agent: int) -> list[Any]:
        kind = s.rng.choice(("STAY", "PUT", "PUT", "MOVE", "REMOVE"))
        return [agent, kind, s.rng.randrange(own.width), s.rng.randrange(own.height)]

    return [[entry(agent) for agent in range(own.n_agents)] for _ in range(own.n_players)]


def kakomimasu_game_json(s: Sample) -> masume.State:
    """The match server's record of a game."""
    from masume.kakomimasu import protocol

    def new_state(own: Any) -> masume.State:
        return masume.load("kakomimasu", **own.to_dict()).new_state()

    own = s.game.config
    turns = [random_turn(s) for _ in range(min(own.total_turns, s.rng.choice((0, 1, 3))))]
    write = functools.partial(protocol.game_to_json, new_state=new_state)
    read = functools.partial(protocol.game_from_json, new_state=new_state, put_on_enemy_wall=own.put_on_enemy_wall)
    value = mutate_value(s.rng, write(own, turns))
    if s.rng.random() < 0.3:
        text = mutate_text(s.rng, json.dumps(value, default=str, skipkeys=True))
        if s.rng.random() < 0.5:
            return loaded(text.encode(errors="surrogatepass"))
        value = text
    found, turns = read(value)
    must(read(write(found, turns)) == (found, turns), "the game does not read back")
    return new_state(found)


def chaser_maps(s: Sample) -> masume.State:
    from masume.chaser.maps import Map

    found = Map.parse(mutate_bytes(s.rng, s.game.config.start_map(s.rng.randrange(2**64)).to_text().encode()))
    must(Map.parse(found.to_text()) == found, "the map does not read back")
    return masume.load("chaser", map=found).new_state()


def chaser_samples(s: Sample) -> masume.State:
    """Samples of a position of which what its players have seen is changed."""
    size = s.game.state_size
    data = bytearray(s.state.to_bytes())
    for _ in range(s.rng.choice((0, 1, 2))):
        data[s.rng.randrange(size, len(data))] = s.rng.choice((0, 4, 5, 6, 7, 8, 12, s.rng.randrange(256)))
    state = s.game.state_from_bytes(bytes(data))
    sample = state.resample(max(0, state.current_player), s.rng.randrange(2**64))
    must(sample.information_state(sample.current_player) == state.information_state(state.current_player), "unlike")
    return sample


_folder = tempfile.TemporaryDirectory(prefix="masume-fuzz-")

Entrance = Callable[[Sample], "masume.State | None"]
ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = {
    state_bytes: (masume.StateError,),
    state_dict: (masume.StateError,),
    text_board: (masume.NotationError, masume.StateError),
    action_text: (masume.NotationError,),
    actions: (ValueError,),
    batch_actions: (ValueError,),
    numbers: (ValueError, TypeError),
    config: (masume.ConfigError, masume.NotationError),
    replay_file: (masume.ReplayError,),
}
OWN_ENTRANCES: dict[str, dict[Entrance, tuple[type[Exception], ...]]] = {
    "chaser": {
        chaser_maps: (masume.ConfigError, masume.NotationError),
        chaser_samples: (ValueError,),
    },
    "kakomimasu": {
        kakomimasu_boards: (masume.ConfigError,),
        kakomimasu_lists: (ValueError,),
        kakomimasu_game_json: (masume.ReplayError,),
    },
}


# -- running --------------------------------------------------------------------------------------


def run_case(seed: int, names: tuple[str, ...]) -> tuple[str, bool]:
    """(the entrance of this seed, whether it let the input in); anything undocumented is raised."""
    rng = random.Random(seed)
    sample = Sample(rng, rng.choice(names))
    entrances = ENTRANCES | OWN_ENTRANCES.get(sample.name, {})
    entrance = rng.choice(list(entrances))
    try:
        state = entrance(sample)
    except entrances[entrance]:
        return entrance.__name__, False
    if state is not None:
        assert_sound(rng, state)
    return entrance.__name__, True


def failures(seed: int, cases: int, names: tuple[str, ...], counts: dict[str, list[int]]) -> Iterator[tuple[int, str]]:
    """(seed, what happened) of each of the cases that fails; counts[entrance] = [cases, let in]."""
    last = seed + cases
    while seed < last:
        with mmap.mmap(-1, 8) as now:  # the case the child is at
            read, write = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(read)
                try:
                    _run_cases(seed, last, names, now, write)
                finally:
                    os._exit(0)
            os.close(write)
            status = _wait(child, now)
            with os.fdopen(read) as pipe:
                report = json.loads(pipe.read() or "{}")
            at = int.from_bytes(now[:], "little")
        for name, (done, accepted) in report.get("counts", {}).items():
            total = counts.setdefault(name, [0, 0])
            total[0] += done
            total[1] += accepted
        if "failure" in report:
            yield at, report["failure"]
        elif status:
            hung = f": no end after {HANG_S} s" if status == signal.SIGKILL else ""
            yield at, f"killed by {signal.Signals(status).name}{hung}"
        elif not report:
            yield at, "the process ended"
        else:
            return
        seed = at + 1


def _run_cases(seed: int, last: int, names: tuple[str, ...], now: mmap.mmap, write: int) -> None:
    """In the child: the cases up to the first that fails."""
    report: dict[str, Any] = {"counts": {}}
    for case in range(seed, last):
        now[:] = case.to_bytes(8, "little")
        try:
            entrance, accepted = run_case(case, names)
        except BaseException:
            report["failure"] = traceback.format_exc()
            break
        count = report["counts"].setdefault(entrance, [0, 0])
        count[0] += 1
        count[1] += accepted
    with os.fdopen(write, "w") as pipe:
        json.dump(report, pipe)


def _wait(child: int, now: mmap.mmap) -> int:
    """The signal that ended the child, 0 if none did; a child that stays at one case for long is killed."""
    case, since = now[:], time.monotonic()
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status & 0x7F
        if now[:] != case:
            case, since = now[:], time.monotonic()
        elif time.monotonic() - since > HANG_S:
            os.kill(child, signal.SIGKILL)
            since = time.monotonic()
        time.sleep(0.005)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Mutations of what masume writes, given to everything that reads.")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", choices=masume.games())
    options = parser.parse_args(arguments)
    faulthandler.enable()
    names = (options.game,) if options.game else masume.games()
    counts: dict[str, list[int]] = {}
    failed = 0
    for seed, what in failures(options.seed, options.cases, names, counts):
        failed += 1
        print(f"seed {seed}: {what}", flush=True)
    for name, (done, accepted) in sorted(counts.items()):
        print(f"{name}: {done} cases, {accepted} let in")
    print(f"{options.cases} cases from seed {options.seed}, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
