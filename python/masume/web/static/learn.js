// What there is to play in a game: shelves of cards, each with a picture; a press begins a match.

import { addressOf, get, make, post, titleOf } from "./dom.js";
import { data, find, say } from "./draw.js";
import { Film } from "./film.js";
import { Stage } from "./stage.js";

/** @type {(main: HTMLElement, game: string) => Promise<void>} */
export async function open(main, game) {
  /** @type {Wire.Menu} */
  const menu = await get(`/api/menu/${game}`);
  const level = make(
    "select",
    { id: "level" },
    ...menu.levels.map((one, n) => new Option(`${n + 1}. ${one}`, one, false, one === menu.level)),
  );
  const side = make("select", { id: "side" }, ...menu.seats.map((name, player) => new Option(name, String(player))));
  const error = make("p", { class: "error", role: "alert" });
  /** @type {(word: string, control: HTMLElement) => HTMLElement} */
  const field = (word, control) => make("label", { class: "field" }, make("span", {}, word), control);
  const isFree = menu.shelves.some((shelf) => shelf.cards.some((card) => card.side < 0));
  /** @type {(card: Wire.Card, button: HTMLButtonElement) => Promise<void>} */
  const begin = async (card, button) => {
    button.disabled = true;
    error.textContent = "";
    const mine = card.side < 0 ? Number(side.value) : card.side;
    const seats = [...Array(card.players).keys()].map((player) => (player === mine ? "me" : level.value));
    try {
      const { id } = await post("/api/play", { game, start: card.start, variant: card.variant, seats });
      location.assign(addressOf(`/m/${id}`));
    } catch (refused) {
      error.textContent = refused.message;
      button.disabled = false;
      error.scrollIntoView({ block: "center" });
    }
  };
  main.className = "learn";
  document.title = say("Learn: {game}", { game: menu.title });
  main.replaceChildren(
    make(
      "nav",
      { class: "tabs", "aria-label": say("Games") },
      ...data.games
        .filter((one) => data.menus.includes(one))
        .map((one) => make("a", { href: `/learn/${one}`, "aria-current": one === game ? "page" : null }, titleOf(one))),
    ),
    make("h1", {}, document.title),
    make("p", { class: "soft" }, menu.about),
    make(
      "div",
      { class: "row options" },
      field(say("Level"), level),
      isFree ? field(say("You are"), side) : null,
      menu.makes ? make("a", { href: `/make/${game}` }, say("Make one")) : null,
    ),
    error,
    ...menu.shelves.map((shelf) =>
      make(
        "section",
        {},
        make("h2", {}, shelf.name),
        make("ul", { class: "cards" }, ...shelf.cards.map((card) => make("li", {}, lay(card, menu, begin)))),
      ),
    ),
  );
  find("level").value = menu.level;
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
  const picture = make("div", { class: "thumb", "aria-hidden": "true" });
  /** @type {HTMLButtonElement} */
  const button = make(
    "button",
    {
      type: "button",
      class: "primary",
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
    "article",
    { class: "card start-card" },
    picture,
    make("h3", {}, card.name),
    card.text ? make("p", {}, card.text) : null,
    make("p", { class: "soft" }, card.note),
    make("div", { class: "row" }, button, you ? make("span", { class: "soft" }, you) : null),
  );
}
