// A loop: a few frames of a good game that move as long as they are in sight. Without motion the last one stands.

import { get, make } from "./dom.js";
import { Film } from "./film.js";
import { Stage } from "./stage.js";

const STEP_MS = 900; // from frame to frame
const REST_MS = 2500; // that the last one stands
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Loop {
  isInSight = false;
  isAsked = false;
  timer = 0;
  at = 0;
  /** @type {Wire.Frame[]} */
  frames = [];

  /** @param {string} game */
  constructor(game) {
    this.game = game;
    this.stage = new Stage();
    this.element = make("div.thumb.loop", { "aria-hidden": "true" }, this.stage.svg);
    new IntersectionObserver(
      (seen) => {
        this.isInSight = seen.at(-1).isIntersecting;
        this.#load().then(() => this.#run());
      },
      { rootMargin: "100px" },
    ).observe(this.element);
    still.addEventListener("change", () => this.#run());
  }

  // fetch the frames when they come into sight for the first time
  async #load() {
    if (!this.isInSight || this.isAsked) return;
    this.isAsked = true;
    /** @type {Wire.Loop} */
    const { scene, frames } = await get(`/api/loop/${this.game}`);
    const film = new Film(scene, () => "");
    for (const frame of frames) film.add(frame);
    this.stage.set(scene);
    this.frames = film.frames.filter(Boolean);
    this.#show(this.frames.length - 1);
  }

  /** @type {(at: number) => void} */
  #show(at) {
    this.at = at;
    this.stage.show(this.frames[at], this.frames[at - 1], true);
  }

  #run() {
    clearTimeout(this.timer);
    if (!this.isInSight || !this.frames.length) return;
    if (still.matches) return this.#show(this.frames.length - 1);
    const isLast = this.at === this.frames.length - 1;
    this.timer = setTimeout(
      () => {
        if (!document.hidden) this.#show((this.at + 1) % this.frames.length);
        this.#run();
      },
      isLast ? REST_MS : STEP_MS,
    );
  }
}
