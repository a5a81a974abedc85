// The frames of a match on this side: pieces that were fetched, and frames as they come.

import { get } from "./dom.js";
import { gridOf, NO_GRID, unpacker } from "./draw.js";

const PIECE = 256;

export class Film {
  /** @type {Wire.Frame[]} by number; holes are not fetched yet */
  frames = [];
  /** @type {number[]} of each frame */
  turns = [];
  /** @type {(number | undefined)[]} of each frame: moves before it; unknown to viewers from whom something is hidden */
  plies = [];

  /** @param {Wire.Scene} scene @param {(piece: number) => string} where the address of piece n */
  constructor(scene, where) {
    this.game = { ...scene, grid: scene.tiles.length ? gridOf(scene) : NO_GRID };
    this.where = where;
    this.unpack = unpacker(this.game);
    this.count = 0;
    this.isLoading = false;
    this.added = 0; // frames that have come so far
  }

  // take a frame from the stream
  /** @type {(packed: Wire.Packed & { n: number }) => void} */
  add(packed) {
    const { n } = packed;
    if (!packed.whole && n !== this.count && this.frames[n - 1] === undefined) return;
    if (this.frames[n] !== undefined && !packed.whole) return;
    this.frames[n] = this.unpack(packed);
    this.turns[n] = packed.turn;
    this.added++;
    this.plies[n] = packed.ply;
    this.count = Math.max(this.count, n + 1);
  }

  get isWhole() {
    for (let n = 0; n < this.count; n++) if (this.frames[n] === undefined) return false;
    return true;
  }

  // fetch what is missing, the newest piece first; `onPiece` is called after each
  /** @type {(onPiece?: () => void) => Promise<void>} */
  async load(onPiece = () => {}) {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      for (let piece = Math.floor((this.count - 1) / PIECE); piece >= 0; piece--) {
        const first = piece * PIECE;
        const until = Math.min(first + PIECE, this.count);
        let isWhole = true;
        for (let n = first; n < until; n++) isWhole &&= this.frames[n] !== undefined;
        if (isWhole) continue;
        const unpack = unpacker(this.game);
        for (const packed of await get(this.where(piece))) {
          const frame = unpack(packed);
          this.frames[packed.n] ??= frame;
          this.turns[packed.n] ??= packed.turn;
          this.added++;
          this.plies[packed.n] ??= packed.ply;
        }
        onPiece();
      }
    } finally {
      this.isLoading = false;
    }
  }

  // the last frame of the turn after, or before, that of frame n
  /** @type {(n: number, by: number) => number} */
  step(n, by) {
    const turn = this.turns[n];
    let to = n;
    if (by > 0) {
      while (to < this.count - 1 && this.turns[to] <= turn && this.frames[to + 1]) to++;
      while (to < this.count - 1 && this.turns[to + 1] === this.turns[to] && this.frames[to + 1]) to++;
      return to;
    }
    while (to > 0 && this.turns[to] >= turn && this.frames[to - 1]) to--;
    return to;
  }
}
