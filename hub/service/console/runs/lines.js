// @ts-check
// Log lines of a replay. Each interval of the record numbers its lines from 1 again, and contains no earlier lines.

import { list } from "../shared/dom.js";
import { num } from "../shared/format.js";

export class ReplayLines {
  /** @param {import("../link/contract.js").Run} told */
  constructor(told) {
    this.told = told;
    this.count = 0;
  }

  /** Returns a line of an interval with a unique number. @param {any} line @returns {import("../link/contract.js").Line} */
  numbered(line) {
    return { ...line, seq: ++this.count };
  }

  /** Returns the lines of the hub and of operators before a time; the robots' logs are only in the record. @param {number} t @returns {import("../link/contract.js").Line[]} */
  before(t) {
    const { row, begin_t, speed } = this.told;
    const began = num(row.began_unix_ms);
    const wall = (/** @type {number} */ at) => (began === null ? null : began + ((at - begin_t) / (num(speed) || 1)) * 1000);
    return list(this.told.events).filter((event) => event.t < t)
      .map((event) => this.numbered({ t: event.t, unix_ms: wall(event.t), level: "info", who: event.who || "hub", text: event.text }));
  }
}
