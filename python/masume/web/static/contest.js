// A contest: what the hall sees, and the organiser's desk.

import { get, listen, make, post, tell } from "./dom.js";
import { data, say } from "./draw.js";
import { MatchView } from "./match.js";

/** @type {(main: HTMLElement, isWall: boolean) => Promise<void>} */
export async function open(main, isWall) {
  if (isWall) document.body.classList.add("on-wall");
  main.className = isWall ? "hall" : "contest";
  const page = isWall ? new Hall(main) : new Desk(main);
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
    } finally {
      isBusy = false;
    }
  };
  listen(() => "/api/events", {
    lobby: ({ matches, wall }) => {
      page.matches = matches;
      wanted = wall.contest ?? 0;
      fetchNew();
      page.follow();
    },
  });
}

/** @type {(contest: Wire.Contest, entry: number) => string} */
const nameOf = (contest, entry) => contest.entries.find((one) => one.number === entry)?.name ?? contest.bot ?? "?";
/** @type {(contest: Wire.Contest, id: string | null | undefined) => Wire.Pairing | undefined} */
const matchOf = (contest, id) => contest.stages.flatMap((stage) => stage.matches).find((match) => match.id === id);

// -- tables and brackets --------------------------------------------------------------------------------

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
  );
}

/** @type {(stage: Wire.Stage) => boolean} */
const isBracket = (stage) => stage.name === "bracket";
/** @type {(stage: Wire.Stage, contest: Wire.Contest, isWall?: boolean) => HTMLElement} */
const overview = (stage, contest, isWall = false) =>
  isBracket(stage) ? bracket(stage, contest) : standings(stage, contest, isWall);

// -- the hall -------------------------------------------------------------------------------------------

class Hall {
  /** @type {Wire.Contest | null} */
  contest = null;
  /** @type {Wire.Match[]} of the page */
  matches = [];
  /** @type {MatchView | null} of the game that is played */
  view = null;

  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
  }

  /** @type {(contest: Wire.Contest) => void} */
  show(contest) {
    this.contest = contest;
    const match = matchOf(contest, contest.match);
    if (contest.phase === "game" && match) {
      this.follow();
      return;
    }
    this.view?.end();
    this.view = null;
    /** @type {Record<string, () => (HTMLElement | string)[]>} */
    const parts = { pairing: () => this.pairing(match), result: () => this.result(match), over: () => this.podium() };
    this.main.replaceChildren(...(parts[contest.phase] ?? (() => this.table()))());
  }

  // the board of the game that is played
  async follow() {
    const { contest } = this;
    if (contest?.phase !== "game") return;
    const match = matchOf(contest, contest.match);
    const running =
      this.matches.find((one) => ["running", "paused", "ready"].includes(one.phase)) ??
      this.matches.find((one) => one.id === this.view?.id);
    if (!running || running.id === this.view?.id) return;
    this.view?.end();
    const holder = make("div");
    // left and right stay with the team, whichever side it plays
    const swapped = running.names.length === 2 && running.names[0] !== match.names[0];
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
    return [
      this.head(stage?.title ?? say("{count} entries", { count: contest.entries.length })),
      stage
        ? overview(stage, contest, true)
        : make("ol.entries", ...contest.entries.map((one) => make("li", { "data-absent": one.is_absent }, one.name))),
      next
        ? make(
            "p.hall-next",
            make("span.soft", say("Next match")),
            ` ${next.title}: `,
            make("strong", next.names.join(" – ")),
          )
        : "",
    ];
  }

  /** @type {(match: Wire.Pairing) => (HTMLElement | string)[]} */
  pairing(match) {
    const { contest } = this;
    /** @type {(k: number) => HTMLElement} */
    const side = (k) => make("div", { class: `versus p${k}` }, make("span.name", match.names[k]));
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
    const best = Math.max(...match.won);
    const isTie = match.won.filter((won) => won === best).length > 1 && new Set(match.totals).size === 1;
    const winner = isTie
      ? -1
      : match.entries.findIndex(
          (_entry, k) => match.won[k] === best && match.won.filter((won) => won === best).length === 1,
        );
    const won = winner >= 0 ? winner : isTie ? -1 : match.totals.indexOf(Math.max(...match.totals));
    return [
      this.head(match.title),
      make(
        "div.versus-row",
        ...match.names.map((name, k) =>
          make(
            "div.versus",
            { "data-won": k === won, "data-lost": won >= 0 && k !== won },
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
            ...game.faults
              .slice(0, 2)
              .map(([who, cause, detail]) => make("span.fault", ` ${nameOf(contest, who)}: ${cause}: ${detail}`)),
          ),
        ),
      ),
      contest.step.kind === "decide" ? make("p.hall-next", say("A tie: the organiser decides")) : "",
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

// -- the organiser --------------------------------------------------------------------------------------

class Desk {
  /** @type {Wire.Contest | null} */
  contest = null;
  /** @type {Wire.Match[]} of the page */
  matches = [];

  /** @param {HTMLElement} main */
  constructor(main) {
    this.main = main;
    this.bar = make("section.card.desk");
    this.body = make("div.contest-body");
    this.people = make("section.card");
    main.replaceChildren(this.bar, this.body, this.people);
  }

  // the desk shows no board
  follow() {}

  /** @type {(line: string) => Promise<void>} */
  async ask(line) {
    try {
      await post("/api/contest/do", { line });
    } catch (error) {
      tell(error.message);
      this.bar.querySelector(".trouble").textContent = error.message;
    }
  }

  /** @type {(word: string, line: string, kind?: string) => HTMLButtonElement} */
  button(word, line, kind = "") {
    return make("button", { class: kind, click: () => this.ask(line) }, word);
  }

  /** @type {(contest: Wire.Contest) => void} */
  show(contest) {
    this.contest = contest;
    document.title = contest.title;
    if (data.isHost) this.#desk();
    else
      this.bar.replaceChildren(
        make("h1", contest.title),
        make("p", make("a", { href: "/wall" }, say("Wall"))),
        make("p.step", contest.step.kind === "over" ? say("Final standings") : ""),
      );
    this.body.replaceChildren(
      ...contest.stages
        .toReversed()
        .map((stage) => make("section.card", make("h2", stage.title), overview(stage, contest), this.#results(stage))),
    );
    this.#people();
  }

  #desk() {
    const { contest } = this;
    const { step } = contest;
    /** @type {Record<string, string>} */
    const words = {
      draw: say("Draw"),
      play: contest.phase === "pairing" ? say("Start") : say("Prepare"),
      confirm: say("Confirm the result"),
    };
    const buttons = [];
    if (contest.phase === "game") buttons.push(this.button(say("Stop the match"), "stop"));
    else if (words[step.kind] && !contest.is_auto) buttons.push(this.button(words[step.kind], "next", "primary"));
    if (step.kind === "decide" && contest.phase !== "game") {
      const match = matchOf(contest, step.match);
      buttons.push(
        this.button(say("Replay on the next map"), "replay", "primary"),
        this.button(say("By lot"), "decide lot"),
        ...match.entries.map((entry) =>
          this.button(
            say("{name} advances", { name: nameOf(contest, entry) }),
            `decide ${entry} ${say("decision of the organiser")}`,
          ),
        ),
        this.button(say("Both are out"), `decide out ${say("decision of the organiser")}`),
      );
    }
    const choices = step.kind === "choose" ? this.#choices(step) : [];
    if (contest.is_auto) buttons.push(this.button(say("Stop autoplay"), "stop"));
    else if (step.kind !== "over" && contest.phase !== "game") buttons.push(this.button(say("Autoplay"), "auto"));
    if (contest.phase !== "game" && !contest.is_auto) buttons.push(this.button(say("Undo"), "undo"));
    this.bar.replaceChildren(
      make(
        "div.row",
        make("h1", contest.title),
        make("span.grow"),
        make("a", { href: "/wall", target: "_blank" }, say("Wall")),
      ),
      make("p.step", contest.phase === "game" ? say("A match is played") : step.text),
      ...choices,
      make("div.row.buttons", ...buttons),
      make("p.trouble", { role: "alert" }),
      make("ul.news.soft", ...contest.news.map((line) => make("li", line))),
    );
  }

  // who goes on among those tied at the line
  /** @type {(step: Wire.Contest["step"]) => HTMLElement[]} */
  #choices(step) {
    const wanted = step.number - step.sure.length;
    const boxes = step.tied.map((entry) => make("input", { type: "checkbox", value: entry }));
    const go = make(
      "button.primary",
      {
        disabled: true,
        click: () =>
          this.ask(
            `advance ${boxes
              .filter((box) => box.checked)
              .map((box) => box.value)
              .join(" ")}`,
          ),
      },
      say("These advance"),
    );
    const count = () => (go.disabled = boxes.filter((box) => box.checked).length !== wanted);
    return [
      make("p", say("Tied for the last places: choose {count}", { count: wanted })),
      make(
        "div.row.choices",
        ...boxes.map((box, k) => make("label", { change: count }, box, " ", nameOf(this.contest, step.tied[k]))),
        go,
      ),
    ];
  }

  /** @type {(stage: Wire.Stage) => HTMLElement} */
  #results(stage) {
    const { contest } = this;
    const rows = stage.matches
      .filter((match) => match.state !== "open")
      .map((match) =>
        make(
          "tr",
          { "data-last": match.id === contest.last },
          make("td", match.title),
          make("td", match.names.join(" – ")),
          make("td", match.result),
          data.isHost
            ? make(
                "td",
                ["confirmed", "played"].includes(match.state) && match.won
                  ? this.button(say("Undo"), `undo ${match.id}`, "small")
                  : match.state === "known" && contest.phase !== "game"
                    ? this.button(say("Prepare"), `prepare ${match.id}`, "small")
                    : "",
              )
            : null,
        ),
      );
    return make(
      "details",
      { open: !isBracket(stage) && stage.matches.length < 20 },
      make("summary", say("Matches")),
      make("div.scroll", make("table.results", make("tbody", ...rows))),
    );
  }

  #people() {
    const { contest } = this;
    this.people.replaceChildren(
      make("h2", say("Entries")),
      make(
        "ul.people",
        ...contest.entries.map((one) =>
          make(
            "li",
            { "data-absent": one.is_absent },
            make("span.figure", String(one.number)),
            make("span.name", one.name),
            make("span.soft", one.is_absent ? say("absent") : one.has_program ? "" : say("no program yet")),
            data.isHost
              ? this.button(
                  one.is_absent ? say("Is here") : say("Absent"),
                  `${one.is_absent ? "here" : "absent"} ${one.number}`,
                  "small",
                )
              : "",
          ),
        ),
      ),
    );
  }
}
