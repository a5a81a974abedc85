// Elements, requests and event streams.

import { data, find, say } from "./draw.js";

// an address of the page, which may be below a path of its server
/** @type {(path: string) => string} */
export const addressOf = (path) => data.base + path;

// an element, "tag.class.class" (a button submits nothing unless its type says so); then attributes, if there are any:
// functions are listeners, true and false set and leave out, links are addresses of the page; then children
/** @type {Wire.Make} */
export function make(tag, ...parts) {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name);
  element.classList.add(...classes);
  if (name === "button") element.setAttribute("type", "button");
  const attributes = parts[0]?.constructor === Object ? parts.shift() : {};
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, /** @type {any} */ (value));
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(
        name,
        name === "href" && String(value).startsWith("/") ? addressOf(String(value)) : String(value),
      );
  }
  element.append(.../** @type {(Node | string)[]} */ (parts.filter((child) => child !== null && child !== undefined)));
  return /** @type {any} */ (element);
}

// let a part keep its height, and grow with what is in it
/** @type {(part: HTMLElement) => void} */
export const keep = (part) =>
  part.style.setProperty("min-height", `${Math.max(part.offsetHeight, parseFloat(part.style.minHeight) || 0)}px`);

// a control with its word
/** @type {(word: string, control: HTMLElement) => HTMLElement} */
export const field = (word, control) => make("label.field", make("span", word), control);

// the choice of an agent's level
/** @type {(offer: Pick<Wire.Offer, "levels" | "level" | "called">) => HTMLSelectElement} */
export const levelOf = ({ levels, level, called }) =>
  make(
    "select",
    { id: "level" },
    ...levels.map((one, n) => new Option(`${n + 1}. ${called[one][0]}`, one, false, one === level)),
  );

// the games that have a page of a kind, the open one marked
/** @type {(games: string[], kind: string, open: string) => HTMLElement} */
export const tabs = (games, kind, open) =>
  make(
    "nav.tabs",
    { "aria-label": say("Games") },
    ...data.games
      .filter((game) => games.includes(game))
      .map((game) =>
        make("a", { href: `/${kind}/${game}`, "aria-current": game === open ? "page" : null }, titleOf(game)),
      ),
  );

// an element from trusted markup, which draw.js made
/** @type {(markup: string) => SVGSVGElement} */
export function drawn(markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup;
  return /** @type {any} */ (holder.content.firstElementChild);
}

export class Refused extends Error {
  /** @param {number} status @param {string} text */
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

/** @type {() => string} */
export const unreachable = () => say("The server cannot be reached. Look at the network, or whether the server runs.");

// send a request; whatever goes wrong is said in words for people
/** @type {(address: string, options?: RequestInit) => Promise<any>} */
async function ask(address, options) {
  let response;
  try {
    response = await fetch(addressOf(address), options);
  } catch {
    throw new Refused(0, unreachable());
  }
  const found = await response.json().catch(() => ({}));
  if (response.ok) return found;
  const plain =
    response.status === 503
      ? say("The server has no room now: try again in a moment.")
      : say("The server answers with error {status}.", { status: response.status });
  throw new Refused(response.status, found.text ?? plain);
}

/** @type {(address: string) => Promise<any>} */
export const get = (address) => ask(address);
/** @type {(address: string, body: object) => Promise<any>} */
export const post = (address, body) =>
  ask(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// put a text where people paste from; false if the browser does not let a page do so
/** @type {(text: string) => Promise<boolean>} */
export async function copy(text) {
  if (navigator.clipboard) {
    // without https, and not on this machine, there is none
    const isDone = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    if (isDone) return true;
  }
  const holder = make("textarea.hidden", { readonly: true, "aria-hidden": "true" }, text);
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  document.body.append(holder);
  holder.select();
  const isDone = document.execCommand("copy");
  holder.remove();
  focused?.focus();
  return isDone;
}

// the name that somebody gave last in this browser; a text sets it
/** @type {(name?: string) => string} */
export function remembered(name) {
  if (name) localStorage.setItem("masume-name", name);
  return localStorage.getItem("masume-name") ?? "";
}

// the seats of a new match: this browser's, the others'
/** @type {(count: number, mine: number, other: string) => string[]} */
export const seatsOf = (count, mine, other) =>
  [...Array(count).keys()].map((player) => (player === mine ? "me" : other));

// begin a match and go to its page
/** @type {(recipe: Wire.Recipe) => Promise<void>} */
export async function play(recipe) {
  const { id } = await post("/api/play", recipe);
  location.assign(addressOf(`/m/${id}`));
}

// begin a match of which one seat is free for a friend, and go to its page, which has the invitation; a weak agent has
// the seats that are left
/** @type {(game: string) => Promise<void>} */
export function playWithFriend(game) {
  const { players, level, start, variant, ready } = data.invites[game];
  const seats = seatsOf(players, 0, level);
  seats[1] = "guest";
  return play({ game, seats, start, variant, ready, clock: "none", name: remembered() });
}

const SILENCE_MS = 30000; // the server says something every 10 seconds: after a longer silence the connection is dead

// Listens to events of the server. `address()` is asked anew at each connection; it reconnects after 0.5 to 3 seconds
// and rests while nobody looks. Returns a function that ends it.
/**
 * @type {(
 *   address: () => string,
 *   handlers: Record<string, (message: any, id: string) => unknown>,
 *   onState?: (state: "open" | "lost") => void,
 * ) => () => void}
 */
export function listen(address, handlers, onState = () => {}) {
  /** @type {EventSource | null} */
  let source = null;
  let [timer, isOver, heard] = [0, false, 0];
  const open = () => {
    clearTimeout(timer);
    heard = performance.now();
    source = new EventSource(addressOf(address()));
    source.onopen = () => onState("open");
    source.onerror = lose;
    source.addEventListener("beat", () => (heard = performance.now()));
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (/** @type {MessageEvent} */ event) => {
        heard = performance.now();
        if (kind === "end" || kind === "broken") close();
        handle(JSON.parse(event.data), event.lastEventId);
      });
    }
  };
  const lose = () => {
    source.close();
    if (isOver) return;
    onState("lost");
    clearTimeout(timer);
    timer = setTimeout(open, 500 + 2500 * Math.random());
  };
  const watch = setInterval(
    () => source.readyState !== EventSource.CLOSED && performance.now() - heard > SILENCE_MS && lose(),
    5000,
  );
  const close = () => {
    isOver = true;
    clearTimeout(timer);
    clearInterval(watch);
    source?.close();
  };
  let resting = 0;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(resting);
    if (isOver) return;
    if (document.hidden) resting = setTimeout(() => source?.close(), 60000);
    else if (source?.readyState === EventSource.CLOSED) open();
  });
  open();
  return close;
}

// says something to screen readers
/** @type {(text: string) => void} */
export function tell(text) {
  find("live").replaceChildren(make("p", text));
}

/** @type {(game: string) => string} */
export const titleOf = (game) => data.titles[game] ?? game;
/** @type {(match: Wire.Match) => string} */
export const title = (match) => titleOf(match.game);
/** @type {(ms: number) => string} */
export const clock = (ms) => {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
/** @type {() => Record<Wire.Phase, string>} */
export const phases = () => ({
  waiting: say("Waiting"),
  ready: say("Ready"),
  running: say("Live"),
  paused: say("Paused"),
  over: say("Over"),
  broken: say("Not played"),
});
