// A lesson over its board: what to do, how far it is, what may be pressed, and what comes when it is over.

import { get, make, play, post, seatsOf, tell } from "./dom.js";
import { say } from "./draw.js";
import { begin, keepStars, starsOf } from "./lessons.js";

const SPEED = 1; // turns a second of a solution

export class LessonCard {
  stamp = ""; // what was drawn last
  clue = "";
  error = "";
  isBusy = false;

  /** @param {import("./match.js").MatchView} view */
  constructor(view) {
    this.view = view;
    this.card = make("section.card.lesson", { "aria-label": say("Lesson") });
  }

  get lesson() {
    return this.view.match.lesson;
  }

  show() {
    const { lesson } = this;
    const { game, mine } = this.view.match;
    const stamp = JSON.stringify([lesson, this.clue, this.error, this.isBusy]);
    if (stamp === this.stamp) return;
    const isNews = this.card.dataset.state === "open" && lesson.state !== "open";
    this.stamp = stamp;
    this.card.dataset.state = lesson.state;
    if (lesson.state === "reached" && mine.length) keepStars(game, lesson.name, lesson.stars);
    const words = this.#result();
    const found = starsOf(game)[lesson.name];
    this.card.replaceChildren(
      make(
        "div.lesson-words",
        make(
          "div.lesson-head",
          make(
            "a",
            { href: `/learn/${game}` },
            say("Lesson {number} of {all}", { number: lesson.number, all: lesson.all }),
          ),
          make("strong", lesson.title),
          found ? this.#stars(found) : null,
          make("span.soft", say("Moves: {used}, par {par}", { used: lesson.used, par: lesson.par })),
        ),
        make("p.lesson-text", lesson.text),
        words ? make("p.lesson-result", { role: "status" }, words) : null,
        this.clue ? make("p.lesson-clue", this.clue) : null,
        this.error ? make("p.error", { role: "alert" }, this.error) : null,
      ),
      make("div.row", ...(mine.length ? this.#buttons() : [])),
    );
    if (isNews) tell(words);
  }

  /** @type {(number: number) => HTMLElement} */
  #stars(number) {
    const word = number > 1 ? say("done within par") : say("done");
    return make(
      "span.stars",
      { role: "img", "aria-label": word, title: word },
      "★".repeat(number) + "☆".repeat(2 - number),
    );
  }

  #result() {
    const { state, stars, par } = this.lesson;
    if (state === "reached")
      return stars > 1 ? say("Well done!") : say("Done. It can be done in {par}: the second star.", { par });
    if (state === "failed") return say("Not this time. Try again.");
    return state === "shown" ? say("This is one way. Now you.") : "";
  }

  #buttons() {
    const { lesson, clue, isBusy } = this;
    const { game } = this.view.match;
    /** @type {(word: string, isMain: boolean, run: () => Promise<unknown>, isOff?: boolean) => HTMLElement} */
    const button = (word, isMain, run, isOff = isBusy) =>
      make(isMain ? "button.primary" : "button", { disabled: isOff, click: () => this.#run(run) }, word);
    const again = button(say("Again"), ["failed", "shown"].includes(lesson.state), () => this.#begin(lesson.name));
    // it stays where it is: a second press does not hit what is beside it
    const hint =
      lesson.state === "open" ? button(say("Hint"), false, () => this.#ask(), isBusy || Boolean(clue)) : null;
    const solution =
      lesson.state === "shown"
        ? null
        : button(say("Show me"), false, () => begin(game, lesson.name, this.view.id, true));
    const next = lesson.next
      ? button(say("Next"), true, () => this.#begin(lesson.next))
      : button(say("Now a whole game"), true, () => this.#play());
    return lesson.state === "reached" ? [next, again, solution] : [again, hint, solution];
  }

  /** @type {(name: string) => Promise<void>} */
  #begin(name) {
    return begin(this.view.match.game, name, this.view.id);
  }

  // a whole game against the weakest opponent
  async #play() {
    const { game, mine, players } = this.view.match;
    const { levels } = await get(`/api/offer/${game}`);
    await play({ game, seats: seatsOf(players.length, mine[0], levels[0]) });
  }

  async #ask() {
    const { text } = await post(this.view.address("/clue"), {});
    this.clue = text;
    this.isBusy = false;
    tell(text);
  }

  /** @type {(run: () => Promise<unknown>) => Promise<void>} */
  async #run(run) {
    [this.isBusy, this.error] = [true, ""];
    this.show();
    try {
      await run(); // to another page, or a hint
    } catch (error) {
      [this.isBusy, this.error] = [false, error.message];
    }
    this.show();
  }

  // play a solution from its beginning, once all of it is there
  watch() {
    const { view } = this;
    if (this.lesson.state !== "shown" || location.hash) return;
    view.parts.speed.value = String(SPEED);
    view.seek(0);
    view.play();
  }
}
