// The frames of a match on this side: pieces that were fetched, and frames as they come.

import { gridOf, unpacker } from "/static/draw.js";
import { get } from "/static/dom.js";

const PIECE = 256;

export class Film {
  constructor(scene, where) {
    this.game = { ...scene, grid: scene.tiles.length ? gridOf(scene) : { spots: [] } };
    this.where = where; // the address of piece n
    this.frames = []; // by number; holes are not fetched yet
    this.turns = []; // of each frame
    this.plies = []; // of each frame: moves before it; unknown to viewers from whom something is hidden
    this.unpack = unpacker(this.game);
    this.count = 0;
    this.isLoading = false;
    this.added = 0; // frames that have come so far
  }

  // take a frame from the stream
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
