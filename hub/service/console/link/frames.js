// @ts-check
// One animation frame for the whole page: changes are collected and drawn once, and the cost is recorded.

const KEPT = 600;

/**
 * @typedef {object} Painter
 * @property {(topics: Set<string>, now: number) => void} [changed] called when the shown data may have changed
 * @property {(now: number) => boolean} [frame] draws; returns whether it needs another frame
 */

export class Frames {
  constructor() {
    /** @type {Set<Painter>} */
    this.painters = new Set();
    /** @type {Set<string>} */
    this.topics = new Set();
    this.requested = false;
    this.costs = new Float64Array(KEPT);
    this.drawn = 0;
    this.run = this.run.bind(this);
    /** @param {string} topic */
    this.mark = (topic) => {
      this.topics.add(topic);
      this.request();
    };
  }

  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(this.run);
  }

  /** @param {number} now */
  run(now) {
    const began = performance.now();
    this.requested = false;
    const topics = this.topics;
    this.topics = new Set();
    let again = false;
    for (const painter of this.painters) {
      // A failing view must not affect the others, least of all the header.
      try {
        if (topics.size > 0) painter.changed?.(topics, now);
        if (painter.frame?.(now)) again = true;
      } catch (error) {
        console.error(error);
      }
    }
    if (again) this.request();
    this.costs[this.drawn++ % KEPT] = performance.now() - began;
  }

  /** Returns the durations of the latest frames (ms), oldest first. */
  recent() {
    const n = Math.min(this.drawn, KEPT);
    return Array.from({ length: n }, (_, i) => this.costs[(this.drawn - n + i) % KEPT]);
  }
}
