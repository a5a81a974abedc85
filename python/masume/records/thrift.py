"""Metadata of Parquet files: how many values the columns and pages of a file claim, and their unpacked size.

Parquet stores it in Thrift's compact protocol, at the end of the file and before each page. pyarrow trusts the headers
of pages, which a forged file can abuse: 2 GiB of zeros take no room when packed. If the end of a file is damaged,
pyarrow's column metadata (26.0) aborts the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..errors import ReplayError

STOP, TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(13)
UNCOMPRESSED, COMPRESSED = 2, 3  # fields of a page header
ROW_GROUPS, COLUMNS, META_DATA = 4, 1, 3  # of the file, of a row group, of a column's chunk
PATH, NUM_VALUES, CHUNK_UNCOMPRESSED, CHUNK_COMPRESSED, DATA_PAGE, DICTIONARY_PAGE = (
    3,
    5,
    6,
    7,
    9,
    11,
)  # of its meta data
MAGIC = b"PAR1"
FOOTER_MAX = 2**20
DEPTH_MAX = 16


class ColumnChunk(NamedTuple):
    """A part of a column: its name, the number of values, and their unpacked size in bytes.

    size : the larger of what the end of the file and the page headers claim.
    """

    name: str
    values: int
    size: int


def chunks(data: bytes) -> Iterator[ColumnChunk]:
    """Yield the parts of all columns of a Parquet file; raise ReplayError if it is malformed."""
    length = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or data[-4:] != MAGIC or not 0 < length <= min(FOOTER_MAX, len(data) - 12):
        raise ReplayError("not a Parquet file")
    end = len(data) - 8
    for group in _items(_ThriftReader(data, end - length, end).struct(), ROW_GROUPS):
        for column in _items(group, COLUMNS):
            known = column.get(META_DATA) if isinstance(column, dict) else None
            if not isinstance(known, dict):
                raise ReplayError("footer: a column without metadata")
            path = _items(known, PATH)
            if not path or not isinstance(path[0], bytes):
                raise ReplayError("footer: a column without a name")
            begin = _number(known, DATA_PAGE)
            if DICTIONARY_PAGE in known:
                begin = min(begin, _number(known, DICTIONARY_PAGE))
            paged = unpacked_size(data, begin, begin + _number(known, CHUNK_COMPRESSED))
            size = max(_number(known, CHUNK_UNCOMPRESSED), paged)
            yield ColumnChunk(path[0].decode(), _number(known, NUM_VALUES), size)


def _items(struct: Any, field: int) -> list[Any]:
    found = struct.get(field) if isinstance(struct, dict) else None
    if not isinstance(found, list):
        raise ReplayError(f"footer: no list in field {field}")
    return found


def _number(struct: dict[int, Any], field: int) -> int:
    found = struct.get(field)
    if not isinstance(found, int) or found < 0:
        raise ReplayError(f"footer: no size in field {field}")
    return found


def unpacked_size(data: bytes, begin: int, end: int) -> int:
    """Return the unpacked size in bytes of the pages of a column, which are in data[begin:end].

    Raises ReplayError if they are not pages.
    """
    if not 0 <= begin <= end <= len(data):
        raise ReplayError(f"pages: bytes {begin} to {end} are not in the file")
    reader = _ThriftReader(data, begin, end)
    size = 0
    while reader.at < end:
        header = reader.struct()
        unpacked, packed = header.get(UNCOMPRESSED), header.get(COMPRESSED)
        if not isinstance(unpacked, int) or not isinstance(packed, int) or unpacked < 0 or packed < 0:
            raise ReplayError("pages: a header without its sizes")
        size += unpacked
        reader.at += packed
    return size


class _ThriftReader:
    """Reader of compact Thrift; `at` is the next byte."""

    def __init__(self, data: bytes, at: int, end: int) -> None:
        self.at = at
        self._data, self._end = data, end

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return the fields of a struct by number: ints, bytes, lists and dicts, None for other types."""
        found: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) & 15 != STOP:
            number = number + (head >> 4) if head >> 4 else self._zigzag()
            found[number] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int, *, is_item: bool = False) -> Any:
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
            size = self._bounded(self._varint())
            self.at += size
            return self._data[self.at - size : self.at]
        elif kind in (LIST, SET):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            return [self._value(head & 15, depth + 1, is_item=True) for _ in range(self._bounded(count))]
        elif kind == MAP:
            count = self._bounded(self._varint())
            kinds = self._byte() if count else 0
            for _ in range(count):
                self._value(kinds >> 4, depth + 1, is_item=True)
                self._value(kinds & 15, depth + 1, is_item=True)
        elif kind == STRUCT:
            return self.struct(depth + 1)
        else:
            raise ReplayError(f"pages: a header with a value of type {kind}")
        return None

    def _bounded(self, count: int) -> int:
        """Return a number of items or bytes; raise ReplayError if it exceeds the bytes left."""
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
