"""Unpacking of shards, npz and Parquet: the claims of a file are checked before anything is unpacked.

A shard's arrays are known before it is opened: their dtypes and shapes from the manifest's header, their rows from its
tallies, the entries of policies from `policy_size`. For anything beyond that, which only a damaged or forged file
claims, nothing is unpacked and no memory is allocated. Callers turn errors into a ReplayError (`reading.parsing`).
"""

from __future__ import annotations

import dataclasses
import io
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.extras import extra
from ..errors import ReplayError
from . import thrift

if TYPE_CHECKING:
    from .arrays import RecordField

Arrays = dict[str, NDArray[Any]]
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
HEADER_MAX = 10_000  # bytes of the header of an array in an npz file
NARROWEST = 4  # bytes of an integer in a Parquet page, however narrow its type
PAGES_MAX = 2**16  # bytes that the page headers of a Parquet column may add to its values


class _Rows:
    """Number of rows of each array of a shard. most : entries that the policy of a ply may have."""

    def __init__(self, rows: Mapping[str, int], most: int) -> None:
        self._rows = dict(rows)
        self.most = most

    def of(self, field: RecordField) -> int:
        return self._rows[field.of]

    def learn(self, name: str, array: NDArray[Any]) -> None:
        """Count the entries of policies, if the array is `policy_size`."""
        if name == "policy_size":
            if array.size and not 0 <= array.min() <= array.max() <= self.most:
                raise ReplayError(f"policy_size: expected values in 0..{self.most}")
            self._rows["policy"] = int(array.sum(dtype=np.int64))


def check_rows(name: str, wanted: int, found: int) -> None:
    """Raise ReplayError unless an array has the expected number of rows."""
    if found != wanted:
        raise ReplayError(f"{name}: expected {wanted} rows, got {found}")


def _check_kind(name: str, field: RecordField, dtype: Any, shape: tuple[int, ...]) -> None:
    if dtype != field.dtype or shape != field.shape:
        raise ReplayError(f"{name}: expected {field.dtype}{list(field.shape)} a row, got {dtype}{list(shape)}")


# -- npz --------------------------------------------------------------------------------------------


def unpack_npz(data: bytes, fields: Mapping[str, RecordField], rows: Mapping[str, int], most: int) -> Arrays:
    """Return these arrays of an npz file; rows : number of games and of plies. most : see _Rows."""
    found: Arrays = {}
    told = _Rows(rows, most)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name, field in fields.items():
            try:
                member = archive.getinfo(f"{name}.npy")
            except KeyError:
                raise ReplayError(f"{name}: missing") from None
            found[name] = _member(archive, member, name, field, told.of(field))
            told.learn(name, found[name])
    return found


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, field: RecordField, rows: int
) -> NDArray[Any]:
    if member.compress_type not in METHODS:
        raise ReplayError(f"{name}: expected compression by deflate or none, got method {member.compress_type}")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ReplayError(f"{name}: expected npy version 1.0, got {version[0]}.{version[1]}")
        shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=HEADER_MAX)
        if not shape:
            raise ReplayError(f"{name}: expected rows, got a single value")
        _check_kind(name, field, dtype, shape[1:])
        check_rows(name, rows, shape[0])
        if in_columns and len(shape) > 1:
            raise ReplayError(f"{name}: expected C order, got Fortran order")
        size = rows * dtype.itemsize * int(np.prod(field.shape, dtype=np.int64))
        if member.file_size != file.tell() + size:
            raise ReplayError(f"{name}: expected {file.tell() + size} bytes, got {member.file_size}")
        array = np.empty(shape, dtype)
        content = array.reshape(-1).view(np.uint8)
        filled = 0
        while filled < size:
            part = file.read(min(size - filled, 2**20))
            if not part:
                raise ReplayError(f"{name}: it ends after {filled} of {size} bytes")
            content[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
            filled += len(part)
        file.read(1)  # reading to the end compares the checksum
    return array


# -- Parquet ----------------------------------------------------------------------------------------


def unpack_parquet(data: bytes, fields: Mapping[str, RecordField], rows: Mapping[str, int], most: int) -> Arrays:
    """Return these arrays of a Parquet file; rows : number of games and of plies. most : see _Rows."""
    pa, pq = extra("pyarrow", "data"), extra("pyarrow.parquet", "data")
    row_counts = _Rows(rows, most)
    columns = {name: "policy_slot" if name == "policy_size" else name for name in fields}
    stored = {
        columns[name]: dataclasses.replace(field, of="policy", dtype="int8") if name == "policy_size" else field
        for name, field in fields.items()
    }
    with pq.ParquetFile(pa.BufferReader(data)) as file:
        for name, field in stored.items():
            check_rows(name, rows["game" if field.of == "game" else "ply"], file.metadata.num_rows)
            _check_type(pa, file.schema_arrow, name, field)
        _check_pages(data, stored, rows, most)
        table = file.read(columns=list(stored), use_threads=False)
    arrays: Arrays = {}
    for name, field in fields.items():
        column = table[columns[name]].combine_chunks()
        if column.null_count:
            raise ReplayError(f"{name}: rows are missing")
        if name == "policy_size":
            column = column.value_lengths()
        elif not pa.types.is_primitive(column.type):
            column = column.flatten()
        if column.null_count:
            raise ReplayError(f"{name}: values are missing")
        array = column.to_numpy(zero_copy_only=False).astype(field.dtype, copy=False)
        width = int(np.prod(field.shape, dtype=np.int64))
        check_rows(name, row_counts.of(field) * width, array.size)
        arrays[name] = array.reshape(-1, *field.shape)
        row_counts.learn(name, arrays[name])
    return arrays


def _check_type(pa: Any, schema: Any, name: str, field: RecordField) -> None:
    if schema.names.count(name) != 1:
        raise ReplayError(f"{name}: missing")
    kind = schema.field(name).type
    is_list = pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)
    is_flat = field.of != "policy" and int(np.prod(field.shape, dtype=np.int64)) == 1
    wanted = pa.from_numpy_dtype(np.dtype(field.dtype))
    if is_flat == is_list or (kind.value_type if is_list else kind) != wanted:
        raise ReplayError(f"{name}: expected {wanted}{'' if is_flat else ' in lists'}, got {kind}")


def _check_pages(data: bytes, fields: Mapping[str, RecordField], rows: Mapping[str, int], most: int) -> None:
    """Raise ReplayError if the columns of these fields claim more values, or more bytes, than they may have."""
    found = list(thrift.chunks(data))
    for name, field in fields.items():
        width = int(np.prod(field.shape, dtype=np.int64))
        per_row = max(most, 1) if field.of == "policy" else max(width, 1)
        values = rows["game" if field.of == "game" else "ply"] * per_row
        bytes_each = max(np.dtype(field.dtype).itemsize, NARROWEST) + 2  # 2: for its place in a list
        limit = values * bytes_each + PAGES_MAX
        count = size = 0
        for chunk in found:
            if chunk.name == name:
                count += chunk.values
                size += chunk.size
        if count > values or size > limit:
            raise ReplayError(f"{name}: {count} values of {size} bytes, more than {values} of {limit}")
