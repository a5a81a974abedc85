"""Limits of what the clients of one address may take, so that one of them does not take everything.

Many players may share an address (a school behind one router). So an address is never limited to a few of anything:
it has a share of the whole, and a bucket that refills.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable

PART = 0.75  # of the whole that one address may have
MAX_BUCKETS = 10_000  # addresses that a Buckets remembers


def network(address: str) -> str:
    """Return what counts as one address: an IPv4 address, or the first 64 bits of an IPv6 address."""
    if ":" not in address:
        return address
    try:
        found = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Address(int(found) >> 64 << 64))


class Shares:
    """Count what each address has of something there is a limited number of.

    limit : how many there are. most : how many of them one address may have.
    """

    def __init__(self, limit: int, part: float = PART) -> None:
        self.limit, self.most = limit, max(1, int(limit * part))
        self.total = 0
        self._counts: Counter[str] = Counter()

    def has_room(self, address: str) -> bool:
        """Whether the address may have one more."""
        return self.total < self.limit and self._counts[address] < self.most

    def take(self, address: str) -> None:
        """Count one more."""
        self.total += 1
        self._counts[address] += 1

    def give_back(self, address: str) -> None:
        """Count one less."""
        self.total -= 1
        self._counts[address] -= 1
        if not self._counts[address]:
            del self._counts[address]

    def has_share(self, address: str) -> bool:
        """Whether the address has all that one may have."""
        return self._counts[address] >= self.most

    def largest(self, address: str, among: Iterable[str] | None = None) -> str:
        """Return who gives something up for the address: itself if it has its share, else the one that has most.

        among : the addresses that can.
        """
        if self.has_share(address):
            return address
        return max(self._counts if among is None else among, key=self._counts.__getitem__, default=address)


class Bucket:
    """Hold `size` tokens at first; one comes back every `refill_s` seconds."""

    def __init__(self, size: int, refill_s: float, now: float) -> None:
        self._size, self._refill_s = size, refill_s
        self._left, self._at = float(size), now

    def wait_s(self, now: float) -> float:
        """Return the seconds until there is a token; 0 where there is one."""
        self._left = min(self._size, self._left + max(0.0, now - self._at) / self._refill_s)
        self._at = now
        return max(0.0, 1 - self._left) * self._refill_s

    def take(self, now: float) -> bool:
        """Take a token; False where there is none."""
        if self.wait_s(now):
            return False
        self._left -= 1
        return True


class Buckets:
    """A bucket for each address; the addresses that came last are remembered."""

    def __init__(self, size: int, refill_s: float) -> None:
        self._size, self._refill_s = size, refill_s
        self._buckets: dict[str, Bucket] = {}

    def find(self, address: str, now: float) -> Bucket:
        """Return the bucket of an address."""
        found = self._buckets.pop(address, None) or Bucket(self._size, self._refill_s, now)
        self._buckets[address] = found
        if len(self._buckets) > MAX_BUCKETS:
            del self._buckets[next(iter(self._buckets))]
        return found
