"""Engine features beyond the rules: layout, widths, derived values, masks against apply, canonical codes."""

import functools

import numpy as np
import pytest

import masume.terraforming
from masume.core import _playout
from masume.core._wide import levels
from masume.core.rng import Rng
from masume.game import Game
from masume.terraforming import _engine, canonical_codes, canonical_indices, hexes, maps
from masume.terraforming.buildings import BUILDABLE, HOME, PLAZA, SHIELD, TOWER
from masume.terraforming.config import Config
from masume.terraforming.notation import BUILT, CHOOSE, MOVE, PER_AMOUNT, PRE
from masume.terraforming.reference import MAX_ROBOTS, State

from . import rotation
from .campaign import fill_board

RULESETS = tuple(BUILDABLE)
MIDDLE = 9  # the index of (0, 0) at radius 2


def crowd(ruleset="rulebook", radius=2, seed=1, fill="rich", **fields):
    """Return a State with robots and buildings of all players."""
    game = masume.load("terraforming", ruleset=ruleset, radius=radius, **fields)
    return game.state_from_dict(fill_board(game.config, game.new_state(seed).to_dict(), fill, Rng(seed)))


def random_play(state, rng, actions):
    """Play at random, and yield the state before each action."""
    for _ in range(actions):
        if state.is_terminal():
            return
        yield state
        legal = state.legal_actions()
        state.apply(int(legal[rng.below(len(legal))]))


# -- layout -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_state_is_a_kilobyte_and_a_half_at_radius_6(ruleset):
    assert masume.load("terraforming", ruleset=ruleset).state_size == 1536
    sizes = [masume.load("terraforming", ruleset=ruleset, radius=radius).state_size for radius in range(1, 11)]
    assert all(size % 64 == 0 for size in sizes)
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("radius", "ruleset", "codes"), [(6, "rulebook", 4065), (6, "contest", 3811), (1, "contest", 211)]
)
def test_codes_are_1_and_24_moves_and_the_builds_of_each_cell(radius, ruleset, codes):
    assert masume.load("terraforming", radius=radius, ruleset=ruleset).num_actions == codes


def test_the_fields_of_the_bytes_are_the_nouns():
    state = crowd("contest", 3, 5)
    fields = state.array
    assert fields["robots"].tolist() == state.robots.tolist()
    assert fields["moved"].tolist() == state.moved.tolist()
    assert fields["scores"].tolist() == state.scores().tolist()
    assert fields["worth"].tolist() == (state.bonus + state.material).tolist()
    assert ((fields["land"] >> 5).astype(int) - 1).tolist() == state.owner.tolist()
    assert (fields["land"] & 15).tolist() == state.building.tolist()
    assert (fields["land"] >> 4 & 1).tolist() == state.hole.tolist()
    assert fields["num_bases"] == (state.building > 0).sum()
    assert (fields["player"], fields["ply"], fields["phase"], fields["finished"]) == (
        state.player, state.ply, state.phase, state.finished,
    )  # fmt: skip
    words = np.ascontiguousarray(fields["sets"].T)  # [set, word]
    bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
    for player in range(3):
        assert np.flatnonzero(bits[player]).tolist() == np.flatnonzero(state.owner == player).tolist()
    assert np.flatnonzero(bits[3]).tolist() == np.flatnonzero(state.robots > 0).tolist()
    assert np.flatnonzero(bits[4]).tolist() == np.flatnonzero(np.isin(state.building, (1, 2, 3, 8))).tolist()
    assert not state.robots.flags.writeable
    assert not state.moved.flags.writeable


def test_nouns_are_those_of_the_reference():
    for seed in range(6):
        state = crowd(RULESETS[seed % 2], 1 + seed // 2, seed)
        twin = State.from_dict(state.game.config, state.to_dict())
        for name in ("turn", "ranks", "winner", "player", "ply", "phase", "finished"):
            assert getattr(state, name) == getattr(twin, name)
        assert state.material.tolist() == twin.material
        for player in range(3):
            for cell in range(state.game.config.num_cells):
                assert state.material_sum(cell, player) == twin.material_sum(cell, player)
    for cell, player in ((-1, 0), (7, 0), (0, 3), (True, 0), ("0", 0)):
        with pytest.raises(ValueError, match=r"cell|player"):
            masume.load("terraforming", radius=1).new_state().material_sum(cell, player)


# -- derived values ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("radius", [1, 2, 5, 6, 9, 10])
def test_all_that_is_derived_stays_right(ruleset, radius):
    for seed in range(3):
        state = crowd(ruleset, radius, seed, ("rich", "dense", "sparse")[seed], max_turns=40)
        for at in random_play(state, Rng(seed), 60):
            at.check()
        state.check()


def test_a_byte_that_does_not_follow_is_refused():
    game = masume.load("terraforming", radius=3)
    state = crowd(radius=3, seed=2)
    data = np.frombuffer(state.to_bytes(), np.uint8)
    refused = 0
    for at in range(game.state_size):
        for bit in (1, 128):
            changed = data.copy()
            changed[at] ^= bit
            try:
                game.state_from_bytes(changed.tobytes()).check()
            except masume.StateError:
                refused += 1
    robots, moved = game.state_dtype.fields["robots"][1], game.state_dtype.fields["moved"][1]
    others = game.state_size - 4 * 37 * 2  # without robots and moved, which may change if the moves stay the same
    assert moved - robots == 4 * 37
    assert refused > 2 * others * 0.9


@pytest.mark.parametrize("which", range(6))
def test_each_set_is_checked(which):
    state = crowd(radius=2, seed=3)
    changed = np.frombuffer(bytearray(state.to_bytes()), state.game.state_dtype)
    changed["sets"][..., which] ^= 1
    with pytest.raises(masume.StateError, match="follows"):
        state.game.state_from_bytes(changed.tobytes())


@pytest.mark.parametrize("field", ["num_moves", "scores", "num_bases", "specials", "moves"])
def test_each_derived_field_is_checked(field):
    state = crowd(radius=2, seed=3)
    changed = np.frombuffer(bytearray(state.to_bytes()), state.game.state_dtype)
    changed[field] += 1
    with pytest.raises(masume.StateError, match="follows"):
        state.game.state_from_bytes(changed.tobytes())


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("phase", PRE, "phase"),
        ("ply", -1, "ply"),
        ("ply", 601, "ply"),
        ("player", 2, "player"),
        ("finished", 2, "finished"),
        ("land", 0x9F, "building"),
        ("land", 10, "building"),
        ("robots", -1, "robots"),
        ("robots", 2**31 - 1, "robots"),
        ("moved", 1, "moved"),
        ("worth", 1, r"bonus|follows"),
    ],
)
def test_a_field_out_of_range_is_named(field, value, message):
    state = masume.load("terraforming", radius=2).new_state(1)
    changed = np.frombuffer(bytearray(state.to_bytes()), state.game.state_dtype)
    changed[field] = value
    with pytest.raises(masume.StateError, match=message):
        state.game.state_from_bytes(changed.tobytes())


# -- masks, codes and apply ---------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_mask_is_what_apply_takes(ruleset):
    """Every RL code is tried, and its exact code, on small boards."""
    for seed in range(4):
        state = crowd(ruleset, 1 + seed % 2, seed, max_turns=30)
        for at in random_play(state, Rng(seed), 12):
            mask = at.legal_mask()
            for code in range(-1, at.game.num_actions + 1):
                action = at.decode(code)
                legal = 0 <= code < len(mask) and bool(mask[code])
                if action >= 0:
                    assert at.encode(action) == code
                    assert (at.why_illegal(action) is None) == legal
                    assert at.clone().attempt(action) == legal
                else:
                    assert not legal
            assert [at.encode(int(action)) for action in at.legal_actions()] == np.flatnonzero(mask).tolist()


def test_a_batch_takes_the_codes_of_the_mask_alone():
    game = masume.load("terraforming", radius=1, max_turns=5)
    batch = game.batch(game.num_actions, seed=3, autoreset="disabled", observe=None)
    batch.reset(seed=3)
    for _ in range(4):
        batch.sample_actions()
        batch.step()
    codes = np.arange(game.num_actions, dtype=np.int32)
    legal = batch.masks[codes, 0, codes] == 1
    rows = batch.states.view(("u1", game.state_size))
    before = rows.copy()
    with pytest.raises(masume.IllegalActionError):
        batch.step(codes)
    assert legal.any()
    assert ((rows != before).any(axis=1) == legal).all()


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("radius", [1, 6, 10])
def test_packed_masks_are_the_masks(ruleset, radius):
    game = masume.load("terraforming", ruleset=ruleset, radius=radius, max_turns=30)
    plain, packed = (game.batch(5, seed=4, observe=None, masks=masks) for masks in (True, "packed"))
    for _ in range(150):
        for batch in (plain, packed):
            batch.sample_actions()
            batch.step()
        bits = np.unpackbits(packed.masks_packed.view(np.uint8), axis=-1, count=game.num_actions, bitorder="little")
        assert np.array_equal(bits, plain.masks)


def test_samples_are_uniform_over_the_mask():
    """In a position with builds, every legal code is drawn about equally often."""
    state = masume.load("terraforming", radius=1).parse("ply 1\na2 a30 / a30 a55 BI3 / #a12 c1")
    codes = np.flatnonzero(state.legal_mask())
    assert codes[-1] > 24 * 7
    rng, drawn = 1, []
    for _ in range(200 * len(codes)):
        (action,), rng = state._choose(state.player, "random", rng)
        drawn.append(state.encode(action))
    counts = np.bincount(drawn, minlength=state.game.num_actions)
    assert np.flatnonzero(counts).tolist() == codes.tolist()
    assert abs(counts[codes] - 200).max() < 90


def test_decode_of_a_code_out_of_range_is_none():
    state = masume.load("terraforming", radius=1).new_state()
    for code in (-1, state.game.num_actions, 2**31, 2**70, -(2**70)):
        assert state.decode(code) == -1
    for action in (-1, 2**62, 2**63 - 1, 2**70, 1 + 14 * 7, PER_AMOUNT):
        assert state.encode(action) == -1
        assert state.why_illegal(action) in ("6.4", "M6") or action == 2**62
    for bad in (True, "1", 1.5, None):
        for call in (state.why_illegal, state.attempt, state.decode, state.encode):
            with pytest.raises(ValueError, match=r"action|code"):
                call(bad)


def test_tf_r26_a_lock_takes_the_moves_away():
    """TF-R26"""
    state = crowd("contest", 2, 9)
    assert state.phase == CHOOSE
    lock = state.clone()
    assert not lock.attempt(1)  # moves no robots [M2]
    assert lock.phase == MOVE
    lock.check()
    assert (lock.legal_actions() % PER_AMOUNT <= 6 * 19).all()
    lock = state.clone()
    foreign = int(np.flatnonzero(state.owner != state.player)[0])
    assert not lock.attempt(1 + 6 * 19 + 6 * foreign)
    assert lock.phase == BUILT
    lock.check()
    assert lock.legal_actions().tolist() == [0]
    free = masume.load("terraforming", ruleset="contest", radius=2, illegal_locks=False).state_from_dict(
        state.to_dict()
    )
    assert not free.attempt(1)
    assert free.to_dict() == state.to_dict()


# -- the canonical view -------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("radius", [1, 3])
def test_the_canonical_view_is_that_of_the_rotated_board(ruleset, radius):
    """Planes, masks and codes of seat v equal those of the board rotated by 240 and 120 degrees. [section 9]"""
    state = crowd(ruleset, radius, 4)
    config = state.game.config
    codes, indices = canonical_codes(config), canonical_indices(config)
    assert codes.shape == (3, state.game.num_actions)
    assert indices.shape == (3, 1 + (6 + len(BUILDABLE[ruleset])) * config.num_cells)
    for seat, turns in enumerate((0, 2, 1)):
        assert codes[seat].tolist() == rotation.rotate_codes(config, turns)
        assert indices[seat].tolist() == [rotation.rotate_action(config, i, turns) for i in range(len(indices[seat]))]
        shown = state.game.state_from_dict(rotation.rotate(state.to_dict(), turns))
        mask = np.zeros(state.game.num_actions, np.uint8)
        mask[codes[seat]] = state.legal_mask()
        assert np.array_equal(mask, shown.legal_mask())
        seen, own = state.observation(seat), shown.observation(seat)
        assert np.array_equal(seen["canonical_planes"], own["planes"])
        assert np.array_equal(seen["canonical_grid"], own["grid"])
    with pytest.raises(TypeError, match="config"):
        canonical_codes(None)


def test_the_canonical_view_of_a_start_is_the_same_for_all_seats():
    """Each seat sees its own third as T0: homes and holes are where player 0 sees its own. [TF-25]"""
    state = masume.load("terraforming").new_state(12345)
    views = [state.observation(seat)["canonical_grid"] for seat in range(3)]
    for plane in (0, 4, 5):
        assert np.array_equal(views[0][plane], views[1][plane])
        assert np.array_equal(views[0][plane], views[2][plane])


# -- widths [section 12, 15] ----------------------------------------------------------------------------


def rows_of(radius):
    """Return the variables of an empty board, in the first turn of player 0."""
    count = len(hexes.cells(radius))
    return {
        "owner": [-1] * count, "robots": [0] * count, "moved": [0] * count, "hole": [False] * count,
        "building": [0] * count, "bonus": [0] * count, "player": 0, "ply": 1, "phase": CHOOSE, "finished": False,
    }  # fmt: skip


def besiege(owner=0):
    """Return the maximum of robots on the middle cell, inside six shields of their player and towers of player 1."""
    variables = rows_of(2)
    around = [hexes.indices(2)[cell] for cell in hexes.neighbours((0, 0))]
    for cell in range(19):
        variables["owner"][cell] = owner if cell in (*around, MIDDLE) else 1
        variables["building"][cell] = SHIELD if cell in around else 0 if cell == MIDDLE else TOWER
    variables["robots"][MIDDLE] = MAX_ROBOTS
    return variables


def test_no_count_of_robots_leaves_32_bits():
    """The maximum that can be loaded, plus the production of all rounds, doubled by six shields."""
    radius, rounds = hexes.RADII[1], 10_000
    cells = len(hexes.cells(radius))
    assert (MAX_ROBOTS + rounds * 5 * cells) * 2**6 < 2**31


def test_robots_doubled_six_times_come_back(implementation):
    state = implementation.from_dict(besiege(), radius=2)
    state.apply(0)
    before = state.to_dict()["robots"][MIDDLE]
    assert before == MAX_ROBOTS * 64 == 2**30
    state.check() if implementation.name == "engine" else None
    state.apply(0)  # twelve towers, each removes a tenth of the robots before the fire
    shot = state.to_dict()["robots"][MIDDLE]
    assert shot == max(0, before - 12 * (before // 10))
    state.apply(0)
    assert state.to_dict()["robots"][MIDDLE] == shot >> 6


def test_robots_beyond_the_most_that_can_be_are_refused(implementation):
    most = besiege()
    assert implementation.from_dict(most, radius=2).to_dict() == most
    most["robots"][0] = 1
    with pytest.raises(masume.StateError, match="robots"):
        implementation.from_dict(most, radius=2)


def test_bytes_of_doubled_robots_read_back_but_not_those_of_more():
    game = masume.load("terraforming", radius=2)
    state = game.state_from_dict(besiege())
    state.apply(0)
    assert game.state_from_bytes(state.to_bytes()).to_dict() == state.to_dict()
    changed = np.frombuffer(bytearray(state.to_bytes()), game.state_dtype)
    changed["robots"][0][MIDDLE] = 2**31 - 1
    with pytest.raises(masume.StateError, match="robots: too many"):
        game.state_from_bytes(changed.tobytes())


def test_bytes_hold_as_many_robots_as_the_rounds_so_far_can_have_made():
    game = masume.load("terraforming", radius=2)
    data = np.frombuffer(bytearray(game.state_from_dict(besiege()).to_bytes()), game.state_dtype)
    data["robots"][0][MIDDLE] += 5 * 19  # in the first round, five on each cell
    assert game.state_from_bytes(data.tobytes()).robots[MIDDLE] == MAX_ROBOTS + 5 * 19
    data["robots"][0][MIDDLE] += 1
    with pytest.raises(masume.StateError, match="robots: too many"):
        game.state_from_bytes(data.tobytes())


def test_the_highest_scores_fit():
    """Every cell of the largest board has a town with 40 extra points."""
    variables = rows_of(10)
    count = len(variables["owner"])
    variables |= {"owner": [2] * count, "building": [PLAZA] * count, "bonus": [40] * count}
    fields = {"radius": 10, "ruleset": "contest"}
    state = masume.load("terraforming", **fields).state_from_dict(variables)
    assert state.scores().tolist() == [0, 0, count * 43] == State.from_dict(Config.make(**fields), variables).scores()
    assert state.ranks == [3, 2, 1]


def test_the_most_legal_codes_fit():
    """One player owns the whole of the largest board, with robots and Material for every building."""
    game = masume.load("terraforming", radius=10)
    variables = rows_of(10)
    count = len(variables["owner"])
    variables |= {"owner": [0] * count, "robots": [52] * count}
    state = game.state_from_dict(variables)
    steps = sum(bool(cell in hexes.indices(10)) for place in hexes.cells(10) for cell in hexes.neighbours(place))
    material = np.array([state.material_sum(cell, 0) for cell in range(count)])
    builds = sum(int((material >= kind.material).sum()) for kind in BUILDABLE["rulebook"] if kind.word != "bridge")
    legal = state.legal_actions()
    assert len(legal) == state.legal_mask().sum() == 1 + 4 * steps + builds
    assert state.decode(state.encode(int(legal[-1]))) == legal[-1]
    batch = game.batch(1, observe=None, masks="packed", autoreset="disabled")
    assert batch.masks_packed.shape == (1, 1, (game.num_actions + 31) // 32)


def test_the_largest_amounts_have_exact_codes(implementation):
    variables = rows_of(2)
    variables["owner"][MIDDLE], variables["robots"][MIDDLE] = 0, MAX_ROBOTS
    state = implementation.from_dict(variables, radius=2)
    most = 1 + 6 * MIDDLE + PER_AMOUNT * MAX_ROBOTS
    assert state.decode(1 + 24 * MIDDLE) == most
    assert state.encode(most) == 1 + 24 * MIDDLE
    assert state.why_illegal(most + PER_AMOUNT) == "M6"
    assert state.why_illegal(most + PER_AMOUNT * 2**32) == "M6"  # the amount is not cut to 32 bits
    state.apply(most)
    assert state.to_dict()["robots"][14] == MAX_ROBOTS


def test_the_longest_game_ends():
    game = masume.load("terraforming", radius=1, max_turns=10_000)
    state = game.new_state(1)
    for _ in range(29_999):
        state.apply(0)
    assert (state.ply, state.turn, state.is_terminal()) == (30_000, 10_000, False)
    assert state.robots.tolist().count(50_000) == 3
    state.check()
    state.apply(0)
    assert state.is_terminal()
    state.check()


# -- starts -------------------------------------------------------------------------------------------


def test_a_seed_without_a_map_is_named():
    """This config has no map with enough land besides its holes."""
    fields = {"radius": 3, "hole_mode": "chance", "hole_divisor": 1, "hole_cap": 1}
    game = masume.load("terraforming", **fields)
    with pytest.raises(masume.ConfigError, match="no valid map in 100000 attempts from seed 5"):
        game.new_state(5)
    with pytest.raises(masume.ConfigError, match="no valid map in 100000 attempts from seed "):
        game.batch(1, seed=1)
    with pytest.raises(masume.ConfigError, match="no valid map in 100000 attempts from seed 6"):
        _playout.record(game, np.array([6], np.uint64), np.zeros(3, np.int32))


@pytest.mark.parametrize("hole_mode", ["count", "chance"])
@pytest.mark.parametrize("map_check", ["full", "third", "none"])
def test_maps_are_those_of_the_reference(hole_mode, map_check):
    for radius in (1, 2, 4, 6, 10):
        fields = {"radius": radius, "hole_mode": hole_mode, "map_check": map_check, "hole_cap": radius * radius + 2}
        config = Config.make(**fields, hole_divisor=4 if radius > 2 else 8)
        game = masume.load("terraforming", **config.to_dict())
        for seed in (0, 1, 7, 2**48 + 7, 2**63, 2**64 - 1):
            start = maps.generate(config, seed)
            state = game.new_state(seed)
            index = hexes.indices(radius)
            assert [index[home] for home in start.homes] == [
                int(np.flatnonzero((state.building == HOME) & (state.owner == player))[0]) for player in range(3)
            ]
            assert [index[hole] for hole in start.holes] == np.flatnonzero(state.hole).tolist()
        assert game.new_state(7).to_dict() == game.new_state(2**48 + 7).to_dict()


def test_a_map_by_chance_has_fewer_holes_a_third_than_the_cap():
    game = masume.load("terraforming", radius=4, hole_mode="chance", hole_divisor=8, hole_cap=3)
    counts = {int(game.new_state(seed).hole.sum()) for seed in range(40)}
    assert counts == {0, 3, 6}


def test_before_the_start_nobody_decides():
    game = masume.load("terraforming", radius=2)
    state = game.state_from_dict(maps.generate(game.config, 3).variables())
    assert (state.phase, state.turn, state.is_terminal(), state.current_player) == (PRE, 0, False, -2)
    assert len(state.slots) == len(state.legal_actions()) == 0
    assert state.why_illegal(0) == "pre"
    assert not state.attempt(0)
    with pytest.raises(masume.IllegalActionError, match="breaks pre"):
        state.apply(0)
    state.start()
    assert state.to_dict() == game.new_state(3).to_dict()
    with pytest.raises(masume.IllegalActionError, match="begun"):
        state.start()


def test_a_table_is_of_a_config_of_the_game():
    with pytest.raises(TypeError, match="Config"):
        _engine.table(None)
    with pytest.raises(TypeError, match="not terraforming"):
        _engine.State(masume.load("chaser"))


def test_the_tables_of_buildings_are_those_of_the_readable_half():
    for ruleset, kinds in BUILDABLE.items():
        assert _engine.RECIPES[ruleset] == tuple(kind.material for kind in kinds)
        assert _engine.PRICES[ruleset] == tuple(kind.robots for kind in kinds)


def test_a_table_is_of_a_level_of_this_machine():
    with pytest.raises(ValueError, match="'v9'"):
        _engine.table(Config(), level="v9")


def test_views_end_where_they_should():
    for level in levels():
        for radius in (1, 2, 6):
            config = masume.load("terraforming", radius=radius).config
            game = Game(functools.partial(_engine.table, level=level), config, masume.terraforming)
            state = game.new_state(3)
            for name, (shape, _) in game.observation_spec.items():
                size = int(np.prod(shape))
                buffer = np.full(size + 64, 7, np.float32)
                state.observation(1, {name: buffer[:size].reshape(shape)})
                assert (buffer[size:] == 7).all()
                assert (buffer[:size] != 7).all()
