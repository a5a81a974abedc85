// Tables and brackets of a contest.

import { make } from "./dom.js";
import { say } from "./draw.js";

/** @type {(contest: Wire.Contest, entry: number) => string} */
export const nameOf = (contest, entry) =>
  contest.entries.find((one) => one.number === entry)?.name ?? contest.bot ?? "?";
/** @type {(contest: Wire.Contest, id: string | null | undefined) => Wire.Pairing | undefined} */
export const matchOf = (contest, id) =>
  contest.stages.flatMap((stage) => stage.matches).find((match) => match.id === id);
/** @type {(stage: Wire.Stage) => boolean} */
export const isBracket = (stage) => stage.name === "bracket";
/** @type {(stage: Wire.Stage, contest: Wire.Contest, isWall?: boolean) => HTMLElement} */
export const overview = (stage, contest, isWall = false) =>
  isBracket(stage) ? bracket(stage, contest) : standings(stage, contest, isWall);

/** @type {(stage: Wire.Stage, contest: Wire.Contest, isWall: boolean) => HTMLElement} */
function standings(stage, contest, isWall) {
  const groups = [...new Set(stage.rows.map((row) => row.group ?? ""))];
  const left = isWall && groups.length > 1 ? ["number", "group", "won", "drawn", "lost"] : ["number", "group"];
  const names = Object.keys(stage.heads).filter((name) => !left.includes(name));
  const last = matchOf(contest, contest.last);
  return make(
    "div.tables",
    ...groups.map((group) =>
      make(
        "table.standings",
        group ? make("caption", say("Group {group}", { group })) : null,
        make(
          "thead",
          make(
            "tr",
            ...names.map((name) =>
              make("th", { class: name === "name" ? "name" : "figure", scope: "col" }, stage.heads[name]),
            ),
          ),
        ),
        make(
          "tbody",
          ...stage.rows
            .filter((row) => (row.group ?? "") === group)
            .map((row) =>
              make(
                "tr",
                { "data-last": last?.entries.includes(row.number) ?? false },
                ...names.map((name) => make("td", { class: name === "name" ? "name" : "figure" }, String(row[name]))),
              ),
            ),
        ),
      ),
    ),
  );
}

/** @type {(stage: Wire.Stage, contest: Wire.Contest) => HTMLElement} */
function bracket(stage, contest) {
  const rounds = [...new Set(stage.matches.map((match) => `${match.round} ${match.kind}`))];
  return make(
    "div.bracket",
    ...rounds.map((key) => {
      const of = stage.matches.filter((match) => `${match.round} ${match.kind}` === key);
      return make(
        "div.round",
        make("h3", of[0].title),
        make("div.games", ...of.map((match) => pairing(match, contest))),
      );
    }),
  );
}

/** @type {(match: Wire.Pairing, contest: Wire.Contest) => HTMLElement} */
function pairing(match, contest) {
  return make(
    "div.pairing",
    {
      "data-last": match.id === contest.last,
      "data-next": match.id === contest.match,
      "data-state": match.state,
    },
    ...match.names.map((name, k) =>
      make(
        "div.side",
        {
          "data-won": match.winner !== null && match.winner === match.entries[k],
          "data-lost": match.winner !== null && match.winner !== match.entries[k],
        },
        make("span.name", name),
        make(
          "span.figure",
          match.won ? (match.kind === "qualifier" ? String(match.totals[k]) : String(match.won[k])) : "",
        ),
      ),
    ),
    match.note ? make("div.note-of", match.note) : null,
  );
}
