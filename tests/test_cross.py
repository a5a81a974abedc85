"""masume on other systems than this machine: all modules under qemu, the thread pool with musl."""

import importlib.util
import os
import shutil
import sys
import sysconfig

import pytest

import cross

pytestmark = [
    pytest.mark.slow,
    pytest.mark.nightly,
    pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="ziglang is not installed (.[cross])"),
    pytest.mark.skipif(shutil.which("apt-get") is None, reason="no apt-get for Debian's Python"),
]
QEMU = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
needs_qemu = pytest.mark.skipif(QEMU is None, reason="no qemu-aarch64 (Debian: qemu-user-static)")


def checksums(level, *command, **environment):
    """Return the lines of tests/checksums.py for a CPU level, without the level."""
    script = cross.ROOT / "tests" / "checksums.py"
    lines = cross.run(*command, script, MASUME_CPU=level, **environment).splitlines()
    assert all(line.split()[1] == level for line in lines)
    return [[word for word in line.split() if word != level] for line in lines]


@needs_qemu
def test_aarch64_computes_what_this_machine_does():
    site = cross.link(cross.LINUX_ARM)
    paths = [site, cross.numpy_wheel(cross.LINUX_ARM.numpy), sysconfig.get_path("purelib")]
    python = cross.debian() / "usr" / "bin" / f"python{cross.python_version()}"
    arm = checksums(
        "neon",
        QEMU,
        "-L",
        cross.debian(),
        python,
        PYTHONPATH=os.pathsep.join(map(str, paths)),
        OPENBLAS_NUM_THREADS="1",
    )
    assert len(arm) == 5
    assert arm == checksums("v2", sys.executable)


@pytest.mark.parametrize(
    ("name", "emulator"), [("x86_64-linux-musl", []), pytest.param("aarch64-linux-musl", [QEMU], marks=needs_qemu)]
)
def test_the_pool_works_with_musl(name, emulator, tmp_path):
    program = tmp_path / "pool_stress"
    sources = [cross.ROOT / "tests" / "pool_stress.c", cross.ROOT / "src" / "pool.c"]
    cross.run(*cross.ZIG, "-target", name, "-std=gnu11", "-O2", f"-I{cross.ROOT / 'src'}", *sources, "-o", program)
    assert cross.run(*emulator, program) == "ok\n"
