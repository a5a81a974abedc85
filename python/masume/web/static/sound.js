// Short sounds, off until somebody wants them: your turn, a press, points won and lost, the last five seconds, the end.

const KEY = "masume-sounds";
const NOTES = {
  turn: [660, 880],
  press: [440],
  gain: [520, 660, 780],
  loss: [330, 260],
  tick: [990],
  win: [520, 660, 780, 1040],
  end: [660, 520, 390],
}; // hertz, one after the other
const LONG_S = 0.12;

/** @type {AudioContext | null} */
let context = null;

export const areOn = () => localStorage.getItem(KEY) === "on";

/** @type {(on: boolean) => void} */
export function turn(on) {
  localStorage.setItem(KEY, on ? "on" : "off");
  if (on) sound("turn");
}

/** @type {(kind: keyof typeof NOTES) => void} */
export function sound(kind) {
  if (!areOn() || !navigator.userActivation.hasBeenActive) return; // before the first press a page may not sound
  context ??= new AudioContext();
  NOTES[kind].forEach((pitch, n) => {
    const [voice, volume, begin] = [context.createOscillator(), context.createGain(), context.currentTime + n * LONG_S];
    voice.frequency.value = pitch;
    volume.gain.setValueAtTime(0.1, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + LONG_S);
    voice.connect(volume).connect(context.destination);
    voice.start(begin);
    voice.stop(begin + LONG_S);
  });
}
