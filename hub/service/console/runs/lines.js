// @ts-check
// The lines of a replay. Each stretch of the record counts its lines from one again, and tells nothing of what was before it.

import { list } from "../shared/dom.js";
import { num } from "../shared/format.js";

export class ReplayLines {
  /** @param {import("../link/contract.js").Run} told */
  constructor(told) {
    this.told = told;
    this.count = 0;
  }

  /** A line of a stretch, under a number of its own. @param {any} line @returns {import("../link/contract.js").Line} */
  numbered(line) {
    return { ...line, seq: ++this.count };
  }

  /** What the hub and people had told by a moment; robots' logs come with the record only. @param {number} t @returns {import("../link/contract.js").Line[]} */
  before(t) {
    const { row, begin_t, speed } = this.told;
    const began = num(row.began_unix_ms);
    const wall = (/** @type {number} */ at) => (began === null ? null : began + ((at - begin_t) / (num(speed) || 1)) * 1000);
    return list(this.told.events).filter((event) => event.t < t)
      .map((event) => this.numbered({ t: event.t, unix_ms: wall(event.t), level: "info", who: event.who || "hub", text: event.text }));
  }
}
