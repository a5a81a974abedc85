import assert from "node:assert/strict";
import { test } from "node:test";
import { load, plain, twins } from "./harness.mjs";

const { board, chart, grouped, gridOf, NO_GRID, pairs, signed, tags, units, unpacker } = await load("draw.js");

// [name, scene, packed frames, packed frames of all, what Python makes of it], for each view of each game
const views = Object.entries(twins.games).flatMap(([name, { packed, views }]) =>
  views.map((view, n) => {
    const scene = n ? { ...packed, ...packed.views[n - 1] } : packed;
    return [`${name}, ${n ? `player ${n - 1}` : "all"}`, scene, scene.frames, packed.frames, view];
  }),
);

function unpacked(scene, frames, whole) {
  const game = { ...scene, grid: scene.tiles.length ? gridOf(scene) : NO_GRID };
  const unpack = unpacker(game);
  return [game, frames.map((frame, n) => unpack(frame, whole[n]))];
}

for (const [name, scene, packed, whole, twin] of views) {
  test(`frames are unpacked as Python packed them: ${name}`, () => {
    const [, frames] = unpacked(scene, packed, whole);
    assert.equal(frames.length, twin.frames.length);
    assert.ok(frames.length > 2);
    for (const [n, frame] of frames.entries()) assert.deepEqual(plain(frame), twin.frames[n], `frame ${n}`);
  });

  test(`the grid and the pictures are those of Python: ${name}`, () => {
    const [game, frames] = unpacked(scene, packed, whole);
    for (const [key, value] of Object.entries(twin.grid)) assert.deepEqual(game.grid[key], value, key);
    for (const [n, frame] of frames.entries()) {
      assert.deepEqual([board(game, frame), units(game, frame), tags(game, frame)], twin.pictures[n], `frame ${n}`);
    }
  });
}

test("a frame stays what it was when the next ones are unpacked", () => {
  for (const [, scene, packed, whole] of views) {
    const [game] = unpacked(scene, packed, whole);
    const unpack = unpacker(game);
    const first = unpack(packed[0], whole[0]);
    const before = JSON.stringify(plain(first));
    for (let n = 1; n < packed.length; n++) unpack(packed[n], whole[n]);
    assert.equal(JSON.stringify(plain(first)), before);
  }
});

test("a whole frame forgets what came before", () => {
  const [, scene, packed, whole] = views[0];
  const [game, frames] = unpacked(scene, packed, whole);
  const unpack = unpacker(game);
  for (let n = 0; n < packed.length; n++) unpack(packed[n], whole[n]);
  assert.deepEqual(plain(unpack({ ...packed[0], whole: true })), plain(frames[0]));
});

test("lists are read by twos", () => {
  assert.deepEqual(pairs([1, "a", 2, "b"]), [
    [1, "a"],
    [2, "b"],
  ]);
  assert.deepEqual(pairs(undefined), []);
});

test("numbers have a true minus, groups of three digits, and ? where they are unknown", () => {
  assert.deepEqual([signed(-5), signed(7), signed(null)], ["\u22125", "7", "?"]);
  assert.deepEqual([grouped(-1234567), grouped(999), grouped(null)], ["\u22121,234,567", "999", "?"]);
});

test("a chart has round numbers on its axes, integers for counts", () => {
  const lines = [
    {
      points: [
        [0, 0],
        [50, 37],
      ],
      kind: "p0",
      name: "A",
    },
  ];
  const shown = chart(lines, "", 180, true);
  const numbers = [...shown.svg.innerHTML.matchAll(/<text class="tick[^>]*>([^<]*)</g)].map(([, text]) => text);
  assert.deepEqual(numbers, ["0", "10", "20", "30", "0", "20", "40"]);
  const [counts] = [
    chart(
      [
        {
          ...lines[0],
          points: [
            [0, 0],
            [2, 1],
          ],
        },
      ],
      "",
      180,
      true,
    ),
  ];
  assert.ok(
    ![...counts.svg.innerHTML.matchAll(/<text class="tick[^>]*>([^<]*)</g)].some(([, text]) => text.includes(".")),
  );
});

test("places in a chart are in proportion, zero included", () => {
  const shown = chart(
    [
      {
        points: [
          [0, 10],
          [40, -10],
        ],
        kind: "p0",
        name: "A",
      },
    ],
    "",
    180,
    true,
  );
  assert.ok(Math.abs((shown.x(0) + shown.x(40)) / 2 - shown.x(20)) < 1e-9);
  assert.ok(Math.abs((shown.y(10) + shown.y(-10)) / 2 - shown.y(0)) < 1e-9);
  assert.ok(shown.y(10) < shown.y(-10));
});

test("names at the ends of curves are a line apart and above the axis", () => {
  for (const scores of [
    [5, 5, 5],
    [0, 0, 0],
    [1, 30, 31],
    [40, 0, 1],
  ]) {
    const lines = scores.map((score, n) => ({
      points: [
        [0, 0],
        [9, score],
      ],
      kind: `p${n}`,
      name: String(n),
    }));
    const { svg, height } = chart(lines, "", 180, true);
    const tops = [...svg.innerHTML.matchAll(/<text class="name" x="[^"]*" y="([^"]*)"/g)].map(([, y]) => Number(y));
    assert.equal(tops.length, 3);
    const sorted = [...tops].sort((one, other) => one - other);
    for (let n = 1; n < 3; n++) assert.ok(sorted[n] - sorted[n - 1] >= 12.9, `${scores}: ${sorted}`);
    assert.ok(sorted[2] <= height - 18);
  }
});
