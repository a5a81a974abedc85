"""The lines of a manifest or an arena without their checksums, and written anew with them."""

import json

from masume.records.reading import seal


def read_lines(path):
    """What each line says, without its checksum."""
    values = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [{key: item for key, item in value.items() if key != "sha256"} for value in values]


def write_lines(path, values):
    """Write the lines, each with its checksum where it can have one."""
    path.write_bytes(b"".join(map(line_of, values)))


def line_of(value):
    """A line: what is no object, and NaN, has no checksum."""
    try:
        return seal(dict(value))
    except (ValueError, TypeError):
        return json.dumps(value).encode() + b"\n"
