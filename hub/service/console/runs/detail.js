// @ts-check
// View of one recorded run: results, events, experiment, and files.

import { get, inWords, part } from "../link/api.js";
import { Bars } from "../shared/bars.js";
import { Chart } from "../shared/charts.js";
import { palette } from "../shared/colours.js";
import { h, list, setText } from "../shared/dom.js";
import { segmentGroups } from "../shared/fitness.js";
import { grid, smooth } from "../shared/series.js";
import { TERMS } from "../shared/terms.js";
import { bytes, clock, dateTime, fixed } from "../shared/format.js";
import { Command } from "./command.js";
import { endOf, meanOfRun, segmentsOf } from "./outcome.js";
import { lossesInWords } from "../shared/words.js";

const EXPORTS = /** @type {[string, string][]} */ ([
  ["run.mcap", "the whole record, for Foxglove and Python"], ["run.toml", "configuration in effect"], ["result.json", "final status"],
  ["poses.csv", "poses of robots and bodies"], ["telemetry.csv", "telemetry of robots"], ["segments.csv", "segments and their fitness"], ["events.csv", "events"],
]);
const MOST_EVENTS = 500;
const ROWS = 200;

export class RunDetail {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.id = "";
    /** @type {import("../link/contract.js").Run | null} */
    this.run = null;
    this.title = h("h2");
    this.facts = h("p", { class: "dim" });
    this.trouble = h("p", { class: "dim" });
    this.replay = h("a", { class: "button primary", text: "▶ Replay" });
    this.export = h("ul", { class: "exports" });
    this.scenes = new Command("with robots and frisbee in 3D, for Foxglove and Lichtblick; on the hub, in a terminal:");
    this.notes = h("ul", { class: "plain-list" });
    this.damage = h("ul", { class: "troubles" });
    const marks = () => this.run?.world?.scale?.marks ?? [];
    this.chart = new Chart({ title: "Evolved fitness", hint: "derated, mean of the robots' champions", about: TERMS.evolved, lines: [{ label: "mean", colour: () => palette().accent, width: 2.5 }], range: [0, 0.1], marks, height: 230 });
    this.bars = new Bars({ title: "Real fitness by segment", about: TERMS.real, empty: "No segment was scored" });
    this.bars.host.style.height = "230px";
    this.events = h("ol", { class: "lines", tabindex: "0", "aria-label": "Events" });
    this.text = h("textarea", { readonly: true, rows: "16", spellcheck: "false", wrap: "off", "aria-label": "The experiment's text" });
    this.node = h("div", { class: "view" },
      h("section", { class: "panel" }, h("p", {}, h("a", { href: env.link("runs"), text: "All runs" })), h("div", { class: "row headline" }, this.title, this.replay), this.facts, this.trouble, this.damage),
      h("div", { class: "run-charts" }, h("section", { class: "panel" }, this.bars.node), h("section", { class: "panel" }, this.chart.node)),
      h("div", { class: "run-parts" },
        h("section", { class: "panel" }, h("h2", {}, "Events ", h("small", { text: "arena time since the record began" })), this.events),
        h("section", { class: "panel" }, h("h2", {}, "Notes ", h("small", { text: "arena time" })), this.notes, h("h2", { class: "later", text: "Files" }), this.export, this.scenes.node),
        h("section", { class: "panel" }, h("h2", { text: "The experiment" }), this.text)));
  }

  /** @param {string} id */
  async open(id) {
    if (id === this.id && this.run) return this.redraw();
    this.id = id;
    this.run = null;
    setText(this.title, id);
    setText(this.trouble, "Reading the record");
    setText(this.facts, "");
    this.events.replaceChildren();
    this.notes.replaceChildren();
    this.damage.replaceChildren();
    this.replay.href = `#/replay/${encodeURIComponent(id)}`;
    this.export.replaceChildren(...EXPORTS.map(([name, about]) => h("li", {}, h("a", { href: `/api/runs/${part(id)}/export/${name}`, download: name, text: name }), h("small", { text: ` ${about}` }))));
    this.scenes.set(["xpuck", "runs", "export", id, "--foxglove", `${id.split("/").at(-1)}.mcap`]);
    try {
      const run = await get(`/api/runs/${part(id)}`);
      if (id !== this.id) return;
      this.run = run;
      setText(this.trouble, "");
      this.fill(run);
    } catch (error) {
      if (id === this.id) setText(this.trouble, `The run cannot be shown: ${inWords(error)}`);
    }
  }

  /** @param {import("../link/contract.js").Run} run */
  fill(run) {
    const { row } = run;
    setText(this.title, row.short || row.id);
    const mean = meanOfRun(run);
    const quality = row.quality ? `, flags ${row.quality}` : "";
    setText(this.facts, [row.name, `began ${dateTime(row.began_unix_ms)}`, `${clock(row.length_s)} of arena time`, endOf(run) + quality, `${fixed(row.robots, 0)} robots`, lossesInWords(row.dead), `seed ${row.seed ?? "–"}`,
      mean.why ? `no mean fitness: ${mean.why}` : `mean fitness ${fixed(mean.value, 3)}`, bytes(row.bytes), `version ${row.version}`, run.history?.run?.started_by ? `started by ${run.history.run.started_by}` : ""].filter(Boolean).join(" · "));
    // The record of a run in progress has no end yet; this is not damage.
    const damage = (row.state === "running" ? [] : list(run.damage).map(String)).concat(list(run.gaps).map(([from, to]) => `not recorded: from ${clock(from - run.begin_t)} to ${clock(to - run.begin_t)}`));
    this.damage.replaceChildren(...damage.slice(0, 20).map((text) => h("li", { class: "warn", text })));
    this.events.replaceChildren(...list(run.events).slice(0, MOST_EVENTS).map(({ t, who, text }) => h("li", {},
      h("a", { href: `#/replay/${encodeURIComponent(row.id)}/watch?t=${Math.max(run.begin_t, t - 3)}`, title: "Replay from here", text: clock(t - run.begin_t) }), h("span", { text: who && !text.includes(who) ? `${text} (${who})` : text }))));
    const notes = list(run.notes).map(({ t, who, text }) => `${clock(t - run.begin_t)} ${who ? `${who}: ` : ""}${text}`);
    this.notes.replaceChildren(...(notes.length > 0 ? notes.map((text) => h("li", { text })) : [h("li", { class: "dim", text: "No notes." })]));
    this.text.value = run.experiment_text ?? "";
    this.redraw();
  }

  redraw() {
    const { run } = this;
    if (!run) return;
    const { evolved } = run.history ?? {};
    const times = grid(0, Math.max(1, list(evolved?.t).at(-1) ?? 0), ROWS);
    this.chart.set([times, smooth(list(evolved?.t), list(evolved?.v), times)]);
    const segments = segmentsOf(run);
    this.bars.set(segmentGroups(/** @type {any} */ ({ segments, phase: "finished", segment: null })), run.world?.scale?.marks ?? []);
  }

  end() {
    this.chart.end();
    this.bars.end();
  }
}
