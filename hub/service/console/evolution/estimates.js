// @ts-check
// World parameters as the robots simulate them, in experiments in which robots compare their simulation with their
// observations.

import { follow, h, setText, show } from "../shared/dom.js";
import { fixed, num } from "../shared/format.js";

/**
 * A robot's estimate of a world parameter, as sent by the hub.
 * @typedef {object} Estimate
 * @property {string} parameter
 * @property {number | null} simulated
 * @property {number | null} value
 * @property {number | null} sd
 * @property {number | null} evidence (nats)
 * @property {number | null} windows
 */

/** Evidence from which a robot's doubt is shown (nats): the simulated value has a likelihood of one in twenty. */
const DOUBTS = 3;

/**
 * Returns one row for each parameter.
 * @param {Map<string, Estimate[]>} told by robot
 * @returns {{parameter: string, simulated: string, doubts: string}[]}
 */
export function rows(told) {
  /** @type {Map<string, Estimate[]>} */
  const all = new Map();
  for (const estimates of told.values()) {
    for (const estimate of estimates) all.set(estimate.parameter, [...(all.get(estimate.parameter) ?? []), estimate]);
  }
  return [...all].map(([parameter, estimates]) => {
    const doubting = estimates.filter((estimate) => (num(estimate.evidence) ?? 0) >= DOUBTS);
    const range = (/** @type {(number | null)[]} */ values) => {
      const known = values.filter((value) => value !== null);
      const [low, high] = [Math.min(...known), Math.max(...known)].map((value) => fixed(value, 3));
      return known.length === 0 ? "–" : low === high ? low : `${low} to ${high}`;
    };
    const seems = range(doubting.map((estimate) => num(estimate.value)));
    return {
      parameter,
      simulated: range(estimates.map((estimate) => num(estimate.simulated))),
      doubts: doubting.length === 0 ? "" : `${doubting.length} of ${estimates.length} estimate ${seems}`,
    };
  });
}

export class EstimatesPanel {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    /** @type {Map<string, any>} */
    this.kept = new Map();
    this.body = h("tbody", {});
    const head = h("tr", {}, ...["Parameter", "Simulated as", "Robots with another estimate"].map((text) => h("th", { scope: "col", text })));
    this.node = h("section", { class: "panel", hidden: true },
      h("h2", {}, "The world, as simulated ", h("small", { text: "by the robots; they change a value when enough of them agree on another estimate" })),
      h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "The world, as simulated" }, h("table", {}, h("thead", {}, head), this.body)));
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    if (!topics.has("estimates") && !topics.has("history") && !topics.has("view")) return;
    const { estimates } = this.env.store;
    show(this.node, estimates.size > 0);
    follow(this.body, rows(estimates), this.kept, (row) => row.parameter, () => {
      const cells = [h("th", { scope: "row" }), h("td", {}), h("td", {})];
      return { node: h("tr", {}, ...cells), cells };
    }, (made, row) => {
      for (const [i, text] of [row.parameter, row.simulated, row.doubts].entries()) setText(made.cells[i], text);
    });
  }
}
