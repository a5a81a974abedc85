// Plays the games of a report, which draw.js draws.

import {
  acts,
  board,
  CHART,
  chart,
  data,
  described,
  EDGE,
  escaped,
  find,
  gridOf,
  grouped,
  HALF,
  legend,
  most,
  NO_GRID,
  plain,
  say,
  signed,
  swatch,
  tags,
  units,
  unpacker,
} from "./draw.js";

// -- the player ----------------------------------------------------------------------------------

/** @type {Wire.ReportData} */
const report = /** @type {any} */ (data);
/** @type {Wire.Recorded} the game shown */
let packed;
/** @type {Wire.Shown} the view of it: its scene, its grid, its unpacked frames */
let game;
/** @type {Wire.Chart} its chart */
let scores;
let at = 0; // the frame shown
let timer = 0; // 0 while paused

/** @type {(name: string) => string} */
const initial = (name) => (name.length < 3 ? name : name[0]);
/** @type {(one: Wire.Recorded | Wire.Shown, player: number) => string} */
const titled = (one, player) => one.names[player] ?? one.players[player];

/** @type {(index: number) => void} */
function choose(index) {
  pause();
  packed = report.games[index];
  const views = (packed.views ?? []).map(
    (_view, player) => new Option(`${packed.players[player]}: ${titled(packed, player)}`, String(player)),
  );
  find("views").replaceChildren(new Option(say("everything"), "-1"), ...views);
  find("view").hidden = !views.length;
  find("ended").textContent = packed.ended;
  find("about").textContent = say(report.games.length > 1 ? "seed {seed}" : "{title}, seed {seed}", packed);
  at = index < report.good ? Math.floor(packed.frames.length / 2) : 0; // of a good game, the middle
  note(packed.noted ?? []);
  look(-1);
}

// list what players did wrong; each entry moves to the position in which it happened
/** @type {(noted: NonNullable<Wire.Recorded["noted"]>) => void} */
function note(noted) {
  find("noted").hidden = !noted.length;
  find("noted").open = noted.length > 0;
  find("noted").lastElementChild.replaceChildren(
    ...noted.map(([player, ply, cause, detail, log]) => {
      const [item, button] = [document.createElement("li"), document.createElement("button")];
      button.type = "button";
      button.textContent = say("{player}, move {move}: {cause}: {detail}", {
        player: titled(packed, player),
        move: ply + 1,
        cause,
        detail,
      });
      button.addEventListener("click", () => seek(ply));
      item.append(button);
      if (log) item.append(Object.assign(document.createElement("pre"), { textContent: log }));
      return item;
    }),
  );
}

// show the view of a player, -1: everything
/** @type {(player: number) => void} */
function look(player) {
  const seen = { ...packed, ...packed.views?.[player] };
  const grid = seen.tiles.length ? gridOf(seen) : NO_GRID;
  const unpack = unpacker({ ...seen, grid });
  game = { ...seen, grid, frames: seen.frames.map((frame, number) => unpack(frame, packed.frames[number])) };
  const lines = game.frames.map((frame) => (frame.text ?? "").split("\n"));
  const [width, height] = game.tiles.length
    ? game.grid.size
    : [16 + 8 * most(lines.flat(), (line) => line.length), EDGE + 20 * most(lines, (all) => all.length)];
  find("board").setAttribute("viewBox", `0 0 ${width} ${height}`);
  find("board").style.setProperty("--tall", `${2 * height}px`); // a board of few cells does not fill the window
  find("slider").max = String(game.frames.length - 1);
  find("players").innerHTML = game.players
    .map(
      (letter, player) =>
        `<div class="player">${swatch(["", "solid", player, "", ""], initial(letter), game.grid.shapes)}` +
        `<span class="name" title="${escaped(titled(game, player))}">${escaped(titled(game, player))}</span>` +
        `<span class="score"></span><span class="parts"></span></div>`,
    )
    .join("");
  const known = game.players.map((name, player) => ({
    points: game.frames.map((frame, move) => [move, frame.scores[player][0]]).filter(([, score]) => score !== null),
    kind: `p${player}`,
    name: initial(name),
  }));
  scores = chart(
    known.filter((line) => line.points.length),
    say("{score} of each player after each move", { score: game.scores[0] }),
    180,
    true,
  );
  find("chart").replaceChildren(find("chart").firstElementChild, scores.svg);
  const met = new Set(game.frames.flatMap((frame) => frame.acts.map((act) => act.outcome)));
  find("legend").innerHTML =
    legend(game)
      .map(([picture, name]) => `<li>${picture}${escaped(name)}</li>`)
      .join("") +
    game.outcomes
      .filter(([, badge], outcome) => badge && met.has(outcome))
      .map(([name, badge]) => `<li><span class="failed">${escaped(badge)}</span>${escaped(name)}</li>`)
      .join("");
  find("told").textContent = game.frames.some((frame) => frame.log.length) ? say("Events") : say("Actions");
  show(at);
}

/** @type {(index: number) => void} */
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
  find("slider").value = String(at);
  find("slider").setAttribute("aria-valuetext", frame.caption);
  find("first").disabled = find("back").disabled = at === 0;
  find("last").disabled = find("forward").disabled = at === game.frames.length - 1;
  [...find("players").children].forEach((card, player) => {
    const [total, ...parts] = frame.scores[player];
    card.querySelector(".score").textContent = grouped(total);
    card.querySelector(".parts").textContent = parts
      .map((score, i) => `${game.scores[i + 1]} ${grouped(score)}`)
      .join(", ");
  });
  scores.svg.lastElementChild.innerHTML =
    `<path d="M${scores.x(at)} ${CHART.top}V${scores.height - CHART.bottom}"/>` +
    frame.scores
      .map(([score], player) =>
        score === null ? "" : `<circle class="p${player}" cx="${scores.x(at)}" cy="${scores.y(score)}" r="4"/>`,
      )
      .join("");
  find("acts").innerHTML = told(frame);
  find("readout").textContent = "";
}

// the effects of the move; without a log the attempts of the units, a list for each player
/** @type {(frame: Wire.Frame) => string} */
function told(frame) {
  /** @type {(items: string, label: string) => string} */
  const listed = (items, label) => `<ul aria-label="${escaped(label)}">${items}</ul>`;
  if (frame.log.length) return listed(frame.log.map((line) => `<li>${escaped(line)}</li>`).join(""), say("events"));
  if (!frame.acts.length) return `<p class="idle">${escaped(say(at ? "none" : "none yet"))}</p>`;
  const lists = [...game.players, ""].map(() => ""); // the last is for unseen units
  for (const { unit, verb, target, outcome } of frame.acts) {
    const [owner, name] = game.units[unit] ?? [-1, ""];
    const player = owner < 0 ? game.players.length : owner;
    const [word, shape] = game.verbs[verb];
    const where = target < 0 ? "" : ` ${escaped(game.grid.names[target])}`;
    const [fate, badge] = game.outcomes[outcome];
    const kind = badge ? "failed" : shape === "none" ? "idle" : "done";
    lists[player] +=
      `<li class="${kind}">${name && `<b>${escaped(name)}</b> `}${escaped(word)}${where}` +
      `${badge && `: ${escaped(fate)}`}</li>`;
  }
  return lists.map((list, player) => list && listed(list, titled(game, player) ?? say("others"))).join("");
}

// -- the controls --------------------------------------------------------------------------------

function pause() {
  clearTimeout(timer);
  timer = 0;
  find("play").classList.remove("playing");
  find("play").setAttribute("aria-label", say("Play"));
  find("caption").setAttribute("aria-live", "polite");
}

function play() {
  if (at === game.frames.length - 1) show(0);
  find("play").classList.add("playing");
  find("play").setAttribute("aria-label", say("Pause"));
  find("caption").setAttribute("aria-live", "off"); // too fast for a screen reader
  const next = () => {
    if (at === game.frames.length - 1) return pause();
    show(at + 1);
    timer = setTimeout(next, 1000 / Number(find("speed").value));
  };
  timer = setTimeout(next, 1000 / Number(find("speed").value));
}

function toggle() {
  if (timer) pause();
  else play();
}

/** @type {(index: number) => void} */
function seek(index) {
  pause();
  show(index);
}

/** @type {Record<string, () => void>} */
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

/** @type {(event: KeyboardEvent) => void} */
function onKey(event) {
  const on = /** @type {Element} */ (event.target).tagName;
  const isTaken = on === "SELECT" || (event.key === " " && (on === "BUTTON" || on === "SUMMARY"));
  if (isTaken || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
}

/** @type {(event: PointerEvent) => void} */
function onChart(event) {
  if (event.type === "pointermove" && !event.buttons) return;
  const box = scores.svg.getBoundingClientRect();
  const wide = scores.x(game.frames.length - 1) - CHART.left || 1;
  const x = ((event.clientX - box.left) / box.width) * CHART.width;
  seek(Math.round(((x - CHART.left) / wide) * (game.frames.length - 1)));
}

/** @type {(event: PointerEvent) => void} */
function onBoard(event) {
  if (!game.tiles.length) return;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(find("board").getScreenCTM().inverse());
  /** @type {(point: Wire.Point) => number} */
  const far = ([x, y]) => Math.hypot(x - point.x, y - point.y);
  const { centres, shapes } = game.grid;
  const near = centres.reduce((best, centre, cell) => (far(centre) < far(centres[best]) ? cell : best), 0);
  const [x, y] = centres[near];
  const isOn = Math.abs(point.x - x) <= HALF && Math.abs(point.y - y) <= shapes.half;
  find("readout").textContent = isOn ? described(game, game.frames[at], near) : "";
}

if (report.games.length) {
  const groups = ["Good games", "Games of the run"].map((name) =>
    Object.assign(document.createElement("optgroup"), { label: say(name) }),
  );
  if (report.good) find("games").append(...groups);
  report.games.forEach((one, index) => {
    const last = one.frames.findLast((frame) => frame.scores).scores;
    const result = one.players.map((_letter, player) => `${titled(one, player)} ${signed(last[player][0])}`);
    const list = report.good ? groups[index < report.good ? 0 : 1] : find("games");
    list.append(new Option(`${index + 1}. ${one.title}: ${result.join(", ")}`, String(index)));
  });
  find("shown").textContent = report.shown;
  find("choice").hidden = report.games.length === 1;
  find("games").addEventListener("change", () => choose(Number(find("games").value)));
  find("views").addEventListener("change", () => look(Number(find("views").value)));
  find("slider").addEventListener("input", () => seek(Number(find("slider").value)));
  for (const [id, key] of Object.entries({
    first: "Home",
    back: "ArrowLeft",
    play: " ",
    forward: "ArrowRight",
    last: "End",
  })) {
    find(id).addEventListener("click", KEYS[key]);
  }
  document.addEventListener("keydown", onKey);
  for (const type of /** @type {const} */ (["pointerdown", "pointermove"])) {
    find("chart").addEventListener(type, onChart);
    find("board").addEventListener(type, onBoard);
  }
  find("board").addEventListener("pointerleave", () => (find("readout").textContent = ""));
  find("game").hidden = false;
  choose(0);
}
find("no-games").hidden = report.games.length > 0;
if (report.throughput.length) {
  // a rate holds from the entry before until its own
  const points = report.throughput.flatMap(([seconds, rate], i, all) => [
    [i ? all[i - 1][0] : 0, rate],
    [seconds, rate],
  ]);
  find("throughput").append(
    chart([{ points, kind: "only", name: "" }], say("games a second over the run"), 110, false).svg,
  );
  find("throughput").hidden = false;
}
