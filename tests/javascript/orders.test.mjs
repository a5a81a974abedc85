import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./harness.mjs";

const { Orders } = await load("orders.js");

// a player with one unit on a line of ten cells; `shapes` are the moves to the next cell
function begin(at = 0, shapes = ["arrow"]) {
  const player = {
    question: { undo: true, slots: [0], plan: [] },
    units: ["u0"],
    unit: null,
    ordered: null,
    planned: [],
    owner: (move) => `u${move.unit}`,
    cellOf: () => at,
    plan: (moves) => player.planned.push(...moves),
    note() {},
    show() {},
    paint() {},
  };
  player.walk = (cell) => {
    at = cell;
    player.moves = [-1, 1].flatMap((by) =>
      shapes
        .map((shape, code) => ({
          unit: 0,
          slot: 0,
          code: 10 * code + by,
          target: cell + by,
          way: by > 0 ? "e" : "w",
          shape,
        }))
        .filter((move) => move.target >= 0 && move.target < 10),
    );
  };
  player.walk(at);
  const orders = new Orders(player);
  return [player, orders];
}

test("a unit walks its trail, one cell each turn, then the order has ended", () => {
  const [player, orders] = begin();
  assert.equal(orders.trail([0, 1, 2, 3], true), true);
  for (const cell of [1, 2, 3]) {
    assert.equal(player.planned.at(-1).target, cell);
    assert.ok(orders.has("u0"));
    player.walk(cell);
    orders.go();
  }
  assert.equal(player.planned.length, 3);
  assert.equal(orders.has("u0"), false);
});

test("an order ends where it cannot go on", () => {
  const [player, orders] = begin();
  orders.trail([0, 1, 5], true);
  player.walk(1);
  orders.go();
  assert.equal(player.planned.length, 1);
  assert.equal(orders.has("u0"), false);
});

test("only a trail from a unit is an order, and only where a turn is planned", () => {
  const [player, orders] = begin();
  assert.equal(orders.trail([4, 5], true), false);
  assert.equal(orders.trail([0], true), false);
  player.question.undo = false;
  assert.equal(orders.trail([0, 1], true), false);
  assert.deepEqual(player.planned, []);
});

test("nothing is ordered before the pointer is lifted", () => {
  const [player, orders] = begin();
  assert.equal(orders.trail([0, 1, 2], false), true);
  assert.deepEqual([player.planned, orders.cells], [[], [1, 2]]);
});

test("of several moves to a cell, those that go there come first", () => {
  for (const shapes of [
    ["ring", "cross", "arc", "arrow"],
    ["arrow", "ring"],
    ["cross", "arrow"],
  ]) {
    const [player, orders] = begin(0, shapes);
    orders.trail([0, 1], true);
    assert.equal(player.planned[0].shape, "arrow");
  }
  const [player, orders] = begin(0, ["ring", "cross"]);
  orders.trail([0, 1], true);
  assert.equal(player.planned[0].shape, "cross");
});

test("a kept direction goes on until the edge, and is dropped by the same key", () => {
  const [player, orders] = begin(7);
  player.unit = "u0";
  player.question.plan = [[0, 1]];
  orders.keep();
  for (const cell of [8, 9]) {
    orders.go();
    assert.equal(player.planned.at(-1).target, cell);
    player.walk(cell);
  }
  orders.go();
  assert.equal(player.planned.length, 2);
  assert.equal(orders.has("u0"), false);
  player.walk(3);
  orders.keep();
  assert.ok(orders.has("u0"));
  orders.keep();
  assert.equal(orders.has("u0"), false);
});
