// @ts-check
// Run in progress: elapsed time, acknowledgements, and fitness of the segments.

import { button, follow, h, setAttr, setText, show } from "../shared/dom.js";
import { FitnessPanel } from "../shared/fitness.js";
import { clock, fixed, num, span } from "../shared/format.js";
import { latestRun } from "../runs/latest.js";
import { acknowledged, isGoing, nowInWords, phaseOf } from "../shared/words.js";

export class Progress {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.title = h("h2");
    this.text = h("p");
    this.run = bar("The whole run");
    this.part = bar("This phase");
    this.next = button("Next phase", () => env.app.commands.send({ command: "next" }, "Next phase"), { class: "small" });
    this.record = h("a", { class: "button primary", hidden: true });
    this.replay = h("a", { class: "button", hidden: true, text: "Replay it" });
    this.acks = h("p", { class: "lead", role: "status" });
    this.list = h("ul", { class: "acks" });
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.fitness = new FitnessPanel(env.store, { chart: false });
    this.offered = "";
    const going = h("section", { class: "panel" }, this.title, this.text, this.run.node, this.part.node, h("div", { class: "row" }, this.next, this.record, this.replay));
    this.obey = h("section", { class: "panel" }, h("h2", { text: "Acknowledgements" }), this.acks, this.list);
    this.node = h("div", { class: "progress-grid" }, going, this.obey, this.fitness.node);
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    this.fitness.changed(topics);
    if (!["status", "view", "session"].some((topic) => topics.has(topic))) return;
    const { store, app } = this.env;
    const { status } = store;
    const going = isGoing(status);
    const over = status?.phase === "finished";
    show(this.node, going || over);
    if (!status || !(going || over)) return;
    const told = nowInWords(store);
    const phaseNow = phaseOf(store);
    setText(this.title, `${status.experiment || "The run"}: ${phaseNow.charAt(0).toLowerCase()}${phaseNow.slice(1)}`);
    setText(this.text, `${told.title}${/[.!]$/.test(told.title) ? "" : "."} ${told.text}`);
    this.run.set(status.run_seconds, status.run_length, `${clock(status.run_seconds)} of ${clock(status.run_length)} of arena time`);
    const phase = status.phase_of;
    show(this.part.node, phase !== null && phase.count > 1 && going);
    if (phase) this.part.set(phase.seconds, phase.length, `${phase.name}, phase ${phase.number + 1} of ${phase.count}: ${clock(phase.seconds)} of ${clock(phase.length)}`);
    show(this.next, going && phase !== null && phase.number + 1 < phase.count);
    setAttr(this.next, "disabled", app.session.whyNot() !== "");
    setAttr(this.next, "title", app.session.whyNot() || null);
    this.fillAcks(status);
    if (over && this.offered !== status.record) this.offer(status.record);
    if (!over) {
      this.offered = "";
      show(this.record, false);
      show(this.replay, false);
    }
  }

  /** @param {string} record */
  async offer(record) {
    this.offered = record;
    const run = await latestRun();
    if (!run || this.offered !== record) return;
    setText(this.record, `The record: ${run.short}`);
    this.record.href = this.env.link("runs", run.id);
    this.replay.href = `#/replay/${encodeURIComponent(run.id)}`;
    show(this.record, true);
    show(this.replay, true);
  }

  /** @param {import("../link/contract.js").Status} status */
  fillAcks(status) {
    const acks = acknowledged(status);
    const slowest = acks.slowest === null ? "" : `, the slowest after ${fixed(acks.slowest, 0)} ms`;
    setText(this.acks, acks.state ? `${acks.state}, given ${span(acks.age)} ago: ${acks.obeying} of ${acks.of} robots obey${slowest}.` : "No directive has been given.");
    follow(this.list, status.robots, this.rows, (robot) => robot.id, () => {
      const [id, time, why] = [h("b"), h("span"), h("span", { class: "bad" })];
      return { node: h("li", {}, id, time, why), id, time, why };
    }, (row, robot) => {
      setText(row.id, robot.id);
      const state = robot.refusal ? "refuses" : !robot.alive ? "silent" : robot.obeys ? "obeys" : "waiting";
      setAttr(row.node, "data-state", state);
      setText(row.time, state === "obeys" ? (num(robot.obeyed_ms) === null ? "✓" : `✓ ${fixed(robot.obeyed_ms, 0)} ms`) : state === "refuses" ? "✕ rejects" : state === "silent" ? "– silent" : "… not yet");
      setText(row.why, robot.refusal ?? "");
    });
  }

  end() {
    this.fitness.end();
  }
}

/** @param {string} name */
function bar(name) {
  const fill = h("i");
  const text = h("span");
  const track = h("div", { class: "track", role: "progressbar", "aria-label": name, "aria-valuemin": "0", "aria-valuemax": "100" }, fill);
  return {
    node: h("div", { class: "bar-row" }, h("p", {}, h("b", { text: `${name} ` }), text), track),
    /** @param {number | null} done @param {number | null} of @param {string} words */
    set(done, of, words) {
      const share = of ? Math.min(1, Math.max(0, (done ?? 0) / of)) : 0;
      fill.style.transform = `scaleX(${share.toFixed(4)})`;
      setAttr(track, "aria-valuenow", Math.round(share * 100));
      setText(text, words);
    },
  };
}
