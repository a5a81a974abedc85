"""SplitMix64 in plain Python, with the same draws as src/masume/rng.h."""

from __future__ import annotations

MASK = 2**64 - 1


class Rng:
    """Random number generator.

    Attributes
    ----------
    state : int
        The complete state of the generator; every int in 0..2**64-1 is valid.
    """

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        """Return the next 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a uniform int in 0..n-1, for n in 1..2**32; always takes one draw; the bias is below n / 2**32."""
        return ((self.next() >> 32) * n) >> 32


def mix(x: int) -> int:
    """Return the first output of a generator in state `x`."""
    return Rng(x).next()


def stream(seed: int, i: int) -> int:
    """Return the initial state of the i-th generator of a seed."""
    return mix(mix(seed) + i)
