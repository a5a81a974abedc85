"""Write the measured parts of the READMEs, docs/performance.md and docs/performance/: `python benches/pages.py`.

Figures come from the newest file of benches/results/, the curves from all of them. A measured part of a page is
between `<!-- measured: NAME -->` and `<!-- end -->`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from masume import bench
from masume.render.chart import lines

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results")
PART = re.compile(r"(<!-- measured: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
OWN = ("batch", "table")  # masume's ways that are compared with other programs at the same operation

Report = Mapping[str, Any]


def results() -> list[Report]:
    """Return all kept reports, the oldest first."""
    found = [json.loads(path.read_text()) for path in RESULTS.glob("*.json")]
    return sorted(found, key=lambda report: str(report["date"]))


# -- tables ---------------------------------------------------------------------------------------


def number(value: float | None) -> str:
    """Return a time in readable form."""
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, the first column aligned to the left, the others to the right."""
    body = "".join(f"| {' | '.join(row)} |\n" for row in [head, ["---", *["---:"] * (len(head) - 1)], *rows])
    return f"\n{body}\n".replace("  ", " ")


def rows_of(report: Report, game: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = report["games"][game]["rows"]
    return found


def is_peer(report: Report, game: str, name: str) -> bool:
    """Return whether another program does this operation or a similar one."""
    return name in report["peers"][game] and not name.endswith("/floor")


def ways(report: Report, game: str) -> str:
    """Return the table of every way of every operation, at each CPU level."""
    level = report["level"]
    others = sorted(report["levels"])

    def row(entry: Mapping[str, Any]) -> list[str]:
        slower = [number(report["levels"][other].get(f"{game} {entry['name']}")) for other in others]
        gate = f"{entry['gate']} {'ok' if entry['ok'] else 'MISS'}" if entry["gate"] else ""
        times = f"{entry['reference']:,.0f}" if entry["reference"] else ""
        floor = f"{entry['floor']:.2f}" if entry["floor"] else ""
        return [entry["name"], entry["unit"], *slower, number(entry["value"]), times, floor, gate]

    head = ["case", "unit", *others, level, "x reference", "x floor", "gate"]
    return table(head, [row(entry) for entry in rows_of(report, game) if not is_peer(report, game, entry["name"])])


def beside(report: Report, game: str) -> str:
    """Return the table of peers; those at the same operation with their time as a multiple of masume's."""
    values = {entry["name"]: entry["value"] for entry in rows_of(report, game)}
    found = []
    for entry in rows_of(report, game):
        if is_peer(report, game, entry["name"]):
            operation = entry["name"].partition("/")[0]
            base = next((f"{operation}/{way}" for way in OWN if f"{operation}/{way}" in values), None)
            ratio = f"{entry['value'] / values[base]:,.0f} x {base}" if base else ""
            found.append([entry["name"], entry["unit"], number(entry["value"]), ratio])
    return table(["case", "unit", "time", "by masume's"], found)


def batches(report: Report, game: str) -> str:
    """Return the ns of a turn by the number of games in a batch."""
    sizes = report["scaling"][game]["sizes"]
    rows = [[f"{row['size']:,}", number(row["1"]), number(row["2"]), number(row["views"])] for row in sizes]
    return table(["games", "1 thread", "2 threads", "1 thread, masks and planes"], rows)


def threads(report: Report, game: str) -> str:
    """Return the ns per unit with one thread and with two."""
    found = report["scaling"][game]["threads"]
    rows = [
        [row["what"], f"ns/{row['unit']}", number(row["1"]), number(row["2"]), f"{row['ratio']:.2f}"] for row in found
    ]
    return table(["work", "unit", "1 thread", "2 threads", "x"], rows)


def growth(report: Report, game: str) -> str:
    """Return the ns of a ply in random games by board and players, and the bytes of the largest states."""
    found = report["scaling"][game]["growth"]
    boards = {(board["row"], board["column"]): board for board in found["boards"]}
    columns = list(dict.fromkeys(column for _, column in boards))
    rows = []
    for row in dict.fromkeys(row for row, _ in boards):
        here = [boards.get((row, column)) for column in columns]
        most = max(board["bytes"] for board in here if board)
        rows.append([f"{row}", *(number(board["ns"]) if board else "" for board in here), f"{most:,}"])
    head = [f"{found['row']} \\ {found['column']}", *(f"{column}" for column in columns), "bytes of a state, at most"]
    return table(head, rows)


def memory(report: Report, game: str) -> str:
    """Return the memory sizes in bytes."""
    return table(
        ["bytes of a", ""], [[what, f"{value:,}"] for what, value in report["scaling"][game]["memory"].items()]
    )


def of(report: Report, game: str, name: str, key: str = "value") -> float | None:
    """Return a measured value of a case; None if it was not measured."""
    row = next((row for row in rows_of(report, game) if row["name"] == name), None)
    return None if row is None else row[key]


def searches(report: Report, game: str) -> tuple[float, float]:
    """Return the random games and simulations per second, from the first start on the game's page."""
    playout, search = of(report, game, playout_of(game)), of(report, game, f"search {start_of(game)}/mcts")
    assert playout is not None
    assert search is not None
    return 1e9 / playout, 1e9 / search


README = {
    "README.md": (["game", "a turn", "of the reference", "random games", "simulations"], "{} ns", "1/{}", "{}/s"),
    "README.ja.md": (
        ["ゲーム", "一手番", "参照実装の", "ランダム対局", "シミュレーション"],
        "{} ns",
        "1/{}",
        "毎秒 {}",
    ),
}


def brief(report: Report, readme: str) -> str:
    """Return one line per game for new readers."""
    head, time, share, rate = README[readme]
    rows = []
    for game in report["games"]:
        turn, times = of(report, game, "turn/batch"), of(report, game, "turn/batch", "reference")
        rates = [rate.format(f"{found:,.0f}") for found in searches(report, game)]
        rows.append(
            [
                f"[{game}](docs/performance/{game}.md), {start_of(game)}",
                time.format(number(turn)),
                share.format(f"{times:,.0f}"),
                *rates,
            ]
        )
    return table(head, rows)


WAYS = ("reference", "state", "table", "batch", "batch, 2 threads", "floor")


def summary(report: Report) -> str:
    """Return one line per game."""
    rows = []
    for game in report["games"]:
        playouts, simulations = searches(report, game)
        times = of(report, game, "turn/table", "reference")
        floor = of(report, game, "turn/table", "floor")
        rows.append(
            [
                f"[{game}](performance/{game}.md)",
                *(number(of(report, game, f"turn/{way}")) for way in WAYS),
                f"{times:,.0f}" if times else "", f"{floor:.2f}" if floor else "",
                f"{playouts:,.0f}", f"{simulations:,.0f}", f"{of(report, game, 'state'):,.0f}",
            ]
        )  # fmt: skip
    head = [
        "ns a turn", "reference", "`State`", "C", "batch", "2 threads", "floor", "C x reference", "C x floor",
        "playouts/s", "simulations/s", "bytes",
    ]  # fmt: skip
    return table(head, rows)


def machine(report: Report) -> str:
    """Return the description of the machine that was measured."""
    found = report["machine"]
    packages = ", ".join(f"{name} {told}" for name, told in report["packages"].items() if told)
    return (
        f"\nMeasured at commit {report['commit']} on {report['date']} UTC: {found['cpu']}, {found['cores']} cores, "
        f"kernels of level {report['level']}, load {found['load'][0]} before and {found['load'][1]} after; "
        f"{report['compiler']}, Cython {report['cython']}, Python {report['python']}, NumPy {report['numpy']}, "
        f"{packages}. Medians of {report['rounds']} rounds.\n\n"
    )


# -- history --------------------------------------------------------------------------------------


def history(found: Sequence[Report], title: str, case_of: Callable[[str], str]) -> str:
    """Return a case of each game over time, relative to the oldest report."""
    first = bench.figures(json.dumps(found[0]))
    curves: dict[str, list[tuple[float, float]]] = {}
    for k, report in enumerate(found):
        now = bench.figures(json.dumps(report))
        for game in report["games"]:
            name = f"{game} {case_of(game)}"
            curves.setdefault(game, []).append((k, now[name] / first[name]))
    top = max(y for points in curves.values() for _, y in points)
    marks = {k / 2: f"{k / 2:g}" for k in range(2 + int(2 * top))}
    ends = tuple(f"{report['date'].split()[0]} ({report['commit']})" for report in (found[0], found[-1]))
    return lines(f"{title}, by what it took in the first report", curves, marks, (ends[0], ends[1]))


def start_of(game: str) -> str:
    """Return the first start on the game's page."""
    return next(iter(bench.workloads()[game].playouts))


def playout_of(game: str) -> str:
    """Return the case of the playouts from that start."""
    return f"playout {start_of(game)}/batch"


# -- pages ----------------------------------------------------------------------------------------

OF_A_GAME: dict[str, Callable[[Report, str], str]] = {
    "ways": ways, "peers": beside, "batches": batches, "threads": threads, "growth": growth, "memory": memory,
}  # fmt: skip


def fill(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return a page with its measured parts replaced; KeyError for an unknown part."""
    return PART.sub(lambda found: found[1] + parts[found[2]]() + found[3], text)


def write_pages() -> dict[Path, str]:
    """Return the intended text of every page, by its path."""
    found = results()
    last = found[-1]
    docs = ROOT / "docs"
    page = docs / "performance.md"
    pages = {page: fill(page.read_text(), {"summary": lambda: summary(last), "machine": lambda: machine(last)})}
    for name in README:
        page = ROOT / name
        pages[page] = fill(page.read_text(), {"speed": lambda name=name: brief(last, name)})
    for game in last["games"]:
        page = docs / "performance" / f"{game}.md"
        parts = {name: (lambda make=make, game=game: make(last, game)) for name, make in OF_A_GAME.items()}
        pages[page] = fill(page.read_text(), parts)
    return pages | {
        docs / "performance" / "turns.svg": history(found, "Time of a turn in a batch", lambda _: "turn/batch"),
        docs / "performance" / "playouts.svg": history(found, "Time of a random game in a batch", playout_of),
    }


if __name__ == "__main__":
    for path, text in write_pages().items():
        path.write_text(text)
        print(path.relative_to(ROOT))
