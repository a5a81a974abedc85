"""`masume.testing.check_game` accepts games that keep the contract, and names the clause that another one breaks."""

import ctypes as ct
import re
from pathlib import Path

import numpy as np
import pytest

import masume
import toy
from cases import GAMES
from masume import testing
from masume.core.function_table import i32, u32
from masume.testing import CLAUSES, check_game
from toy import Counting

ROOT = Path(__file__).parents[1]
WHOLE = Counting(memory=False)
KEPT = []
"""What broken tables point at."""


def broken(name, change):
    """Return the toy game with one function that calls `change(game, original, *arguments)`."""

    class Broken(Counting):
        pass

    original = getattr(Counting, name, None)
    setattr(Broken, name, lambda self, *given: change(self, original, *given))
    return Broken


def count_up(self, original, table, state, *rest):
    """Return a number that is another one at each call."""
    KEPT.append(0)
    return len(KEPT)


def with_mask(self, original, table, state, slot, out):
    original(self, table, state, slot, out)
    out[2] = 1


def with_wide_mask(self, original, table, state, slot, out):
    original(self, table, state, slot, out)
    out[3] = 0


def with_early_returns(self, original, table, state, out):
    original(self, table, state, out)
    out[0] = out[0] or 1.0


def with_late_end(self, original, table, state, players):
    return 0 if self.at(state).ply == 2 else original(self, table, state, players)


def with_third_player(self, original, table, state, players):
    count = original(self, table, state, players)
    players[0] = 2
    return count


def with_descending_legal(self, original, table, state, slot, codes):
    count = original(self, table, state, slot, codes)
    codes[0], codes[1] = 1, 0
    return count


def with_two_draws(self, original, table, state, slot, rng):
    original(self, table, state, slot, rng)
    return original(self, table, state, slot, rng)


def with_any_code(self, original, table, state, memory, codes):
    codes[0] = max(0, min(codes[0], self.count(state) - 1))
    return original(self, table, state, memory, codes)


def with_half_a_move(self, original, table, state, memory, codes):
    status = original(self, table, state, memory, codes)
    if status < 0:
        self.at(state).rng += 1
    return status


def with_a_global(self, original, table, state, memory, codes):
    status = original(self, table, state, memory, codes)
    self.at(state).rng += count_up(self, None, None, None)
    return status


def with_open_start(self, original, table, state, memory, seed):
    score = self.at(state).score[0]
    original(self, table, state, memory, seed)
    self.at(state).score[0] = score


def with_hole_in_view(self, original, table, state, memory, player, fields, out):
    if fields & 1:
        ct.cast(out[0], ct.POINTER(ct.c_float))[0] = 1.0
    if fields & 2:
        original(self, table, state, memory, player, 2, out)


def with_all_fields(self, original, table, state, memory, player, fields, out):
    original(self, table, state, memory, player, 3, out)


def with_changing_view(self, original, table, state, memory, player, fields, out):
    original(self, table, state, memory, player, fields, out)
    self.at(state).ply += 1


def with_one_key(self, original, table, state):
    return 7


def with_strict_check(self, original, table, state, memory):
    return ct.addressof(toy.PLY_OUT_OF_RANGE) if self.at(state).ply == 3 else None


def with_trusting_check(self, original, table, state, memory):
    return None


def trusting_legal(self, original, table, state, slot, codes):
    """Believe the state: a game of 2**20 plies has no legal codes."""
    return 0 if self.at(state).ply > self.length else original(self, table, state, slot, codes)


def with_illegal_policy(self, original, table, state, memory, which, player, rng, codes):
    codes[0] = self.count(state)


def with_short_playout(self, original, table, state, rng):
    self.at(state).ply = self.length
    return self.length


def with_lazy_steps(self, original, table, n, states, memories, codes, statuses, movers):
    for row in range(n):
        statuses[row], movers[row] = 0, 0


def with_wide_bits(self, original, table, state, slot, out):
    out[0] = 2 ** self.count(state) - 1 | 8


def with_nan(self, original, table, state, out):
    out[0] = out[1] = np.nan


def with_unchanged_end(self, original, table, state, memory, player, cause):
    return 1 if cause == 7 else -1


def with_shared_code(self, original, table, state, action):
    return 0


def with_loud_sample(self, original, table, state, memory, player, seed, out_state, out_memory):
    self.at(out_state).ply = self.at(state).ply - 1
    return 0


BROKEN = {
    "a mask that allows more": ("mask", with_mask, {}, "mask"),
    "a mask beyond its end": ("mask", with_wide_mask, {}, "mask"),
    "returns before the end": ("returns", with_early_returns, {}, "returns"),
    "returns that are no numbers": ("returns", with_nan, {}, "returns"),
    "an endless game": (None, None, {"length": 2**30, "max_game_length": 0}, "max_game_length"),
    "a playout without an end": (
        "playout",
        with_short_playout,
        {"length": 2**30, "max_game_length": 0},
        "max_game_length",
    ),
    "a game beyond its bound": (None, None, {"max_game_length": 5}, "max_game_length"),
    "an end that apply does not report": ("slots", with_late_end, {}, "slots"),
    "a player too many": ("slots", with_third_player, {}, "slots"),
    "codes in another order": ("legal", with_descending_legal, {}, "legal"),
    "more codes than it says": (None, None, {"max_legal": 2}, "max_legal"),
    "two draws": ("sample", with_two_draws, {}, "sample"),
    "an illegal fallback": ("fallback", lambda *_: 2, {}, "fallback"),
    "illegal codes are played": ("apply", with_any_code, {}, "apply"),
    "illegal codes change the state": ("apply", with_half_a_move, {}, "apply"),
    "a global variable": ("apply", with_a_global, {}, "apply"),
    "a start that is not written": ("init", with_open_start, {}, "init"),
    "a view with a hole": ("observe", with_hole_in_view, {}, "observe"),
    "fields that nobody asked for": ("observe", with_all_fields, {}, "observe"),
    "a view that changes the state": ("observe", with_changing_view, {}, "observe"),
    "a key that differs for equal states": ("key", count_up, {}, "key"),
    "one key for all": ("key", with_one_key, {}, "key"),
    "a check that refuses": ("check", with_strict_check, {}, "check"),
    "a policy that cheats": ("policy", with_illegal_policy, {}, "policy"),
    "a short playout": ("playout", with_short_playout, {}, "playout"),
    "steps that do nothing": ("step_many", with_lazy_steps, {}, "step_many"),
    "bits behind the mask": ("mask_bits", with_wide_bits, {}, "mask_bits"),
    "a forecast without numbers": ("forecast", with_nan, {}, "forecast"),
    "a forfeit without an end": ("forfeit", with_unchanged_end, {}, "forfeit"),
    "a code for all actions": ("encode", with_shared_code, {"exact": True}, "decode"),
    "a sample of another position": ("resample", with_loud_sample, {"memory": True}, "resample"),
}


@pytest.mark.parametrize("options", [{}, {"units": 2}, {"exact": True}, {"memory": False}, {"length": 1}])
def test_the_toy_keeps_its_contract(options):
    check_game(Counting(**options), games=2)


@pytest.mark.parametrize("name", GAMES)
def test_the_games_keep_their_contract(name):
    check_game(masume.load(name, **GAMES[name].SMALL), games=1)


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_game_breaks_the_clause_that_it_names(fault, monkeypatch):
    monkeypatch.setattr(testing, "MOST_PLIES", 300)
    name, change, options, clause = BROKEN[fault]
    kind = Counting if name is None else broken(name, change)
    with pytest.raises(
        masume.errors.ContractError, match=rf"^{clause}: .*; it must {re.escape(CLAUSES[clause])}$"
    ) as told:
        check_game(kind(**{"memory": False, **options}), games=2)
    assert told.value.clause == clause


def test_a_state_that_check_accepts_and_nobody_survives():
    class Trusting(Counting):
        check = broken("check", with_trusting_check).check
        legal = broken("legal", trusting_legal).legal

        def slots(self, table, state, players):
            players[0] = 0
            return int(self.at(state).ply != self.length and self.at(state).loser < 0)

    with pytest.raises(
        masume.errors.ContractError, match=r"^legal: it returns 0 codes, in a damaged state that check accepts"
    ):
        check_game(Trusting(memory=False), games=8)


@pytest.mark.parametrize("name", ["Counting", "counting game", "0", "nezumi", ""])
def test_a_bad_name(name):
    with pytest.raises(masume.errors.ContractError, match=f"^name: {name!r}"):
        check_game(Counting(name=name.encode()))


def test_a_dict_without_what_decides_the_future():
    fields = (toy.FieldStruct * 3)(
        toy.FieldStruct(b"ply", b"i4", 0, (u32 * 4)(), toy.State.ply.offset),
        toy.FieldStruct(b"loser", b"i4", 0, (u32 * 4)(), toy.State.loser.offset),
        toy.FieldStruct(b"score", b"i4", 1, (u32 * 4)(2), toy.State.score.offset),
    )
    with pytest.raises(masume.errors.ContractError, match=r"^state_fields: ") as told:
        check_game(Counting(memory=False, num_state_fields=3, state_fields=fields))
    assert told.value.clause == "state_fields"


class Flat(Counting):
    """The toy with a plane of one cell, whose byte is the ply."""

    wrong = 0

    def __init__(self):
        self.plane = ct.create_string_buffer(16)
        planes = np.zeros(4, np.uint32)  # levels NULL, scale, offset, is_bits
        self.spec = np.zeros(1, [("levels", "u8"), ("scale", "f4"), ("offset", "f4"), ("is_bits", "u4"), ("pad", "u4")])
        self.spec["scale"] = 1
        self.table = (ct.c_void_p * 2)(self.spec.ctypes.data, None)
        fields = (toy.FieldStruct * 2)(
            toy.FieldStruct(b"planes", b"f4", 3, (u32 * 4)(1, 1, 1), 0),
            toy.FieldStruct(b"chosen", b"i4", 0, (u32 * 4)(), 0),
        )
        KEPT.append((planes, fields))
        super().__init__(memory=False, fields=fields, planes=ct.cast(self.table, ct.POINTER(ct.c_void_p)))

    def observe(self, table, state, memory, player, fields, out):
        if fields & 1:
            ct.cast(out[0], ct.POINTER(ct.c_float))[0] = self.at(state).ply
        if fields & 2:
            ct.cast(out[1], ct.POINTER(i32))[0] = 0

    def observe_compact(self, table, state, memory, player, fields, form, out):
        if fields & 1:
            ct.cast(out[0], ct.POINTER(ct.c_uint8))[0] = self.at(state).ply + self.wrong


def test_planes_that_are_unequal():
    check_game(Flat())
    broken_planes = Flat()
    broken_planes.wrong = 1
    with pytest.raises(
        masume.errors.ContractError, match=r"^observe_compact: plane 0 of 'planes' .* as uint8 than as float32"
    ):
        check_game(broken_planes)


def test_arguments_are_checked():
    for options, name in (({"games": 0}, "games"), ({"seed": -1}, "seed")):
        with pytest.raises(masume.ConfigError, match=name):
            check_game(WHOLE, **options)
    with pytest.raises(masume.ConfigError, match="chess"):
        check_game("chess")


def test_the_page_lists_the_clauses():
    """docs/plugins.md says what each function must do in the words of the errors."""
    rows = "".join(f"| `{clause}` | {words} |\n" for clause, words in CLAUSES.items())
    assert f"| clause | must |\n|---|---|\n{rows}\n" in (ROOT / "docs" / "plugins.md").read_text("utf-8")
