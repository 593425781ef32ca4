// @ts-check
// What happened, newest first: lines of the hub, of robots and of people.

import { follow, h, show } from "./dom.js";
import { clock, timeOfDay } from "./format.js";

/** @typedef {import("./contract.js").Line} Line */

export class EventList {
  /** @param {import("./store.js").Store} store @param {{title: string, most: number, wanted?: (line: Line) => boolean, empty?: string}} options */
  constructor(store, { title, most, wanted = () => true, empty = "Nothing has happened yet." }) {
    this.store = store;
    this.most = most;
    this.wanted = wanted;
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.list = h("ol", { class: "lines", tabindex: "0", "aria-label": title });
    this.blank = h("p", { class: "dim", text: empty });
    this.node = h("section", { class: "panel events" }, h("h2", {}, title, " ", h("small", { text: "newest first" })), this.blank, this.list);
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
  const node = h("li", {}, h("time", { text: time }), h("b", { text: line.who }), h("span", { text: line.text }));
  const level = { warn: "Warning: ", error: "Error: " }[line.level];
  if (level) node.lastElementChild?.prepend(h("em", { class: line.level === "error" ? "bad" : "warn", text: level }));
  return { node };
}

