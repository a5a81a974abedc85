import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { load } from "./harness.mjs";

const { Pace } = await load("pace.js");

let pace, shown;
const add = (name, turn) => pace.add(() => shown.push(name), turn);

beforeEach(() => {
  [pace, shown] = [new Pace(), []];
});

test("what others do is shown as it comes", () => {
  add("frame 1", 1);
  add("frame 2", 2);
  add("question");
  assert.deepEqual(shown, ["frame 1", "frame 2", "question"]);
});

test("what I did is shown at once, and all of it", () => {
  pace.await();
  add("the first mouse", 4);
  add("the second mouse", 4);
  add("facts");
  assert.deepEqual(shown, ["the first mouse", "the second mouse", "facts"]);
});

test("the answer waits, and what comes after it keeps its order", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  pace.await();
  add("mine", 4);
  add("theirs", 5);
  add("facts");
  add("theirs too", 5);
  add("question");
  assert.deepEqual(shown, ["mine"]);
  context.mock.timers.tick(600);
  assert.deepEqual(shown, ["mine"]);
  context.mock.timers.tick(101);
  assert.deepEqual(shown, ["mine", "theirs", "facts", "theirs too", "question"]);
  add("later", 6);
  assert.equal(shown.at(-1), "later");
});

test("a question without an answer before it does not wait", () => {
  pace.await();
  add("mine", 4);
  add("question");
  assert.deepEqual(shown, ["mine", "question"]);
});

test("who presses does not wait", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  pace.await();
  add("mine", 4);
  add("theirs", 5);
  pace.release();
  assert.deepEqual(shown, ["mine", "theirs"]);
  context.mock.timers.tick(1000);
  assert.deepEqual(shown, ["mine", "theirs"]);
});
