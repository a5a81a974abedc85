"""Compact planes, for all games: every form holds the values of the float32 planes."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import masume
from masume.core._wide import levels
from masume.errors import ConfigError
from masume.planes import expand

COMPACT = ("uint8", "bits", "float16", "bfloat16")


def positions(game, seed=0, count=12):
    """Yield positions of a random game, and the first player's views of them."""
    rng = np.random.default_rng(seed)
    state = game.new_state(seed)
    for _ in range(count):
        yield state
        if state.is_terminal():
            return
        for _ in range(7):
            if not state.is_terminal():
                codes = [int(rng.choice(state.legal_actions(slot))) for slot in range(len(state.slots))]
                state.apply(codes if game.num_slots > 1 else codes[0])


def rounded(planes, dtype):
    """Return float32 planes in another dtype, by NumPy."""
    if dtype == "bfloat16":
        bits = planes.view(np.uint32).astype(np.uint64)
        return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return planes.astype(dtype)


def fits(planes, spec):
    """Return whether each value of float32 planes is one of the levels: counts over 255 and such are not."""
    return all(np.isin(plane, known).all() for plane, known in zip(planes, spec.levels, strict=True))


def check(game, seeds=1):
    """Compare all forms of the planes of random positions; return the number of planes."""
    compared = 0
    specs = {
        (name, dtype): game.plane_spec(name, dtype)
        for name in game.batch(
            1,
            dtype="uint8",
            observe=[
                field for field, (shape, kind) in game.observation_spec.items() if kind == np.float32 and len(shape) > 1
            ],
        ).plane_specs
        for dtype in COMPACT
    }
    for seed in range(seeds):
        for state in positions(game, seed):
            for player in range(game.num_players):
                plain = state.observation(player)
                forms = {dtype: state.observation(player, dtype=dtype) for dtype in COMPACT}
                for name, floats in plain.items():
                    spec = specs.get((name, "uint8"))
                    if spec is None:
                        assert all(np.array_equal(form[name], floats) for form in forms.values())
                        continue
                    assert fits(floats, spec)
                    for dtype in ("uint8", "bits"):
                        form, spec = forms[dtype][name], specs[name, dtype]
                        assert form.shape == spec.array_shape
                        assert expand(form, spec).tobytes() == floats.tobytes()
                        assert np.array_equal(expand(form, spec, "uint8"), forms["uint8"][name])
                        for half in ("float16", "bfloat16"):
                            assert np.array_equal(expand(form, spec, half), forms[half][name])
                    with np.errstate(invalid="ignore"):
                        simple = (
                            forms["uint8"][name] * spec.scale[:, *[None] * (floats.ndim - 1)]
                            + spec.offset[:, *[None] * (floats.ndim - 1)]
                        )
                    assert simple.dtype == np.float32
                    linear = ~np.isnan(spec.scale)
                    assert simple[linear].tobytes() == floats[linear].tobytes()
                    for half in ("float16", "bfloat16"):
                        assert np.array_equal(forms[half][name].view(np.uint16), rounded(floats, half).view(np.uint16))
                    compared += len(floats)
    return compared


def test_every_form_holds_the_values_of_the_float_planes(game):
    """[section 9 of each game]"""
    assert check(game)


@pytest.mark.parametrize("level", levels()[:-1])
def test_every_cpu_level_writes_the_same_forms(level):
    """The best level is compared by the other tests."""
    script = """
import sys
sys.path[:0] = sys.argv[1:]
import masume
from cases import GAMES
from contract.test_planes import check
for name in GAMES:
    assert check(masume.load(name, **GAMES[name].CASES[0]))
"""
    tests = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", script, tests], env=os.environ | {"MASUME_CPU": level}, check=True)


@pytest.mark.parametrize("dtype", ["uint8", "bits", "float16", "bfloat16"])
def test_a_batch_writes_the_forms(game, dtype):
    """Observations, final observations and `look` in the form, as State.observation gives it."""
    batches = [game.batch(3, seed=5, final_observations=True, dtype=dtype, threads=threads) for threads in (1, 2)]
    viewers = range(game.num_players)
    for _ in range(min(30, game.max_game_length or 30)):
        for batch in batches:
            batch.sample_actions()
            batch.step()
        for name, array in batches[0].observations.items():
            assert array.tobytes() == batches[1].observations[name].tobytes()
        for i in range(3):
            state = batches[0].state(i)
            for name, array in batches[0].observations.items():
                seen = array[i] if game.is_simultaneous else array[i][None]
                shown = viewers if game.is_simultaneous else [max(0, state.current_player)]
                for player, view in zip(shown, seen, strict=True):
                    assert np.array_equal(view, state.observation(player, dtype=dtype)[name])
    if not game.is_simultaneous:
        batch = batches[0]
        plain = game.batch(3, seed=5)
        packed = game.batch(3, seed=5, dtype=dtype)
        for _ in range(5):
            plain.sample_actions()
            plain.step()
            packed.sample_actions()
            packed.step()
        players = np.full(3, game.num_players - 1, np.int8)
        plain.look(players)
        packed.look(players)
        for name, spec in packed.plane_specs.items():
            if dtype in ("uint8", "bits"):
                assert expand(packed.observations[name], spec).tobytes() == plain.observations[name].tobytes()
            else:
                found = rounded(plain.observations[name], dtype)
                assert packed.observations[name].tobytes() == found.tobytes()


@pytest.mark.parametrize("crop", [1, 11, (3, 7), (45, 13), (47, 51)])
@pytest.mark.parametrize("dtype", ["float32", *COMPACT])
def test_a_crop_is_the_part_around_the_player(crop, dtype):
    """CHaser: the own cell is in the middle; beyond the edge everything is 0."""
    game = masume.load("chaser")
    rows, columns = crop if isinstance(crop, tuple) else (crop, crop)
    for state in positions(game, 3):
        for player in range(2):
            whole = state.observation(player, dtype="float32")["planes"]
            row, column = np.argwhere(whole[4])[0]
            wide = np.pad(whole, ((0, 0), (rows, rows), (columns, columns)))
            top, left = row + rows - rows // 2, column + columns - columns // 2
            expected = wide[:, top : top + rows, left : left + columns]
            found = state.observation(player, dtype=dtype, crop=crop)["planes"]
            if dtype in ("uint8", "bits"):
                found = expand(found, game.plane_spec(dtype=dtype, crop=crop))
                assert found.tobytes() == expected.tobytes()
            else:
                assert np.array_equal(found, rounded(np.ascontiguousarray(expected), dtype))
    batch = game.batch(2, dtype=dtype, crop=crop)
    spec = batch.plane_specs["planes"]
    assert (spec.shape, batch.observations["planes"].shape) == ((7, rows, columns), (2, *spec.array_shape))


class Window:
    """The row and column of a player's own start in the planes of what it has seen, by the words of section 9.7."""

    def __init__(self, config):
        self.sides = config.height, config.width
        self.at = [(side + 18) // 2 for side in self.sides]

    def follow(self, first):
        """Move so that all cells known to be inside, with nine around them, are in it; `first`: first values seen."""
        inside = [(0, 0), *(cell for cell, value in first.items() if value != 2)]
        for axis, side in enumerate(self.sides):
            least = 9 - min(cell[axis] for cell in inside)
            most = side + 8 - max(cell[axis] for cell in inside)
            if not least <= self.at[axis] <= most:
                self.at[axis] = (least + most) // 2

    def cut(self, planes):
        """Return the part of the float planes."""
        (height, width), (row, column) = self.sides, self.at
        row, column = height + 8 - row, width + 8 - column
        wide = np.pad(planes, ((0, 0), (18, 18), (18, 18)))  # a corner of it may lie outside the planes
        return np.ascontiguousarray(wide[:, row + 18 : row + height + 36, column + 18 : column + width + 36])


@pytest.mark.parametrize("size", [(15, 17), (4, 4), (6, 9), (40, 5), (5, 60)])
def test_what_has_been_seen_is_a_part_that_follows_the_player(size):
    """[section 9.7]: nothing that is not 0 is outside it; looks and searches last longer than random methods."""
    height, width = size
    game = masume.load("chaser", height=height, width=width, n_blocks=2, n_items=2, turn_limit=60)
    moved = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        state, twin = game.new_state(seed), game.reference.State.new(game.config, seed)
        windows = Window(game.config), Window(game.config)
        while True:
            for player, window in enumerate(windows):
                before = list(window.at)
                window.follow(twin.knowledge(player).first)
                moved += window.at != before
                planes = state.observation(player)["planes"]
                expected = window.cut(planes)
                assert np.count_nonzero(expected) == np.count_nonzero(planes)
                for dtype in ("float32", *COMPACT):
                    found = state.observation(player, dtype=dtype, crop="seen")["planes"]
                    if dtype in ("uint8", "bits"):
                        found = expand(found, game.plane_spec(dtype=dtype, crop="seen"))
                        assert found.tobytes() == expected.tobytes()
                    else:
                        assert np.array_equal(found, rounded(expected, dtype))
            if state.is_terminal():
                break
            action = int(rng.integers(4)) if rng.random() < 0.3 else int(rng.integers(4, 16))
            state.apply(action)
            twin.apply(action)
    assert moved


@pytest.mark.parametrize("size", [(5, 4), (7, 5), (4, 8), (5, 39), (4, 40), (6, 64), (64, 4)])
def test_chaser_draws_fields_of_every_width(size):
    """Rows of up to 57 cells are words; the planes are those of the reference, whole and around the player."""
    height, width = size
    game = masume.load("chaser", height=height, width=width, n_blocks=0, n_items=2, turn_limit=30)
    state, twin, rng = game.new_state(7), game.reference.State.new(game.config, 7), np.random.default_rng(1)
    while True:
        for player in range(2):
            planes = np.array(twin.observation(player)["planes"], np.float32)
            assert np.array_equal(state.observation(player)["planes"], planes)
            found = state.observation(player, dtype="uint8")["planes"]
            assert np.array_equal(expand(found, game.plane_spec()), planes)
            row, column = np.argwhere(planes[4])[0]
            around = np.pad(planes, ((0, 0), (9, 9), (9, 9)))[:, row : row + 19, column : column + 19]
            found = state.observation(player, dtype="bits", crop=19)["planes"]
            assert np.array_equal(expand(found, game.plane_spec(dtype="bits", crop=19)), around)
        if state.is_terminal():
            break
        action = int(rng.integers(16))
        state.apply(action)
        twin.apply(action)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chaser", {"dtype": "int8"}, "dtype: expected one of float32, uint8, bits, float16, bfloat16, got 'int8'"),
        ("chaser", {"crop": 10}, "crop: expected odd numbers, as the player is in the middle, got 10"),
        ("chaser", {"crop": 65}, "crop: expected 1..63, got 65"),
        ("chaser", {"crop": (3, 3, 3)}, r"crop: expected rows and columns, or one number for both, got \(3, 3, 3\)"),
        ("chaser", {"crop": 49}, r"crop: expected at most \[47, 51\], the size of 'planes', got \[49, 49\]"),
        ("chaser", {"crop": 3, "observe": ["ready"]}, "crop: expected an observed field that can be cropped, got 3"),
        ("chaser", {"crop": "all"}, "crop: expected one of seen, got 'all'"),
        ("nezumi", {"crop": "seen", "stage": "garden"}, "crop: expected another value, as all of nezumi may be seen"),
        ("nezumi", {"crop": 3, "stage": "garden"}, "crop: expected None, as a player of nezumi is not in one place"),
    ],
)
def test_a_bad_form_is_named(name, options, message):
    fields = {key: options.pop(key) for key in ("stage",) if key in options}
    with pytest.raises(ConfigError, match=message):
        masume.load(name, **fields).batch(2, **options)


def test_games_whose_bytes_mean_different_values_have_no_common_form():
    stages = [masume.load("nezumi", stage=stage) for stage in ("garden", "garden")]
    assert masume.Batch(stages, 2, dtype="uint8").plane_specs
    other = masume.load("nezumi", stage=doubled(stages[0].config.start_stage))
    masume.Batch([stages[0], other], 2)
    with pytest.raises(ConfigError, match="dtype: the bytes of 'planes' mean other values in"):
        masume.Batch([stages[0], other], 2, dtype="uint8")


def doubled(stage):
    """Return a stage whose first food has twice the amount."""
    first = next(cell for cell, amount in enumerate(stage.food) if amount)
    food = tuple(2 * amount if cell == first else amount for cell, amount in enumerate(stage.food))
    return dataclasses.replace(stage, food=food, foods=(), letters=())


def test_expand_names_what_does_not_fit():
    game = masume.load("nezumi", stage="garden")
    spec = game.plane_spec()
    planes = game.new_state(0).observation(0, dtype="uint8")["planes"]
    for given, options, message in (
        (planes.astype(np.int8), {}, r"planes: expected uint8\[7, 7, 7\], got int8\[7, 7, 7\]"),
        (planes[:6], {}, r"got uint8\[6, 7, 7\]"),
        (planes.transpose(0, 2, 1), {}, "planes: expected an aligned, C-contiguous array"),
        ([1], {}, "planes: expected an ndarray, got list"),
        (planes, {"out": np.zeros(3)}, r"out: expected float32\[7, 7, 7\], got float64\[3\]"),
        (planes, {"dtype": "uint8", "out": planes}, "out: it overlaps planes"),
        (planes, {"dtype": "bits"}, "dtype: expected one of float32, uint8, float16, bfloat16, got 'bits'"),
    ):
        with pytest.raises(ValueError, match=message):
            expand(given, spec, **options)
    with pytest.raises(ValueError, match="spec: expected one of uint8, bits, got 'float16'"):
        expand(planes, game.plane_spec(dtype="float16"))


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_a_large_batch_writes_the_views_of_a_small_one(game, dtype):
    """From 8 MiB of a field on views are streamed past the caches; rows do not depend on the size of the batch."""
    few = 5
    spec = game.plane_spec(dtype=dtype) if dtype != "float32" else None
    shape, kind = (spec.array_shape, spec.array_dtype) if spec else game.observation_spec["planes"]
    views = game.num_players if game.is_simultaneous else 1
    size = 2**23 // (views * int(np.prod(shape)) * np.dtype(kind).itemsize) + few
    large, small = game.batch(size, seed=3, dtype=dtype, threads=2), game.batch(few, seed=3, dtype=dtype)
    large.observations["planes"].view(np.uint8)[:] = 77
    for _ in range(2):
        for batch in (large, small):
            batch.sample_actions()
            batch.step()
        for name, array in small.observations.items():
            assert np.array_equal(large.observations[name][:few], array)
    for i in range(size - few, size):
        state = large.state(i)
        for player in range(views) if game.is_simultaneous else [state.current_player]:
            view = large.observations["planes"][i]
            expected = state.observation(player, dtype=dtype)["planes"]
            assert np.array_equal(view[player] if game.is_simultaneous else view, expected)
