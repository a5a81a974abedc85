// What there is to learn and to play in a game: its lessons, then shelves of cards, each with a picture; a press begins a match.

import { field, get, levelOf, make, play, seatsOf, tabs } from "./dom.js";
import { data, say } from "./draw.js";
import { Film } from "./film.js";
import { progressOf, starsOf, begin as teach } from "./lessons.js";
import { Stage } from "./stage.js";

/** @type {(main: HTMLElement, game: string) => Promise<void>} */
export async function open(main, game) {
  /** @type {Wire.Menu} */
  const menu = await get(`/api/menu/${game}`);
  const level = levelOf(menu);
  const side = make("select", { id: "side" }, ...menu.seats.map((name, player) => new Option(name, String(player))));
  const error = make("p.error", { role: "alert" });
  const isFree = menu.shelves.some((shelf) => shelf.cards.some((card) => card.side < 0));
  /** @type {(card: Wire.Card, button: HTMLButtonElement) => Promise<void>} */
  const begin = async (card, button) => {
    button.disabled = true;
    error.textContent = "";
    const mine = card.side < 0 ? Number(side.value) : card.side;
    const seats = seatsOf(card.players, mine, level.value);
    try {
      await play({ game, start: card.start, variant: card.variant, seats });
    } catch (refused) {
      error.textContent = refused.message;
      button.disabled = false;
      error.scrollIntoView({ block: "center" });
    }
  };
  main.className = "learn";
  document.title = say("Learn: {game}", { game: menu.title });
  main.replaceChildren(
    tabs(data.menus, "learn", game),
    make("h1", document.title),
    make("p.soft", menu.about),
    make(
      "div.row.options",
      field(say("Level"), level),
      isFree ? field(say("You are"), side) : null,
      menu.makes ? make("a", { href: `/make/${game}` }, say("Make one")) : null,
    ),
    error,
    menu.lessons.length ? list(game, menu, error) : null,
    ...menu.shelves.map((shelf) =>
      make(
        "section",
        make("h2", shelf.name),
        make("ul.cards", ...shelf.cards.map((card) => make("li", lay(card, menu, begin)))),
      ),
    ),
  );
}

// the lessons of a game with their stars; the one to take next is marked
/** @type {(game: string, menu: Wire.Menu, error: HTMLElement) => HTMLElement} */
function list(game, menu, error) {
  const names = menu.lessons.map((lesson) => lesson.name);
  const [stars, { done, all }] = [starsOf(game), progressOf(game, names)];
  const first = names.find((name) => !stars[name]);
  /** @type {(lesson: Wire.Menu["lessons"][number], n: number) => HTMLElement} */
  const entry = (lesson, n) => {
    const found = stars[lesson.name] ?? 0;
    const word = [say("not done yet"), say("done"), say("done within par")][found];
    return make(
      "li",
      make(
        lesson.name === first ? "button.primary" : "button",
        {
          "data-lesson": lesson.name,
          click: () => teach(game, lesson.name).catch((refused) => (error.textContent = refused.message)),
        },
        make("span", String(n + 1)),
        make("strong", lesson.title),
        make("span.stars", { role: "img", "aria-label": word, title: word }, "★".repeat(found) + "☆".repeat(2 - found)),
        make("span.soft", lesson.text),
      ),
    );
  };
  return make(
    "section",
    make("h2", say("Lessons: {done} of {all}", { done, all })),
    make("ol.lessons", ...menu.lessons.map(entry)),
  );
}

// a card: its picture is drawn when it comes into sight
/**
 * @type {(
 *   card: Wire.Card,
 *   menu: Wire.Menu,
 *   begin: (card: Wire.Card, button: HTMLButtonElement) => void,
 * ) => HTMLElement}
 */
function lay(card, menu, begin) {
  const picture = make("div.thumb", { "aria-hidden": "true" });
  /** @type {HTMLButtonElement} */
  const button = make(
    "button.primary",
    {
      "aria-label": say("Play this: {name}", { name: card.name }),
      click: () => begin(card, button),
    },
    say("Play this"),
  );
  const watcher = new IntersectionObserver(
    (seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      const [stage, film] = [new Stage(), new Film(card.scene, () => "")];
      film.add(card.frame);
      stage.set(card.scene);
      stage.show(film.frames[0]);
      picture.append(stage.svg);
    },
    { rootMargin: "300px" },
  );
  watcher.observe(picture);
  const you = card.side < 0 ? "" : say("You are: {side}", { side: menu.seats[card.side] });
  return make(
    "article.card.start-card",
    picture,
    make("h3", card.name),
    card.text ? make("p", card.text) : null,
    make("p.soft", card.note),
    make("div.row", button, you ? make("span.soft", you) : null),
  );
}
