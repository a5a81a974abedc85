"""Improved policies: what a network learns from a search, by completed action values (Gumbel AlphaZero).

A code that the search tried has the mean result that it found; any other has the mixed value of the position, from the
network's own value and what was tried. The improved policy is softmax(logits + scale * (50 + most visits) * value).
Drawing from it is what adding Gumbel noise and taking the best does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CALM = 50  # visits added to the most visited action's: with few visits the values still count


def improve(
    logits: NDArray[np.float32],
    value: float,
    tried: NDArray[np.int64],
    visits: NDArray[np.int64],
    values: NDArray[np.float64],
    scale: float,
) -> NDArray[np.float64]:
    """Return the improved policy over the legal codes of a slot.

    Parameters
    ----------
    logits : ndarray of float32
        float32[n], of the legal codes.
    value : float
        What the network expects for the slot's player, -1..1.
    tried : ndarray of int64
        int64[m], indices of the codes that the search tried.
    visits : ndarray of int64
        int64[m], the visits of each of them.
    values : ndarray of float64
        float64[m], the mean result of each after its visits, -1..1.
    scale : float
        Weight of the values.

    Returns
    -------
    ndarray of float64
        float64[n], probabilities.
    """
    prior = np.exp(logits.astype(np.float64) - logits.max())
    prior /= prior.sum()
    seen = visits > 0
    tried, visits, values = tried[seen], visits[seen], values[seen]
    total, known = visits.sum(), prior[tried].sum()
    mean = (prior[tried] * values).sum() / known if known > 0 else 0.0
    completed = np.full(len(logits), (value + total * mean) / (1 + total))
    completed[tried] = values
    raised = np.log(prior + 1e-12) + scale * (CALM + visits.max(initial=0)) * completed
    policy: NDArray[np.float64] = np.exp(raised - raised.max())
    policy /= policy.sum()
    return policy
