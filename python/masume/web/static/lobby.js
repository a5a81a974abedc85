// The lobby: matches that are played, what to play, finished games.

import { drawn, get, listen, make, phases, play, seatsOf, tell, title, titleOf } from "./dom.js";
import { data, say, signed, swatch } from "./draw.js";
import { Film } from "./film.js";
import { Stage } from "./stage.js";

const THUMBS = 6; // live boards that are followed
const EVERY_MS = 1500;

/** @type {(main: HTMLElement) => Promise<void>} */
export async function open(main) {
  const [live, recorded] = [make("div.cards"), make("div.cards")];
  const part = make("p.soft.shown", { hidden: true });
  const [watch, old] = [
    make("section", { id: "watch", "aria-label": say("Watch") }, make("h2", say("Live")), live),
    make("section", { id: "recorded" }, make("h2", say("Recorded")), part, recorded),
  ];
  const offers = data.games.map((game) =>
    make(
      "div.choice",
      make(
        "a.offer",
        { href: `/play/${game}` },
        make("strong", titleOf(game)),
        make("span.soft", say("{players} players", { players: data.invites[game].players })),
        make("span.arrow", { "aria-hidden": "true" }, "›"),
        make("span.about", data.invites[game].about),
      ),
      make(
        "button.primary.begin",
        { "aria-label": `${say("Play now")}: ${titleOf(game)}`, click: (event) => begin(game, event.target) },
        say("Play now"),
      ),
      data.menus.includes(game)
        ? make("a", { href: `/learn/${game}` }, say("Stages and boards"), make("span.hidden", `: ${titleOf(game)}`))
        : null,
      data.makers.includes(game)
        ? make("a", { href: `/make/${game}` }, say("Make one"), make("span.hidden", `: ${titleOf(game)}`))
        : null,
    ),
  );
  const offered = make("section", { id: "play" }, make("h2", say("Play a game")), make("div.offers", ...offers));
  main.className = "lobby";
  main.replaceChildren(watch, offered, old);
  if (data.contest) main.before(await contestLine());
  /** @type {Map<string, Card>} */
  const cards = new Map();
  listen(() => "/api/events", {
    lobby: (/** @type {Wire.Lobby} */ { matches, all, aside }) => {
      part.hidden = all === matches.length;
      part.textContent = say("{shown} of {all} games shown", { shown: matches.length, all });
      for (const [id, card] of cards)
        if (!matches.some((match) => match.id === id)) card.element.remove(), cards.delete(id);
      for (const match of matches) {
        if (!cards.has(match.id)) cards.set(match.id, new Card(match.id));
        cards.get(match.id).update(match);
      }
      /** @type {(over: boolean) => HTMLElement[]} */
      const of = (over) =>
        matches
          .filter((match) => ["over", "broken"].includes(match.phase) === over)
          .map((match) => cards.get(match.id).element);
      live.replaceChildren(...of(false), ...aside.map(resting));
      recorded.replaceChildren(...of(true));
      watch.hidden = !live.children.length;
      old.hidden = !recorded.children.length;
      [...cards.values()].slice(0, THUMBS).forEach((card) => card.look());
    },
  });
  setInterval(() => [...cards.values()].slice(0, 3 * THUMBS).forEach((card) => card.look()), EVERY_MS);
}

// a contest that is held here
/** @type {() => Promise<HTMLElement>} */
async function contestLine() {
  const { title } = await get("/api/contest");
  return make(
    "aside.contest-line",
    { "aria-label": say("Contest") },
    say("A contest is held here:"),
    " ",
    make("a", { href: "/contest" }, title),
    " ",
    make("a", { href: "/wall" }, say("Wall")),
  );
}

/** @type {(match: Wire.Lobby["aside"][number]) => HTMLElement} */
const resting = ({ id, game, names }) =>
  make(
    "a.card.match-card",
    { href: `/m/${id}`, "data-mine": "true" },
    make(
      "div.words",
      make("div.row", make("strong", titleOf(game)), make("span.phase", say("Set aside"))),
      make("div.line", names.join(" – ")),
      make("div.soft", say("It goes on when you open it")),
    ),
  );

// begin a game at its first level, at once
/** @type {(game: string, button: HTMLButtonElement) => Promise<void>} */
async function begin(game, button) {
  const { players, level } = data.invites[game];
  button.disabled = true;
  try {
    await play({ game, seats: seatsOf(players, 0, level), start: "", variant: "", clock: "none", name: "" });
  } catch (error) {
    button.disabled = false;
    tell(error.message);
  }
}

class Card {
  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.stage = new Stage();
    this.head = make("strong");
    this.phase = make("span.phase");
    this.line = make("div.line");
    this.result = make("div.soft");
    this.picture = make("div.thumb", { "aria-hidden": "true" }, this.stage.svg);
    this.element = make(
      "a.card.match-card",
      { href: `/m/${id}` },
      this.picture,
      make("div.words", make("div.row", this.head, this.phase), this.line, this.result),
    );
    this.seen = ""; // the match when it was drawn last
    this.isBusy = false;
    /** @type {Wire.Match} */
    this.match = null;
  }

  /** @type {(match: Wire.Match) => void} */
  update(match) {
    this.match = match;
    this.head.textContent = title(match);
    this.phase.textContent = phases()[match.phase];
    this.phase.dataset.phase = match.phase;
    this.line.textContent = match.names.join(" – ");
    this.element.dataset.mine = String(match.mine.length > 0);
    const won = match.winners.map((player) => match.names[player]);
    this.result.textContent =
      match.phase === "over"
        ? (won.length ? say("{names} wins", { names: won.join(", ") }) : say("draw")) +
          (match.why ? `: ${match.why}` : "")
        : match.mine.length
          ? say("You play here")
          : "";
  }

  async look() {
    const { match } = this;
    const stamp = `${match.phase} ${match.plies}`;
    if (stamp === this.seen || this.isBusy || document.hidden) return;
    this.isBusy = true;
    try {
      const found = await get(`/api/m/${this.id}`);
      this.seen = stamp;
      if (found.hidden) {
        this.picture.replaceChildren(make("p.soft", say("Shown when it is over")));
        return;
      }
      const film = new Film(found.scene, () => "");
      film.add(found.frame);
      this.stage.set(found.scene);
      const frame = film.frames[found.frame.n];
      this.stage.show(frame);
      this.picture.replaceChildren(this.stage.svg);
      const totals = frame.scores.map(([score]) => (score === null ? "" : ` ${signed(score)}`));
      this.line.replaceChildren(
        ...match.names.flatMap((name, player) => [
          make("span.who", drawn(swatch(["", "solid", player, "", ""])), `${name}${totals[player]}`),
        ]),
      );
    } finally {
      this.isBusy = false;
    }
  }
}
