// The lobby: what to play, own matches, those that are played, and finished games that are worth watching.

import {
  addressOf,
  drawn,
  get,
  listen,
  make,
  phases,
  play,
  playWithFriend,
  post,
  remembered,
  seatsOf,
  title,
  titleOf,
} from "./dom.js";
import { data, say, signed, swatch } from "./draw.js";
import { Film } from "./film.js";
import { progressOf } from "./lessons.js";
import { Loop } from "./loop.js";
import { Stage } from "./stage.js";

const EVERY_MS = 1500; // between two looks at the boards in sight
const BEST = 8; // finished games that are shown at once

/** @type {(main: HTMLElement) => Promise<void>} */
export async function open(main) {
  const holders = [0, 1, 2, 3].map(() => make("div.cards"));
  const [own, live, best, others] = holders;
  const part = make("p.soft.shown", { hidden: true });
  const rest = make("details.rest", make("summary", say("More recorded games")), part, others);
  const sections = [
    make("section", { id: "mine", hidden: true }, make("h2", say("Your matches")), own),
    make("section", { id: "play" }, make("h2", say("Play a game")), make("div.game-cards", ...data.games.map(lay))),
    make("section", { id: "watch", hidden: true, "aria-label": say("Watch") }, make("h2", say("Live")), live),
    make("section", { id: "recorded", hidden: true }, make("h2", say("Worth watching")), best, rest),
  ];
  const [mine, , watch, recorded] = sections;
  main.className = "lobby";
  main.replaceChildren(...sections);
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
      /** @type {(is: (match: Wire.Listed, isOver: boolean) => boolean) => HTMLElement[]} */
      const of = (is) =>
        matches
          .filter((match) => is(match, ["over", "broken"].includes(match.phase)))
          .map((match) => cards.get(match.id).element);
      own.replaceChildren(...of((match, isOver) => !isOver && match.mine.length > 0), ...aside.map(resting));
      live.replaceChildren(...of((match, isOver) => !isOver && !match.mine.length));
      const finished = of((_match, isOver) => isOver);
      const praised = of((match, isOver) => isOver && match.praise.length > 0).slice(0, BEST);
      best.replaceChildren(...praised);
      others.replaceChildren(...finished.filter((element) => !praised.includes(element)));
      mine.hidden = !own.children.length;
      watch.hidden = !live.children.length;
      rest.hidden = !others.children.length;
      rest.toggleAttribute("open", rest.open || !praised.length);
      recorded.hidden = !finished.length;
    },
  });
  setInterval(() => cards.forEach((card) => card.look()), EVERY_MS);
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

// -- what to play ---------------------------------------------------------------------------------------------

// the card of a game: its loop, what it is, and how to begin
/** @type {(game: string) => HTMLElement} */
function lay(game) {
  const name = titleOf(game);
  const { about, players, minutes } = data.invites[game];
  const { done, all } = progressOf(game);
  const error = make("p.error", { role: "alert", hidden: true });
  /** @type {(kind: string, word: string, run: () => Promise<void>) => HTMLElement} */
  const button = (kind, word, run) =>
    make(
      `button.${kind}`,
      {
        "aria-label": `${word}: ${name}`,
        click: async ({ target }) => {
          target.disabled = error.hidden = true;
          try {
            await run();
          } catch (refused) {
            error.textContent = refused.message;
            error.hidden = target.disabled = false;
          }
        },
      },
      word,
    );
  /** @type {(kind: string, word: string) => HTMLElement} */
  const link = (kind, word) =>
    make("li", make("a", { href: `/${kind}/${game}` }, word, make("span.hidden", `: ${name}`)));
  return make(
    "article.card.game",
    { "data-game": game, "aria-label": name },
    new Loop(game).element,
    make("h3", name),
    make("p.about", about),
    make(
      "p.soft.facts-line",
      say("{players} players", { players }),
      " · ",
      minutes === 1 ? say("1 minute") : say("{minutes} minutes", { minutes }),
    ),
    make(
      "div.row.start",
      button("primary.begin", say("Play now"), () => begin(game)),
      all ? make("a.lessons", { href: `/learn/${game}` }, say("Lessons {done} of {all}", { done, all })) : null,
    ),
    make(
      "div.row.ways",
      button("with-friend", say("With a friend"), () => playWithFriend(game)),
      button("watch", say("Watch"), () => watchOne(game)),
    ),
    make(
      "details.more",
      make("summary", say("More"), make("span.hidden", `: ${name}`)),
      make(
        "ul",
        data.menus.includes(game) ? link("learn", say("Stages, boards and today's")) : null,
        link("play", say("Levels, sides and clocks")),
        data.makers.includes(game) ? link("make", say("Make one")) : null,
      ),
    ),
    error,
  );
}

// begin a game on its first board at the first level
/** @type {(game: string) => Promise<void>} */
function begin(game) {
  const { players, level, start, variant, ready } = data.invites[game];
  return play({ game, seats: seatsOf(players, 0, level), start, variant, ready, clock: "none", name: remembered() });
}

// watch the newest match of a game, or one of agents
/** @type {(game: string) => Promise<void>} */
async function watchOne(game) {
  const { id } = await post("/api/watch", { game });
  location.assign(addressOf(`/m/${id}`));
}

// -- matches --------------------------------------------------------------------------------------------------

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

const sights = new IntersectionObserver(
  (seen) => {
    for (const { target, isIntersecting } of seen) {
      const card = Card.of.get(target);
      card.isInSight = isIntersecting;
      card.look();
    }
  },
  { rootMargin: "200px" },
);

class Card {
  /** @type {WeakMap<Element, Card>} */
  static of = new WeakMap();

  /** @param {string} id */
  constructor(id) {
    this.id = id;
    this.stage = new Stage();
    this.head = make("strong");
    this.phase = make("span.phase");
    this.line = make("div.line");
    this.result = make("div.soft");
    this.praise = make("ul.praise");
    this.picture = make("div.thumb", { "aria-hidden": "true" }, this.stage.svg);
    this.element = make(
      "a.card.match-card",
      { href: `/m/${id}` },
      this.picture,
      make("div.words", make("div.row", this.head, this.phase), this.line, this.result, this.praise),
    );
    this.seen = ""; // the match when it was drawn last
    this.isBusy = this.isInSight = false;
    /** @type {Wire.Listed} */
    this.match = null;
    Card.of.set(this.element, this);
    sights.observe(this.element);
  }

  /** @type {(match: Wire.Listed) => void} */
  update(match) {
    this.match = match;
    this.head.textContent = title(match);
    this.phase.textContent = match.phase === "over" ? "" : phases()[match.phase];
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
          : match.open
            ? ""
            : say("Shown when it is over");
    this.picture.hidden = !match.open;
    this.praise.replaceChildren(...match.praise.map((word) => make("li", word)));
  }

  async look() {
    const { match } = this;
    const stamp = `${match?.phase} ${match?.plies}`;
    if (stamp === this.seen || this.isBusy || !match.open || !this.isInSight || document.hidden) return;
    this.isBusy = true;
    try {
      const found = await get(`/api/m/${this.id}`);
      this.seen = stamp;
      if (found.hidden) return;
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
