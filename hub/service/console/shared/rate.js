// @ts-check
// Frame rate of pictures, and its description.

// Time over which the frame rate is computed (ms).
const COUNTED_MS = 10_000;

/** Frame rate of pictures, from their numbers and times of arrival. */
export class Rate {
  constructor() {
    /** @type {{number: number, at: number}[]} */
    this.seen = [];
  }

  /** @param {number} number @param {number} at (ms) */
  take(number, at) {
    const last = this.seen.at(-1);
    if (last && last.number === number) return;
    // A restarted hub counts from the beginning.
    if (last && number < last.number) this.seen = [];
    this.seen.push({ number, at });
    while (this.seen.length > 2 && at - this.seen[0].at > COUNTED_MS) this.seen.shift();
  }

  /** Returns the frame rate (Hz); null before the second picture. @returns {number | null} */
  get() {
    const [first, last] = [this.seen[0], this.seen.at(-1)];
    if (!first || !last || last.at <= first.at) return null;
    return ((last.number - first.number) * 1000) / (last.at - first.at);
  }
}

/** Returns the text below a picture. @param {number | null} rate (Hz) @param {number} age (s) */
export function inWords(rate, age) {
  const pictures = rate === null ? "" : `${rate.toFixed(1)} pictures per second, `;
  return `${pictures}${age < 10 ? age.toFixed(1) : age.toFixed(0)} s old`;
}
