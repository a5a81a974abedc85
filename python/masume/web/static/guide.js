// The guide of a game in a match: what "?" opens. What it says of the game comes from the server; signs and marks are
// drawn by what draws the board.

import { drawn, get, make, title } from "./dom.js";
import { legend, say, swatch, unpacker } from "./draw.js";
import { keysOf } from "./pad.js";
import { Stage } from "./stage.js";

const NUMBER = /^[\d,–]+( mg)?$/; // in columns of which numbers stand to the right

export class Guide {
  /** @type {Wire.Guide | null} fetched once */
  known = null;

  /** @param {import("./match.js").MatchView} view @param {HTMLButtonElement} button what opens it */
  constructor(view, button) {
    this.view = view;
    this.button = button;
    this.body = make("div.guide-body");
    this.name = make("h2");
    /** @type {HTMLDialogElement} */
    this.box = make(
      "dialog.guide",
      {
        "aria-label": say("How it is played"),
        close: () => this.button.setAttribute("aria-expanded", "false"),
        keydown: (event) => this.#onKey(event),
      },
      make(
        "div.guide-head",
        this.name,
        make("button.close", { "aria-label": say("Close"), click: () => this.box.close() }, "×"),
      ),
      this.body,
    );
    view.main.append(this.box);
    this.narrow = matchMedia("(max-width: 60rem)");
  }

  // open it, or close it; on a phone it is over everything
  /** @type {() => void} */
  toggle() {
    if (this.box.open) return this.box.close();
    this.box[this.narrow.matches ? "showModal" : "show"]();
    this.button.setAttribute("aria-expanded", "true");
    this.#fill();
  }

  // keys that are pressed in it do not play
  /** @type {(event: KeyboardEvent) => void} */
  #onKey(event) {
    event.stopPropagation();
    if (event.key !== "Escape" && event.key !== "?") return;
    event.preventDefault();
    this.box.close();
  }

  async #fill() {
    try {
      this.known ??= await get(this.view.address("/guide"));
    } catch (error) {
      this.body.replaceChildren(make("p", error.message));
      return;
    }
    const { about, help, sections, endings } = this.known;
    this.name.textContent = title(this.view.match);
    this.body.replaceChildren(
      make("p.goal", about),
      ...sections.map((section) => this.#section(section)),
      ...this.#list(say("How it ends"), endings),
      ...this.#list(say("How it is played"), help),
      ...this.#signs(),
      ...this.#marks(),
      make("h3", say("Keys")),
      make("dl.keys", ...this.#keys().flatMap(([keys, word]) => [make("dt", make("kbd", keys)), make("dd", word)])),
    );
  }

  /** @type {(name: string, lines: string[]) => HTMLElement[]} */
  #list(name, lines) {
    return lines.length ? [make("h3", name), make("ul.lines", ...lines.map((line) => make("li", line)))] : [];
  }

  /** @type {(section: Wire.GuideSection) => HTMLElement} */
  #section({ name, heads, rows }) {
    /** @type {(column: number) => string | null} */
    const kind = (column) => (column && rows.every(({ cells }) => NUMBER.test(cells[column])) ? "number" : null);
    return make(
      "section",
      make("h3", name),
      make(
        "div.scrolled",
        { tabindex: heads.length > 2 ? 0 : null, role: heads.length > 2 ? "region" : null, "aria-label": name },
        make(
          "table",
          heads.length
            ? make(
                "thead",
                make("tr", make("td"), ...heads.map((head, n) => make("th", { scope: "col", class: kind(n) }, head))),
              )
            : null,
          make(
            "tbody",
            ...rows.map((row) =>
              make(
                "tr",
                make("td.picture", this.#picture(row)),
                make("th", { scope: "row" }, row.cells[0]),
                ...row.cells.slice(1).map((cell, n) => make("td", { class: kind(n + 1) }, cell)),
              ),
            ),
          ),
        ),
      ),
    );
  }

  // what a row is about, as the board draws it; nothing for who sees no board
  /** @type {(row: Wire.GuideRow) => SVGSVGElement | null} */
  #picture({ shape, tile, player }) {
    const game = this.view.film?.game;
    if (!game?.grid) return null;
    const [plain] = game.tiles;
    const on = game.shapes[shape];
    const ground = game.tiles.find(([mark]) => mark === tile);
    if (on) return drawn(swatch([plain[0], plain[1], player, "", ""], "", game.grid.shapes, on));
    return ground ? drawn(swatch(ground, "", game.grid.shapes)) : null;
  }

  #signs() {
    const game = this.view.film?.game;
    if (!game?.grid) return [];
    const named = new Set(this.known.sections.flatMap(({ rows }) => rows.map(({ cells }) => cells[0])));
    const others = legend(game).filter(([, name]) => !named.has(name.replace(/ \(\w+\)$/, "")));
    const items = others.map(([picture, name]) => make("li", drawn(picture), name));
    return items.length ? [make("h3", say("Signs")), make("ul.legend", ...items)] : [];
  }

  // each mark on an empty cell
  #marks() {
    const game = this.view.film?.game;
    if (!game?.grid) return [];
    /** @type {Map<string, string[]>} what is done, by the shape of its mark */
    const verbs = new Map();
    for (const [word, shape] of game.verbs) if (shape !== "none") verbs.set(shape, [...(verbs.get(shape) ?? []), word]);
    /** @type {[kind: string, word: string][]} */
    const kinds = [
      ...[...verbs].map(([shape, words]) => /** @type {[string, string]} */ ([shape, words.join(", ")])),
      ["planned", say("what you have ordered")],
      ["danger", say("danger: press twice to do it anyway")],
      ["hint", say("a hint")],
      ["spot", say("may be here, or is built here")],
      ["chosen", say("the chosen piece")],
      ["cursor", say("the cursor of the keyboard")],
    ];
    return [
      make("h3", say("Marks")),
      make("ul.legend", ...kinds.map(([kind, word]) => make("li", this.#mark(kind), word))),
    ];
  }

  /** @type {(kind: string) => SVGSVGElement} */
  #mark(kind) {
    const { game } = this.view.film;
    const stage = new Stage();
    /** @type {Wire.Scene} */
    const scene = { ...game, width: 1, height: 1, columns: [], rows: [], values: [], units: [] };
    stage.set({ ...scene, hexes: game.hexes.length ? [0, 0] : [] });
    const [mark] = game.tiles.find(([, shape]) => shape === "plain") ?? game.tiles[0];
    stage.show(unpacker(stage.game)({ cells: [0, mark], caption: "", whole: true }));
    if (kind === "chosen") stage.mark([], [0]);
    else if (kind === "cursor") stage.point(0);
    else stage.mark([[0, kind]]);
    for (const label of stage.layer("board").querySelectorAll("text")) label.remove();
    const [[x, y]] = stage.game.grid.centres;
    const half = stage.game.grid.shapes.half + 1;
    stage.svg.setAttribute("viewBox", `${x - half} ${y - half} ${2 * half} ${2 * half}`);
    stage.svg.setAttribute("class", "masume");
    for (const name of ["role", "aria-label", "style"]) stage.svg.removeAttribute(name);
    stage.svg.setAttribute("aria-hidden", "true");
    return stage.svg;
  }

  /** @type {() => [keys: string, word: string][]} */
  #keys() {
    const game = this.view.film?.game;
    const { pad } = this.known;
    /** @type {[string, string][]} */
    const keys = [];
    if (pad && game) {
      const ways = keysOf(pad, game.hexes.length > 0);
      for (const [verbs, key] of pad.groups)
        keys.push([
          key === "Shift" ? `Shift + ${ways}` : key && pad.keys === "arrows" ? `${key}, ${ways}` : key || ways,
          verbs.map((verb) => game.verbs[verb][0]).join(", "),
        ]);
      if (pad.keys === "arrows") keys.push(["c", say("the arrows move the cursor, or the piece again")]);
    }
    return [
      ...keys,
      ["↑ ↓ ← →, Enter", say("move the cursor, press its cell")],
      ["1–9, n, p", say("choose a piece, the next one, the one before")],
      ["Esc", say("choose nothing")],
      ["u, U", say("take back, do again")],
      ["h", say("a hint")],
      ["Ctrl + Enter", say("end the turn")],
      [say("Space"), say("play the game from here")],
      [", .", say("a turn back, a turn forward")],
      ["Home, End", say("the start, the newest turn")],
      ["r, o", say("say what happened, say the score")],
      ["v, f", say("change the view, fill the screen")],
      ["?", say("this card")],
    ];
  }
}
