"""Views of which only what changed is written (`only_changes`): after every step they equal views written in full."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import masume
from masume.core._wide import levels
from masume.envs.gymnasium import VectorEnv
from masume.errors import ConfigError

SMALL = {"width": 9, "height": 7, "n_blocks": 4, "n_items": 6, "turn_limit": 12}
FIELDS = [{}, SMALL, {"height": 64, "width": 4, "n_blocks": 0, "n_items": 2}, {"height": 4, "width": 40, "n_blocks": 6}]
FORMS = [
    (dtype, crop)
    for dtype in ("float32", "uint8", "bits", "float16", "bfloat16")
    for crop in (None, 5, (3, 11), "seen")
]
CODES = {"any": range(16), "safe": range(4, 12)}  # looks and searches end no game
GAMES, STEPS = 24, 60


def equal(one, other):
    """Return whether all observations are the same bytes."""
    return all(array.tobytes() == other.observations[name].tobytes() for name, array in one.observations.items())


def compare(game, seed, codes="any", seats=None, steps=STEPS, **options):
    """Step a batch that writes changes beside one that writes everything; return the number of games that ended.

    Rows are left out, looked at by other players, started anew and given the game of another row now and then.
    """
    batches = [game.batch(GAMES, seed=seed, only_changes=only, **options) for only in (True, False)]
    rng = np.random.default_rng(seed)
    for batch in batches:
        if seats is not None:
            batch._show_only(seats)
    for step in range(steps):
        played, looked = rng.random(GAMES) < 0.9, rng.random(GAMES) < 0.1
        renewed = (rng.random(GAMES) < 0.05) & (rng.random() < 0.1)
        actions = rng.choice(CODES[codes], GAMES).astype(np.int32)
        viewers = rng.integers(0, 2, GAMES).astype(np.int8)
        spare = [{name: np.empty_like(array) for name, array in batch.observations.items()} for batch in batches]
        for batch, out in zip(batches, spare, strict=True):
            batch.actions[:, 0] = actions
            batch.step(mask=played)
            batch.look(1 - viewers, looked, out)
            batch.look(viewers, looked)
            batch.reset(None, renewed)
            if step % 5 == 4:
                batch.load([step % GAMES], [batch.state(7 * step % GAMES)])
        assert equal(*batches)
    return batches[0].stats()["games"]


def check(seeds=1):
    """Compare all forms on random games; return how many games ended."""
    ended = 0
    for number, fields in enumerate(FIELDS):
        game = masume.load("chaser", **fields)
        for dtype, crop in FORMS:
            for seed in range(seeds):
                for seats in (None, np.arange(GAMES, dtype=np.int8) % 2):
                    ended += compare(game, 10 * seed + number, seats=seats, dtype=dtype, crop=crop)
    return ended


def test_changes_give_the_views_written_in_full():
    """[section 9.7]"""
    assert check() > 5_000


@pytest.mark.parametrize(("dtype", "crop"), FORMS)
def test_long_games_too(dtype, crop):
    """Bytes of recency stop at 255, and the frame of a player's knowledge moves."""
    game = masume.load("chaser", turn_limit=400)
    seats = np.arange(GAMES, dtype=np.int8) % 2
    compare(game, 1, "safe", seats, 700, dtype=dtype, crop=crop)


@pytest.mark.parametrize("level", levels()[:-1])
def test_every_cpu_level_writes_the_same_changes(level):
    script = "import sys; sys.path[:0] = sys.argv[1:]; from contract.test_changes import check; assert check()"
    tests = Path(__file__).parents[1]
    subprocess.run([sys.executable, "-c", script, tests], env=os.environ | {"MASUME_CPU": level}, check=True)


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_playouts_final_observations_and_threads(autoreset):
    game = masume.load("chaser", **SMALL)
    options = {"autoreset": autoreset, "final_observations": True, "dtype": "uint8"}
    batches = [
        game.batch(300, seed=3, threads=threads, only_changes=only, **options)
        for threads, only in ((1, False), (1, True), (2, True))
    ]
    for number in range(60):
        for batch in batches:
            if number % 20 == 19:
                batch.playout()
            batch.sample_actions()
            batch.step()
        for batch in batches[1:]:
            assert equal(batch, batches[0])
            for name, array in batch.final_observations.items():
                assert array.tobytes() == batches[0].final_observations[name].tobytes()


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
@pytest.mark.parametrize("opponents", ["random", "forager", "greedy"])
@pytest.mark.parametrize("options", [{}, {"dtype": "uint8"}, {"dtype": "bits", "crop": 5}, {"crop": "seen"}])
def test_environments_write_changes_by_themselves(mode, opponents, options):
    """With opponents the views are the learner's, and `VectorEnv` asks for changes alone."""
    envs = [
        VectorEnv(
            "chaser",
            6,
            autoreset_mode=mode,
            opponents=opponents,
            player=None,
            copy=False,
            only_changes=only,
            **options,
            **SMALL,
        )
        for only in (None, False)
    ]
    rng = np.random.default_rng(1)
    (seen, _), (full, _) = [env.reset(seed=4) for env in envs]
    assert not seen["planes"].flags.writeable
    assert full["planes"].flags.writeable
    for _ in range(40):
        codes = rng.integers(0, 16, 6)
        (seen, _, ended, _, told), (full, _, _, _, same) = [env.step(codes) for env in envs]
        assert all(seen[name].tobytes() == full[name].tobytes() for name in seen)
        for one, other in zip(told.get("final_obs", ()), same.get("final_obs", ()), strict=True):
            assert (one is None) == (other is None)
            assert one is None or all(np.array_equal(one[name], other[name]) for name in one)
        if mode == "Disabled" and ended.any():
            for env in envs:
                env.reset(options={"reset_mask": ended})


def test_self_play_writes_everything():
    """There the view of a row changes from player to player."""
    assert VectorEnv("chaser", 2, copy=False, **SMALL).reset(seed=1)[0]["planes"].flags.writeable
    assert VectorEnv("nezumi", 2, opponents="random", copy=False).reset(seed=1)[0]["planes"].flags.writeable


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("chaser", {"only_changes": 1}, "only_changes: expected True or False, got 1"),
        (
            "chaser",
            {"observe": ("scalars",), "only_changes": True},
            r"only_changes: expected False, as chaser can write so only \['planes'\] of its fields, got True",
        ),
        (
            "nezumi",
            {"only_changes": True},
            "only_changes: expected False, as nezumi can write so no field of its observations, got True",
        ),
        (
            "chaser",
            {"only_changes": True, "buffers": {"planes": np.zeros((2, 7, 47, 51), np.float32)}},
            r"only_changes: expected False with buffers\['planes'\], which others can write, got True",
        ),
    ],
)
def test_a_bad_use_is_named(name, options, message):
    with pytest.raises(ConfigError, match=message):
        masume.load(name).batch(2, **options)


def test_nobody_else_writes_into_the_arrays():
    """Other buffers, which are written in full, stay the caller's."""
    rewards = np.zeros((2, 2), np.float32)
    batch = masume.load("chaser").batch(2, only_changes=True, buffers={"rewards": rewards})
    assert batch.rewards is rewards
    assert batch.observations["scalars"].flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        batch.observations["planes"][:] = 0
