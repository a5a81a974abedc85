// When what comes is shown: what I did stands alone before it is answered.

const STANDS_MS = 700;

export class Pace {
  /** @type {(() => void)[]} what came meanwhile, in its order */
  waiting = [];
  timer = 0;
  isAwaited = false; // what I did has been sent, and has no frame yet
  turn = -1; // of what I did
  until = 0; // how long it stands, ms

  // what I did is sent
  await() {
    this.isAwaited = true;
  }

  // something has come: show it now, or when what I did has stood long enough; turn: of a frame
  /** @type {(show: () => void, turn?: number) => void} */
  add(show, turn) {
    const now = performance.now();
    if (turn !== undefined && this.isAwaited) {
      this.isAwaited = false;
      this.turn = turn;
      this.until = now + STANDS_MS;
    }
    const isAnswer = turn !== undefined && turn !== this.turn && now < this.until;
    if (!isAnswer && !this.waiting.length) return show();
    this.waiting.push(show);
    this.timer ||= setTimeout(() => this.release(), this.until - now);
  }

  // show what waits
  release() {
    clearTimeout(this.timer);
    [this.timer, this.until] = [0, 0];
    const waiting = this.waiting;
    this.waiting = [];
    for (const show of waiting) show();
  }
}
