// The editor of a game's starts: brushes on a board, checked by the server while it changes. It knows no game: what
// there is to paint and to fill in is what the game's desk says.

import { drawn, field, get, levelOf, make, play, post, seatsOf, tabs, tell } from "./dom.js";
import { data, escaped, find, say, swatch } from "./draw.js";
import { Sheet } from "./sheet.js";
import { Stage } from "./stage.js";

const CHECK_MS = 150; // after the last change
const LOOK_MS = 500; // between two looks at a task
const STEPS = 200; // that can be undone

/** @type {(main: HTMLElement, game: string) => Promise<void>} */
export async function open(main, game) {
  const editor = new Editor(main, await get(`/api/make/${game}`), await get(`/api/offer/${game}`));
  await editor.begin();
}

/** @type {(player: number, name: string) => string} */
const disc = (player, name) =>
  `<svg class="masume" viewBox="-16 -16 32 32" aria-hidden="true"><g class="unit p${player}">` +
  `<circle r="12.5"/><circle class="rim" r="10"/><text y="4">${escaped(name)}</text></g></svg>`;

class Editor {
  /** @type {Sheet} */
  sheet;
  /** @type {Sheet[]} before this one */
  done = [];
  /** @type {Sheet[]} after this one */
  undone = [];
  pointed = -1; // the cell under the pointer
  number = 1; // that is painted
  /** @type {Wire.Checked | null} */
  found = null;
  /** @type {{ value: string | number, last: number } | null} */
  stroke = null;
  asked = 0; // checks so far
  /** @type {string | null} */
  job = null;
  /** @type {number[]} the cells of findings */
  ringed = [];

  /** @param {HTMLElement} main @param {Wire.Desk} desk @param {Wire.Offer} offer */
  constructor(main, desk, offer) {
    this.main = main;
    this.desk = desk;
    this.offer = offer;
    this.brush = desk.brushes[Math.min(1, desk.brushes.length - 1)][0];
    this.store = `masume-make-${desk.game}`;
  }

  async begin() {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(this.store));
    } catch {
      kept = null; // storage is off, or holds something else
    }
    try {
      this.sheet = new Sheet(this.desk, kept ?? (await this.#open({})));
      if (kept) await post(`/api/make/${this.desk.game}/check`, { sheet: this.sheet.plain() });
    } catch {
      this.sheet = new Sheet(this.desk, await this.#open({})); // it was kept by another version
    }
    this.#lay();
    this.#whole();
    this.changed();
  }

  /** @type {(what: object) => Promise<Wire.Sheet>} */
  #open(what) {
    return post(`/api/make/${this.desk.game}/open`, what);
  }

  // -- the parts of the page ---------------------------------------------------------------------

  #lay() {
    const { desk, offer } = this;
    /** @type {(word: string, run: () => void, attributes?: Wire.Attributes<HTMLButtonElement>) => HTMLButtonElement} */
    const button = (word, run, attributes = {}) => make("button", { click: run, ...attributes }, word);
    /** @type {(key: string, limits: number[], change: () => void, step?: number | string) => HTMLInputElement} */
    const number = (key, [low, high], change, step = 1) =>
      make("input", { id: key, type: "number", min: low, max: high, step, required: true, change });
    this.stage = new Stage(
      () => {},
      (cell) => this.#describe(cell),
    );
    this.stage.svg.classList.add("paper");
    this.stage.svg.addEventListener("pointerdown", (event) => this.#press(event));
    this.stage.svg.addEventListener("pointermove", (event) => this.#drag(event));
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"])
      this.stage.svg.addEventListener(kind, () => this.#lift());
    this.board = make(
      "div.board-box",
      {
        tabindex: 0,
        role: "application",
        "aria-label": say("Board"),
        "aria-describedby": "make-keys",
        keydown: (event) => this.#onKey(event),
      },
      this.stage.svg,
    );
    const sizes = desk.sizes.length > 1 ? [say("Columns"), say("Rows")] : [say("Radius")];
    this.parts = {
      readout: make("output.readout.soft"),
      brushes: make("div.brushes", { role: "group", "aria-label": say("Brushes") }),
      kinds: make("div.kinds"),
      status: make("p.status", { role: "status" }),
      findings: make("ul.findings"),
      facts: make("dl.facts"),
      text: make("pre.file", { tabindex: 0, "aria-label": say("File") }),
      undo: button(say("Undo"), () => this.undo()),
      redo: button(say("Redo"), () => this.redo()),
      save: button(say("Save"), () => this.save(), { id: "save", class: "primary" }),
      begin: button(say("Try it"), () => this.#begin(), { id: "try", class: "primary" }),
      file: make("input.hidden", {
        id: "file",
        type: "file",
        tabindex: -1,
        "aria-label": say("Open a file"),
        change: (event) => this.#read(event.target),
      }),
      symmetry: make(
        "select",
        { id: "symmetry" },
        ...desk.symmetries.map(([key, word]) => new Option(word, key, false, key === desk.symmetry)),
      ),
      sizes: desk.sizes.map((limits, n) => number(`size${n}`, limits, () => this.#resize())),
      fields: desk.fields.map((one) =>
        one.low === null
          ? make("input", { id: one.key, maxlength: one.high, change: () => this.#fill() })
          : number(one.key, [one.low, one.high], () => this.#fill(), one.whole ? 1 : "any"),
      ),
      level: levelOf(offer),
      side: make("select", { id: "side" }, ...offer.seats.map((name, player) => new Option(name, String(player)))),
      output: make("pre.output", { tabindex: 0, "aria-label": say("Result"), hidden: true }),
      cancel: button(say("Cancel"), () => this.#cancel(), { hidden: true }),
      tasks: desk.tasks.map((word, n) => button(word, () => this.#task(n), { "data-task": n })),
      taskline: make("p.soft", { role: "status" }),
    };
    const { parts } = this;
    const starts = make(
      "select",
      { id: "start", "aria-label": say("Begin with …"), change: (event) => this.#take(event.target) },
      new Option(say("Begin with …"), ""),
      new Option(say("an empty board"), "-"),
      ...desk.starts.map((name) => new Option(name, name)),
    );
    const numbers =
      desk.numbers &&
      make(
        "div.row",
        button("−", () => this.#pick(this.number - 1), { "aria-label": say("One less") }),
        make("input", {
          id: "number",
          type: "number",
          min: desk.numbers[0],
          max: desk.numbers[1],
          value: this.number,
          "aria-label": say("Points"),
          change: (event) => this.#pick(Number(event.target.value)),
        }),
        button("+", () => this.#pick(this.number + 1), { "aria-label": say("One more") }),
      );
    const games = tabs(data.makers, "make", desk.game);
    this.main.className = "maker";
    document.title = say("Make: {game}", { game: desk.title });
    this.main.replaceChildren(
      make(
        "div.head",
        games,
        make("h1", document.title),
        make(
          "div.row",
          starts,
          button(say("Open a file"), () => parts.file.click()),
          parts.file,
          parts.save,
        ),
      ),
      make(
        "div.stage",
        this.board,
        parts.status,
        make(
          "p.under",
          make(
            "span.soft",
            { id: "make-keys" },
            say("Keys: arrows move, Enter paints, 1 to 9 choose a brush, + and − change a number, u takes back."),
          ),
          parts.readout,
        ),
      ),
      make(
        "aside.side",
        make(
          "section.card",
          make("h2", say("Brushes")),
          numbers,
          parts.brushes,
          parts.kinds,
          field(say("Symmetry"), parts.symmetry),
          make("div.row", parts.undo, parts.redo),
        ),
        make(
          "section.card",
          { "aria-label": say("Findings") },
          make("h2", say("Findings")),
          parts.findings,
          parts.facts,
        ),
        make(
          "section.card",
          make("h2", say("Try it")),
          field(say("Level"), parts.level),
          field(say("You are"), parts.side),
          parts.begin,
        ),
        make(
          "section.card",
          make("h2", say("Size and numbers")),
          ...parts.sizes.map((input, n) => field(sizes[n], input)),
          ...parts.fields.map((input, n) => field(desk.fields[n].name, input)),
        ),
        make("details.card", make("summary", say("The file")), parts.text),
      ),
      parts.tasks.length
        ? make(
            "section.card.work",
            make("h2", say("Analysis")),
            make("div.row", ...parts.tasks, parts.cancel),
            parts.taskline,
            parts.output,
          )
        : "",
    );
    if (desk.kinds) this.addKind = button(say("Another {name}", { name: desk.kinds.name }), () => this.#more());
    this.#brushes();
  }

  #brushes() {
    const { desk, parts } = this;
    const shapes = desk.sizes.length > 1 ? data.canvas.square : data.canvas.hexagon;
    /** @type {(brush: Wire.Brush, n: number) => HTMLButtonElement} */
    const one = ([mark, name, shape, player, glyph, unit, , look], n) =>
      make(
        "button.brush",
        {
          "data-mark": mark,
          "aria-pressed": String(this.brush === mark),
          click: () => this.choose(mark),
        },
        drawn(
          unit && !look && shape === "plain"
            ? disc(player, unit)
            : swatch([mark, shape, player, "", glyph], look ? "" : unit, shapes, desk.shapes[look || glyph]),
        ),
        make("span", name),
        n < 9 ? make("kbd", String(n + 1)) : null,
      );
    this.marks = desk.brushes.map(([mark]) => mark);
    if (desk.numbers) {
      parts.brushes.replaceChildren();
      return;
    }
    parts.brushes.replaceChildren(...desk.brushes.map(one));
    if (!desk.kinds) return;
    const kinds = this.sheet?.kinds ?? [];
    this.marks.push(...kinds.map(([letter]) => letter));
    parts.brushes.append(
      ...kinds.map(([letter, name, amount], n) =>
        one([letter, `${name} ${amount}`, "plain", -1, desk.kinds.glyph, "", "", ""], desk.brushes.length + n),
      ),
    );
    parts.kinds.replaceChildren(
      make(
        "details",
        make("summary", say("Kinds of {name}", { name: desk.kinds.name })),
        ...kinds.map((kind, n) =>
          make(
            "div.row.kind",
            make("strong", kind[0]),
            make("input", {
              value: kind[1],
              maxlength: 32,
              "aria-label": say("Name of {letter}", { letter: kind[0] }),
              change: (event) => this.#kind(n, 1, event.target.value.trim().replace(/\s+/g, "-")),
            }),
            make("input", {
              type: "number",
              value: kind[2],
              min: desk.kinds.low,
              max: desk.kinds.high,
              "aria-label": `${kind[0]}: ${desk.kinds.word}`,
              change: (event) => this.#kind(n, 2, Number(event.target.value)),
            }),
            make("span.soft", desk.kinds.word),
          ),
        ),
        this.addKind,
      ),
    );
  }

  // everything anew: another board
  #whole() {
    this.stage.set(this.sheet.scene());
    this.stage.svg.setAttribute("aria-label", `${document.title}, ${this.sheet.size.join(" × ")}`);
    this.#brushes();
    this.#controls();
    this.paint();
  }

  #controls() {
    const { parts, sheet, desk } = this;
    sheet.size.forEach((size, n) => (parts.sizes[n].value = String(size)));
    desk.fields.forEach((one, n) => (parts.fields[n].value = String(sheet.fields[one.key])));
    parts.undo.disabled = !this.done.length;
    parts.redo.disabled = !this.undone.length;
  }

  paint() {
    const { stage, sheet } = this;
    stage.game.values = this.desk.numbers ? sheet.cells.map(Number) : [];
    stage.show(sheet.frame());
    stage.mark([], this.ringed);
    stage.point(stage.cursor);
    this.#describe(this.pointed < sheet.cells.length ? this.pointed : -1);
  }

  // -- changes -----------------------------------------------------------------------------------

  // before a change: what undo goes back to
  #keep() {
    this.done = [...this.done.slice(1 - STEPS), this.sheet.copy()];
    this.undone = [];
  }

  changed() {
    try {
      localStorage.setItem(this.store, JSON.stringify(this.sheet.plain()));
    } catch {
      // storage is off: the sheet is lost with the page
    }
    this.#controls();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#check(), CHECK_MS);
  }

  undo() {
    this.#back(this.done, this.undone);
  }

  redo() {
    this.#back(this.undone, this.done);
  }

  /** @type {(from: Sheet[], to: Sheet[]) => void} */
  #back(from, to) {
    if (!from.length) return;
    to.push(this.sheet);
    this.sheet = from.pop();
    this.#whole();
    this.changed();
  }

  /** @type {(mark: string) => void} */
  choose(mark) {
    this.brush = mark;
    for (const button of this.parts.brushes.children)
      button.setAttribute("aria-pressed", String(button.getAttribute("data-mark") === mark));
  }

  /** @type {(number: number) => void} */
  #pick(number) {
    const [low, high] = this.desk.numbers;
    if (!Number.isInteger(number)) return;
    this.number = Math.min(high, Math.max(low, number));
    find("number").value = String(this.number);
  }

  /** @type {(cell: number, value: string | number) => void} */
  #put(cell, value) {
    this.sheet.put(cell, value, this.parts.symmetry.value);
    this.paint();
  }

  // what a stroke that begins on a cell paints: the brush, or the ground if it is there already
  /** @type {(cell: number) => string | number} */
  #colour(cell) {
    if (this.desk.numbers) return this.number;
    return this.sheet.cells[cell] === this.brush ? this.desk.brushes[0][0] : this.brush;
  }

  /** @type {(event: PointerEvent) => void} */
  #press(event) {
    const cell = this.stage.cellAt(event);
    if (cell < 0 || event.button) return;
    event.preventDefault();
    this.board.focus({ preventScroll: true });
    this.stage.svg.setPointerCapture(event.pointerId);
    this.#keep();
    this.stroke = { value: this.#colour(cell), last: cell };
    this.stage.cursor = cell;
    this.#put(cell, this.stroke.value);
  }

  /** @type {(event: PointerEvent) => void} */
  #drag(event) {
    const cell = this.stroke ? this.stage.cellAt(event) : -1;
    if (cell < 0 || cell === this.stroke.last) return;
    this.stroke.last = cell;
    this.#put(cell, this.stroke.value);
  }

  #lift() {
    if (!this.stroke) return;
    this.stroke = null;
    this.changed();
  }

  /** @type {(event: KeyboardEvent) => void} */
  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, number[]>} */
    const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
    const { key } = event;
    const { stage } = this;
    if (steps[key]) {
      const [right, down] = steps[key];
      stage.point(stage.next(right, down));
      this.#tell(stage.cursor);
    } else if ((key === "Enter" || key === " ") && stage.cursor >= 0) {
      this.#alter(this.#colour(stage.cursor));
    } else if (/^[1-9]$/.test(key) && !this.desk.numbers) {
      const mark = this.marks[Number(key) - 1];
      if (mark === undefined) return;
      this.choose(mark);
      tell(this.parts.brushes.querySelector("[aria-pressed=true] span").textContent);
    } else if ((key === "+" || key === "-") && this.desk.numbers && stage.cursor >= 0) {
      const [low, high] = this.desk.numbers;
      this.#alter(Math.min(high, Math.max(low, Number(this.sheet.cells[stage.cursor]) + (key === "+" ? 1 : -1))));
    } else if (key === "u") {
      this.undo();
    } else if (key === "U") {
      this.redo();
    } else {
      return;
    }
    event.preventDefault();
  }

  /** @type {(value: string | number) => void} */
  #alter(value) {
    this.#keep();
    this.#put(this.stage.cursor, value);
    this.#tell(this.stage.cursor);
    this.changed();
  }

  /** @type {(cell: number) => void} */
  #tell(cell) {
    this.#describe(cell);
    tell(this.stage.describe(cell));
  }

  // say what is on a cell, also when that changes; on none: -1
  /** @type {(cell: number) => void} */
  #describe(cell) {
    this.pointed = cell;
    this.parts.readout.textContent = cell < 0 ? "" : this.stage.describe(cell);
  }

  // a change that the server makes: other cells
  /** @type {(what: object, keeps?: boolean) => Promise<void>} */
  async #anew(what, keeps = false) {
    try {
      const found = new Sheet(this.desk, await this.#open(what));
      this.#keep();
      this.sheet = keeps ? found.over(this.sheet) : found;
      this.ringed = [];
      this.#whole();
      this.changed();
    } catch (error) {
      this.#status("bad", error.message);
      this.#controls();
    }
  }

  #resize() {
    if (this.parts.sizes.every((input) => input.reportValidity()))
      this.#anew({ size: this.parts.sizes.map((input) => Number(input.value)) }, true);
  }

  /** @type {(select: HTMLSelectElement) => void} */
  #take(select) {
    const { value } = select;
    select.value = "";
    if (value) this.#anew(value === "-" ? { size: this.sheet.size } : { start: value });
  }

  /** @type {(input: HTMLInputElement) => Promise<void>} */
  async #read(input) {
    const [file] = input.files;
    if (!file) return;
    const bytes = await file.arrayBuffer();
    input.value = "";
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      text = new TextDecoder("shift_jis").decode(bytes);
    }
    await this.#anew({ text });
  }

  #fill() {
    if (!this.parts.fields.every((input) => input.reportValidity())) return;
    this.#keep();
    this.desk.fields.forEach((one, n) => {
      const { value } = this.parts.fields[n];
      this.sheet.fields[one.key] = one.low === null ? value : Number(value);
    });
    this.changed();
  }

  /** @type {(n: number, part: number, value: string | number) => void} */
  #kind(n, part, value) {
    this.#keep();
    this.sheet.kinds[n][part] = value;
    this.#kinds();
  }

  #more() {
    const letter = [...this.desk.kinds.letters].find((one) => !this.sheet.kinds.some(([known]) => known === one));
    if (!letter) return;
    this.#keep();
    this.sheet.kinds.push([letter, `${this.desk.kinds.name}-${letter}`, this.desk.kinds.low]);
    this.brush = letter;
    this.#kinds();
  }

  #kinds() {
    const { cursor } = this.stage;
    this.stage.set(this.sheet.scene());
    this.stage.cursor = cursor;
    this.#brushes();
    this.parts.kinds.querySelector("details").open = true;
    this.paint();
    this.changed();
  }

  // -- what the server says ----------------------------------------------------------------------

  /** @type {(kind: "bad" | "odd" | "good", words: string) => void} */
  #status(kind, words) {
    const { status } = this.parts;
    status.dataset.kind = kind;
    if (status.textContent !== words) status.textContent = words;
  }

  async #check() {
    const number = ++this.asked;
    /** @type {Wire.Checked} */
    let found;
    try {
      found = await post(`/api/make/${this.desk.game}/check`, { sheet: this.sheet.plain() });
    } catch (error) {
      found = { valid: false, error: error.message, cells: [], text: "" };
    }
    if (number !== this.asked) return;
    this.found = found;
    const { parts } = this;
    const findings = found.findings ?? [];
    this.ringed = [...new Set(found.valid ? findings.flatMap((one) => one.cells) : found.cells)];
    if (!found.valid) this.#status("bad", found.error);
    else
      this.#status(
        findings.length ? "odd" : "good",
        findings.length
          ? say("Valid. Findings: {count}", { count: findings.length })
          : say("Valid: nothing is odd about it"),
      );
    parts.findings.replaceChildren(...findings.map((one) => make("li", one.text)));
    parts.facts.replaceChildren(
      ...(found.facts ?? []).flatMap(([word, value]) => [make("dt", word), make("dd", value)]),
    );
    parts.text.textContent = found.text;
    for (const button of [parts.save, parts.begin, ...parts.tasks]) button.disabled = !found.valid;
    const sides = [...Array(found.players ?? this.offer.players).keys()];
    if (found.valid && sides.length !== parts.side.options.length) {
      parts.side.replaceChildren(
        ...sides.map(
          (player) => new Option(this.offer.seats[player] ?? String.fromCharCode(65 + player), String(player)),
        ),
      );
    }
    this.paint();
    this.main.dataset.checked = String(number);
  }

  save() {
    const name =
      String(this.sheet.fields.name ?? "")
        .replace(/[^\p{L}\p{N}_-]+/gu, "-")
        .replace(/^-+|-+$/g, "") || "mine";
    const address = URL.createObjectURL(new Blob([this.found.text], { type: "text/plain;charset=utf-8" }));
    const link = make("a", { href: address, download: name + this.desk.suffix, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  async #begin() {
    const { begin, level, side } = this.parts;
    begin.disabled = true;
    try {
      const seats = seatsOf(this.found.players, Number(side.value), level.value);
      await play({ game: this.desk.game, text: this.found.text, seats });
    } catch (error) {
      this.#status("bad", error.message);
      begin.disabled = false;
    }
  }

  // -- tasks -------------------------------------------------------------------------------------

  /** @type {(task: number) => Promise<void>} */
  async #task(task) {
    const { parts } = this;
    this.#busy(true);
    parts.output.hidden = true;
    parts.taskline.textContent = say("Working …");
    try {
      this.job = (await post(`/api/make/${this.desk.game}/job`, { sheet: this.sheet.plain(), task })).id;
      for (;;) {
        const facts = await get(`/api/job/${this.job}`);
        if (facts.state === "running" || facts.state === "waiting") {
          parts.taskline.textContent = facts.text || say("Working: {seconds} s", { seconds: facts.seconds });
          await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
          continue;
        }
        parts.taskline.textContent =
          facts.state === "done" ? say("Done in {seconds} s", { seconds: facts.seconds }) : facts.text;
        parts.output.hidden = facts.state !== "done";
        parts.output.textContent = facts.text;
        break;
      }
    } catch (error) {
      parts.taskline.textContent = error.message;
    } finally {
      this.job = null;
      this.#busy(false);
    }
  }

  /** @type {(isBusy: boolean) => void} */
  #busy(isBusy) {
    for (const button of this.parts.tasks) button.hidden = isBusy;
    this.parts.cancel.hidden = !isBusy;
  }

  #cancel() {
    if (this.job) post(`/api/job/${this.job}/cancel`, {});
  }
}
