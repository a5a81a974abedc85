"""The torch side of compact planes; torch is installed for `make slow` only."""

import numpy as np
import pytest

import masume
from cases import GAMES

torch = pytest.importorskip("torch", exc_type=ImportError)
pytestmark = pytest.mark.slow

from masume.envs.torch import buffers, expand  # noqa: E402


@pytest.mark.parametrize("dtype", ["uint8", "bits"])
@pytest.mark.parametrize("name", GAMES)
def test_tensors_expand_to_the_float_planes(name, dtype):
    """Batches write into tensors as they are, and torch's floats are bit-equal to those of the engine."""
    game = masume.load(name, **GAMES[name].CASES[0])
    own = buffers(game, 5, dtype=dtype)
    batch, plain = game.batch(5, seed=1, dtype=dtype, buffers=own), game.batch(5, seed=1)
    for _ in range(20):
        for one in (batch, plain):
            one.sample_actions()
            one.step()
        for field, spec in batch.plane_specs.items():
            assert batch.observations[field].ctypes.data == own[field].data_ptr()
            found = expand(own[field], spec)
            assert found.numpy().tobytes() == plain.observations[field].tobytes()
            for half in (torch.float16, torch.bfloat16):
                assert torch.equal(expand(own[field], spec, half, "cpu"), found.to(half))
    assert found.any()


def test_halves_are_those_of_torch():
    game = masume.load("chaser")
    state = game.new_state(1)
    floats = torch.from_numpy(state.observation(0)["planes"])
    halves = torch.from_numpy(state.observation(0, dtype="float16")["planes"])
    assert torch.equal(halves, floats.half())
    bits = torch.from_numpy(state.observation(0, dtype="bfloat16")["planes"].view(np.int16)).view(torch.bfloat16)
    assert torch.equal(bits, floats.bfloat16())
    cropped = buffers(game, 3, observe=["planes"], dtype="bits", crop=11)
    batch = game.batch(3, observe=["planes"], dtype="bits", crop=11, buffers=cropped)
    assert expand(cropped["planes"], batch.plane_specs["planes"]).shape == (3, 7, 11, 11)


def test_tensors_that_do_not_fit_are_named():
    game = masume.load("chaser")
    spec = game.plane_spec()
    with pytest.raises(ValueError, match=r"planes: expected torch.uint8\[..., 7, 47, 51\], got torch.uint8\[7, 3\]"):
        expand(torch.zeros((7, 3), dtype=torch.uint8), spec)
    with pytest.raises(ValueError, match=r"dtype: expected a floating torch.dtype, got torch.int8"):
        expand(torch.zeros((7, 47, 51), dtype=torch.uint8), spec, torch.int8)
    with pytest.raises(ValueError, match="planes: expected a Tensor, got list"):
        expand([], spec)
    with pytest.raises(ValueError, match="spec: expected one of uint8 or bits, got float16"):
        expand(torch.zeros(1), game.plane_spec(dtype="float16"))
    with pytest.raises(ValueError, match=r"buffers\['planes'\]: expected float32\[2, 7, 47, 51\], got float32\[2\]"):
        game.batch(2, buffers={"planes": torch.zeros(2)})
    with pytest.raises(ValueError, match=r"buffers\['planes'\]: expected memory that NumPy can use, got"):
        game.batch(2, buffers={"planes": torch.zeros((2, 7, 47, 51), requires_grad=True)})
    with pytest.raises(masume.ConfigError, match=r"observe: expected one of .*, got 'nothing'"):
        buffers(game, 2, observe=["nothing"])
