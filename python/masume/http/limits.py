"""Limits per client address, so that no address can use up everything.

Many players may share an address (a school behind one router). So no address is limited to a small number: each has
a share of the whole, and a bucket that refills.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import math
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Sequence

from ..core.language import translate as _
from ..errors import ConfigError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
PART = 0.75  # share of the whole that one address may have
MAX_BUCKETS = 10_000  # addresses that a Buckets remembers


def network(address: str) -> str:
    """Return the key of an address for limits: an IPv4 address, or the first 64 bits of an IPv6 address."""
    if ":" not in address:
        return address
    found = read_address(address)
    if not isinstance(found, ipaddress.IPv6Address):
        return address if found is None else str(found)
    return str(ipaddress.IPv6Address(int(found) >> 64 << 64))


def read_address(text: str) -> Address | None:
    """Return an address without its zone, one of IPv4 in IPv6 as IPv4; None for anything else."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def read_networks(texts: Iterable[str], field: str = "allow") -> tuple[Network, ...]:
    """Return addresses and networks such as "192.0.2.0/24"; raise ConfigError, with the field, for anything else."""
    found = []
    for text in texts:
        try:
            found.append(ipaddress.ip_network(text, strict=False))
        except ValueError:
            raise ConfigError(f"{field}: expected an address or a network such as 192.0.2.0/24, got {text!r}") from None
    return tuple(found)


def is_allowed(host: str, networks: Sequence[Network]) -> bool:
    """Return whether an address is in one of the networks."""
    address = read_address(host)
    return address is not None and any(address in network for network in networks)


class Shares:
    """Count of a limited resource by address.

    Attributes
    ----------
    limit : int
        Number available in total.
    most : int
        Maximum number for one address.
    """

    def __init__(self, limit: int, part: float = PART) -> None:
        self.limit, self.most = limit, max(1, int(limit * part))
        self.total = 0
        self._counts: Counter[str] = Counter()

    def has_room(self, address: str) -> bool:
        """Return whether the address may have one more."""
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
        """Return whether the address has the maximum for one address."""
        return self._counts[address] >= self.most

    def largest(self, address: str, among: Iterable[str] | None = None) -> str:
        """Return the address that must give one up for `address`: itself if it has its share, else the largest.

        `among` restricts the choice to these addresses.
        """
        if self.has_share(address):
            return address
        return max(self._counts if among is None else among, key=self._counts.__getitem__, default=address)

    def debtor(self, address: str) -> str | None:
        """Return the address that has more than its fair share while `address` may have no more; None if there is none.

        That one has at least two more than `address`.
        """
        largest = self.largest(address)
        return largest if self._counts[largest] > self._counts[address] + 1 else None


class FullError(Exception):
    """There is no room for more. text : why, with {seconds}. wait_s : seconds until it is worth trying again."""

    def __init__(self, text: str, wait_s: float) -> None:
        self.wait_s = max(1, math.ceil(wait_s))
        super().__init__(text.format(seconds=self.wait_s))


class Turns:
    """Turns at work that only a few can do at once.

    The next one is of the address with the fewest at work; of several, of that whose last turn was longest ago.

    Parameters
    ----------
    limit : int
        Number at work at the same time.
    most : int
        Number at work or waiting, of which each address has a share.
    wait_s : float
        Seconds until it is worth trying again if there is no room to wait.
    """

    def __init__(self, limit: int, most: int, wait_s: float) -> None:
        self.shares, self._left, self._wait_s = Shares(most), limit, wait_s
        self._working: Counter[str] = Counter()
        self._waiting: dict[str, list[asyncio.Future[None]]] = {}  # by address
        self._last: dict[str, int] = {}  # number of the last turn of each of these
        self._count = 0

    def make_room(self, address: str | None) -> None:
        """Let the last one of an address with more than its fair share give way, if that is needed; else FullError."""
        if address is None or self.shares.has_room(address):
            return
        debtor = self.shares.debtor(address)
        if debtor is None or debtor not in self._waiting:
            raise self._refusal()
        self._drop(debtor, self._waiting[debtor][-1])

    @contextlib.asynccontextmanager
    async def turn(self, address: str | None) -> AsyncGenerator[None, None]:
        """Work within the block when it is the turn of an address; None counts in no share. FullError without room."""
        self.make_room(address)
        key, begun = address or "", asyncio.get_running_loop().create_future()
        if address is not None:
            self.shares.take(address)
        self._waiting.setdefault(key, []).append(begun)
        self._begin()
        try:
            await begun
            yield
        finally:
            if address is not None:
                self.shares.give_back(address)
            if begun.cancelled() or begun.exception() is not None:
                self._drop(key, begun)
            else:
                self._left += 1
                self._working[key] -= 1
                self._begin()
            if not self._working[key] and key not in self._waiting:
                del self._working[key]
                self._last.pop(key, None)

    def _begin(self) -> None:
        while self._left and self._waiting:
            key = min(self._waiting, key=lambda one: (self._working[one], self._last.get(one, 0)))
            begun = self._waiting[key].pop(0)
            if not self._waiting[key]:
                del self._waiting[key]
            if not begun.done():
                begun.set_result(None)
                self._left -= 1
                self._working[key] += 1
                self._count += 1
                self._last[key] = self._count

    def _drop(self, key: str, begun: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(key, [])
        if begun in waiting:
            waiting.remove(begun)
            if not waiting:
                del self._waiting[key]
        if not begun.done():
            begun.set_exception(self._refusal())

    def _refusal(self) -> FullError:
        return FullError(_("too many people want this now: try again in {seconds} s"), self._wait_s)


class Bucket:
    """Token bucket: `size` tokens at first; one is added every `refill_s` seconds, up to `size`."""

    def __init__(self, size: int, refill_s: float, now: float) -> None:
        self._size, self._refill_s = size, refill_s
        self._left, self._at = float(size), now

    def wait_s(self, now: float) -> float:
        """Return the seconds until a token is available; 0 if there is one."""
        self._left = min(self._size, self._left + max(0.0, now - self._at) / self._refill_s)
        self._at = now
        return max(0.0, 1 - self._left) * self._refill_s

    def take(self, now: float) -> bool:
        """Take a token; return False if there is none."""
        if self.wait_s(now):
            return False
        self._left -= 1
        return True


class Buckets:
    """One bucket per address; only the most recent addresses are remembered."""

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
