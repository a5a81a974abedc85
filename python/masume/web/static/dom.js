// Elements, requests and event streams.

import { data, find, say } from "/static/draw.js";

// an element; attributes that are functions are listeners, true and false set and leave out
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// an element from trusted markup, which draw.js made
export function drawn(markup) {
  const holder = document.createElement("template");
  holder.innerHTML = markup;
  return holder.content.firstElementChild;
}

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

async function answerOf(response) {
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, found.text ?? response.statusText);
  return found;
}

export const get = async (address) => answerOf(await fetch(address));
export const post = async (address, body) =>
  answerOf(
    await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    }),
  );

const SILENCE_MS = 30000; // the server says something every 10 seconds: after a longer silence the connection is dead

// Listens to events of the server. `address()` is asked anew at each connection; it reconnects after 0.5 to 3 seconds
// and rests while nobody looks. Returns a function that ends it.
export function listen(address, handlers, onState = () => {}) {
  let [source, timer, isOver, heard] = [null, 0, false, 0];
  const open = () => {
    clearTimeout(timer);
    heard = performance.now();
    source = new EventSource(address());
    source.onopen = () => onState("open");
    source.onerror = lose;
    source.addEventListener("beat", () => (heard = performance.now()));
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (event) => {
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
export function tell(text) {
  find("live").replaceChildren(make("p", {}, text));
}

export const titleOf = (game) => data.titles[game] ?? game;
export const title = (match) => titleOf(match.game);
export const clock = (ms) => {
  const seconds = Math.ceil(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};
export const phases = () => ({
  waiting: say("Waiting"),
  ready: say("Ready"),
  running: say("Live"),
  paused: say("Paused"),
  over: say("Over"),
  broken: say("Not held"),
});
