// @ts-check
// Line charts over time with uPlot: themed, resizable, with horizontal marks, and a readout with a fixed position.

import uPlot from "../vendor/uPlot.esm.js";
import { h, setText, show } from "./dom.js";
import { clock, fixed, tickTexts } from "./format.js";
import { onTheme, palette } from "./colours.js";

const REDRAW_MS = 1000;
// Half the width of the time axis's last label (pixels), which is centred at the right edge; "1:00:00" is twice as
// wide.
const LABEL_HALF = 24;
// Space above the lines for the names of marks, where no line crosses them (pixels).
const MARKS_ROOM = 22;
// Tick steps of value axes.
const STEPS = [-3, -2, -1, 0, 1, 2, 3, 4, 5, 6].flatMap((power) => [1, 2, 5].map((digit) => Number(`${digit}e${power}`)));

/**
 * @typedef {object} Line
 * @property {string} label
 * @property {() => string} colour
 * @property {number} [width]
 * @property {number[]} [dash]
 * @property {number} [alpha]
 *
 * @typedef {object} ChartOptions
 * @property {string} title
 * @property {string} [hint] next to the title, in small type
 * @property {string} [about] a sentence that explains the values
 * @property {string} [empty] text shown while there is nothing to draw
 * @property {Line[]} lines
 * @property {(value: number | null) => string} [format]
 * @property {(value: number) => string} [time]
 * @property {() => import("../link/contract.js").Mark[]} [marks] horizontal lines
 * @property {() => number | null} [at] the shown time, for replays
 * @property {boolean} [whole] values are counts: no tick between them
 * @property {[number | null, number | null]} [range] that is always visible
 * @property {string} [sync] charts with the same key share their cursor
 * @property {number} [height]
 */

export class Chart {
  /** @param {ChartOptions} options */
  constructor(options) {
    this.options = options;
    /** @type {uPlot | null} */
    this.plot = null;
    /** @type {any[]} */
    this.data = [[]];
    this.drawnAt = -Infinity;
    this.timer = 0;
    this.readout = h("span", { class: "readout" });
    this.host = h("div", { class: "plot", role: "img", "aria-label": options.title });
    this.blank = h("p", { class: "blank", text: options.empty ?? "Nothing to show yet" });
    this.host.append(this.blank);
    this.node = h("figure", { class: "chart" },
      h("figcaption", { title: options.about }, h("span", { class: "name", text: options.title }), options.hint ? h("small", { text: options.hint }) : null, this.readout), this.host);
    if (options.height) this.host.style.height = `${options.height}px`;
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.host);
    this.offTheme = onTheme(() => this.rebuild());
  }

  /** @param {any[]} data times, then one column per line. The chart is redrawn at a limited rate. */
  set(data) {
    this.data = data;
    const wait = this.drawnAt + REDRAW_MS - performance.now();
    if (wait <= 0) this.draw();
    else this.timer ||= window.setTimeout(() => this.draw(), wait);
  }

  /** Sets the lines and their columns together. @param {Line[]} lines @param {any[]} data */
  setLines(lines, data) {
    this.options.lines = lines;
    this.data = data;
    this.rebuild();
  }

  /** @param {string} title */
  setTitle(title) {
    setText(this.node.querySelector(".name") ?? this.node, title);
    this.host.setAttribute("aria-label", title);
  }

  draw() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.drawnAt = performance.now();
    const some = this.data[0].length > 1 && this.data.slice(1).some((column) => column.some((/** @type {any} */ value) => value !== null && value !== undefined));
    show(this.blank, !some);
    if (this.data.length - 1 !== this.options.lines.length) return;
    if (!this.plot) this.build();
    else this.plot.setData(some ? this.data : [[], ...this.options.lines.map(() => [])]);
    this.tell(null);
  }

  build() {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (width < 40 || height < 30) return;
    this.plot = new uPlot(this.settings(width, height), this.data, this.host);
  }

  rebuild() {
    this.plot?.destroy();
    this.plot = null;
    this.draw();
  }

  resize() {
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    if (width < 40 || height < 30) return;
    if (!this.plot) this.draw();
    else if (this.plot.width !== width || this.plot.height !== height) this.plot.setSize({ width, height });
  }

  /** @param {number} width @param {number} height @returns {any} */
  settings(width, height) {
    const colours = palette();
    const { lines, time = clock, sync, whole, range = [null, null] } = this.options;
    const font = `11px ${colours.font}`;
    const axis = { stroke: colours.dim, font, grid: { stroke: colours.grid, width: 1 }, ticks: { show: false } };
    return {
      width, height, legend: { show: false }, padding: [(/** @type {any} */ plot) => (this.marksIn(plot).length > 0 ? MARKS_ROOM : 8), LABEL_HALF, 0, 0],
      cursor: { drag: { x: false, y: false }, points: { size: 6 }, ...(sync ? { sync: { key: sync } } : {}) },
      scales: { x: { time: false }, y: { range: (/** @type {any} */ _, /** @type {number} */ low, /** @type {number} */ high) => this.limits(low, high, range) } },
      axes: [
        { ...axis, size: 24, space: 60, values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((tick) => time(tick)), incrs: [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400] },
        { ...axis, size: 46, space: 22, incrs: STEPS.filter((step) => !whole || step >= 1), values: (/** @type {any} */ _, /** @type {number[]} */ ticks, /** @type {number} */ _axis, /** @type {number} */ _space, /** @type {number} */ step) => tickTexts(ticks, step) },
      ],
      series: [{}, ...lines.map((line) => ({ label: line.label, stroke: line.colour(), width: line.width ?? 1.5, dash: line.dash, alpha: line.alpha ?? 1, points: { show: false }, spanGaps: false }))],
      hooks: { draw: [(/** @type {uPlot} */ plot) => this.drawMarks(plot)], setCursor: [(/** @type {uPlot} */ plot) => this.tell(plot.cursor.idx ?? null)] },
    };
  }

  /** @param {number} low @param {number} high @param {[number | null, number | null]} range */
  limits(low, high, range) {
    if (!Number.isFinite(low) || !Number.isFinite(high)) return [range[0] ?? 0, range[1] ?? 1];
    const [from, to] = [Math.min(low, range[0] ?? low), Math.max(high, range[1] ?? high)];
    const room = (to - from || Math.abs(to) || 1) * 0.06;
    return [from === range[0] ? from : from - room, to + room];
  }

  /** Returns the marks within the visible range. @param {any} plot */
  marksIn(plot) {
    const { min, max } = plot.scales.y;
    return (this.options.marks?.() ?? []).filter(({ value }) => value >= min && value <= max);
  }

  /** @param {any} plot */
  drawMarks(plot) {
    const colours = palette();
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colours.warn;
    ctx.lineWidth = 1.5 * ratio;
    ctx.font = `${11 * ratio}px ${colours.font}`;
    ctx.textBaseline = "bottom";
    ctx.textAlign = "left";
    const shown = this.marksIn(plot);
    for (const { value } of shown) {
      const y = plot.valToPos(value, "y", true);
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    if (shown.length > 0) {
      const y = bbox.top - 6 * ratio;
      ctx.beginPath();
      ctx.moveTo(bbox.left, y - 5 * ratio);
      ctx.lineTo(bbox.left + 14 * ratio, y - 5 * ratio);
      ctx.stroke();
      ctx.fillText(shown.map(({ value, label }) => `${label} ${fixed(value, 2)}`).join(" · "), bbox.left + 19 * ratio, y, bbox.width);
    }
    const at = this.options.at?.() ?? null;
    if (at !== null) {
      const x = plot.valToPos(at, "x", true);
      ctx.strokeStyle = colours.text;
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      if (x >= bbox.left && x <= bbox.left + bbox.width) ctx.stroke();
    }
    ctx.restore();
  }

  /** Returns the last row with a value: in a replay, and for runs that ended earlier, the lines end before the axis. */
  newest() {
    const last = this.data[0].length - 1;
    for (let at = last; at >= 0; at--) if (this.data.slice(1).some((column) => (column[at] ?? null) !== null)) return at;
    return last;
  }

  /** Shows the values at the cursor, or else the newest values. @param {number | null} index */
  tell(index) {
    const { lines, format = (/** @type {number | null} */ v) => fixed(v, 2), time = clock } = this.options;
    const at = index ?? this.newest();
    const value = (/** @type {number} */ i) => this.data[i + 1]?.[at] ?? null;
    if (index === null && !lines.some((_, i) => value(i) !== null)) return setText(this.readout, "");
    const named = (/** @type {number} */ i) => `${lines.length > 1 ? `${lines[i].label} ` : ""}${format(value(i))}`;
    let told = lines.length <= 3 ? lines.map((_, i) => named(i)).join(" · ") : "";
    if (lines.length > 3) {
      // With many lines, the readout has the last line, which is the mean of the others, and the range of the others.
      const known = lines.slice(0, -1).map((_, i) => value(i)).filter((v) => v !== null);
      told = named(lines.length - 1) + (known.length > 0 ? ` (${format(Math.min(...known))} to ${format(Math.max(...known))})` : "");
    }
    setText(this.readout, index === null ? told : `${time(this.data[0][at])} · ${told}`);
  }

  end() {
    clearTimeout(this.timer);
    this.observer.disconnect();
    this.offTheme();
    this.plot?.destroy();
  }
}
