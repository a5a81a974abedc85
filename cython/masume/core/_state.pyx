# cython: language_level=3, boundscheck=False, wraparound=False, freethreading_compatible=True
"""State: one position of any game, driven through the function table. Each game's State class extends it."""
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
from masume.core._planes cimport Form, observe_view
from masume.core.arrays cimport check_array, is_array
from masume.core.guard cimport guard_methods

from masume.core.config import integer
from masume.errors import GameOverError, IllegalActionError, NotationError, StateError

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
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
    #define MAX_SPARES 0    /* no lock would guard them */
    #else
    #define HAS_GIL 1
    #define MAX_SPARES 64
    #endif
    """
    enum:
        HAS_GIL
        MAX_SPARES             # blocks kept per size for the next State

cdef enum:
    CACHE_LINE = 64
    MAX_LINES = 256            # largest block that is kept as a spare
    FEW_ACTIONS = 32           # room in a history when its first action is noted
    MAX_ACTIONS = 4096         # largest history that stays with a spare block

ctypedef struct Spare:         # the first bytes of a block that belongs to no State
    Spare *next
    void *block
    int64_t *noted
    size_t max_noted

cdef Spare *spares[MAX_LINES + 1]      # indexed by lines per block; malloc is slower and returns cold lines
cdef int32_t num_spares[MAX_LINES + 1]

cdef object BARE = object()            # passed as the seed by callers that then load a position

cdef str MISSING = (", as what the players have seen is missing; without_memory=True takes the position as one "
                    "before which they have seen nothing")

cdef object FLOAT32 = "float32"
cdef object MASK_DTYPE = np.dtype(np.uint8)
cdef object CODE_DTYPE = np.dtype(np.int32)


cdef int64_t to_int64(object value, str name) except? -1:
    """Return `value` as an int; -1 if it does not fit int64, since no game has that action.

    Raise ValueError for a bool or a non-integer. This may run the caller's code (`__index__`), which can change the
    State: read nothing of the State before the call.
    """
    cdef int overflow = 0
    cdef int64_t number
    if type(value) is not int:
        if isinstance(value, bool):
            raise ValueError(f"{name}: expected an int, got {value!r}")
        try:
            value = operator.index(value)
        except TypeError:
            raise ValueError(f"{name}: expected an int, got {value!r}") from None
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    return -1 if overflow else number


cdef inline int32_t to_code(int64_t number) noexcept:
    """Return the number as a code; -1, which no game uses, if it does not fit."""
    return <int32_t>number if 0 <= number <= 0x7FFFFFFF else -1


cdef class State:
    """One position of a game, changed in place by `apply`.

    `Game.new_state`, `Game.state_from_bytes`, `Game.state_from_dict` and `Game.parse` create States; `State(game,
    seed)` is the start of a game. Players are numbered 0..num_players-1. A slot is one pending decision; slots are
    numbered 0..len(slots)-1. Several threads may read one State at the same time; a thread that changes it needs
    exclusive access.

    Parameters
    ----------
    game : Game
        The game with its config.
    seed : int, optional
        Seed of the start, 0..2**64-1. Default 0.

    Attributes
    ----------
    game : Game
        The game with its config.
    slots : ndarray of int32
        The player who decides each pending slot.
    current_player : int
        The player to move; -1 if several decide at once, -2 at the end.
    key : int
        64-bit hash of the position.
    history : list of int or None
        The actions since `origin`; None in games of perfect information.
    origin : bytes or None
        The bytes of the position at which `history` begins; None in games of perfect information.
    past : tuple or None
        Source of a sample made by `resample`: (viewer, game, origin, history, past). None for other positions.
    array : ndarray
        Read-only structured view of the state.

    Raises
    ------
    ConfigError
        If the seed is out of range or has no start.

    Examples
    --------
    >>> import masume
    >>> state = masume.load("nezumi", stage="garden").new_state()
    >>> state.legal_actions()
    array([ 74, 109, 114, 144], dtype=int32)
    >>> state.apply(74)
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

    cdef int accept(self, const char *fault) except -1:
        """Raise StateError with the fault that a check has found; NULL: none."""
        if fault != NULL:
            raise StateError(fault.decode())
        return 0

    cdef int forget(self) except -1:
        """Reset the memory to that of players who have seen nothing yet; a game that has memory overrides it."""
        raise StateError(f"bytes: {self.game.name} needs {self.g.memory_size} bytes of memory after the state's")

    cdef int begin_history(self) except -1:
        """Start an empty history at this position."""
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

    # -- history ----------------------------------------------------------------------------

    @property
    def history(self):
        """Actions since `origin`, oldest first, as a list; None in games of perfect information."""
        return None if self.origin is None else [self.noted[k] for k in range(self.num_noted)]

    cdef int make_room(self, size_t wanted) except -1:
        """Grow the history to at least `wanted` actions."""
        cdef size_t room = max(wanted, 2 * self.max_noted, <size_t>FEW_ACTIONS)
        cdef int64_t *actions = <int64_t *>PyMem_Realloc(self.noted, room * sizeof(int64_t))
        if actions == NULL:
            raise MemoryError
        self.noted = actions
        self.max_noted = room
        return 0

    cdef inline int note(self, int64_t action) except -1:
        """Append an action to the history."""
        if self.num_noted == self.max_noted:
            self.make_room(self.num_noted + 1)
        self.noted[self.num_noted] = action
        self.num_noted += 1
        return 0

    cdef void copy_history(self, State other):
        """Copy the history of `other`."""
        if self.max_noted < other.num_noted:
            self.make_room(other.num_noted + FEW_ACTIONS)
        if other.num_noted:           # otherwise `noted` may be NULL
            memcpy(self.noted, other.noted, other.num_noted * sizeof(int64_t))
        self.num_noted = other.num_noted
        self.origin = other.origin
        self.past = other.past

    # -- decisions --------------------------------------------------------------------------

    @property
    def slots(self):
        """Players who decide the pending slots, as int32[n] with n in 0..num_slots; empty at the end."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef cnp.npy_intp count = self.g.slots(self.g, self.data, players)
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT32)
        memcpy(cnp.PyArray_DATA(found), players, count * sizeof(int32_t))
        return found

    @property
    def current_player(self):
        """Player to move; -1 if several decide at once, -2 at the end."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        if self.g.slots(self.g, self.data, players) == 0:
            return -2
        return -1 if self.game.is_simultaneous else players[0]

    def is_terminal(self):
        """Return whether the game is over."""
        cdef int32_t players[MASUME_MAX_SLOTS]
        return self.g.slots(self.g, self.data, players) == 0

    cdef int32_t to_slot(self, object slot) except -1:
        cdef int64_t number = to_int64(slot, "slot")
        if not 0 <= number < self.g.num_slots:
            raise ValueError(f"slot: expected 0..{self.g.num_slots - 1}, got {slot}")
        return <int32_t>number

    cdef int32_t to_player(self, object player) except -1:
        cdef int64_t number = to_int64(player, "player")
        if not 0 <= number < self.g.num_players:
            raise ValueError(f"player: expected 0..{self.g.num_players - 1}, got {player}")
        return <int32_t>number

    def legal_actions(self, slot=0):
        """Return the legal actions of a slot, in mask order.

        Parameters
        ----------
        slot : int, optional
            Slot, 0..num_slots-1. Default 0.

        Returns
        -------
        ndarray of int32 or int64
            int32[n]; int64[n] in games whose actions are not codes (`Game.has_exact_actions`). Empty at the end and for
            a slot that is not pending.

        Raises
        ------
        ValueError
            If the game has no such slot.
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
        """Return the mask of the legal codes of a slot.

        Parameters
        ----------
        slot : int, optional
            Slot, 0..num_slots-1. Default 0.
        out : ndarray of uint8, optional
            uint8[num_actions], C-contiguous and writable. If given, it is filled and returned.

        Returns
        -------
        ndarray of uint8
            uint8[num_actions]: 1 for each legal code, 0 for the others. All 0 at the end and for a slot that is not
            pending.

        Raises
        ------
        ValueError
            If the game has no such slot, or `out` has another dtype, shape or order.
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
        """Return the action of a code in this position, -1 if there is none; in most games they are equal."""
        cdef int32_t number = to_code(to_int64(code, "code"))
        if self.g.decode != NULL:
            return self.g.decode(self.g, self.data, number)
        return number if number < <int64_t>self.g.num_actions else -1

    def encode(self, action):
        """Return the code of an action in this position, -1 if the mask has no entry for it."""
        cdef int64_t number = to_int64(action, "action")
        if self.g.encode != NULL:
            return self.g.encode(self.g, self.data, number)
        return number if 0 <= number < self.g.num_actions else -1

    def fallback(self, slot=0):
        """Return the code of the neutral action that the rules substitute for an illegal one.

        Depending on the game this is STAY, finish, pass or the lowest legal code. `Batch(on_illegal="fallback")` plays
        it.

        Parameters
        ----------
        slot : int, optional
            Slot, 0..len(slots)-1. Default 0.

        Returns
        -------
        int
            The code.

        Raises
        ------
        ValueError
            If the slot has no pending decision.
        """
        cdef int32_t players[MASUME_MAX_SLOTS]
        cdef int32_t at = self.to_slot(slot)
        if at >= self.g.slots(self.g, self.data, players):
            raise ValueError(f"slot: {slot} has nothing to decide now")
        return self.g.fallback(self.g, self.data, at)

    # -- play -------------------------------------------------------------------------------

    cdef int32_t apply_codes(self, const int32_t *codes) except? -1000:
        """Call the table's apply; a State class that keeps a turn's outputs overrides it."""
        return self.g.apply(self.g, self.data, self.memory, codes)

    def apply(self, action):
        """Play one action, or one action per slot if several slots decide.

        Parameters
        ----------
        action : int, str, sequence of int or str, or ndarray of int32
            One action in games of one slot; otherwise int32[len(slots)] or a list with one entry per slot. A str is
            read as by `text_to_action`.

        Raises
        ------
        IllegalActionError
            If an action is not allowed; the state is unchanged.
        GameOverError
            If the game is over.
        NotationError
            If a text is not an action.
        ValueError
            If an array has another dtype, shape or order, or the number of actions is wrong.
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
        """Copy one code per slot from int32[slots] or a sequence; return the array, or the sequence as a tuple."""
        cdef cnp.npy_intp count = self.g.num_slots
        cdef cnp.npy_intp k = 0
        if isinstance(actions, cnp.ndarray):
            check_array("actions", actions, CODE_DTYPE, (count,), False)
            memcpy(codes, cnp.PyArray_DATA(<cnp.ndarray>actions), count * sizeof(int32_t))
            return actions
        if not isinstance(actions, (list, tuple)):
            raise ValueError(f"actions: expected int32[{count}] or a list of {count} ints, got {actions!r}")
        actions = tuple(actions)       # a copy: an entry's __index__ may change the list
        if len(actions) != count:
            raise ValueError(f"actions: expected {count}, one for each slot, got {len(actions)}")
        for action in <tuple>actions:
            if isinstance(action, str):
                action = self.text_to_action(action, k)
            codes[k] = to_code(to_int64(action, "actions" if type(action) is int else f"actions[{k}]"))
            k += 1
        return actions

    def _illegal(self, int slot, action):
        """Return the exception for an action that its slot may not play here."""
        if self.is_terminal():
            return GameOverError(f"the game is over: action {action!r} cannot be played\n{self}")
        player = self.slots[slot]
        who = f"player {player}" if self.g.num_slots == 1 else f"slot {slot} of player {player}"
        if isinstance(action, np.integer):
            action = int(action)
        return IllegalActionError(f"action {action!r} of {who} is not allowed here\n{self}")

    def forfeit(self, player, cause):
        """Make a player lose at once for a fault that the game defines.

        Parameters
        ----------
        player : int
            The player who loses, 0..num_players-1.
        cause : object
            The fault, as the game names it.

        Raises
        ------
        GameOverError
            If the game is over.
        ValueError
            If the game defines no such cause (`Game.has_forfeits`).
        """
        cdef int32_t status = -1
        cdef int32_t who = self.to_player(player)
        if self.g.forfeit != NULL:
            if self.is_terminal():
                raise GameOverError(f"the game is over: player {player} cannot forfeit\n{self}")
            status = self.g.forfeit(self.g, self.data, self.memory, who, to_code(self._cause(cause)))
        if status < 0:
            raise ValueError(f"cause: {self.game.name} knows no forfeit by {cause!r}")

    def _cause(self, cause):
        """Return the table's number of a cause; a game with named causes overrides it."""
        return to_int64(cause, "cause")

    def events(self, player=None):
        """Return the events of the last `apply`.

        Parameters
        ----------
        player : int, optional
            Include only what this player sees. None: everything.

        Returns
        -------
        list of dict
            The events in order; empty in games that report none.
        """
        return []

    def returns(self):
        """Return the result of each player as float32[num_players]; 0 before the end."""
        cdef cnp.npy_intp count = self.g.num_players
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_FLOAT32)
        self.g.returns(self.g, self.data, <float *>cnp.PyArray_DATA(found))
        return found

    def scores(self):
        """Return the current points of each player as int64[num_players], counted as in the rules."""
        cdef cnp.npy_intp count = self.g.num_players
        found = cnp.PyArray_SimpleNew(1, &count, cnp.NPY_INT64)
        self.g.scores(self.g, self.data, <int64_t *>cnp.PyArray_DATA(found))
        return found

    # -- a player's view ----------------------------------------------------------------------

    def observation(self, player, out=None, *, dtype="float32", crop=None):
        """Return the observation of a player.

        Parameters
        ----------
        player : int
            The viewer, 0..num_players-1.
        out : dict, optional
            Arrays to fill, {field: array}; it may hold only some of the fields. If given, it is returned.
        dtype : {"float32", "uint8", "bits", "float16", "bfloat16"}, optional
            dtype of the planes, as in `Batch`. Default float32.
        crop : int or (int, int), optional
            Rows and columns of the part of the planes around the player, as in `Batch`. None: everything.

        Returns
        -------
        dict
            {field: array}, with shapes and dtypes from `game.observation_spec`, or as `dtype` and `crop` say.

        Raises
        ------
        ConfigError
            If the game has no such dtype or crop.
        ValueError
            If the player or a field is unknown, or an array has another dtype, shape or order.
        """
        cdef void *pointers[MASUME_MAX_FIELDS]
        cdef uint32_t fields = 0
        cdef int32_t i, who = self.to_player(player)
        cdef bint is_plain
        cdef dict given
        cdef list arrays = []          # keeps the arrays alive until they are written
        cdef Form form = None
        spec = self.game.observation_spec
        if dtype is not FLOAT32 and dtype != FLOAT32 or crop is not None:
            form = Form(self.game, dtype, crop)
            spec = form.spec
        if out is None:
            out = {}
            for i, (name, (shape, kind)) in enumerate(spec.items()):
                array = out[name] = np.empty(shape, kind)
                pointers[i] = cnp.PyArray_DATA(<cnp.ndarray>array)
                fields |= <uint32_t>1 << i
        else:
            is_plain = type(out) is dict
            for name in out:
                if name not in spec:
                    raise ValueError(f"out: no field {name!r}; the fields are {', '.join(spec)}")
                is_plain = is_plain and type(name) is str
            given = out if is_plain else {name: out[name] for name in spec if name in out}
            for i, (name, (shape, kind)) in enumerate(spec.items()):      # from here on no code of the caller runs
                array = given.get(name, spec)
                if array is not spec:
                    if not is_array(array, kind, shape):
                        check_array("out", array, kind, shape, True, name)
                    arrays.append(array)
                    pointers[i] = cnp.PyArray_DATA(<cnp.ndarray>array)
                    fields |= <uint32_t>1 << i
        if form is None:
            self.g.observe(self.g, self.data, self.memory, who, fields, pointers)
        else:
            observe_view(self.g, self.data, self.memory, who, fields, &form.views, pointers)
        return out

    def information_state(self, player):
        """Return everything that a player has seen, as text; equal texts mean equal knowledge."""
        self.to_player(player)
        return str(self)

    def resample(self, player, seed):
        """Return a random position that a player cannot distinguish from this one.

        Parameters
        ----------
        player : int
            The viewer, 0..num_players-1.
        seed : int
            Seed of the sample, 0..2**64-1.

        Returns
        -------
        State
            A State of the public game (`Game.public`).

        Raises
        ------
        ValueError
            If the game hides nothing, or no sample was found in a bounded number of tries.
        """
        cdef int32_t who = self.to_player(player)
        cdef uint64_t number = integer("seed", seed, 0, 2**64 - 1)
        if self.g.resample == NULL:
            raise ValueError(f"{self.game.name} hides nothing: clone() is the only sample")
        public = self.game.public                  # a sample must not reveal what the config hides
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
        """Return a new State equal to this one."""
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
        """Copy the position of another State into this one, without allocating.

        This is the cheapest way to take moves back: keep a second State of the earlier position and copy it.

        Parameters
        ----------
        other : State
            A State of an equal game.

        Raises
        ------
        ValueError
            If `other` belongs to another game.
        """
        if (other.game is not self.game or type(self) is not type(other)) and not self.is_twin(other):
            raise ValueError(f"other: expected a state of {self.game!r}, got one of {other.game!r}"
                             f"{self._difference(other)}")
        self._copy(other)

    cdef bint is_twin(self, State other) except -1:
        """Return whether `other` is a State of an equal game with the same layout."""
        return (type(self) is type(other) and self.g.init == other.g.init and self.g.state_size == other.g.state_size
                and self.g.memory_size == other.g.memory_size and self.game == other.game)

    def __eq__(self, other):
        """Return whether `other` is the same position of an equal game and its players have seen the same."""
        if not isinstance(other, State):
            return NotImplemented
        return self is other or (self.is_twin(other) and self.to_bytes() == (<State>other).to_bytes())

    __hash__ = None        # a State is mutable; `key` hashes the current position

    def _difference(self, other):
        """Return text that names the config fields that differ, for games of the same name; else an empty text."""
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
        """Pickle the position and its history, for `Game.restore_state`."""
        if self.origin is None:
            return self.game.restore_state, (self.to_bytes(),)
        return self.game.restore_state, (self.to_bytes(), self.history, self.origin, self.past)

    @property
    def key(self):
        """64-bit hash of everything that decides the future; equal for equal positions, on every platform."""
        return self.g.key(self.g, self.data)

    def to_bytes(self):
        """Return the bytes of the position, including what the players have seen; see `Game.state_from_bytes`."""
        cdef bytes state = self.data[:self.g.state_size]
        return state + self.memory[:self.g.memory_size] if self.memory != NULL else state

    @property
    def array(self):
        """The position as a read-only 0-d structured array: a view, valid while the State exists."""
        return view_of(self, self.data, self.game.state_dtype, (), False)

    def to_dict(self):
        """Return the variables of the position as JSON types; `Game.state_from_dict` is the inverse."""
        fields = self.array
        return {name: fields[name].tolist() for name in fields.dtype.names}

    def check(self):
        """Recompute every invariant; raise AssertionError, which shows the position, if one does not hold."""
        cdef const char *message = self.g.check(self.g, self.data, self.memory)
        if message != NULL:
            raise AssertionError(f"{message.decode()}\n{self}")

    def _context(self, slot):
        """Return what stands before an action of a slot in the functions of the game's notation.

        None for a game without a notation, and for a State that has texts of its own.
        """
        return None

    def action_to_text(self, action, slot=0):
        """Return an action as text, in the notation of the game's rules."""
        context = self._context(self.to_slot(slot))
        if context is None:
            return str(int(action))
        return self.game.part("notation").action_to_text(*context, to_int64(action, "action"))

    def text_to_action(self, str text not None, slot=0):
        """Return the action that a text names, the inverse of `action_to_text`; NotationError if there is none."""
        context = self._context(self.to_slot(slot))
        if context is not None:
            return self.game.part("notation").text_to_action(*context, text)
        if not text.strip().isdecimal():
            raise NotationError(f"expected an action, got {text!r}")
        return int(text)

    def __str__(self):
        return "\n".join(f"{name}: {value}" for name, value in self.to_dict().items())

    def __repr__(self):
        return f"<{self.game.name} state, key {self.key:016x}>"

    def _repr_svg_(self):
        return self.game.draw(self)

    # -- used by game.py to build states ------------------------------------------------------

    cdef int load_bytes(self, bytes data, bint without_memory) except -1:
        """Load a position from bytes. After a StateError this State must be discarded.

        without_memory : the bytes end before the memory; the players have seen nothing before this position.
        """
        cdef const uint8_t *source = data
        cdef bint alone = without_memory and self.memory != NULL
        cdef Py_ssize_t wanted = self.g.state_size + (0 if alone else self.g.memory_size)
        cdef const char *message
        if len(data) != wanted:
            raise StateError(f"bytes: expected {wanted}, got {len(data)}" + MISSING * (len(data) == self.g.state_size))
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
        """Load a position from the dict of `to_dict()`; this State must be a start.

        After a StateError this State must be discarded.
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
        return self.load_bytes(array.tobytes() + self.memory[:self.g.memory_size], False)

    cdef int remember(self, object history, object origin, object past) except -1:
        """Set the history of this position; StateError for values that no State reports."""
        self.num_noted = 0
        for action in history_of(history):
            self.note(action)
        from_bytes(type(self), self.game, origin, True)      # checks that it is a position
        self.origin = origin
        self.past = past
        while past is not None:
            if not isinstance(past, tuple) or len(past) != 5 or not isinstance(past[1], Table):
                raise StateError(f"past: expected (viewer, game, origin, history, past), got {past!r}")
            viewer, game, origin, history, past = past
            self.to_player(viewer)
            if not isinstance(history, tuple):
                raise StateError(f"past: expected a tuple as its history, got {history!r}")
            history_of(history)
            if from_bytes(type(self), game, origin, True).g.state_size != self.g.state_size:
                raise StateError(f"past: {game!r} has states of another size than {self.game!r}")
        return 0

    def _choose(self, player, policy, rng):
        """Return ([action of each slot of the player], rng after): the choice of a policy of `game.policies`."""
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
    """Return the actions of a history as a list; StateError if it is not a list of ints."""
    if not isinstance(actions, (list, tuple)) or not all([type(action) is int for action in actions]):
        raise StateError(f"history: expected a list of ints, got {actions!r}")
    return [to_int64(action, "history") for action in actions]


cdef int check_state(State state, Table game) except -1:
    """Raise ValueError unless the State belongs to this game or to one whose public side is this game."""
    if state.game is not game and (
            state.g.init != game.g.init or state.g.state_size != game.g.state_size
            or state.g.memory_size != game.g.memory_size
            or game not in (state.game, getattr(state.game, "public", None))):
        raise ValueError(f"state: expected one of {game!r}, got one of {state.game!r}")
    return 0


cpdef State from_bytes(type kind, Table game, data, bint without_memory=False):
    """Return the State of this class and game from its bytes (`Game.state_from_bytes`)."""
    if not isinstance(data, bytes):
        raise StateError(f"bytes: expected bytes, got {type(data).__name__}")
    cdef State state = <State?>new_of(kind, (game, BARE))
    state.load_bytes(data, without_memory)
    return state


def from_dict(type kind not None, Table game not None, seed, dict variables not None):
    """Return the State of this class and game from a dict; `seed` gives the start to fill (`Game.state_from_dict`)."""
    cdef State state = <State?>kind(game, seed)
    state.load(variables)
    return state


def restore(type kind not None, Table game not None, data, history, origin, past):
    """Return the State of these bytes with its history (`Game.restore_state`)."""
    cdef State state = from_bytes(kind, game, data)
    if state.origin is None:
        raise StateError(f"history: {game.name} hides nothing, so its states have none")
    state.remember(history, origin, past)
    return state


cdef int share_arguments(State state) except -1:
    """Create what clones share, once; other threads may clone this State at the same time."""
    with cython.critical_section(state):
        if state.arguments is None:
            state.arguments = (state.game, BARE)
    return 0


cdef object view_of(object owner, void *data, object dtype, tuple shape, bint writable):
    """Return an ndarray over `data`, which `owner` keeps alive."""
    cdef cnp.npy_intp dims[8]
    cdef int k
    for k in range(len(shape)):
        dims[k] = shape[k]
    Py_INCREF(dtype)      # PyArray_NewFromDescr steals a reference
    array = PyArray_NewFromDescr(&PyArray_Type, <cnp.dtype>dtype, <int>len(shape), dims, NULL, data,
                                 cnp.NPY_ARRAY_CARRAY if writable else cnp.NPY_ARRAY_CARRAY_RO, None)
    cnp.set_array_base(array, owner)
    return array


guard_methods(globals())
