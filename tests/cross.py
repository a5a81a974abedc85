"""Compile masume's C code, and the C code that Cython generates, for all systems in TARGETS or for those named.

    python tests/cross.py [TARGET ...]

The compiler is zig's clang from PyPI (`pip install '.[cross]'`). Python's headers, and a Python for aarch64 that loads
the modules, come from Debian through this machine's apt sources, into build/cross and without root; NumPy's headers
come from its wheels. REFUSED are targets that must fail, with the expected message. Prints a line for each target;
exits with status 1 if one of them differs.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "cross"
OWN = {path.stem: [path] for path in sorted((ROOT / "src").glob("*.c"))} | {
    f"{path.parent.name}_kernels": [f'-DKERNELS="masume/{path.parent.name}/kernels.h"', ROOT / "src" / "wide.c"]
    for path in sorted(ROOT.glob("cython/masume/*/kernels.h"))
}
MODULES = sorted(f"{path.parent.name}.{path.stem}" for path in ROOT.glob("cython/masume/*/_*.pyx"))
ENGINES = [name for name in MODULES if name.endswith("._engine")]
ZIG = [sys.executable, "-m", "ziglang", "cc"]
WARNINGS = ["-Wall", "-Wextra", "-Werror"]
# for generated code: the warnings that newer compilers treat as errors
ERRORS = [
    f"-Werror={name}" for name in ("implicit-function-declaration", "incompatible-pointer-types", "int-conversion")
]
OPTIONS = ["-O0"]  # only whether it compiles is tested; this takes a third of the time
APT = """
#clear APT::Architectures;
APT::Architectures {{ "arm64"; }};
APT::Architecture "arm64";
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::Cache "{folder}/cache";
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Etc::sourcelist "{folder}/sources.list";
Dir::Etc::sourceparts "{folder}/sources.list.d";
"""


@dataclasses.dataclass(frozen=True)
class Target:
    """System, by its name in zig."""

    name: str
    numpy: str | None  # platform of NumPy's wheel; None: NumPy is the one installed here
    modules: tuple[str, ...]


LINUX_ARM = Target("aarch64-linux-gnu.2.28", "manylinux_2_28_aarch64", tuple(MODULES))
TARGETS = [
    Target("x86_64-linux-gnu.2.28", None, tuple(ENGINES)),
    LINUX_ARM,
    Target("x86_64-linux-musl", None, tuple(ENGINES)),
    Target("aarch64-linux-musl", "manylinux_2_28_aarch64", tuple(ENGINES)),
    Target("x86_64-macos", "macosx_14_0_x86_64", tuple(ENGINES)),
    Target("aarch64-macos", "macosx_14_0_arm64", tuple(MODULES)),
    Target("x86_64-windows-gnu", "win_amd64", tuple(MODULES)),
]
REFUSED = {
    "s390x-linux-gnu": "masume: expected a little-endian target, got a big-endian one",
    "x86-linux-gnu": "masume: expected a 64-bit target, got a 32-bit one",
}


def run(*command: object, cwd: Path | None = None, **environment: str) -> str:
    """Run a command and return its output; RuntimeError with the output if it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=os.environ | environment, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


@contextlib.contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """Yield a new folder that is renamed to `folder` once it is filled."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as new:
        yield Path(new) / folder.name
        (Path(new) / folder.name).rename(folder)


@cache
def debian() -> Path:
    """Return a folder with Debian's Python for aarch64, its headers, and Windows' `windows/pyconfig.h`."""
    folder = BUILD / "debian"
    if folder.exists():
        return folder
    with filling(folder) as new, tempfile.TemporaryDirectory() as scratch:
        apt = Path(scratch)
        for name in ("cache/archives/partial", "state/lists/partial", "sources.list.d"):
            (apt / name).mkdir(parents=True)
        (apt / "status").touch()
        (apt / "apt.conf").write_text(APT.format(folder=apt))
        sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]
        for path in filter(Path.exists, sources):  # the same sources, and those of source packages
            text = re.sub(r"^Types:.*", "Types: deb deb-src", path.read_text(), flags=re.M)
            text = re.sub(r"^deb (.*)", r"deb \1\ndeb-src \1", text, flags=re.M)
            (apt / path.relative_to("/etc/apt")).write_text(text)
        config = str(apt / "apt.conf")
        # a source that has nothing for aarch64 fails here; missing packages are detected below
        subprocess.run(["apt-get", "-qq", "update"], env=os.environ | {"APT_CONFIG": config}, capture_output=True)
        packages = ["python3-minimal", "libpython3-stdlib", "libpython3-dev", "libstdc++6"]
        run("apt-get", "-qq", "-y", "--download-only", "install", *packages, APT_CONFIG=config)
        for package in (apt / "cache" / "archives").glob("*.deb"):
            run("dpkg-deb", "--extract", package, new)
        [include] = (new / "usr" / "include").glob("python3.*")
        run("apt-get", "-qq", "source", "--tar-only", include.name, cwd=apt, APT_CONFIG=config)
        [archive] = apt.glob("python3*.orig.tar.*")
        with tarfile.open(archive) as tar:
            [member] = [name for name in tar.getnames() if re.fullmatch(r"[^/]*/PC/pyconfig\.h(\.in)?", name)]
            text = tar.extractfile(member).read()
        (new / "windows").mkdir()
        (new / "windows" / "pyconfig.h").write_bytes(text)
    return folder


@cache
def python_version() -> str:
    """Return the version of Debian's Python, as "3.11"."""
    [include] = (debian() / "usr" / "include").glob("python3.*")
    return include.name.removeprefix("python")


@cache
def python_headers(is_windows: bool) -> Path:
    """Return the folder of Python's headers: aarch64's serve all POSIX systems, which have types of equal size."""
    folder = BUILD / "headers" / ("windows" if is_windows else "posix")
    if not folder.exists():
        found = debian() / "usr" / "include"
        own = debian() / "windows" if is_windows else found / "aarch64-linux-gnu" / f"python{python_version()}"
        with filling(folder) as new:
            shutil.copytree(found / f"python{python_version()}", new)
            shutil.copy(own / "pyconfig.h", new / "pyconfig.h")
    return folder


@cache
def numpy_wheel(platform: str) -> Path:
    """Return the folder with the contents of NumPy's wheel for the platform."""
    folder = BUILD / "numpy" / platform
    if not folder.exists():
        with filling(folder) as new, tempfile.TemporaryDirectory() as scratch:
            run(
                *(sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"),
                *("--only-binary", ":all:", "--platform", platform, "--python-version", python_version()),
                *("--dest", scratch, "numpy>=2"),
            )
            [wheel] = Path(scratch).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(new)
    return folder


def numpy_headers(target: Target) -> Path:
    """Return the folder of NumPy's headers for the target."""
    if target.numpy is None:
        return Path(np.get_include())
    return numpy_wheel(target.numpy) / "numpy" / "_core" / "include"


@cache
def transpile() -> Path:
    """Generate the C code of all modules and of Cython's helpers; return its folder."""
    folder = BUILD / "c"
    shutil.rmtree(folder, ignore_errors=True)
    cython = [sys.executable, "-m", "cython"]
    with filling(folder) as new, ThreadPoolExecutor(os.cpu_count()) as pool:
        new.mkdir()
        commands = [(*cython, f"--generate-shared={new / 'core._cyutility.c'}")]
        shared = (*cython, "-3", "--shared=masume.core._cyutility", "-I", ROOT / "cython")
        for name in MODULES:
            source = ROOT / "cython" / "masume" / f"{name.replace('.', '/')}.pyx"
            commands.append((*shared, "--module-name", f"masume.{name}", "-o", new / f"{name}.c", source))
        list(pool.map(lambda command: run(*command), commands))
    return folder


def compile_target(target: Target) -> list[Path]:
    """Return the objects of masume's C, of Cython's helpers and of the target's modules, in this order.

    RuntimeError with the compiler's messages if it rejects one.
    """
    folder = BUILD / "objects" / target.name
    folder.mkdir(parents=True, exist_ok=True)
    headers = [ROOT / "src", ROOT / "cython", python_headers("windows" in target.name), numpy_headers(target)]
    made = [transpile() / f"{name}.c" for name in ("core._cyutility", *target.modules)]
    compiler = [*ZIG, "-target", target.name, "-std=gnu11", *OPTIONS, *(f"-I{path}" for path in headers)]
    compiler += ["-fPIC", "-fno-strict-aliasing", "-ffp-contract=off", "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION"]
    if "windows" in target.name:
        compiler.append("-DMS_WIN64=")  # as in CMakeLists.txt
    commands = [[*compiler, *WARNINGS, "-c", *source] for source in OWN.values()]
    commands += [[*compiler, *ERRORS, "-c", source] for source in made]
    objects = [folder / f"{name}.o" for name in (*OWN, *(source.stem for source in made))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda command, output: run(*command, "-o", output), commands, objects))
    return objects


def link(target: Target) -> Path:
    """Return a folder with the package masume, with modules built for a Linux target."""
    folder = BUILD / "site" / target.name
    shutil.rmtree(folder, ignore_errors=True)
    objects = compile_target(target)
    ours, (helpers, *modules) = objects[: len(OWN)], objects[len(OWN) :]
    with filling(folder) as new, ThreadPoolExecutor(os.cpu_count()) as pool:
        shutil.copytree(ROOT / "python" / "masume", new / "masume", ignore=shutil.ignore_patterns("__pycache__"))
        commands = [
            (
                *ZIG,
                "-target",
                target.name,
                "-shared",
                *parts,
                "-o",
                new / "masume" / f"{parts[0].stem.replace('.', '/')}.so",
            )
            for parts in ((helpers,), *((module, *ours) for module in modules))
        ]
        list(pool.map(lambda command: run(*command), commands))
    return folder


def is_refused(name: str, message: str) -> bool:
    """Return whether compiling masume's C for the target fails with this message."""
    source = ROOT / "src" / "pool.c"
    with tempfile.TemporaryDirectory() as scratch:
        command = [*ZIG, "-target", name, f"-I{ROOT / 'src'}", "-c", source, "-o", Path(scratch) / "pool.o"]
        done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode != 0 and f'error: "{message}"' in done.stderr


def main() -> int:
    parser = argparse.ArgumentParser(description="Compile masume for other systems.")
    known = {target.name: target for target in TARGETS}
    parser.add_argument("targets", nargs="*", metavar="TARGET", choices=[[], *known], help=f"one of {', '.join(known)}")
    failed = False
    for target in [known[name] for name in parser.parse_args().targets] or TARGETS:
        begin = time.monotonic()
        try:
            objects = compile_target(target)
            line = f"{len(objects)} objects"
        except RuntimeError as error:
            failed, line = True, f"failed\n{error}"
        print(f"{target.name:24} {line} ({time.monotonic() - begin:.0f} s)", flush=True)
    for name, message in REFUSED.items():
        refused = is_refused(name, message)
        failed |= not refused
        print(f"{name:24} {'refused' if refused else 'not refused by our message'}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
