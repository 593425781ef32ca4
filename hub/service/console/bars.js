// @ts-check
// Bars of segments as SVG, with lines across for known values and the numbers above the bars.

import { h, s, show } from "./dom.js";
import { fixed } from "./format.js";

const LEFT = 34;
const BOTTOM = 20;
const TOP = 16;
const MOST = 120;

/**
 * @typedef {{value: number | null, colour: string, name?: string, open?: boolean}} Bar open: it is not over yet
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
    /** @type {import("./contract.js").Mark[]} */
    this.marks = [];
    this.key = "";
    this.observer = new ResizeObserver(() => this.draw(true));
    this.observer.observe(this.host);
  }

  /** @param {Group[]} groups @param {import("./contract.js").Mark[]} marks */
  set(groups, marks) {
    [this.groups, this.marks] = [groups.slice(-MOST), marks];
    this.draw(false);
  }

  /** @param {boolean} resized */
  draw(resized) {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (width < 60 || height < 50) return;
    const key = JSON.stringify([this.groups.map(({ label, bars }) => [label, bars.map((bar) => [bar.value?.toFixed(3), bar.colour, bar.open])]), this.marks]);
    if (key === this.key && !resized) return;
    this.key = key;
    show(this.blank, this.groups.length === 0);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const values = this.groups.flatMap(({ bars }) => bars.map((bar) => bar.value ?? 0));
    const marks = this.marks.map((mark) => mark.value);
    const [least, most] = [Math.min(0, ...values), Math.max(0.1, ...values, ...marks)];
    // Room for the numbers above, and below bars that point down.
    const [low, high] = [least < 0 ? least - (most - least) * 0.16 : 0, most + (most - least) * 0.1];
    const y = (/** @type {number} */ value) => height - BOTTOM - ((value - low) / (high - low)) * (height - BOTTOM - TOP);
    /** @type {SVGElement[]} */
    const parts = this.axis(low, high, width, y);
    const slot = (width - LEFT - 6) / Math.max(7, this.groups.length);
    this.groups.forEach((group, i) => parts.push(...this.group(group, LEFT + i * slot, slot, height, y)));
    for (const mark of this.marks) {
      parts.push(s("line", { class: "mark", x1: LEFT, x2: width - 4, y1: y(mark.value), y2: y(mark.value) }));
      parts.push(s("text", { class: "mark", x: LEFT + 3, y: y(mark.value) - 4, text: `${mark.label} ${fixed(mark.value, 2)}` }));
    }
    this.svg.replaceChildren(...parts);
    const told = this.groups.map(({ label, bars }) => `${label}: ${bars.map((bar) => fixed(bar.value, 2)).join(" and ")}`).join(", ");
    this.svg.setAttribute("aria-label", `${this.options.title}: ${told || "none yet"}`);
  }

  /** @param {number} low @param {number} high @param {number} width @param {(value: number) => number} y */
  axis(low, high, width, y) {
    const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((size) => (high - low) / size <= 5) ?? 10;
    /** @type {SVGElement[]} */
    const parts = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high; i++) {
      parts.push(s("line", { class: i === 0 ? "zero" : "grid", x1: LEFT, x2: width - 4, y1: y(i * step), y2: y(i * step) }));
      parts.push(s("text", { class: "tick", x: LEFT - 6, y: y(i * step) + 4, "text-anchor": "end", text: fixed(i * step, step < 0.1 ? 2 : 1) }));
    }
    return parts;
  }

  /** @param {Group} group @param {number} left @param {number} slot @param {number} height @param {(value: number) => number} y */
  group({ label, bars }, left, slot, height, y) {
    const each = (slot * 0.72) / Math.max(1, bars.length);
    /** @type {SVGElement[]} */
    const parts = bars.flatMap(({ value, colour, open, name }, k) => {
      if (value === null) return [];
      const x = left + slot * 0.14 + k * each;
      const rect = s("rect", { x, width: Math.max(1, each - 1), y: Math.min(y(value), y(0)), height: Math.max(1, Math.abs(y(value) - y(0))), fill: colour, rx: 2, class: open ? "open" : undefined },
        s("title", { text: `${name ? `${name}, ` : ""}segment ${label}: ${fixed(value, 3)}${open ? " so far" : ""}` }));
      // Its own number only where there is room for it.
      const number = each >= 26 ? [s("text", { class: "value", x: x + each / 2, y: (value < 0 ? y(value) + 13 : y(value) - 4), "text-anchor": "middle", text: fixed(value, 2) })] : [];
      return [rect, ...number];
    });
    if (slot >= 18) parts.push(s("text", { class: "tick", x: left + slot / 2, y: height - 5, "text-anchor": "middle", text: label }));
    return parts;
  }

  end() {
    this.observer.disconnect();
  }
}
