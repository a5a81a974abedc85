// Before a game: level, board and side; the rest is folded.

import { field, get, levelOf, make, play, seatsOf, titleOf } from "./dom.js";
import { find, say } from "./draw.js";

/** @type {(main: HTMLElement, game: string) => Promise<void>} */
export async function open(main, game) {
  /** @type {Wire.Offer} */
  const offer = await get(`/api/offer/${game}`);
  /** @type {(value: string, word?: string) => HTMLOptionElement} */
  const option = (value, word = value) => new Option(word, value);
  /** @type {(id: string, label: string, options: HTMLOptionElement[]) => HTMLElement} */
  const choose = (id, label, options) => {
    const select = make("select", { id }, ...options);
    return options.length > 1 ? field(label, select) : make("span", { hidden: true }, select);
  };
  const level = levelOf(offer);
  const does = make("p.does", { role: "status" });
  const describe = () => {
    const [name, text] = offer.called[level.value];
    does.replaceChildren(text, " ", make("small.soft", name === level.value ? "" : level.value));
  };
  level.addEventListener("change", describe);
  describe();
  const starts = offer.starts.length
    ? [...(offer.needs_start ? [] : [option("", say("the game's own"))]), ...offer.starts.map((name) => option(name))]
    : [];
  const sides = offer.seats.map((name, player) => option(String(player), name));
  const seats = [say("an agent"), say("another person")].map((word, n) => option(n ? "guest" : "", word));
  const form = make(
    "form.setup.card",
    make("h1", titleOf(game)),
    offer.about ? make("p", offer.about) : null,
    field(say("Level"), level),
    does,
    choose("start", say("Board"), starts),
    choose(
      "variant",
      say("Variant"),
      offer.variants.map((name) => option(name, offer.words[name])),
    ),
    choose("side", say("You are"), sides),
    make(
      "details",
      make("summary", say("More")),
      choose("against", say("Against"), seats),
      choose(
        "clock",
        say("Clock"),
        offer.clocks.map((name) => option(name, offer.words[name])),
      ),
      field(say("Your name"), make("input", { id: "name", maxlength: 40 })),
      field(say("Seed"), make("input", { id: "seed", inputmode: "numeric", pattern: "[0-9]{0,9}" })),
    ),
    make("button.primary.large", { id: "begin", type: "submit" }, say("Start")),
    make("p.error", { role: "alert" }),
    offer.help.length ? make("ul.help", ...offer.help.map((line) => make("li", line))) : null,
  );
  main.className = "narrow";
  main.replaceChildren(form);
  find("begin").focus();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    find("begin").disabled = true;
    const other = find("against").value || find("level").value;
    const size = offer.sizes[find("variant").value] ?? offer.players;
    const seats = seatsOf(size, Number(find("side").value), other);
    const seed = find("seed").value;
    try {
      await play({
        game,
        seats,
        start: find("start").value,
        variant: find("variant").value,
        clock: find("clock").value || "none",
        name: find("name").value,
        ...(seed ? { seed: Number(seed) } : {}),
      });
    } catch (error) {
      form.querySelector(".error").textContent = error.message;
      find("begin").disabled = false;
    }
  });
}
