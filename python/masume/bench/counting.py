"""Instructions of Python callables under valgrind's callgrind; `masume.bench` offers what is public."""

from __future__ import annotations

import gc
import inspect
import json
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..core import _wide
from ..errors import ConfigError, ExtraError
from . import _loops

CHILD = f"import sys; from {__name__} import _count_here; _count_here(*sys.argv[1:])"
"""What runs under valgrind, with the arguments OUT FILE FUNCTION [ARGUMENT ...]."""
Cases: TypeAlias = Callable[..., Iterable[tuple[str, Callable[[], object], int]]]


def count_instructions(cases: Cases, *arguments: str) -> dict[str, float]:
    """Return {name: instructions a unit} of what `cases(*arguments)` yields, counted in a process of its own.

    Kernels run at level v3 at most, for valgrind knows no AVX-512. C repeats to the instruction, Python within 0.1 %.

    cases : a function on the top level of a file. It yields (name, run, units): `run()` is counted, which does `units`
        units of work. What it does between two yields is not counted: build the work there, and run it once, so that
        nothing is counted that only the first call does. The file is executed again under valgrind, with the
        `sys.path` of now.

    Raises ExtraError without valgrind; ConfigError for another function, two cases of one name, or a failed process,
    whose own message is on stderr.
    """
    if not inspect.isfunction(cases) or not cases.__qualname__.isidentifier():
        raise ConfigError(f"cases: expected a function on the top level of a file, got {cases!r}")
    if shutil.which("valgrind") is None:
        raise ExtraError("valgrind is not installed; it is a package of that name in most systems", name="valgrind")
    with tempfile.TemporaryDirectory() as folder:
        out, dumps = Path(folder) / "done", Path(folder) / "dumps"
        command = [
            "valgrind", "--tool=callgrind", "--quiet", "--toggle-collect=masume_counted", "--dump-after=masume_counted",
            f"--callgrind-out-file={dumps}", sys.executable, "-P", *(["-S"] if sys.flags.no_site else []),
            "-c", CHILD, str(out), str(Path(inspect.getfile(cases)).resolve()), cases.__name__, *arguments,
        ]  # fmt: skip
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
            "MASUME_CPU": level(), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        code = subprocess.run(command, env=environment, stdout=2, check=False).returncode  # prints go to stderr
        if code:
            raise ConfigError(f"cases: {cases.__name__} failed under valgrind with exit code {code}")
        done = json.loads(out.read_text(encoding="utf-8"))
        return per_unit([_total(Path(f"{dumps}.{part}")) for part in range(1, 2 + len(done))], done)


def benchmark_json(found: Mapping[str, float]) -> str:
    """Return the counts as the text that github-action-benchmark calls `customSmallerIsBetter`."""
    entries = [{"name": name, "unit": "instructions", "value": count} for name, count in found.items()]
    return json.dumps(entries, indent=2)


def level() -> str:
    """Return the best CPU level of this machine that valgrind knows, too."""
    return min(_wide.levels()[-1], "v3")


def per_unit(totals: list[int], done: list[list[Any]]) -> dict[str, float]:
    """{name: instructions per unit}; totals[0] is the empty region, which every other one holds too."""
    found = {name: round((total - totals[0]) / units, 2) for total, (name, units) in zip(totals[1:], done, strict=True)}
    if len(found) < len(done):
        raise ConfigError("cases: two have the same name")
    return found


def _total(dump: Path) -> int:
    """The instructions of one of callgrind's dumps."""
    return next(
        int(line.split()[1]) for line in dump.read_text(encoding="utf-8").splitlines() if line.startswith("totals:")
    )


def _count_here(out: str, file: str, name: str, *arguments: str) -> None:
    """Run the cases, an empty region first, and write [[name, units], ...]."""
    gc.disable()
    _loops.count(lambda: None)
    done = []
    for title, run, units in runpy.run_path(file)[name](*arguments):
        _loops.count(run)
        done.append([title, units])
    Path(out).write_text(json.dumps(done), encoding="utf-8")
