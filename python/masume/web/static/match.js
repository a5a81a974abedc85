// A match: live or recorded, watched or played.

import { addressOf, clock, drawn, get, keep, listen, make, post, tell, title, unreachable } from "./dom.js";
import { CHART, chart, data, find, grouped, legend, say, signed, swatch } from "./draw.js";
import { End } from "./end.js";
import { Film } from "./film.js";
import { Pace } from "./pace.js";
import { Player } from "./play.js";
import { areOn, sound, turn } from "./sound.js";
import { Stage } from "./stage.js";

const ADDRESS_MS = 300; // shortest time between two changes of the address while a game is played
const LOG_MS = 200; // shortest time between two changes of the list of events while a game is played
const GLIDING = 8; // turns a second up to which pieces glide
const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32, 64]; // turns a second
const SETTLING_MS = 600; // of the end, in which nothing can be pressed

/** @type {(main: HTMLElement, id: string, isWall?: boolean) => Promise<MatchView>} */
export async function open(main, id, isWall = false) {
  const view = new MatchView(main, id, isWall);
  await view.begin();
  return view;
}

export class MatchView {
  /** @type {Wire.Match} */
  match;
  /** @type {Film | null} none while this viewer may see no board */
  film = null;
  at = 0; // the frame shown
  isLive = true; // whether the newest frame is shown
  timer = 0; // 0 while paused
  isLost = false; // the connection
  scored = ""; // what the scores were made of
  /** @type {{ of: Film | null, items: (HTMLElement | null)[] }} the entries of the log */
  told = { of: null, items: [] };
  wasHeld = false; // whether the match has run here
  /** @type {Wire.Chart | null} of what a search says */
  better = null;
  /** @type {Wire.Chart | null} */
  scores = null;
  /** @type {Film["unpack"] | null} */
  charted = null; // what made the frames of that chart
  numCharted = 0; // and how many they were
  /** @type {import("./guide.js").Guide | null} */
  manual = null;
  /** @type {import("./friend.js").Friend | null} */
  friend = null;
  isTogether = false; // whether all decide at once
  /** @type {import("./lesson.js").LessonCard | null} */
  lesson = null;
  /** @type {Promise<void> | null} done when all frames are there */
  loaded = null;

  /** @param {HTMLElement} main @param {string} id @param {boolean} isWall */
  constructor(main, id, isWall = false) {
    this.main = main;
    this.id = id;
    this.isWall = isWall;
    this.query = new URLSearchParams(location.search);
    // the newest window has the seat
    this.window = Array.from(crypto.getRandomValues(new Uint32Array(4)), String).join("-");
    this.pace = new Pace();
    this.isLinked = /^#[\w-]{16,}$/.test(location.hash); // by an invitation, or by the link to an own seat
    this.invitation = make("div");
    this.ending = new End(this);
  }

  /** @type {(path: string, extra?: Record<string, string>) => string} */
  address(path, extra = {}) {
    const query = new URLSearchParams(
      Object.entries({
        view: this.query.get("view") ?? "",
        as: this.query.get("as") ?? "",
        window: this.window,
        ...extra,
      }).filter(([, value]) => value !== ""),
    );
    return `/api/m/${this.id}${path}?${query}`;
  }

  async begin() {
    this.#lay();
    await this.#meet();
    if (this.match.lesson) await this.#teach();
    if (this.match.mine.length && !this.isWall) await this.#take();
    this.#listen();
    this.ticker = setInterval(() => this.#tick(), 250);
    if (!this.isWall) document.addEventListener("keydown", (event) => this.#onKey(event));
    window.addEventListener("hashchange", () => {
      // somebody edits the address or follows a link: no late write of ours
      clearTimeout(this.addressing);
      if (this.film && this.isOver) this.#link();
    });
  }

  #listen() {
    this.stop = listen(
      () => this.address("/events", { from: this.film?.count ? `${data.boot}.${this.film.count - 1}` : "", stay: "1" }),
      {
        frame: (packed) => this.pace.add(() => this.#onFrame(packed), packed.turn),
        match: (match) => {
          const heard = performance.now();
          this.pace.add(() => this.#onMatch(match, heard));
        },
        ask: (asked) => {
          const heard = performance.now();
          this.pace.add(() => this.player.ask(asked, heard));
        },
        end: () => this.pace.add(() => this.#onEnd()),
        over: () => this.pace.add(() => this.#onEnd()),
        broken: ({ text }) => this.pace.add(() => this.#onBroken(text)),
      },
      (state) => this.#onState(state),
    );
  }

  // let this window play the seats of this browser, and no other
  // isBack: unless another window plays them
  async #take(isBack = false) {
    await post(this.address("/take"), { window: this.window, back: isBack });
  }

  end() {
    this.stop?.();
    clearInterval(this.ticker);
    clearTimeout(this.addressing);
    clearTimeout(this.logging);
    this.pause();
  }

  // show the lesson over the board; few matches have one
  async #teach() {
    const { LessonCard } = await import("./lesson.js");
    this.lesson = new LessonCard(this);
    this.main.classList.add("learning");
    this.main.prepend(this.lesson.card);
    this.lesson.show();
    this.loaded?.then(() => this.lesson.watch());
  }

  // fetch scene and last frame, and begin the film
  async #meet() {
    const found = this.#first() ?? (await get(this.address("")));
    this.match = found.match;
    this.better = null;
    this.parts.values.replaceChildren(
      make("figcaption", say("Evaluation by a search")),
      make("button", { click: (event) => this.#ask(event.target) }, say("Search the game")),
    );
    this.parts.hidden.hidden = !found.hidden || this.isLinked;
    this.board.hidden = Boolean(found.hidden);
    this.parts.hidden.textContent = found.hidden ?? "";
    this.film = null;
    if (!found.hidden) {
      this.film = new Film(found.scene, (piece) => this.address(`/film/${piece}`));
      this.stage.set(found.scene, found.view);
      this.film.add(found.frame);
      this.at = found.frame.n;
      this.loaded = this.film
        .load(() => this.#refresh())
        .then(
          () => this.#link(),
          (error) => tell(error.message),
        );
      this.#legend();
    }
    this.#onMatch(found.match);
    this.#refresh();
  }

  // what came with the page, once
  #first() {
    const found = JSON.parse(find("first").textContent);
    find("first").textContent = "null";
    return found?.match.id === this.id ? found : null;
  }

  #link() {
    const wanted = /^#(t?)(\d+)$/.exec(location.hash);
    if (!wanted) return;
    const number = Number(wanted[2]);
    const at = wanted[1] ? this.film.turns.lastIndexOf(number) : number;
    if (at >= 0 && at < this.film.count) this.seek(at);
  }

  // -- the parts of the page ---------------------------------------------------------------------

  #lay() {
    this.stage = new Stage(
      (cell, event) => {
        this.pace.release();
        this.player.press(cell, event);
      },
      (cell) => this.#point(cell),
      (cells, isDone) => this.player.drag(cells, isDone),
      (cell) => this.player.ownersAt(cell).length > 0,
    );
    /** @type {(name: string, label: string, run: () => void, text: string) => HTMLButtonElement} */
    const button = (name, label, run, text) =>
      make("button", { class: name, title: label, "aria-label": label, click: run }, text);
    this.parts = {
      banner: make("div.banner", { "aria-live": "polite" }),
      score: make("div.score-strip"),
      hidden: make("p.note.card", { hidden: true }),
      readout: make("output.readout.soft"),
      caption: make("p.caption"),
      slider: make("input", {
        type: "range",
        min: 0,
        value: 0,
        "aria-label": say("Position in the game"),
        input: (event) => this.seek(Number(event.target.value)),
      }),
      play: button("play", say("Play"), () => this.toggle(), "▶"),
      back: button("", say("Back"), () => this.seek(this.film.step(this.at, -1)), "◀"),
      forward: button("", say("Forward"), () => this.seek(this.film.step(this.at, 1)), "▶"),
      live: make("button.live", { click: () => this.follow() }, say("Live")),
      speed: make(
        "select.speed",
        { "aria-label": say("Speed") },
        ...SPEEDS.map((speed) => new Option(say("{speed} a second", { speed }), String(speed), false, speed === 4)),
      ),
      views: make("select", {
        "aria-label": say("View"),
        hidden: true,
        change: (event) => this.look(event.target.value),
      }),
      chart: make("figure.card.chart", { hidden: true }, make("figcaption", say("Score"))),
      values: make("figure.card.chart.values", { hidden: true }),
      log: make("div.card.told", make("h2", say("Events")), make("div.log", { role: "log", tabindex: 0 })),
      noted: make(
        "details.card.noted",
        { open: true, hidden: true },
        make("summary", say("Faults and skipped commands")),
        make("ul"),
      ),
      legend: make(
        "details.card",
        make("summary", say("Signs and keys")),
        make("ul.legend"),
        make(
          "p.soft",
          say("Space plays, , and . step, Home and End go to the ends, v changes the view, f fills the screen."),
        ),
      ),
      sounds: make(
        "button.sounds",
        {
          "aria-pressed": String(areOn()),
          title: say("Sounds"),
          "aria-label": say("Sounds"),
          click: () => this.#turnSounds(),
        },
        "♪",
      ),
      host: make("div.host"),
    };
    const { parts } = this;
    parts.back.textContent = "‹";
    parts.forward.textContent = "›";
    this.playback = make(
      "div.controls",
      { role: "group", "aria-label": say("Playback") },
      parts.slider,
      make(
        "div.row",
        parts.back,
        parts.play,
        parts.forward,
        parts.live,
        make("span.grow"),
        parts.views,
        parts.speed,
        parts.sounds,
      ),
    );
    this.board = make(
      "div.board-box",
      { tabindex: 0, role: "application", "aria-label": say("Board") },
      this.stage.svg,
      this.ending.card,
    );
    this.player = new Player(this);
    this.guide = make(
      "button.guide-button",
      {
        "aria-label": say("How it is played"),
        title: say("How it is played"),
        "aria-expanded": "false",
        click: () => this.#explain(),
      },
      "?",
    );
    this.main.className = this.isWall ? "match wall" : "match";
    this.main.replaceChildren(
      make("div.head-row", this.guide, parts.banner),
      parts.score,
      make(
        "div.stage",
        this.invitation,
        parts.hidden,
        this.board,
        make("p.under", parts.caption, parts.readout),
        this.player.bar,
        this.playback,
      ),
      make(
        "aside.side",
        this.player.panel,
        parts.host,
        parts.chart,
        parts.values,
        parts.noted,
        parts.log,
        parts.legend,
      ),
    );
  }

  // tell what two people ask each other; the script comes when there are two
  async #company() {
    if (!this.friend && (this.match.people.length > 1 || this.isLinked)) {
      const { Friend } = await import("./friend.js");
      this.friend ??= new Friend(this);
      this.scored = "";
      this.#score();
      this.friend.update();
      this.host();
    } else this.friend?.update();
  }

  // open the guide, or close it; few need it, so it is fetched when it is wanted
  async #explain() {
    try {
      const { Guide } = await import("./guide.js");
      this.manual ??= new Guide(this, this.guide);
      this.manual.toggle();
    } catch (error) {
      tell(error instanceof TypeError ? unreachable() : error.message);
    }
  }

  #turnSounds() {
    turn(!areOn());
    this.parts.sounds.setAttribute("aria-pressed", String(areOn()));
  }

  #legend() {
    const { game } = this.film;
    this.parts.legend
      .querySelector(".legend")
      .replaceChildren(...legend(game).map(([picture, name]) => make("li", drawn(picture), name)));
  }

  // -- events of the server ----------------------------------------------------------------------

  /** @type {(packed: Wire.Packed & { n: number }) => void} */
  #onFrame(packed) {
    if (!this.film) return;
    if (!this.player.isAsked) [this.player.shown, this.player.pressed] = [null, null]; // what was planned has been played
    const wasLast = this.at >= this.film.count - 1;
    this.film.add(packed);
    if (this.isLive || (wasLast && !this.timer)) {
      this.at = this.film.count - 1;
      this.#refresh(this.#isSlow());
      this.#announce();
      this.#sound();
    } else {
      this.#controls();
    }
  }

  /** @type {(match: Wire.Match, heard?: number) => void} */
  #onMatch(match, heard = performance.now()) {
    // a press meant for the last turn does not hit what the end puts there
    if (this.match?.phase === "running" && match.phase === "over" && match.mine.length)
      document.body.animate({ pointerEvents: ["none", "none"] }, SETTLING_MS);
    this.match = match;
    this.wasHeld ||= match.phase === "running";
    this.isTogether ||= match.mover === -1;
    this.heard = heard;
    const { views } = this.parts;
    const options = match.views.map(
      (view) =>
        new Option(
          view === "all" ? say("everything") : match.players[view],
          String(view),
          false,
          String(view) === this.query.get("view"),
        ),
    );
    views.hidden = !options.length;
    views.replaceChildren(...options);
    document.title = `${title(match)}: ${match.names.join(" – ")}`;
    this.#company().catch((error) => tell(error.message));
    this.banner();
    this.#score();
    this.host();
    this.lesson?.show();
    this.#noted();
    this.#controls();
  }

  // what players did wrong, after the end; each entry moves to the position in which it happened
  #noted() {
    const { match, parts } = this;
    parts.noted.hidden = !match.noted.length;
    /** @type {(ply: number) => void} */
    const seek = (ply) => {
      if (this.film)
        this.seek(
          Math.max(
            0,
            this.film.plies.findLastIndex((before) => before <= ply),
          ),
        );
    };
    /** @type {(noted: Wire.Match["noted"][number]) => HTMLElement} */
    const entry = ([player, ply, cause, detail]) =>
      make(
        "li",
        make(
          "button",
          { click: () => seek(ply) },
          say("{player}, move {move}: {cause}: {detail}", {
            player: match.names[player] || match.players[player],
            move: ply + 1,
            cause,
            detail,
          }),
        ),
      );
    parts.noted.lastElementChild.replaceChildren(...match.noted.map(entry));
  }

  async #onEnd() {
    this.player.ask([]);
    const { winners, mine, lesson } = this.match;
    const isWon = lesson?.state === "reached" || winners.some((player) => mine.includes(player));
    if (this.wasHeld) sound(isWon ? "win" : "end");
    // what was hidden is shown now
    if ((this.wasHeld || !lesson) && this.match.views.length && !this.query.get("view"))
      await this.#meet().catch((error) => tell(error.message));
    this.banner();
  }

  // an internal error of the server: nothing more comes
  /** @type {(text: string) => void} */
  #onBroken(text) {
    this.player.ask([]);
    Object.assign(this.match, { phase: "broken", detail: text });
    this.banner();
  }

  /** @type {(state: "open" | "lost") => void} */
  #onState(state) {
    const { match } = this;
    if (this.isLost && state === "open" && match.mine.length && !match.away.length && !this.isWall)
      this.#take(true).catch((error) => tell(error.message)); // the server may have forgotten it meanwhile
    this.isLost = state === "lost";
    this.banner();
  }

  // -- what is shown -----------------------------------------------------------------------------

  get frame() {
    return this.player.shown ?? this.film?.frames[this.at];
  }

  #refresh(glides = false) {
    if (!this.film) return;
    const { film, at } = this;
    const frame = this.frame;
    if (!frame) return;
    if (this.player.shown) this.stage.show(frame, undefined, glides);
    else this.stage.show(frame, film.frames[at - 1], glides, this.#round());
    this.parts.caption.textContent = frame.caption;
    if (this.match.mine.length && !this.isOver) keep(this.parts.caption.parentElement); // also while others move
    this.#score();
    this.#chart();
    this.#log();
    this.#controls();
    this.player.paint();
    this.ending.show();
    const standing = film.game.players
      .map((_letter, player) => `${this.match.names[player]} ${signed(frame.scores[player][0])}`)
      .join("; ");
    this.stage.svg.setAttribute("aria-label", `${film.game.title}, ${frame.caption}: ${standing}`);
  }

  // for who plays: the frames of the last turn of each player before the one that is shown, each with that before it
  /** @type {() => Wire.Pair[]} */
  #round() {
    const { film, at } = this;
    if (!this.match.mine.length || this.isTogether || !this.isLive) return [];
    /** @type {Wire.Pair[]} */
    const pairs = [];
    for (let n = at - 1, left = film.game.players.length - 1; n > 0 && film.frames[n - 1]; n--) {
      if (film.turns[n] !== film.turns[n + 1] && --left < 0) break;
      pairs.push([film.frames[n], film.frames[n - 1]]);
    }
    return pairs;
  }

  refresh(glides = false) {
    this.#refresh(glides);
  }

  // whether the last frame was shown long enough ago for pieces to glide
  #isSlow() {
    const now = performance.now();
    const passed = now - (this.shownAt ?? 0);
    this.shownAt = now;
    return passed >= 1000 / GLIDING && !document.hidden;
  }

  banner() {
    const { match, parts } = this;
    const words = [];
    /** @type {string} */
    let kind = match.phase;
    if (this.isLost && !this.isOver) {
      kind = "lost";
      words.push(say("Reconnecting"));
    } else if (match.away?.length && !this.isOver) {
      kind = "away";
      words.push(say("This seat is played in another window"));
    } else if (match.halted) {
      kind = "halted";
      words.push(say("All clocks are stopped"), match.halted);
    } else if (match.phase === "waiting") {
      words.push(
        match.missing.length
          ? say("Waiting for {names}", { names: match.missing.map((player) => match.players[player]).join(", ") })
          : say("Waiting"),
      );
      if (match.missing.length && !match.mine.length && !this.friend?.token)
        words.push(say("Who was sent the link of the invitation can sit down"));
    } else if (match.phase === "ready") words.push(say("Ready"));
    else if (match.phase === "paused") words.push(say("Paused"));
    else if (match.phase === "broken") words.push(say("Not played"), match.detail);
    else if (match.phase === "over") {
      words.push(this.outcome());
      if (match.why) words.push(match.why);
    } else if (this.player.isAsked) {
      kind = "mine";
      words.push(this.player.headline());
    } else if (match.mover >= 0) words.push(say("{name} to move", { name: match.names[match.mover] }));
    else words.push(say("All are deciding"));
    parts.banner.dataset.kind = kind;
    const face = {
      over: "■",
      paused: "❚❚",
      halted: "❚❚",
      waiting: "…",
      ready: "●",
      running: "▶",
      lost: "↻",
      away: "⇄",
      mine: "★",
      broken: "!",
    }[kind];
    parts.banner.replaceChildren(
      make("span.face", { "aria-hidden": "true" }, face),
      make("strong", words[0]),
      make("span", words.slice(1).join(" ")),
      make("span.grow"),
      make("span.soft", title(match)),
      this.player.timer,
    );
    if (this.player.isAsked) keep(parts.banner); // what is below does not move while one plays
  }

  #score() {
    const { match, film } = this;
    if (!match) return;
    const frame = this.frame;
    const shapes = film?.game.grid.shapes;
    const totals = match.players.map((_, player) => frame?.scores[player]?.[0] ?? null);
    /** @type {string} */
    const stamp = JSON.stringify([
      match.names,
      match.deciding,
      match.phase,
      match.winners,
      match.mine,
      match.here,
      match.missing,
      frame?.scores,
      Boolean(film),
    ]);
    if (stamp === this.scored) return;
    this.scored = stamp;
    const known = totals.filter((total) => total !== null);
    const best = known.length === totals.length ? Math.max(...known) : null;
    const cards = match.players.map((role, player) => {
      const letter = film?.game.players[player] ?? role;
      const [total, ...parts] = frame?.scores[player] ?? [null];
      const leads = best !== null && total === best && totals.filter((one) => one === best).length === 1;
      const second = Math.max(...totals.filter((_, other) => other !== player));
      const moves = match.deciding.includes(player) && match.phase === "running";
      return make(
        "div",
        { class: `seat p${player}`, "data-moves": moves, "data-won": match.winners.includes(player) },
        drawn(swatch(["", "solid", player, "", ""], letter.length < 3 ? letter : letter[0], shapes)),
        make("span.name", { "data-long": match.names[player].length > 14 }, match.names[player] || role),
        make(
          "span.role.soft",
          [
            role !== match.names[player] ? role : "",
            match.mine.includes(player) ? say("you") : "",
            this.friend?.presence(player) ?? "",
          ]
            .filter(Boolean)
            .join(", "),
        ),
        make("span.clock", { "data-player": player }),
        make("span.total", grouped(total)),
        leads ? make("span.lead", say("leads by {number}", { number: total - second })) : null,
        parts.length
          ? make("span.parts.soft", parts.map((score, i) => `${film.game.scores[i + 1]} ${grouped(score)}`).join(", "))
          : null,
      );
    });
    this.parts.score.replaceChildren(...cards);
    this.#tick();
  }

  #tick() {
    const { match } = this;
    if (!match) return;
    const passed = performance.now() - this.heard;
    for (const place of this.parts.score.querySelectorAll(".clock")) {
      const player = Number(place.getAttribute("data-player"));
      const left = match.left_ms[player];
      const runs = match.deciding.includes(player) && match.phase === "running" && !match.halted;
      place.textContent = left === null ? "" : clock(Math.max(0, left - (runs ? passed : 0)));
    }
    this.player.tick();
  }

  #chart() {
    const { film } = this;
    if (this.isWall) {
      this.parts.chart.hidden = true;
      return;
    }
    if (this.charted !== film.unpack || this.numCharted !== film.added) {
      this.charted = film.unpack;
      this.numCharted = film.added;
      const lines = this.#curves();
      this.ending.plot(lines);
      this.parts.chart.hidden = !lines.length;
      if (!lines.length) return;
      this.scores = chart(lines, say("Score"), 150, true);
      const { scores } = this;
      scores.svg.addEventListener("click", (event) => this.#seekIn(scores, event));
      this.parts.chart.replaceChildren(this.parts.chart.firstElementChild, this.scores.svg);
    }
    this.#mark();
    if (this.parts.chart.hidden) return;
    const { scores } = this;
    this.#stroke(scores);
  }

  // the scores by frame, of each player whose scores are known
  #curves() {
    const { game, frames } = this.film;
    return game.players
      .map((name, player) => ({
        points: frames
          .map((frame, number) => [number, frame?.scores[player]?.[0] ?? null])
          .filter(([, score]) => score !== null),
        kind: `p${player}`,
        name: name.length < 3 ? name : name[0],
      }))
      .filter((line) => line.points.length > 1);
  }

  // mark the position in a chart
  /** @type {(chart: Wire.Chart) => void} */
  #stroke({ svg, x, height }) {
    svg.lastElementChild.innerHTML = `<path d="M${x(this.at)} ${CHART.top}V${height - CHART.bottom}"/>`;
  }

  // let a search look at the finished game, and draw what it says by move
  /** @type {(button: HTMLButtonElement) => Promise<void>} */
  async #ask(button) {
    button.disabled = true;
    button.textContent = say("Thinking");
    try {
      const { values } = await post(this.address("/values"), {});
      const { players } = this.film.game;
      const better = chart(
        [{ points: values, kind: "p0", name: players[0].slice(0, 1) }],
        say("Value for {name}, from a sure loss to a sure win", { name: this.match.names[0] || players[0] }),
        110,
        false,
      );
      better.svg.addEventListener("click", (event) => this.#seekIn(better, event));
      this.better = better;
      button.replaceWith(better.svg);
      this.#mark();
    } catch (error) {
      button.disabled = false;
      button.textContent = error.message;
    }
  }

  // mark the position in the chart of the search
  #mark() {
    const { better } = this;
    this.parts.values.hidden =
      this.isWall || !this.film || this.match.phase !== "over" || this.match.players.length !== 2;
    if (better) this.#stroke(better);
  }

  // go to where a chart was pressed
  /** @type {(pressed: Wire.Chart, event: MouseEvent) => void} */
  #seekIn(pressed, event) {
    const box = pressed.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * CHART.width;
    this.seek(Math.round((x - CHART.left) / (pressed.x(1) - pressed.x(0) || 1)));
  }

  // the last events, the newest first
  #log() {
    const { film, at } = this;
    clearTimeout(this.logging);
    const now = performance.now();
    if (this.timer && now - (this.logged ?? 0) < LOG_MS) {
      // too fast to be read
      this.logging = setTimeout(() => this.#log(), LOG_MS);
      return;
    }
    this.logged = now;
    if (this.told.of !== film) this.told = { of: film, items: [] };
    const { items } = this.told;
    const shown = [];
    for (let n = at; n > 0 && shown.length < 40 && film.frames[n]; n--) {
      if (items[n] === undefined) {
        const lines = this.lines(n);
        items[n] = lines.length ? make("li", make("span.soft", `${film.turns[n]} `), lines.join("; ")) : null;
      }
      if (items[n]) shown.push(items[n]);
    }
    this.parts.log.lastElementChild.replaceChildren(make("ul", ...shown));
  }

  // what happened in a frame, in words
  /** @type {(n: number) => string[]} */
  lines(n) {
    const { film } = this;
    const frame = film.frames[n];
    if (frame.log.length) return frame.log;
    return frame.acts.flatMap(({ unit, verb, target, outcome }) => {
      const [word, shape] = film.game.verbs[verb];
      if (shape === "none") return [];
      const [fate, badge] = film.game.outcomes[outcome];
      const name = film.game.units[unit]?.[1] ?? "";
      return [`${name} ${word}${target < 0 ? "" : ` ${film.game.grid.names[target]}`}${badge && `: ${fate}`}`.trim()];
    });
  }

  // let a player hear what the frame has brought
  #sound() {
    const [mine] = this.match.mine;
    const [now, before] = [this.at, this.at - 1].map((at) => this.film.frames[at]?.scores[mine]?.[0] ?? null);
    if (now !== null && before !== null && now !== before) sound(now > before ? "gain" : "loss");
  }

  #announce() {
    const now = performance.now();
    if (now - (this.announced ?? 0) < 2000) return;
    this.announced = now;
    const frame = this.film.frames[this.at];
    tell([frame.caption, ...this.lines(this.at).slice(0, 3)].join(". "));
  }

  get isOver() {
    return this.match.phase === "over" || this.match.phase === "broken";
  }

  #controls() {
    const { parts, film, at } = this;
    this.playback.hidden = !film;
    if (!film) return;
    parts.slider.max = String(film.count - 1);
    parts.slider.value = String(at);
    parts.slider.setAttribute("aria-valuetext", film.frames[at]?.caption ?? "");
    parts.back.disabled = at === 0;
    parts.forward.disabled = at >= film.count - 1;
    parts.live.hidden = this.isOver;
    parts.live.setAttribute("aria-pressed", String(this.isLive));
    parts.play.textContent = this.timer ? "❚❚" : "▶";
    parts.play.setAttribute("aria-label", this.timer ? say("Pause") : say("Play"));
  }

  host() {
    const { match, parts } = this;
    const items = [];
    /** @type {(what: string) => () => void} */
    const press = (what) => () => post(this.address("/host"), { do: what }).catch((error) => tell(error.message));
    if (match.hosting && match.phase === "ready")
      items.push(make("button.primary.large", { click: press("start") }, say("Start")));
    if (match.hosting && match.phase === "running" && !match.mine.length)
      items.push(make("button", { click: press("pause") }, say("Pause the match")));
    if (match.phase === "paused" && match.hosting)
      items.push(make("button.primary", { click: press("resume") }, say("Go on")));
    if (match.away?.length && !this.isOver)
      items.push(make("button.primary.large", { click: () => this.#take() }, say("Play here")));
    if (!this.isOver && match.phase !== "waiting" && match.mine.length && match.links) {
      const links = match.mine.map((player) => new URL(addressOf(match.links[player]), location.href).href);
      items.push(
        make(
          "details.elsewhere",
          make("summary", say("Play on from another device")),
          ...links.map((address) => make("p.own-link", make("a", { href: address }, address))),
        ),
      );
    }
    if (match.phase === "over" && !this.ending.isOpen) items.push(...this.ending.next());
    parts.host.hidden = !items.length;
    parts.host.replaceChildren(...items);
    this.ending.show();
  }

  /** @type {() => string} */
  outcome() {
    const { winners, names, mine, lesson } = this.match;
    if (lesson)
      return { reached: say("Lesson done"), failed: say("Not reached"), shown: say("Solution"), open: "" }[
        lesson.state
      ];
    if (mine.length === 1 && winners.includes(mine[0])) return say("You win");
    return winners.length
      ? say("{names} wins", { names: winners.map((player) => names[player]).join(", ") })
      : say("draw");
  }

  // -- playback ----------------------------------------------------------------------------------

  /** @type {(at: number) => void} */
  seek(at) {
    this.pause();
    this.isLive = at >= this.film.count - 1 && !this.isOver;
    this.#go(at);
  }

  /** @type {(at: number) => void} */
  #go(at) {
    const isNext = at > this.at && at <= this.film.step(this.at, 1);
    this.at = Math.min(Math.max(at, 0), this.film.count - 1);
    if (this.film.frames[this.at]) this.#refresh(isNext && (!this.timer || Number(this.parts.speed.value) <= GLIDING));
    else this.#controls(); // the board follows when this frame has come
    this.#address();
  }

  // write the position into the address of the page; browsers allow that only now and then
  #address() {
    clearTimeout(this.addressing);
    if (this.isWall || (this.isLinked && !this.match.mine.length)) return; // it is in the address, or nobody needs it
    const wait = this.timer ? (this.addressed ?? 0) + ADDRESS_MS - performance.now() : 0;
    if (wait > 0) {
      this.addressing = setTimeout(() => this.#address(), wait);
      return;
    }
    this.addressed = performance.now();
    history.replaceState(null, "", this.isLive ? location.pathname + location.search : `#${this.at}`);
  }

  follow() {
    this.pause();
    this.isLive = true;
    this.#go(this.film.count - 1);
  }

  toggle() {
    if (this.timer) this.pause();
    else this.play();
    this.#controls();
  }

  play() {
    if (this.at >= this.film.count - 1) this.at = 0;
    this.isLive = false;
    const next = () => {
      const to = this.film.step(this.at, 1);
      if (to === this.at) {
        this.pause();
        if (!this.isOver) this.follow();
        this.#controls();
        return;
      }
      this.#go(to);
      this.timer = setTimeout(next, 1000 / Number(this.parts.speed.value));
    };
    this.timer = setTimeout(next, 0);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
  }

  /** @type {(view: string) => Promise<void>} */
  async look(view) {
    this.stop?.();
    this.query.set("view", view);
    const at = this.at;
    history.replaceState(null, "", `?${this.query}`);
    await this.#meet();
    this.isLive = !this.isOver;
    if (!this.isLive) this.film.load().then(() => this.#go(Math.min(at, this.film.count - 1)));
    this.#listen();
  }

  /** @type {(cell: number) => void} */
  #point(cell) {
    const told = cell < 0 ? [] : [this.stage.describe(cell), this.player.foretell(cell)];
    this.parts.readout.textContent = told.filter(Boolean).join(". ");
    this.player.warnAt(cell);
  }

  /** @type {(event: KeyboardEvent) => void} */
  #onKey(event) {
    const on = /** @type {Element} */ (event.target).tagName;
    if (["INPUT", "SELECT", "TEXTAREA"].includes(on) || event.altKey || event.metaKey) return;
    if (event.key === " " && ["BUTTON", "SUMMARY", "A"].includes(on)) return;
    this.pace.release();
    if (this.player.onKey(event)) return event.preventDefault();
    if (event.ctrlKey || !this.film) return;
    const { film } = this;
    const run = {
      " ": () => this.toggle(),
      ",": () => this.seek(film.step(this.at, -1)),
      ".": () => this.seek(film.step(this.at, 1)),
      "<": () => this.seek(this.at - 1),
      ">": () => this.seek(this.at + 1),
      Home: () => this.seek(0),
      End: () => (this.isOver ? this.seek(film.count - 1) : this.follow()),
      r: () => this.frame && tell([this.frame.caption, ...this.lines(this.at)].join(". ")),
      o: () =>
        this.frame &&
        tell(this.match.names.map((name, player) => `${name} ${signed(this.frame.scores[player][0])}`).join(", ")),
      "?": () => this.#explain(),
      f: () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()),
      v: () => {
        const { views } = this.parts;
        if (views.hidden) return;
        views.selectedIndex = (views.selectedIndex + 1) % views.length;
        this.look(views.value);
      },
    }[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  }
}
