// The page: chooses what to show by the address.

import { addressOf, make, Refused } from "./dom.js";
import { data, find, say } from "./draw.js";

const main = find("main");

for (const [name, word] of [
  ["en", "English"],
  ["ja", "日本語"],
]) {
  if (data.languages.includes(name)) find("language").add(new Option(word, name, false, name === data.language));
}
find("language").addEventListener("change", () => {
  document.cookie = `masume-lang=${find("language").value}; path=${data.base}/; max-age=31536000; samesite=lax`;
  location.reload();
});

if (data.contest)
  find("pages").replaceChildren(
    make("a", { href: "/contest" }, say("Contest")),
    " ",
    make("a", { href: "/wall" }, say("Wall")),
  );

const [, kind, name] = location.pathname.slice(data.base.length).split("/");
const isWall = kind === "wall" || (!kind && new URLSearchParams(location.search).has("wall"));

// the links keep the game that is open, and mark the page
const game = kind === "m" ? JSON.parse(find("first").textContent)?.match.game : name;
for (const link of find("pages").querySelectorAll("a")) {
  const [, of, one] = link.pathname.slice(data.base.length).split("/");
  if (of === kind && one) link.setAttribute("aria-current", "page");
  if (one && (of === "learn" ? data.menus : data.makers).includes(game)) link.href = addressOf(`/${of}/${game}`);
}

try {
  if (kind === "m") await (await import("./match.js")).open(main, name);
  else if (kind === "play") await (await import("./setup.js")).open(main, name);
  else if (kind === "contest" || (isWall && data.contest)) await (await import("./contest.js")).open(main, isWall);
  else if (kind === "learn") await (await import("./learn.js")).open(main, name);
  else if (kind === "make") await (await import("./make.js")).open(main, name);
  else if (isWall) await (await import("./wall.js")).open(main);
  else await (await import("./lobby.js")).open(main);
} catch (error) {
  main.replaceChildren(
    make(
      "section.card.note",
      make("h1", say("That did not work")),
      make("p", error.message),
      make("p", make("a", { href: "/" }, say("To the list of matches"))),
    ),
  );
  if (!(error instanceof Refused)) throw error;
}
