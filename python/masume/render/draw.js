// Draws positions and charts, in reports and on the live page. `gridOf`, `board`, `things`, `piece`, `footOf`, `units`,
// `tags` and `plain` are twins of functions in canvas.py and svg.py. Nothing here knows a game: the data define cells, units, actions and scores.

/** @type {Wire.PageData} */
const data = JSON.parse(document.getElementById("data").textContent);
const {
  cell: CELL,
  pitch: PITCH,
  margin: MARGIN,
  edge: EDGE,
  square: SQUARE,
  hexagon: HEXAGON,
  glyphs: GLYPHS,
  bricks: BRICKS,
  small: SMALL,
  lift: LIFT,
  pips: PIPS,
} = data.canvas;
const HALF = CELL / 2;
const FOOT = 23; // from a small piece to its letters
/** @type {Wire.Grid} of what has no board */
const NO_GRID = { shapes: SQUARE, spots: [], names: [], rows: [], columns: [], centres: [], size: [0, 0] };
/** @type {Wire.Find} */
const find = (id) => /** @type {any} */ (document.getElementById(id));
/** @type {(text: string) => string} */
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const MINUS = "\u2212";
// a text of the page in its language, with values in its {fields}
/** @type {(text: string, values?: Record<string, any>) => string} */
const say = (text, values = {}) => (data.words[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
/** @type {(number: number | string | null) => string} */
const signed = (number) => (number === null ? "?" : String(number).replace("-", MINUS));
const english = new Intl.NumberFormat("en");
/** @type {(number: number | null) => string} */
const grouped = (number) => (number === null ? "?" : signed(english.format(number)));
/** @type {(number: number) => string} */
const brief = (number) =>
  signed(number.toLocaleString("en", { notation: Math.abs(number) < 1e4 ? "standard" : "compact" }));

// -- the data ------------------------------------------------------------------------------------

/** @type {<T>(items: T[], size: (item: T) => number) => number} */
const most = (items, size) => items.reduce((found, item) => Math.max(found, size(item)), -Infinity);
/** @type {<T>(items: T[], size: (item: T) => number) => number} */
const least = (items, size) => -most(items, (item) => -size(item));
/** @type {(numbers: Iterable<number>) => number[]} */
const sorted = (numbers) => [...new Set(numbers)].sort((one, other) => one - other);
/** @type {(list?: any[]) => [any, any][]} */
const pairs = (list = []) => list.filter((_item, i) => i % 2 === 0).map((item, i) => [item, list[2 * i + 1]]);

// a function that makes packed frames complete, one after the other; a view takes captions, and lines of its log, from
// `whole`, the packed frame that shows everything
/** @type {(game: Wire.Game) => (packed: Wire.Packed, whole?: Wire.Packed) => Wire.Frame} */
function unpacker(game) {
  /** @type {[string[], number[], Wire.Maps, number[], Wire.Frame["scores"]]} */
  let [cells, places, maps, faint, scores] = [[], [], noMaps(), [], []];
  return (packed, whole = packed) => {
    if (packed.whole || !scores.length) {
      cells = game.grid.spots.map(() => game.tiles[0][0]);
      places = game.units.map(() => -1);
      [maps, faint] = [noMaps(), []];
    }
    for (const [first, marks] of pairs(packed.cells)) [...marks].forEach((mark, i) => (cells[first + i] = mark));
    if (packed.places) places = places.slice();
    for (const [unit, to] of pairs(packed.places)) places[unit] = to;
    maps = { ...maps };
    for (const name of MAPS) {
      if (packed[name]) maps[name] = new Map(/** @type {Map<number, any>} */ (maps[name]));
      for (const [key, value] of pairs(packed[name])) value ? maps[name].set(key, value) : maps[name].delete(key);
    }
    faint = packed.faint ?? faint;
    scores = packed.scores ?? scores;
    /** @type {Wire.Act[]} */
    const acts = [];
    for (let i = 0; i < (packed.acts ?? []).length; i += 4) {
      const [unit, verb, aim, outcome] = packed.acts.slice(i, i + 4);
      const path = [aim].flat();
      acts.push({ unit: Number(unit), verb: Number(verb), outcome: Number(outcome), target: path.pop(), via: path });
    }
    const caption = packed.caption ?? whole.caption;
    const log = (packed.log ?? []).map((line) => (typeof line === "number" ? String(whole.log[line]) : line));
    return { caption, scores, cells: cells.join(""), places, ...maps, faint, acts, log, text: packed.text };
  };
}

const MAPS = /** @type {const} */ (["notes", "looks", "pips", "glyphs"]); // of a frame
/** @type {() => Wire.Maps} */
const noMaps = () => ({ notes: new Map(), looks: new Map(), pips: new Map(), glyphs: new Map() });

// -- the board -----------------------------------------------------------------------------------

/** @type {(game: Wire.Scene) => Wire.Grid} */
function gridOf(game) {
  const hexes = pairs(game.hexes);
  const [shapes, pitch] = hexes.length ? [HEXAGON, PITCH] : [SQUARE, CELL];
  /** @type {Wire.Grid} */
  const grid = { shapes, spots: [], names: [], rows: [], columns: [], centres: [], size: [0, 0] };
  /** @type {(spot: Wire.Point) => Wire.Point} */
  const centre = ([half, row]) => [MARGIN + HALF * (half + 1), MARGIN + HALF + pitch * row];
  /** @type {(list: Wire.Grid["rows"], spot: Wire.Point, text: string, right: number, down: number) => void} */
  const write = (list, spot, text, right, down) => {
    const [x, y] = centre(spot);
    list.push([x + right, y + down, text]);
  };
  if (hexes.length) {
    const left = least(hexes, ([x, y]) => 2 * x + y);
    const top = least(hexes, ([, y]) => y);
    for (const [x, y] of hexes) grid.spots.push([2 * x + y - left, y - top]);
    grid.names = hexes.map(([x, y]) => `${x},${y}`);
    for (const y of sorted(hexes.map(([, y]) => y))) {
      const x = least(
        hexes.filter(([, row]) => row === y),
        ([x]) => x,
      );
      write(grid.rows, [2 * x + y - left, y - top], String(y), -27, 0);
    }
    for (const x of sorted(hexes.map(([x]) => x))) {
      const y =
        most(
          hexes.filter(([column]) => column === x),
          ([, y]) => y,
        ) + 1;
      write(grid.columns, [2 * x + y - left, y - top], String(x), -3, -5);
    }
  } else {
    /** @type {(names: string[], size: number) => string[]} */
    const named = (names, size) => (names.length ? names : [...Array(size).keys()].map(String));
    const [columns, rows] = [named(game.columns, game.width), named(game.rows, game.height)];
    const comma = /^\p{L}/u.test(columns[0]) ? "" : ",";
    rows.forEach((row, r) =>
      columns.forEach((column, c) => {
        grid.spots.push([2 * c, r]);
        grid.names.push(`${column}${comma}${row}`);
      }),
    );
    columns.forEach((column, n) => write(grid.columns, [2 * n, -1], column, 0, 5));
    rows.forEach((row, n) => write(grid.rows, [0, n], row, -27, 0));
  }
  grid.centres = grid.spots.map(centre);
  const right = Math.max(most(grid.centres, ([x]) => x) + HALF, most(grid.columns, ([x]) => x) + 8);
  const bottom = Math.max(most(grid.centres, ([, y]) => y) + shapes.half, most(grid.columns, ([, y]) => y) + 8);
  grid.size = [right + EDGE, bottom + EDGE];
  return grid;
}

/** @type {(game: Wire.Game, frame: Wire.Frame) => string} */
function board(game, frame) {
  const texts = numbers(game, frame);
  const values = game.tiles.flatMap((tile) =>
    [false, true].map((low) => {
      const group = texts
        .map(([kind, text], cell) => (frame.cells[cell] === tile[0] && kind.endsWith(LOW) === low ? text : ""))
        .join("");
      return group && `<g class="${valueKind(tile, low)}">${group}</g>`;
    }),
  );
  return ground(game, frame).join("") + values.join("") + beside(game);
}

// the cells without their numbers: one path for each kind of tile, "" if there is no such cell
/** @type {(game: Wire.Game, frame: Wire.Frame) => string[]} */
function ground(game, frame) {
  const { shapes, centres } = game.grid;
  const cells = [...centres.keys()];
  /** @type {string[]} */
  const parts = [];
  /** @type {(kind: string, shape: string, where: number[]) => void} */
  const path = (kind, shape, where) => {
    const commands = where.map((cell) => `M${centres[cell].join(" ")}${shape}`).join("");
    parts.push(commands && `<path class="${kind}" d="${commands}"/>`);
  };
  const voids = game.tiles.filter(([, shape]) => shape === "void").map(([mark]) => mark);
  path(
    "ground",
    shapes.cell,
    cells.filter((cell) => !voids.includes(frame.cells[cell])),
  );
  path(
    "low",
    shapes.cell,
    cells.filter((cell) => game.values[cell] < 0),
  );
  for (const [mark, shape, player, , glyph] of game.tiles) {
    const where = cells.filter((cell) => frame.cells[cell] === mark);
    if (shape === "solid") {
      path(`solid p${player}`, shapes.solid[player], where);
    } else if (shape === "wall" || shape === "plot") {
      path(`plot p${player}`, shapes.solid[player], where);
      if (shape === "wall") path(`bricks p${player}`, BRICKS, where);
    } else if (shape === "hatch") {
      path(`tint p${player}`, shapes.cell, where);
      path(`hatch p${player}`, shapes.hatch[player], where);
      const lines = fence(game.grid, where);
      parts.push(lines && `<path class="fence p${player}" d="${lines}"/>`);
    } else if (shape !== "plain" && shape !== "void") {
      path(shape, shapes.cell, where);
    }
    if (glyph && !game.shapes[glyph]) path(`glyph ${glyph}`, GLYPHS[glyph], where);
  }
  const small = frame.notes;
  parts.push(
    things(game, frame)
      .map(([cell, name, player]) => piece(game.shapes[name], player, centres[cell], small.has(cell)))
      .join(""),
  );
  return parts;
}

// the lines around an area
/** @type {(grid: Wire.Grid, cells: number[]) => string} */
function fence({ shapes, spots, centres }, cells) {
  const area = new Set(cells.map((cell) => spots[cell].join()));
  return cells
    .flatMap((cell) =>
      shapes.edges
        .filter(([right, down]) => !area.has([spots[cell][0] + right, spots[cell][1] + down].join()))
        .map(([, , line]) => `M${centres[cell].join(" ")}${line}`),
    )
    .join("");
}

// what stands on cells beside units: the cell, its shape, and the player or -1
/** @type {(game: Wire.Game, frame: Wire.Frame) => [cell: number, name: string, player: number][]} */
function things(game, frame) {
  const tiles = new Map(game.tiles.map((tile) => [tile[0], tile]));
  return [...frame.cells].flatMap((mark, cell) => {
    const [, , player, , glyph] = tiles.get(mark);
    const name = frame.glyphs.get(cell) ?? glyph;
    return game.shapes[name] ? [[cell, name, player]] : [];
  });
}

const LOW = " low-value";
/** @type {(tile: Wire.Tile, low: boolean) => string} */
const valueKind = ([, shape, player], low) =>
  `value ${shape}-value${shape === "solid" ? ` on${player}` : ""}${low ? LOW : ""}`;

// the number of each cell: [class, text]; an empty text under a unit
/** @type {(game: Wire.Game, frame: Wire.Frame) => [kind: string, text: string][]} */
function numbers(game, frame) {
  const { centres } = game.grid;
  const labels = centres.map((_, cell) => (game.values.length ? signed(game.values[cell]) : ""));
  const below = new Set(tagged(game, frame));
  for (const [cell, note] of frame.notes) labels[cell] = below.has(cell) ? "" : note;
  const taken = new Set(frame.places);
  const tiles = new Map(game.tiles.map((tile) => [tile[0], tile]));
  return labels.map((text, cell) => {
    const tile = tiles.get(frame.cells[cell]);
    return tile && !taken.has(cell)
      ? [valueKind(tile, text.startsWith(MINUS)), label(text, ...centres[cell])]
      : ["", ""];
  });
}

// the names of rows and columns
/** @type {(game: Wire.Game) => string} */
function beside(game) {
  const { columns, rows } = game.grid;
  const names = [...columns, ...rows].map(([x, y, name]) => `<text x="${x}" y="${y + 4}">${escaped(name)}</text>`);
  return `<g class="axis">${names.join("")}</g>`;
}

/** @type {(words: string, x: number, y: number) => string} */
function label(words, x, y) {
  const lines = words ? words.split("\n") : [];
  const [tops, full] = lines.length === 1 ? [[y + 5], 3] : [[y - 2, y + 11], 2];
  return lines.map((line, n) => `<text${size(line, full)} x="${x}" y="${tops[n]}">${escaped(line)}</text>`).join("");
}

// the class of a line in a place with room for `full` letters
/** @type {(line: string, full: number) => string} */
function size(line, full) {
  const { length } = [...line];
  return length <= full ? "" : length <= 1.6 * full ? ' class="small"' : ' class="tiny"';
}

// the cells whose note is at their lower edge, because a unit or thing is above it
/** @type {(game: Wire.Game, frame: Wire.Frame) => number[]} */
function tagged(game, frame) {
  const glyphs = game.tiles.filter(([, , , , glyph]) => glyph).map(([mark]) => mark);
  return sorted(frame.notes.keys()).filter(
    (cell) => frame.places.includes(cell) || frame.glyphs.has(cell) || glyphs.includes(frame.cells[cell]),
  );
}

// a shape in a group, in the colours of a player; smaller above letters, and where several share a cell
/**
 * @type {(
 *   shape: Wire.Shape,
 *   player: number,
 *   middle: Wire.Point,
 *   isSmall: boolean,
 *   side?: number,
 *   isFaint?: boolean,
 *   foot?: string,
 * ) => string}
 */
function piece([, , paths], player, [x, y], isSmall, side = 1, isFaint = false, foot = "") {
  const kind = `piece${player < 0 ? "" : ` p${player}`}${isFaint ? " faint" : ""}`;
  const part = (isSmall ? SMALL : 1) / side;
  const scale = part === 1 ? "" : ` scale(${part.toFixed(2)})`;
  const whole = paths.map(([, commands]) => `M0 0${commands}`).join("");
  const parts = paths.map(([tone, commands]) => `<path class="${tone}" d="M0 0${commands}"/>`).join("");
  const below = foot && `<text${size(foot, 3)} y="${FOOT}">${escaped(foot)}</text>`;
  const top = y - (isSmall ? Math.floor(LIFT / side) : 0);
  return (
    `<g class="${kind}" transform="translate(${x} ${top})${scale}">` +
    `<path class="aura" d="${whole}"/>${parts}${below}</g>`
  );
}

// the letters below a unit: its own, then its strength, a dot for each point that is left
/** @type {(game: Wire.Game, frame: Wire.Frame, unit: number) => string} */
function footOf(game, frame, unit) {
  const [left, most] = frame.pips.get(unit) ?? [0, 0];
  const strength = most > PIPS ? `${left}/${most}` : "\u25cf".repeat(left) + "\u25cb".repeat(most - left);
  return `${game.units[unit][3]} ${strength}`.trim();
}

/** @type {(game: Wire.Game, frame: Wire.Frame) => string} */
function units(game, frame) {
  let parts = "";
  const on = new Map();
  game.units.forEach(([player, name, look], unit) => {
    const cell = frame.places[unit];
    if (cell < 0) return;
    const drawn = on.get(cell) ?? 0;
    on.set(cell, drawn + 1);
    const side = Math.ceil(Math.sqrt(frame.places.filter((place) => place === cell).length));
    const step = Math.floor(30 / side);
    const [x, y] = [drawn % side, Math.floor(drawn / side)].map(
      (n, axis) => game.grid.centres[cell][axis] + step * n - Math.floor((step * (side - 1)) / 2),
    );
    const [isFaint, shape] = [frame.faint.includes(unit), game.shapes[frame.looks.get(unit) ?? look]];
    if (shape) {
      const foot = footOf(game, frame, unit);
      parts += piece(shape, player, [x, y], foot !== "" || frame.notes.has(cell), side, isFaint, foot);
      return;
    }
    const kind = `unit${player < 0 ? "" : ` p${player}`}${isFaint ? " faint" : ""}`;
    parts +=
      `<g class="${kind}" transform="translate(${x} ${y})${side === 1 ? "" : ` scale(${(1 / side).toFixed(2)})`}">` +
      `<circle r="12.5"/><circle class="rim" r="10"/>` +
      `<text${size(name, 2)} y="4">${escaped(name)}</text></g>`;
  });
  return parts;
}

/** @type {(game: Wire.Game, frame: Wire.Frame) => string} */
function tags(game, frame) {
  /** @type {(cell: number, centre: Wire.Point) => string} */
  const below = (cell, [x, y]) =>
    `<text x="${x}" y="${y + 15}">${escaped(frame.notes.get(cell).replace("\n", " "))}</text>`;
  return tagged(game, frame)
    .map((cell) => below(cell, game.grid.centres[cell]))
    .join("");
}

/** @type {(text: string) => string} */
function plain(text) {
  /** @type {(words: string, n: number) => string} */
  const line = (words, n) => `<text class="line" x="8" y="${20 * (n + 1)}">${escaped(words)}</text>`;
  return text.split("\n").map(line).join("");
}

// [below the units, above them]: the attempts, and those that failed
/** @type {(game: Wire.Game, frame: Wire.Frame, before: Wire.Frame) => [below: string, above: string]} */
function acts(game, frame, before) {
  /** @type {Map<string, string>} commands by how it ended, and whose it is */
  const lines = new Map();
  let badges = "";
  for (const { unit, verb, target, outcome, via } of frame.acts) {
    const shape = game.verbs[verb][1];
    const badge = game.outcomes[outcome][1];
    if (shape === "none" || target < 0) continue;
    const owner = game.units[unit]?.[0] ?? -1;
    const kind = `${badge ? "-failed" : ""}${owner < 0 ? "" : ` p${owner}`}`;
    /** @type {(commands: string) => void} */
    const add = (commands) => void lines.set(kind, (lines.get(kind) ?? "") + commands);
    const goes = !badge && (shape === "arrow" || shape === "arc");
    const [start, isOnDisc] = [before.places[unit] ?? -1, frame.places.includes(target)];
    const way = [...(start < 0 ? [] : [start]), ...via, target].map((cell) => game.grid.centres[cell]);
    const [x, y] = way.at(-1);
    way.slice(1).forEach((to, n) => {
      // from the disc (on the target if the move succeeded), and not over the number of a cell
      const isLast = n === way.length - 2;
      const away = n ? 0 : goes && shape === "arrow" ? 10 : 12;
      const short = !isLast ? 0 : goes && isOnDisc ? 12 : shape === "cross" ? 9 : 4;
      add(hop(way[n], to, away, short, shape === "arc", isLast && goes && !(shape === "arrow" && isOnDisc)));
    });
    if (shape === "ring") add(`M${x - 14.5} ${y}a14.5 14.5 0 1 0 29 0a14.5 14.5 0 1 0-29 0`);
    if (shape === "cross") add(`M${x - 13} ${y - 13}l5 5m16 16l5 5m0-26l-5 5m-16 16l-5 5`); // a burst around the cell
    if (badge) {
      badges +=
        `<g class="badge"><circle cx="${x + 9}" cy="${y - 9}" r="7"/>` +
        `<text x="${x + 9}" y="${y - 5}">${escaped(badge)}</text></g>`;
    }
  }
  const below = [...lines]
    .sort(([one], [other]) => Number(one.startsWith("-")) - Number(other.startsWith("-")))
    .map(([kind, way]) => `<path class="halo${kind}" d="${way}"/><path class="trail${kind}" d="${way}"/>`);
  return [below.join(""), badges];
}

// a line between two points, `away` from the first and `short` of the second; bent for a jump
/**
 * @type {(
 *   from: Wire.Point,
 *   to: Wire.Point,
 *   away: number,
 *   short: number,
 *   isBent: boolean,
 *   hasHead: boolean,
 * ) => string}
 */
function hop([fromX, fromY], [toX, toY], away, short, isBent, hasHead) {
  const bend = isBent ? 0.3 : 0;
  /** @type {Wire.Point} */
  const middle = [(fromX + toX) / 2 + bend * (toY - fromY), (fromY + toY) / 2 - bend * (toX - fromX)];
  /** @type {(from: Wire.Point, turn: number, size: number) => Wire.Point} */
  const toward = ([x, y], turn, size) => {
    const angle = Math.atan2(middle[1] - y, middle[0] - x) + turn;
    return [x + size * Math.cos(angle), y + size * Math.sin(angle)];
  };
  /** @type {(point: Wire.Point) => string} */
  const shown = (point) => point.map((edge) => edge.toFixed(1)).join(" ");
  const end = toward([toX, toY], 0, short);
  const line = `M${shown(toward([fromX, fromY], 0, away))}Q${shown(middle)} ${shown(end)}`;
  return hasHead ? `${line}M${shown(toward(end, 0.5, 7))}L${shown(end)}L${shown(toward(end, -0.5, 7))}` : line;
}

// one cell of the board as a swatch next to text, with `letter` or a shape on it
/** @type {(tile: Wire.Tile, letter?: string, shapes?: Wire.Shapes, on?: Wire.Shape) => string} */
function swatch([, shape, player, , glyph], letter = "", shapes = SQUARE, on = undefined) {
  /** @type {(kind: string, commands: string) => string} */
  const path = (kind, commands) => `<path class="${kind}" d="M0 0${commands}"/>`;
  const ground =
    shape === "solid"
      ? path(`solid p${player}`, shapes.solid[player])
      : shape === "wall" || shape === "plot"
        ? path(`plot p${player}`, shapes.solid[player]) + (shape === "wall" ? path(`bricks p${player}`, BRICKS) : "")
        : shape === "hatch"
          ? path(`tint p${player}`, shapes.cell) + path(`hatch p${player}`, shapes.hatch[player])
          : path(shape === "plain" ? "ground" : shape, shapes.cell);
  const text = letter && `<g class="letter on${player}"><text y="6">${escaped(letter)}</text></g>`;
  return (
    `<svg class="masume" viewBox="${-HALF} ${-shapes.half} ${CELL} ${2 * shapes.half}" aria-hidden="true">` +
    ground +
    (glyph && !on ? path(`glyph ${glyph}`, GLYPHS[glyph]) : "") +
    `${on ? piece(on, player, [0, 0], false) : ""}${text}</svg>`
  );
}

// what is on a board, to be listed: a picture and a name of each kind of cell, then of each shape
/** @type {(game: Wire.Game) => [picture: string, name: string][]} */
function legend(game) {
  const { grid, shapes, tiles, units } = game;
  const cells = tiles.filter(([, shape, , , glyph]) => !shapes[glyph] && (glyph || !["plain", "void"].includes(shape)));
  const plain = tiles[0];
  /** @type {Map<string, [shape: Wire.Shape, player: number]>} */
  const looks = new Map(Object.values(shapes).map((shape) => [shape[0], [shape, 0]]));
  for (const [player, , look] of units) if (shapes[look]) looks.set(shapes[look][0], [shapes[look], player]);
  return [
    ...cells.map((tile) => /** @type {[string, string]} */ ([swatch(tile, "", grid.shapes), tile[3]])),
    ...[...looks].map(
      ([name, [shape, player]]) =>
        /** @type {[string, string]} */ ([
          swatch([plain[0], plain[1], player, "", ""], "", grid.shapes, shape),
          shape[1] ? `${name} (${shape[1]})` : name,
        ]),
    ),
  ];
}

// -- charts --------------------------------------------------------------------------------------

const CHART = { width: 360, left: 46, right: 22, top: 10, bottom: 22 };

// about four round numbers from low to high; integers if the values are counts
/** @type {(low: number, high: number, whole: boolean) => number[]} */
function ticks(low, high, whole) {
  const rough = Math.max((high - low) / 4, whole ? 1 : 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high; n++) found.push(Number((n * step).toPrecision(12)));
  return found;
}

// lines: {points: [[x, y], ..], kind, name}. Returns the picture, and the functions from a value to its place in it.
/** @type {(lines: Wire.Line[], label: string, height: number, whole: boolean) => Wire.Chart} */
function chart(lines, label, height, whole) {
  const points = lines.flatMap((line) => line.points);
  const [left, right] = [0, points.reduce((most, [x]) => Math.max(most, x), 0)];
  const [low, high] = [Math.min, Math.max].map((of) => points.reduce((most, [, y]) => of(most, y), 0));
  /** @type {(value: number) => number} */
  const x = (value) => CHART.left + ((CHART.width - CHART.left - CHART.right) * (value - left)) / (right - left || 1);
  /** @type {(value: number) => number} */
  const y = (value) =>
    height - CHART.bottom - ((height - CHART.top - CHART.bottom) * (value - low)) / (high - low || 1);
  let parts = "";
  for (const tick of ticks(low, high, whole)) {
    const at = y(tick).toFixed(1);
    parts +=
      `<path class="rule" d="M${CHART.left} ${at}H${CHART.width - CHART.right}"/>` +
      `<text class="tick before" x="${CHART.left - 6}" y="${Number(at) + 4}">${brief(tick)}</text>`;
  }
  for (const tick of ticks(left, right, whole)) {
    parts += `<text class="tick" x="${x(tick).toFixed(1)}" y="${height - 6}">${brief(tick)}</text>`;
  }
  for (const line of lines) {
    const way = line.points.map(([a, b]) => `${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join("L");
    parts += `<path class="curve ${line.kind}" d="M${way}"/>`;
  }
  // the names, each at the end of its curve and at least a line of text below the name above
  const ends = lines.map((line) => ({ name: line.name, x: x(line.points.at(-1)[0]), y: y(line.points.at(-1)[1]) + 4 }));
  ends.sort((one, other) => one.y - other.y);
  ends.forEach((end, i) => (end.y = i ? Math.max(end.y, ends[i - 1].y + 13) : end.y));
  // move up again from the lowest, which may be below the chart
  ends.reduceRight(
    (below, end) => {
      end.y = Math.min(end.y, below);
      return end.y - 13;
    },
    height - CHART.bottom + 4,
  );
  for (const end of ends) {
    parts += `<text class="name" x="${end.x + 6}" y="${end.y.toFixed(1)}">${escaped(end.name)}</text>`;
  }
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${CHART.width} ${height}`);
  svg.setAttribute("class", "masume");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  svg.innerHTML = `${parts}<g class="now"></g>`;
  return { svg, x, y, height };
}

// the readout of a cell: its name, what is on it, who is there
/** @type {(game: Wire.Game, frame: Wire.Frame, cell: number) => string} */
function described(game, frame, cell) {
  const tile = game.tiles.find(([mark]) => mark === frame.cells[cell]);
  const value = frame.notes.get(cell)?.replace("\n", " ") ?? (game.values.length ? signed(game.values[cell]) : "");
  const built = frame.glyphs.has(cell) ? `, ${game.shapes[frame.glyphs.get(cell)][0]}` : "";
  const who = game.units.flatMap(([, name, , foot], unit) => {
    if (frame.places[unit] !== cell) return [];
    const look = game.shapes[frame.looks.get(unit) ?? game.units[unit][2]]?.[0];
    const strength = footOf(game, frame, unit).slice(foot.length);
    return [`, ${look ? (foot ? `${look} ${name}` : look) : name}${strength}`];
  });
  return `${game.grid.names[cell]}${value && `: ${value}`}, ${tile[3]}${built}${who.join("")}`;
}

export {
  acts,
  beside,
  board,
  CELL,
  CHART,
  chart,
  data,
  described,
  EDGE,
  escaped,
  find,
  gridOf,
  ground,
  grouped,
  HALF,
  hop,
  least,
  legend,
  most,
  NO_GRID,
  numbers,
  pairs,
  piece,
  plain,
  SQUARE,
  say,
  signed,
  sorted,
  swatch,
  tags,
  units,
  unpacker,
};
