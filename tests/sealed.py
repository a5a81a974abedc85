"""Read the lines of a manifest or an arena without their checksums, and write them with new checksums."""

import json

from masume.records.reading import seal


def read_lines(path):
    """Return the value of each line, without its checksum."""
    values = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [{key: item for key, item in value.items() if key != "sha256"} for value in values]


def write_lines(path, values):
    """Write the lines, each with a checksum if it can have one."""
    path.write_bytes(b"".join(map(line_of, values)))


def line_of(value):
    """Return a line; values that are not objects, and NaN, have no checksum."""
    try:
        return seal(dict(value))
    except (ValueError, TypeError):
        return json.dumps(value).encode() + b"\n"
