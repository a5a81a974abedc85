import assert from "node:assert/strict";
import { test } from "node:test";
import { load, plain, twins } from "./harness.mjs";

const { Film } = await load("film.js");

const { packed, views } = twins.games.nezumi;
const COUNT = 600; // frames, in pieces of 256
const CYCLE = 32; // the first frames of a game, again and again: each piece begins with a whole one
const { frames } = views[0];
// two frames to a turn, after the first
const wire = Array.from({ length: COUNT }, (_, n) => ({
  ...packed.frames[n % CYCLE],
  n,
  turn: Math.ceil(n / 2),
  ply: n,
  whole: n % CYCLE === 0,
}));

function serve() {
  const asked = [];
  globalThis.fetch = async (address) => {
    asked.push(Number(address));
    const first = 256 * Number(address);
    return { ok: true, json: async () => wire.slice(first, first + 256) };
  };
  return asked;
}

test("frames of a stream are those of Python, one after the other", () => {
  const film = new Film(packed, String);
  for (const frame of wire) film.add(frame);
  assert.equal(film.count, COUNT);
  assert.ok(film.isWhole);
  film.frames.forEach((frame, n) => assert.deepEqual(plain(frame), frames[n % CYCLE], `frame ${n}`));
});

test("a frame whose forerunner is missing is not taken, a whole one is", () => {
  const film = new Film(packed, String);
  film.add(wire[0]);
  film.add({ ...wire[5], n: 7 });
  assert.equal(film.count, 1);
  film.add({ ...wire[0], n: 7, whole: true });
  assert.equal(film.count, 8);
  assert.equal(film.isWhole, false);
  assert.deepEqual(plain(film.frames[7]), plain(film.frames[0]));
});

test("a frame that comes twice counts once", () => {
  const film = new Film(packed, String);
  for (const n of [0, 1, 1, 2, 1]) film.add(wire[n]);
  assert.deepEqual([film.count, film.added], [3, 3]);
  assert.deepEqual(plain(film.frames[2]), frames[2]);
});

test("what is missing is fetched by pieces, the newest first, and only once", async () => {
  const asked = serve();
  const film = new Film(packed, String);
  film.add({ ...wire[0], n: COUNT - 1 });
  let pieces = 0;
  await film.load(() => pieces++);
  assert.deepEqual(asked, [2, 1, 0]);
  assert.equal(pieces, 3);
  assert.ok(film.isWhole);
  for (let n = 0; n < COUNT - 1; n++) assert.deepEqual(plain(film.frames[n]), frames[n % CYCLE], `frame ${n}`);
  assert.deepEqual(film.plies.slice(0, 3), [0, 1, 2]);
  await film.load();
  assert.equal(asked.length, 3);
});

test("a step goes to the last frame of the next turn, or of the one before", () => {
  const film = new Film(packed, String);
  for (const frame of wire.slice(0, 9)) film.add(frame); // turns 0, 1 1, 2 2, 3 3, 4 4
  assert.deepEqual(
    [0, 1, 2, 3, 7, 8].map((n) => film.step(n, 1)),
    [2, 4, 4, 6, 8, 8],
  );
  assert.deepEqual(
    [8, 6, 4, 2, 0].map((n) => film.step(n, -1)),
    [6, 4, 2, 0, 0],
  );
});
