"""The page headers of a Parquet file, as far as they say how large what they hold is when it is unpacked.

Parquet writes them in Thrift's compact protocol. pyarrow tells what the file's end says of a column, and believes the
headers of its pages, which a made-up file may have otherwise: 2 GiB of zeros take no room when they are packed.
"""

from __future__ import annotations

from typing import Any

from ..errors import ReplayError

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
UNCOMPRESSED, COMPRESSED = 2, 3  # fields of a page header
DEPTH_MAX = 8


def unpacked_size(data: bytes, begin: int, end: int) -> int:
    """Return how many bytes the pages of a column have when they are unpacked; they stand in data[begin:end].

    ReplayError where they are no pages.
    """
    if not 0 <= begin <= end <= len(data):
        raise ReplayError(f"pages: bytes {begin} to {end} are not in the file")
    reader = _Reader(data, begin, end)
    size = 0
    while reader.at < end:
        header = reader.struct()
        unpacked, packed = header.get(UNCOMPRESSED), header.get(COMPRESSED)
        if not isinstance(unpacked, int) or not isinstance(packed, int) or unpacked < 0 or packed < 0:
            raise ReplayError("pages: a header without its sizes")
        size += unpacked
        reader.at += packed
    return size


class _Reader:
    """Reads compact Thrift; `at` is the next byte."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.at = at
        self._data, self._end = data, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """The fields of a struct by number: ints, and None for others."""
        found: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) & 15 != STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            found[number] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int, *, is_item: bool = False) -> int | None:
        if depth > DEPTH_MAX:
            raise ReplayError("pages: a header is nested too deep")
        if kind in (TRUE, FALSE):
            self.at += is_item
        elif kind == BYTE:
            self.at += 1
        elif kind in (I16, I32, I64):
            return self._zigzag()
        elif kind == DOUBLE:
            self.at += 8
        elif kind == BINARY:
            size = self._varint()  # which moves `at` itself
            self.at += size
        elif kind in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            for _ in range(self._bounded(count)):
                self._value(head & 15, depth + 1, is_item=True)
        elif kind == MAP:
            count = self._bounded(self._varint())
            kinds = self._byte() if count else 0
            for _ in range(count):
                self._value(kinds >> 4, depth + 1, is_item=True)
                self._value(kinds & 15, depth + 1, is_item=True)
        elif kind == STRUCT:
            self.struct(depth + 1)
        else:
            raise ReplayError(f"pages: a header with a value of type {kind}")
        return None

    def _bounded(self, count: int) -> int:
        """How many items there are: no more than there are bytes."""
        if count > self._end - self.at:
            raise ReplayError("pages: a header that does not end")
        return count

    def _byte(self) -> int:
        if not self.at < self._end:
            raise ReplayError("pages: a header that does not end")
        self.at += 1
        return self._data[self.at - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ReplayError("pages: a number of more than ten bytes")

    def _zigzag(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)
