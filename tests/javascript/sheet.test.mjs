import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./harness.mjs";

const { Sheet } = await load("sheet.js");

const desk = {
  numbers: null,
  letters: "ABCDEFGHIJ",
  kinds: { glyph: "item" },
  brushes: [
    [".", "ground", "plain", -1, "", "", "", ""],
    ["#", "wall", "wall", -1, "", "", "", ""],
    ["a", "home of a", "solid", 0, "", "A", "ab", "home"],
    ["b", "home of b", "solid", 1, "", "B", "ba", ""],
  ],
};
const drawn = (rows, kinds = []) =>
  new Sheet(desk, { size: [rows[0].length, rows.length], cells: [...rows.join("")], fields: {}, kinds });
const shown = (sheet) => {
  const [width] = sheet.size;
  return sheet.cells.join("").match(new RegExp(`.{${width}}`, "g"));
};

const spots = [];
for (let x = -2; x <= 2; x++) for (let y = -2; y <= 2; y++) if (Math.abs(x + y) <= 2) spots.push([x, y]);
const hexagons = new Sheet(desk, { size: [2], cells: spots.map(() => "."), spots, fields: {}, kinds: [] });

test("cells and their places are each other's inverse", () => {
  for (const sheet of [drawn([".....", ".....", "....."]), hexagons]) {
    for (const cell of sheet.cells.keys()) assert.equal(sheet.at(sheet.place(cell)), cell);
  }
  const sheet = drawn(["..", ".."]);
  for (const place of [
    [-1, 0],
    [0, -1],
    [2, 0],
    [0, 2],
  ])
    assert.equal(sheet.at(place), -1);
  assert.equal(hexagons.at([2, 2]), -1);
});

test("each symmetry carries the board onto itself", () => {
  const sheet = drawn([".....", ".....", "....."]);
  for (const [symmetry, count] of [
    ["none", 1],
    ["columns", 2],
    ["rows", 2],
    ["point", 2],
    ["both", 4],
  ]) {
    for (const cell of sheet.cells.keys()) {
      const images = sheet.images(cell, symmetry);
      assert.equal(images.length, count);
      assert.ok(images.every((image) => image >= 0));
      // the images of an image are the same cells
      const cells = new Set(images);
      for (const image of images) assert.deepEqual(new Set(sheet.images(image, symmetry)), cells);
    }
  }
  for (const cell of hexagons.cells.keys()) {
    const cells = new Set(hexagons.images(cell, "thirds"));
    assert.equal(cells.size, hexagons.place(cell).every((part) => part === 0) ? 1 : 3);
    for (const image of cells) assert.deepEqual(new Set(hexagons.images(image, "thirds")), cells);
  }
});

test("a cell is painted with its images", () => {
  const sheet = drawn(["....", "....", "...."]);
  sheet.put(1, "#", "both");
  assert.deepEqual(shown(sheet), [".##.", "....", ".##."]);
  sheet.put(0, "#", "columns");
  assert.deepEqual(shown(sheet), ["####", "....", ".##."]);
  sheet.put(11, "#", "none");
  assert.deepEqual(shown(sheet), ["####", "....", ".###"]);
});

test("what is on a board once moves, and its images belong to the next players", () => {
  const sheet = drawn(["....", "....", "...."]);
  sheet.put(0, "a", "both");
  assert.deepEqual(shown(sheet), ["a...", "....", "...b"]);
  sheet.put(5, "b", "point");
  assert.deepEqual(shown(sheet), ["....", ".ba.", "...."]);
});

test("another size keeps what still has a place", () => {
  const small = drawn(["..", ".."], [["p", "gold", 3]]);
  small.over(drawn(["#.#", "a##"], [["q", "silver", 5]]));
  assert.deepEqual(shown(small), ["#.", "a#"]);
  assert.deepEqual(small.kinds, [["q", "silver", 5]]);
});

test("a copy shares nothing with its sheet", () => {
  const sheet = drawn(["..", ".."], [["p", "gold", 3]]);
  const copy = sheet.copy();
  sheet.put(0, "#", "none");
  sheet.kinds[0][2] = 9;
  sheet.fields.name = "x";
  assert.deepEqual(copy.plain(), drawn(["..", ".."], [["p", "gold", 3]]).plain());
});

test("a sheet is drawn by its marks, with the amounts of its kinds", () => {
  const sheet = drawn(["a.", "pp"], [["p", "gold", 3]]);
  const [scene, frame] = [sheet.scene(), sheet.frame()];
  assert.deepEqual(
    scene.tiles.map(([mark]) => mark),
    [".", "#", "a", "b", "p"],
  );
  assert.deepEqual(scene.units, [
    [0, "A", "home", ""],
    [1, "B", "", ""],
  ]);
  assert.deepEqual(frame.places, [0, -1]);
  assert.deepEqual(
    [...frame.notes],
    [
      [2, "3"],
      [3, "3"],
    ],
  );
  assert.deepEqual(
    [scene.columns, scene.rows],
    [
      ["A", "B"],
      ["1", "2"],
    ],
  );
});
