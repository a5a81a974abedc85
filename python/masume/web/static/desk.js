// The organiser's desk of a contest: what comes next as buttons, everything else as forms.

import { field, get, levelOf, make, post, Refused, tell } from "./dom.js";
import { data, say } from "./draw.js";
import { isBracket, matchOf, nameOf, overview } from "./tables.js";

const REST_MS = 600; // after an order, in which nothing can be pressed: the second half of a double press
const AGAIN_MS = 1000; // until an order is sent again whose answer did not arrive
const MAX_TRIES = 15;
const COMMAND = "="; // a program is written as a command

/** @type {() => string} */
const newNonce = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16)).join("-");
/** @type {(ms: number) => Promise<void>} */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** @type {(entries: [value: string, word: string][], chosen?: string, id?: string) => HTMLSelectElement} */
const choice = (entries, chosen = "", id = "") =>
  make(
    "select",
    { id: id || null },
    ...entries.map(([value, word]) => new Option(word, value, false, value === chosen)),
  );

export class Desk {
  /** @type {Wire.Contest | null} */
  contest = null;
  /** @type {Wire.Listed[]} of the page */
  matches = [];

  /** @param {HTMLElement} main @param {() => Promise<void>} refresh fetches the contest */
  constructor(main, refresh) {
    this.main = main;
    this.refresh = refresh;
    this.lost = make("p.trouble.lost", { role: "status" });
    this.bar = make("section.card.desk");
    this.trouble = make("p.trouble", { role: "alert" });
    this.screen = make("section.card.screen", { hidden: !data.isHost });
    this.body = make("div.contest-body");
    this.people = make("section.card.people-card");
    this.box = make("dialog.ask");
    this.isBusy = false;
    main.replaceChildren(this.lost, this.bar, this.screen, this.body, this.people, this.box);
    if (data.isHost) this.#screens();
  }

  // the desk shows no board
  follow() {}

  /** @type {(state: "open" | "lost") => void} */
  onState(state) {
    this.lost.textContent =
      state === "open"
        ? ""
        : say(
            "The server does not answer: what you see may be old. It goes on by itself when the server is back; if the terminal shows new links, open the host's link.",
          );
  }

  // -- orders -----------------------------------------------------------------------------------------

  // the answer of the desk to an order; it is sent again under the same nonce until there is one
  /** @type {(order: Wire.Order, seen: string) => Promise<Wire.Ordered>} */
  async #send(order, seen) {
    const body = { nonce: newNonce(), seen, order };
    for (let tries = 1; ; tries++) {
      try {
        return await post("/api/contest/do", body);
      } catch (error) {
        if (error instanceof Refused && error.status) throw error; // else there was no answer
        if (tries === MAX_TRIES)
          throw new Error(say("The server does not answer. Look at the terminal, then press again."));
        await wait(AGAIN_MS);
      }
    }
  }

  // order, once: meanwhile and for a moment after nothing can be pressed; the answer, or null if it was refused
  /** @type {(order: Wire.Order, seen?: string, trouble?: HTMLElement) => Promise<Wire.Ordered | null>} */
  async order(order, seen = this.contest.desk.seen, trouble = this.trouble) {
    if (this.isBusy) return null;
    this.#rest(true);
    this.trouble.textContent = trouble.textContent = "";
    try {
      return await this.#send(order, seen);
    } catch (error) {
      trouble.textContent = error.message;
      tell(error.message);
      return null;
    } finally {
      this.refresh();
      setTimeout(() => this.#rest(false), REST_MS);
    }
  }

  /** @type {(isBusy: boolean) => void} */
  #rest(isBusy) {
    this.isBusy = isBusy;
    for (const part of [this.bar, this.screen, this.body, this.people, this.box]) part.inert = isBusy;
  }

  /** @type {(word: string, order: Wire.Order, kind?: string) => HTMLButtonElement} */
  #button(word, order, kind = "") {
    const { seen } = this.contest.desk;
    return make("button", { class: kind, click: () => this.order(order, seen) }, word);
  }

  /** @type {(word: string, open: () => void, kind?: string) => HTMLButtonElement} */
  #opener(word, open, kind = "") {
    return make("button", { class: kind, "aria-haspopup": "dialog", click: () => this.isBusy || open() }, word);
  }

  // ask something in a dialog; `order` makes the order when its word is pressed
  /** @type {(title: string, parts: (Node | string)[], word: string, order: () => Wire.Order) => void} */
  #ask(title, parts, word, order) {
    const { seen } = this.contest.desk;
    const trouble = make("p.trouble", { role: "alert" });
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault();
      if (await this.order(order(), seen, trouble)) this.box.close();
    };
    this.box.replaceChildren(
      make(
        "form",
        { submit },
        make("h2", title),
        ...parts,
        trouble,
        make(
          "div.row.buttons",
          make("button.primary", { type: "submit" }, word),
          make("button", { click: () => this.box.close() }, say("Change nothing")),
        ),
      ),
    );
    this.box.setAttribute("aria-label", title);
    this.box.showModal();
  }

  // take back the last step or a match: first what goes with it is shown
  /** @type {(match: string | null) => Promise<void>} */
  async #undo(match) {
    const found = await this.order({ do: "undo", match, gone: [] });
    if (!found?.gone) return;
    const { gone } = found;
    this.#ask(
      say("Take this back?"),
      [make("ul.gone", ...gone.map(([, text]) => make("li", text)))],
      say("Take back"),
      () => ({ do: "undo", match, gone: gone.map(([number]) => number) }),
    );
  }

  #stop() {
    const { match } = this.contest;
    this.#ask(
      say("Stop the match?"),
      [make("p", say("Nothing of it is kept: it has to be played again."))],
      say("Stop it"),
      () => ({ do: "stop", match }),
    );
  }

  // -- what is shown ----------------------------------------------------------------------------------

  /** @type {(contest: Wire.Contest) => void} */
  show(contest) {
    this.contest = contest;
    document.title = contest.title;
    if (!data.isHost) this.#visitor();
    else if (contest.desk) this.#desk();
    else {
      this.contest = null;
      this.lost.textContent = say("The page was started again: open the host's link that the terminal shows now.");
      this.bar.replaceChildren(make("h1", contest.title));
      this.screen.hidden = true;
    }
    this.body.replaceChildren(
      ...contest.stages
        .toReversed()
        .map((stage) =>
          make("section.card", make("h2", stage.title), overview(stage, contest), this.#results(stage, contest)),
        ),
      contest.lots.text ? make("p.soft.lots", contest.lots.text) : "",
    );
    this.#people(contest);
  }

  #visitor() {
    const { contest } = this;
    this.bar.replaceChildren(
      make("h1", contest.title),
      make("p", make("a", { href: "/wall" }, say("Wall"))),
      make("p.step", contest.step.kind === "over" ? say("Final standings") : ""),
    );
  }

  #desk() {
    const { contest } = this;
    const { desk } = contest;
    const [isGame, isAuto] = [contest.phase === "game", contest.is_auto];
    const buttons = [];
    if (!isGame && !isAuto) buttons.push(...this.#next());
    if (isGame) buttons.push(this.#opener(say("Stop the match…"), () => this.#stop()));
    if (isAuto)
      buttons.push(
        this.#button(isGame ? say("Stop autoplay after this match") : say("Stop autoplay"), { do: "pause" }, "primary"),
      );
    else if (contest.step.kind !== "over" && !isGame) buttons.push(this.#button(say("Autoplay"), { do: "auto" }));
    if (!isGame && !isAuto && desk.undo)
      buttons.push(this.#opener(say("Take back: {what}…", { what: desk.undo }), () => this.#undo(null)));
    if (desk.trouble) this.trouble.textContent = desk.trouble;
    this.screen.querySelector("select").value = contest.screen.screen;
    this.bar.replaceChildren(
      make(
        "div.row",
        make("h1", contest.title),
        make("span.grow"),
        make("a", { href: "/wall", target: "_blank" }, say("Wall")),
      ),
      make(
        "p.step",
        isGame
          ? say("A match is played: {match}", { match: matchOf(contest, contest.match)?.names.join(" – ") })
          : desk.next,
      ),
      ...(contest.step.kind === "choose" && !isAuto ? this.#choices() : []),
      make("div.row.buttons", ...buttons),
      this.trouble,
      make("ul.news.soft", ...desk.news.map((line) => make("li", line))),
    );
  }

  // the buttons of the next step
  /** @type {() => HTMLElement[]} */
  #next() {
    const { contest } = this;
    const { step, desk } = contest;
    const match = matchOf(contest, contest.phase === "pairing" ? contest.match : step.match);
    switch (step.kind) {
      case "draw":
        return [
          this.#button(say("Draw"), { do: "draw", entries: [], is_by_lot: false }, "primary"),
          this.#button(say("Draw by lot"), { do: "draw", entries: [], is_by_lot: true }),
          ...(desk.places.length ? [this.#opener(say("Draw by hand…"), () => this.#drawByHand())] : []),
        ];
      case "play":
        return contest.phase === "pairing"
          ? [this.#button(say("Start"), { do: "start", match: match.id }, "primary")]
          : [this.#button(say("Prepare"), { do: "prepare", match: match.id }, "primary")];
      case "confirm":
        return [
          this.#button(say("Confirm the result"), { do: "confirm" }, "primary"),
          this.#opener(say("Decide otherwise…"), () => this.#decide(match)),
        ];
      case "decide":
        return [
          this.#button(say("Replay on the next map"), { do: "replay", map: null }, "primary"),
          ...(desk.maps.length > 1 ? [this.#opener(say("Replay on another map…"), () => this.#replay())] : []),
          this.#button(say("By lot"), { do: "decide", winner: null, why: "" }),
          this.#opener(say("Decide…"), () => this.#decide(match)),
        ];
      case "fill":
        return step.sure.flatMap((number) => [
          this.#opener(
            say("Hand in for {name}…", { name: nameOf(contest, number) }),
            () => this.#handIn(number),
            "primary",
          ),
          this.#button(say("{name} is absent", { name: nameOf(contest, number) }), {
            do: "attend",
            entry: number,
            is_absent: true,
          }),
        ]);
      default:
        return [];
    }
  }

  // who goes on among those tied at the line
  /** @type {() => HTMLElement[]} */
  #choices() {
    const { step, desk } = this.contest;
    const wanted = step.number - step.sure.length;
    const boxes = step.tied.map((entry) => make("input", { type: "checkbox", value: entry }));
    const chosen = () => boxes.filter((box) => box.checked).map((box) => Number(box.value));
    const go = make(
      "button.primary",
      { disabled: true, click: () => this.order({ do: "advance", entries: chosen() }, desk.seen) },
      say("These advance"),
    );
    const count = () => (go.disabled = chosen().length !== wanted);
    return [
      make("p", say("Tied for the last places: choose {count}", { count: wanted })),
      make(
        "div.row.choices",
        ...boxes.map((box, k) => make("label", { change: count }, box, " ", nameOf(this.contest, step.tied[k]))),
        go,
      ),
    ];
  }

  // -- forms ------------------------------------------------------------------------------------------

  // a select for each place; who is chosen for one changes places with who was there
  #drawByHand() {
    const { contest } = this;
    const order = [...contest.step.sure];
    /** @type {Map<number, HTMLSelectElement>} */
    const selects = new Map();
    const rows = contest.desk.places.map(([title, places]) =>
      make(
        "fieldset",
        make("legend", title),
        ...places.map((place) => {
          if (place === null) return make("span.soft", say("bye"));
          const select = choice(
            order.map((entry) => [String(entry), `${entry} ${nameOf(contest, entry)}`]),
            String(order[place]),
          );
          select.setAttribute("aria-label", title);
          select.addEventListener("change", () => {
            const other = order.indexOf(Number(select.value));
            [order[place], order[other]] = [order[other], order[place]];
            for (const [at, one] of selects) one.value = String(order[at]);
          });
          selects.set(place, select);
          return select;
        }),
      ),
    );
    this.#ask(say("Draw by hand"), [make("div.places", ...rows)], say("Draw so"), () => ({
      do: "draw",
      entries: order,
      is_by_lot: false,
    }));
  }

  #replay() {
    const map = choice(
      this.contest.desk.maps.map((name) => [name, name]),
      this.contest.map ?? "",
      "map",
    );
    this.#ask(say("Replay on another map"), [field(say("Map"), map)], say("Replay"), () => ({
      do: "replay",
      map: map.value,
    }));
  }

  /** @type {(match: Wire.Pairing) => void} */
  #decide(match) {
    const who = choice(
      [
        ...match.entries.map(
          (entry, k) => /** @type {[string, string]} */ ([String(entry), say("{name} wins", { name: match.names[k] })]),
        ),
        ["0", say("Both are out")],
      ],
      "",
      "winner",
    );
    const why = make("input", { id: "why", value: say("decision of the organiser"), maxlength: 100, required: true });
    this.#ask(
      say("Decide: {match}", { match: match.names.join(" – ") }),
      [field(say("Result"), who), field(say("Reason"), why)],
      say("Decide"),
      () => ({ do: "decide", winner: Number(who.value), why: why.value }),
    );
  }

  /** @type {(number: number) => void} */
  #handIn(number) {
    const { contest } = this;
    const program = new ProgramForm(contest);
    const now = contest.desk.plays[number];
    this.#ask(
      say("Hand in for {name}", { name: nameOf(contest, number) }),
      [make("p.soft", now ? say("Now: {program}", { program: now }) : say("no program yet")), program.element],
      say("Hand in"),
      () => ({ do: "hand in", entry: number, play: program.play() }),
    );
  }

  #late() {
    const program = new ProgramForm(this.contest, true);
    const name = make("input", { id: "late-name", maxlength: 60, required: true });
    this.#ask(say("Late entry"), [field(say("Name"), name), program.element], say("Add the entry"), () => ({
      do: "enter",
      name: name.value,
      play: program.play(),
    }));
  }

  // what the hall sees: it stays as it is while the rest of the desk is drawn anew
  #screens() {
    const what = choice(
      [
        ["follow", say("What is on now")],
        ["board", say("The board")],
        ["table", say("Table or bracket")],
        ["next", say("Next pairings")],
        ["text", say("A text")],
      ],
      "follow",
      "screen",
    );
    const text = make("input", {
      id: "screen-text",
      maxlength: 200,
      hidden: true,
      "aria-label": say("Text for the hall"),
    });
    const show = make("button", { type: "submit", hidden: true }, say("Show the text"));
    const send = () => this.order({ do: "screen", screen: what.value, text: what.value === "text" ? text.value : "" });
    what.addEventListener("change", () => {
      text.hidden = show.hidden = what.value !== "text";
      if (text.hidden) send();
      else text.focus();
    });
    this.screen.replaceChildren(
      make(
        "form.row.buttons",
        {
          submit: (/** @type {Event} */ event) => {
            event.preventDefault();
            send();
          },
        },
        make("label.row", make("span", say("The hall sees")), what),
        text,
        show,
        make("span.soft", say("until the next match begins")),
      ),
    );
  }

  /** @type {(stage: Wire.Stage, contest: Wire.Contest) => HTMLElement} */
  #results(stage, contest) {
    const isFree = contest.desk && contest.phase !== "game" && !contest.is_auto;
    const rows = stage.matches
      .filter((match) => match.state !== "open")
      .map((match) =>
        make(
          "tr",
          { "data-last": match.id === contest.last },
          make("td", match.title),
          make("td", match.names.join(" – ")),
          make("td", match.result),
          isFree
            ? make(
                "td",
                ["confirmed", "played"].includes(match.state) && match.won
                  ? this.#opener(say("Take back…"), () => this.#undo(match.id), "small")
                  : match.state === "known"
                    ? this.#button(say("Prepare"), { do: "prepare", match: match.id }, "small")
                    : "",
              )
            : null,
        ),
      );
    return make(
      "details",
      { open: !isBracket(stage) && stage.matches.length < 20 },
      make("summary", say("Matches")),
      make("div.scroll", make("table.results", make("tbody", ...rows))),
    );
  }

  /** @type {(contest: Wire.Contest) => void} */
  #people(contest) {
    const { desk } = contest;
    const isFree = desk && contest.phase !== "game" && !contest.is_auto;
    this.people.replaceChildren(
      make("h2", say("Entries")),
      make(
        "ul.people",
        ...contest.entries.map((one) =>
          make(
            "li",
            { "data-absent": one.is_absent },
            make("span.figure", String(one.number)),
            make("span.name", one.name),
            make("span.soft", one.is_absent ? say("absent") : one.has_program ? "" : say("no program yet")),
            isFree
              ? make(
                  "span.row.tools",
                  this.#opener(say("Hand in…"), () => this.#handIn(one.number), "small"),
                  this.#button(
                    one.is_absent ? say("Is here") : say("Absent"),
                    { do: "attend", entry: one.number, is_absent: !one.is_absent },
                    "small",
                  ),
                )
              : "",
          ),
        ),
      ),
      ...(isFree
        ? [
            desk.why_not_late
              ? make("p.soft", desk.why_not_late)
              : make(
                  "p",
                  this.#opener(say("Late entry…"), () => this.#late()),
                ),
          ]
        : []),
    );
  }
}

// what plays for an entry, chosen in a form
class ProgramForm {
  /** @param {Wire.Contest} contest @param {boolean} isLater whether "nothing yet" is the first choice */
  constructor(contest, isLater = false) {
    const { kinds, python, is_here: isHere } = contest.desk;
    this.python = python;
    /** @type {[kind: string, word: string][]} */
    const words = [
      ["cmd", say("A program on this machine")],
      ["client", say("A network client on this machine")],
      ["port", say("A client that connects to a port")],
      ["side", say("A client that connects to the port of its side")],
      ["user", say("A client that joins under an account")],
      ["agent", say("An agent of masume")],
      ["", say("Nothing yet")],
    ];
    const offered = words.filter(
      ([kind]) =>
        ["agent", ""].includes(kind) || (kinds.includes(kind) && (isHere || !["cmd", "client"].includes(kind))),
    );
    this.kind = choice(offered, isLater ? "" : offered[0][0], "kind");
    this.path = make("input", { id: "path", placeholder: "/media/usb/bot.py", spellcheck: false });
    this.starter = choice(
      [
        [python, say("by Python")],
        ["", say("by itself")],
        [COMMAND, say("as a command, as it is written")],
      ],
      python,
      "starter",
    );
    this.command = make("input", { id: "command", value: "{port}", spellcheck: false });
    this.port = make("input", { id: "port", type: "number", min: 1, max: 65535, value: 2009 });
    this.user = make("input", { id: "user", maxlength: 60 });
    this.level = make("span");
    /** @type {Record<string, HTMLElement[]>} */
    this.parts = {
      cmd: [field(say("File or folder"), this.path), field(say("Started"), this.starter)],
      client: [field(say("Command"), this.command)],
      port: [field(say("Port"), this.port)],
      user: [field(say("Account"), this.user)],
      agent: [field(say("Level"), this.level)],
    };
    this.rest = make("div.fields");
    this.element = make(
      "div.fields",
      field(say("Program"), this.kind),
      this.rest,
      isHere
        ? ""
        : make(
            "p.soft",
            say("Programs that run on the server's machine are handed in at its terminal, or in a browser on it."),
          ),
    );
    this.kind.addEventListener("change", () => this.#show());
    this.#show();
    this.#offer(contest.game);
  }

  /** @type {(game: string) => Promise<void>} */
  async #offer(game) {
    this.level.replaceChildren(levelOf(await get(`/api/offer/${game}`)));
  }

  #show() {
    for (const input of [this.path, this.command, this.port, this.user]) input.required = false;
    this.rest.replaceChildren(...(this.parts[this.kind.value] ?? []));
    for (const input of this.rest.querySelectorAll("input")) input.required = true;
  }

  /** @type {(path: string) => string} */
  #started(path) {
    const starter = this.starter.value;
    return starter === COMMAND ? this.path.value.trim() : starter ? `${starter} ${path}` : path;
  }

  // as `masume contest` writes it
  /** @type {() => string} */
  play() {
    const kind = this.kind.value;
    const path = `'${this.path.value.trim().replaceAll("'", "'\\''")}'`;
    /** @type {Record<string, () => string>} */
    const written = {
      cmd: () => `cmd:${this.#started(path)}`,
      client: () => `client:${this.command.value.trim()}`,
      port: () => `port:${this.port.value}`,
      side: () => "port:side",
      user: () => `user:${this.user.value.trim()}`,
      agent: () => this.level.querySelector("select").value,
      "": () => "",
    };
    return written[kind]();
  }
}
