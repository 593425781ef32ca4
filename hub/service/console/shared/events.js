// @ts-check
// List of events, newest first: lines of the hub, of robots and of operators.

import { button, follow, h, show } from "./dom.js";
import { clock, timeOfDay } from "./format.js";

/** @typedef {import("../link/contract.js").Line} Line */

export class EventList {
  /** @param {import("../link/store.js").Store} store @param {{title: string, most: number, wanted?: (line: Line) => boolean, empty?: string, note?: boolean}} options note: whether a button for notes is shown */
  constructor(store, { title, most, wanted = () => true, empty = "No events yet.", note = true }) {
    this.store = store;
    this.most = most;
    this.wanted = wanted;
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.list = h("ol", { class: "lines", tabindex: "0", "aria-label": title });
    this.blank = h("p", { class: "dim", text: empty });
    // The note sheet listens for this event, so that the list does not depend on it.
    const add = note && store.kind === "live" ? button("Note…", () => this.node.dispatchEvent(new CustomEvent("note", { bubbles: true })), { class: "small", title: "Write a note into the record (W)" }) : null;
    this.node = h("section", { class: "panel events" }, h("div", { class: "panel-head" }, h("h2", {}, title, " ", h("small", { text: "newest first, wall time" })), add), this.blank, this.list);
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    if (!topics.has("lines") && !topics.has("view")) return;
    const lines = this.store.lines.filter(this.wanted).slice(-this.most).reverse();
    show(this.blank, lines.length === 0);
    follow(this.list, lines, this.rows, (line) => String(line.seq), makeLine, () => {});
  }
}

/** @param {Line} line */
function makeLine(line) {
  const time = timeOfDay(line.unix_ms) || clock(line.t);
  const node = h("li", {}, h("time", { title: `arena time ${clock(line.t)} since the hub began`, text: time }), h("b", { text: line.who }), h("span", { text: line.text }));
  const level = { warn: "Warning: ", error: "Error: " }[line.level];
  if (level) node.lastElementChild?.prepend(h("em", { class: line.level === "error" ? "bad" : "warn", text: level }));
  return { node };
}

