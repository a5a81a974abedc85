"""Files of arrays with a header: an uncompressed `.npz`, whose bytes depend only on what it holds."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ReplayError
from ..records.reading import parse_json

HEADER = "header"
DTYPES = ("float32", "float16", "uint8")


def pack(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a header of plain JSON types, without NaN, and arrays of the types DTYPES as the bytes of an `.npz`."""
    told = np.frombuffer(json.dumps(header, allow_nan=False).encode(), np.uint8)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in {HEADER: told, **arrays}.items():
            file = io.BytesIO()
            np.lib.format.write_array(file, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), file.getbuffer())  # without the time of day
    return buffer.getvalue()


def unpack(data: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the header and the arrays of `pack`; any error means damaged bytes (call it inside `parsing`).

    Nothing is unpacked: the arrays are never larger than the file.
    """
    arrays: dict[str, NDArray[Any]] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for member in archive.infolist():
            if member.compress_type != zipfile.ZIP_STORED or not 0 <= member.file_size <= len(data):
                raise ReplayError(f"{member.filename}: expected a member without compression")
            content = archive.read(member)  # checks its CRC
            file = io.BytesIO(content)
            if np.lib.format.read_magic(file) != (1, 0):
                raise ReplayError(f"{member.filename}: expected version 1.0 of the format of NumPy's arrays")
            shape, by_columns, dtype = np.lib.format.read_array_header_1_0(file)
            if dtype.name not in DTYPES or by_columns:
                raise ReplayError(f"{member.filename}: expected rows of one of {', '.join(DTYPES)}, got {dtype}")
            array = np.frombuffer(content, dtype, offset=file.tell())
            arrays[member.filename.removesuffix(".npy")] = array.reshape(shape).copy()  # writable
    if HEADER not in arrays:
        raise ReplayError(f"{HEADER}: missing")
    header = parse_json(arrays.pop(HEADER).tobytes())
    if not isinstance(header, dict):
        raise ReplayError(f"{HEADER}: expected an object, got {header!r:.60}")
    return header, arrays
