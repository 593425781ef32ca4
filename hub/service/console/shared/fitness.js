// @ts-check
// Fitness of the swarm: the numbers with their meaning, the segments, and the evolved fitness.

import { Bars } from "./bars.js";
import { Chart } from "./charts.js";
import { palette } from "./colours.js";
import { h, setText, show } from "./dom.js";
import { fixed, valueNote } from "./format.js";
import { grid, smooth, upTo } from "./series.js";
import { TERMS } from "./terms.js";
import { evolutionIsOff, fitnessNow, isGoing, meanFitness, valueNow } from "./words.js";

/** @typedef {import("../link/store.js").Store} Store */

const ROWS = 120;

/** @param {Store} store */
const marksOf = (store) => (store.world?.scale.marks ?? []).filter((mark) => Number.isFinite(mark.value)).slice(0, 4);

/** Describes the scale of the fitness. @param {Store} store */
function scaleInWords(store) {
  const { scale } = store.world ?? { scale: { one: "", marks: [] } };
  // The description of a mission's value states both ends of its scale.
  if (!scale.one || !/^1\s*[:=]/.test(scale.one)) return scale.one;
  const marks = marksOf(store).map((mark) => ` ${capital(mark.label)}: ${fixed(mark.value, 2)}.`).join("");
  const one = scale.one.replace(/^1\s*[:=]\s*/, "").replace(/\.$/, "");
  return `0: no progress. 1: ${one}.${marks}`;
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export class FitnessPanel {
  /** @param {Store} store @param {{chart?: boolean}} [options] */
  constructor(store, { chart = true } = {}) {
    this.store = store;
    this.now = h("dd");
    this.mean = h("dd");
    this.evolved = h("dd");
    this.scale = h("p", { class: "scale" });
    this.bars = new Bars({ title: "Real fitness by segment", about: TERMS.real, empty: "A bar appears for each scored segment" });
    this.chart = chart ? new Chart({
      title: "Evolved fitness", hint: "derated, mean of the robots' champions", about: TERMS.evolved, empty: "Begins with the first generations",
      lines: [{ label: "mean", colour: () => palette().accent, width: 2.5 }], range: [0, 0.1], marks: () => marksOf(store),
      at: () => (store.kind === "replay" ? store.status?.run_seconds ?? null : null),
    }) : null;
    this.node = h("section", { class: "panel fitness", "aria-labelledby": "fitness-title" },
      h("h2", { id: "fitness-title", text: "Fitness" }),
      h("dl", { class: "figures" }, figure("this segment", TERMS.real, this.now), figure("mean of segments", TERMS.mean, this.mean), figure("evolved, derated", `${TERMS.evolved}. ${TERMS.derated}`, this.evolved)),
      this.scale, h("div", { class: "pair" }, this.bars.node, this.chart?.node ?? null));
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    const { store } = this;
    const { status } = store;
    if (topics.has("status") || topics.has("view") || topics.has("world")) {
      setText(this.now, fixed(fitnessNow(status), 2) + valueNote(valueNow(status)));
      setText(this.mean, fixed(meanFitness(status), 2));
      const off = evolutionIsOff(status);
      setText(this.evolved, off ? "off" : fixed(status?.evolved, 2));
      if (this.chart) show(this.chart.node, !off);
      setText(this.scale, scaleInWords(store));
      this.bars.set(segmentGroups(status), marksOf(store));
    }
    const grew = topics.has("status") && store.evolved.t.length > 1;
    if (this.chart && (grew || topics.has("history") || topics.has("view"))) {
      const times = grid(0, Math.max(1, store.evolved.t.at(-1) ?? 0), ROWS);
      const values = smooth(store.evolved.t, store.evolved.v, times);
      // A replay knows the whole run, but shows only the values up to its current time.
      const shown = store.kind === "replay" ? upTo(times, values, store.status?.run_seconds ?? 0) : values;
      this.chart.set(store.evolved.t.length > 1 ? [times, shown] : [[]]);
    }
  }

  end() {
    this.bars.end();
    this.chart?.end();
  }
}

/** @param {string} name @param {string} title @param {HTMLElement} value */
const figure = (name, title, value) => h("div", { title }, h("dt", { text: name }), value);

/** @param {import("../link/contract.js").Status | null} status @returns {import("./bars.js").Group[]} */
export function segmentGroups(status) {
  const colours = palette();
  return (status?.segments ?? []).map((segment) => ({
    label: String(segment.number),
    bars: [{
      value: Number.isFinite(segment.fitness) ? segment.fitness : null,
      colour: segment.number === 0 ? colours.faint : (segment.fitness ?? 0) < 0 ? colours.bad : colours.accent,
      open: isGoing(status) && segment.number === status?.segment,
      note: valueNote(segment.value),
    }],
  }));
}
