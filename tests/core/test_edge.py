"""The edge of C: nothing that Python can pass ends the process or is read as what it is not."""

import ast
import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import foreign
import masume
from callers import FOREST, Pretender
from cases import GAMES
from masume.core import _batch, _planes, _playout
from masume.errors import IllegalActionError
from masume.nets import _layers
from masume.planes import expand
from masume.search import _beam, _mcts

TESTS = Path(__file__).parents[1]


# -- a self of another type -------------------------------------------------------------------------------


def test_no_method_takes_a_foreign_self():
    """In a process of its own, since a method that takes one reads what is not there."""
    found = subprocess.run([sys.executable, TESTS / "foreign.py"], capture_output=True, text=True, cwd=TESTS)
    assert found.returncode == 0, found.stdout[-200:] + found.stderr
    methods = sum(len(list(foreign.list_methods(module))) for module in foreign.compiled_modules())
    assert methods > 90
    assert found.stdout.endswith(f"{methods} methods\n")


@pytest.mark.parametrize("name", GAMES)
def test_methods_take_the_instances_of_subclasses(name):
    game = masume.load(name, **GAMES[name].SMALL)

    class Mine(type(game.new_state())):
        pass

    class Mixin:
        pass

    class Mixed(Mixin, Mine):
        pass

    for kind in (Mine, Mixed):
        state = kind(game, 1)
        assert masume.State.returns(state).tolist() == state.returns().tolist()
        assert type(state.clone()) is kind
        assert masume.State.legal_actions(state, slot=0).tolist() == state.legal_actions().tolist()


def test_a_guarded_method_tells_what_it_belongs_to():
    with pytest.raises(TypeError, match=r"^apply\(\) of 'masume.core._state.State' objects does not apply to a 'int'"):
        masume.State.apply(1, 2)
    assert inspect.signature(masume.State.apply).parameters.keys() == {"self", "action"}
    assert pickle.loads(pickle.dumps(masume.State.apply)) is masume.State.apply


# -- arrays -----------------------------------------------------------------------------------------------


def list_array_parameters():
    """Return {function: names} for the parameters of compiled functions whose annotation names arrays."""
    found = {}
    for module in foreign.compiled_modules():
        path = Path(masume.__file__).parent.joinpath(*module.__name__.split(".")[1:]).with_suffix(".pyi")
        tree = ast.parse(path.read_text())
        places = [(module.__name__, tree.body)]
        places += [
            (f"{module.__name__}.{node.name}", node.body) for node in tree.body if isinstance(node, ast.ClassDef)
        ]
        for place, body in places:
            for node in body:
                if isinstance(node, ast.FunctionDef):
                    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                    names = {one.arg for one in given if one.annotation and "NDArray" in ast.unparse(one.annotation)}
                    if names:
                        found[f"{place}.{node.name}"] = names
    return found


@dataclasses.dataclass
class Call:
    """A call that works: the function, its arrays by parameter, those that it writes, and what else it takes."""

    function: object
    arrays: dict
    written: tuple = ()
    taken: dict = dataclasses.field(default_factory=dict)


ANY_LENGTH = {"a shorter one", "a longer one"}
CONVERTED = {"dtype", "byte order", "alignment", "order", "a list"}  # by NumPy, which trusts what claims to be an array


def a_game(name):
    return masume.load(name, **GAMES[name].SMALL)


def step():
    batch = a_game("kakomimasu").batch(2)
    batch.sample_actions()
    return Call(batch.step, {"actions": batch.actions.copy(), "mask": np.ones(2, bool)})


def step_exactly():
    batch = a_game("terraforming").batch(2)
    state = batch.game.state_from_bytes(batch.states[0].tobytes())
    return Call(batch.step, {"exact": np.full(2, state.legal_actions()[0], np.int64), "mask": np.array([True, False])})


def look():
    batch = a_game("nezumi").batch(2)
    out = {name: np.empty((2, *shape), kind) for name, (shape, kind) in batch.game.observation_spec.items()}
    out = {name: out[name] for name in batch.observations}
    return Call(batch.look, {"players": np.zeros(2, np.int8), "mask": np.ones(2, bool), "out": out}, ("out",))


def choose_actions():
    batch = a_game("nezumi").batch(2)
    arrays = {"policies": np.ones((2, 2), np.int8), "generators": np.ones((2, 2), np.uint64), "mask": np.ones(2, bool)}
    return Call(batch.choose_actions, arrays, ("generators",))


def bind():
    game, n = a_game("nezumi"), 2
    shapes = {
        "actions": ((n, 1), np.int32), "rewards": ((n, 2), np.float32), "terminated": ((n,), np.bool_),
        "current_player": ((n,), np.int8), "seeds": ((n,), np.uint64), "masks": ((n, 1, game.num_actions), np.uint8),
        "masks_packed": ((n, 1, -(-game.num_actions // 32)), np.uint32),
    }  # fmt: skip
    sizes = dict.fromkeys(("rngs", "plies", "finished", "total_plies", "fallbacks"), 8 * n)
    sizes |= {"states": n * game.state_size, "game_index": 4 * n, "over": n, "illegal": n, "total_returns": 16 * n}
    shape, kind = game.observation_spec["planes"]

    def call(arrays, observations, finals, watched):
        blocks = {name: _batch.Block(size) for name, size in sizes.items()}
        loop = _batch.Loop()
        loop._bind((game,), arrays, observations, finals, blocks, watched, None, 0, False, False, "float32", None)

    arrays = {
        "arrays": {name: np.zeros(*shape) for name, shape in shapes.items()},
        "observations": {"planes": np.zeros((n, *shape), kind)},
        "finals": {"planes": np.zeros((n, 2, *shape), kind)},
    }
    return Call(lambda watched=(), **given: call(watched=watched, **given), arrays, tuple(arrays))


def load():
    batch = a_game("nezumi").batch(3)
    states = batch.state(0), batch.state(1)
    return Call(lambda rows: batch._load(rows, states), {"rows": np.array([2, 0])})


def expand_planes():
    game = a_game("nezumi")
    spec = game.plane_spec(dtype="bits")
    planes = game.new_state(1).observation(0, dtype="bits")["planes"]
    out = np.empty(spec.shape, np.float32)
    fields = {name: getattr(spec, name) for name in ("levels", "scale", "offset", "is_bits")}
    return Call(
        lambda planes, out, spec: _planes.expand(
            planes, dataclasses.replace(game.plane_spec(dtype="bits"), **spec), out=out
        ),
        {"planes": planes, "out": out, "spec": fields},
        ("out",),
    )


def record():
    return Call(
        lambda **given: _playout.record(a_game("nezumi"), **given),
        {"seeds": np.arange(3, dtype=np.uint64), "policies": np.zeros(2, np.int32)},
        taken={"seeds": ANY_LENGTH},
    )


def replay():
    game = a_game("nezumi")
    seeds = np.arange(3, dtype=np.uint64)
    found = _playout.record(game, seeds, np.zeros(2, np.int32))
    arrays = {"seeds": seeds, "lengths": found["length"], "actions": found["actions"]}
    return Call(lambda **given: _playout.replay(game, **given, masks=True, fields=("planes",)), arrays)


def observe():
    state = a_game("nezumi").new_state(1)
    return Call(lambda out: state.observation(0, out), {"out": state.observation(0)}, ("out",))


def apply(key):
    def make():
        state = a_game("kakomimasu").new_state(1)
        arrays = {key: np.zeros(len(state.slots), np.int32)}
        return Call(lambda **given: state.clone().apply(*given.values()), arrays, taken={key: {"a list"}})

    return make


def mask():
    state = a_game("nezumi").new_state(1)
    return Call(lambda out: state.legal_mask(0, out), {"out": state.legal_mask()}, ("out",))


def find_usual():
    return Call(_layers.find_usual, {"rows": np.ones((3, 4), np.float32)}, taken={"rows": ANY_LENGTH})


def multiply():
    arrays = {"rows": (3, 4), "usual": (4,), "matrix": (4, 5), "bias": (5,)}
    given = {name: np.ones(shape, np.float32) for name, shape in arrays.items()}
    return Call(_layers.multiply, given, taken={"rows": ANY_LENGTH})


def multiply_around():
    arrays = {"rows": (3, 8), "usual": (8,), "matrix": (4, 5), "bias": (1, 5)}  # two planes of four cells
    given = {name: np.ones(shape, np.float32) for name, shape in arrays.items()}
    given["around"] = np.zeros((5, 2), np.int64)
    taken = {"rows": ANY_LENGTH, "bias": ANY_LENGTH, "around": {"a shorter one"}}  # fewer slots, fewer cells
    return Call(lambda **given: _layers.multiply_around(begin=0, own=0, **given), given, taken=taken)


def plan():
    state = a_game("kakomimasu").new_state(1)
    layers = _beam.Layers(state.game, 2, 2, 2, 0.9, 0.5)
    arrays = {"plan": np.zeros((2, state.game.num_slots), np.int32)}
    return Call(lambda plan: layers.set_root(state, 0, 1, plan), arrays, taken={"plan": ANY_LENGTH})


def forest():
    state = a_game("nezumi").new_state(1)
    one = _mcts.Forest(state.game, 1, 1, 1 << 20, **FOREST | {"leaves": 2, "considered": 2, "observe": ("planes",)})
    one.set_root(0, state, int(state.slots[0]), 3)
    return state.game, one


def improve():
    game, one = forest()
    one.run(20, 0, lambda views, movers: (np.ones((len(movers), 1, game.num_actions)), np.zeros((len(movers), 2))))
    arrays = {"logits": np.zeros((1, 1, game.num_actions), np.float32), "values": np.zeros((1, 1), np.float32)}
    return Call(one.improve, arrays, taken=dict.fromkeys(arrays, CONVERTED))


def evaluate():
    game, _ = forest()

    def run(priors, values):
        _, one = forest()
        one.run(2, 0, lambda views, movers: (priors, values))

    n = 1
    arrays = {"priors": np.ones((n, 1, game.num_actions), np.float32), "values": np.zeros((n, 2), np.float32)}
    taken = {"priors": CONVERTED | {"an axis less"}, "values": CONVERTED}  # of the one slot
    return Call(run, arrays, taken=taken)


def answer():
    game, _ = forest()
    arrays = {"priors": np.ones((1, 1, game.num_actions), np.float32), "values": np.zeros((1, 2), np.float32)}

    def run(priors, values):
        _, one = forest()
        one.grant(0, 2)
        one.collect()
        one.answer(priors, values)

    return Call(run, arrays, taken={"priors": CONVERTED | {"an axis less"}, "values": CONVERTED})


def with_mask(name):
    def make():
        batch = a_game("nezumi").batch(2)
        return Call(getattr(batch, name), {"mask": np.ones(2, bool)})

    return make


def reset():
    batch = a_game("nezumi").batch(2)
    return Call(lambda mask, seed: batch._reset(seed, mask), {"mask": np.ones(2, bool), "seed": np.ones(2, np.uint64)})


def swap():
    batch = a_game("nezumi").batch(2)
    arrays = {"masks": batch.masks.copy(), "planes": batch.observations["planes"].copy()}
    return Call(batch._swap, {"arrays": arrays}, ("arrays",))


def show_only():
    batch = a_game("nezumi").batch(2)
    return Call(batch._show_only, {"seats": np.zeros(2, np.int8)})


def single(name):
    batch = a_game(name).batch(1, autoreset="disabled", on_illegal="fallback", memory=True)
    slots = batch.game.num_slots
    at = (0, 0) if batch.game.is_simultaneous else 0

    def play(**given):
        one = _batch.Single(batch, 0, range(slots), read=lambda action, _: action, **given)
        batch.reset(1)
        one.step(np.zeros(slots, np.int64) if batch.game.is_simultaneous else 0)

    arrays = {
        "policies": np.ones((1, 2), np.int8),
        "generators": np.ones((1, 2), np.uint64),
        "neutral": np.zeros((slots, batch.game.num_actions), np.uint8),
        "fields": {name: array[at] for name, array in batch.observations.items()},
    }
    return Call(play, arrays, ("generators",))


def test_a_single_game_takes_only_what_fits_it():
    """Its batch, learner, slots and fields are checked when it is made, actions when they are played."""
    game = a_game("kakomimasu")
    batch = game.batch(1, autoreset="disabled", on_illegal="fallback")
    neutral = np.zeros((game.num_slots, game.num_actions), np.uint8)
    fields = {name: array[0] for name, array in batch.observations.items()}
    right = [batch, -1, range(game.num_slots), None, None, neutral, fields, lambda action, shape: np.zeros((9, 9))]
    wrong = {
        0: [game.batch(2, autoreset="disabled"), game.batch(1), game.batch(1, autoreset="disabled", masks=False)],
        1: [-2, 0, 2],
        2: [(), (-1,), (game.num_slots,), [0] * (game.num_slots + 1)],
        6: [{}, fields | {"more": fields["planes"]}],
    }
    for place, values in wrong.items():
        for value in values:
            with pytest.raises(ValueError, match="expected"):
                _batch.Single(*right[:place], value, *right[place + 1 :])
    one = _batch.Single(*right)
    with pytest.raises(ValueError, match=r"actions: expected shape \(\d+,\), got \(9, 9\)"):
        one.step(np.zeros(game.num_slots + 1, np.int64))
    assert one.step(np.zeros(game.num_slots, np.int64))[1:4] == (0.0, False, False)


CALLS = {
    "masume.core._batch.Single.__new__": (lambda: single("kakomimasu"), lambda: single("battleship")),
    "masume.core._batch.Loop.step": (step, step_exactly),
    "masume.core._batch.Loop.sample_actions": (with_mask("sample_actions"),),
    "masume.core._batch.Loop.choose_actions": (choose_actions,),
    "masume.core._batch.Loop._show_only": (show_only,),
    "masume.core._batch.Loop.look": (look,),
    "masume.core._batch.Loop._bind": (bind,),
    "masume.core._batch.Loop._load": (load,),
    "masume.core._batch.Loop._reset": (reset,),
    "masume.core._batch.Loop._swap": (swap,),
    "masume.core._planes.expand": (expand_planes,),
    "masume.core._playout.record": (record,),
    "masume.core._playout.replay": (replay,),
    "masume.core._state.State.legal_mask": (mask,),
    "masume.core._state.State.apply": (apply("action"),),
    "masume.core._state.State.observation": (observe,),
    "masume.kakomimasu._engine.State.apply": (apply("actions"),),
    "masume.nets._layers.find_usual": (find_usual,),
    "masume.nets._layers.multiply": (multiply,),
    "masume.nets._layers.multiply_around": (multiply_around,),
    "masume.search._beam.Layers.set_root": (plan,),
    "masume.search._mcts.Forest.answer": (answer,),
    "masume.search._mcts.Forest.improve": (improve, evaluate),
}
UNREAD = {
    ("masume.core._batch.Loop._bind", "watched"),  # any arrays: only their addresses are compared
    ("masume.core._playout.replay", "numbers"),  # numbers of games in messages
}


class Interface:
    """Object whose memory is elsewhere than it says."""

    def __init__(self, array):
        self.__array_interface__ = array.__array_interface__ | {"data": (64, False), "version": 3}


def spoil(array, is_written, taken):
    """Yield (what is wrong, array) for arrays that are not as `array`."""
    size = array.dtype.itemsize
    other = {1: np.int16, 2: np.int8, 4: np.float64, 8: np.float32}[size]
    yield "dtype", array.astype(other)
    yield "bytes", array.tobytes()
    yield "a list", array.tolist()
    if not set(taken) >= CONVERTED:
        yield "an address", Interface(array)
        yield "a claim", claim(array)
    if size > 1:
        yield "byte order", array.astype(array.dtype.newbyteorder())
        shifted = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
        shifted[...] = array
        yield "alignment", shifted
    yield "a shorter one", array[:-1]
    yield "a longer one", np.concatenate([array, array])
    yield "an axis more", array[None]
    if array.ndim > 1:
        yield "an axis less", array[0]
    if array.size > 1:
        yield "order", np.repeat(array, 2, axis=-1)[..., ::2]
    if is_written:
        fixed = array.copy()
        fixed.flags.writeable = False
        yield "read-only", fixed


def claim(array):
    """Return an array of one byte that says that it is as large as `array`."""

    class Claiming(Pretender):
        shape = property(lambda self: array.shape)
        dtype = property(lambda self: array.dtype)
        size = property(lambda self: array.size)
        nbytes = property(lambda self: array.nbytes)
        ndim = property(lambda self: array.ndim)

        def __array_function__(self, function, types, arguments, options):
            return False

    return np.zeros(1, np.uint8).view(Claiming)


def test_every_function_that_takes_an_array_is_called():
    wanted = {(function, name) for function, names in list_array_parameters().items() for name in names}
    assert len(wanted) > 25
    given = {(function, name) for function, makers in CALLS.items() for make in makers for name in make().arrays}
    extra = {("masume.core._planes.expand", "spec"), ("masume.search._mcts.Forest.improve", "priors")}
    assert given - extra == wanted - UNREAD
    assert not UNREAD - wanted


@pytest.mark.parametrize("function", CALLS)
def test_an_array_of_another_kind_is_refused(function):
    for make in CALLS[function]:
        call = make()
        call.function(**call.arrays)
        for name, whole in call.arrays.items():
            for field, array in whole.items() if isinstance(whole, dict) else [(None, whole)]:
                taken = call.taken.get(name, ())
                for what, odd in spoil(array, name in call.written, taken):
                    refused = is_refused(call, {name: odd if field is None else whole | {field: odd}})
                    assert refused or what in taken, (name, field, what)


def is_refused(call, given):
    """Return whether a call raises an error that is about its arrays, not about what they hold."""
    try:
        call.function(**call.arrays | given)
    except (ValueError, TypeError) as error:
        return not isinstance(error, IllegalActionError)
    return False


def test_a_spec_made_by_hand_is_checked():
    game = masume.load("nezumi", stage="garden")
    spec = game.plane_spec()
    planes = game.new_state(0).observation(0, dtype="uint8")["planes"]
    with pytest.raises(ValueError, match=r"^spec: levels: expected float32\[7, 256\], got float32\[1, 256\]"):
        expand(planes, dataclasses.replace(spec, levels=spec.levels[:1]))
    for name in ("scale", "offset", "is_bits"):
        with pytest.raises(ValueError, match=f"^spec: {name}: expected "):
            expand(planes, dataclasses.replace(spec, **{name: getattr(spec, name)[:2]}))
    for shape in ((7,), (2**40, 7, 7), (7, -1, 7), (7, 2**20, 2**20), (7, 7, "7")):
        with pytest.raises((ValueError, TypeError), match=r"^spec: shape: expected "):
            expand(planes, dataclasses.replace(spec, shape=shape))
    with pytest.raises(ValueError, match=r"^planes: expected "):
        expand(planes, dataclasses.replace(spec, shape=(7, 7, 8)))
    empty = expand(np.zeros((2**40, 0, 7, 7), np.uint8), dataclasses.replace(
        spec, shape=(0, 7, 7), levels=spec.levels[:0], scale=spec.scale[:0], offset=spec.offset[:0],
        is_bits=spec.is_bits[:0],
    ))  # fmt: skip
    assert empty.shape == (2**40, 0, 7, 7)


def test_arrays_that_overlap_are_refused():
    game = masume.load("nezumi", stage="garden")
    room = np.zeros((8, 7, 7), np.uint8)
    with pytest.raises(ValueError, match=r"^out: it overlaps planes"):
        expand(room[:7], game.plane_spec(), "uint8", room[1:])
    shared = np.zeros(16, np.float32)
    with pytest.raises(ValueError, match=r"^buffers: rewards and seeds overlap"):
        game.batch(2, buffers={"rewards": shared[:4].reshape(2, 2), "seeds": shared[:4].view(np.uint64)})


def test_a_loop_is_refused_without_what_it_writes():
    game = masume.load("nezumi", stage="garden")
    rest = ({}, {}, {}, (), None, 0, False, False, "float32", None)
    with pytest.raises(ValueError, match=r"^actions: missing"):
        _batch.Loop()._bind((game,), {"terminated": np.zeros(2, bool)}, *rest)
    with pytest.raises(TypeError):
        _batch.Loop()._bind((None,), {"terminated": np.zeros(2, bool)}, *rest)
    with pytest.raises(TypeError):
        _planes.Form(None, "float32", None)
