// A board whose size nobody knows yet: a window on it that slides along with the viewer's piece and what it searches,
// and a small map of all that was seen. Cells keep their size.

import { drawn, make } from "./dom.js";
import { CELL, least, most, say } from "./draw.js";

const [WIDE, HIGH] = [15, 11]; // cells in the window
const NEAR = 4; // cells from the edge of the window, which the piece does not come nearer
const SLIDE_MS = 250;
const LOOK_MS = 700; // at what was searched
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Pan {
  /** @type {Wire.Point | null} the corner of the window around the piece, in cells */
  home = null;
  /** @type {Wire.Point} where its corner is, or slides to */
  corner = [0, 0];
  /** @type {Wire.Point} where it slides from */
  from = [0, 0];
  /** @type {Wire.Box | null} what was seen: it never shrinks */
  seen = null;
  /** @type {Wire.Frame | null} */
  shown = null;
  begun = 0; // when it began to slide, ms
  timer = 0;

  /** @param {Wire.Game} game @param {(x: number, y: number, width: number, height: number) => void} show */
  constructor(game, show) {
    this.game = game;
    this.show = show;
    this.size = [Math.min(WIDE, game.width), Math.min(HIGH, game.height)];
    this.map = make("div.map", { title: say("All that was seen; drag to look there") });
    /** @type {(event: PointerEvent) => void} */
    const look = (event) => event.buttons && this.#look(event);
    this.map.addEventListener("pointerdown", look);
    this.map.addEventListener("pointermove", look);
  }

  /** @type {(game: Wire.Game) => boolean} */
  static isFor(game) {
    return !game.hexes.length && game.tiles.some(([, shape]) => shape === "void");
  }

  // slide no more
  end() {
    clearTimeout(this.timer);
    this.map.remove();
    this.show = () => {};
  }

  // show a frame around a cell, after a look at the target of what was done there
  /** @type {(frame: Wire.Frame, cell: number) => void} */
  follow(frame, cell) {
    if (frame === this.shown) return;
    this.shown = frame;
    const place = this.#placeOf(cell < 0 ? Math.floor(frame.cells.length / 2) : cell);
    const isFirst = this.home === null;
    this.home ??= [place[0] - Math.floor(this.size[0] / 2), place[1] - Math.floor(this.size[1] / 2)];
    this.home = this.#near(place, NEAR);
    const target = frame.acts.find((act) => act.target >= 0)?.target ?? -1;
    this.#draw(frame, cell);
    clearTimeout(this.timer);
    if (target < 0 || isFirst) {
      this.#slide(this.home, isFirst);
      return;
    }
    this.#slide(this.#near(this.#placeOf(target), 0));
    this.timer = setTimeout(() => this.#slide(this.home), LOOK_MS);
  }

  /** @type {(cell: number) => Wire.Point} */
  #placeOf(cell) {
    return [cell % this.game.width, Math.floor(cell / this.game.width)];
  }

  // the corner that is nearest to home and keeps a place so far from the edge of the window
  /** @type {(place: Wire.Point, near: number) => Wire.Point} */
  #near(place, near) {
    const all = [this.game.width, this.game.height];
    const [x, y] = place.map((value, axis) => {
      const size = this.size[axis];
      const margin = Math.min(near, Math.floor((size - 1) / 2));
      const corner = Math.min(Math.max(this.home[axis], value - size + 1 + margin), value - margin);
      return Math.min(Math.max(corner, 0), all[axis] - size);
    });
    return [x, y];
  }

  /** @type {(corner: Wire.Point, isAtOnce?: boolean) => void} */
  #slide(corner, isAtOnce = false) {
    this.from = isAtOnce || still.matches ? corner : this.#now();
    this.corner = corner;
    this.begun = performance.now();
    this.#step();
  }

  // the corner as it is on its way
  /** @type {() => Wire.Point} */
  #now() {
    const part = Math.min(1, (performance.now() - this.begun) / SLIDE_MS);
    const eased = 1 - (1 - part) ** 2;
    const [x, y] = [0, 1].map((axis) => this.from[axis] + eased * (this.corner[axis] - this.from[axis]));
    return [x, y];
  }

  #step() {
    const [column, row] = this.#now();
    const [x, y] = this.game.grid.centres[0];
    const half = CELL / 2;
    this.show(
      x - half + CELL * column - 2,
      y - half + CELL * row - 2,
      CELL * this.size[0] + 4,
      CELL * this.size[1] + 4,
    );
    const frame = this.map.querySelector(".window");
    for (const [name, value] of Object.entries({ x: column, y: row, width: this.size[0], height: this.size[1] }))
      frame?.setAttribute(name, String(value));
    if (column !== this.corner[0] || row !== this.corner[1]) requestAnimationFrame(() => this.#step());
  }

  // -- the small map -----------------------------------------------------------------------------

  /** @type {(frame: Wire.Frame, cell: number) => void} */
  #draw(frame, cell) {
    const { game } = this;
    /** @type {Map<string, string>} commands by class */
    const areas = new Map();
    const kinds = new Map(game.tiles.map(([mark, shape, , , glyph]) => [mark, glyph || shape]));
    const known = [...frame.cells].flatMap((mark, at) => {
      const kind = kinds.get(mark);
      if (kind === "void" || kind === "unknown") return [];
      const [x, y] = this.#placeOf(at);
      const name = kind === "plain" ? "ground" : kind;
      areas.set(name, `${areas.get(name) ?? ""}M${x} ${y}h1v1h-1z`);
      return [[x, y]];
    });
    const old = this.seen ?? { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity };
    this.seen = {
      left: Math.min(
        old.left,
        least(known, ([x]) => x),
      ),
      right: Math.max(
        old.right,
        most(known, ([x]) => x),
      ),
      top: Math.min(
        old.top,
        least(known, ([, y]) => y),
      ),
      bottom: Math.max(
        old.bottom,
        most(known, ([, y]) => y),
      ),
    };
    const { left, right, top, bottom } = this.seen;
    const dots = frame.places.flatMap((place, unit) => {
      if (place < 0) return [];
      const [x, y] = this.#placeOf(place);
      return [
        `<circle class="p${game.units[unit][0]}" cx="${x + 0.5}" cy="${y + 0.5}" r="${place === cell ? 0.7 : 0.6}"/>`,
      ];
    });
    const [x, y] = this.home;
    this.map.hidden = left >= x && right < x + this.size[0] && top >= y && bottom < y + this.size[1];
    this.map.replaceChildren(
      drawn(
        `<svg class="masume" viewBox="${left - 1} ${top - 1} ${right - left + 3} ${bottom - top + 3}">` +
          [...areas].map(([name, commands]) => `<path class="${name}" d="${commands}"/>`).join("") +
          `${dots.join("")}<rect class="window"/></svg>`,
      ),
    );
  }

  // look at a place of the small map
  /** @type {(event: PointerEvent) => void} */
  #look(event) {
    const picture = /** @type {SVGSVGElement} */ (this.map.firstElementChild);
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse());
    clearTimeout(this.timer);
    const [x, y] = [point.x, point.y].map(Math.floor);
    this.#slide(this.#near([x, y], Math.max(...this.size)), true);
    event.preventDefault();
  }
}
