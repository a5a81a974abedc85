// The wall: the running match on the full screen, with the next pairing and the standings.

import { listen, make } from "./dom.js";
import { say } from "./draw.js";
import { MatchView } from "./match.js";

/** @type {(main: HTMLElement) => Promise<void>} */
export async function open(main) {
  document.body.classList.add("on-wall");
  /** @type {MatchView | null} */
  let view = null;
  const holder = make("div");
  const beside = make("aside.wall-side");
  main.className = "wall-page";
  main.replaceChildren(holder, beside);
  listen(() => "/api/events", {
    lobby: async (/** @type {Wire.Lobby} */ { matches, wall }) => {
      const running =
        matches.find((match) => match.phase === "running" || match.phase === "paused" || match.phase === "ready") ??
        matches.find((match) => match.phase === "waiting") ??
        matches[0];
      if (running && running.id !== view?.id) {
        view?.end();
        view = new MatchView(holder, running.id, true);
        await view.begin();
      }
      const rows = (wall.standings ?? []).map((row) => make("tr", ...row.map((item) => make("td", String(item)))));
      beside.replaceChildren(
        ...(wall.next ? [make("h2", say("Next match")), make("p.next", wall.next.join(" – "))] : []),
        ...(rows.length ? [make("h2", say("Standings")), make("table", make("tbody", ...rows))] : []),
      );
      if (!running) holder.replaceChildren(make("p.note", say("No match yet")));
    },
  });
}
