// A start that is being made: its cells, and how the symmetries of a board carry a cell.

/** @type {(kinds: Wire.Kind[]) => Wire.Kind[]} */
const copied = (kinds) => kinds.map(([letter, name, amount]) => [letter, name, amount]);

export class Sheet {
  /** @param {Wire.Desk} desk @param {Wire.Sheet} sheet */
  constructor(desk, { size, cells, spots, fields, kinds }) {
    this.desk = desk;
    this.size = [...size];
    this.cells = [...cells];
    this.spots = spots ?? [];
    this.fields = { ...fields };
    this.kinds = copied(kinds);
  }

  copy() {
    return new Sheet(this.desk, this);
  }

  // what the server is sent; `spots` are kept for the next visit
  /** @type {() => Wire.Sheet} */
  plain() {
    const { size, cells, spots, fields, kinds } = this;
    return { size, cells, spots, fields, kinds };
  }

  get ground() {
    return this.desk.numbers ? 0 : this.desk.brushes[0][0];
  }

  // the cell's place: column and row, or x and y of a hexagon
  /** @type {(cell: number) => number[]} */
  place(cell) {
    return this.spots.length ? this.spots[cell] : [cell % this.size[0], Math.floor(cell / this.size[0])];
  }

  // the cell on a place; -1 outside the board
  /** @type {(place: number[]) => number} */
  at([x, y]) {
    const [width, height] = this.size;
    if (this.spots.length) return this.spots.findIndex((spot) => spot[0] === x && spot[1] === y);
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1;
  }

  // this board with the cells, fields and kinds of another one, where it has them
  /** @type {(other: Sheet) => Sheet} */
  over(other) {
    other.cells.forEach((mark, cell) => {
      const here = this.at(other.place(cell));
      if (here >= 0) this.cells[here] = mark;
    });
    [this.fields, this.kinds] = [{ ...other.fields }, copied(other.kinds)];
    return this;
  }

  // the cell, then its images
  /** @type {(cell: number, symmetry: string) => number[]} */
  images(cell, symmetry) {
    const [x, y] = this.place(cell);
    const [right, down] = this.size.map((size) => size - 1);
    /** @type {number[][]} */
    const found = {
      none: [],
      columns: [[right - x, y]],
      rows: [[x, down - y]],
      point: [[right - x, down - y]],
      both: [
        [right - x, y],
        [x, down - y],
        [right - x, down - y],
      ],
      thirds: [
        [-x - y, x],
        [y, -x - y],
      ],
    }[symmetry];
    return [cell, ...found.map((place) => this.at(place))];
  }

  // paint a cell and its images
  /** @type {(cell: number, value: string | number, symmetry: string) => void} */
  put(cell, value, symmetry) {
    const cycle = this.desk.numbers ? "" : (this.desk.brushes.find(([mark]) => mark === value)?.[6] ?? "");
    const cells = this.images(cell, symmetry);
    if (!cycle) {
      for (const one of cells) this.cells[one] = value;
      return;
    }
    // what is there once: each image is the next of the cycle; of four images of two, the last is opposite
    const order = cycle.length === 2 ? [cells[0], cells.at(-1)] : cells;
    [...cycle].slice(0, order.length).forEach((mark, n) => {
      if (n && order[n] === cell) return;
      this.cells = this.cells.map((old) => (old === mark ? this.ground : old));
      this.cells[order[n]] = mark;
    });
  }

  // -- how it is drawn -------------------------------------------------------------------------

  /** @type {() => Wire.Scene} */
  scene() {
    const { desk, size } = this;
    const [width, height] = this.spots.length ? [0, 0] : size;
    /** @type {Wire.Tile[]} */
    const kinds = this.kinds.map(([letter, name]) => [letter, "plain", -1, name, desk.kinds.glyph]);
    /** @type {Wire.Tile[]} */
    const tiles = desk.brushes.map(([mark, name, shape, player, glyph]) => [mark, shape, player, name, glyph]);
    return {
      title: "",
      players: [],
      scores: [],
      verbs: [],
      outcomes: [],
      values: [],
      width,
      height,
      tiles: [...tiles, ...kinds],
      units: desk.brushes.filter((brush) => brush[5]).map(([, , , player, , unit, , look]) => [player, unit, look, ""]),
      shapes: desk.shapes,
      hexes: this.spots.flat(),
      columns: [...desk.letters.slice(0, width)],
      rows: desk.letters ? [...Array(height).keys()].map((row) => String(row + 1)) : [],
    };
  }

  /** @type {() => Wire.Frame} */
  frame() {
    const { desk, cells } = this;
    /** @type {Map<string | number, string>} */
    const amounts = new Map(this.kinds.map(([letter, , amount]) => [letter, String(amount)]));
    return {
      caption: "",
      scores: [],
      faint: [],
      acts: [],
      log: [],
      looks: new Map(),
      pips: new Map(),
      glyphs: new Map(),
      cells: desk.numbers ? desk.brushes[0][0].repeat(cells.length) : cells.join(""),
      places: desk.brushes.filter((brush) => brush[5]).map(([mark]) => cells.indexOf(mark)),
      notes: new Map(cells.flatMap((mark, cell) => (amounts.has(mark) ? [[cell, amounts.get(mark)]] : []))),
    };
  }
}
