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

POINTER, INT, BYTE = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint8


class Plane(ctypes.Structure):
    _fields_ = (("stream", POINTER), ("values", POINTER), ("bytes", POINTER))


class ByteMatch(ctypes.Structure):
    _fields_ = (("values", POINTER), ("mask", ctypes.c_uint8), ("value", ctypes.c_uint8))


class Kind(ctypes.Structure):
    _fields_ = (
        ("levels", POINTER),
        ("scale", ctypes.c_float),
        ("offset", ctypes.c_float),
        ("is_bits", ctypes.c_uint32),
    )


class Match(ctypes.Structure):
    _fields_ = (("values", POINTER), ("mask", ctypes.c_uint32), ("value", ctypes.c_uint32))


class Grid(ctypes.Structure):
    _fields_ = (("width", INT), ("count", INT), ("west", INT * 96), ("east", INT * 96))


class Level(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("territory", ctypes.CFUNCTYPE(None, INT, INT, POINTER, POINTER)),
        ("weigh", ctypes.CFUNCTYPE(ctypes.c_int64, INT, POINTER, INT, POINTER, POINTER)),
        ("planes", ctypes.CFUNCTYPE(None, INT, INT, POINTER, POINTER)),
        ("matches", ctypes.CFUNCTYPE(None, INT, POINTER, INT, POINTER, POINTER)),
        ("compact", ctypes.CFUNCTYPE(None, INT, INT, POINTER, POINTER, POINTER)),
        ("byte_matches", ctypes.CFUNCTYPE(None, INT, POINTER, INT, POINTER, POINTER)),
        ("bit_matches", ctypes.CFUNCTYPE(None, INT, POINTER, INT, POINTER, POINTER, POINTER)),
        ("floats", ctypes.CFUNCTYPE(None, INT, POINTER, POINTER, ctypes.c_float, ctypes.c_float, POINTER)),
        ("halves", ctypes.CFUNCTYPE(None, INT, POINTER, POINTER, POINTER)),
        ("age", ctypes.CFUNCTYPE(None, INT, ctypes.c_uint8, POINTER)),
        ("bytes", ctypes.CFUNCTYPE(None, POINTER, INT, POINTER)),
        ("offers", ctypes.CFUNCTYPE(INT, INT, POINTER, POINTER, BYTE, BYTE, POINTER, POINTER, POINTER)),
        ("share", ctypes.CFUNCTYPE(INT, INT, INT, POINTER, POINTER, INT, POINTER)),
        ("highest", ctypes.CFUNCTYPE(INT, POINTER, INT, POINTER, POINTER)),
    )


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """Return level v2 with vectors and without."""
    folder, found = tmp_path_factory.mktemp("wide"), []
    for name, options in (("vectors", ()), ("plain", ("-DMASUME_NO_VECTORS",))):
        library = folder / f"{name}.so"
        flags = ("-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'src'}")
        run("cc", *flags, *options, ROOT / "src" / "wide.c", "-o", library)
        pick = ctypes.CDLL(str(library)).wide_pick
        pick.argtypes, pick.restype = (ctypes.c_char_p,), ctypes.POINTER(Level)
        found.append(pick(b"v2").contents)
        assert bool(pick(b"v3")) <= (name == "vectors")
    return found


def both(levels, size, dtype, call):
    """Return what call(level, out) writes to an array at one level, after comparing it with the other's."""
    found = []
    for level in levels:
        out = np.full(size, 3, dtype)
        call(level, out.ctypes.data)
        found.append(out)
    assert np.array_equal(*found)
    return found[0]


@pytest.mark.parametrize("chunks", range(4, 9))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_territory_without_vectors_is_the_same(levels, players, chunks):
    rng = np.random.default_rng(10 * players + chunks)
    enclosed = 0
    for _ in range(100):
        owner = rng.integers(0, 2 * players, (4 * chunks, 30))  # half of the cells are free
        owner[4 * chunks - rng.integers(0, 4) :] = -1
        masks = np.array([1 << x for x in range(30)], np.uint32)
        walls = np.array([((owner == player) * masks).sum(axis=1) for player in range(players)], np.uint32)

        def mark(level, out, walls=walls):
            level.territory(players, chunks, walls.ctypes.data, out)

        enclosed += (both(levels, walls.size, np.uint32, mark) != 3).any()
    assert enclosed > 50


def test_sums_without_vectors_are_the_same(levels):
    rng = np.random.default_rng(1)
    for chunks in range(4, 9):
        board, planes = (rng.integers(0, 2**32, 4 * chunks * n, np.uint32) for n in (1, 9))
        weights = rng.integers(-(2**31), 2**31 - 1, 9, np.int32)
        arguments = (chunks, board.ctypes.data, 9, planes.ctypes.data, weights.ctypes.data)
        assert len({level.weigh(*arguments) for level in levels}) == 1


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

    def age(level, out):
        ctypes.memmove(out, byte, count)
        level.age(count, 253, out)

    assert {0, 254, 255} >= {*both(levels, count, np.uint8, age).tolist()}
    for table in (None, value):
        both(levels, count, np.float32, lambda level, out, table=table: level.floats(count, byte, table, 0.5, -1, out))


@pytest.mark.parametrize("count", [1, 7, 19, 37, 64, 127, 331])
def test_offers_without_vectors_are_the_same(levels, count):
    rng = np.random.default_rng(count)
    room, size, sums = count + 32, (count + 63) // 64 * 8, set()
    for largest in (1, 6, 2**31 - 1):
        amounts = rng.integers(0, largest, room, np.int32, endpoint=True)
        cells, ways = rng.integers(0, 4, room, np.uint8), np.zeros(room, np.uint8)
        ways[:count] = rng.integers(0, 64, count)
        num_ways = np.bitwise_count(ways)
        given = (count, amounts.ctypes.data, cells.ctypes.data, 2, 2)

        def find(level, out, given=given, ways=ways):
            cleared = np.full(count, 7, np.int32)
            ctypes.memmove(out + size, ways.ctypes.data, room)
            sums.add(level.offers(*given, out + size, cleared.ctypes.data, out))
            assert not cleared.any()

        found = both(levels, size + room, np.uint8, find)
        assert len(sums) == 1
        is_ready = (cells & 2 == 2) & (amounts > 0) & (ways > 0)
        more = sum((amounts > limit).astype(np.int64) for limit in (1, 2, 4))
        moves = (ways & 63 | np.where(is_ready, more << 6, 0))[:count]
        assert np.array_equal(found[size : size + count], moves)
        assert np.array_equal(np.unpackbits(found[:size], bitorder="little")[:count], is_ready[:count])
        assert sums.pop() == ((1 + more) * num_ways * is_ready)[:count].sum()


@pytest.mark.parametrize(("width", "height"), [(1, 1), (1, 9), (3, 3), (5, 5), (8, 4), (9, 8), (9, 9)])
def test_shares_and_the_highest_around_without_vectors_are_the_same(levels, width, height):
    rng, count = np.random.default_rng(width * height), width * height
    room = (count + 31) // 32 * 32
    is_in = rng.integers(0, 2, (4, 128), np.uint8)
    is_in[1:3, count:], is_in[0], is_in[3, 1:] = 0, 0, 0  # one set is empty, one has at most one cell
    sets, shares = np.packbits(is_in, axis=1, bitorder="little"), rng.integers(1, 1 << 20, 129, np.int32)
    shares[0] = 0
    firsts = []

    def share(level, out):
        level.share(count, 2, sets.ctypes.data, shares.ctypes.data, 1, out)
        firsts.append(level.share(count, 2, sets[2:].ctypes.data, shares.ctypes.data, 0, out))

    found = both(levels, room, np.int32, share)
    sums = (is_in * shares[is_in.sum(axis=1)][:, None]).sum(axis=0)
    assert np.array_equal(found, sums[:room])
    assert firsts == [sums.argmax()] * 2
    column = np.arange(96) % width
    grid = Grid(width, count, (INT * 96)(*-(column > 0).astype(int)), (INT * 96)(*-(column < width - 1).astype(int)))
    table = np.zeros((height + 2, width + 2), np.int32)
    table[1:-1, 1:-1] = found[:count].reshape(height, width)
    for own in (0, 1):
        firsts.clear()

        def highest(level, out, own=own):
            whole = np.zeros(room, np.int32)
            firsts.append(level.highest(ctypes.addressof(grid), own, found.ctypes.data, whole.ctypes.data))
            ctypes.memmove(out, whole.ctypes.data, whole[:count].nbytes)

        near = [(x, y) for x in (0, 1, 2) for y in (0, 1, 2) if own or (x, y) != (1, 1)]
        around = np.max([table[y : y + height, x : x + width] for x, y in near], axis=0)
        assert np.array_equal(both(levels, count, np.int32, highest), around.ravel())
        assert firsts == [around.argmax()] * 2


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
