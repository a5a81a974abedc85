"""Compilers: those that are too old are rejected with one line, and builds of other ones compute the same."""

import ctypes
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from installs import copy_of_checkout
from kernels import BYTE, FLOAT, INT, POINTER, both, compile_levels

ROOT = Path(__file__).parents[1]
DEFINITIONS = ("-DSKBUILD_PROJECT_NAME=masume", "-DSKBUILD_PROJECT_VERSION=0.1.0")
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
HERE = {name: value for name, value in os.environ.items() if name not in ("CC", "MASUME_CPU", "PYTHONPATH")} | {
    "PATH": PATH
}


def run(*command, **options):
    """Run a command and return its output, which is shown if the command fails."""
    words = [str(word) for word in command]
    found = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    assert found.returncode == 0, f"{' '.join(words)}\n{found.stdout}{found.stderr}"
    return found.stdout


def refusal(*command):
    """Return the last line of CMake's message."""
    words = [str(word) for word in command]
    found = subprocess.run(words, env=HERE, capture_output=True, text=True, check=False)
    assert found.returncode != 0
    (line,) = re.findall(r"CMake Error at .*\n((?:  .*\n)+)", found.stderr)
    return line.strip()


# -- compilers that are too old ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identity", "version", "message"),
    [
        ("GNU", "10.2.1", "C compiler: expected gcc 11 or later, got 10.2.1; install one and set CC, as in CC=gcc-12"),
        ("Clang", "13.0", "C compiler: expected clang 14 or later, got 13.0; install one and set CC, as in CC="),
        ("AppleClang", "13.1.6", "C compiler: expected clang 14 or later, got 13.1.6; install one and set CC, as in "),
        ("MSVC", "19.44", "C compiler: expected clang (CC=clang), got MSVC, which lacks C11 atomics and "),
    ],
)
def test_a_compiler_that_cannot_build_masume_is_refused_in_a_line(identity, version, message):
    compiler = (f"-DCMAKE_C_COMPILER_ID={identity}", f"-DCMAKE_C_COMPILER_VERSION={version}")
    line = refusal("cmake", *compiler, "-P", ROOT / "cmake" / "compiler.cmake")
    assert line.startswith(message)
    assert "\n" not in line


@pytest.mark.parametrize(("identity", "version"), [("GNU", "11.1"), ("Clang", "14.0"), ("IntelLLVM", "2024.1")])
def test_other_compilers_are_tried(identity, version):
    compiler = (f"-DCMAKE_C_COMPILER_ID={identity}", f"-DCMAKE_C_COMPILER_VERSION={version}")
    run("cmake", *compiler, "-P", ROOT / "cmake" / "compiler.cmake", env=HERE)


def test_a_build_asks_the_compiler_for_its_version(tmp_path):
    """The compiler is a gcc that reports version 10."""
    compiler = tmp_path / "gcc-10"
    compiler.write_text('#!/bin/sh\nexec gcc -U__GNUC__ -D__GNUC__=10 "$@"\n')
    compiler.chmod(0o755)
    line = refusal("cmake", "-S", ROOT, "-B", tmp_path / "build", *DEFINITIONS, f"-DCMAKE_C_COMPILER={compiler}")
    assert line.startswith("C compiler: expected gcc 11 or later, got 10.")


def test_missing_headers_of_python_are_named_with_their_package(tmp_path):
    python = (f"-DPython_EXECUTABLE={sys.executable}", f"-DPython_INCLUDE_DIR={tmp_path / 'none'}")
    line = refusal("cmake", "-S", ROOT, "-B", tmp_path / "build", *DEFINITIONS, *python)
    assert line == f"Python.h: not found for {sys.executable}; install python3-dev (Fedora: python3-devel)"


# -- a compiler without vectors --------------------------------------------------------------------


class Plane(ctypes.Structure):
    _fields_ = (("stream", POINTER), ("values", POINTER), ("bytes", POINTER))


class ByteMatch(ctypes.Structure):
    _fields_ = (("values", POINTER), ("mask", BYTE), ("value", BYTE))


class Kind(ctypes.Structure):
    _fields_ = (
        ("levels", POINTER),
        ("scale", FLOAT),
        ("offset", FLOAT),
        ("is_bits", ctypes.c_uint32),
    )


class Match(ctypes.Structure):
    _fields_ = (("values", POINTER), ("mask", ctypes.c_uint32), ("value", ctypes.c_uint32))


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    fields = {
        "planes": (None, INT, INT, POINTER, POINTER),
        "matches": (None, INT, POINTER, INT, POINTER, POINTER),
        "compact": (None, INT, INT, POINTER, POINTER, POINTER),
        "byte_matches": (None, INT, POINTER, INT, POINTER, POINTER),
        "bit_matches": (None, INT, POINTER, INT, POINTER, POINTER, POINTER),
        "floats": (None, INT, POINTER, POINTER, FLOAT, FLOAT, POINTER),
        "halves": (None, INT, POINTER, POINTER, POINTER),
        "bytes": (None, POINTER, INT, POINTER),
    }
    return compile_levels(tmp_path_factory.mktemp("wide"), fields)


@pytest.mark.parametrize("count", [1, 31, 32, 33, 64, 100, 900])
def test_planes_without_vectors_are_the_same(levels, count):
    rng = np.random.default_rng(count)
    words = rng.integers(0, 2**32, count + 32, np.uint32)
    values = rng.normal(size=count + 32).astype(np.float32)
    stream, value = words.ctypes.data, values.ctypes.data
    cells = rng.integers(0, 4, count + 32, np.uint8)
    byte = cells.ctypes.data
    planes = (Plane * 3)(Plane(stream, None, None), Plane(stream, value, byte), Plane(None, value, byte))
    matches = (Match * 2)(Match(None, 3, 1), Match(value, 1, 0))
    both(levels, count * 3, np.float32, lambda level, out: level.planes(count, 3, ctypes.addressof(planes), out))
    both(
        levels,
        count * 2,
        np.float32,
        lambda level, out: level.matches(count, stream, 2, ctypes.addressof(matches), out),
    )
    both(levels, count, np.uint8, lambda level, out: level.bytes(stream, count, out))
    for kinds in (None, (Kind * 3)(Kind(None, 1, 0, 1), Kind(None, 1, 0, 0), Kind(None, 1, 0, 1))):
        given = (count, 3, ctypes.addressof(planes), kinds and ctypes.addressof(kinds))
        both(levels, count * 3, np.uint8, lambda level, out, given=given: level.compact(*given, out))
    byte_matches = (ByteMatch * 2)(ByteMatch(None, 3, 1), ByteMatch(byte, 1, 0))
    given = (count, byte, 2, ctypes.addressof(byte_matches))
    both(levels, count * 2, np.uint8, lambda level, out: level.byte_matches(*given, out))
    for is_bits in (0, 1):
        kinds = (Kind * 2)(Kind(None, 1, 0, 1), Kind(None, 1, 0, is_bits))
        byte_matches = (ByteMatch * 2)(ByteMatch(None, 3, 1), ByteMatch(None if is_bits else byte, 1, 0))
        given = (count, byte, 2, ctypes.addressof(byte_matches), ctypes.addressof(kinds))
        both(levels, count * 2 + 8, np.uint8, lambda level, out, given=given: level.bit_matches(*given, out))
    halves = words.astype(np.uint16)[:4].copy()
    both(levels, count, np.uint16, lambda level, out: level.halves(count, byte, halves.ctypes.data, out))

    for table in (None, value):
        both(levels, count, np.float32, lambda level, out, table=table: level.floats(count, byte, table, 0.5, -1, out))


# -- gcc 14 ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def debian_13(tmp_path_factory):
    """Return a root of Debian 13 with gcc 14, Python 3.13 and masume's build requirements, from configured mirrors."""
    if os.getuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("a Debian 13 root is made by root, with debootstrap (apt-get install debootstrap)")
    targets = ("Created-By: Packages", "Origin: Debian", "Label: Debian")
    mirrors = run("apt-get", "indextargets", "--format", "$(REPO_URI)", *targets).split()
    if not mirrors:
        pytest.skip("apt-get knows no mirror of Debian's (apt-get update)")
    root = tmp_path_factory.mktemp("debian-13")
    packages = "gcc,libc6-dev,python3-dev,python3-venv"
    run("debootstrap", "--variant=minbase", f"--include={packages}", "trixie", root, mirrors[0])
    requirements = [*tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"], "pytest"]
    requirements += ["cmake>=3.26", "ninja"]
    pip = ("-m", "pip", "--disable-pip-version-check")
    there = ("--python-version", "3.13", "--only-binary=:all:", "--dest", root / "wheels")
    run(sys.executable, *pip, "download", "--quiet", *there, *requirements)
    run("chroot", root, "python3", "-m", "venv", "/venv")
    run("chroot", root, "/venv/bin/python", *pip, "install", "--no-index", "--find-links", "/wheels", *requirements)
    copy_of_checkout(root / "masume")
    yield root
    shutil.rmtree(root)


@pytest.mark.slow
@pytest.mark.nightly
def test_gcc_14_on_debian_13_computes_the_same(debian_13):
    environment = {"PATH": "/venv/bin:/usr/bin:/bin", "PYTHON": "/venv/bin/python"}
    printed = run("chroot", debian_13, "/masume/tests/compilers.sh", "gcc", env=environment)
    assert re.search(r"^gcc +14\.\S+ +\d+ s +0 +equal$", printed, re.MULTILINE), printed
    there = (debian_13 / "masume" / "build" / "compilers" / "gcc" / "checksums").read_text()
    assert there == run(sys.executable, ROOT / "tests" / "checksums.py", env=HERE)
