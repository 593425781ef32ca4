// @ts-check
// Comparison of two or more runs: evolved fitness over time, segments as bars and as a table, and differences of
// their experiments.

import { get, inWords, part } from "../link/api.js";
import { Bars } from "../shared/bars.js";
import { Chart } from "../shared/charts.js";
import { islandColour, islandDash, onTheme } from "../shared/colours.js";
import { h, list, setText, show } from "../shared/dom.js";
import { clock, dateTime, fixed } from "../shared/format.js";
import { grid, smooth, upTo } from "../shared/series.js";
import { TERMS } from "../shared/terms.js";
import { differences } from "./differences.js";
import { endOf, meanOfRun, segmentsOf } from "./outcome.js";

const MOST = 8;
const ROWS = 200;

/** @typedef {import("../link/contract.js").Run} Run */

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
export function create(env) {
  const view = new Compare(env);
  return { node: view.node, enter: (route) => view.open(route.ids), end: () => view.end() };
}

class Compare {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.key = "";
    /** @type {Run[]} */
    this.runs = [];
    this.trouble = h("p", { class: "dim", role: "status" });
    this.names = h("ul", { class: "compared" });
    const marks = () => this.runs[0]?.world?.scale?.marks ?? [];
    this.chart = new Chart({ title: "Evolved fitness", hint: "derated, mean of the robots' champions", about: TERMS.evolved, lines: [], range: [0, 0.1], marks, height: 320 });
    this.bars = new Bars({ title: "Real fitness by segment", about: TERMS.real, empty: "No segment was scored" });
    this.bars.host.style.height = "320px";
    this.segments = h("table");
    this.settings = h("table");
    this.same = h("p", { class: "dim" });
    this.node = h("div", { class: "view" },
      h("section", { class: "panel" }, h("p", {}, h("a", { href: env.link("runs"), text: "All runs" })), h("h2", { text: "Runs compared" }), this.trouble, this.names),
      h("div", { class: "run-charts" }, h("section", { class: "panel" }, this.chart.node), h("section", { class: "panel" }, this.bars.node)),
      h("section", { class: "panel" }, h("h2", { text: "Segments" }), h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Segments" }, this.segments)),
      h("section", { class: "panel" }, h("h2", { text: "Differences of their experiments" }), this.same, h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Settings" }, this.settings)));
    this.offTheme = onTheme(() => this.draw());
  }

  /** @param {string[]} ids */
  async open(ids) {
    const key = ids.join(",");
    if (key === this.key) return this.draw();
    this.key = key;
    this.runs = [];
    setText(this.trouble, ids.length < 2 ? "Tick two or more runs in the list to compare them." : "");
    // One line per run from the beginning, so that the content below does not move when the runs are loaded.
    this.names.replaceChildren(...ids.slice(0, MOST).map((id) => h("li", {}, id, h("small", { text: " reading its record" }))));
    const told = await Promise.allSettled(ids.slice(0, MOST).map((id) => get(`/api/runs/${part(id)}`)));
    if (key !== this.key) return;
    this.names.replaceChildren();
    this.runs = told.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const failed = told.flatMap((result, i) => (result.status === "rejected" ? [`${ids[i]}: ${inWords(result.reason)}`] : []));
    setText(this.trouble, failed.length > 0 ? `Left out: ${failed.join("; ")}` : ids.length > MOST ? `The first ${MOST} of ${ids.length}` : "");
    this.draw();
  }

  draw() {
    const { runs } = this;
    if (runs.length === 0) return;
    const names = runs.map((run) => run.row.short || run.row.id);
    this.names.replaceChildren(...runs.map((run, i) => {
      const stroke = h("i", { class: "stroke" });
      stroke.style.borderTopColor = islandColour(i);
      return h("li", {}, stroke, h("a", { href: `#/runs/${encodeURIComponent(run.row.id)}`, text: names[i] }), h("small", { text: ` began ${dateTime(run.row.began_unix_ms)}, ${clock(run.row.length_s)} of arena time, ${endOf(run)}, ${meanInWords(run)}` }));
    }));
    const times = grid(0, Math.max(1, ...runs.map((run) => list(run.history?.evolved?.t).at(-1) ?? 0)), ROWS);
    const columns = runs.map((run) => {
      const t = list(run.history?.evolved?.t);
      // A curve ends where its run ends.
      return upTo(times, smooth(t, list(run.history?.evolved?.v), times), t.at(-1) ?? 0);
    });
    this.chart.setLines(names.map((label, i) => ({ label, colour: () => islandColour(i), dash: islandDash(i), width: 2.2 })), [times, ...columns]);
    this.drawSegments(names);
    this.drawSettings(names);
  }

  /** @param {string[]} names */
  drawSegments(names) {
    const segments = this.runs.map(segmentsOf);
    const numbers = [...new Set(segments.flatMap((all) => all.map((segment) => Number(segment.number))))].sort((a, b) => a - b).slice(0, 200);
    const fitness = (/** @type {number} */ run, /** @type {number} */ number) => segments[run].find((segment) => segment.number === number)?.fitness ?? null;
    this.bars.set(numbers.map((number) => ({ label: String(number), bars: names.map((name, i) => ({ value: fitness(i, number), colour: islandColour(i), name })) })), this.runs[0].world?.scale?.marks ?? []);
    this.segments.replaceChildren(h("thead", {}, h("tr", {}, h("th", { scope: "col", text: "Segment" }), ...names.map((text) => h("th", { scope: "col", class: "n", text })))),
      h("tbody", {}, ...numbers.map((number) => {
        const values = names.map((_, i) => fitness(i, number));
        const best = Math.max(...values.map((value) => value ?? -Infinity));
        const alone = values.filter((value) => value === best).length === 1;
        return h("tr", {}, h("th", { scope: "row", text: String(number) }), ...values.map((value) => h("td", { class: value === best && alone ? "n best-value" : "n", text: fixed(value, 3) })));
      }), h("tr", { class: "total" }, h("th", { scope: "row", title: TERMS.mean, text: "mean" }), ...this.runs.map(meanOfRun).map(({ value, why }) => h("td", { class: "n", title: why, text: fixed(value, 3) })))));
  }

  /** @param {string[]} names */
  drawSettings(names) {
    const rows = [{ key: "seed", values: this.runs.map((run) => String(run.row.seed ?? "–")) }, { key: "version", values: this.runs.map((run) => run.row.version) }, { key: "robots", values: this.runs.map((run) => fixed(run.row.robots, 0)) }]
      .filter(({ values }) => new Set(values).size > 1);
    const settings = [...rows, ...differences(this.runs.map((run) => run.experiment_text ?? ""))];
    setText(this.same, settings.length === 0 ? "None: the same experiment, seed and version." : "");
    show(this.settings, settings.length > 0);
    this.settings.replaceChildren(h("thead", {}, h("tr", {}, h("th", { scope: "col", text: "Setting" }), ...names.map((text) => h("th", { scope: "col", text })))),
      h("tbody", {}, ...settings.slice(0, 200).map(({ key, values }) => h("tr", {}, h("th", { scope: "row", class: "mono", text: key }), ...values.map((value) => h("td", { class: value === null ? "dim" : "mono", text: value ?? "not set" }))))));
  }

  end() {
    this.chart.end();
    this.bars.end();
    this.offTheme();
  }
}

/** @param {Run} run */
function meanInWords(run) {
  const { value, why } = meanOfRun(run);
  return why ? `no mean real fitness: ${why}` : `mean real fitness ${fixed(value, 3)}`;
}
