"""Sealed lots: a secret that decides starts and draws, which everybody can check afterwards and nobody foresees."""

from __future__ import annotations

import hashlib
import re
import secrets
from pathlib import Path

from ..core.files import read_regular, write_atomic
from ..errors import ConfigError

FILE = "lots.txt"
SECRET = re.compile("[0-9a-f]{32}")


def seal(secret: str) -> str:
    """Return the SHA-256 of a secret's text, in hexadecimal: it is published before the contest."""
    return hashlib.sha256(secret.encode()).hexdigest()


def make(folder: Path) -> str:
    """Draw a secret and keep it in a folder, for its owner alone; return its seal."""
    secret = secrets.token_hex(16)
    write_atomic(folder / FILE, f"{secret}\n".encode(), 0o600)
    return seal(secret)


def open_sealed(folder: Path, sealed: str) -> str:
    """Return the secret in a folder; raise ConfigError, which says what is wrong, unless it has this seal."""
    path = folder / FILE
    try:
        secret = read_regular(path).decode("ascii", errors="replace").strip()
    except FileNotFoundError:
        raise ConfigError(f"lots: {path} is missing: it holds the secret of the lots; copy it from the machine "
                          "where the contest was made") from None  # fmt: skip
    if not SECRET.fullmatch(secret) or seal(secret) != sealed:
        raise ConfigError(f"lots: {path} does not hold the secret of this contest, whose SHA-256 is {sealed}")
    return secret


def draw(secret: str, number: int) -> int:
    """Return 64 random bits by their number; from some of them nobody can tell others."""
    return int.from_bytes(hashlib.sha256(f"{secret} {number}".encode()).digest()[:8], "little")
