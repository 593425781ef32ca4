// @ts-check
// How many pictures come in a second, and that in words.

// Pictures a second are counted over so long.
const COUNTED_MS = 10_000;

/** How many pictures a second came, from their numbers and when those were seen. */
export class Rate {
  constructor() {
    /** @type {{number: number, at: number}[]} */
    this.seen = [];
  }

  /** @param {number} number @param {number} at ms */
  take(number, at) {
    const last = this.seen.at(-1);
    if (last && last.number === number) return;
    // Another hub counts from the beginning.
    if (last && number < last.number) this.seen = [];
    this.seen.push({ number, at });
    while (this.seen.length > 2 && at - this.seen[0].at > COUNTED_MS) this.seen.shift();
  }

  /** Pictures a second; null before two came. @returns {number | null} */
  get() {
    const [first, last] = [this.seen[0], this.seen.at(-1)];
    if (!first || !last || last.at <= first.at) return null;
    return ((last.number - first.number) * 1000) / (last.at - first.at);
  }
}

/** What stands below a picture. @param {number | null} rate a second @param {number} age s */
export function inWords(rate, age) {
  const pictures = rate === null ? "" : `${rate.toFixed(1)} pictures a second, `;
  return `${pictures}${age < 10 ? age.toFixed(1) : age.toFixed(0)} s old`;
}
