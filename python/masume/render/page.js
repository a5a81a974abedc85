"use strict";

// Plays the games of the page. `board` and `corner` are the twins of those in svg.py and canvas.py; nothing here
// knows a game: what a cell, a unit, an action or a score is stands in the data.

const data = JSON.parse(document.getElementById("data").textContent);
const { cell: CELL, margin: MARGIN, edge: EDGE, solid: SOLID, hatch: HATCH, square: SQUARE } = data.canvas;
const HALF = CELL / 2;
const find = (id) => document.getElementById(id);
const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
const signed = (number) => String(number).replace("-", "\u2212");
const grouped = (number) => signed(number.toLocaleString("en"));
const brief = (number) => signed(number.toLocaleString("en", { notation: Math.abs(number) < 1e4 ? "standard" : "compact" }));

// -- the data ------------------------------------------------------------------------------------

function unpacked(game) {
  let cells = game.tiles.length ? game.tiles[0][0].repeat(game.width * game.height).split("") : [];
  let places = game.units.map(() => -1);
  return game.frames.map((packed) => {
    const changes = packed.cells ?? [];
    for (let i = 0; i < changes.length; i += 2) cells[changes[i]] = changes[i + 1];
    const moves = packed.places ?? [];
    if (moves.length) places = places.slice();
    for (let i = 0; i < moves.length; i += 2) places[moves[i]] = moves[i + 1];
    const acts = [];
    for (let i = 0; i < (packed.acts ?? []).length; i += 4) {
      const [unit, verb, target, outcome] = packed.acts.slice(i, i + 4);
      acts.push({ unit, verb, target, outcome });
    }
    return { caption: packed.caption, scores: packed.scores, cells: cells.join(""), places, acts, text: packed.text };
  });
}

// -- the board -----------------------------------------------------------------------------------

function corner(game, cell) {
  return [MARGIN + CELL * (cell % game.width), MARGIN + CELL * Math.floor(cell / game.width)];
}

function board(game, frame) {
  const cells = [...Array(game.width * game.height).keys()];
  const [right, bottom] = corner(game, cells.length - 1);
  let parts =
    `<rect class="ground" x="${MARGIN}" y="${MARGIN}" ` +
    `width="${right + CELL - MARGIN}" height="${bottom + CELL - MARGIN}"/>`;
  const path = (kind, shape, where) => {
    const commands = where.map((cell) => `M${corner(game, cell).join(" ")}${shape}`).join("");
    if (commands) parts += `<path class="${kind}" d="${commands}"/>`;
  };
  const isLow = (cell) => game.values[cell] < 0;
  path("low", SQUARE, cells.filter(isLow));
  path("grid", SQUARE, cells);
  for (const [mark, shape, player] of game.tiles) {
    const where = cells.filter((cell) => frame.cells[cell] === mark);
    if (shape === "solid") {
      path(`solid p${player}`, SOLID[player], where);
    } else if (shape === "hatch") {
      path(`tint p${player}`, SQUARE, where);
      path(`hatch p${player}`, HATCH[player], where);
    }
  }
  const taken = new Set(frame.places);
  if (game.values.length) {
    for (const [mark, shape, player] of game.tiles) {
      for (const low of [false, true]) {
        let texts = "";
        for (const cell of cells) {
          if (frame.cells[cell] === mark && !taken.has(cell) && isLow(cell) === low) {
            const [x, y] = corner(game, cell);
            texts += `<text x="${x + 16}" y="${y + 21}">${signed(game.values[cell])}</text>`;
          }
        }
        const on = shape === "solid" ? ` on${player}` : "";
        if (texts) parts += `<g class="value ${shape}-value${on}${low ? " low-value" : ""}">${texts}</g>`;
      }
    }
  }
  let axis = "";
  for (let n = 0; n < game.width; n++) axis += `<text x="${MARGIN + CELL * n + 16}" y="${MARGIN - 7}">${n}</text>`;
  for (let n = 0; n < game.height; n++) axis += `<text x="${MARGIN - 11}" y="${MARGIN + CELL * n + 20}">${n}</text>`;
  return `${parts}<g class="axis">${axis}</g>`;
}

function units(game, frame) {
  let parts = "";
  game.units.forEach(([player, name], unit) => {
    if (frame.places[unit] >= 0) {
      const [x, y] = corner(game, frame.places[unit]);
      parts +=
        `<g class="unit p${player}"><circle cx="${x + 16}" cy="${y + 16}" r="12"/>` +
        `<text class="${name.length < 3 ? "short" : "long"}" x="${x + 16}" y="${y + 20}">${escaped(name)}</text></g>`;
    }
  });
  return parts;
}

function plain(text) {
  const line = (words, n) => `<text class="line" x="8" y="${20 * (n + 1)}">${escaped(words)}</text>`;
  return text.split("\n").map(line).join("");
}

// [below the units, above them]: what was tried, and what of it failed
function acts(game, frame, before) {
  const lines = { done: "", failed: "" };
  let badges = "";
  for (const { unit, verb, target, outcome } of frame.acts) {
    const shape = game.verbs[verb][1];
    const badge = game.outcomes[outcome][1];
    if (shape === "none" || target < 0) continue;
    const kind = badge ? "failed" : "done";
    const [x, y] = corner(game, target).map((edge) => edge + HALF);
    const from = before.places[unit];
    if (from >= 0) {
      const [fromX, fromY] = corner(game, from).map((edge) => edge + HALF);
      const long = Math.hypot(x - fromX, y - fromY) || 1;
      const point = (distance) =>
        [fromX + ((x - fromX) * distance) / long, fromY + ((y - fromY) * distance) / long].map((edge) => edge.toFixed(1)).join(" ");
      // from the disc, which stands on the target after an arrow that was done, and not over the number of a cell
      const [start, end] = kind === "done" && shape === "arrow" ? [10, 12] : [12, shape === "cross" ? 9 : 4];
      lines[kind] += `M${point(start)}L${point(long - end)}`;
    }
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

function swatch(shape, player, letter = "") {
  const inside =
    shape === "solid"
      ? `<path class="solid p${player}" d="M0 0${SOLID[player]}"/>`
      : `<path class="tint p${player}" d="M0 0${SQUARE}"/><path class="hatch p${player}" d="M0 0${HATCH[player]}"/>`;
  const text = letter && `<g class="letter on${player}"><text x="${HALF}" y="${HALF + 6}">${escaped(letter)}</text></g>`;
  return `<svg class="masume" viewBox="0 0 ${CELL} ${CELL}" aria-hidden="true">${inside}${text}</svg>`;
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
  const over = Math.max(0, ends.at(-1).y - height + CHART.bottom - 4);
  for (const end of ends) {
    parts += `<text class="name" x="${end.x + 6}" y="${(end.y - over).toFixed(1)}">${escaped(end.name)}</text>`;
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

let game; // the one that is shown, with its frames unpacked
let scores; // its chart
let at = 0; // the frame that is shown
let timer = 0; // 0 while paused

const most = (items, size) => items.reduce((found, item) => Math.max(found, size(item)), 0);
const titled = (one, player) => one.names[player] ?? one.players[player];

function choose(index) {
  pause();
  const packed = data.games[index];
  game = { ...packed, frames: unpacked(packed) };
  const lines = game.frames.map((frame) => (frame.text ?? "").split("\n"));
  const [width, height] = game.tiles.length
    ? [MARGIN + CELL * game.width + EDGE, MARGIN + CELL * game.height + EDGE]
    : [16 + 8 * most(lines.flat(), (line) => line.length), EDGE + 20 * most(lines, (all) => all.length)];
  find("board").setAttribute("viewBox", `0 0 ${width} ${height}`);
  find("board").style.setProperty("--tall", `${2 * height}px`); // a board of few cells does not fill the window
  find("slider").max = game.frames.length - 1;
  find("about").textContent = data.games.length > 1 ? `seed ${game.seed}` : `${game.title}, seed ${game.seed}`;
  find("players").innerHTML = game.players
    .map(
      (letter, player) =>
        `<div class="player">${swatch("solid", player, letter[0])}<span class="name" title="${escaped(titled(game, player))}">` +
        `${escaped(titled(game, player))}</span><span class="score"></span><span class="parts"></span></div>`,
    )
    .join("");
  scores = chart(
    game.players.map((name, player) => ({
      points: game.frames.map((frame, move) => [move, frame.scores[player][0]]),
      kind: `p${player}`,
      name: name[0],
    })),
    `${game.scores[0]} of each player after each move`,
    180,
    true,
  );
  find("chart").replaceChildren(find("chart").firstElementChild, scores.svg);
  const met = new Set(game.frames.flatMap((frame) => frame.acts.map((act) => act.outcome)));
  find("legend").innerHTML =
    game.tiles
      .filter(([, shape]) => shape !== "plain")
      .map(([, shape, player, name]) => `<li>${swatch(shape, player)}${escaped(name)}</li>`)
      .join("") +
    game.outcomes
      .filter(([, badge], outcome) => badge && met.has(outcome))
      .map(([name, badge]) => `<li><span class="failed">${escaped(badge)}</span>${escaped(name)}</li>`)
      .join("");
  show(0);
}

function show(index) {
  at = Math.min(Math.max(index, 0), game.frames.length - 1);
  const frame = game.frames[at];
  const [tries, badges] = at ? acts(game, frame, game.frames[at - 1]) : ["", ""];
  const layers = [game.tiles.length ? board(game, frame) : plain(frame.text), tries, units(game, frame), badges];
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
    game.players.map((letter, player) => `<circle class="p${player}" cx="${scores.x(at)}" cy="${scores.y(frame.scores[player][0])}" r="4"/>`).join("");
  find("acts").innerHTML = told(frame);
  find("readout").textContent = "";
}

// what the units tried in the move, in words, a list for each player
function told(frame) {
  const lists = game.players.map(() => "");
  for (const { unit, verb, target, outcome } of frame.acts) {
    const [player, name] = game.units[unit];
    const [word, shape] = game.verbs[verb];
    const where = target < 0 ? "" : ` ${target % game.width},${Math.floor(target / game.width)}`;
    const [fate, badge] = game.outcomes[outcome];
    const kind = badge ? "failed" : shape === "none" ? "idle" : "done";
    lists[player] += `<li class="${kind}"><b>${escaped(name)}</b> ${escaped(word)}${where}${badge && `: ${escaped(fate)}`}</li>`;
  }
  if (!frame.acts.length) return `<p class="idle">${at ? "none recorded" : "none yet"}</p>`;
  return lists.map((list, player) => `<ul aria-label="${escaped(titled(game, player))}">${list}</ul>`).join("");
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
  const [x, y] = [point.x, point.y].map((edge) => Math.floor((edge - MARGIN) / CELL));
  const isOn = x >= 0 && y >= 0 && x < game.width && y < game.height;
  find("readout").textContent = isOn ? described(y * game.width + x) : "";
}

function described(cell) {
  const frame = game.frames[at];
  const tile = game.tiles.find(([mark]) => mark === frame.cells[cell]);
  const unit = frame.places.indexOf(cell);
  const value = game.values.length ? `: ${signed(game.values[cell])}` : "";
  const who = unit < 0 ? "" : `, ${game.units[unit][1]}`;
  return `${cell % game.width},${Math.floor(cell / game.width)}${value}, ${tile[3]}${who}`;
}

if (data.games.length) {
  data.games.forEach((one, index) => {
    const result = one.players.map((letter, player) => `${titled(one, player)} ${signed(one.frames.at(-1).scores[player][0])}`);
    find("games").add(new Option(`${index + 1}. ${one.title}: ${result.join(", ")}`, index));
  });
  find("choice").hidden = data.games.length === 1;
  find("games").addEventListener("change", () => choose(Number(find("games").value)));
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
