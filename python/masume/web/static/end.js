// The card over the last position, for who has played: who won and why, what decided, what to do next.

import { addressOf, copy, get, make, play, tell } from "./dom.js";
import { chart, grouped, say } from "./draw.js";

const MOST = 3; // scores that are shown
const CURVE = 90; // height of the curve

export class End {
  isMade = false;
  /** @type {string[]} the agents of the game, the weakest first, once the game is over */
  levels = [];
  /** @type {Wire.Offer["called"]} */
  called = {};

  /** @param {import("./match.js").MatchView} view */
  constructor(view) {
    this.view = view;
    this.card = make("section.end", { hidden: true, "aria-label": say("The end") });
    this.curve = make("figure.curve", { hidden: true });
  }

  get isOpen() {
    return this.isMade && this.card.isConnected && !this.card.hidden;
  }

  // draw the curve of the scores, unless nothing has changed them
  /** @type {(lines: Wire.Line[]) => void} */
  plot(lines) {
    this.curve.hidden = !lines.some(({ points }) => points.some(([, score]) => score !== points[0][1]));
    if (!this.curve.hidden) this.curve.replaceChildren(chart(lines, say("Score"), CURVE, true).svg);
  }

  // what a player may begin after the end
  /** @type {() => HTMLElement[]} */
  next() {
    const { recipe, lesson, next } = this.view.match;
    if (next) return this.view.friend ? [this.view.friend.next] : [];
    if (!recipe || lesson) return [];
    const { seats } = recipe;
    const items = [make("button.primary.large", { click: () => play(recipe) }, say("Rematch"))];
    /** @type {(word: string, others: string[]) => void} */
    const add = (word, others) =>
      void items.push(make("button", { click: () => play({ ...recipe, seats: others }) }, word));
    if (seats.includes("me")) add(say("Swap sides"), [...seats.slice(1), seats[0]]);
    const level = Math.max(...seats.map((seat) => this.levels.indexOf(seat)));
    const above = this.levels[level + 1];
    if (level >= 0 && above)
      add(
        say("Next level: {name}", { name: this.called[above][0] }),
        seats.map((seat) => (this.levels.includes(seat) ? above : seat)),
      );
    return items;
  }

  async show() {
    const { view, card } = this;
    const { match, film } = view;
    const isShown =
      match.phase === "over" && !match.lesson && match.mine.length > 0 && film && view.at === film.count - 1;
    const wasOpen = this.isOpen;
    card.hidden = !isShown || view.isWall;
    if (wasOpen !== this.isOpen) view.host();
    if (card.hidden || this.isMade || !view.frame) return;
    this.isMade = true;
    ({ levels: this.levels, called: this.called } = await get(`/api/offer/${match.game}`));
    card.replaceChildren(
      make("button.close", { "aria-label": say("Close"), click: () => this.#close() }, "×"),
      make("strong", view.outcome()),
      match.why ? make("p", match.why) : "",
      make(
        "table",
        make("tr", make("td"), ...match.names.map((name) => make("th", { scope: "col" }, name))),
        ...film.game.scores
          .slice(0, MOST)
          .map((name, n) =>
            make("tr", make("th", { scope: "row" }, name), ...match.scores.map((one) => make("td", grouped(one[n])))),
          ),
      ),
      this.curve,
      make("div.row", ...this.next(), ...this.#share()),
    );
    view.host();
  }

  #close() {
    this.card.remove();
    this.view.host();
    this.view.board.focus();
  }

  // the address of the game, and its picture
  #share() {
    const link = new URL(addressOf(`/m/${this.view.match.id}`), location.href).href;
    const share = async () => {
      try {
        if (navigator.share) await navigator.share({ title: document.title, url: link });
        else {
          tell(
            (await copy(link))
              ? say("The link is copied")
              : say("This browser does not let a page copy: select the text"),
          );
        }
      } catch (error) {
        if (error.name !== "AbortError") tell(error.message);
      }
    };
    return [
      make("button", { click: share }, navigator.share ? say("Share") : say("Copy the link")),
      make("a.button", { href: `/m/${this.view.match.id}/picture.png`, download: "" }, say("Picture")),
    ];
  }
}
