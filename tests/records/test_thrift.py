"""Sizes claimed by Parquet files are added up as pyarrow does; malformed files are refused."""

import random

import pytest

from masume.errors import ReplayError
from masume.records.thrift import chunks, unpacked_size


def varint(number):
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def page(unpacked, packed):
    """Return a data page of `packed` zeros, with statistics."""
    statistics = b"\x18\x04abcd\x18\x00\x16\x00\x11\x11\x00"
    data = b"\x15\x0a\x15\x00\x15\x06\x15\x06\x1c" + statistics + b"\x00"
    sizes = b"\x15\x00\x15" + varint(2 * unpacked) + b"\x15" + varint(2 * packed)
    return sizes + b"\x2c" + data + b"\x00" + bytes(packed)


def test_the_sizes_of_pages_are_added_up():
    data = b"PAR1" + page(1000, 7) + page(2**31 - 1, 0) + page(5, 5)
    assert unpacked_size(data, 4, len(data)) == 1000 + 2**31 - 1 + 5
    assert unpacked_size(data, 4, 4) == 0


def test_lists_and_maps_of_a_header_are_skipped():
    fields = b"\x15\x02\x15\x04\x15\x00"
    more = b"\x19\x25\x02\x04\x1b\x01\x85a\x02\x17" + bytes(8) + b"\x13\x07"
    data = fields + more.replace(b"\x85a\x02", b"\x83\x01ab") + b"\x00"
    assert unpacked_size(data, 0, len(data)) == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\x15", "does not end"),
        (b"\x00", "without its sizes"),
        (b"\x15\x00\x15\x01\x15\x00\x00", "without its sizes"),
        (b"\x15" + b"\xff" * 12, "more than ten bytes"),
        (b"\x1c" * 60, "too deep"),
        (b"\x19" * 60, "too deep"),
        (b"\x19\xf5\xff\xff\xff\xff\x07", "does not end"),
        (b"\x1d\x00", "a value of type 13"),
    ],
)
def test_what_is_no_header_is_refused(data, message):
    with pytest.raises(ReplayError, match=message):
        unpacked_size(data, 0, len(data))


def test_pages_outside_the_file_are_refused():
    for begin, end in ((-1, 2), (3, 2), (0, 99)):
        with pytest.raises(ReplayError, match="not in the file"):
            unpacked_size(bytes(9), begin, end)


def test_noise_is_a_number_or_refused():
    rng = random.Random(1)
    for _ in range(3000):
        data = bytearray(page(1000, 3) * 2)
        for _ in range(rng.choice((1, 3, 9))):
            data[rng.randrange(len(data))] = rng.choice((0, 255, rng.randrange(256)))
        try:
            assert unpacked_size(bytes(data), 0, len(data)) >= 0
        except ReplayError as error:
            assert str(error).startswith("pages: ")  # noqa: PT017


def written(groups=3, **options):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"one": list(range(300)), "lists": [[n] * (n % 5) for n in range(300)]})
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=300 // groups, **options)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "options", [{}, {"use_dictionary": False, "compression": "zstd"}, {"data_page_version": "2.0"}]
)
def test_the_chunks_of_a_file_are_those_that_pyarrow_finds(options):
    data = written(**options)
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    metadata = pq.ParquetFile(pa.BufferReader(data)).metadata
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    columns = [group.column(n) for group in groups for n in range(group.num_columns)]
    found = list(chunks(data))
    assert [(one.name, one.values) for one in found] == [
        (one.path_in_schema.partition(".")[0], one.num_values) for one in columns
    ]
    assert len(found) == 6
    assert all(0 < one.size <= theirs.total_uncompressed_size for one, theirs in zip(found, columns, strict=True))


def test_a_damaged_end_of_a_file_is_refused():
    data = written()
    rng = random.Random(2)
    for bad in (b"", b"PAR1", b"PAR1" * 3, data[:-1], data[:-8] + b"\xff\xff\xff\x7fPAR1"):
        with pytest.raises(ReplayError, match="not a Parquet file"):
            list(chunks(bad))
    for _ in range(2000):
        bad = bytearray(data)
        bad[-rng.randrange(9, 900)] ^= 1 << rng.randrange(8)
        try:
            list(chunks(bytes(bad)))
        except (ReplayError, UnicodeDecodeError):
            continue
