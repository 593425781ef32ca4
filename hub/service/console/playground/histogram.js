// @ts-check
// Histogram of fitness as SVG, with the mean and its standard error.

import { h, s } from "../shared/dom.js";
import { fixed, tickTexts } from "../shared/format.js";

const [WIDTH, HEIGHT, BOTTOM, TOP] = [360, 130, 20, 8];
const BINS = 24;

/** Returns the counts of values in equal bins. @param {number[]} values @param {number} low @param {number} high @param {number} bins */
export function binned(values, low, high, bins) {
  const counts = Array(bins).fill(0);
  for (const value of values) counts[Math.min(bins - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * bins)))]++;
  return counts;
}

export class Histogram {
  constructor() {
    this.svg = s("svg", { class: "histogram", role: "img", "aria-label": "Histogram of fitness, empty", viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
    this.node = h("figure", { class: "chart" }, this.svg);
  }

  /** @param {number[]} values @param {{mean: number, se: number} | null} mean */
  set(values, mean) {
    if (values.length === 0) return this.svg.replaceChildren();
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const room = Math.max(0.02, most - least) * 0.05;
    const [low, high] = [least - room, most + room];
    const counts = binned(values, low, high, BINS);
    const x = (/** @type {number} */ value) => ((value - low) / (high - low)) * WIDTH;
    const unit = (HEIGHT - BOTTOM - TOP) / Math.max(...counts);
    const bars = counts.map((count, i) => s("rect", { x: (i * WIDTH) / BINS + 1, width: WIDTH / BINS - 2, y: HEIGHT - BOTTOM - count * unit, height: count * unit },
      s("title", { text: `${count} runs from ${fixed(low + (i * (high - low)) / BINS, 3)}` })));
    const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1].find((size) => (high - low) / size <= 6) ?? 2;
    /** @type {number[]} */
    const ticks = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
    const texts = tickTexts(ticks, step).map((text, i) => s("text", { class: "tick", x: x(ticks[i]), y: HEIGHT - 5, "text-anchor": "middle", text }));
    const line = mean ? [s("rect", { class: "error", x: x(mean.mean - mean.se), width: Math.max(1, x(mean.mean + mean.se) - x(mean.mean - mean.se)), y: TOP, height: HEIGHT - BOTTOM - TOP }),
      s("line", { class: "mean", x1: x(mean.mean), x2: x(mean.mean), y1: TOP, y2: HEIGHT - BOTTOM })] : [];
    this.svg.replaceChildren(...bars, ...line, ...texts);
    this.svg.setAttribute("aria-label", `Histogram of the fitness of ${values.length} runs, from ${fixed(least, 3)} to ${fixed(most, 3)}`);
  }
}
