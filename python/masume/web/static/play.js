// Playing: turns the open question into targets on the board and buttons, and what is pressed into steps of a draft.
// One mechanism for every game: choose a unit, then a target of it. Nothing here knows a rule: `legal` says what may be
// done.

import { clock, keep, make, play, post, tell } from "./dom.js";
import { say, signed, unpacker } from "./draw.js";
import { Orders } from "./orders.js";
import { Pad } from "./pad.js";
import { sound } from "./sound.js";

const LAST_MS = 5000; // of a clock, which are heard

export class Player {
  /** @type {Wire.Ask | null} the open question */
  question = null;
  /** @type {string | null} the chosen one of `units` */
  unit = null;
  /** @type {string[]} what may move: u and a unit, or c and a cell */
  units = [];
  /** @type {Wire.Move[]} all actions of the question */
  moves = [];
  /** @type {Wire.Frame | null} the frame of the draft */
  shown = null;
  /** @type {Wire.Move[] | null} */
  hint = null;
  /** @type {Wire.Step[]} what takes the hint */
  hinted = [];
  told = ""; // what comes of what was ordered last, or of the hint
  /** @type {string | null} the unit ordered last */
  ordered = null;
  /** @type {KeyboardEvent[]} keys that came while an order was on its way */
  typed = [];
  /** @type {Wire.Move | null} the move that was warned of */
  warned = null;
  /** @type {Wire.Move | null} the move that is on its way */
  pressed = null;
  asked = 0; // when the question came, ms
  isBusy = false; // an order is on its way
  isDrawing = false; // decides at random

  /** @param {import("./match.js").MatchView} view */
  constructor(view) {
    this.view = view;
    this.bar = make("div.bar", { hidden: true });
    this.panel = make("div.card.ask", { hidden: true });
    this.timer = make("span.timer");
    this.menu = make("div.menu", { role: "menu", hidden: true, keydown: (event) => this.#onMenuKey(event) });
    this.tip = make("div.tip", { hidden: true, "aria-hidden": "true" }); // the line under the board says it, too
    this.pad = new Pad(this);
    this.orders = new Orders(this);
  }

  get isAsked() {
    return this.question !== null;
  }

  headline() {
    const { question } = this;
    const done = question.plan.length;
    if (question.task) return say("Your turn: {task}", { task: question.task });
    return question.slots.length
      ? say("Your turn: {done} of {all} ordered", { done, all: question.slots.length })
      : say("Your turn");
  }

  // the open questions of this browser's seats
  /** @type {(asked: Wire.Ask[], heard?: number) => void} */
  ask(asked, heard = performance.now()) {
    const question = asked[0] ?? null;
    const isNew = question?.id !== this.question?.id;
    if (question && this.question && question.id === this.question.id && question.version < this.question.version)
      return;
    this.question = question;
    if (isNew) {
      if (question?.slots.length) this.unit = null; // elsewhere the piece that was used last stays chosen
      [this.shown, this.hint, this.pressed, this.told] = [null, null, null, ""];
      this.pad.reset();
    }
    this.asked = heard;
    this.#hide();
    this.#prepare();
    if (isNew && question && this.view.film) this.view.follow();
    else this.view.refresh();
    this.view.banner();
    this.show();
    if (isNew && question) {
      tell(this.headline());
      sound("turn");
    }
    if (this.isDrawing && isNew && question) {
      if (question.pad?.random) this.#draw();
      else this.isDrawing = false;
    }
    if (isNew && question) this.orders.go();
  }

  // -- choices -----------------------------------------------------------------------------------

  #prepare() {
    const { question } = this;
    this.moves = [];
    if (!question) return;
    const verbs = this.view.film?.game.verbs ?? [];
    for (const group of question.legal) {
      const owners = group.units.length ? group.units.map((unit, n) => [unit, group.slots[n]]) : [[-1, group.slots[0]]];
      for (const [unit, slot] of owners) {
        group.to.forEach((target, n) => {
          this.moves.push({
            unit,
            slot,
            target,
            start: group.from,
            verb: group.verb,
            word: group.word,
            shape: verbs[group.verb]?.[1] ?? "ring",
            code: group.codes ? group.codes[n] : group.base + target,
            most: group.amount?.max[n] ?? 0,
            times: group.amount?.times ?? 0,
            note: group.notes?.[n] ?? "",
            way: group.ways?.[n] ?? "",
            warn: group.warns?.[n] ?? "",
            brings: group.brings ? group.brings[0][group.brings[1][n]] : "",
          });
        });
      }
    }
    this.units = [...new Set(this.moves.map((move) => this.owner(move)).filter((owner) => owner !== null))];
    if (!this.units.includes(this.unit))
      this.unit = this.units.length === 1 || question.pad?.next ? (this.units[0] ?? null) : this.#nextUnit();
  }

  // what a move belongs to: a unit, or the cell where it begins
  /** @type {(move: Wire.Move) => string | null} */
  owner(move) {
    return move.unit >= 0 ? `u${move.unit}` : move.start >= 0 ? `c${move.start}` : null;
  }

  /** @type {() => string | null} */
  #nextUnit() {
    const planned = new Set(this.question.plan.map(([slot]) => slot));
    const free = this.moves.find((move) => move.unit >= 0 && this.question.slots.length && !planned.has(move.slot));
    return free ? this.owner(free) : null;
  }

  /** @type {(owner: string | null) => number} */
  cellOf(owner) {
    if (!owner) return -1;
    const number = Number(owner.slice(1));
    return owner[0] === "c" ? number : (this.view.frame?.places[number] ?? -1);
  }

  // what may move and stands on a cell
  /** @type {(cell: number) => string[]} */
  ownersAt(cell) {
    return this.question ? this.units.filter((owner) => this.cellOf(owner) === cell) : [];
  }

  // the moves that may be made now: those of the chosen unit, and those without one
  /** @type {() => Wire.Move[]} */
  near() {
    return this.moves.filter((move) => this.owner(move) === null || this.owner(move) === this.unit);
  }

  paint() {
    const { stage } = this.view;
    this.warned = null; // what was warned of is no longer the last thing that happened
    /** @type {(move: Wire.Move) => Wire.Mark} */
    const planned = (move) => {
      const cell = this.cellOf(this.owner(move));
      const isHand = ["ring", "cross"].includes(move.shape) && !(move.unit >= 0 && cell < 0); // nothing goes there
      return [move.target, "planned", isHand ? move.shape : "", cell, move.unit];
    };
    const pressed = this.pressed?.target >= 0 ? [planned(this.pressed)] : [];
    if (!this.question) {
      this.tip.hidden = true;
      return stage.mark(pressed);
    }
    const seen = new Map();
    /** @type {(move: Wire.Move) => number} */
    const from = (move) => (move.shape === "arc" ? this.cellOf(this.owner(move)) : -1);
    for (const move of this.near())
      if (move.target >= 0 && this.pad.shows(move))
        seen.set(move.target, [move.target, seen.has(move.target) ? "arrow" : move.shape, move.note, from(move)]);
    const plan = this.question.plan
      .map(([slot, code]) => this.moves.find((move) => move.slot === slot && move.code === code))
      .filter((move) => move?.target >= 0);
    const marks = [
      ...seen.values(),
      ...plan.map(planned),
      ...pressed,
      ...[...this.pad.spots, ...this.orders.cells].map((cell) => [cell, "spot", ""]),
    ];
    for (const move of this.near()) {
      if (move.warn && move.target >= 0 && this.pad.shows(move)) marks.push([move.target, "danger"]);
    }
    for (const move of this.hint ?? [])
      for (const cell of [move.target, this.cellOf(this.owner(move))]) if (cell >= 0) marks.push([cell, "hint"]);
    const owners = this.unit ? [this.unit] : this.units;
    stage.mark(
      marks,
      owners.map((owner) => this.cellOf(owner)).filter((cell) => cell >= 0),
    );
  }

  // what comes of a move, in words
  /** @type {(move: Wire.Move, amount?: number) => string} */
  brings(move, amount = Math.max(1, move.most - this.pad.left)) {
    return move.brings.replace("{amount}", String(amount)).replace("{rest}", String(move.most - amount));
  }

  // the same before it is made: in a turn of all at once, others may interfere
  /** @type {(move: Wire.Move) => string} */
  #expected(move) {
    const change = this.brings(move);
    const words = change && this.question.slots.length ? say("if nobody interferes: {change}", { change }) : change;
    return [words, move.warn].filter(Boolean).join("; ");
  }

  // what comes of a press on a cell, in words; several moves by their names
  /** @type {(cell: number) => string} */
  foretell(cell) {
    const moves = this.question ? this.near().filter((move) => move.target === cell && this.pad.shows(move)) : [];
    const words = new Map(moves.map((move) => [this.#expected(move), move.word]));
    words.delete("");
    return [...words].map(([text, word]) => (words.size > 1 ? `${word}: ${text}` : text)).join(". ");
  }

  // what would be lost by a press on a cell stands next to it; -1 for no cell
  /** @type {(cell: number) => void} */
  warnAt(cell) {
    const { board, stage } = this.view;
    const moves =
      this.question && cell >= 0 ? this.near().filter((move) => move.target === cell && this.pad.shows(move)) : [];
    const words = [...new Set(moves.map((move) => move.warn))].filter(Boolean).join("; ");
    this.tip.hidden = !words;
    if (!words) return;
    const [box, [x, y]] = [board.getBoundingClientRect(), stage.game.grid.centres[cell]];
    const { half } = stage.game.grid.shapes;
    const place = new DOMPoint(x, y - half).matrixTransform(stage.svg.getScreenCTM());
    this.tip.textContent = words;
    board.append(this.tip);
    const [wide, high] = [this.tip.offsetWidth, this.tip.offsetHeight];
    const left = Math.min(Math.max(place.x - box.left - wide / 2, 4), box.width - wide - 4);
    this.tip.style.setProperty("left", `${left}px`);
    this.tip.style.setProperty("top", `${Math.max(place.y - box.top - high - 4, 4)}px`);
  }

  // tell under the board what comes of a move, nothing for none
  /** @type {(move?: Wire.Move) => void} */
  look(move) {
    this.view.parts.readout.textContent = move && this.question ? this.#expected(move) : "";
  }

  // a cell of the board was pressed
  /** @type {(cell: number, event?: MouseEvent) => void} */
  press(cell, event) {
    if (!this.question) return;
    this.#hide();
    const targets = this.near().filter((move) => move.target === cell && this.pad.shows(move));
    const owner = this.ownersAt(cell);
    const isHeld = this.unit || this.pad.tool; // a piece or a thing to build is in hand
    if (owner.length && (!targets.length || !owner.includes(this.unit)) && !(targets.length && isHeld)) {
      this.unit = owner[(owner.indexOf(this.unit) + 1) % owner.length];
      this.view.refresh();
      this.show();
      return;
    }
    if (targets.length === 1 && (targets[0].most < 2 || targets[0].way)) return this.act(targets[0]);
    if (targets.length) return this.#offer(targets, event);
    if (owner.length) {
      this.unit = owner[0];
      this.view.refresh();
      return this.show();
    }
    this.note(say("Nothing can be done there now"));
  }

  /** @type {(moves: Wire.Move[], event?: MouseEvent) => void} */
  #offer(moves, event) {
    /** @type {[move: Wire.Move, amount: number][]} */
    const items = moves.flatMap((move) =>
      move.most > 1
        ? [
            [move, move.most],
            [move, Math.ceil(move.most / 2)],
            [move, 1],
          ]
        : [[move, 1]],
    );
    this.menu.replaceChildren(
      ...items.map(([move, amount]) =>
        make(
          "button",
          { role: "menuitem", click: () => (this.#hide(), this.#do(move, amount)) },
          [move.word, move.most > 1 ? `×${amount}` : "", move.note].filter(Boolean).join(" "),
          move.brings ? make("small", this.brings(move, amount)) : "",
        ),
      ),
    );
    this.view.board.append(this.menu);
    this.menu.hidden = false;
    const box = this.view.board.getBoundingClientRect();
    const [x, y] = event?.clientX
      ? [event.clientX - box.left, event.clientY - box.top]
      : [box.width / 2, box.height / 2];
    this.menu.style.setProperty("left", `${Math.min(x, box.width - 160)}px`);
    this.menu.style.setProperty("top", `${Math.min(y, box.height - 44 * items.length)}px`);
    this.menu.querySelector("button").focus();
  }

  #hide() {
    this.menu.hidden = true;
  }

  /** @type {(event: KeyboardEvent) => void} */
  #onMenuKey(event) {
    const items = [...this.menu.querySelectorAll("button")];
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") this.#hide(), this.view.board.focus();
    else if (by)
      items[(items.indexOf(/** @type {any} */ (document.activeElement)) + by + items.length) % items.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // -- steps -------------------------------------------------------------------------------------

  // make a move of a direction: with all that can go
  /** @type {(move: Wire.Move) => void} */
  act(move) {
    this.#hide();
    this.#do(move, Math.max(1, move.most - this.pad.left));
  }

  /** @type {(move: Wire.Move, amount?: number) => void} */
  #do(move, amount = 1) {
    if (move.warn && this.warned !== move) {
      this.note(say("{warning}. Press again to do it anyway.", { warning: move.warn }));
      this.warned = move;
      return;
    }
    this.warned = null;
    this.pad.reset();
    this.ordered = this.owner(move);
    this.orders.drop(this.ordered); // what is ordered by hand is done once
    const code = move.code + move.times * (amount - 1);
    this.#step([["do", move.slot, code]], move);
  }

  // order these moves, at once or after what is on its way
  /** @type {(moves: Wire.Move[]) => void} */
  plan(moves) {
    if (this.isBusy) {
      setTimeout(() => this.plan(moves), 20);
      return;
    }
    const known = moves.filter((move) => this.moves.includes(move));
    if (known.length)
      this.#step(
        known.map((move) => ["do", move.slot, move.code]),
        known[0],
      );
  }

  // a pointer is dragged over cells; true if that means something
  /** @type {(cells: number[], isDone: boolean) => boolean} */
  drag(cells, isDone) {
    const [owner] = this.ownersAt(cells[0]);
    if (owner === undefined || cells.length < 2) return false;
    if (cells.at(-1) === cells[0]) {
      this.orders.drop(owner);
      if (isDone && owner === this.ordered && this.question.undo && this.question.size) this.#step([["undo"]]);
      else this.paint();
      return true;
    }
    if (this.orders.trail(cells, isDone)) return true;
    if (this.unit !== owner) this.choose(owner);
    if (isDone) this.press(cells.at(-1));
    return true;
  }

  /** @type {(steps: Wire.Step[], move?: Wire.Move | null) => Promise<void>} */
  async #step(steps, move = null) {
    const { question } = this;
    if (!question || this.isBusy) return;
    this.isBusy = true;
    [this.hint, this.pressed] = [null, move];
    sound("press");
    this.paint();
    try {
      if (!question.undo) return await this.#play(steps);
      const { ask, frame } = await post(this.view.address("/draft"), { ask: question.id, steps });
      if (this.question?.id !== ask.id) return;
      this.question = ask;
      this.pressed = null;
      this.told = move ? this.brings(move, move.times ? 1 + (steps[0][2] - move.code) / move.times : 1) : "";
      this.asked = performance.now();
      if (move?.start >= 0) this.unit = `c${move.target}`;
      this.shown = ask.slots.length ? null : unpacker(this.view.film.game)(frame);
      if (ask.slots.length || ask.pad?.next) this.unit = null;
      this.#prepare();
      const isWhole = ask.done && !ask.slots.length && (ask.size === 1 || move?.target < 0);
      if (isWhole) return await this.#play([]);
      this.view.refresh(move !== null);
      this.show();
    } catch (error) {
      [this.isDrawing, this.pressed] = [false, null];
      this.typed = [];
      this.paint();
      this.note(error.message);
    } finally {
      this.#free();
    }
  }

  /** @type {(steps: Wire.Step[]) => Promise<void>} */
  async #play(steps) {
    const { question } = this;
    this.view.pace.await();
    await post(this.view.address("/act"), {
      ask: question.id,
      nonce: crypto.randomUUID?.() ?? String(Math.random()),
      steps,
    });
    if (this.question?.id === question.id) {
      this.question = null;
      this.#prepare();
      this.view.refresh();
      this.show();
    }
  }

  // decide at random as long as the game offers it: to set up quickly
  #draw() {
    this.isDrawing = true;
    if (this.isBusy) return setTimeout(() => this.isDrawing && this.#draw(), 20);
    const move = this.moves[Math.floor(Math.random() * this.moves.length)];
    if (!move) return; // it was played; the next question goes on
    this.#step([["do", move.slot, move.code]], move);
  }

  async commit() {
    if (!this.question || this.isBusy) return;
    this.isBusy = true;
    try {
      await this.#play([]);
    } catch (error) {
      this.note(error.message);
    } finally {
      this.#free();
    }
  }

  // an answer has come: take the keys that were pressed meanwhile
  #free() {
    this.isBusy = false;
    while (this.typed.length && !this.isBusy) this.onKey(this.typed.shift());
  }

  // ask for a hint; what comes when the person has gone on is dropped
  async #ask() {
    const { question } = this;
    const isLate = () => this.question?.id !== question.id || this.question.version !== question.version;
    this.note(say("Thinking"));
    try {
      /** @type {{ slots: number[], actions: number[] }} */
      const { slots, actions } = await post(this.view.address("/hint"), { ask: question.id });
      if (!isLate()) this.#hint(slots, actions);
    } catch (error) {
      if (!isLate()) this.note(error.message);
    }
  }

  /** @type {(slots: number[], actions: number[]) => void} */
  #hint(slots, actions) {
    const { game } = this.view.film;
    /** @type {[Wire.Move[], Wire.Step[], string[]]} */
    const [moves, steps, words] = [[], [], []];
    actions.forEach((code, n) => {
      const move = this.moves.find(
        (one) =>
          one.slot === (this.question.slots.length ? slots[n] : one.slot) &&
          (one.code === code ||
            (one.times &&
              (code - one.code) % one.times === 0 &&
              code > one.code &&
              code < one.code + one.times * one.most)),
      );
      if (!move) return;
      const amount = move.times ? 1 + (code - move.code) / move.times : 1;
      const name = [
        game.units[move.unit]?.[1] ?? (move.start >= 0 ? game.grid.names[move.start] : ""),
        move.word,
        move.most > 1 ? `×${amount}` : "",
        move.target >= 0 ? game.grid.names[move.target] : "",
      ];
      const brings = this.brings(move, amount);
      words.push(name.filter(Boolean).join(" ") + (brings && `: ${brings}`));
      moves.push(move);
      steps.push(["do", move.slot, code]);
    });
    [this.hint, this.hinted, this.told] = [moves, steps, words.join(", ")];
    this.paint();
    this.show();
    tell(this.told);
  }

  // do what the hint says
  #obey() {
    const [move] = this.hint;
    const [[, , code]] = this.hinted;
    if (this.hint.length === 1) this.#do(move, move.times ? 1 + (code - move.code) / move.times : 1);
    else this.#step(this.hinted, move);
  }

  /** @type {(text: string) => void} */
  note(text) {
    this.warned = null; // its words are gone
    this.bar.querySelector(".note")?.replaceChildren(text);
    tell(text);
  }

  // -- the action bar ----------------------------------------------------------------------------

  show() {
    const { question, bar } = this;
    const { match } = this.view;
    this.warned = null; // its words are gone
    this.view.banner();
    if (!question) return this.#rest();
    bar.hidden = false;
    const free = this.near().filter((move) => move.target < 0 && !this.pad.takes(move));
    const isList = free.length > 12;
    /** @type {[move: Wire.Move, word: string][]} */
    const words = free.map((move) => [move, [move.word, move.note].filter(Boolean).join(" ")]);
    const list = isList
      ? [
          make(
            "select.free",
            {
              "aria-label": say("Action"),
              change: (event) => event.target.value !== "" && this.#do(words[Number(event.target.value)][0]),
            },
            new Option(say("Choose an action"), ""),
            ...words.map(([, word], n) => new Option(word, String(n))),
          ),
        ]
      : words.map(([move, word]) =>
          make(
            "button",
            {
              class: words.length === 1 && question.undo && !question.slots.length ? "free primary" : "free",
              click: () => this.#do(move),
            },
            word,
          ),
        );
    const change = question.forecast
      ? question.forecast.map((score, player) => score - (this.view.frame?.scores[player][0] ?? 0))
      : null;
    bar.replaceChildren(
      ...list,
      make(
        "span.grow.note.soft",
        { role: "status" },
        this.told
          ? this.told
          : question.done || free.length || this.unit
            ? ""
            : this.units.length
              ? say("Choose one of the marked pieces")
              : say("Choose one of the marked cells"),
      ),
      change
        ? make("span.soft", say("if nobody interferes: {change}", { change: signed(change[question.player]) }))
        : "",
      question.pad?.random && this.moves.length
        ? make("button.random", { click: () => this.#draw() }, question.pad.random)
        : "",
      question.pad?.change && match.recipe?.ready && match.people.length === match.mine.length
        ? make("button.change", { click: () => this.#beginAnew() }, question.pad.change)
        : "",
      question.undo
        ? make("button.undo", { disabled: !question.size, click: () => this.#step([["undo"]]) }, say("Undo"))
        : "",
      this.view.match.lesson ? "" : make("button.hint", { click: () => this.#ask() }, say("Hint")),
      this.hint?.length ? make("button.obey", { click: () => this.#obey() }, say("Do it")) : "",
      question.undo && (question.slots.length || question.done)
        ? make(
            "button.primary.commit",
            {
              disabled: !question.slots.length && !question.done,
              click: () => this.commit(),
            },
            this.#ending(),
          )
        : "",
    );
    this.pad.show();
    keep(bar);
    keep(this.panel);
    this.tick();
  }

  // begin the match anew with a set-up by hand; nothing of this one stays
  #beginAnew() {
    const { id, match } = this.view;
    play({ ...match.recipe, ready: false, instead: id }).catch((error) => tell(error.message));
  }

  // show nothing until the next question, whose controls will be in the same place
  #rest() {
    if (this.view.isOver) this.bar.hidden = this.panel.hidden = true;
    this.pad.show();
    this.bar.replaceChildren();
  }

  #ending() {
    const { question } = this;
    const rest = question.slots.length && !question.done && question.size ? question.pad?.rest : "";
    return rest ? say("End turn, {rest}", { rest }) : say("End turn");
  }

  tick() {
    const { question, timer } = this;
    const passed = question?.held ? 0 : performance.now() - this.asked;
    const left = question?.left_ms == null ? null : Math.max(0, question.left_ms - passed);
    const text = left === null ? "" : clock(left);
    if (left !== null && !question.held && left <= LAST_MS && text !== timer.textContent) sound("tick");
    timer.textContent = text;
  }

  // keys of the player; true if one was taken
  /** @type {(event: KeyboardEvent) => boolean} */
  onKey(event) {
    const { question, view } = this;
    if (!question) {
      this.typed = [];
      return false;
    }
    if (event.key === "Enter" && event.ctrlKey) return (this.commit(), true);
    if (
      this.isBusy &&
      !event.ctrlKey &&
      (event.key.length === 1 || event.key === "Enter" || event.key.startsWith("Arrow"))
    )
      return (this.typed.push(event), true);
    if (this.pad.onKey(event)) return true;
    if (event.ctrlKey) return false;
    /** @type {Record<string, number[]>} */
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (arrows[event.key] && view.stage.game.grid) {
      const [right, down] = arrows[event.key];
      const cell = view.stage.next(right, down);
      view.stage.point(cell);
      view.stage.onPoint(cell);
      tell([view.stage.describe(cell), this.foretell(cell)].filter(Boolean).join(". "));
      return true;
    }
    const run = {
      Enter: () =>
        view.stage.cursor >= 0 && document.activeElement?.tagName !== "BUTTON" && (this.press(view.stage.cursor), true),
      Escape: () => (this.#hide(), this.#leave(), true),
      u: () => (question.undo && question.size && this.#step([["undo"]]), true),
      U: () => (question.redo && this.#step([["redo"]]), true),
      h: () => (this.#ask(), true),
      g: () => this.orders.areOpen && (this.orders.keep(), true),
      n: () => (this.#turn(1), true),
      p: () => (this.#turn(-1), true),
    }[event.key];
    return run ? run() : false;
  }

  // choose no unit
  #leave() {
    this.unit = null;
    this.view.refresh();
    this.show();
  }

  /** @type {(by: number) => void} */
  #turn(by) {
    if (!this.units.length) return;
    const at = this.units.indexOf(this.unit);
    this.choose(this.units[(at + by + this.units.length) % this.units.length]);
  }

  /** @type {(unit: string | undefined) => void} */
  choose(unit) {
    if (!unit) return;
    this.unit = unit;
    if (!this.hint) this.told = "";
    this.view.refresh();
    this.show();
  }
}
