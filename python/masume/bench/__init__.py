"""Operations that `masume bench` times, benches/ measures and the instruction gate counts, and their reports.

A Case is one way to do one operation: "turn/batch" is a turn, played in a batch. The part before the slash is the
operation. All its cases count the same unit; "/reference", if there is one, is the slow Python implementation. All
cases work on the same recorded play (Midgame), and their answers are checked before anything is measured.
"""

from ..core._wide import level
from .cases import cases
from .counting import benchmark_json, count_instructions
from .times import ROUNDS, Change, Row, changes, figures, measure, report, rows, text, time_works
from .workload import SETS, Case, Gate, Growth, Midgame, Work, Workload, workloads

__all__ = [
    "ROUNDS",
    "SETS",
    "Case",
    "Change",
    "Gate",
    "Growth",
    "Midgame",
    "Row",
    "Work",
    "Workload",
    "benchmark_json",
    "cases",
    "changes",
    "count_instructions",
    "figures",
    "level",
    "measure",
    "report",
    "rows",
    "text",
    "time_works",
    "workloads",
]
