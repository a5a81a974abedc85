"""Unpacking of shards, npz and Parquet: what a file says that it holds is compared with what it may hold first.

A shard's arrays are known before it is opened: their dtypes and shapes from the manifest's header, their rows from its
tallies, the entries of policies from `policy_size`. Nothing is unpacked, and no memory taken, for what a damaged or
made-up file claims beyond that. Callers turn what goes wrong here into a ReplayError (`reading.parsing`).
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
    from .arrays import Field

Arrays = dict[str, NDArray[Any]]
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
HEADER_MAX = 10_000  # bytes of the text that describes an array of an npz file
PAGES_MAX = 2**16  # bytes by which the headers of a Parquet column's pages may exceed what they hold


class _Rows:
    """How many rows each array of a shard has. most : entries that the policy of a ply may have."""

    def __init__(self, rows: Mapping[str, int], most: int) -> None:
        self._rows = dict(rows)
        self.most = most

    def of(self, field: Field) -> int:
        return self._rows[field.of]

    def learn(self, name: str, array: NDArray[Any]) -> None:
        """Count the entries of policies by the array that tells them."""
        if name == "policy_size":
            if array.size and not 0 <= array.min() <= array.max() <= self.most:
                raise ReplayError(f"policy_size: not in 0..{self.most}")
            self._rows["policy"] = int(array.sum(dtype=np.int64))


def check_rows(name: str, wanted: int, found: int) -> None:
    """ReplayError unless an array has the rows that are wanted."""
    if found != wanted:
        raise ReplayError(f"{name}: {wanted} rows are wanted, not {found}")


def _check_kind(name: str, field: Field, dtype: Any, shape: tuple[int, ...]) -> None:
    if dtype != field.dtype or shape != field.shape:
        raise ReplayError(f"{name}: {field.dtype}{list(field.shape)} a row is wanted, not {dtype}{list(shape)}")


# -- npz --------------------------------------------------------------------------------------------


def unpack_npz(data: bytes, fields: Mapping[str, Field], rows: Mapping[str, int], most: int) -> Arrays:
    """Return these arrays of an npz file; rows : of a game's and a ply's. most : see _Rows."""
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


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str, field: Field, rows: int) -> NDArray[Any]:
    if member.compress_type not in METHODS:
        raise ReplayError(f"{name}: compressed by method {member.compress_type}, which is none of masume's")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version != (1, 0):
            raise ReplayError(f"{name}: npy version 1.0 is wanted, not {version[0]}.{version[1]}")
        shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=HEADER_MAX)
        if not shape:
            raise ReplayError(f"{name}: rows are wanted, not a single value")
        _check_kind(name, field, dtype, shape[1:])
        check_rows(name, rows, shape[0])
        if in_columns and len(shape) > 1:
            raise ReplayError(f"{name}: in the order of columns")
        size = rows * dtype.itemsize * int(np.prod(field.shape, dtype=np.int64))
        if member.file_size != file.tell() + size:
            raise ReplayError(f"{name}: {file.tell() + size} bytes are wanted, not {member.file_size}")
        array = np.empty(shape, dtype)
        content = array.reshape(-1).view(np.uint8)
        filled = 0
        while filled < size:
            part = file.read(min(size - filled, 2**20))
            if not part:
                raise ReplayError(f"{name}: it ends after {filled} of {size} bytes")
            content[filled : filled + len(part)] = np.frombuffer(part, np.uint8)
            filled += len(part)
        file.read(1)  # the end, where the checksum is compared
    return array


# -- Parquet ----------------------------------------------------------------------------------------


def unpack_parquet(data: bytes, fields: Mapping[str, Field], rows: Mapping[str, int], most: int) -> Arrays:
    """Return these arrays of a Parquet file; rows : of a game's and a ply's. most : see _Rows."""
    pa, pq = extra("pyarrow", "data"), extra("pyarrow.parquet", "data")
    told = _Rows(rows, most)
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
        check_rows(name, told.of(field) * width, array.size)
        arrays[name] = array.reshape(-1, *field.shape)
        told.learn(name, arrays[name])
    return arrays


def _check_type(pa: Any, schema: Any, name: str, field: Field) -> None:
    if schema.names.count(name) != 1:
        raise ReplayError(f"{name}: missing")
    kind = schema.field(name).type
    is_list = pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind)
    is_flat = field.of != "policy" and int(np.prod(field.shape, dtype=np.int64)) == 1
    wanted = pa.from_numpy_dtype(np.dtype(field.dtype))
    if is_flat == is_list or (kind.value_type if is_list else kind) != wanted:
        raise ReplayError(f"{name}: {wanted}{'' if is_flat else ' in lists'} is wanted, not {kind}")


def _check_pages(data: bytes, fields: Mapping[str, Field], rows: Mapping[str, int], most: int) -> None:
    """ReplayError where the columns of these fields claim more values, or more bytes, than they may have."""
    found = list(thrift.chunks(data))
    for name, field in fields.items():
        width = int(np.prod(field.shape, dtype=np.int64))
        per_row = max(most, 1) if field.of == "policy" else max(width, 1)
        values = rows["game" if field.of == "game" else "ply"] * per_row
        limit = values * (np.dtype(field.dtype).itemsize + 2) + PAGES_MAX  # 2: how values are in lists
        count = size = 0
        for chunk in found:
            if chunk.name == name:
                count += chunk.values
                size += chunk.size
        if count > values or size > limit:
            raise ReplayError(f"{name}: {count} values of {size} bytes, more than {values} of {limit}")
