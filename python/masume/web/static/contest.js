// A contest: what the hall sees; the organiser's desk is in desk.js.

import { Desk } from "./desk.js";
import { get, listen, make } from "./dom.js";
import { say } from "./draw.js";
import { MatchView } from "./match.js";
import { matchOf, nameOf, overview } from "./tables.js";

/** @type {(main: HTMLElement, isWall: boolean) => Promise<void>} */
export async function open(main, isWall) {
  if (isWall) document.body.classList.add("on-wall");
  main.className = isWall ? "hall" : "contest";
  /** @type {[number | null, boolean, number | null]} the version that is shown; the one that there is */
  let [seen, isBusy, wanted] = [null, false, null];
  const fetchNew = async () => {
    if (isBusy || wanted === seen) return;
    isBusy = true;
    try {
      while (wanted !== seen) {
        const version = wanted;
        page.show(await get("/api/contest"));
        seen = version;
      }
    } catch (error) {
      if (error.status !== 0) throw error; // without an answer the stream is lost, too: it is asked for again then
    } finally {
      isBusy = false;
    }
  };
  const refresh = async () => {
    seen = null;
    await fetchNew();
  };
  const page = isWall ? new Hall(main) : new Desk(main, refresh);
  page.show(await get("/api/contest"));
  listen(
    () => "/api/events",
    {
      lobby: ({ matches, wall }) => {
        page.matches = matches;
        wanted = wall.contest ?? 0;
        fetchNew();
        page.follow();
      },
    },
    (state) => {
      if (state === "open") seen = null;
      page.onState(state);
    },
  );
}

// -- the hall -------------------------------------------------------------------------------------------

// how much room a name needs, in letters: wide ones count twice
/** @type {(name: string) => "" | "long" | "longer"} */
function lengthOf(name) {
  const width = [...name].reduce((sum, letter) => sum + (letter > "\u2e7f" ? 2 : 1), 0);
  return width > 28 ? "longer" : width > 14 ? "long" : "";
}

/** @type {(matches: Wire.Listed[]) => Wire.Listed | undefined} */
const newest = (matches) => matches.toSorted((one, other) => other.at - one.at)[0];

class Hall {
  /** @type {Wire.Contest | null} */
  contest = null;
  /** @type {Wire.Listed[]} of the page */
  matches = [];
  /** @type {MatchView | null} of the game that is played */
  view = null;

  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
  }

  onState() {}

  /** @type {(contest: Wire.Contest) => void} */
  show(contest) {
    this.contest = contest;
    const match = matchOf(contest, contest.match);
    if (this.#showsBoard() && (match || this.matches.length)) {
      this.follow();
      return;
    }
    this.view?.end();
    this.view = null;
    /** @type {Record<string, () => (HTMLElement | string)[]>} */
    const chosen = {
      table: () => this.table(),
      next: () => this.next(),
      text: () => [this.head(""), make("p.hall-text", contest.screen.text), ""],
    };
    /** @type {Record<string, () => (HTMLElement | string)[]>} */
    const parts = { pairing: () => this.pairing(match), result: () => this.result(match), over: () => this.podium() };
    this.main.replaceChildren(...(chosen[contest.screen.screen] ?? parts[contest.phase] ?? (() => this.table()))());
  }

  #showsBoard() {
    const { phase, screen } = this.contest;
    return screen.screen === "board" || (screen.screen === "follow" && phase === "game");
  }

  // the board of the game that is played, or was played last
  async follow() {
    const { contest } = this;
    if (!contest || !this.#showsBoard()) return;
    const match = matchOf(contest, contest.match);
    const running =
      this.matches.find((one) => ["running", "paused", "ready"].includes(one.phase)) ??
      this.matches.find((one) => one.id === this.view?.id) ??
      (contest.screen.screen === "board" ? newest(this.matches) : undefined);
    if (!running || running.id === this.view?.id) return;
    this.view?.end();
    if (!running.open) {
      this.view = null;
      this.main.replaceChildren(...(match ? this.pairing(match) : this.table()));
      return;
    }
    const holder = make("div");
    // left and right stay with the team, whichever side it plays
    const swapped = running.names.length === 2 && match && running.names[0] !== match.names[0];
    this.main.replaceChildren(make("div", { class: swapped ? "swapped" : "" }, holder));
    this.view = new MatchView(holder, running.id, true);
    await this.view.begin();
  }

  /** @type {(text: string) => HTMLElement} */
  head(text) {
    return make("header.hall-head", make("h1", this.contest.title), make("p", text));
  }

  table() {
    const { contest } = this;
    const stage = contest.stages.at(-1);
    const next = matchOf(contest, contest.step.match);
    const last = matchOf(contest, contest.last);
    return [
      this.head(stage?.title ?? say("{count} entries", { count: contest.entries.length })),
      stage
        ? overview(stage, contest, true)
        : make("ol.entries", ...contest.entries.map((one) => make("li", { "data-absent": one.is_absent }, one.name))),
      make(
        "div.hall-foot",
        last?.result ? make("p.hall-last", make("span.soft", say("Result")), ` ${last.title}: ${last.result}`) : "",
        next
          ? make(
              "p.hall-next",
              make("span.soft", say("Next match")),
              ` ${next.title}: `,
              make("strong", next.names.join(" – ")),
            )
          : "",
      ),
    ];
  }

  next() {
    const { contest } = this;
    const waiting = contest.stages.flatMap((stage) => stage.matches.filter((match) => match.state === "known"));
    return [
      this.head(say("Next matches")),
      make(
        "ol.hall-pairings",
        ...waiting
          .slice(0, 6)
          .map((match) => make("li", make("span.soft", match.title), make("strong.name", match.names.join(" – ")))),
      ),
      waiting.length ? "" : make("p.hall-next", say("No match is known yet")),
    ];
  }

  /** @type {(match: Wire.Pairing) => (HTMLElement | string)[]} */
  pairing(match) {
    const { contest } = this;
    /** @type {(k: number) => HTMLElement} */
    const side = (k) =>
      make("div", { class: `versus p${k}`, "data-long": lengthOf(match.names[k]) }, make("span.name", match.names[k]));
    return [
      this.head(match.title),
      make("div.versus-row", side(0), make("span.soft", "–"), ...match.names.slice(1).map((_name, k) => side(k + 1))),
      make(
        "div.hall-facts",
        contest.map ? make("p", say("Map"), " ", make("strong", contest.map)) : "",
        ...contest.orders
          .slice(0, 6)
          .map((order, k) =>
            make(
              "p",
              say("Game {number}", { number: k + 1 }),
              ": ",
              make("strong", order.map((entry) => nameOf(contest, entry)).join(" – ")),
            ),
          ),
      ),
    ];
  }

  /** @type {(match: Wire.Pairing) => (HTMLElement | string)[]} */
  result(match) {
    const { contest } = this;
    const won = match.entries.indexOf(match.leader);
    return [
      this.head(match.title),
      make(
        "div.versus-row",
        ...match.names.map((name, k) =>
          make(
            "div.versus",
            { "data-won": k === won, "data-lost": won >= 0 && k !== won, "data-long": lengthOf(name) },
            make("span.name", name),
            make("span.figure", String(match.totals[k])),
            make(
              "span.soft",
              Object.entries(match.parts[k])
                .map(([part, value]) => `${part} ${value}`)
                .join(", "),
            ),
          ),
        ),
      ),
      make(
        "div.hall-facts",
        ...match.games.map((game, k) =>
          make(
            "p",
            { "data-fault": game.faults.length > 0 },
            say("Game {number}", { number: k + 1 }),
            ": ",
            make("strong", game.first.length === 1 ? nameOf(contest, game.first[0]) : say("draw")),
            game.why ? ` (${game.why})` : "",
            ...game.faults.slice(0, 2).map(([who, cause]) => make("span.fault", ` ${nameOf(contest, who)}: ${cause}`)),
          ),
        ),
      ),
      contest.step.kind === "decide"
        ? make("p.hall-next", say("A tie: the organiser decides"))
        : won < 0 && match.kind !== "qualifier"
          ? make("p.hall-next", say("draw"))
          : "",
    ];
  }

  podium() {
    const stage = this.contest.stages.at(-1);
    const rows = stage.rows.filter((row) => row.place <= 3);
    return [
      this.head(say("Final standings")),
      make(
        "ol.podium",
        ...rows.map((row) =>
          make("li", { "data-place": row.place }, make("span.place", String(row.place)), make("span.name", row.name)),
        ),
      ),
      overview(stage, this.contest, true),
    ];
  }
}
