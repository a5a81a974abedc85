import assert from "node:assert/strict";
import { test } from "node:test";
import { load, twins } from "./harness.mjs";

const { gridOf } = await load("draw.js");
const { Stage } = await load("stage.js");

// a stage without its elements: where the cursor goes needs none
function stageOf(scene, cursor, places = []) {
  return Object.assign(Object.create(Stage.prototype), {
    game: { ...scene, grid: gridOf(scene) },
    frame: { places },
    cursor,
  });
}
const square = { ...twins.games.nezumi.packed, width: 4, height: 3, columns: [], rows: [] };
const hexes = twins.games.terraforming.packed;
const WAYS = [
  [1, 0],
  [-1, 0],
  [0, 1],
  [0, -1],
];

test("the cursor goes from cell to cell and stays on the board", () => {
  const to = (cell) => WAYS.map((way) => stageOf(square, cell).next(...way));
  assert.deepEqual(to(5), [6, 4, 9, 1]);
  assert.deepEqual(to(0), [1, 0, 4, 0]);
  assert.deepEqual(to(11), [11, 10, 11, 7]);
});

test("the cursor begins on a unit", () => {
  assert.equal(stageOf(square, -1, [-1, 6]).next(1, 0), 6);
  assert.equal(stageOf(square, -1).next(1, 0), 0);
});

test("among hexagons the cursor reaches every cell and goes back along its row", () => {
  const { spots } = gridOf(hexes);
  const seen = new Set([0]);
  for (const cell of seen) for (const way of WAYS) seen.add(stageOf(hexes, cell).next(...way));
  assert.equal(seen.size, spots.length);
  for (const cell of spots.keys()) {
    const right = stageOf(hexes, cell).next(1, 0);
    if (right === cell) continue;
    assert.deepEqual(spots[right], [spots[cell][0] + 2, spots[cell][1]]);
    assert.equal(stageOf(hexes, right).next(-1, 0), cell);
  }
});
