// Two people: the invitation, for who invites and for who is invited, and what they play next, which they ask each other.

import { addressOf, copy, drawn, field, get, make, post, remembered, tell, titleOf } from "./dom.js";
import { say, swatch } from "./draw.js";
import { sound } from "./sound.js";

const QUIET = 4; // light modules around a code, without which no camera finds it

export class Friend {
  /** @type {string | null} of an invitation, or of the link to an own seat */
  token = /^#([\w-]{16,})$/.exec(location.hash)?.[1] ?? null;
  seat = Number(new URLSearchParams(location.search).get("seat") ?? -1); // that the link is for
  shown = ""; // what the card was made of
  asked = ""; // what was said of the next game
  isGoing = false; // to the next game

  /** @param {import("./match.js").MatchView} view */
  constructor(view) {
    this.view = view;
    this.card = make("section.card.friend", { hidden: true, "aria-label": say("Invitation") });
    view.invitation.replaceChildren(this.card);
    this.next = make("div.next", { role: "status" });
  }

  // what was heard of the match
  update() {
    const { match, isOver } = this.view;
    const isGuest = Boolean(this.token) && !match.mine.length && !isOver;
    const isHost = match.mine.length > 0 && match.missing.length > 0 && !match.away?.length && !isOver;
    const isFree = match.missing.includes(this.seat);
    const stamp = JSON.stringify(isGuest ? ["guest", isFree] : isHost ? ["host", match.missing] : []);
    if (stamp !== this.shown) {
      this.shown = stamp;
      this.card.hidden = !isGuest && !isHost;
      if (isGuest) this.#welcome(isFree);
      else if (isHost) this.#invite().catch((error) => tell(error.message));
      else this.card.replaceChildren();
    }
    this.#ask();
  }

  // -- the invitation ----------------------------------------------------------------------------

  // who sits where, and whether a page of theirs is open
  /** @type {(player: number) => string} */
  presence(player) {
    const { match } = this.view;
    if (match.people.length < 2 || !match.people.includes(player) || match.mine.includes(player)) return "";
    if (match.missing.includes(player)) return say("free seat");
    return match.here.includes(player) ? say("is here") : say("has left");
  }

  // the link for others
  async #invite() {
    const { view, card } = this;
    const { match } = view;
    const part = make("div.links");
    const seats = make(
      "select",
      { change: () => show() },
      ...match.missing.map((player) => new Option(match.players[player], String(player))),
    );
    const show = async () => {
      const found = await get(`/api/m/${view.id}/invitation/${seats.value}`);
      part.replaceChildren(...(found.links.length ? this.#links(found.links) : this.#closed(found.command)));
    };
    card.replaceChildren(
      make("h2", say("Play with a friend")),
      match.missing.length > 1 ? field(say("They are"), seats) : "",
      part,
      field(
        say("Your name"),
        this.#name(match.names[match.mine[0]], (name) => this.#rename(name)),
      ),
    );
    const name = remembered();
    if (name && name !== match.names[match.mine[0]]) this.#rename(name);
    await show();
  }

  /** @type {(name: string) => void} */
  #rename(name) {
    post(this.view.address("/name"), { name }).catch((error) => tell(error.message));
  }

  // a field for one's name, which this browser remembers
  /** @type {(name: string, change: (name: string) => void) => HTMLInputElement} */
  #name(name, change) {
    return make("input.my-name", {
      maxlength: 40,
      autocomplete: "nickname",
      value: remembered() || name,
      change: (event) => {
        remembered(event.target.value.trim());
        change(event.target.value.trim());
      },
    });
  }

  // what others can open: an address of this machine, as text and for a camera
  /** @type {(links: Wire.Invitation["links"]) => HTMLElement[]} */
  #links(links) {
    const address = make("input.link", { readonly: true, "aria-label": say("Link for your friend") });
    const code = make("figure.code");
    const show = () => {
      const { link, size, path } = links[Number(choice.value)];
      address.value = link;
      const box = [-QUIET, -QUIET, size + 2 * QUIET, size + 2 * QUIET].join(" ");
      code.replaceChildren(
        drawn(
          `<svg viewBox="${box}" role="img" shape-rendering="crispEdges"><rect x="${-QUIET}" y="${-QUIET}" width="100%" ` +
            `height="100%" fill="#fff"/><path d="${path}" fill="#000"/></svg>`,
        ),
        make("figcaption", say("or let a phone read this")),
      );
      code.firstElementChild.setAttribute("aria-label", say("The link as a QR code"));
    };
    const choice = make(
      "select",
      { change: show },
      ...links.map(({ link }, n) => new Option(new URL(link).host, String(n))),
    );
    const send = () =>
      navigator.share({ title: document.title, url: address.value }).catch((error) => {
        if (error.name !== "AbortError") tell(error.message);
      });
    show();
    address.addEventListener("focus", () => address.select());
    return [
      make("p.soft", say("Send this link. Whoever opens it plays with you.")),
      links.length > 1 ? field(say("Your friend reaches this machine at"), choice) : null,
      make(
        "div.row",
        address,
        make("button.primary", { click: (event) => this.#copy(address.value, event.target) }, say("Copy")),
        "share" in navigator ? make("button", { click: send }, say("Share")) : null,
      ),
      code,
    ].filter(Boolean);
  }

  /** @type {(text: string, button: HTMLElement) => Promise<void>} */
  async #copy(text, button) {
    const isDone = await copy(text);
    button.textContent = isDone ? say("Copied") : say("Copy");
    tell(isDone ? say("The link is copied") : say("This browser does not let a page copy: select the text"));
  }

  // nobody else can open the page as it runs
  /** @type {(command: string) => HTMLElement[]} */
  #closed(command) {
    if (!command) return [make("p", say("Open this page at the address that others use, and invite them from there."))];
    return [
      make(
        "p",
        say("This page is open to this machine only. End it with Ctrl-C, and start it so that others reach it:"),
      ),
      make(
        "div.row",
        make("code", command),
        make("button", { click: (event) => this.#copy(command, event.target) }, say("Copy")),
      ),
      make("p.soft", say("This match goes on there.")),
    ];
  }

  // who has opened a link to a seat
  /** @type {(isFree: boolean) => void} */
  #welcome(isFree) {
    const { view, card } = this;
    const { match } = view;
    const others = match.people.filter((player) => !match.missing.includes(player));
    const names = others.map((player) => match.names[player]).join(", ");
    const letter = view.film?.game.players[this.seat] ?? match.players[this.seat] ?? "";
    const about = make("p.soft");
    const name = this.#name("", () => {});
    const form = make(
      "form.row",
      {
        submit: (event) => {
          event.preventDefault();
          this.#sit(name.value.trim(), form);
        },
      },
      isFree ? field(say("Your name"), name) : "",
      make("button.primary.large", { type: "submit" }, say("Sit down")),
    );
    card.replaceChildren(
      make(
        "h2",
        isFree ? say("{name} invites you to {game}", { name: names, game: titleOf(match.game) }) : say("Your seat"),
      ),
      about,
      make(
        "p.row",
        drawn(
          swatch(["", "solid", this.seat, "", ""], letter.length < 3 ? letter : letter[0], view.film?.game.grid.shapes),
        ),
        make(
          "span",
          say("You play {name}.", { name: match.players[this.seat] ?? "" }),
          " ",
          match.hides ? say("You see the board when you sit down.") : "",
        ),
      ),
      form,
      make("p.error", { role: "alert" }),
    );
    get(`/api/offer/${match.game}`).then(
      (offer) => about.append(offer.about),
      (error) => tell(error.message),
    );
  }

  /** @type {(name: string, form: HTMLFormElement) => Promise<void>} */
  async #sit(name, form) {
    remembered(name);
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      await post(`/api/m/${this.view.id}/sit`, { token: this.token, name });
      location.replace(addressOf(`/m/${this.view.id}`));
    } catch (error) {
      button.disabled = false;
      this.card.querySelector(".error").textContent = error.message;
    }
  }

  // -- what is played next -----------------------------------------------------------------------

  /** @type {(way: string, board: string) => string} */
  #called(way, board) {
    return way === "swap"
      ? say("Swap sides")
      : way === "board"
        ? say("Next board: {name}", { name: board })
        : say("Rematch");
  }

  // what is asked, and the answers, for each of those who have played
  #ask() {
    const { match } = this.view;
    const { next } = match;
    if (!next) return;
    const stamp = JSON.stringify([next, match.here]);
    if (stamp === this.asked) return;
    const [was, isFirst] = [this.asked, !this.asked];
    this.asked = stamp;
    /** @type {(players: number[]) => string} */
    const names = (players) => players.map((player) => match.names[player]).join(", ");
    const others = match.people.filter((player) => !match.mine.includes(player));
    const gone = others.filter((player) => !match.here.includes(player));
    const lines = [];
    const buttons = [];
    /** @type {(word: string, what: string, isFirst?: boolean) => void} */
    const add = (word, what, isFirst = false) =>
      void buttons.push(make(isFirst ? "button.primary.large" : "button", { click: () => this.#say(what) }, word));
    if (next.id) {
      lines.push(say("The next game has begun."));
      buttons.push(make("button.primary.large", { click: () => this.#go() }, say("To the next game")));
    } else if (!next.asked) {
      if (next.refused.some((player) => match.mine.includes(player))) lines.push(say("You said no."));
      else if (next.refused.length) lines.push(say("{name} says no.", { name: names(next.refused) }));
      if (gone.length) lines.push(say("{name} has left.", { name: names(gone) }));
      add(this.#called("rematch", ""), "rematch", true);
      add(this.#called("swap", ""), "swap");
      if (next.board) add(this.#called("board", next.board), "board");
    } else {
      const what = this.#called(next.asked, next.board);
      const isMine = match.mine.includes(next.by);
      const waits = others.filter((player) => !next.agreed.includes(player));
      lines.push(
        isMine ? say("You ask: {what}", { what }) : say("{name} asks: {what}", { name: match.names[next.by], what }),
      );
      if (!isMine && !match.mine.every((player) => next.agreed.includes(player))) {
        add(say("Yes, play"), "yes", true);
        add(say("No"), "no");
      } else {
        const away = waits.filter((player) => gone.includes(player));
        lines.push(
          away.length
            ? say("{name} has left, and is asked on coming back.", { name: names(away) })
            : say("Waiting for {names}", { names: names(waits) }),
        );
        add(isMine ? say("Take back") : say("No"), "no");
      }
    }
    this.next.replaceChildren(...lines.map((line) => make("p", line)), make("div.row", ...buttons));
    if (!isFirst && next.id && !JSON.parse(was)[0].id) this.#go();
    else if (!isFirst && next.asked && !match.mine.includes(next.by)) {
      tell(lines[0]);
      sound("turn");
    }
  }

  /** @type {(what: string) => Promise<void>} */
  async #say(what) {
    for (const button of this.next.querySelectorAll("button")) button.disabled = true;
    try {
      const { id } = await post(this.view.address("/next"), { do: what, number: this.view.match.next.number });
      if (id && !this.isGoing) {
        this.isGoing = true; // the answer and the news of the match both lead there
        location.assign(addressOf(`/m/${id}`));
      }
    } catch (error) {
      tell(error.message);
      this.next.prepend(make("p.error", error.message));
    }
    for (const button of this.next.querySelectorAll("button")) button.disabled = false;
  }

  // to the game that all have agreed to, in which this browser has its seats by the answer
  #go() {
    return this.#say("go");
  }
}
