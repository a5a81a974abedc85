"""A contest in words and tables: for the terminal, for pages and for files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from ..core.language import say
from ..core.language import translate as _
from ..pairings.brackets import Bracket
from ..pairings.groups import Groups
from ..pairings.qualifiers import Qualifier
from ..pairings.swiss import Swiss
from ..pairings.tables import BOT, NOBODY, Fixture, MatchResult
from . import steps
from .events import CountedGame
from .runner import name_of
from .state import LOT, Stage, State

STAGES = {
    "bracket": "bracket", "league": "league", "groups": "groups", "qualifier": "qualifier", "swiss": "Swiss rounds",
}  # fmt: skip
ROUNDS = {1: "final", 2: "semi-final", 4: "quarter-final"}
PARTS = {"items": "items", "blow": "blow", "sweep": "sweep", "turns": "turns", "score": "score"}


def number(value: float) -> str:
    """Return a number of points as people write it."""
    return f"{value:g}"


def title_of(stage: Stage, match: Fixture) -> str:
    """Return what a match is: group A, round 2; semi-final; third place."""
    if match.kind == "group":
        return say("group {group}, round {round}", group=match.group, round=match.round + 1)
    if match.kind == "qualifier":
        return _("qualifier")
    if match.kind == "third":
        return _("third place")
    if match.kind == "grand final":
        return _("final") if match.id == "final" else _("second final")
    if match.kind == "losers":
        return say("losers, round {round}", round=match.round)
    if isinstance(stage.form, Bracket):
        if stage.form.is_double:
            return say("winners, round {round}", round=match.round // 2 + 1)
        left = stage.form.size >> (match.round + 1)
        return _(ROUNDS[left]) if left in ROUNDS else say("round of {number}", number=2 * left)
    return say("round {round}", round=match.round + 1)


def names_of(state: State, match: Fixture) -> list[str]:
    """Return the names of the entries of a match; ? for one that is not known."""
    return [name_of(state, entry) if entry != NOBODY else "?" for entry in match.entries]


def pairing(state: State, stage: Stage, match: Fixture) -> str:
    """Return a match as one line: its title, who plays, and its id."""
    return f"{title_of(stage, match)}: {' – '.join(names_of(state, match))} ({match.id})"


WALKOVER, OUT, DRAWN, DECIDED = "walkover", "both out", "draw", "decided"
"""How a match was decided otherwise than by its games, to be translated; with LOT."""


def how(state: State, match: Fixture, result: MatchResult | None) -> str:
    """Return WALKOVER, OUT, DRAWN, LOT or DECIDED; "" if the games have decided a match, or nothing has yet."""
    confirmed = state.confirmed.get(match.id)
    if result is None or match.kind == "qualifier":
        return ""
    if confirmed is None:
        return WALKOVER
    if confirmed.winner is None:
        return DRAWN if result.winner == NOBODY else ""
    if confirmed.winner == NOBODY:
        return OUT
    return LOT if confirmed.why == LOT else DECIDED


def outcome(state: State, match: Fixture, result: MatchResult | None) -> str:
    """Return the result of a match as one line; "" if there is none. result : in its stage, None if it has none."""
    summed = state.sum_of(match)
    kind = how(state, match, result)
    if kind == WALKOVER and result is not None:
        absent = ", ".join(name_of(state, entry) for entry in match.entries if entry in state.absent)
        if result.winner == NOBODY:
            return say("nobody wins ({names} absent)", names=absent)
        return say("{name} wins by walkover ({names} absent)", name=name_of(state, result.winner), names=absent)
    if summed is None and result is None:
        return ""
    why = state.confirmed[match.id].why if kind in (LOT, OUT, DECIDED) else ""
    added = f" ({_(why)})" if why else ""
    name = _(OUT if kind == OUT else DRAWN)
    winner = summed.winner if result is None and summed is not None else NOBODY if result is None else result.winner
    if winner != NOBODY:
        name = name_of(state, winner)
    if summed is None:
        return name + added
    games = "-".join(map(number, summed.won))
    points = "-".join(map(number, summed.totals))
    if match.kind == "qualifier":
        return say("{points} points", points=number(summed.totals[0]))
    said = say("{games} games, {points} points", games=games, points=points)
    return f"{name}: {said}" + added + ("" if result else _(", not confirmed"))


def step_line(state: State, is_typed: bool = True) -> str:
    """Return what the organiser does next, as one sentence: with the words to type, or for a page with buttons."""
    stage, step = state.stage, state.step()

    def pairing_of(match: Fixture) -> str:
        assert stage is not None
        return pairing(state, stage, match)

    def numbered(entries: tuple[int, ...]) -> str:
        return ", ".join(f"{entry} {name_of(state, entry)}" for entry in entries)

    match step:
        case steps.DrawStage():
            name = _(STAGES[state.plan.stages[len(state.stages)]])
            return say("next: draw the {stage} with {number} entries", stage=name, number=len(step.entries))
        case steps.ChooseAdvancing():
            said = (
                _("{names} are tied for the last {number} places: type `advance` and the numbers of those who advance")
                if is_typed
                else _("{names} are tied for the last {number} places: choose who advances")
            )
            return said.format(names=numbered(step.tied), number=step.places - len(step.sure))
        case steps.PlayMatch():
            return say("next: play {match}", match=pairing_of(step.match))
        case steps.FillIn():
            said = (
                _("{names}: no program yet: `hand NUMBER PROGRAM`, or `absent NUMBER`")
                if is_typed
                else _("{names}: no program yet: hand it in, or mark the entry as absent")
            )
            return said.format(names=numbered(step.missing))
        case steps.ConfirmResult():
            assert stage is not None
            result = outcome(state, step.match, None)
            return say("next: confirm {match}: {result}", match=pairing_of(step.match), result=result)
        case steps.DecideTie():
            said = (
                _("{match} is tied: `replay`, `decide NUMBER REASON`, `decide lot`, or `decide out REASON`")
                if is_typed
                else _("{match} is tied: play it again, draw a lot, or decide it")
            )
            return said.format(match=pairing_of(step.match))
        case steps.Over():
            return _("the contest is over")
        case _:
            assert_never(step)


def places(state: State) -> list[tuple[str, list[int | None]]]:
    """Return the places of the stage that is drawn next: a title, and numbers of entries in the order of their seeds.

    They are those of each group, or of each match of the first round (None: a bye), or of all entries in one.
    """
    step = state.step()
    if not isinstance(step, steps.DrawStage) or len(step.entries) < state.seats:
        return []
    name, at = state.plan.stages[len(state.stages)], {entry: k for k, entry in enumerate(step.entries)}
    form = state.plan.make(name, step.entries)
    if isinstance(form, Groups):
        return [
            (say("Group {group}", group=league.group), [at[entry] for entry in league.entries])
            for league in form.leagues
        ]
    if not isinstance(form, Bracket | Swiss):
        return [(_("order"), list(range(len(at))))]
    found: list[tuple[str, list[int | None]]] = []
    if isinstance(form, Bracket):
        line_ups = list(zip(form.places[::2], form.places[1::2], strict=True))
    else:
        line_ups = [(one.entries[0], one.entries[1]) for one in form.matches({})]
    for k, line_up in enumerate(line_ups, 1):
        found.append((say("Match {number}", number=k), [at.get(entry) for entry in line_up]))
    met = {place for _title, row in found for place in row}
    rest = [place for place in at.values() if place not in met]
    return found + ([(_("bye"), list(rest))] if rest else [])


def why_not_late(state: State) -> str:
    """Return why no entry can be added now; "" if one can."""
    if state.takes_entries:
        return ""
    return _("the bracket is drawn: a team that comes now can only take the place of an absent entry")


HEADS = {
    "place": "#", "number": "no.", "name": "name", "points": "points", "won": "won", "drawn": "drawn", "lost": "lost",
    "total": "total points", "group": "group",
}  # fmt: skip


def table_rows(state: State, stage: Stage) -> list[dict[str, Any]]:
    """Return the table of a stage: a row for each entry."""
    rows = []
    for row in state.standings(stage):
        found: dict[str, Any] = {"group": row.group} if row.group else {}
        found |= {"place": row.place, "number": row.entry, "name": name_of(state, row.entry)}
        if not isinstance(stage.form, Bracket | Qualifier):
            found |= {"points": number(row.points)}
        if not isinstance(stage.form, Qualifier):
            found |= {"won": row.won, "drawn": row.drawn, "lost": row.lost}
        if isinstance(stage.form, Qualifier):
            result = state.results(stage).get(f"Q:{row.entry}")
            found |= {name: number(result.part(row.entry, name) if result else 0) for name in stage.form.order}
        found["total"] = number(row.total)
        rows.append(found)
    return rows


def match_rows(state: State, stage: Stage) -> list[dict[str, Any]]:
    """Return the matches of a stage with their results."""
    results = state.results(stage)
    return [
        {"match": match.id, "title": title_of(stage, match), "names": " – ".join(names_of(state, match)),
         "result": outcome(state, match, results.get(match.id))}
        for match in state.matches(stage)
    ]  # fmt: skip


def to_dict(state: State) -> dict[str, Any]:
    """Return the contest as plain JSON types, in the current language: what pages and `--json` show."""
    stages = []
    for stage in state.stages:
        results = state.results(stage)
        matches = []
        for match in state.matches(stage):
            result, summed = results.get(match.id), state.sum_of(match)
            matches.append({
                "id": match.id, "round": match.round, "kind": match.kind, "group": match.group,
                "title": title_of(stage, match), "entries": list(match.entries), "names": names_of(state, match),
                "winner": None if result is None else result.winner,
                "won": None if summed is None else list(summed.won),
                "totals": None if summed is None else list(summed.totals),
                "parts": [] if summed is None else [_parts(part) for part in summed.parts],
                "state": "confirmed" if result else "played" if summed else "known" if match.is_known else "open",
                "result": outcome(state, match, result), "how": how(state, match, result),
                "note": _(how(state, match, result)), "leader": None if summed is None else summed.winner,
                "games": [_game(game) for game in state.played[match.id][-1].games] if summed else [],
            })  # fmt: skip
        rows = table_rows(state, stage)
        stages.append({
            "name": stage.name, "title": _(STAGES[stage.name]), "rows": rows, "matches": matches,
            "heads": {name: _(HEADS.get(name, PARTS.get(name, name))) for name in (rows[0] if rows else ())},
        })  # fmt: skip
    return {
        "title": state.plan.title, "game": state.plan.data["game"], "format": state.plan.format,
        "step": steps.to_dict(state.step()) | {"text": step_line(state)},
        "entries": [
            {"number": entry.number, "name": entry.name, "is_absent": entry.number in state.absent,
             "has_program": bool(entry.play)}
            for entry in state.entries.values()
        ],
        "lots": {
            "sealed": state.plan.sealed, "secret": state.plan.secret if state.is_over else None,
            "text": lots_line(state),
        },
        "stages": stages, "last": state.last, "bot": name_of(state, BOT) if "qualifier" in state.plan.stages else None,
    }  # fmt: skip


def lots_line(state: State) -> str:
    """Return a line with the SHA-256 of sealed lots and, after the contest, the secret; "" without sealed lots."""
    sealed, secret = state.plan.sealed, state.plan.secret
    if sealed is None or secret is None:
        return ""
    if state.is_over:
        return say("lots: drawn from {secret}, whose SHA-256 was told before: {sealed}", secret=secret, sealed=sealed)
    return say("lots: sealed, SHA-256 {sealed}", sealed=sealed)


def _parts(parts: Mapping[str, float]) -> dict[str, float]:
    return {_(PARTS.get(name, name)): value for name, value in parts.items()}


def _game(game: CountedGame) -> dict[str, Any]:
    """Return a game for people: who, what they got, why it ended, and faults."""
    why = game.reason or ""
    return {
        "seats": game.seats, "points": [sum(parts.values()) for parts in game.parts],
        "parts": [_parts(parts) for parts in game.parts], "why": _(why).replace("_", " ") if why else "",
        "first": game.first,
        "faults": [[who, _(cause), detail, ply, log] for who, cause, detail, ply, log in game.faults],
    }  # fmt: skip
