"""The edge of C: the entrances of tests/fuzz.py for methods, specs of planes, and forms of observations."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

import callers
import foreign
import masume
from masume.core.planes import DTYPES
from masume.planes import expand
from mutations import ODD_VALUES, Entrance, Sample, must, odd_value

METHODS = [method for module in foreign.compiled_modules() for method in foreign.list_methods(module)]


def foreign_self(s: Sample) -> masume.State:
    """Call a method with another object."""
    kind, name, function = s.rng.choice(METHODS)
    self = s.rng.choice((*ODD_VALUES, s.state, s.game, kind, callers.half_made(s.rng, s.game)))
    if not isinstance(self, kind):
        call = s.rng.choice(foreign.list_ways(kind, name, function, self))
        told = foreign.refusal(call, *[odd_value(s.rng, 0) for _ in range(s.rng.randrange(5))])
        must("does not apply to a" in told, f"{kind.__name__}.{name} of a {type(self).__name__}: {told}")
    return s.state


def odd_array(s: Sample, array: Any) -> Any:
    """Return an array like this one, or one that is not; a part of it, or something else."""
    way = s.rng.randrange(8)
    if way < 2:
        return array
    if way == 2:
        return array[s.rng.randrange(len(array) + 1) :] if array.ndim else array
    if way == 3:
        return np.repeat(array, 2, axis=0)[::2] if array.ndim else array[None]
    if way == 4:
        return array.astype(s.rng.choice(("i1", "u1", "f4", "f8", ">f4", "b1", "u2")))
    if way == 5:
        return array.reshape(-1)
    if way == 6:
        return callers.arrays(s.rng, s.game)
    return odd_value(s.rng, array)


def plane_specs(s: Sample) -> None:
    """Expand planes by a spec of which some fields are changed."""
    spec = s.game.plane_spec(dtype=s.rng.choice(("uint8", "bits")))
    planes = s.state.observation(0, dtype=spec.dtype)["planes"]
    changed: dict[str, Any] = {}
    for name in s.rng.sample(("levels", "scale", "offset", "is_bits", "shape", "dtype"), s.rng.choice((0, 1, 1, 2))):
        value = getattr(spec, name)
        if name == "shape":
            changed[name] = s.rng.choice(
                (value[::-1], value[1:], (*value, 1), (2**20, *value[1:]), odd_value(s.rng, 3))
            )
        elif name == "dtype":
            changed[name] = s.rng.choice((*DTYPES, odd_value(s.rng, value)))
        else:
            changed[name] = odd_array(s, value)
    made = dataclasses.replace(spec, **changed)
    given = odd_array(s, planes) if s.rng.random() < 0.5 else planes
    kind = s.rng.choice(("float32", "uint8", "float16", "bfloat16", odd_value(s.rng, "float32")))
    room = np.zeros(spec.shape, s.rng.choice(("f4", "u1", "u2", "f2")))
    found = expand(given, made, kind, s.rng.choice((None, None, room, odd_array(s, room), given)))
    must(found.shape[-len(made.shape) :] == tuple(made.shape), "another shape")


def odd_option(s: Sample, *good: Any) -> Any:
    return s.rng.choice(good) if s.rng.random() < 0.9 else odd_value(s.rng, good[0])


def odd_form(s: Sample) -> dict[str, Any]:
    """Return a dtype and a crop, most of which some game has."""
    crop = odd_option(s, *[None] * 8, "seen", 3, 7, (3, 5), [5, 3], (1, 2**31 - 1), 2)
    return {"dtype": odd_option(s, *DTYPES), "crop": crop}


def forms(s: Sample) -> None:
    """Observe in another form, into own arrays or those of the caller."""
    form, player = odd_form(s), s.rng.randrange(s.game.num_players)
    seen = s.state.observation(player, **form)
    out = {name: odd_array(s, np.zeros_like(array)) if s.rng.random() < 0.2 else array for name, array in seen.items()}
    again = s.state.observation(player, out, **form)
    for name, array in again.items():
        must(array.tobytes() == seen[name].tobytes(), f"{name}: another view")


def batch_forms(s: Sample) -> None:
    """Step a batch with such forms, changes alone, and buffers; its views are those of its states."""
    rng, game = s.rng, s.game
    form, size = odd_form(s), rng.choice((1, 2, 5))
    names = odd_option(s, ("planes", "scalars"), ("planes",), tuple(game.observation_spec), None)
    options = form | {
        "observe": names, "only_changes": odd_option(s, False, True), "masks": odd_option(s, True, False, "packed"),
        "autoreset": odd_option(s, "same_step", "next_step", "disabled"), "threads": odd_option(s, 1, 1, 2),
        "final_observations": odd_option(s, False, True), "rewards": odd_option(s, "returns", "score"),
    }  # fmt: skip
    if rng.random() < 0.5:
        plain = game.batch(size, **options)
        fields = {"rewards": plain.rewards, "actions": plain.actions, "seeds": plain.seeds, "masks": plain.masks}
        fields |= plain.observations
        chosen = rng.sample([name for name, array in fields.items() if array is not None], rng.choice((1, 1, 2)))
        given = {name: odd_array(s, np.zeros_like(fields[name])) for name in chosen}
        if rng.random() < 0.2:
            given = dict.fromkeys(given, next(iter(given.values())))
        options["buffers"] = odd_option(s, given)
    batch = game.batch(size, seed=rng.randrange(2**64), **options)
    for _ in range(rng.choice((1, 4, 20))):
        batch.sample_actions()
        batch.step()
        if game.num_slots == 1 and rng.random() < 0.3 and not game.is_simultaneous:
            batch.look(np.array([rng.randrange(game.num_players) for _ in range(size)], np.int8))
            batch.reset()
    if batch.observations and not game.is_simultaneous:
        for row in range(size):
            one = batch.state(row)
            for name, array in one.observation(max(one.current_player, 0), **form).items():
                if name in batch.observations:
                    must(array.tobytes() == batch.observations[name][row].tobytes(), f"{name}: another view")


def batch_rows(s: Sample) -> None:
    """Put States into rows and take them out."""
    batch = s.game.batch(3, threads=s.rng.choice((1, 2)))
    states = [s.state, s.game.new_state(1)]
    rows = odd_array(s, np.array(s.rng.sample(range(3), 2)))
    given = s.rng.choice((states, states, states[:1], odd_value(s.rng, states), [s.state, odd_value(s.rng, None)]))
    batch.load(rows, given)
    for row, state in zip(rows, given, strict=True):
        must(batch.state(int(row)) == state, "another state")


def batch_pickles(s: Sample) -> None:
    """Make a batch again from what it saved, of which a part is changed, and play on."""
    rng, game = s.rng, s.game
    batch = game.batch(rng.choice((1, 3)), seed=rng.randrange(2**64), **odd_form(s))
    for _ in range(rng.choice((0, 1, 7))):
        batch.sample_actions()
        batch.step()
    make, options, saved = batch.__reduce__()
    part = rng.choice(("arrays", "finals", "blocks", "blocks", "blocks", *saved))
    held = saved[part]
    if not isinstance(held, dict) or rng.random() < 0.1:
        saved[part] = odd_value(rng, held)
    elif held and rng.random() < 0.9:
        name = rng.choice(sorted(held))
        if isinstance(held[name], bytes) and rng.random() < 0.8:
            data = bytearray(held[name])
            for _ in range(rng.choice((1, 1, 4)) if data else 0):
                data[rng.randrange(len(data))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
            held[name] = bytes(data)
        else:
            held[name] = odd_array(s, held[name]) if isinstance(held[name], np.ndarray) else odd_value(rng, held[name])
    again = make(*options)
    again.__setstate__(saved)
    for _ in range(5):
        again.sample_actions()
        again.step()
    for row in range(len(again)):
        again.state(row)


REFUSED = (ValueError, TypeError)
ENTRANCES: dict[Entrance, tuple[type[Exception], ...]] = {
    foreign_self: (),
    plane_specs: REFUSED,
    forms: REFUSED,
    batch_forms: REFUSED,
    batch_rows: REFUSED,
    batch_pickles: (*REFUSED, KeyError, AttributeError),
}
