"""The HTML page of a balance run: the stage, the table, and a histogram of each measure of each pairing."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ... import render
from ...core.language import language, say
from ...core.language import translate as _
from ...game import load
from ...render import escape_text
from ...render.html import POLICY, table
from ...render.svg import style
from ..notation import PLAYERS
from ..stages import Stage
from .balance import MEASURES, Pairing, bars_of, edges_of, judge, rows_of
from .findings import findings

WIDTH, HEIGHT, SIDE, TOP, BOTTOM = 170, 84, 8, 8, 20  # px: size of a histogram and the margins around its bars
LOOKS = """
.flow { display: flex; flex-wrap: wrap; gap: 1rem; align-items: flex-start; margin-bottom: 1rem; }
.flow > *, .scroll { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.flow > * { padding: .6rem .75rem; }
.flow > .start { flex: 1 1 24rem; max-width: 36rem; }
.flow > .says { flex: 1 1 24rem; }
.start svg { display: block; width: 100%; height: auto; }
.says p { margin: .35rem 0; }
.scroll { margin-bottom: 1rem; }
.charts td { padding: .2rem .35rem; }
.charts td svg { display: block; width: 170px; }
.charts th[scope=row] { font-weight: 400; color: var(--ink); border-top: 1px solid var(--line); }
.meter, .meter i, .key { display: block; border-radius: 3px; background: currentColor; }
.meter { width: 7rem; height: .6rem; margin: .25rem 0; }
.meter i { height: 100%; }
.key { display: inline-block; width: .8rem; height: .8rem; margin: 0 .3rem 0 .8rem; }
"""


def page(stage: Stage, pairings: Sequence[Pairing], out: Path) -> str:
    """Return a self-contained HTML document: the stage, the table, and a histogram of each measure of each pairing.

    Parameters
    ----------
    stage : Stage
    pairings : sequence of Pairing
        The result of `balance`.
    out : Path
        Folder of the page; links to the reports of the games are relative to it.

    Returns
    -------
    str
        The document; it loads no other resource.
    """
    start = load("nezumi", stage=stage).new_state()
    looks = style() + (resources.files(render) / "page.css").read_text("utf-8") + LOOKS
    num_games = f"{sum(len(one.won) for one in pairings):,}"
    title = escape(say("{stage}: balance of {games} games", stage=stage.name or _("a stage"), games=num_games))
    parts = [(_("What the games say"), judge(pairings)), (_("What is odd"), [one.text for one in findings(stage)])]
    paragraphs = "".join(
        f"<h2>{head}</h2>" + "".join(f"<p>{escape(text)}</p>" for text in texts) for head, texts in parts if texts
    )
    return (
        '<!DOCTYPE html>\n<html lang="'
        f'{language()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n<link rel="icon" href="data:,">\n'
        f"<title>{title}</title>\n<style>\n{looks}</style>\n</head>\n<body>\n"
        f'<main class="masume">\n<h1>{title}</h1>\n'
        f'<div class="flow"><div class="start">{render.svg(start)}</div><div class="says">{paragraphs}</div></div>\n'
        f"{table(rows_of(pairings))}\n"
        f'<h2>{_("Games")} <span class="key p0"></span>{_("won by the cat")} '
        f'<span class="key p1"></span>{_("won by the mice")}</h2>\n'
        f"{_charts(pairings, out)}</main>\n</body>\n</html>\n"
    )


def _charts(pairings: Sequence[Pairing], out: Path) -> str:
    """Return a table of histograms: a row for each pairing, a column for each measure, one scale per column."""
    head = "".join(f'<th scope="col">{_(name)}</th>' for name in ("pairing", *MEASURES))
    edges = {measure: edges_of(pairings, measure) for measure in MEASURES}
    rows = ""
    for pairing in pairings:
        who = say(
            "{cat} cat{line}{mice} mice",
            cat=escape(escape_text(pairing.cat)),
            mice=escape(escape_text(pairing.mice)),
            line="<br>",
        )
        if pairing.report:
            who = f'<a href="{escape(pairing.report.relative_to(out).as_posix())}">{who}</a>'
        share = f"{pairing.share:.1%}"
        meter = f'<span class="meter p0"><i class="p1" style="width:{share}"></i></span>{_("mice")} {share}'
        label = say("{cat} as the cat, {mice} as the mice", cat=pairing.cat, mice=pairing.mice)
        cells = "".join(
            f"<td>{_histogram(bars_of(pairing, measure, bins), bins, f'{_(measure)}: {label}')}</td>"
            for measure, bins in edges.items()
        )
        rows += f'<tr><th scope="row">{who}{meter}</th>{cells}</tr>\n'
    return (
        f'<div class="scroll charts" tabindex="0" role="region" aria-label="{_("Distributions")}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table></div>\n"
    )


def _histogram(bars: Sequence[Sequence[int]], edges: NDArray[np.int64], label: str) -> str:
    """Return an SVG histogram of two-part bars, the cat's part below, with labels at the minimum, the maximum and 0."""
    width, height = WIDTH - 2 * SIDE, HEIGHT - TOP - BOTTOM
    floor = TOP + height
    scale = height / max(map(sum, bars))
    step = width / len(bars)
    parts = [f'<path class="rule" d="M{SIDE} {floor}h{width}"/>']
    if edges[0] < 0 < edges[-1]:
        at = f"{SIDE + width * -edges[0] / (edges[-1] - edges[0]):.1f}"
        parts.append(
            f'<path class="rule" d="M{at} {TOP}V{floor}"/><text class="tick" x="{at}" y="{floor + 14}">0</text>'
        )
    for n, bar in enumerate(bars):
        low, first, last = float(floor), edges[n], edges[n + 1] - 1
        title = f"{first:,}" if first == last else say("{first} to {last}", first=f"{first:,}", last=f"{last:,}")
        title += f": {', '.join(f'{_(name)} {count}' for name, count in zip(PLAYERS, bar, strict=True))}"
        for player, count in enumerate(bar):
            if count:
                low -= count * scale
                parts.append(
                    f'<rect class="solid p{player}" x="{SIDE + n * step + 0.5:.1f}" y="{low:.1f}" '
                    f'width="{step - 1:.1f}" height="{count * scale:.1f}"><title>{title}</title></rect>'
                )
    for n, anchor, value in ((0, "start", edges[0]), (len(bars), "end", edges[-1] - 1)):
        parts.append(
            f'<text class="tick" style="text-anchor:{anchor}" x="{SIDE + n * step:.1f}" y="{floor + 14}">'
            f"{_brief(int(value))}</text>"
        )
    inside = "".join(parts)
    return f'<svg class="masume" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">{inside}</svg>'


def _brief(number: int) -> str:
    """Return a number in few characters: 12, 3.4k, 1M."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if abs(number) >= size:
            return f"{number / size:.3g}{letter}"
    return str(number)
