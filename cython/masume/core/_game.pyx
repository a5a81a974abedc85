# cython: language_level=3, freethreading_compatible=True
"""Table: a handle on a provider's function table, taken from a PyCapsule and checked."""
from types import MappingProxyType

import numpy as np
from cpython.pycapsule cimport (
    PyCapsule_GetContext, PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetContext,
)
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


cdef list fields_of(const masume_field *fields, uint32_t count):
    """(name, dtype, shape, offset) of each."""
    cdef uint32_t i, k
    found = []
    for i in range(count):
        if fields[i].ndim > MASUME_MAX_DIMS:
            raise ValueError(f"{fields[i].name.decode()}: {fields[i].ndim} dimensions, {MASUME_MAX_DIMS} are the most")
        shape = tuple(fields[i].shape[k] for k in range(fields[i].ndim))
        found.append((fields[i].name.decode(), fields[i].dtype.decode(), shape, fields[i].offset))
    return found


cdef void discard(object capsule) noexcept:
    free(PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE))
    Py_DECREF(<object>PyCapsule_GetContext(capsule))


cdef object complete(object capsule, const masume_game *g):
    """Return a capsule with a copy of a smaller table, in which the entries that it lacks are NULL.

    It keeps the provider's capsule, and so all that the table points at.
    """
    cdef masume_game *whole = <masume_game *>calloc(1, sizeof(masume_game))
    if whole == NULL:
        raise MemoryError
    memcpy(whole, g, g.struct_size)
    whole.struct_size = sizeof(masume_game)
    found = PyCapsule_New(whole, MASUME_GAME_CAPSULE, discard)
    Py_INCREF(capsule)
    PyCapsule_SetContext(found, <void *>capsule)
    return found


cdef masume_game NOTHING           # of a Table that was never given a game
NOTHING.name = ""


cdef int check_whole(Table game) except -1:
    """TypeError for a Table that was made and not given a game."""
    if game.capsule is None:
        raise TypeError("game: not a game yet; masume.load makes one")
    return 0


cdef class Table:
    """What every loop needs to know of a game, read from its C function table.

    provider : an object with __masume_game__() -> capsule, or such a capsule (src/masume/game.h).
    Raises TypeError for anything else, ValueError for a table of another ABI or out of bounds.
    """

    def __cinit__(self, *_, **__):
        self.g = &NOTHING

    def __init__(self, provider):
        if self.capsule is not None:
            raise TypeError(f"{self.name}: a game does not change")
        capsule = provider.__masume_game__() if hasattr(provider, "__masume_game__") else provider
        if not PyCapsule_IsValid(capsule, MASUME_GAME_CAPSULE):
            raise TypeError(f"no masume game: {provider!r} is neither a capsule named "
                            f"{MASUME_GAME_CAPSULE.decode()!r} nor has it a __masume_game__() that returns one")
        cdef const masume_game *g = <const masume_game *>PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE)
        if g.abi != MASUME_GAME_ABI:
            raise ValueError(f"abi: expected {MASUME_GAME_ABI}, got {g.abi}; rebuild the plug-in with the headers of "
                             "this masume (masume.get_include())")
        if g.struct_size < MASUME_GAME_MIN_SIZE or g.struct_size % sizeof(void *):
            raise ValueError(f"struct_size: expected at least {MASUME_GAME_MIN_SIZE} bytes and a multiple of "
                             f"{sizeof(void *)}, got {g.struct_size}")
        if g.struct_size < sizeof(masume_game):
            capsule = complete(capsule, g)
            g = <const masume_game *>PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE)
        for name, value, low, high in (
                ("num_players", g.num_players, 1, MASUME_MAX_PLAYERS),
                ("num_slots", g.num_slots, 1, MASUME_MAX_SLOTS),
                ("num_actions", g.num_actions, 1, MASUME_MAX_ACTIONS),
                ("max_legal", g.max_legal, 1, g.num_actions),
                ("num_fields", g.num_fields, 0, MASUME_MAX_FIELDS),
                ("state_size", g.state_size, 8, 1 << 24),
                ("memory_size", g.memory_size, 0, 1 << 24)):
            if not low <= value <= high:
                raise ValueError(f"{name}: {value} is not in {low}..{high}")
        for name, value in (("state_size", g.state_size), ("memory_size", g.memory_size)):
            if value % 8:
                raise ValueError(f"{name}: {value} is no multiple of 8")
        for name, present in (
                ("init", g.init != NULL), ("slots", g.slots != NULL), ("legal", g.legal != NULL),
                ("mask", g.mask != NULL), ("sample", g.sample != NULL), ("fallback", g.fallback != NULL),
                ("apply", g.apply != NULL), ("returns", g.returns != NULL), ("scores", g.scores != NULL),
                ("observe", g.observe != NULL), ("key", g.key != NULL), ("check", g.check != NULL)):
            if not present:
                raise ValueError(f"{name}: the table has no such function")
        if g.num_policies and g.policy == NULL:
            raise ValueError(f"num_policies: expected 0 without the function policy, got {g.num_policies}")
        if (g.prepare == NULL) != (g.draw == NULL) or (g.draw != NULL and not 1 <= g.sampler_size <= 1 << 24):
            raise ValueError(f"prepare, draw: both with a sampler_size of 1 to {1 << 24}, or none")
        for fields in (fields_of(g.state_fields, g.num_state_fields), fields_of(g.fields, g.num_fields)):
            for i, (name, dtype, _, _) in enumerate(fields):
                if dtype not in DTYPES:
                    raise ValueError(f"{name}: dtype {dtype!r} is none of {', '.join(DTYPES)}")
                if name in [other for other, _, _, _ in fields[:i]]:
                    raise ValueError(f"{name}: two fields have this name")
        for name, dtype, shape, offset in fields_of(g.state_fields, g.num_state_fields):
            size = int(dtype[1])
            for length in shape:
                size *= length
            if offset + size > g.state_size:
                raise ValueError(f"{name}: its {size} bytes at {offset} lie outside the state of {g.state_size}")
        self.g = g
        self.capsule = capsule
        self.is_simultaneous = g.flags & MASUME_SIMULTANEOUS
        self.is_perfect_information = not g.flags & MASUME_IMPERFECT
        self.observation_spec = MappingProxyType({
            name: (shape, np.dtype(dtype)) for name, dtype, shape, _ in fields_of(g.fields, g.num_fields)})
        layout = fields_of(g.state_fields, g.num_state_fields)
        self.state_dtype = np.dtype({
            "names": [name for name, _, _, _ in layout],
            "formats": [(dtype, shape) for _, dtype, shape, _ in layout],
            "offsets": [offset for _, _, _, offset in layout],
            "itemsize": g.state_size})

    @property
    def name(self):
        """The game's name."""
        return self.g.name.decode()

    @property
    def num_players(self):
        """Seats, 1..4."""
        return self.g.num_players

    @property
    def num_slots(self):
        """The most decisions wanted at once."""
        return self.g.num_slots

    @property
    def num_actions(self):
        """Codes of a slot: 0..num_actions-1."""
        return self.g.num_actions

    @property
    def max_game_length(self):
        """The most plies a game can have, or None."""
        return self.g.max_game_length or None

    @property
    def state_size(self):
        """Bytes of a state, without memory."""
        return self.g.state_size

    @property
    def memory_size(self):
        """Bytes of what the players have seen, 0 in games of perfect information."""
        return self.g.memory_size

    @property
    def policies(self):
        """Names of the players that the table itself can play; "random" is always first."""
        cdef uint32_t i
        return ("random", *(self.g.policy_names[i].decode() for i in range(self.g.num_policies)))

    @property
    def has_exact_actions(self):
        """Whether actions are not codes, so that they may be larger than `num_actions` (`State.decode`)."""
        return self.g.encode != NULL

    @property
    def has_forfeits(self):
        """Whether the game itself knows that a player lost by a fault (`State.forfeit`)."""
        return self.g.forfeit != NULL

    @property
    def has_samples(self):
        """Whether positions can be sampled that a player cannot tell from the true one (`State.resample`)."""
        return self.g.resample != NULL
