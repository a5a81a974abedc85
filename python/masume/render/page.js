"use strict";

// Plays the games of the page. `gridOf`, `board`, `units`, `tags` and `plain` are the twins of what canvas.py and svg.py
// have; nothing here knows a game: what a cell, a unit, an action or a score is stands in the data.

const data = JSON.parse(document.getElementById("data").textContent);
const { cell: CELL, pitch: PITCH, margin: MARGIN, edge: EDGE, square: SQUARE, hexagon: HEXAGON, glyphs: GLYPHS } = data.canvas;
const HALF = CELL / 2;
const find = (id) => document.getElementById(id);
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const MINUS = "\u2212";
const signed = (number) => (number === null ? "?" : String(number).replace("-", MINUS));
const grouped = (number) => (number === null ? "?" : signed(number.toLocaleString("en")));
const brief = (number) => signed(number.toLocaleString("en", { notation: Math.abs(number) < 1e4 ? "standard" : "compact" }));

// -- the data ------------------------------------------------------------------------------------

const most = (items, size) => items.reduce((found, item) => Math.max(found, size(item)), -Infinity);
const least = (items, size) => -most(items, (item) => -size(item));
const sorted = (numbers) => [...new Set(numbers)].sort((one, other) => one - other);
const pairs = (list = []) => list.filter((item, i) => i % 2 === 0).map((item, i) => [item, list[2 * i + 1]]);

// the frames whole; a view has captions, and lines of its log, from the frames of everything
function unpacked(game, frames) {
  const cells = game.grid.spots.map(() => game.tiles[0][0]);
  let places = game.units.map(() => -1);
  let [notes, faint, scores] = [new Map(), [], []];
  return game.frames.map((packed, number) => {
    for (const [first, marks] of pairs(packed.cells)) [...marks].forEach((mark, i) => (cells[first + i] = mark));
    if (packed.places) places = places.slice();
    for (const [unit, to] of pairs(packed.places)) places[unit] = to;
    if (packed.notes) notes = new Map(notes);
    for (const [cell, note] of pairs(packed.notes)) note ? notes.set(cell, note) : notes.delete(cell);
    faint = packed.faint ?? faint;
    scores = packed.scores ?? scores;
    const acts = [];
    for (let i = 0; i < (packed.acts ?? []).length; i += 4) {
      const [unit, verb, aim, outcome] = packed.acts.slice(i, i + 4);
      const path = [aim].flat();
      acts.push({ unit, verb, outcome, target: path.pop(), via: path });
    }
    const caption = packed.caption ?? frames[number].caption;
    const log = (packed.log ?? []).map((line) => (typeof line === "number" ? frames[number].log[line] : line));
    return { caption, scores, cells: cells.join(""), places, notes, faint, acts, log, text: packed.text };
  });
}

// -- the board -----------------------------------------------------------------------------------

function gridOf(game) {
  const hexes = pairs(game.hexes);
  const [shapes, pitch] = hexes.length ? [HEXAGON, PITCH] : [SQUARE, CELL];
  const grid = { shapes, spots: [], names: [], rows: [], columns: [] };
  const centre = ([half, row]) => [MARGIN + HALF * (half + 1), MARGIN + HALF + pitch * row];
  const write = (list, spot, text, right, down) => {
    const [x, y] = centre(spot);
    list.push([x + right, y + down, text]);
  };
  if (hexes.length) {
    const left = least(hexes, ([x, y]) => 2 * x + y);
    const top = least(hexes, ([, y]) => y);
    grid.spots = hexes.map(([x, y]) => [2 * x + y - left, y - top]);
    grid.names = hexes.map(([x, y]) => `${x},${y}`);
    for (const y of sorted(hexes.map(([, y]) => y))) {
      const x = least(hexes.filter(([, row]) => row === y), ([x]) => x);
      write(grid.rows, [2 * x + y - left, y - top], String(y), -27, 0);
    }
    for (const x of sorted(hexes.map(([x]) => x))) {
      const y = most(hexes.filter(([column]) => column === x), ([, y]) => y) + 1;
      write(grid.columns, [2 * x + y - left, y - top], String(x), -3, -5);
    }
  } else {
    const [columns, rows] = [[game.columns, game.width], [game.rows, game.height]].map(([names, size]) =>
      names.length ? names : [...Array(size).keys()].map(String),
    );
    const comma = /^\p{L}/u.test(columns[0]) ? "" : ",";
    rows.forEach((row, r) => columns.forEach((column, c) => {
      grid.spots.push([2 * c, r]);
      grid.names.push(`${column}${comma}${row}`);
    }));
    columns.forEach((column, n) => write(grid.columns, [2 * n, -1], column, 0, 5));
    rows.forEach((row, n) => write(grid.rows, [0, n], row, -27, 0));
  }
  grid.centres = grid.spots.map(centre);
  const right = Math.max(most(grid.centres, ([x]) => x) + HALF, most(grid.columns, ([x]) => x) + 8);
  const bottom = Math.max(most(grid.centres, ([, y]) => y) + shapes.half, most(grid.columns, ([, y]) => y) + 8);
  grid.size = [right + EDGE, bottom + EDGE];
  return grid;
}

function board(game, frame) {
  const { shapes, centres, columns, rows } = game.grid;
  const cells = [...centres.keys()];
  let parts = "";
  const path = (kind, shape, where) => {
    const commands = where.map((cell) => `M${centres[cell].join(" ")}${shape}`).join("");
    if (commands) parts += `<path class="${kind}" d="${commands}"/>`;
  };
  const voids = game.tiles.filter(([, shape]) => shape === "void").map(([mark]) => mark);
  path("ground", shapes.cell, cells.filter((cell) => !voids.includes(frame.cells[cell])));
  path("low", shapes.cell, cells.filter((cell) => game.values[cell] < 0));
  for (const [mark, shape, player, , glyph] of game.tiles) {
    const where = cells.filter((cell) => frame.cells[cell] === mark);
    if (shape === "solid") {
      path(`solid p${player}`, shapes.solid[player], where);
    } else if (shape === "hatch") {
      path(`tint p${player}`, shapes.cell, where);
      path(`hatch p${player}`, shapes.hatch[player], where);
    } else if (shape !== "plain" && shape !== "void") {
      path(shape, shapes.cell, where);
    }
    if (glyph) path(`glyph ${glyph}`, GLYPHS[glyph], where);
  }
  const labels = cells.map((cell) => (game.values.length ? signed(game.values[cell]) : ""));
  const below = new Set(tagged(game, frame));
  for (const [cell, note] of frame.notes) labels[cell] = below.has(cell) ? "" : note;
  const taken = new Set(frame.places);
  for (const [mark, shape, player] of game.tiles) {
    for (const low of [false, true]) {
      const texts = cells
        .filter((cell) => frame.cells[cell] === mark && !taken.has(cell) && labels[cell].startsWith(MINUS) === low)
        .map((cell) => label(labels[cell], ...centres[cell]))
        .join("");
      const on = shape === "solid" ? ` on${player}` : "";
      if (texts) parts += `<g class="value ${shape}-value${on}${low ? " low-value" : ""}">${texts}</g>`;
    }
  }
  const beside = [...columns, ...rows].map(([x, y, name]) => `<text x="${x}" y="${y + 4}">${escaped(name)}</text>`);
  return `${parts}<g class="axis">${beside.join("")}</g>`;
}

function label(words, x, y) {
  const lines = words ? words.split("\n") : [];
  const [tops, full] = lines.length === 1 ? [[y + 5], 3] : [[y - 2, y + 11], 2];
  return lines.map((line, n) => `<text${size(line, full)} x="${x}" y="${tops[n]}">${escaped(line)}</text>`).join("");
}

// the class of a line of which `full` letters have room
function size(line, full) {
  const { length } = [...line];
  return length <= full ? "" : length <= 1.6 * full ? ' class="small"' : ' class="tiny"';
}

// the cells whose note has something above it, and stands at their lower edge
function tagged(game, frame) {
  const glyphs = game.tiles.filter(([, , , , glyph]) => glyph).map(([mark]) => mark);
  return sorted(frame.notes.keys()).filter((cell) => frame.places.includes(cell) || glyphs.includes(frame.cells[cell]));
}

function units(game, frame) {
  let parts = "";
  const on = new Map();
  game.units.forEach(([player, name], unit) => {
    const cell = frame.places[unit];
    if (cell < 0) return;
    const drawn = on.get(cell) ?? 0;
    on.set(cell, drawn + 1);
    const side = Math.ceil(Math.sqrt(frame.places.filter((place) => place === cell).length));
    const step = Math.floor(30 / side);
    const [x, y] = [drawn % side, Math.floor(drawn / side)].map(
      (n, axis) => game.grid.centres[cell][axis] + step * n - Math.floor((step * (side - 1)) / 2),
    );
    const kind = `unit${player < 0 ? "" : ` p${player}`}${frame.faint.includes(unit) ? " faint" : ""}`;
    parts +=
      `<g class="${kind}" transform="translate(${x} ${y})${side === 1 ? "" : ` scale(${(1 / side).toFixed(2)})`}">` +
      `<circle r="12.5"/><circle class="rim" r="10"/>` +
      `<text${size(name, 2)} y="4">${escaped(name)}</text></g>`;
  });
  return parts;
}

function tags(game, frame) {
  const below = (cell, [x, y]) => `<text x="${x}" y="${y + 15}">${escaped(frame.notes.get(cell).replace("\n", " "))}</text>`;
  return tagged(game, frame)
    .map((cell) => below(cell, game.grid.centres[cell]))
    .join("");
}

function plain(text) {
  const line = (words, n) => `<text class="line" x="8" y="${20 * (n + 1)}">${escaped(words)}</text>`;
  return text.split("\n").map(line).join("");
}

// [below the units, above them]: what was tried, and what of it failed
function acts(game, frame, before) {
  const lines = { done: "", failed: "" };
  let badges = "";
  for (const { unit, verb, target, outcome, via } of frame.acts) {
    const shape = game.verbs[verb][1];
    const badge = game.outcomes[outcome][1];
    if (shape === "none" || target < 0) continue;
    const kind = badge ? "failed" : "done";
    const goes = kind === "done" && (shape === "arrow" || shape === "arc");
    const [start, isOnDisc] = [before.places[unit] ?? -1, frame.places.includes(target)];
    const way = [...(start < 0 ? [] : [start]), ...via, target].map((cell) => game.grid.centres[cell]);
    const [x, y] = way.at(-1);
    way.slice(1).forEach((to, n) => {
      // from the disc, which stands on the target after an arrow that was done, and not over the number of a cell
      const isLast = n === way.length - 2;
      const away = n ? 0 : goes && shape === "arrow" ? 10 : 12;
      const short = !isLast ? 0 : goes && isOnDisc ? 12 : shape === "cross" ? 9 : 4;
      lines[kind] += hop(way[n], to, away, short, shape === "arc", isLast && goes && !(shape === "arrow" && isOnDisc));
    });
    if (shape === "ring") lines[kind] += `M${x - 14.5} ${y}a14.5 14.5 0 1 0 29 0a14.5 14.5 0 1 0-29 0`;
    if (shape === "cross") lines[kind] += `M${x - 6} ${y - 6}l12 12m0-12l-12 12`;
    if (badge) {
      badges +=
        `<g class="badge"><circle cx="${x + 9}" cy="${y - 9}" r="7"/>` +
        `<text x="${x + 9}" y="${y - 5}">${escaped(badge)}</text></g>`;
    }
  }
  const twice = (commands, suffix) =>
    commands && `<path class="halo${suffix}" d="${commands}"/><path class="trail${suffix}" d="${commands}"/>`;
  return [twice(lines.done, "") + twice(lines.failed, "-failed"), badges];
}

// a line between two points, `away` from the first and `short` of the second; bent where it is a jump
function hop([fromX, fromY], [toX, toY], away, short, isBent, hasHead) {
  const bend = isBent ? 0.3 : 0;
  const middle = [(fromX + toX) / 2 + bend * (toY - fromY), (fromY + toY) / 2 - bend * (toX - fromX)];
  const toward = ([x, y], turn, size) => {
    const angle = Math.atan2(middle[1] - y, middle[0] - x) + turn;
    return [x + size * Math.cos(angle), y + size * Math.sin(angle)];
  };
  const shown = (point) => point.map((edge) => edge.toFixed(1)).join(" ");
  const end = toward([toX, toY], 0, short);
  const line = `M${shown(toward([fromX, fromY], 0, away))}Q${shown(middle)} ${shown(end)}`;
  return hasHead ? `${line}M${shown(toward(end, 0.5, 7))}L${shown(end)}L${shown(toward(end, -0.5, 7))}` : line;
}

// one cell of the board beside words; `letter` on it
function swatch([, shape, player, , glyph], letter = "") {
  const { shapes } = game.grid;
  const path = (kind, commands) => `<path class="${kind}" d="M0 0${commands}"/>`;
  const ground =
    shape === "solid"
      ? path(`solid p${player}`, shapes.solid[player])
      : shape === "hatch"
        ? path(`tint p${player}`, shapes.cell) + path(`hatch p${player}`, shapes.hatch[player])
        : path(shape === "plain" ? "ground" : shape, shapes.cell);
  const text = letter && `<g class="letter on${player}"><text y="6">${escaped(letter)}</text></g>`;
  return (
    `<svg class="masume" viewBox="${-HALF} ${-shapes.half} ${CELL} ${2 * shapes.half}" aria-hidden="true">` +
    `${ground}${glyph && path(`glyph ${glyph}`, GLYPHS[glyph])}${text}</svg>`
  );
}

// -- charts --------------------------------------------------------------------------------------

const CHART = { width: 360, left: 46, right: 22, top: 10, bottom: 22 };

// round numbers from low to high, about four; whole ones where the values are counts
function ticks(low, high, whole) {
  const rough = Math.max((high - low) / 4, whole ? 1 : 1e-9);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999);
  const found = [];
  for (let n = Math.ceil(low / step); n * step <= high; n++) found.push(Number((n * step).toPrecision(12)));
  return found;
}

// lines: {points: [[x, y], ..], kind, name}. Gives the picture, and where a value lies in it.
function chart(lines, label, height, whole) {
  const points = lines.flatMap((line) => line.points);
  const [left, right] = [0, points.reduce((most, [x]) => Math.max(most, x), 0)];
  const [low, high] = [Math.min, Math.max].map((of) => points.reduce((most, [, y]) => of(most, y), 0));
  const x = (value) => CHART.left + ((CHART.width - CHART.left - CHART.right) * (value - left)) / (right - left || 1);
  const y = (value) => height - CHART.bottom - ((height - CHART.top - CHART.bottom) * (value - low)) / (high - low || 1);
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
  // the names, each at the end of its line and a line of text below the one above
  const ends = lines.map((line) => ({ name: line.name, x: x(line.points.at(-1)[0]), y: y(line.points.at(-1)[1]) + 4 }));
  ends.sort((one, other) => one.y - other.y);
  ends.forEach((end, i) => (end.y = i ? Math.max(end.y, ends[i - 1].y + 13) : end.y));
  // back from the lowest, which may have left the chart
  ends.reduceRight((below, end) => (end.y = Math.min(end.y, below)) - 13, height - CHART.bottom + 4);
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

// -- the player ----------------------------------------------------------------------------------

let packed; // the game that is shown
let game; // as it is seen: its scene, its grid, its frames unpacked
let scores; // its chart
let at = 0; // the frame that is shown
let timer = 0; // 0 while paused

const initial = (name) => (name.length < 3 ? name : name[0]);
const titled = (one, player) => one.names[player] ?? one.players[player];

function choose(index) {
  pause();
  packed = data.games[index];
  const views = (packed.views ?? []).map((view, player) => new Option(`${packed.players[player]}: ${titled(packed, player)}`, player));
  find("views").replaceChildren(new Option("everything", -1), ...views);
  find("view").hidden = !views.length;
  find("about").textContent = data.games.length > 1 ? `seed ${packed.seed}` : `${packed.title}, seed ${packed.seed}`;
  at = 0;
  look(-1);
}

// as a player sees it, -1: everything
function look(player) {
  game = { ...packed, ...(packed.views ?? [])[player] };
  game.grid = game.tiles.length ? gridOf(game) : { shapes: SQUARE, spots: [] };
  game.frames = unpacked(game, packed.frames);
  const lines = game.frames.map((frame) => (frame.text ?? "").split("\n"));
  const [width, height] = game.tiles.length
    ? game.grid.size
    : [16 + 8 * most(lines.flat(), (line) => line.length), EDGE + 20 * most(lines, (all) => all.length)];
  find("board").setAttribute("viewBox", `0 0 ${width} ${height}`);
  find("board").style.setProperty("--tall", `${2 * height}px`); // a board of few cells does not fill the window
  find("slider").max = game.frames.length - 1;
  find("players").innerHTML = game.players
    .map(
      (letter, player) =>
        `<div class="player">${swatch(["", "solid", player, "", ""], initial(letter))}<span class="name" title="${escaped(titled(game, player))}">` +
        `${escaped(titled(game, player))}</span><span class="score"></span><span class="parts"></span></div>`,
    )
    .join("");
  const known = game.players.map((name, player) => ({
    points: game.frames.map((frame, move) => [move, frame.scores[player][0]]).filter(([, score]) => score !== null),
    kind: `p${player}`,
    name: initial(name),
  }));
  scores = chart(known.filter((line) => line.points.length), `${game.scores[0]} of each player after each move`, 180, true);
  find("chart").replaceChildren(find("chart").firstElementChild, scores.svg);
  const met = new Set(game.frames.flatMap((frame) => frame.acts.map((act) => act.outcome)));
  find("legend").innerHTML =
    game.tiles
      .filter(([, shape, , , glyph]) => glyph || (shape !== "plain" && shape !== "void"))
      .map((tile) => `<li>${swatch(tile)}${escaped(tile[3])}</li>`)
      .join("") +
    game.outcomes
      .filter(([, badge], outcome) => badge && met.has(outcome))
      .map(([name, badge]) => `<li><span class="failed">${escaped(badge)}</span>${escaped(name)}</li>`)
      .join("");
  find("told").textContent = game.frames.some((frame) => frame.log.length) ? "Events" : "Actions";
  show(at);
}

function show(index) {
  at = Math.min(Math.max(index, 0), game.frames.length - 1);
  const frame = game.frames[at];
  const [tries, badges] = at ? acts(game, frame, game.frames[at - 1]) : ["", ""];
  const layers = game.tiles.length
    ? [board(game, frame), tries, units(game, frame), tags(game, frame), badges]
    : [plain(frame.text), "", "", "", ""];
  layers.forEach((layer, i) => (find("board").children[i].innerHTML = layer));
  find("caption").textContent = frame.caption;
  const standing = game.players.map((letter, player) => `${letter} ${signed(frame.scores[player][0])}`).join("; ");
  find("board").setAttribute("aria-label", `${game.title}, ${frame.caption}: ${standing}`);
  find("slider").value = at;
  find("slider").setAttribute("aria-valuetext", frame.caption);
  find("first").disabled = find("back").disabled = at === 0;
  find("last").disabled = find("forward").disabled = at === game.frames.length - 1;
  [...find("players").children].forEach((card, player) => {
    const [total, ...parts] = frame.scores[player];
    card.querySelector(".score").textContent = grouped(total);
    card.querySelector(".parts").textContent = parts.map((score, i) => `${game.scores[i + 1]} ${grouped(score)}`).join(", ");
  });
  scores.svg.lastElementChild.innerHTML =
    `<path d="M${scores.x(at)} ${CHART.top}V${scores.height - CHART.bottom}"/>` +
    frame.scores
      .map(([score], player) => (score === null ? "" : `<circle class="p${player}" cx="${scores.x(at)}" cy="${scores.y(score)}" r="4"/>`))
      .join("");
  find("acts").innerHTML = told(frame);
  find("readout").textContent = "";
}

// what the move caused; without a log what the units tried in it, a list for each player
function told(frame) {
  const listed = (items, label) => `<ul aria-label="${escaped(label)}">${items}</ul>`;
  if (frame.log.length) return listed(frame.log.map((line) => `<li>${escaped(line)}</li>`).join(""), "events");
  if (!frame.acts.length) return `<p class="idle">${at ? "none" : "none yet"}</p>`;
  const lists = [...game.players, ""].map(() => ""); // the last is of those who are not seen
  for (const { unit, verb, target, outcome } of frame.acts) {
    const [owner, name] = game.units[unit] ?? [-1, ""];
    const player = owner < 0 ? game.players.length : owner;
    const [word, shape] = game.verbs[verb];
    const where = target < 0 ? "" : ` ${escaped(game.grid.names[target])}`;
    const [fate, badge] = game.outcomes[outcome];
    const kind = badge ? "failed" : shape === "none" ? "idle" : "done";
    lists[player] += `<li class="${kind}">${name && `<b>${escaped(name)}</b> `}${escaped(word)}${where}${badge && `: ${escaped(fate)}`}</li>`;
  }
  return lists.map((list, player) => list && listed(list, titled(game, player) ?? "others")).join("");
}

// -- the controls --------------------------------------------------------------------------------

function pause() {
  clearTimeout(timer);
  timer = 0;
  find("play").classList.remove("playing");
  find("play").setAttribute("aria-label", "Play");
  find("caption").setAttribute("aria-live", "polite");
}

function play() {
  if (at === game.frames.length - 1) show(0);
  find("play").classList.add("playing");
  find("play").setAttribute("aria-label", "Pause");
  find("caption").setAttribute("aria-live", "off"); // nobody can listen that fast
  const next = () => {
    if (at === game.frames.length - 1) return pause();
    show(at + 1);
    timer = setTimeout(next, 1000 / find("speed").value);
  };
  timer = setTimeout(next, 1000 / find("speed").value);
}

function toggle() {
  if (timer) pause();
  else play();
}

function seek(index) {
  pause();
  show(index);
}

const KEYS = {
  " ": toggle,
  ArrowLeft: () => seek(at - 1),
  ArrowRight: () => seek(at + 1),
  Home: () => seek(0),
  End: () => seek(game.frames.length - 1),
  v: () => {
    find("views").selectedIndex = (find("views").selectedIndex + 1) % find("views").length;
    look(Number(find("views").value));
  },
};

function onKey(event) {
  const on = event.target.tagName;
  const isTaken = on === "SELECT" || (event.key === " " && (on === "BUTTON" || on === "SUMMARY"));
  if (isTaken || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

function onChart(event) {
  if (event.type === "pointermove" && !event.buttons) return;
  const box = scores.svg.getBoundingClientRect();
  const wide = scores.x(game.frames.length - 1) - CHART.left || 1;
  const x = ((event.clientX - box.left) / box.width) * CHART.width;
  seek(Math.round(((x - CHART.left) / wide) * (game.frames.length - 1)));
}

function onBoard(event) {
  if (!game.tiles.length) return;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(find("board").getScreenCTM().inverse());
  const far = ([x, y]) => Math.hypot(x - point.x, y - point.y);
  const { centres, shapes } = game.grid;
  const near = centres.reduce((best, centre, cell) => (far(centre) < far(centres[best]) ? cell : best), 0);
  const [x, y] = centres[near];
  const isOn = Math.abs(point.x - x) <= HALF && Math.abs(point.y - y) <= shapes.half;
  find("readout").textContent = isOn ? described(near) : "";
}

function described(cell) {
  const frame = game.frames[at];
  const tile = game.tiles.find(([mark]) => mark === frame.cells[cell]);
  const value = frame.notes.get(cell)?.replace("\n", " ") ?? (game.values.length ? signed(game.values[cell]) : "");
  const who = game.units.filter((unit, number) => frame.places[number] === cell).map(([, name]) => `, ${name}`);
  return `${game.grid.names[cell]}${value && `: ${value}`}, ${tile[3]}${who.join("")}`;
}

if (data.games.length) {
  data.games.forEach((one, index) => {
    const last = one.frames.findLast((frame) => frame.scores).scores;
    const result = one.players.map((letter, player) => `${titled(one, player)} ${signed(last[player][0])}`);
    find("games").add(new Option(`${index + 1}. ${one.title}: ${result.join(", ")}`, index));
  });
  find("choice").hidden = data.games.length === 1;
  find("games").addEventListener("change", () => choose(Number(find("games").value)));
  find("views").addEventListener("change", () => look(Number(find("views").value)));
  find("slider").addEventListener("input", () => seek(Number(find("slider").value)));
  for (const [id, key] of Object.entries({ first: "Home", back: "ArrowLeft", play: " ", forward: "ArrowRight", last: "End" })) {
    find(id).addEventListener("click", KEYS[key]);
  }
  document.addEventListener("keydown", onKey);
  for (const type of ["pointerdown", "pointermove"]) {
    find("chart").addEventListener(type, onChart);
    find("board").addEventListener(type, onBoard);
  }
  find("board").addEventListener("pointerleave", () => (find("readout").textContent = ""));
  find("game").hidden = false;
  choose(0);
}
find("no-games").hidden = data.games.length > 0;
if (data.throughput.length) {
  // a rate holds from the entry before to its own
  const points = data.throughput.flatMap(([seconds, rate], i, all) => [[i ? all[i - 1][0] : 0, rate], [seconds, rate]]);
  find("throughput").append(chart([{ points, kind: "only", name: "" }], "games a second over the run", 110, false).svg);
  find("throughput").hidden = false;
}
