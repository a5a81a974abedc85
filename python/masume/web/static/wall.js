// The wall: the running match on the full screen, else a good game of the day once more; beside it what comes next.

import { addressOf, listen, make, titleOf } from "./dom.js";
import { data, say } from "./draw.js";
import { MatchView } from "./match.js";

const GOOD = 7; // games among which the day chooses the first
const LOOK_MS = 500; // between two looks at a game that is shown once more
const REST_MS = 12000; // that its end stands
const PASSING_MS = 15000; // that a game is shown of which there is no match
const STILL_MS = 60_000; // without a move: then nobody plays there for the moment
const DAY_MS = 86_400_000;

/** @type {(main: HTMLElement) => Promise<void>} */
export async function open(main) {
  document.body.classList.add("on-wall");
  main.className = "wall-page";
  const beside = make("aside.wall-side");
  const screen = new Screen();
  main.replaceChildren(screen.element, beside);
  listen(() => "/api/events", {
    lobby: async (/** @type {Wire.Lobby} */ { matches, wall }) => {
      const rows = (wall.standings ?? []).map((row) => make("tr", ...row.map((item) => make("td", String(item)))));
      beside.replaceChildren(
        ...(wall.next ? [make("h2", say("Next match")), make("p.next", wall.next.join(" – "))] : []),
        ...(rows.length ? [make("h2", say("Standings")), make("table", make("tbody", ...rows))] : []),
      );
      await screen.choose(matches);
    },
  });
}

class Screen {
  /** @type {MatchView | null} */
  view = null;
  /** @type {Wire.Listed[]} those that are good to see once more, the best first */
  good = [];
  turn = Math.floor(Date.now() / DAY_MS); // chooses among them
  timer = 0;
  rested = 0; // ms that the end stood
  passing = -1; // the game that is shown without a match
  /** @type {Map<string, { plies: number, since: number }>} the last move of each running match, and when it was seen */
  moved = new Map();
  again = 0; // the timer of the next choice
  isBusy = false;

  constructor() {
    this.head = make("p.wall-head", { hidden: true });
    this.holder = make("div");
    this.element = make("div.wall-main", this.head, this.holder);
  }

  // show the running match whose board may be seen; else a good game, unless one is shown
  /** @type {(matches: Wire.Listed[]) => Promise<void>} */
  async choose(matches) {
    const open = matches.filter((match) => match.open);
    this.good = open.filter((match) => match.phase === "over").slice(0, GOOD);
    const live = open.filter((match) => ["running", "paused", "ready"].includes(match.phase));
    this.#note(live);
    clearTimeout(this.again);
    if (live.length) this.again = setTimeout(() => this.choose(matches), STILL_MS / 4);
    const running = live.find((match) => performance.now() - this.moved.get(match.id).since < STILL_MS);
    if (running) return this.#show(running);
    const shown = open.find((match) => match.id === this.view?.id);
    if (shown && this.isAgain) return;
    if (shown && ["over", "broken"].includes(shown.phase)) this.timer ||= setTimeout(() => this.#next(), REST_MS);
    else if (this.good.length || this.passing < 0) await this.#next();
  }

  /** @type {(live: Wire.Listed[]) => void} */
  #note(live) {
    for (const id of this.moved.keys()) if (!live.some((match) => match.id === id)) this.moved.delete(id);
    for (const { id, plies } of live)
      if (this.moved.get(id)?.plies !== plies) this.moved.set(id, { plies, since: performance.now() });
  }

  // nothing runs: a good game, or what can be played
  #next() {
    return this.good.length ? this.#again() : this.#pass();
  }

  get isAgain() {
    return this.element.classList.contains("again");
  }

  /** @type {(match: Wire.Listed, isAgain?: boolean) => Promise<void>} */
  async #show(match, isAgain = false) {
    if (this.isBusy || (this.view?.id === match.id && this.isAgain === isAgain)) return;
    this.isBusy = true;
    try {
      clearTimeout(this.timer);
      this.view?.end();
      [this.passing, this.rested, this.timer] = [-1, 0, 0];
      this.element.classList.toggle("again", isAgain);
      this.head.hidden = !isAgain;
      this.head.replaceChildren(
        make("strong", `${say("A good game of {game}", { game: titleOf(match.game) })}`),
        match.praise.length ? `: ${match.praise.slice(0, 2).join(", ")}` : "",
      );
      this.view = new MatchView(this.holder, match.id, true);
      await this.view.begin();
    } finally {
      this.isBusy = false;
    }
  }

  // show the next good game from its beginning
  async #again() {
    const match = this.good[this.turn++ % this.good.length];
    await this.#show(match, true);
    this.view.parts.speed.value = "2";
    this.#watch();
  }

  // play it once all of it is here, then let its end stand, then take the next one
  #watch() {
    const { view } = this;
    this.timer = setTimeout(() => {
      if (view !== this.view || !this.isAgain) return;
      if (view.film?.isWhole && !view.timer) {
        if (!this.rested) view.play();
        else if (this.rested >= REST_MS) {
          this.#again();
          return;
        }
        this.rested += LOOK_MS;
      }
      this.#watch();
    }, LOOK_MS);
  }

  // there is no match that may be seen: show what can be played here, one game after the other
  async #pass() {
    clearTimeout(this.timer);
    this.view?.end();
    this.view = null;
    this.passing = (this.passing + 1) % data.games.length;
    const game = data.games[this.passing];
    const { Loop } = await import("./loop.js"); // few need it
    if (this.view) return; // meanwhile a match has begun
    this.head.hidden = true;
    this.element.classList.remove("again");
    this.holder.className = "wall-game";
    this.holder.replaceChildren(
      new Loop(game).element,
      make(
        "div",
        make("h1", titleOf(game)),
        make("p", data.invites[game]?.about ?? ""),
        make("p.soft", say("Play it here: {address}", { address: new URL(addressOf("/"), location.href).href })),
      ),
    );
    this.timer = setTimeout(() => this.#next(), PASSING_MS);
  }
}
