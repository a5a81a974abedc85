"""SplitMix64 in plain Python: the same draws as src/masume/rng.h."""

from __future__ import annotations

MASK = 2**64 - 1


class Rng:
    """A generator; `state` is all it is, and every int in 0..2**64-1 will do."""

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state = state & MASK

    def next(self) -> int:
        """The next 64 bits."""
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Uniform in 0..n-1 for n in 1..2**32: one draw always, bias below n / 2**32."""
        return ((self.next() >> 32) * n) >> 32


def mix(x: int) -> int:
    """The first output of a generator in state `x`."""
    return Rng(x).next()


def stream(seed: int, i: int) -> int:
    """The state in which the i-th generator of a seed starts."""
    return mix(mix(seed) + i)
