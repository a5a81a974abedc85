"""`import masume` with compiled modules for another machine or another Python, or without them."""

import importlib.machinery
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import masume
from masume.core.unloadable import explain

OURS = importlib.machinery.EXTENSION_SUFFIXES[0]
OTHER = ".cpython-311-aarch64-linux-gnu.so" if "x86_64" in OURS else ".cpython-311-x86_64-linux-gnu.so"
ELF = b"\x7fELF\x01\x01\x01" + bytes(57)  # a 32-bit file


@pytest.fixture
def said(tmp_path):
    """Return the last line of `import masume` with this single compiled module, without the editable install."""
    package = tmp_path / "masume"
    shutil.copytree(Path(masume.__file__).parent, package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))

    def run(name=None):
        if name is not None:
            (package / "core" / name).write_bytes(ELF)
        paths = os.pathsep.join([str(tmp_path), str(Path(np.__file__).parent.parent)])
        command = [sys.executable, "-S", "-c", "import masume"]
        found = subprocess.run(
            command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
        )
        assert found.returncode == 1
        return found.stderr.splitlines()[-1]

    return run


def test_modules_of_another_machine_are_named(said):
    line = said(f"_state{OTHER}")
    assert line.startswith("ImportError: masume: its compiled modules are for another Python or machine: ")
    assert f"_state{OTHER}; this Python loads _state{OURS}; install masume anew with {sys.executable}" in line


@pytest.mark.skipif(sys.platform != "linux", reason="the file is an ELF")
def test_a_module_that_the_system_refuses_is_named(said):
    line = said(f"_state{OURS}")
    assert line.startswith("ImportError: masume: its compiled modules do not load on this machine: ")
    assert "install masume anew with" in line


def test_a_package_without_compiled_modules_says_so(said):
    assert said().startswith("ImportError: masume: its compiled modules are missing; this Python loads _state")


def test_what_is_missing_beside_masume_is_not_explained_away():
    error = ModuleNotFoundError("No module named 'numpy'", name="numpy")
    assert explain(error) is error
