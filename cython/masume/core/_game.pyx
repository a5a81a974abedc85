# cython: language_level=3, freethreading_compatible=True
"""Table: a checked handle on a provider's function table, taken from a PyCapsule."""
from types import MappingProxyType

import numpy as np
from cpython.pycapsule cimport (
    PyCapsule_GetContext, PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetContext,
)
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from masume.core.guard cimport guard_methods

DTYPES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


cdef list fields_of(const masume_field *fields, uint32_t count):
    """Return (name, dtype, shape, offset) of each field."""
    cdef uint32_t i, k
    found = []
    for i in range(count):
        if fields[i].ndim > MASUME_MAX_DIMS:
            raise ValueError(f"{fields[i].name.decode()}: expected at most {MASUME_MAX_DIMS} dimensions, "
                             f"got {fields[i].ndim}")
        shape = tuple(fields[i].shape[k] for k in range(fields[i].ndim))
        found.append((fields[i].name.decode(), fields[i].dtype.decode(), shape, fields[i].offset))
    return found


cdef void discard(object capsule) noexcept:
    free(PyCapsule_GetPointer(capsule, MASUME_GAME_CAPSULE))
    Py_DECREF(<object>PyCapsule_GetContext(capsule))


cdef object complete(object capsule, const masume_game *g):
    """Return a capsule with a copy of a smaller table; the missing entries are NULL.

    It holds a reference to the provider's capsule, which owns all that the table points at.
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


cdef masume_game NOTHING           # of a Table that has no game yet
NOTHING.name = ""


cdef int check_whole(Table game) except -1:
    """Raise TypeError for a Table without a game."""
    if game is None or game.capsule is None:
        raise TypeError("game: not a game yet; masume.load makes one")
    return 0


cdef class Table:
    """Description of a game, read from its C function table.

    Parameters
    ----------
    provider : object
        An object with ``__masume_game__() -> capsule``, or such a capsule (src/masume/game.h).

    Attributes
    ----------
    name : str
        Name of the game.
    num_players, num_slots, num_actions : int
        Number of seats, of slots and of codes per slot.
    max_game_length : int or None
        Upper bound of the plies of a game.
    state_size, memory_size : int
        Bytes of a state, and of what the players have seen.
    policies : tuple of str
        Names of the policies in the table.
    observation_spec : mapping
        Read-only {field: (shape, dtype)} of `State.observation`.
    state_dtype : dtype
        Structured dtype of the bytes of a state.
    is_simultaneous : bool
        Whether all players decide at once.
    is_perfect_information : bool
        Whether every player sees the whole state.
    has_exact_actions, has_forfeits, has_samples : bool
        Optional features of the game.

    Raises
    ------
    TypeError
        If `provider` is not such an object.
    ValueError
        If the table has another ABI, or a value out of bounds.
    """

    def __cinit__(self, *_, **__):
        self.g = &NOTHING

    def __init__(self, provider):
        if self.capsule is not None:
            raise TypeError(f"{self.name}: a game cannot be changed")
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
                raise ValueError(f"{name}: expected {low}..{high}, got {value}")
        for name, value in (("state_size", g.state_size), ("memory_size", g.memory_size)):
            if value % 8:
                raise ValueError(f"{name}: expected a multiple of 8, got {value}")
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
        if (g.planes == NULL) != (g.observe_compact == NULL) or (g.centred and g.planes == NULL):
            raise ValueError("planes, observe_compact: both or none, and none without them in centred")
        if (g.observe_changes == NULL) != (g.changing == 0) or (g.changing != 0 and not (
                1 <= g.note_size <= MASUME_MAX_NOTE and g.note_size % 8 == 0)):
            raise ValueError(f"observe_changes: with fields in changing and a note_size of 8 to {MASUME_MAX_NOTE}, a "
                             "multiple of 8, or without any")
        for i in range(g.num_fields):
            if g.planes != NULL and g.planes[i] != NULL and (g.fields[i].dtype != b"f4" or g.fields[i].ndim < 2):
                raise ValueError(f"{g.fields[i].name.decode()}: expected planes of f4, as it is compact")
            if g.centred >> i & 1 and (g.planes[i] == NULL or g.fields[i].ndim != 3):
                raise ValueError(f"{g.fields[i].name.decode()}: expected compact planes of rows and columns, as it "
                                 "is centred")
            if g.seen != NULL and g.seen[2 * i] and (g.planes == NULL or g.planes[i] == NULL or g.fields[i].ndim != 3
                                                     or not 0 < g.seen[2 * i] <= <int64_t>g.fields[i].shape[1]
                                                     or not 0 < g.seen[2 * i + 1] <= <int64_t>g.fields[i].shape[2]):
                raise ValueError(f"{g.fields[i].name.decode()}: expected compact planes of at least as many rows and "
                                 "columns as in seen")
        for fields in (fields_of(g.state_fields, g.num_state_fields), fields_of(g.fields, g.num_fields)):
            for i, (name, dtype, _, _) in enumerate(fields):
                if dtype not in DTYPES:
                    raise ValueError(f"{name}: expected a dtype of {', '.join(DTYPES)}, got {dtype!r}")
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
        """Name of the game."""
        return self.g.name.decode()

    @property
    def num_players(self):
        """Number of players, 1..4."""
        return self.g.num_players

    @property
    def num_slots(self):
        """Largest number of decisions pending at once."""
        return self.g.num_slots

    @property
    def num_actions(self):
        """Number of codes of a slot; codes are 0..num_actions-1."""
        return self.g.num_actions

    @property
    def max_game_length(self):
        """Upper bound of the plies of a game; None if there is none."""
        return self.g.max_game_length or None

    @property
    def state_size(self):
        """Size of a state in bytes, without memory."""
        return self.g.state_size

    @property
    def memory_size(self):
        """Size in bytes of what the players have seen; 0 in games of perfect information."""
        return self.g.memory_size

    @property
    def policies(self):
        """Names of the policies that the table itself can play; "random" is always first."""
        cdef uint32_t i
        return ("random", *(self.g.policy_names[i].decode() for i in range(self.g.num_policies)))

    @property
    def has_exact_actions(self):
        """Whether actions differ from codes and may exceed `num_actions` (`State.decode`)."""
        return self.g.encode != NULL

    @property
    def has_forfeits(self):
        """Whether the game defines faults by which a player loses (`State.forfeit`)."""
        return self.g.forfeit != NULL

    @property
    def has_samples(self):
        """Whether the game can sample positions that a player cannot distinguish (`State.resample`)."""
        return self.g.resample != NULL


guard_methods(globals())
