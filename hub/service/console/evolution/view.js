// @ts-check
// Evolution view: fitness of every island since the start of the run, statistics of its trees, migration, and the
// lineage of the best tree.

import { Chart } from "../shared/charts.js";
import { islandColour, islandDash, onTheme, palette } from "../shared/colours.js";
import { button, follow, h, setAttr, setText, show } from "../shared/dom.js";
import { fixed, num } from "../shared/format.js";
import { hold, smooth, together, upTo } from "../shared/series.js";
import { TERMS } from "../shared/terms.js";
import { EstimatesPanel } from "./estimates.js";
import { LineagePanel } from "./lineage.js";
import { MigrationPanel } from "./migration.js";

const ROWS = 500;
const SMOOTH_ROWS = 120;
const REFRESH_MS = 1500;
const REPLAY_MS = 1000;
const ASK_MS = 5000;
const MEASURES = /** @type {["derated" | "best" | "mean", string, string][]} */ ([
  ["derated", "Champions, derated", "fitness of each island's fittest tree, derated while it has few trials"],
  ["best", "Champions", "fitness of each island's fittest tree"],
  ["mean", "Whole islands", "mean fitness of all trees of an island"],
]);

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
export function create(env) {
  const view = new EvolutionView(env);
  return { node: view.node, enter: () => view.enter(), end: () => view.end(), changed: (topics, now) => view.changed(topics, now) };
}

class EvolutionView {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    const { store } = env;
    this.measure = MEASURES[0];
    /** @type {Set<string>} highlighted islands; empty: all */
    this.lit = new Set();
    this.ids = "";
    this.filledAt = -Infinity;
    this.askedAt = -Infinity;
    const at = () => (store.kind === "replay" ? num(store.status?.run_seconds) : null);
    const marks = () => store.world?.scale.marks ?? [];
    const whole = (/** @type {number | null} */ value) => fixed(value, 0);
    this.main = new Chart({ title: "Fitness of the islands", hint: this.measure[2], lines: [], range: [0, 0.1], marks, at, sync: "evolution", empty: "Islands appear here after their first generations" });
    this.unique = new Chart({ title: "Different trees", hint: "in an island: diversity", lines: [], range: [0, null], at, sync: "evolution", format: whole, whole: true });
    this.size = new Chart({ title: "Size of trees", hint: "nodes, mean of an island", lines: [], range: [0, null], at, sync: "evolution", format: whole, whole: true });
    this.charts = /** @type {[Chart, () => "derated" | "best" | "mean" | "unique" | "mean_size"][]} */ ([[this.main, () => this.measure[0]], [this.unique, () => "unique"], [this.size, () => "mean_size"]]);
    this.tabs = MEASURES.map((measure) => button(measure[1], () => this.setMeasure(measure), { class: "small", title: measure[2] }));
    this.raw = false;
    this.rawButton = button("Every generation", () => {
      this.raw = !this.raw;
      this.fill();
    }, { class: "small", title: "If off, lines are moving averages" });
    /** @type {Map<string, any>} */
    this.keys = new Map();
    this.key = h("ul", { class: "island-key", "aria-label": "Islands: click to highlight one" });
    this.best = h("p", { class: "best" });
    this.trouble = h("p", { class: "note", hidden: true });
    this.migration = new MigrationPanel(env);
    this.estimates = new EstimatesPanel(env);
    this.lineage = new LineagePanel(env);
    this.node = h("div", { class: "view evolution" },
      h("section", { class: "panel evolution-main" }, h("div", { class: "row" }, h("h2", { class: "hidden", text: "Evolution" }), ...this.tabs, this.rawButton, this.best), this.trouble, this.main.node, this.key),
      h("div", { class: "evolution-small" }, h("section", { class: "panel" }, this.unique.node), h("section", { class: "panel" }, this.size.node), this.migration.node),
      this.estimates.node,
      this.lineage.node);
    this.offTheme = onTheme(() => this.fillKey());
  }

  enter() {
    this.filledAt = -Infinity;
    this.lineage.enter();
  }

  /** @param {typeof MEASURES[number]} measure */
  setMeasure(measure) {
    this.measure = measure;
    setText(/** @type {Node} */ (this.main.node.querySelector("small")), measure[2]);
    this.fill();
  }

  /** @param {string} id */
  light(id) {
    if (!this.lit.delete(id)) this.lit.add(id);
    this.ids = "";
    this.fill();
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    const grew = topics.has("generation") && now - this.filledAt > REFRESH_MS;
    if (grew || topics.has("history") || topics.has("view") || topics.has("world")) {
      this.filledAt = now;
      this.fill();
    } else if (this.env.store.kind === "replay" && topics.has("status") && now - this.filledAt > REPLAY_MS) {
      this.filledAt = now;
      this.fill();
    }
    if (this.env.store.kind === "live" && now - this.askedAt > ASK_MS) {
      // The data that the page received at its start, or at the start of the run, may be old.
      this.env.app.live.refreshMigration();
      this.askedAt = now;
    }
    this.migration.changed(topics);
    this.estimates.changed(topics);
    this.lineage.changed(topics, now);
  }

  /** Time up to which data is shown; a replay knows the whole run, including the future. */
  moment() {
    const { store } = this.env;
    return store.kind === "replay" ? num(store.status?.run_seconds) ?? 0 : Infinity;
  }

  fill() {
    const { store, app } = this.env;
    const ids = store.ids().filter((id) => store.islands.has(id));
    const told = ids.join(" ") + [...this.lit].join(" ");
    const relined = told !== this.ids;
    this.ids = told;
    for (const [chart, column] of this.charts) {
      const { t, mean, lines } = together(store.islands, ids, column(), this.raw ? ROWS : SMOOTH_ROWS, this.raw ? hold : smooth);
      const data = ids.length > 0 ? [t, ...[...lines, mean].map((values) => upTo(t, values, this.moment()))] : [[]];
      if (relined) chart.setLines(this.lines(ids), data);
      else chart.set(data);
    }
    for (const [i, node] of this.tabs.entries()) setAttr(node, "aria-pressed", String(MEASURES[i] === this.measure));
    setAttr(this.rawButton, "aria-pressed", String(this.raw));
    setText(this.best, this.bestInWords(ids));
    setAttr(this.best, "title", TERMS.derated);
    const trouble = store.kind === "live" ? app.live.historyTrouble : "";
    show(this.trouble, trouble !== "");
    setText(this.trouble, trouble ? `Data from before this page was opened are missing: ${trouble}.` : "");
    this.fillKey();
  }

  /** @param {string[]} ids @returns {import("../shared/charts.js").Line[]} */
  lines(ids) {
    const { store } = this.env;
    const islands = ids.map((id) => {
      const index = store.indexOf(id);
      const lit = this.lit.has(id);
      return { label: id, colour: () => islandColour(index), dash: islandDash(index), width: lit ? 2.6 : 1.2, alpha: this.lit.size === 0 ? 0.8 : lit ? 1 : 0.18 };
    });
    return [...islands, { label: "mean", colour: () => palette().text, width: 3.2, alpha: this.lit.size === 0 ? 1 : 0.5 }];
  }

  fillKey() {
    const { store } = this.env;
    const ids = store.ids().filter((id) => store.islands.has(id));
    follow(this.key, ids, this.keys, (id) => id, (id) => {
      const dot = h("i", { class: "stroke" });
      const value = h("b");
      const node = h("button", { type: "button", class: "small", on: { click: () => this.light(id) } }, dot, h("span", { text: id }), value);
      return { node: h("li", {}, node), button: node, dot, value };
    }, (row, id) => {
      const index = store.indexOf(id);
      row.dot.style.borderTopColor = islandColour(index);
      row.dot.style.borderTopStyle = islandDash(index).length > 0 ? "dashed" : "solid";
      const value = this.valueOf(id);
      setText(row.value, value === null ? "" : fixed(value, 2));
      setAttr(row.button, "aria-pressed", String(this.lit.has(id)));
    });
  }

  /** @param {string} id @param {typeof MEASURES[number][0]} [column] */
  valueOf(id, column = this.measure[0]) {
    const island = this.env.store.islands.get(id);
    return island ? hold(island.t, island[column], [this.moment()])[0] : null;
  }

  /** Describes the fittest tree: of a whole recorded run, or of the current islands. @param {string[]} ids @returns {string} */
  bestInWords(ids) {
    const { best, kind } = this.env.store;
    if (kind === "replay") return best ? `Fittest of the whole run: gene ${best.gene} of ${best.robot}, derated ${fixed(best.fitness, 3)}` : "";
    const [id, value] = ids.map((id) => /** @type {const} */ ([id, this.valueOf(id, "derated")])).reduce((a, b) => ((b[1] ?? -Infinity) > (a[1] ?? -Infinity) ? b : a), ["", null]);
    if (value === null) return "";
    // The gene's name is requested at intervals; it is omitted if it belongs to an earlier best tree.
    const gene = best?.robot === id ? `gene ${best.gene} of ${id}` : `on ${id}`;
    return `Fittest now: ${gene}, derated ${fixed(value, 3)}`;
  }

  end() {
    for (const [chart] of this.charts) chart.end();
    this.offTheme();
    this.lineage.end();
  }
}
