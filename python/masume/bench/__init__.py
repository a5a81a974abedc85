"""What `masume bench` times, benches/ measures and the instruction gate counts, and what is made of the times.

A Case is one way to do one operation: "turn/batch" is a turn, played in a batch. What stands before the slash
is the operation; its cases count the same unit, and "/reference", where there is one, is the slow twin. All
work on the same recorded play (Midgame) and have their answers checked before anything is measured.
"""

from ..core._wide import level
from .cases import cases
from .counting import benchmark_json, count_instructions
from .times import ROUNDS, Change, Row, changes, figures, measure, report, rows, text, time_works
from .workload import Case, Gate, Growth, Midgame, Work, Workload, workloads

__all__ = [
    "ROUNDS",
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
