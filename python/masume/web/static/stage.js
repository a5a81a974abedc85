// The board on the page: draws frames, shows targets, turns pointers and keys into cells.

import { drawn } from "./dom.js";
import {
  acts,
  beside,
  CELL,
  described,
  EDGE,
  escaped,
  gridOf,
  ground,
  HALF,
  hop,
  least,
  most,
  numbers,
  piece,
  plain,
  tags,
  units,
} from "./draw.js";
import { Pan } from "./pan.js";

const LAYERS = ["board", "numbers", "older", "fresh", "acts", "targets", "units", "tags", "badges", "cursor"];
const GLIDE_MS = 200;
const SMALL_PX = 20; // of a cell, below which a piece is a silhouette
const CHANGE_MS = 150; // until the last cell begins to change
const FAR = 6; // cells that a change comes in that time
const MANY_CHANGES = 150; // cells above which all change at once
const still = matchMedia("(prefers-reduced-motion: reduce)");
const PLACE = /transform="([^"]*)"/; // of a unit
const STEP_PX = 6; // of a pointer that is dragged
const MIDDLE = 0.7; // of a cell, which a dragged pointer must touch
const MANY = 40; // targets above which their marks are faint
const SIDE = 18.6; // of a hexagon
const OVER = new Set(["spot", "hint", "danger", "planned"]); // marks beside those of targets
/** Signs in the corner of a cell, in an area of 9 by 9. @type {Record<string, string>} */
const SIGNS = {
  ring: "m-3.5 0a3.5 3.5 0 1 1 7 0a3.5 3.5 0 1 1-7 0",
  cross: "m-3 0a3 3 0 1 1 6 0a3 3 0 1 1-6 0m3-5v10m-5-5h10",
  arc: "m-4 3q4-9 8 0",
  dot: "m-2 0a2 2 0 1 1 4 0a2 2 0 1 1-4 0",
  lamp: "m-2 1.5q-2.5-2-1.5-4.5q1.5-2.5 3.5-2.5t3.5 2.5q1 2.5-1.5 4.5zm0 2.5h4",
  alarm: "m0-4.5l5 8.5h-10zm0 3v2.5m0 2v.1",
};

export class Stage {
  /** @type {Wire.Game | null} */
  game = null;
  /** @type {Wire.Frame | null} */
  frame = null;
  cursor = -1;
  /** @type {Pan | null} the window on a board whose size nobody knows yet */
  pan = null;
  unit = 0; // that the window follows
  /** @type {Record<string, string[]>} the parts of each layer */
  drawn = {};
  /** @type {number[] | null} the cells over which the pointer is dragged */
  trail = null;
  isDragged = false;
  /** @type {{ clientX: number, clientY: number } | null} where the pointer was */
  last = null;

  /**
   * @param {(cell: number, event: MouseEvent) => void} onCell a cell was pressed
   * @param {(cell: number) => void} onPoint the pointer is on a cell, or on none: -1
   * @param {(cells: number[], isDone: boolean) => boolean} onDrag it is dragged; true if that means something
   * @param {(cell: number) => boolean} isGrip whether something can be dragged from a cell: there a finger does not scroll
   */
  constructor(onCell = () => {}, onPoint = () => {}, onDrag = () => false, isGrip = () => false) {
    this.svg = drawn(
      `<svg class="masume board-view" role="img" aria-label="${escaped(document.title)}">` +
        `${LAYERS.map((name) => `<g class="${name}"></g>`).join("")}</svg>`,
    );
    this.onCell = onCell;
    this.onPoint = onPoint;
    this.onDrag = onDrag;
    new ResizeObserver(() => this.#measure()).observe(this.svg);
    this.svg.addEventListener("click", (event) => this.#press(event));
    this.svg.addEventListener("pointermove", (event) => this.onPoint(this.cellAt(event)));
    this.svg.addEventListener("pointerleave", () => this.onPoint(-1));
    this.svg.addEventListener("pointerdown", (event) => {
      const cell = this.cellAt(event);
      this.onPoint(cell); // a finger has no other way to ask
      [this.trail, this.isDragged, this.last] = [cell < 0 ? null : [cell], false, event];
    });
    this.svg.addEventListener("pointermove", (event) => this.#drag(event));
    this.svg.addEventListener(
      "touchmove",
      (event) => {
        if (event.touches.length === 1 && this.trail && isGrip(this.trail[0])) event.preventDefault();
      },
      { passive: false },
    );
    this.svg.addEventListener("pointerup", () => this.#drop());
    this.svg.addEventListener("pointercancel", () => (this.trail = null));
  }

  // add the cells between the last place of the pointer and this one; only their middles count, so that a slanting
  // line goes from cell to cell by their corners
  /** @type {(event: PointerEvent) => void} */
  #drag(event) {
    const { trail, last } = this;
    if (!trail || !event.buttons) return;
    const [right, down] = [event.clientX - last.clientX, event.clientY - last.clientY];
    const steps = Math.ceil(Math.hypot(right, down) / STEP_PX);
    this.last = { clientX: event.clientX, clientY: event.clientY };
    for (let n = 1; n <= steps; n++) {
      const cell = this.cellAt(
        { clientX: last.clientX + (right * n) / steps, clientY: last.clientY + (down * n) / steps },
        MIDDLE,
      );
      if (cell >= 0 && cell !== trail.at(-1)) trail.push(cell);
    }
    if (trail.length > 1) this.isDragged = this.onDrag(trail, false);
  }

  #drop() {
    if (this.isDragged) this.onDrag(this.trail, true);
    this.trail = null;
  }

  /** @type {(name: string) => Element} */
  layer(name) {
    return this.svg.children[LAYERS.indexOf(name)];
  }

  // begin to show the scene of a game, as a player sees it
  /** @type {(scene: Wire.Scene, player?: number | null) => void} */
  set(scene, player = null) {
    this.game = { ...scene, grid: scene.tiles.length ? gridOf(scene) : null };
    [this.unit, this.drawn] = [scene.units.findIndex(([owner]) => owner === player), {}];
    this.pan?.end();
    this.pan = Pan.isFor(this.game) ? new Pan(this.game, (...box) => this.#frameBox(...box)) : null;
    if (this.pan) this.svg.after(this.pan.map);
    for (const layer of this.svg.children) layer.replaceChildren();
    const [width, height] = this.game.grid?.size ?? [480, 320];
    this.#frameBox(0, 0, width, height);
  }

  // small cells show silhouettes alone
  #measure() {
    const scale = this.svg.getScreenCTM()?.a ?? 1;
    this.svg.classList.toggle("coarse", scale * CELL < SMALL_PX);
  }

  /** @type {(x: number, y: number, width: number, height: number) => void} */
  #frameBox(x, y, width, height) {
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
    this.svg.style.setProperty("--shape", String(width / height));
    this.svg.style.setProperty("--wide", `${2.6 * width}px`);
    this.#measure();
  }

  // show a frame; `before` is the frame whose units the acts begin at; pieces glide from where they were if `glides`;
  // what happened in earlier frames is still marked
  /** @type {(frame: Wire.Frame, before?: Wire.Frame, glides?: boolean, earlier?: Wire.Pair[]) => void} */
  show(frame, before, glides = false, earlier = []) {
    const { game, frame: last } = this;
    this.frame = frame;
    if (!game.grid) {
      const lines = (frame.text ?? "").split("\n");
      this.#frameBox(0, 0, 16 + 8 * most(lines, (line) => line.length), EDGE + 20 * lines.length);
      this.layer("board").innerHTML = plain(frame.text ?? "");
      return;
    }
    const [tries, badges] = before ? acts(game, frame, before) : ["", ""];
    this.#fill("board", [...ground(game, frame), beside(game)]);
    this.#fill(
      "numbers",
      numbers(game, frame).map(([kind, text]) => text && `<g class="${kind}">${text}</g>`),
    );
    this.#fill("older", [earlier.map((pair) => this.#fresh(...pair) + acts(game, ...pair)[0]).join("")]);
    this.#fill("fresh", [before ? this.#fresh(frame, before) : ""]);
    this.#fill("acts", [tries]);
    this.#move(units(game, frame).split(/(?<=<\/g>)/));
    this.#fill("tags", [tags(game, frame)]);
    this.#fill("badges", [badges]);
    this.pan?.follow(frame, frame.places[this.unit] ?? -1);
    if (glides && last && !still.matches) {
      this.#glide(last, frame);
      this.#reveal(last, frame);
    }
  }

  // fill a layer with parts, and replace only those that have changed
  /** @type {(name: string, parts: string[]) => void} */
  #fill(name, parts) {
    const old = this.drawn[name];
    if (old?.length === 1 && parts.length === 1 && old[0] === parts[0]) return;
    this.drawn[name] = parts;
    const layer = this.layer(name);
    /** @type {(text: string) => string} */
    const part = (text) => text || "<g/>";
    if (parts.length === 1 || old?.length !== parts.length) {
      layer.innerHTML = parts.length === 1 ? parts[0] : parts.map(part).join("");
      return;
    }
    const changed = parts.flatMap((text, n) => (text === old[n] ? [] : [n]));
    if (!changed.length) return;
    const holder = document.createElementNS("http://www.w3.org/2000/svg", "g");
    holder.innerHTML = changed.map((n) => part(parts[n])).join("");
    const [places, fresh] = [changed.map((n) => layer.children[n]), [...holder.children]];
    places.forEach((place, n) => place.replaceWith(fresh[n]));
  }

  // show the units: those that only moved keep their elements, whose texts need no new layout
  /** @type {(parts: string[]) => void} */
  #move(parts) {
    const old = this.drawn.units ?? [];
    const layer = this.layer("units");
    const isSame =
      old.length === parts.length && parts.every((text, n) => text.replace(PLACE, "") === old[n].replace(PLACE, ""));
    this.drawn.units = parts;
    if (!isSame) layer.innerHTML = parts.join("");
    else
      parts.forEach((text, n) => text === old[n] || layer.children[n].setAttribute("transform", PLACE.exec(text)[1]));
  }

  // the cells that the last move changed, unless it changed much
  /** @type {(frame: Wire.Frame, before: Wire.Frame) => string} */
  #fresh(frame, before) {
    const { centres, shapes } = this.game.grid;
    const cells = [...centres.keys()].filter((cell) => frame.cells[cell] !== before.cells[cell]);
    if (!cells.length || cells.length > centres.length / 4) return "";
    return `<path d="${cells.map((cell) => `M${centres[cell].join(" ")}${shapes.cell}`).join("")}"/>`;
  }

  // let the pieces that have moved glide from their old places
  /** @type {(last: Wire.Frame, frame: Wire.Frame) => void} */
  #glide(last, frame) {
    const { centres } = this.game.grid;
    const shown = frame.places.flatMap((cell, unit) => (cell < 0 ? [] : [unit]));
    const elements = this.layer("units").children;
    shown.forEach((unit, n) => {
      const [from, to] = [last.places[unit], frame.places[unit]];
      if (from === undefined || from < 0 || from === to) return;
      const place = elements[n].getAttribute("transform");
      const [x, y] = [centres[from][0] - centres[to][0], centres[from][1] - centres[to][1]];
      const css = place.replace(/\((-?[\d.]+) (-?[\d.]+)\)/, "($1px, $2px)");
      elements[n].animate([{ transform: `translate(${x}px, ${y}px) ${css}` }, { transform: css }], {
        duration: GLIDE_MS,
        easing: "ease-out",
      });
    });
  }

  // let the cells that have changed appear one after the other, from where something was done: each has a cover
  /** @type {(last: Wire.Frame, frame: Wire.Frame) => void} */
  #reveal(last, frame) {
    const { centres, shapes } = this.game.grid;
    const cells = [...centres.keys()].filter((cell) => frame.cells[cell] !== last.cells[cell]);
    if (cells.length > MANY_CHANGES) return;
    const from = frame.acts.flatMap(({ target }) => (target < 0 ? [] : [centres[target]]));
    for (const [x, y] of cells.map((cell) => centres[cell])) {
      const cover = document.createElementNS("http://www.w3.org/2000/svg", "path");
      cover.setAttribute("class", "change");
      cover.setAttribute("d", `M${x} ${y}${shapes.cell}`);
      this.layer("fresh").append(cover);
      const far = from.length ? least(from, ([left, top]) => Math.hypot(left - x, top - y)) : 0;
      cover
        .animate([{ opacity: 1 }, { opacity: 0 }], {
          delay: Math.min(CHANGE_MS, (CHANGE_MS * far) / (FAR * CELL)),
          duration: CHANGE_MS,
          fill: "both",
        })
        .finished.then(
          () => cover.remove(),
          () => {}, // it was removed before
        );
    }
  }

  // the cell at a pointer, -1 for none; `part` of its width counts
  /** @type {(event: { clientX: number, clientY: number }, part?: number) => number} */
  cellAt(event, part = 1) {
    if (!this.game?.grid) return -1;
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const { centres, shapes } = this.game.grid;
    /** @type {(point: Wire.Point) => number} */
    const far = ([x, y]) => Math.hypot(x - point.x, y - point.y);
    const near = centres.reduce((best, centre, cell) => (far(centre) < far(centres[best]) ? cell : best), 0);
    const [x, y] = centres[near];
    return Math.abs(point.x - x) <= part * HALF && Math.abs(point.y - y) <= part * shapes.half ? near : -1;
  }

  /** @type {(event: MouseEvent) => void} */
  #press(event) {
    const cell = this.isDragged ? -1 : this.cellAt(event);
    this.isDragged = false;
    if (cell >= 0) this.onCell(cell, event);
  }

  /** @type {(cell: number) => string} */
  describe(cell) {
    return this.game?.grid && this.frame ? described(this.game, this.frame, cell) : "";
  }

  // marks on the board, none of which covers a number or a piece; chosen: cells with a ring under their piece
  /** @type {(marks: Wire.Mark[], chosen?: number[]) => void} */
  mark(marks, chosen = []) {
    if (!this.game?.grid) return;
    const { centres } = this.game.grid;
    const isCrowded = marks.filter(([, kind]) => !OVER.has(kind)).length > MANY;
    this.layer("targets").innerHTML =
      chosen
        .map((cell) => `<circle class="chosen" cx="${centres[cell][0]}" cy="${centres[cell][1]}" r="15"/>`)
        .join("") + marks.map((mark) => this.#marked(mark, isCrowded)).join("");
  }

  /** @type {(mark: Wire.Mark, isCrowded: boolean) => string} */
  #marked([cell, kind, text = "", from = -1, unit = -1], isCrowded) {
    const { game, frame } = this;
    const { centres, shapes } = game.grid;
    const [x, y] = centres[cell];
    /** @type {(name: string, scale: number, more?: string) => string} */
    const outline = (name, scale, more = "") =>
      `<path class="${name}" transform="translate(${x} ${y}) scale(${scale})" d="M0 0${shapes.cell}"${more}/>`;
    /** @type {(name: string, right: number) => string} */
    const sign = (name, right) =>
      `<path class="sign ${name}" transform="translate(${x + right} ${y - 10.5})" d="M0 0${SIGNS[name]}"/>`;
    if (kind === "spot") return outline("spot", 0.8);
    if (kind === "hint") return outline("lit", 1) + sign("lamp", -10.5);
    if (kind === "danger") return outline("danger", 0.94) + outline("danger", 0.8) + sign("alarm", -10.5);
    const way =
      from >= 0 && from !== cell
        ? hop(centres[from], [x, y], 10, kind === "planned" ? 12 : 4, kind === "arc", false)
        : "";
    const path = way && `<path class="way ${kind}" d="${way}"/>`;
    if (kind === "planned") {
      const [player, , look] = game.units[unit] ?? [-1, "", ""];
      const shape = game.shapes[frame.looks.get(unit) ?? look];
      const ghost = text ? sign(text, 10.5) : shape ? piece(shape, player, [x, y], true) : sign("dot", 10.5);
      return `<g class="planned">${outline("frame", 0.86)}${path}${ghost}</g>`;
    }
    const side = shapes.half === HALF ? CELL / 2 : SIDE / 2;
    const corners = outline("bracket", 0.86, ` stroke-dasharray="${side}" stroke-dashoffset="${side / 2}"`);
    const note = text && `<text class="price" x="${x}" y="${y + 14}">${escaped(text)}</text>`;
    const verb = SIGNS[kind] ? sign(kind, 10.5) : "";
    return (
      `<g${isCrowded ? ' class="few"' : ""}><path class="target" d="M${x} ${y}${shapes.cell}"/>` +
      `${isCrowded ? "" : path}${corners}${isCrowded ? "" : verb}${note}</g>`
    );
  }

  // the cursor of the keyboard; -1 hides it
  /** @type {(cell: number) => void} */
  point(cell) {
    this.cursor = cell;
    const grid = this.game?.grid;
    this.layer("cursor").innerHTML =
      cell < 0 || !grid ? "" : `<path class="at" d="M${grid.centres[cell].join(" ")}${grid.shapes.cell}"/>`;
  }

  // the cell next to the cursor in a direction, in half columns and rows
  /** @type {(right: number, down: number) => number} */
  next(right, down) {
    const { spots } = this.game.grid;
    if (this.cursor < 0) return Math.max(0, this.frame.places.find((place) => place >= 0) ?? 0);
    const [half, row] = spots[this.cursor];
    /** @type {(cell: number) => number} */
    const wanted = (cell) => {
      const [x, y] = [spots[cell][0] - half, spots[cell][1] - row];
      if (right) return y === 0 && Math.sign(x) === right ? Math.abs(x) : Infinity;
      return Math.sign(y) === down ? 100 * Math.abs(y) + Math.abs(x) : Infinity;
    };
    const best = [...spots.keys()].reduce(
      (found, cell) => (wanted(cell) < wanted(found) ? cell : found),
      this.cursor === 0 ? 1 : 0,
    );
    return wanted(best) === Infinity ? this.cursor : best;
  }
}
