"""Instructions and mispredictions of Python callables under callgrind; `masume.bench` exports the public part."""

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
"""Program that runs under valgrind, with the arguments OUT FILE FUNCTION [ARGUMENT ...]."""
MISPREDICTED = ", mispredicted"
"""Follows the name of a case in the name of its mispredictions."""
Cases: TypeAlias = Callable[..., Iterable[tuple[str, Callable[[], object], int]]]


def count_instructions(cases: Cases, *arguments: str, mispredictions: bool = False) -> dict[str, float]:
    """Count the instructions of Python callables, in a process under valgrind.

    Kernels run at level v3 at most, since valgrind does not support AVX-512. Counts of C code repeat exactly, those of
    Python code within 0.1 %. Mispredictions are those of the branches and indirect calls in valgrind's model of a
    processor, which is simpler than real ones, but never depends on other load.

    Parameters
    ----------
    cases : function
        A function on the top level of a file. It yields (name, run, units): `run()` is counted and does `units` units
        of work. Code between two yields is not counted: build the work there, and run it once, so that costs of the
        first call are not counted. The file is executed again under valgrind, with the current `sys.path`.
    *arguments : str
        Arguments of `cases`.
    mispredictions : bool
        Whether mispredictions are counted too. What `run` has met before is predicted better: let the first `run` of a
        case, which is not counted, work on other data.

    Returns
    -------
    dict
        {name: instructions per unit}, and with `mispredictions` {"NAME, mispredicted": number per unit}.

    Raises
    ------
    ExtraError
        If valgrind is not installed.
    ConfigError
        If `cases` is another kind of function, two cases have the same name, or the process failed; its own message is
        on stderr.
    """
    if not inspect.isfunction(cases) or not cases.__qualname__.isidentifier():
        raise ConfigError(f"cases: expected a function on the top level of a file, got {cases!r}")
    if shutil.which("valgrind") is None:
        raise ExtraError("valgrind is not installed; it is a package of that name in most systems", name="valgrind")
    with tempfile.TemporaryDirectory() as folder:
        out, dumps = Path(folder) / "done", Path(folder) / "dumps"
        branches = ["--branch-sim=yes"] if mispredictions else []
        command = [
            "valgrind", "--tool=callgrind", "--quiet", "--toggle-collect=masume_counted", "--dump-after=masume_counted",
            f"--callgrind-out-file={dumps}", *branches, sys.executable, "-P", *(["-S"] if sys.flags.no_site else []),
            "-c", CHILD, str(out), str(Path(inspect.getfile(cases)).resolve()), cases.__name__, *arguments,
        ]  # fmt: skip
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
            "MASUME_CPU": level(), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1",
        }  # fmt: skip
        code = subprocess.run(command, env=environment, stdout=2, check=False).returncode  # redirects prints to stderr
        if code:
            raise ConfigError(f"cases: {cases.__name__} failed under valgrind with exit code {code}")
        done = json.loads(out.read_text(encoding="utf-8"))
        totals = [_totals(Path(f"{dumps}.{part}")) for part in range(1, 2 + len(done))]
    counts = per_unit([total["Ir"] for total in totals], done)
    if mispredictions:
        missed = per_unit([total["Bcm"] + total["Bim"] for total in totals], done, digits=4)
        counts |= {name + MISPREDICTED: count for name, count in missed.items()}
    return counts


def benchmark_json(found: Mapping[str, float]) -> str:
    """Return the counts as JSON text in the format `customSmallerIsBetter` of github-action-benchmark."""
    entries = [{"name": name, "unit": "instructions", "value": count} for name, count in found.items()]
    return json.dumps(entries, indent=2)


def level() -> str:
    """Return the best CPU level that both this machine and valgrind support."""
    return min(_wide.levels()[-1], "v3")


def per_unit(totals: list[int], done: list[list[Any]], digits: int = 2) -> dict[str, float]:
    """Return {name: count per unit}; totals[0] is the empty region, which every other total includes."""
    found = {
        name: round((total - totals[0]) / units, digits) for total, (name, units) in zip(totals[1:], done, strict=True)
    }
    if len(found) < len(done):
        raise ConfigError("cases: two have the same name")
    return found


def _totals(dump: Path) -> dict[str, int]:
    """Return {event: number} of one of callgrind's dumps."""
    lines = dump.read_text(encoding="utf-8").splitlines()
    events, totals = (
        next(line.split()[1:] for line in lines if line.startswith(key)) for key in ("events:", "totals:")
    )
    return dict(zip(events, map(int, totals), strict=True))


def _count_here(out: str, file: str, name: str, *arguments: str) -> None:
    """Run the cases, after an empty region, and write [[name, units], ...]."""
    gc.disable()
    _loops.count(lambda: None)
    done = []
    for title, run, units in runpy.run_path(file)[name](*arguments):
        _loops.count(run)
        done.append([title, units])
    Path(out).write_text(json.dumps(done), encoding="utf-8")
