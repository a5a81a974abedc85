"""Make a folder of wheels, and a .zip of it, that install masume and some extras without a network.

    python packaging/bundle.py WHEEL [EXTRA ...]

The folder is created next to the wheel, has its name and fits the same Python and system.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

README = """masume {version}{extras}: everything that an install without a network takes.

It fits the Python and the system that the names of the wheels tell: cp311 is CPython 3.11, manylinux_2_28_x86_64 a
Linux with glibc 2.28 or later on x86-64.

    python3 -m venv masume
    masume/bin/python -m pip install --no-index --find-links {folder} '{requirement}'
    masume/bin/masume play chaser --agents greedy greedy

On Windows the programs are in masume\\Scripts, not in masume/bin.
"""


def make_bundle(wheel: Path, extras: list[str]) -> Path:
    """Return the folder, filled from the package index that pip uses."""
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))["project"]
    for extra in extras:
        if extra not in project["optional-dependencies"]:
            known = ", ".join(project["optional-dependencies"])
            raise SystemExit(f"bundle: unknown extra {extra!r} (known: {known})")
    name, version = wheel.name.split("-")[:2]
    folder = wheel.with_name("-".join([wheel.stem, "bundle", *extras]))
    brackets = f"[{','.join(extras)}]" if extras else ""
    with tempfile.TemporaryDirectory(dir=wheel.parent) as temporary:
        filled = Path(temporary) / folder.name
        command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, "--wheel-dir", filled, f"{wheel}{brackets}"], check=True)
        told = f" with {', '.join(extras)}" if extras else ""
        text = README.format(version=version, extras=told, folder=folder.name, requirement=name + brackets)
        (filled / "README.txt").write_text(text, "utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        filled.rename(folder)
        archive = shutil.make_archive(str(Path(temporary) / "archive"), "zip", folder.parent, folder.name)
        Path(archive).replace(f"{folder}.zip")
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="Make a folder of wheels that installs masume without a network.")
    parser.add_argument("wheel", type=Path, help="a wheel of masume")
    parser.add_argument("extras", nargs="*", metavar="EXTRA", help="an extra of masume")
    arguments = parser.parse_args()
    print(make_bundle(arguments.wheel, arguments.extras))


if __name__ == "__main__":
    main()
