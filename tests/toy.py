"""A game plugged in from plain Python: the function table filled with ctypes callbacks.

Counting: for `length` plies players add the codes they choose (0..1 on even plies, 0..2 on odd
ones) and a hidden coin to their score; the higher score wins. It has features that Kakomimasu lacks: a
player to move, hidden chance, memory, and (with `exact`) actions that are not codes. `units` > 1 makes all
players decide at once, with `units` slots each.
"""

import ctypes as ct

from masume.core.function_table import FUNCTIONS, TYPES, FieldStruct, i32, p, u32, u64
from masume.core.function_table import Struct as Game

MASK = 2**64 - 1
PLY_OUT_OF_RANGE = ct.create_string_buffer(b"ply: out of range")


class State(ct.Structure):
    _fields_ = [("rng", u64), ("ply", i32), ("loser", i32), ("score", i32 * 2)]


class Memory(ct.Structure):
    _fields_ = [("chosen", i32 * 2)]  # the sum of the codes each player has chosen, known only to that player


def draw(state, n):
    """Return below(n) of the state's own generator."""
    state.rng = (state.rng + 0x9E3779B97F4A7C15) & MASK
    z = state.rng
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return (((z ^ (z >> 31)) >> 32) * n) >> 32


class Counting:
    """Provider of the game: `masume.load(Counting())`."""

    def __init__(self, length=6, units=1, exact=False, memory=True, **overrides):
        self.length, self.units, self.exact = length, units, exact
        self.slots_now = 2 * units if units > 1 else 1
        functions = {name: TYPES[name](getattr(self, name)) for name in FUNCTIONS if hasattr(self, name)}
        for name in () if exact else ("decode", "encode", "apply_action"):
            del functions[name]
        state_fields = (FieldStruct * 4)(
            FieldStruct(b"ply", b"i4", 0, (u32 * 4)(), State.ply.offset),
            FieldStruct(b"loser", b"i4", 0, (u32 * 4)(), State.loser.offset),
            FieldStruct(b"rng", b"u8", 0, (u32 * 4)(), State.rng.offset),
            FieldStruct(b"score", b"i4", 1, (u32 * 4)(2), State.score.offset),
        )
        fields = (FieldStruct * 2)(
            FieldStruct(b"planes", b"f4", 1, (u32 * 4)(2), 0),
            FieldStruct(b"chosen", b"i4", 0, (u32 * 4)(), 0),
        )
        values = {
            "abi": 2, "struct_size": ct.sizeof(Game), "name": b"counting", "state_size": ct.sizeof(State),
            "memory_size": ct.sizeof(Memory) if memory else 0, "num_players": 2, "num_slots": self.slots_now,
            "num_actions": 3, "max_legal": 3, "flags": (units > 1) | 2 * memory, "max_game_length": length,
            "num_state_fields": 4, "num_fields": 2, "state_fields": state_fields, "fields": fields,
            "num_policies": 1, "policy_names": (ct.c_char_p * 1)(b"highest"), **functions, **overrides,
        }  # fmt: skip
        self._table = Game(**values)
        self._keep = values
        new = ct.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ct.py_object, [p, ct.c_char_p, p]
        self._name = b"masume.game.v1"
        self.capsule = new(ct.addressof(self._table), self._name, None)

    def __masume_game__(self):
        return self.capsule

    def init(self, _, state, memory, seed):
        ct.cast(state, ct.POINTER(State))[0] = State(seed, 0, -1, (0, 0))
        if memory:
            ct.cast(memory, ct.POINTER(Memory))[0] = Memory((0, 0))

    @staticmethod
    def at(state):
        return ct.cast(state, ct.POINTER(State))[0]

    def slots(self, _, state, players):
        s = self.at(state)
        if s.ply >= self.length or s.loser >= 0:
            return 0
        for slot in range(self.slots_now):
            players[slot] = slot // self.units if self.units > 1 else s.ply % 2
        return self.slots_now

    def count(self, state):
        return 2 + self.at(state).ply % 2

    def legal(self, _, state, slot, codes):
        for code in range(self.count(state)):
            codes[code] = code
        return self.count(state)

    def mask(self, _, state, slot, out):
        for code in range(3):
            out[code] = code < self.count(state)

    def sample(self, _, state, slot, rng):
        source = State(rng[0])
        code = draw(source, self.count(state))
        rng[0] = source.rng
        return code

    def fallback(self, _, state, slot):
        return 0

    def apply(self, table, state, memory, codes):
        s = self.at(state)
        players = (i32 * 64)()
        count = self.slots(table, state, players)
        if count == 0:
            return -1
        for slot in range(count):
            if not 0 <= codes[slot] < self.count(state):
                return -1 - slot
        for slot in range(count):
            s.score[players[slot]] += codes[slot] + draw(s, 2)
            if memory:
                ct.cast(memory, ct.POINTER(Memory))[0].chosen[players[slot]] += codes[slot]
        s.ply += 1
        return int(s.ply == self.length)

    def returns(self, _, state, out):
        s = self.at(state)
        difference = s.score[0] - s.score[1]
        out[0] = 0.0 if s.ply < self.length and s.loser < 0 else float((difference > 0) - (difference < 0))
        if s.loser >= 0:
            out[0] = 2.0 * s.loser - 1
        out[1] = -out[0]

    def scores(self, _, state, out):
        for player in range(2):
            out[player] = self.at(state).score[player]

    def observe(self, _, state, memory, player, fields, out):
        if fields & 1:
            planes = ct.cast(out[0], ct.POINTER(ct.c_float))
            planes[0], planes[1] = self.at(state).ply, player
        if fields & 2:
            ct.cast(out[1], ct.POINTER(i32))[0] = ct.cast(memory, ct.POINTER(Memory))[0].chosen[player] if memory else 0

    def key(self, _, state):
        s = self.at(state)
        return hash((s.rng, s.ply, s.loser, *s.score)) & MASK

    def check(self, _, state, memory):
        s = self.at(state)
        if not 0 <= s.ply <= self.length or not -1 <= s.loser <= 1:
            return ct.addressof(PLY_OUT_OF_RANGE)
        return None

    def decode(self, _, state, code):
        return 10 * self.at(state).ply + code if 0 <= code < self.count(state) else -1

    def encode(self, _, state, action):
        code = action - 10 * self.at(state).ply
        return code if 0 <= code < self.count(state) else -1

    def apply_action(self, table, state, memory, action):
        return self.apply(table, state, memory, (i32 * 1)(self.encode(table, state, action)))

    def forfeit(self, _, state, memory, player, cause):
        if cause != 7:
            return -1
        self.at(state).loser = player
        return 1

    def resample(self, _, state, memory, player, seed, out_state, out_memory):
        other = self.at(out_state)
        if seed == 13:
            return -1
        other.rng = seed
        other.score[1 - player] = draw(other, self.at(state).ply + 1)
        return 0

    def policy(self, table, state, memory, which, player, rng, codes):
        for k in range(self.units):
            codes[k] = self.count(state) - 1
