// What the tests of the scripts begin with: modules as the page has them, a document with its data, and Python's twin.

import { execFileSync } from "node:child_process";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

const PACKAGE = new URL("../../python/masume/", import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== "./draw.js") return next(specifier, context);
    return { url: new URL("render/draw.js", PACKAGE).href, format: "module", shortCircuit: true };
  },
});

const script = fileURLToPath(new URL("twins.py", import.meta.url));
const options = { encoding: "utf-8", maxBuffer: 2 ** 30 };

/** What tests/javascript/twins.py prints. */
export const twins = JSON.parse(execFileSync(process.env.PYTHON ?? "python3", [script], options));

const element = () => ({ setAttribute() {}, innerHTML: "" });
globalThis.document = {
  getElementById: () => ({ textContent: JSON.stringify({ base: "", canvas: twins.canvas, words: twins.words }) }),
  createElementNS: element,
};
globalThis.ResizeObserver = class {
  observe() {}
};
globalThis.matchMedia = () => ({ matches: false });

/** A module of the page. */
export const load = (name) =>
  import(new URL(name === "draw.js" ? "render/draw.js" : `web/static/${name}`, PACKAGE).href);

const listed = (map) => [...map].sort(([one], [other]) => one - other);

/** A frame of a script with the types of JSON, as twins.py prints it. */
export const plain = ({ caption, scores, cells, places, notes, looks, pips, glyphs, faint, acts, log }) => ({
  caption,
  scores,
  cells,
  places,
  notes: listed(notes),
  looks: listed(looks),
  pips: listed(pips),
  glyphs: listed(glyphs),
  faint,
  log,
  acts: acts.map(({ unit, verb, target, outcome, via }) => [unit, verb, target, outcome, via]),
});
