// What was learned in this browser: the stars of each lesson. They stay here; the server knows none.

import { addressOf, post } from "./dom.js";
import { data } from "./draw.js";

const KEY = "masume-lessons";

/** @type {() => Record<string, Record<string, number>>} */
function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {}; // storage is off, or holds something else
  }
}

// the stars of the lessons of a game that were done, by name
/** @type {(game: string) => Record<string, number>} */
export const starsOf = (game) => read()[game] ?? {};

// keep the stars of a lesson, unless there were more
/** @type {(game: string, lesson: string, stars: number) => void} */
export function keepStars(game, lesson, stars) {
  const all = read();
  const found = all[game] ?? {};
  all[game] = { ...found, [lesson]: Math.max(stars, found[lesson] ?? 0) };
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    return; // storage is off: the ticks last as long as the page
  }
}

// how many of a game's lessons were done, and how many there are
/** @type {(game: string, lessons?: string[]) => { done: number, all: number }} */
export function progressOf(game, lessons = data.invites[game].lessons) {
  const stars = starsOf(game);
  return { done: lessons.filter((lesson) => stars[lesson]).length, all: lessons.length };
}

// begin a lesson, or see its solution, and go to its page; in place of one that is left
/** @type {(game: string, lesson: string, instead?: string, isShown?: boolean) => Promise<void>} */
export async function begin(game, lesson, instead = "", isShown = false) {
  const { id } = await post(isShown ? "/api/lesson/show" : "/api/lesson", { game, lesson, instead });
  const address = addressOf(`/m/${id}`);
  if (instead) location.replace(address);
  else location.assign(address);
}
