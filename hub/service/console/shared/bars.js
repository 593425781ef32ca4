// @ts-check
// Bar chart of segments as SVG, with horizontal lines for known values, and numbers above the bars.

import { h, s, show } from "./dom.js";
import { fixed, tickTexts } from "./format.js";

const LEFT = 34;
const BOTTOM = 20;
const TOP = 16;
// Space above all bars for the names of marks, where no line crosses them (pixels).
const MARKS_ROOM = 16;
const WIDEST = 44;
// Width of a segment number (pixels).
const LABEL = 18;
const MOST = 120;

/**
 * @typedef {{value: number | null, colour: string, name?: string, open?: boolean, note?: string}} Bar open: the segment is in progress; note: text after the number in the tooltip
 * @typedef {{label: string, bars: Bar[]}} Group
 */

export class Bars {
  /** @param {{title: string, about?: string, empty: string}} options */
  constructor(options) {
    this.options = options;
    this.svg = s("svg", { role: "img", class: "bars" });
    this.blank = h("p", { class: "blank", text: options.empty });
    this.host = h("div", { class: "plot" }, this.svg, this.blank);
    this.node = h("figure", { class: "chart" }, h("figcaption", { title: options.about }, h("span", { class: "name", text: options.title })), this.host);
    /** @type {Group[]} */
    this.groups = [];
    /** @type {import("../link/contract.js").Mark[]} */
    this.marks = [];
    this.key = "";
    this.observer = new ResizeObserver(() => this.draw(true));
    this.observer.observe(this.host);
  }

  /** @param {Group[]} groups @param {import("../link/contract.js").Mark[]} marks */
  set(groups, marks) {
    [this.groups, this.marks] = [groups.slice(-MOST), marks];
    this.draw(false);
  }

  /** @param {boolean} resized */
  draw(resized) {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (width < 60 || height < 50) return;
    const key = JSON.stringify([this.groups.map(({ label, bars }) => [label, bars.map((bar) => [bar.value?.toFixed(3), bar.colour, bar.open, bar.note])]), this.marks]);
    if (key === this.key && !resized) return;
    this.key = key;
    show(this.blank, this.groups.length === 0);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const values = this.groups.flatMap(({ bars }) => bars.map((bar) => bar.value ?? 0));
    const marks = this.marks.map((mark) => mark.value);
    const [least, most] = [Math.min(0, ...values), Math.max(0.1, ...values, ...marks)];
    // Space for the numbers above the bars, and below bars with negative values.
    const [low, high] = [least < 0 ? least - (most - least) * 0.16 : 0, most + (most - least) * 0.1];
    const top = TOP + (this.marks.length > 0 ? MARKS_ROOM : 0);
    const y = (/** @type {number} */ value) => height - BOTTOM - ((value - low) / (high - low)) * (height - BOTTOM - top);
    /** @type {SVGElement[]} */
    const parts = this.axis(low, high, width, y);
    for (const mark of this.marks) parts.push(s("line", { class: "mark", x1: LEFT, x2: width - 4, y1: y(mark.value), y2: y(mark.value) }));
    if (this.marks.length > 0) {
      parts.push(s("line", { class: "mark", x1: LEFT, x2: LEFT + 14, y1: 8, y2: 8 }));
      parts.push(s("text", { class: "mark", x: LEFT + 19, y: 12, text: this.marks.map((mark) => `${mark.label} ${fixed(mark.value, 2)}`).join(" · ") }));
    }
    const slot = (width - LEFT - 6) / Math.max(1, this.groups.length);
    const every = Math.ceil(LABEL / slot);
    this.groups.forEach((group, i) => parts.push(...this.group(group, LEFT + i * slot, slot, y)));
    this.groups.forEach(({ label }, i) => i % every === 0 && parts.push(s("text", { class: "tick", x: LEFT + (i + 0.5) * slot, y: height - 5, "text-anchor": "middle", text: label })));
    this.svg.replaceChildren(...parts);
    const told = this.groups.map(({ label, bars }) => `${label}: ${bars.map((bar) => fixed(bar.value, 2)).join(" and ")}`).join(", ");
    this.svg.setAttribute("aria-label", `${this.options.title}: ${told || "none yet"}`);
  }

  /** @param {number} low @param {number} high @param {number} width @param {(value: number) => number} y */
  axis(low, high, width, y) {
    const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((size) => (high - low) / size <= 5) ?? 10;
    /** @type {SVGElement[]} */
    const parts = [];
    const first = Math.ceil(low / step - 1e-9);
    const ticks = Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => (first + i) * step);
    const texts = tickTexts(ticks, step);
    ticks.forEach((tick, i) => {
      parts.push(s("line", { class: tick === 0 ? "zero" : "grid", x1: LEFT, x2: width - 4, y1: y(tick), y2: y(tick) }));
      parts.push(s("text", { class: "tick", x: LEFT - 6, y: y(tick) + 4, "text-anchor": "end", text: texts[i] }));
    });
    return parts;
  }

  /** @param {Group} group @param {number} left @param {number} slot @param {(value: number) => number} y */
  group({ label, bars }, left, slot, y) {
    const each = Math.min(WIDEST, (slot * 0.72) / Math.max(1, bars.length));
    const begin = left + (slot - each * bars.length) / 2;
    return bars.flatMap(({ value, colour, open, name, note = "" }, k) => {
      if (value === null) return [];
      const x = begin + k * each;
      const rect = s("rect", { x, width: Math.max(1, each - 1), y: Math.min(y(value), y(0)), height: Math.max(1, Math.abs(y(value) - y(0))), fill: colour, rx: 2, class: open ? "open" : undefined },
        s("title", { text: `${name ? `${name}, ` : ""}segment ${label}: ${fixed(value, 3)}${note}${open ? " so far" : ""}` }));
      // The number of a bar is shown only if there is room for it.
      const number = each >= 26 ? [s("text", { class: "value", x: x + each / 2, y: (value < 0 ? y(value) + 13 : y(value) - 4), "text-anchor": "middle", text: fixed(value, 2) })] : [];
      return [rect, ...number];
    });
  }

  end() {
    this.observer.disconnect();
  }
}
