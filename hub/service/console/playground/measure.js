// @ts-check
// Fitness of the tree over many runs, simulated by all threads, with the digits of `xpuck simulate`.

import { button, h, setText, show } from "../shared/dom.js";
import { count, fixed, thousands } from "../shared/format.js";
import { Histogram } from "./histogram.js";

// Runs of a request: the lanes of a block of the engine.
const BLOCK = 16;

export class Measure {
  /** @param {import("./engine.js").Engine} engine @param {() => import("./address.js").State} state @param {() => void} changed called after a number was changed */
  constructor(engine, state, changed) {
    this.engine = engine;
    this.state = state;
    this.going = false;
    this.stopped = false;
    this.runs = h("input", { type: "number", min: "1", max: "100000", value: "200", "aria-label": "Number of runs", on: { change: changed } });
    this.seconds = h("input", { type: "number", min: "0.1", max: "3600", step: "any", value: "60", "aria-label": "Seconds of a run", on: { change: changed } });
    this.button = button("Measure", () => this.toggle(), { class: "primary" });
    this.progress = h("progress", { max: "1", value: "0", "aria-label": "Runs simulated" });
    this.told = h("p", { class: "figure-row", role: "status" });
    this.histogram = new Histogram();
    this.measured = "";
    this.outdated = h("p", { class: "warn", text: "This is the result of an earlier tree, world or setting.", hidden: true });
    this.command = h("pre", { class: "same-command" });
    this.node = h("div", { class: "stack" },
      h("div", { class: "row" }, this.button, h("label", { class: "inline" }, this.runs, " runs of "), h("label", { class: "inline" }, this.seconds, " s"), this.progress),
      this.outdated, this.told, this.histogram.node, h("p", { class: "dim", text: "The same digits on a computer:" }), this.command);
  }

  toggle() {
    if (!this.going) return this.measure();
    // A request can take minutes, so its thread is ended.
    this.stopped = true;
    for (const thread of this.engine.runs) thread.fail("stopped");
  }

  /** Marks a result that is not that of the current state. */
  compare() {
    show(this.outdated, this.measured !== "" && this.measured !== this.key());
  }

  /** Returns all that determines a result. */
  key() {
    const { tree, world, seed, seconds, runs } = this.state();
    return JSON.stringify([tree, world, seed, seconds, runs]);
  }

  async measure() {
    const { tree, world, seed, seconds, runs } = this.state();
    this.measured = this.key();
    this.compare();
    this.going = true;
    this.stopped = false;
    setText(this.button, "Stop");
    setText(this.told, "");
    const began = performance.now();
    /** @type {(number[] | undefined)[]} */
    const fitness = [];
    /** @type {string[][]} */
    const hashes = [];
    const requests = Array.from({ length: Math.ceil(runs / BLOCK) }, (_, i) => ({ do: "simulate", tree, world, seconds, seed, first: i * BLOCK, count: Math.min(BLOCK, runs - i * BLOCK) }));
    let [done, drawn] = [0, 0];
    try {
      await this.engine.spread(requests, (answer, index) => {
        fitness[index] = answer.fitness;
        hashes[index] = answer.hashes;
        done += answer.fitness.length;
        this.progress.value = done / runs;
        if (performance.now() - drawn < 200) return;
        drawn = performance.now();
        this.histogram.set(fitness.flatMap((part) => part ?? []), null);
      });
      const all = fitness.flatMap((part) => part ?? []);
      const sum = await this.engine.front.ask({ do: "summarise", fitness: all, hashes: hashes.flat() });
      const se = sum.sd / Math.sqrt(runs);
      const took = (performance.now() - began) / 1000;
      this.histogram.set(all, { mean: sum.mean, se });
      const error = runs > 1 ? ` ± ${fixed(se, 4)} (sd ${fixed(sum.sd, 4)})` : "";
      const robots = "robots" in world ? world.robots : null;
      const rate = robots ? `, ${thousands((runs * robots * seconds) / took)} robot-seconds a second` : "";
      setText(this.told, `Fitness ${fixed(sum.mean, 4)}${error} over ${count(runs, "run")}; hash ${sum.hash}; ${fixed(took, 1)} s${rate}`);
    } catch (error) {
      setText(this.told, this.stopped ? `Stopped after ${count(done, "run")}.` : /** @type {Error} */ (error).message);
    } finally {
      this.going = false;
      this.progress.value = 0;
      setText(this.button, "Measure");
    }
  }
}
