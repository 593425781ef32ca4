// @ts-check
// View of one robot: current state, the last ten minutes as charts, log, and camera picture.

import { inWords } from "../link/api.js";
import { Chart } from "../shared/charts.js";
import { islandColour, palette } from "../shared/colours.js";
import { h, setAttr, setText, show } from "../shared/dom.js";
import { clock, fixed, span, thousands, timeOfDay } from "../shared/format.js";
import { actionBar } from "./actions.js";
import { Pictures } from "../shared/pictures.js";
import { LONG, sensed } from "./sensors.js";
import { tagsInWords } from "./tags.js";
import { minutesLeft, stateOf, troublesOf } from "./state.js";

const ASK_MS = 10000;
const CHARTS = /** @type {[string, string, string, (value: number | null) => string][]} */ ([
  ["battery_v", "Battery", "V", (value) => fixed(value, 2)],
  ["battery_w", "Power", "W", (value) => fixed(value, 2)],
  ["soc_c", "Heat", "°C", (value) => fixed(value, 0)],
  ["round_trip_ms", "Round trip", "ms", (value) => fixed(value, 1)],
  ["late_p99_ms", "Late updates", "ms, 99 of 100", (value) => fixed(value, 1)],
  ["best", "Best fitness", "estimated by its evolution, not derated", (value) => fixed(value, 2)],
  ["generation", "Generations", "", (value) => fixed(value, 0)],
  ["r_acc", "Simulation", "robot-seconds per second", thousands],
  ["neighbours", "Neighbours", "", (value) => fixed(value, 0)],
  ["device_errors", "Device errors", "so far; a few are normal", (value) => fixed(value, 0)],
]);
// Values that some bodies do not measure.
const SENSED = ["battery_v", "battery_w", "soc_c"];
const COUNTS = ["generation", "neighbours", "device_errors"];

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
export function create(env) {
  const view = new Detail(env);
  return { node: view.node, enter: (route) => view.enter(route.id), leave: () => view.leave(), end: () => view.end(), changed: (topics) => view.changed(topics) };
}

class Detail {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.id = "";
    this.timer = 0;
    this.turn = 0;
    this.dot = h("i", { class: "island" });
    this.name = h("h2");
    this.chip = h("span", { class: "chip" });
    this.about = h("p", { class: "dim" });
    this.troubles = h("ul", { class: "troubles" });
    this.actions = actionBar(env);
    this.figures = h("dl", { class: "figures wrap" });
    /** @type {Map<string, HTMLElement>} */
    this.values = new Map();
    this.picture = new Pictures({ title: "Its camera", alt: "Latest picture of its camera" });
    this.tags = h("p", { class: "dim tags", hidden: true });
    this.picture.node.append(this.tags);
    this.log = h("ol", { class: "lines", tabindex: "0", "aria-label": "Log" });
    this.logTrouble = h("p", { class: "dim" });
    this.charts = CHARTS.map(([key, title, hint, format]) => ({
      key,
      chart: new Chart({ title, hint, format, whole: COUNTS.includes(key), height: 104, sync: "robot", lines: [{ label: title, colour: () => (key === "best" ? islandColour(env.store.indexOf(this.id)) : palette().accent) }], time: (t) => (env.store.kind === "live" ? this.ago(t) : clock(t)), empty: "Not measured" }),
    }));
    this.newest = 0;
    this.trouble = h("p", { class: "dim" });
    this.node = h("div", { class: "view detail" },
      h("section", { class: "panel" }, h("p", {}, h("a", { href: env.link("robots"), text: "All robots" })), h("div", { class: "row headline" }, this.dot, this.name, this.chip, this.about), this.troubles, this.actions.node, this.figures),
      h("div", { class: "detail-grid" },
        h("section", { class: "panel charts-panel" }, h("h2", {}, env.store.kind === "live" ? "The last ten minutes " : "The last ten minutes of the run ", h("small", { text: "arena time" })), this.trouble, h("div", { class: "charts" }, ...this.charts.map(({ chart }) => chart.node))),
        h("div", { class: "stack" }, this.picture.node, h("section", { class: "panel" }, h("h2", {}, "Its log ", h("small", { text: "newest first, wall time" })), this.logTrouble, this.log))));
  }

  /** @param {number} t */
  ago(t) {
    const seconds = Math.round(-t);
    return seconds <= 0 ? "now" : seconds < 60 ? `−${seconds} s` : `−${(seconds / 60).toFixed(seconds % 60 ? 1 : 0)} min`;
  }

  /** @param {string} id */
  enter(id) {
    this.leave();
    this.id = id || this.env.store.selected;
    setText(this.name, this.id || "No robot");
    this.actions.forOne();
    this.picture.begin(this.env.source.pictureUrl(this.id));
    this.load();
    this.timer = window.setInterval(() => this.load(), ASK_MS);
  }

  leave() {
    clearInterval(this.timer);
    this.turn++;
    this.picture.stop();
  }

  async load() {
    const turn = ++this.turn;
    if (!this.id || document.hidden) return;
    const { source } = this.env;
    const [told, log] = await Promise.allSettled([source.robotHistory(this.id), source.robotLog(this.id)]);
    if (turn !== this.turn) return;
    setText(this.trouble, told.status === "rejected" ? `No history: ${inWords(told.reason)}` : "");
    if (told.status === "fulfilled") {
      this.newest = told.value.t?.at(-1) ?? 0;
      // In the live view, time counts back from now, so that the axis has round minutes.
      const t = this.env.store.kind === "live" ? (told.value.t ?? []).map((at) => at - this.newest) : told.value.t ?? [];
      for (const { key, chart } of this.charts) {
        const values = told.value[key] ?? [];
        chart.set([t, values]);
        if (values.some((/** @type {any} */ value) => value !== null)) show(chart.node, true);
      }
    }
    const lines = log.status === "fulfilled" ? [...(log.value ?? [])].slice(-200).reverse() : [];
    setText(this.logTrouble, log.status === "rejected" ? `No log: ${inWords(log.reason)}` : lines.length === 0 ? "No log lines." : "");
    this.log.replaceChildren(...lines.map((line) => {
      const level = { warn: "warn", error: "bad" }[String(line.level).toLowerCase()] ?? "";
      return h("li", {}, h("time", { text: timeOfDay(line.unix_ms) }), h("span", { class: level, text: String(line.text) }));
    }));
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    this.actions.changed(topics);
    if (topics.has("tags") || topics.has("selected")) {
      const told = tagsInWords(this.env.store.tags);
      setText(this.tags, told);
      show(this.tags, told !== "");
    }
    if (!topics.has("status") && !topics.has("view")) return;
    const { store } = this.env;
    const robot = store.robots.get(this.id);
    this.dot.style.background = islandColour(store.indexOf(this.id));
    if (!robot) {
      setText(this.chip, "unknown");
      setText(this.about, "No robot has this id.");
      return;
    }
    // A chart stays hidden if the body has no sensor for its values; a chart once shown keeps its place.
    if (topics.has("view")) for (const { key, chart } of this.charts) show(chart.node, !SENSED.includes(key) || robot[/** @type {"soc_c"} */ (key)] !== null);
    const state = stateOf(robot);
    setText(this.chip, state.text);
    setAttr(this.chip, "data-state", state.kind);
    setText(this.about, robot.version ? `xpuckd ${robot.version} · heard ${robot.heard_s === null ? "never" : robot.heard_s < 1 ? "now" : `${span(robot.heard_s)} ago`}` : "never heard since the hub started");
    const troubles = troublesOf(robot);
    const told = troubles.map((trouble) => trouble.text).join("\n");
    if (this.troubles.dataset.told !== told) {
      this.troubles.dataset.told = told;
      this.troubles.replaceChildren(...troubles.map((trouble) => h("li", { class: trouble.bad ? "bad" : "warn", text: trouble.text })));
    }
    this.fillFigures(robot);
  }

  /** @param {import("../link/contract.js").Robot} robot */
  fillFigures(robot) {
    const evolution = robot.evolution;
    const values = {
      "battery": `${fixed(robot.battery_v, 2, " V")}${minutesLeft(robot) ? `, ${minutesLeft(robot)} left` : ""}`,
      "power": fixed(robot.battery_w, 2, " W"),
      "processor": fixed(robot.soc_c, 0, " °C"),
      "round trip": fixed(robot.round_trip_ms, 1, " ms"),
      "jitter": fixed(robot.jitter_ms, 1, " ms"),
      "late": fixed(robot.late_p99_ms, 1, " ms"),
      "generation": fixed(evolution?.generation, 0),
      "best fitness": `${fixed(evolution?.best, 3)}${evolution?.evaluations ? ` (${evolution.evaluations} trials)` : ""}`,
      "engine": robot.engine?.name ? `${robot.engine.name}${robot.engine.adapter ? `, ${robot.engine.adapter}` : ""}` : "–",
      "robot-seconds per second": thousands(robot.engine?.r_acc),
      "device errors": `${fixed(robot.device_errors, 0)}${robot.device_errors && !robot.device_trouble ? ", normal" : ""}`,
      "segment": fixed(robot.segment, 0),
      ...sensed(robot.sensors),
    };
    for (const [name, value] of Object.entries(values)) {
      let node = this.values.get(name);
      if (!node) {
        this.values.set(name, (node = h("dd")));
        // Long values get a separate line, so that nothing moves when they appear.
        this.figures.append(h("div", { class: LONG.includes(name) ? "wide" : "" }, h("dt", { text: name }), node));
      }
      setText(node, value);
    }
    show(this.figures, true);
  }

  end() {
    this.leave();
    for (const { chart } of this.charts) chart.end();
    this.picture.end();
  }
}
