"""Contests as files for others: results as CSV, entries from CSV, and a whole folder as a zip."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from ..core.files import make_folder, write_atomic
from ..errors import ConfigError
from . import words
from .journal import FILE as JOURNAL
from .kept import Contest
from .plan import FILE, NONE_YET, USERS, check_name
from .runner import name_of

MAX_FILES, MAX_BYTES = 10_000, 1 << 30
LEFT_OUT = (".git", "__pycache__", ".venv")
PLAIN, RUNS = 0o100644, 0o100755  # modes of files in a zip


def _to_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Return CSV with a byte order mark, by which spreadsheets know UTF-8; no cell is taken for a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(
            [
                f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@") and cell[1:] else cell
                for cell in row
            ]
        )
    return b"\xef\xbb\xbf" + out.getvalue().encode()


def write_csv(contest: Contest, folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Write `standings.csv` and `games.csv` into a folder, by default that of the contest; return their paths."""
    state = contest.state
    where = make_folder(contest.folder if folder is None else folder)
    rows = [
        [stage.name, row.get("group", ""), row["place"], row["number"], row["name"],
         row.get("points", ""), row.get("won", ""), row.get("drawn", ""), row.get("lost", ""), row["total"]]
        for stage in state.stages for row in words.table_rows(state, stage)
    ]  # fmt: skip
    head = ["stage", "group", "place", "number", "name", "points", "won", "drawn", "lost", "total"]
    games = []
    for stage in state.stages:
        for match in state.matches(stage):
            for attempt, event in enumerate(state.played.get(match.id, ())):
                for k, game in enumerate(event.games, 1):
                    for seat, entry in enumerate(game.seats):
                        parts = game.parts[seat]
                        details = " ".join(f"{name}={value}" for name, value in parts.items())
                        faults = "; ".join(
                            f"{fault[1]} ({fault[3]}): {fault[2]}" for fault in game.faults if fault[0] == entry
                        )
                        games.append([
                            match.id, attempt, k, event.map or "", seat, entry, name_of(state, entry),
                            game.returns[seat], sum(parts.values()), details, game.reason or "", faults, event.replay,
                        ])  # fmt: skip
    named = [
        "match", "replay_number", "game", "map", "seat", "number", "name", "return", "points", "parts", "reason",
        "faults", "replay",
    ]  # fmt: skip
    paths = [where / "standings.csv", where / "games.csv"]
    write_atomic(paths[0], _to_csv(head, rows))
    write_atomic(paths[1], _to_csv(named, games))
    return paths


def read_entries(path: Path) -> list[dict[str, str]]:
    """Return the entries of a CSV file with the columns `name` and, if wanted, `play`; UTF-8 or Shift_JIS.

    Raises ConfigError, which names the line.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp932", errors="replace")
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if "name" not in (reader.fieldnames or ()):
        raise ConfigError(f"{path}: expected a column `name`, got {', '.join(reader.fieldnames or ()) or 'nothing'}")
    entries = []
    for row in reader:
        try:
            entries.append({"name": check_name(row["name"]), "play": (row.get("play") or NONE_YET).strip()})
        except ConfigError as error:
            raise ConfigError(f"{path}:{reader.line_num}: {error}") from None
    return entries


def write_zip(folder: Path, path: str | os.PathLike[str] | None = None) -> Path:
    """Write the folder of a contest as a zip, by default beside it and without the tokens; return its path."""
    folder = folder.resolve()
    target = folder.with_suffix(".zip") if path is None else Path(path)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for one in sorted(folder.rglob("*")):
            inner = one.relative_to(folder)
            hidden = any(part.startswith(".") or part in LEFT_OUT for part in inner.parts) or inner == Path(USERS)
            if one.is_file() and not one.is_symlink() and not hidden and one.resolve() != target.resolve():
                info = zipfile.ZipInfo(inner.as_posix())
                info.external_attr = (RUNS if os.access(one, os.X_OK) else PLAIN) << 16
                packed.writestr(info, one.read_bytes(), zipfile.ZIP_DEFLATED)
    write_atomic(target, out.getvalue())
    return target


def read_zip(path: Path, folder: Path) -> None:
    """Unpack the zip of a contest into a new folder; raise ConfigError for anything but plain files inside it."""
    try:
        with zipfile.ZipFile(path) as packed:
            infos = [info for info in packed.infolist() if not info.is_dir()]
            if len(infos) > MAX_FILES or sum(info.file_size for info in infos) > MAX_BYTES:
                raise ConfigError(f"{path}: expected at most {MAX_FILES} files of {MAX_BYTES >> 20} MiB in all")
            names = [PurePosixPath(info.filename) for info in infos]
            if PurePosixPath(FILE) not in names:
                raise ConfigError(f"{path}: it holds no {FILE}")
            for name in names:
                if name.is_absolute() or ".." in name.parts or "\\" in str(name) or ":" in str(name):
                    raise ConfigError(f"{path}: {name}: expected a path inside the folder")
            # the plan and the journal come last: a folder without them is no contest
            last = (FILE, JOURNAL)
            for info in sorted(infos, key=lambda info: last.index(info.filename) if info.filename in last else -1):
                target = folder / info.filename
                make_folder(target.parent)
                with packed.open(info) as file:
                    data = file.read(info.file_size + 1)
                if len(data) != info.file_size:
                    raise ConfigError(f"{path}: {info.filename}: damaged")
                write_atomic(target, data, 0o777 if info.external_attr >> 16 & 0o100 else 0o666)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ConfigError(f"{path}: not the zip of a contest: {error}") from None
