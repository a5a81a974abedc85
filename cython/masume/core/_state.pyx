# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=True
"""State: one position of any game, over the function table. A game's own State adds its nouns."""
import operator

cimport cython
cimport numpy as cnp
import numpy as np
from cpython.long cimport PyLong_AsLongLongAndOverflow
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy, memset
from masume.core._game cimport (
    MASUME_ILLEGAL_SLOT, MASUME_MAX_ACTIONS, MASUME_MAX_FIELDS, MASUME_MAX_SLOTS, Table, check_whole)

from masume.core.config import integer
from masume.errors import GameOverError, IllegalActionError, NotationError, StateError

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyArray_Descr:
        pass
    bint PyArray_EquivTypes(PyArray_Descr *, PyArray_Descr *) noexcept
    object PyArray_NewFromDescr(PyTypeObject *, cnp.dtype, int, cnp.npy_intp *, cnp.npy_intp *, void *, int, object)
    PyTypeObject PyArray_Type

cdef extern from *:
    """
    static PyObject *new_of(PyObject *type, PyObject *arguments) {
      return ((PyTypeObject *)type)->tp_new((PyTypeObject *)type, arguments, NULL);
    }
    """
    object new_of(object, tuple)    # type.__new__(type, *arguments), without a look-up

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED
    #define HAS_GIL 0
    #define MAX_SPARES 0    /* nothing would guard them */
    #else
    #define HAS_GIL 1
    #define MAX_SPARES 64
    #endif
    """
    enum:
        HAS_GIL
        MAX_SPARES             # blocks of a size that wait for the next State

cdef enum:
    CACHE_LINE = 64
    MAX_LINES = 256            # of a block that may be a spare one
    FEW_ACTIONS = 32           # for which a history has room from its first
    MAX_ACTIONS = 4096         # for which it may have room in a spare one

ctypedef struct Spare:         # what a block begins with while it belongs to no State
    Spare *next
    void *block
    int64_t *noted
    size_t max_noted

cdef Spare *spares[MAX_LINES + 1]      # by the lines of a block; malloc takes longer, and hands out lines that are cold
cdef int32_t num_spares[MAX_LINES + 1]

cdef object BARE = object()            # in the place of a seed: whoever asks for the State gives it a position

cdef object MASK_DTYPE = np.dtype(np.uint8)
cdef object CODE_DTYPE = np.dtype(np.int32)


cdef int64_t to_int64(object value, str name) except? -1:
    """`value` as an int; ValueError for a bool or what is no int; out of int64: an action nobody has.

    It may run code of the caller's: nothing of a State that was read before it holds after it.
    """
    cdef int overflow = 0
    cdef int64_t number
    if type(value) is not int:
        if isinstance(value, bool):
            raise ValueError(f"{name}: an int is wanted, not {value!r}")
        try:
            value = operator.index(value)
        except TypeError:
            raise ValueError(f"{name}: an int is wanted, not {value!r}") from None
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    return -1 if overflow else number


cdef inline int32_t to_code(int64_t number) noexcept:
    """The number as a code; -1, which no game has, where it does not fit."""
    return <int32_t>number if 0 <= number <= 0x7FFFFFFF else -1


cdef class State:
    """One position, changed in place by `apply`: `State(game, seed)` is the start of a game.

    Made by `game.new_state`, `state_from_bytes`, `state_from_dict` and `parse`. Players are
    0..num_players-1, slots 0..len(slots)-1 (a slot is one decision wanted now). Threads may look at one
    State together; one that changes it has to be alone with it.
    """

    def __cinit__(self, Table game not None, seed=0, *_):
        cdef size_t memory_at
        cdef Spare *spare
        cdef uint64_t number = 0
        cdef bint is_bare = seed is BARE
        if game.capsule is None:
            check_whole(game)
        if not is_bare:
            number = integer("seed", seed, 0, 2**64 - 1)
        self.game = game
        self.g = game.g
        memory_at = (self.g.state_size + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE
        self.block_lines = (memory_at + self.g.memory_size + CACHE_LINE - 1) // CACHE_LINE
        if self.block_lines <= MAX_LINES and spares[self.block_lines] != NULL:
            spare = spares[self.block_lines]
            spares[self.block_lines] = spare.next
            num_spares[self.block_lines] -= 1
            self.data = <uint8_t *>spare
            self.block = spare.block
            self.noted = spare.noted
            self.max_noted = spare.max_noted
        else:
            self.block = PyMem_Malloc((self.block_lines + 1) * CACHE_LINE)
            if self.block == NULL:
                raise MemoryError
            self.data = <uint8_t *>((<uintptr_t>self.block + CACHE_LINE - 1) // CACHE_LINE * CACHE_LINE)
        self.memory = self.data + memory_at if self.g.memory_size else NULL
        if not is_bare:
            self.g.init(self.g, self.data, self.memory, number)
            self.begin_history()

    cdef int forget(self) except -1:
        """Make the memory that of a position without a past; a game that has memory overrides it."""
        raise StateError(f"bytes: {self.game.name} wants {self.g.memory_size} bytes of memory beside the state's")

    cdef int begin_history(self) except -1:
        """This position is one without a past."""
        if not self.game.is_perfect_information:
            self.origin = self.data[:self.g.state_size]
            self.num_noted = 0
            self.past = None
        return 0

    def __dealloc__(self):
        cdef Spare *spare = <Spare *>self.data
        if self.block != NULL and self.block_lines <= MAX_LINES and num_spares[self.block_lines] < MAX_SPARES:
            if self.max_noted > MAX_ACTIONS:
                PyMem_Free(self.noted)
                self.noted = NULL
                self.max_noted = 0
            spare.next = spares[self.block_lines]
            spare.block = self.block
            spare.noted = self.noted
            spare.max_noted = self.max_noted
            spares[self.block_lines] = spare
            num_spares[self.block_lines] += 1
        else:
            PyMem_Free(self.noted)
            PyMem_Free(self.block)

    # -- how the position came about ------------------------------------------------------

    @property
    def history(self):
        """A list of the actions since `origin`; None in games of perfect information."""
        return None if self.origin is None else [self.noted[k] for k in range(self.num_noted)]

    cdef int make_room(self, size_t wanted) except -1:
        """Let there be room for so many actions."""
        cdef size_t room = max(wanted, 2 * self.max_noted, <size_t>FEW_ACTIONS)
        cdef int64_t *actions = <int64_t *>PyMem_Realloc(self.noted, room * sizeof(int64_t))
        if actions == NULL:
            raise MemoryError
        self.noted = actions
        self.max_noted = room
        return 0

    cdef inline int note(self, int64_t action) except -1:
        """The history goes on with this action."""
        if self.num_noted == self.max_noted:
            self.make_room(self.num_noted + 1)
        self.noted[self.num_noted] = action
        self.num_noted += 1
        return 0

    cdef void copy_history(self, State other):
        """Take over how `other` came about."""
        if self.max_noted < other.num_noted:
            self.make_room(other.num_noted + FEW_ACTIONS)
        if other.num_noted:           # else there may be no room at all
            memcpy(self.noted, other.noted, other.num_noted * sizeof(int64_t))
        self.num_noted = other.num_noted
        self.origin = other.origin
        self.past = other.past

    # -- who decides, and among what ------------------------------------------------------

    @property
    def slots(self):
        """int32[slots now]: the player who decides each slot; empty at the end."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef cnp.npy_intp count = self.g.slots(self.g, self.data, players)
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT32)
        memcpy(cnp.PyArray_DATA(found), players, count * sizeof(int32_t))
        return found

    @property
    def current_player(self):
        """The deciding player; -1 when several decide at once, -2 at the end."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        if self.g.slots(self.g, self.data, players) == 0:
            return -2
        return -1 if self.game.is_simultaneous else players[0]

    def is_terminal(self):
        """Whether the game is over."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        return self.g.slots(self.g, self.data, players) == 0

    cdef int32_t to_slot(self, object slot) except -1:
        cdef int64_t number = to_int64(slot, "slot")
        if not 0 <= number < self.g.num_slots:
            raise ValueError(f"slot: {slot} is not in 0..{self.g.num_slots - 1}")
        return <int32_t>number

    cdef int32_t to_player(self, object player) except -1:
        cdef int64_t number = to_int64(player, "player")
        if not 0 <= number < self.g.num_players:
            raise ValueError(f"player: {player} is not in 0..{self.g.num_players - 1}")
        return <int32_t>number

    def legal_actions(self, slot=0):
        """int32[n] (int64 where actions are not codes): the legal actions of a slot, in mask order.

        Empty at the end. ValueError for a slot the game does not have.
        """
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t codes[MASUME_MAX_ACTIONS]
        cdef int32_t k, at = self.to_slot(slot)
        cdef cnp.npy_intp count = 0
        if at < self.g.slots(self.g, self.data, players):
            count = self.g.legal(self.g, self.data, at, codes)
        if self.g.decode == NULL:
            actions = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT32)
            memcpy(cnp.PyArray_DATA(actions), codes, count * sizeof(int32_t))
            return actions
        actions = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT64)
        for k in range(count):
            (<int64_t *>cnp.PyArray_DATA(actions))[k] = self.g.decode(self.g, self.data, codes[k])
        return actions

    def legal_mask(self, slot=0, cnp.ndarray out=None):
        """uint8[num_actions]: 1 where the code is legal for the slot; all 0 at the end.

        out : uint8[num_actions], C-contiguous, written and returned if given; ValueError otherwise.
        """
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t at = self.to_slot(slot)
        cdef cnp.npy_intp size = self.g.num_actions
        if out is None:
            out = cnp.PyArray_SimpleNew(1, &size, cnp.NPY_UINT8)
        else:
            check_array("out", out, MASK_DTYPE, (size,))
        if at < self.g.slots(self.g, self.data, players):
            self.g.mask(self.g, self.data, at, <uint8_t *>cnp.PyArray_DATA(out))
        else:
            memset(cnp.PyArray_DATA(out), 0, size)
        return out

    def decode(self, code):
        """The action that a code stands for here (-1: none); the code itself in most games."""
        cdef int32_t number = to_code(to_int64(code, "code"))
        if self.g.decode != NULL:
            return self.g.decode(self.g, self.data, number)
        return number if number < <int64_t>self.g.num_actions else -1

    def encode(self, action):
        """The code of an action here, -1 where the mask has no entry for it."""
        cdef int64_t number = to_int64(action, "action")
        if self.g.encode != NULL:
            return self.g.encode(self.g, self.data, number)
        return number if 0 <= number < self.g.num_actions else -1

    def fallback(self, slot=0):
        """The code of the neutral action that the rule book puts in the place of an illegal one.

        STAY, finish, pass or the lowest legal one: what `Batch(on_illegal="fallback")` plays. ValueError
        for a slot that has nothing to decide now.
        """
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t at = self.to_slot(slot)
        if at >= self.g.slots(self.g, self.data, players):
            raise ValueError(f"slot: {slot} has nothing to decide now")
        return self.g.fallback(self.g, self.data, at)

    # -- play -------------------------------------------------------------------------------

    cdef int32_t apply_codes(self, const int32_t *codes) except? -1000:
        """The table's apply; a game whose face keeps outputs of a turn overrides it."""
        return self.g.apply(self.g, self.data, self.memory, codes)

    def apply(self, action):
        """Play one action (one slot) or one action a slot (several).

        action : an int, or int32[slots] or a list of ints; in the place of an int its text (`action_to_text`).

        IllegalActionError (GameOverError at the end) leaves the state as it was; NotationError for a text that is no
        action; ValueError for an array of another dtype, shape or order.
        """
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef int64_t number = 0
        cdef int32_t status
        if self.g.num_slots == 1:
            number = to_int64(self.text_to_action(action) if isinstance(action, str) else action, "action")
            if self.g.apply_action != NULL:
                status = self.g.apply_action(self.g, self.data, self.memory, number)
            else:
                codes[0] = to_code(number)
                status = self.apply_codes(codes)
        else:
            action = self.read_codes(action, codes)
            status = self.apply_codes(codes)
            if status < 0:
                action = action[MASUME_ILLEGAL_SLOT(status)]
        if status < 0:
            raise self._illegal(MASUME_ILLEGAL_SLOT(status), action)
        if self.origin is not None:
            self.note(number)

    cdef object read_codes(self, object actions, int32_t *codes):
        """Copy one code a slot out of int32[slots] or a sequence; the array, or the sequence as a tuple."""
        cdef cnp.npy_intp count = self.g.num_slots
        cdef cnp.npy_intp k = 0
        if isinstance(actions, cnp.ndarray):
            check_array("actions", actions, CODE_DTYPE, (count,), False)
            memcpy(codes, cnp.PyArray_DATA(<cnp.ndarray>actions), count * sizeof(int32_t))
            return actions
        if not isinstance(actions, (list, tuple)):
            raise ValueError(f"actions: int32[{count}] or a list of {count} ints is wanted, not {actions!r}")
        actions = tuple(actions)       # what is asked for its int may change the list
        if len(actions) != count:
            raise ValueError(f"actions: {count} are wanted, one a slot, not {len(actions)}")
        for action in <tuple>actions:
            if isinstance(action, str):
                action = self.text_to_action(action, k)
            codes[k] = to_code(to_int64(action, "actions" if type(action) is int else f"actions[{k}]"))
            k += 1
        return actions

    def _illegal(self, int slot, action):
        """The exception that says which action of which slot is not allowed here."""
        if self.is_terminal():
            return GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        player = self.slots[slot]
        who = f"player {player}" if self.g.num_slots == 1 else f"slot {slot} of player {player}"
        if isinstance(action, np.integer):
            action = int(action)
        return IllegalActionError(f"action {action!r} of {who} is not allowed here\n{self}")

    def forfeit(self, player, cause):
        """`player` loses at once by a cause of the game's own; ValueError where there is none such."""
        cdef int32_t status = -1
        cdef int32_t who = self.to_player(player)
        if self.g.forfeit != NULL:
            if self.is_terminal():
                raise GameOverError(f"the game is over: player {player} cannot forfeit\n{self}")
            status = self.g.forfeit(self.g, self.data, self.memory, who, to_code(self._cause(cause)))
        if status < 0:
            raise ValueError(f"cause: {self.game.name} knows no forfeit by {cause!r}")

    def _cause(self, cause):
        """The table's number of a cause; a game that has names for them overrides it."""
        return to_int64(cause, "cause")

    def events(self, player=None):
        """What the last `apply` caused, as `player` sees it (None: everything): a list of dicts."""
        return []

    def returns(self):
        """float32[players]: the result of each player, 0 before the end."""
        cdef cnp.npy_intp count = self.g.num_players
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_FLOAT32)
        self.g.returns(self.g, self.data, <float *>cnp.PyArray_DATA(found))
        return found

    def scores(self):
        """int64[players]: the points of each player as the rule book counts them now."""
        cdef cnp.npy_intp count = self.g.num_players
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT64)
        self.g.scores(self.g, self.data, <int64_t *>cnp.PyArray_DATA(found))
        return found

    # -- what a player sees -------------------------------------------------------------------

    def observation(self, player, out=None):
        """{field: array}: what `player` sees, shaped and typed by `game.observation_spec`.

        out : a dict of such arrays (some of the fields will do), written and returned if given.
        ValueError for an unknown field, or an array of another dtype, shape or order.
        """
        cdef void *pointers[MASUME_MAX_FIELDS]
        cdef uint32_t fields = 0
        cdef int32_t i, who = self.to_player(player)
        cdef bint is_plain
        cdef dict given
        cdef list arrays = []          # kept until they are written
        spec = self.game.observation_spec
        if out is None:
            out = {}
            for i, (name, (shape, dtype)) in enumerate(spec.items()):
                array = out[name] = np.empty(shape, dtype)
                pointers[i] = cnp.PyArray_DATA(<cnp.ndarray>array)
                fields |= <uint32_t>1 << i
        else:
            is_plain = type(out) is dict
            for name in out:
                if name not in spec:
                    raise ValueError(f"out: no field {name!r}; the fields are {', '.join(spec)}")
                is_plain = is_plain and type(name) is str
            given = out if is_plain else {name: out[name] for name in spec if name in out}
            for i, (name, (shape, dtype)) in enumerate(spec.items()):      # no code of the caller's runs from here on
                array = given.get(name, spec)
                if array is not spec:
                    if not is_array(array, dtype, shape):
                        check_array("out", array, dtype, shape, True, name)
                    arrays.append(array)
                    pointers[i] = cnp.PyArray_DATA(<cnp.ndarray>array)
                    fields |= <uint32_t>1 << i
        self.g.observe(self.g, self.data, self.memory, who, fields, pointers)
        return out

    def information_state(self, player):
        """All that `player` has seen, as text: equal texts, equal knowledge."""
        self.to_player(player)
        return str(self)

    def resample(self, player, seed):
        """A State of the public game sampled among those that `player` cannot tell from this one.

        ValueError where nothing is hidden, or where none was found in a bounded number of tries.
        """
        cdef int32_t who = self.to_player(player)
        cdef uint64_t number = integer("seed", seed, 0, 2**64 - 1)
        if self.g.resample == NULL:
            raise ValueError(f"{self.game.name} hides nothing: clone() is the only sample")
        public = self.game.public                  # what the config hides is in nothing that comes of a sample
        cdef State other = <State?>new_of(type(self), (public, BARE))
        if (other.g.state_size, other.g.memory_size) != (self.g.state_size, self.g.memory_size):
            raise AssertionError(f"{public!r} has states of another size than {self.game!r}")
        memcpy(other.data, self.data, self.g.state_size)
        if self.memory != NULL:
            memcpy(other.memory, self.memory, self.g.memory_size)
        if self.g.resample(self.g, self.data, self.memory, who, number, other.data, other.memory) < 0:
            raise ValueError(f"seed {seed}: no state found that player {player} cannot tell from this one")
        other.begin_history()
        other.past = (who, self.game, self.origin, tuple(self.history), self.past)
        return other

    # -- copies, bytes, text ------------------------------------------------------------------

    def clone(self):
        """A new State equal to this one."""
        if not HAS_GIL or self.arguments is None:
            share_arguments(self)
        made = new_of(type(self), self.arguments)
        if type(made) is not type(self) or (<State>made).g != self.g:
            raise TypeError(f"{type(self).__name__}: its __new__ made something else, {type(made).__name__}")
        cdef State other = <State>made
        other.arguments = self.arguments
        other._copy(self)
        return other

    def copy_from(self, State other not None):
        """Become equal to `other`, a State of an equal game (ValueError otherwise), without allocating.

        The cheapest way to take moves back: keep a State beside the one that you play on, and copy it.
        """
        if (other.game is not self.game or type(self) is not type(other)) and not self.is_twin(other):
            raise ValueError(f"other: a state of {other.game!r} is none of {self.game!r}{self._difference(other)}")
        self._copy(other)

    cdef bint is_twin(self, State other) except -1:
        """Whether `other` is a State of an equal game, laid out as this one is."""
        return (type(self) is type(other) and self.g.init == other.g.init and self.g.state_size == other.g.state_size
                and self.g.memory_size == other.g.memory_size and self.game == other.game)

    def __eq__(self, other):
        """Whether `other` is the same position of an equal game, and its players have seen the same."""
        if not isinstance(other, State):
            return NotImplemented
        return self is other or (self.is_twin(other) and self.to_bytes() == (<State>other).to_bytes())

    __hash__ = None        # it changes; `key` is a hash of the position as it is now

    def _difference(self, other):
        """Which fields of the config differ, where the games are of one name."""
        mine, its = (getattr(game, "config", None) for game in (self.game, other.game))
        if mine is None or type(mine) is not type(its):
            return ""
        names = [name for name in mine.__dataclass_fields__ if getattr(mine, name) != getattr(its, name)]
        return f": they differ in {', '.join(names)}"

    cdef void _copy(self, State other):
        memcpy(self.data, other.data, self.g.state_size)
        if self.memory != NULL:
            memcpy(self.memory, other.memory, self.g.memory_size)
        if other.origin is not None:
            self.copy_history(other)

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        """The position, and how it came about, for `Game.restore_state`."""
        if self.origin is None:
            return self.game.restore_state, (self.to_bytes(),)
        return self.game.restore_state, (self.to_bytes(), self.history, self.origin, self.past)

    @property
    def key(self):
        """A 64-bit hash of all that decides the future: equal for equal positions, on every platform."""
        return self.g.key(self.g, self.data)

    def to_bytes(self):
        """The flat bytes of the position (and of what the players have seen)."""
        cdef bytes state = self.data[:self.g.state_size]
        return state + self.memory[:self.g.memory_size] if self.memory != NULL else state

    @property
    def array(self):
        """The flat bytes as a read-only 0-d structured array: a view, valid while the State lives."""
        return view_of(self, self.data, self.game.state_dtype, (), False)

    def to_dict(self):
        """The variables of the position as plain JSON types; `game.state_from_dict` is the inverse."""
        fields = self.array
        return {name: fields[name].tolist() for name in fields.dtype.names}

    def check(self):
        """Recompute every invariant; AssertionError with the position where one does not hold."""
        cdef const char *message = self.g.check(self.g, self.data, self.memory)
        if message != NULL:
            raise AssertionError(f"{message.decode()}\n{self}")

    def action_to_text(self, action, slot=0):
        """The action as text, as the rules write it here."""
        self.to_slot(slot)
        return str(int(action))

    def text_to_action(self, str text not None, slot=0):
        """The inverse of `action_to_text`; NotationError for a text that is none."""
        self.to_slot(slot)
        if not text.strip().isdecimal():
            raise NotationError(f"{text!r} is no action")
        return int(text)

    def __str__(self):
        return "\n".join(f"{name}: {value}" for name, value in self.to_dict().items())

    def __repr__(self):
        return f"<{self.game.name} state, key {self.key:016x}>"

    def _repr_svg_(self):
        from masume.render import svg
        return svg(self)

    # -- what game.py builds states with ------------------------------------------------------

    cdef int load_bytes(self, bytes data) except -1:
        """Become the position of these bytes; StateError where they are none, after which nobody may have this State.

        The state's bytes alone, without memory, are a position whose players have seen nothing before it.
        """
        cdef const uint8_t *source = data
        cdef Py_ssize_t wanted = self.g.state_size + self.g.memory_size
        cdef const char *message
        cdef bint alone = len(data) == self.g.state_size and self.memory != NULL
        if len(data) != wanted and not alone:
            raise StateError(f"bytes: {wanted} are wanted, not {len(data)}")
        memcpy(self.data, source, self.g.state_size)
        if self.memory != NULL and not alone:
            memcpy(self.memory, source + self.g.state_size, self.g.memory_size)
        message = self.g.check(self.g, self.data, NULL if alone else self.memory)
        if message != NULL:
            raise StateError(f"bytes: {message.decode()}")
        if alone:
            self.forget()
        self.begin_history()
        return 0

    cdef int load(self, dict variables) except -1:
        """Become the position of `to_dict()`'s dict; StateError where it is none, after which nobody may have this.

        This State is a start.
        """
        array = np.zeros((), self.game.state_dtype)
        for name in array.dtype.names:
            if name not in variables:
                raise StateError(f"{name}: missing")
            try:
                array[name] = variables[name]
            except (TypeError, ValueError, OverflowError) as error:
                raise StateError(f"{name}: {error}") from None
        if len(variables) != len(array.dtype.names):
            raise StateError(f"unknown key: {next(iter(variables.keys() - set(array.dtype.names)))}")
        return self.load_bytes(array.tobytes() + self.memory[:self.g.memory_size])

    cdef int remember(self, object history, object origin, object past) except -1:
        """Take over how this position came about; StateError for what no State says of itself."""
        self.num_noted = 0
        for action in history_of(history):
            self.note(action)
        from_bytes(type(self), self.game, origin)      # whether it is a position
        self.origin = origin
        self.past = past
        while past is not None:
            if not isinstance(past, tuple) or len(past) != 5 or not isinstance(past[1], Table):
                raise StateError(f"past: (viewer, game, origin, history, past) is wanted, not {past!r}")
            viewer, game, origin, history, past = past
            self.to_player(viewer)
            if not isinstance(history, tuple):
                raise StateError(f"past: its history is to be a tuple, not {history!r}")
            history_of(history)
            if from_bytes(type(self), game, origin).g.state_size != self.g.state_size:
                raise StateError(f"past: {game!r} has states of another size than {self.game!r}")
        return 0

    def _choose(self, player, policy, rng):
        """([action of each slot of player], rng after): what the policy of `game.policies` plays here."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t codes[MASUME_MAX_SLOTS]
        cdef int32_t who = self.to_player(player)
        cdef int32_t slot, k = 0, which = self.game.policies.index(policy)
        cdef uint64_t generator = rng
        cdef int32_t count = self.g.slots(self.g, self.data, players)
        if which > 0:
            self.g.policy(self.g, self.data, self.memory, which - 1, who, &generator, codes)
        else:
            for slot in range(count):
                if players[slot] == who:
                    codes[k] = self.g.sample(self.g, self.data, slot, &generator)
                    k += 1
        mine = sum(1 for slot in range(count) if players[slot] == who)
        return [self.decode(codes[slot]) for slot in range(mine)], generator


cdef list history_of(object actions):
    """The actions of a history; StateError where it is none."""
    if not isinstance(actions, (list, tuple)) or not all([type(action) is int for action in actions]):
        raise StateError(f"history: a list of ints is wanted, not {actions!r}")
    return [to_int64(action, "history") for action in actions]


cdef int check_state(State state, Table game) except -1:
    """ValueError for a State of another game than this one, or than one that this is the public side of."""
    if state.game is not game and (
            state.g.init != game.g.init or state.g.state_size != game.g.state_size
            or state.g.memory_size != game.g.memory_size
            or game not in (state.game, getattr(state.game, "public", None))):
        raise ValueError(f"state: one of {state.game!r} is none of {game!r}")
    return 0


cpdef State from_bytes(type kind, Table game, data):
    """The State of this class, game and bytes (`Game.state_from_bytes`)."""
    if not isinstance(data, bytes):
        raise StateError(f"bytes: bytes are wanted, not {type(data).__name__}")
    cdef State state = <State?>new_of(kind, (game, BARE))
    state.load_bytes(data)
    return state


def from_dict(type kind not None, Table game not None, seed, dict variables not None):
    """The State of this class, game and dict, made of a start (`Game.state_from_dict`)."""
    cdef State state = <State?>kind(game, seed)
    state.load(variables)
    return state


def restore(type kind not None, Table game not None, data, history, origin, past):
    """The State of these bytes, and how it came about (`Game.restore_state`)."""
    cdef State state = from_bytes(kind, game, data)
    if state.origin is None:
        raise StateError(f"history: {game.name} hides nothing, so its states have none")
    state.remember(history, origin, past)
    return state


cdef int share_arguments(State state) except -1:
    """Have what clones share, once and for all: other threads may be cloning this State too."""
    with cython.critical_section(state):
        if state.arguments is None:
            state.arguments = (state.game, BARE)
    return 0


cdef object view_of(object owner, void *data, object dtype, tuple shape, bint writable):
    """An ndarray over `data`, which `owner` keeps alive."""
    cdef cnp.npy_intp dims[8]
    cdef int k
    for k in range(len(shape)):
        dims[k] = shape[k]
    Py_INCREF(dtype)      # PyArray_NewFromDescr steals one
    array = PyArray_NewFromDescr(&PyArray_Type, <cnp.dtype>dtype, <int>len(shape), dims, NULL, data,
                                 cnp.NPY_ARRAY_CARRAY if writable else cnp.NPY_ARRAY_CARRAY_RO, None)
    cnp.set_array_base(array, owner)
    return array


cdef bint is_array(object array, object dtype, tuple shape, bint writable=True) noexcept:
    """Whether `array` is an aligned, C-contiguous (and writable) ndarray of this dtype and shape; runs no Python."""
    cdef int k
    if not isinstance(array, cnp.ndarray) or cnp.PyArray_NDIM(array) != len(shape):
        return False
    if not (cnp.PyArray_ISCARRAY(array) if writable else cnp.PyArray_ISCARRAY_RO(array)):
        return False
    if (<void *>cnp.PyArray_DESCR(array) != <void *>dtype
            and not PyArray_EquivTypes(<PyArray_Descr *>cnp.PyArray_DESCR(array), <PyArray_Descr *>dtype)):
        return False
    for k in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIM(array, k) != <cnp.npy_intp>shape[k]:
            return False
    return True


cdef int check_array(str name, object array, dtype, tuple shape, bint writable=True, field=None) except -1:
    """ValueError unless `array` (`field` of a mapping of this name) is one as `is_array` says."""
    if is_array(array, dtype, shape, writable):
        return 0
    if field is not None:
        name = f"{name}[{field!r}]"
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{name}: an ndarray is wanted, not {type(array).__name__}")
    if array.dtype != dtype or array.shape != shape:
        raise ValueError(f"{name}: {np.dtype(dtype)}{list(shape)} is wanted, not {array.dtype}{list(array.shape)}")
    raise ValueError(f"{name}: an aligned, C-contiguous{', writable' if writable else ''} array is wanted")
