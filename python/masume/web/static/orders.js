// Orders that last: a unit walks a trail of cells, one each turn, or keeps a direction. Nothing here knows a rule: each
// turn an order becomes one of the legal moves towards its next cell, or ends.

import { say } from "./draw.js";

const FIRST = ["arrow", "arc", "cross"]; // of several moves to a cell: those that go there, then those that clear it

export class Orders {
  /** @type {Map<string, { cells?: number[], way?: string }>} by owner: the cells still to go, or the direction */
  found = new Map();

  /** @param {import("./play.js").Player} player */
  constructor(player) {
    this.player = player;
  }

  // whether a turn is planned for several units, which is when orders can last
  get areOpen() {
    const { question } = this.player;
    return Boolean(question?.undo && question.slots.length);
  }

  /** @type {(owner: string) => boolean} */
  has(owner) {
    return this.found.has(owner);
  }

  /** @type {(owner: string | null) => void} */
  drop(owner) {
    this.found.delete(owner);
  }

  // a pointer is dragged over cells, from a unit on; true if that is an order
  /** @type {(cells: number[], isDone: boolean) => boolean} */
  trail(cells, isDone) {
    const { player } = this;
    const owner = this.areOpen
      ? player.units.find((one) => one[0] === "u" && player.cellOf(one) === cells[0])
      : undefined;
    if (owner === undefined || cells.length < 2) return false;
    this.found.set(owner, { cells: cells.slice(1) });
    player.unit = owner;
    if (isDone) this.go([owner]);
    else player.paint();
    return true;
  }

  // the chosen unit keeps the direction of its order; if it has none, the one ordered last
  keep() {
    const { player } = this;
    const planned = new Map(player.question.plan);
    const found = player.moves.filter((one) => one.way && planned.get(one.slot) === one.code);
    const move =
      found.find((one) => player.owner(one) === player.unit) ??
      found.find((one) => player.owner(one) === player.ordered);
    if (!this.areOpen || !move) return player.note(say("Give the piece a direction first; then g keeps it"));
    const owner = player.owner(move);
    if (this.found.get(owner)?.way === move.way) this.drop(owner);
    else this.found.set(owner, { way: move.way });
    player.note(this.has(owner) ? say("It keeps this direction until it is blocked") : say("It moves once"));
    player.show();
    player.paint();
  }

  // turn the orders of these owners, or all, into moves of the open question
  /** @type {(owners?: string[]) => void} */
  go(owners = [...this.found.keys()]) {
    if (!this.areOpen) return;
    const moves = owners.map((owner) => this.#next(owner)).filter(Boolean);
    if (moves.length) this.player.plan(moves);
  }

  /** @type {(owner: string) => Wire.Move | null} */
  #next(owner) {
    const { player } = this;
    const order = this.found.get(owner);
    if (!order || !player.units.includes(owner)) return null;
    const at = player.cellOf(owner);
    while (order.cells?.[0] === at) order.cells.shift();
    /** @type {(move: Wire.Move) => boolean} */
    const isThere = (move) => (order.cells ? move.target === order.cells[0] : move.way === order.way);
    const moves = player.moves.filter((move) => player.owner(move) === owner && isThere(move));
    const best = FIRST.map((shape) => moves.find((move) => move.shape === shape)).find(Boolean);
    if (!best) this.drop(owner);
    return best ?? null;
  }

  // the cells that are still to go, for the board
  /** @returns {number[]} */
  get cells() {
    return [...this.found.values()].flatMap((order) => order.cells ?? []);
  }
}
