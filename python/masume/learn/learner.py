"""The learner: torch improves a network's weights by samples, with Adam, on one device."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.extras import extra
from ..errors import TrainingError
from ..nets.network import Network
from .samples import Samples

MOMENTS = ("exp_avg", "exp_avg_sq")
DECAY = 1e-4


def load_torch() -> Any:
    """Return torch, on one thread and without denormal numbers; ExtraError if it is not installed."""
    torch = extra("torch", "learn")
    torch.set_num_threads(1)  # the networks are small, and sums then have one order
    torch.set_flush_denormal(True)  # weights of numbers that are always 0 decay to them, and they are slow
    return torch


class TorchNetwork(Network):
    """The network with torch's convolutions, which are faster than NumPy's."""

    def forward(self, rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return what `Network.forward` returns, but for rounding."""
        if not self.channels:
            return super().forward(rows)
        import torch

        with torch.inference_mode():
            weights = {name: torch.from_numpy(array) for name, array in self.weights.items()}
            logits, values = _forward(torch, self, weights, torch.from_numpy(rows))
            return logits.numpy(), values.numpy()


def _forward(torch: Any, network: Network, weights: Mapping[str, Any], rows: Any) -> tuple[Any, Any]:
    """Return what `Network.forward` returns, as tensors."""
    count, around = len(rows), _look_around(torch, network, rows)
    if network.channels:
        rows = _convolve(torch, network, weights, rows)
    for k in range(len(network.hidden)):
        rows = torch.addmm(weights[f"layer{k}.bias"], rows, weights[f"layer{k}.weight"])
        if around is not None and k == 0:
            each = around @ weights["around.weight"] + weights["around.bias"]
            rows = (each + rows[:, None]).reshape(count * network.heads, -1)
        rows = torch.relu(rows)
    logits = torch.addmm(weights["policy.bias"], rows, weights["policy.weight"])
    values = torch.addmm(weights["value.bias"], rows, weights["value.weight"])
    values = torch.tanh(values.reshape(count, -1, network.game.num_players).mean(dim=1))
    return logits.reshape(count, network.heads, network.game.num_actions), values


def _look_around(torch: Any, network: Network, rows: Any) -> Any:
    """Return the planes around the cell of each slot, 0 beyond the board; None where no cells are shown."""
    if network.around is None or network.board is None:
        return None
    board, count = network.board, len(rows)
    planes = rows[:, board.begin : board.end].reshape(count, board.shape[0], -1)
    own = planes[:, network.own]
    places = torch.where(own.any(dim=2), own.argmax(dim=2), planes.shape[2])
    cells = torch.cat([planes, torch.zeros_like(planes[:, :, :1])], dim=2).transpose(1, 2)
    chosen = torch.from_numpy(network.around)[places]
    return cells[torch.arange(count)[:, None, None], chosen].reshape(count, network.heads, -1)


def _convolve(torch: Any, network: Network, weights: Mapping[str, Any], rows: Any) -> Any:
    """Return what `Network._convolve` returns, as a tensor."""

    def slide(cells: Any, k: int) -> Any:
        weight = weights[f"conv{k}.weight"]
        kernel = weight.reshape(3, 3, -1, network.channels).permute(3, 2, 0, 1)
        return torch.nn.functional.conv2d(cells, kernel, weights[f"conv{k}.bias"], padding=1)

    board = network.board
    assert board is not None, "there are channels"
    others = torch.cat([rows[:, : board.begin], rows[:, board.end :]], dim=1)
    planes = rows[:, board.begin : board.end].reshape(len(rows), *board.shape)
    cells = torch.relu(slide(planes, 0) + (others @ weights["entry.weight"])[:, :, None, None])
    for k in range(1, 2 * network.blocks + 1, 2):
        cells = torch.relu(cells + slide(torch.relu(slide(cells, k)), k + 1))
    neck = torch.relu(cells.permute(0, 2, 3, 1) @ weights["neck.weight"] + weights["neck.bias"])
    return torch.cat([others, neck.reshape(len(rows), -1)], dim=1)


class Learner:
    """Adam on the weights of a network.

    Parameters
    ----------
    network : Network
        The network; `learn` replaces its weights.
    rate : float
        Learning rate.
    moments : mapping of str to ndarray, optional
        Adam's moments of an earlier learner, as `moments` returns them.
    steps : int, optional
        Steps that it had made.

    Attributes
    ----------
    steps : int
        Steps made.

    Raises
    ------
    ExtraError
        If torch is not installed.
    """

    def __init__(
        self, network: Network, rate: float, moments: Mapping[str, NDArray[np.float32]] | None = None, steps: int = 0
    ) -> None:
        torch = self._torch = load_torch()
        self.steps = steps
        self._network = network
        self._places, self._codes = network.symmetries()
        self._parameters = {
            name: torch.nn.Parameter(torch.from_numpy(array.copy())) for name, array in network.weights.items()
        }
        self._adam = torch.optim.Adam(self._parameters.values(), rate, weight_decay=DECAY)
        if moments:
            for name, parameter in self._parameters.items():
                found = {moment: torch.from_numpy(moments[f"{moment}.{name}"].copy()) for moment in MOMENTS}
                self._adam.state[parameter] = {"step": torch.tensor(float(steps)), **found}

    def moments(self) -> dict[str, NDArray[np.float32]]:
        """Return Adam's moments: two arrays for each of the network's, none before the first step."""
        states = {name: self._adam.state.get(parameter, {}) for name, parameter in self._parameters.items()}
        return {
            f"{moment}.{name}": state[moment].numpy().copy() for name, state in states.items() if state
            for moment in MOMENTS
        }  # fmt: skip

    def learn(self, samples: Samples, steps: int, size: int, rng: np.random.Generator) -> dict[str, float]:
        """Make steps on random rows, each turned by a random symmetry, and give the network the weights.

        Parameters
        ----------
        samples : Samples
            At least one row.
        steps : int
            Number of steps.
        size : int
            Rows of a step.
        rng : numpy.random.Generator
            Draws the rows.

        Returns
        -------
        dict
            policy, value: the mean losses; entropy: that of the targets, below which the policy's loss cannot come.

        Raises
        ------
        TrainingError
            If a loss is not finite; the network is unchanged.
        """
        torch = self._torch
        totals = np.zeros(3)
        for _ in range(steps):
            chosen = rng.integers(len(samples), size=size)
            policies, rows = samples.policies[chosen], samples.rows[chosen]
            if len(self._places) > 1:
                turns = rng.integers(len(self._places), size=size)
                rows = np.take_along_axis(rows, self._places[turns], axis=1)
                policies = np.take_along_axis(policies, self._codes[turns][:, None], axis=2)
            target = torch.from_numpy(policies.astype(np.float32))
            wanted = torch.from_numpy(samples.results[chosen].astype(np.float32))
            seen = torch.from_numpy(rows.astype(np.float32))
            logits, values = _forward(torch, self._network, self._parameters, seen)
            is_legal = target >= 0
            logs = torch.log_softmax(logits.masked_fill(~is_legal, -1e9), dim=-1)
            target = target.clamp(min=0)
            decided = is_legal.any(-1).sum()
            policy = -(target * logs).sum() / decided
            value = (values - wanted).square().mean()
            loss = policy + value
            entropy = -torch.special.xlogy(target, target).sum() / decided
            if not math.isfinite(loss.item()):
                raise TrainingError(
                    f"step {self.steps}: the loss is {loss.item()}; try a lower rate (the last network is kept)"
                )
            self._adam.zero_grad()
            loss.backward()
            self._adam.step()
            self.steps += 1
            totals += [policy.item(), value.item(), entropy.item()]
        self._network.weights = {
            name: parameter.detach().numpy().copy() for name, parameter in self._parameters.items()
        }
        return dict(zip(("policy", "value", "entropy"), (totals / max(steps, 1)).tolist(), strict=True))
