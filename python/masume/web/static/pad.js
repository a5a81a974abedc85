// Directions by keys and by touch: a D-pad for the chosen piece, its verbs, and the list of pieces with their orders.
// A game asks for it by the `pad` of its question: {keys, groups, only, rest}. `keys` is "arrows", or "letters" for
// Q W E, A D, Z X C; `groups` are [verbs, key, isShown], where the key Shift is held and other keys go before a
// direction or, without directions, act at once; `only`: the board shows the targets of the chosen group alone.

import { make } from "./dom.js";
import { say } from "./draw.js";

/** @type {Record<string, string>} */
const ARROWS = { ArrowUp: "n", ArrowRight: "e", ArrowDown: "s", ArrowLeft: "w" };
/** @type {Record<string, string>} */
const LETTERS = { q: "nw", w: "n", e: "ne", a: "w", d: "e", z: "sw", x: "s", c: "se" };
/** @type {Record<string, string>} */
const HEXAGONS = { w: "nw", e: "ne", a: "w", d: "e", z: "sw", x: "se" };
/** @type {Record<string, string>} */
const FACES = { nw: "↖", n: "↑", ne: "↗", w: "←", e: "→", sw: "↙", s: "↓", se: "↘" };
// the keys of a game's directions, for people
/** @type {(pad: Wire.Pad, isHex: boolean) => string} */
export const keysOf = (pad, isHex) =>
  pad.keys === "arrows"
    ? "↑ ↓ ← →"
    : Object.keys(isHex ? HEXAGONS : LETTERS)
        .join(" ")
        .toUpperCase();
const PLACES = ["nw", "n", "ne", "w", "", "e", "sw", "s", "se"];

export class Pad {
  /** @param {import("./play.js").Player} player */
  constructor(player) {
    this.player = player;
    this.amount = make("div.amount", { role: "group", "aria-label": say("Amount") });
    this.keys = make("div.pad", { role: "group", "aria-label": say("Directions") });
    this.verbs = make("div.verbs", { role: "group", "aria-label": say("Action") });
    this.tools = make("div.verbs.tools", { role: "group", "aria-label": say("Build or place") });
    this.orders = make("div.orders", { role: "group", "aria-label": say("Pieces") });
    this.box = make("div.steer", this.orders, this.verbs, this.tools, this.amount, this.keys);
    this.book = make("div.notebook");
    this.reset();
    this.isCursor = false; // whether the arrows move the cursor
    this.narrow = matchMedia("(max-width: 60rem)");
    this.narrow.addEventListener("change", () => player.show());
  }

  /** @returns {Wire.Pad | null} */
  get pad() {
    return this.player.question?.pad ?? null;
  }

  // begin a new question, or go on after an order
  reset() {
    this.group = 0; // of verbs
    this.tool = ""; // a thing to place
    /** @type {number[]} cells of the notebook */
    this.spots = [];
    this.left = 0; // how many stay
  }

  // the largest amount of the chosen piece, 1 without amounts
  get most() {
    return Math.max(
      1,
      ...this.player
        .near()
        .filter((move) => move.way)
        .map((move) => move.most),
    );
  }

  // take more or fewer along; at least one, at most all
  /** @type {(by: number) => void} */
  keep(by) {
    this.left = Math.min(Math.max(0, this.left + by), this.most - 1);
    this.player.show();
  }

  // the chosen group, or the first one that the chosen piece has
  get active() {
    if (!this.pad || this.#moves(this.group).length) return this.group;
    return Math.max(
      0,
      this.pad.groups.findIndex((_, number) => this.#moves(number).length),
    );
  }

  // whether the board shows a move
  /** @type {(move: Wire.Move) => boolean} */
  shows(move) {
    const { pad, player } = this;
    if (!pad || move.target < 0) return true;
    if (pad.tools) return player.owner(move) === null ? move.word === this.tool : !this.tool;
    const isGrouped = pad.groups.some(([verbs]) => verbs.includes(move.verb));
    return !pad.only || !isGrouped || pad.groups[this.active][0].includes(move.verb);
  }

  // whether a button of the pad does this move, which has no target
  /** @type {(move: Wire.Move) => boolean} */
  takes(move) {
    return (
      Boolean(this.pad) &&
      move.target < 0 &&
      this.player.near().some((one) => one.way) &&
      this.pad.groups.some(([verbs, , isShown]) => isShown !== false && verbs.includes(move.verb))
    );
  }

  /** @type {(group: number) => Wire.Move[]} */
  #moves(group) {
    return this.player.near().filter((move) => this.pad.groups[group][0].includes(move.verb));
  }

  /** @type {(way: string, group: number) => void} */
  #go(way, group) {
    const move = this.#moves(group).find((one) => one.way === way);
    if (move) return this.player.act(move);
    const [verbs] = this.pad.groups[group];
    const word = this.player.view.film.game.verbs[verbs[0]][0];
    this.player.note(say("{action} {direction}: not allowed", { action: word, direction: FACES[way] }));
  }

  // true if the key was taken
  /** @type {(event: KeyboardEvent) => boolean} */
  onKey(event) {
    const { pad, player } = this;
    if (!pad || event.ctrlKey) return false;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (/^[1-9]$/.test(key) && player.units.length > 1) return (player.choose(player.units[Number(key) - 1]), true);
    if (pad.keys === "arrows" && key === "c") {
      this.isCursor = !this.isCursor;
      player.note(this.isCursor ? say("The arrows move the cursor") : say("The arrows move the piece"));
      return true;
    }
    if (key === "Escape" && (this.group || this.tool)) {
      this.tool = "";
      this.choose(0);
      return true;
    }
    const keys =
      pad.keys === "arrows" ? (this.isCursor ? {} : ARROWS) : player.view.stage.game.hexes.length ? HEXAGONS : LETTERS;
    const way = keys[key];
    if (way && player.near().some((move) => move.way)) {
      const held = event.shiftKey ? pad.groups.findIndex(([, by]) => by === "Shift") : -1;
      this.#go(way, held >= 0 ? held : this.active);
      return true;
    }
    const by = { "+": -1, "=": -1, ";": -1, "-": 1 }[key];
    if (by && this.most > 1) return (this.keep(by), true);
    const group = event.shiftKey ? -1 : pad.groups.findIndex(([, by]) => by === key);
    if (group < 0 || !this.#moves(group).length) return false;
    this.choose(group);
    return true;
  }

  // choose a group of verbs; what has no direction is done at once
  /** @type {(group: number) => void} */
  choose(group) {
    const moves = this.#moves(group);
    if (moves.length && moves.every((move) => move.target < 0 && !move.way)) return this.player.act(moves[0]);
    this.group = group;
    this.player.view.refresh();
    this.player.show();
  }

  // -- what is shown -----------------------------------------------------------------------------

  show() {
    const { pad, player } = this;
    const { question } = player;
    const holder = this.narrow.matches ? player.bar : player.panel;
    const isListed =
      question && (question.slots.length || player.units.length > 1) && player.units.some((unit) => unit[0] === "u");
    const isSteered = Boolean(pad && player.near().some((move) => move.way));
    this.orders.hidden = !isListed;
    this.keys.hidden = !isSteered;
    this.verbs.hidden = this.tools.hidden = this.amount.hidden = true;
    this.#write();
    if (!question) return this.box.remove();
    holder.prepend(this.box);
    if (isListed) this.#list();
    if (pad?.tools) this.#offer();
    if (pad) this.#steer(isSteered);
    this.box.hidden = [...this.box.children].every((part) => part.hasAttribute("hidden"));
    player.panel.hidden = !question.notebook && (this.narrow.matches || this.box.hidden);
  }

  /** @type {(isSteered: boolean) => void} */
  #steer(isSteered) {
    const { pad, player } = this;
    const { game } = player.view.film;
    const { active } = this;
    /** @type {[verbs: number[], key: string, number: number][]} */
    const groups = pad.groups.flatMap(([verbs, key, isShown], number) =>
      isShown !== false && this.#moves(number).length ? [[verbs, key, number]] : [],
    );
    const isMany = groups.length > 1;
    this.verbs.hidden = !isMany;
    if (isMany) {
      this.verbs.replaceChildren(
        ...groups.map(([verbs, key, number]) =>
          make(
            "button",
            {
              "aria-pressed": String(number === active),
              "data-group": number,
              click: () => this.choose(number),
            },
            game.verbs[verbs[0]][0],
            key ? make("kbd", key) : "",
          ),
        ),
      );
    }
    if (!isSteered) return;
    const { most } = this;
    this.left = Math.min(this.left, most - 1);
    this.amount.hidden = most < 2;
    this.amount.replaceChildren(
      make("button", { disabled: this.left >= most - 1, "aria-label": say("fewer"), click: () => this.keep(1) }, "−"),
      make(
        "output",
        this.left ? say("{some} of {all}", { some: most - this.left, all: most }) : say("all {all}", { all: most }),
      ),
      make("button", { disabled: !this.left, "aria-label": say("more"), click: () => this.keep(-1) }, "+"),
    );
    const by = new Map(this.#moves(active).map((move) => [move.way, move]));
    this.keys.replaceChildren(
      ...PLACES.map((way) => {
        if (!way) return make("span");
        const move = by.get(way);
        const worth = move && (move.note || (move.target >= 0 ? (game.values[move.target] ?? "") : ""));
        return make(
          "button",
          {
            "data-way": way,
            disabled: !move,
            "aria-label": [game.verbs[pad.groups[active][0][0]][0], FACES[way], worth].join(" "),
            click: () => this.#go(way, active),
            pointerenter: () => player.look(move),
            pointerleave: () => player.look(),
            focus: () => player.look(move),
          },
          make("span.face", FACES[way]),
          worth === "" || worth === undefined ? "" : make("small", String(worth)),
        );
      }),
    );
    this.keys.dataset.ways = [...new Set(player.moves.map((move) => move.way))].some((way) => way.length > 1)
      ? "8"
      : "4";
  }

  // what is placed without a piece: one button each, with its price
  #offer() {
    const { player } = this;
    const words = new Map();
    for (const move of player.moves)
      if (player.owner(move) === null && move.target >= 0)
        words.set(move.word, [...(words.get(move.word) ?? []), move]);
    this.tools.hidden = !words.size;
    if (!words.has(this.tool)) this.tool = "";
    this.tools.replaceChildren(
      ...[...words].map(([word, moves]) =>
        make(
          "button",
          {
            "data-tool": word,
            "aria-pressed": String(word === this.tool),
            click: () => this.take(word),
          },
          [word, moves[0].note].filter(Boolean).join(" "),
        ),
      ),
    );
  }

  /** @type {(word: string) => void} */
  take(word) {
    this.tool = this.tool === word ? "" : word;
    this.player.view.refresh();
    this.player.show();
    this.player.note(this.tool ? say("Choose one of the marked cells") : "");
  }

  // what the player knows; pressing a line marks its cells
  #write() {
    const { player } = this;
    const lines = player.question?.notebook;
    this.book.remove();
    if (!lines) return;
    player.panel.append(this.book);
    this.book.replaceChildren(
      make("h2", say("Notebook")),
      ...lines.map(({ name, text, cells }) =>
        make(
          "button.fact",
          {
            disabled: !cells.length,
            click: () => {
              this.spots = cells;
              player.paint();
            },
          },
          make("strong", name),
          make("span", text),
        ),
      ),
    );
  }

  // the pieces, each with its order
  #list() {
    const { player } = this;
    const { question, view } = player;
    const { game } = view.film;
    const plan = new Map(question.plan);
    this.orders.replaceChildren(
      ...player.units.map((owner) => {
        const mine = player.moves.filter((move) => player.owner(move) === owner);
        const number = Number(owner.slice(1));
        const name = owner[0] === "u" ? game.units[number]?.[1] : "";
        const cell = player.cellOf(owner);
        const [{ slot }] = mine;
        const order =
          plan.has(slot) && question.slots.length ? mine.find((move) => move.code === plan.get(slot)) : null;
        const lasts = player.orders.has(owner) ? "»" : "";
        const words = order
          ? [order.word, order.target >= 0 ? game.grid.names[order.target] : "", lasts].filter(Boolean).join(" ")
          : question.slots.length
            ? "…"
            : "";
        return make(
          "button.order",
          {
            "aria-pressed": String(owner === player.unit),
            "data-ordered": String(Boolean(order)),
            click: () => player.choose(owner),
          },
          make("strong", name),
          make("span.soft", cell >= 0 ? game.grid.names[cell] : ""),
          make("span", words),
        );
      }),
    );
    this.orders.querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
