// @ts-check
// One animation frame for the whole page: what changed is collected, drawn once, and its cost is kept.

const KEPT = 600;

/**
 * @typedef {object} Painter
 * @property {(topics: Set<string>, now: number) => void} [changed] what it shows may have changed
 * @property {(now: number) => boolean} [frame] draws; true if it wants another frame
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
      // A view that fails must not take the others with it, least of all the header.
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

  /** Milliseconds of the latest frames, oldest first. */
  recent() {
    const n = Math.min(this.drawn, KEPT);
    return Array.from({ length: n }, (_, i) => this.costs[(this.drawn - n + i) % KEPT]);
  }
}
