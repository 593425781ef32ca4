// @ts-check
// Watching one run: play, pause, step, speed, and the senses of a robot.

import { button, h, setAttr, setText } from "../shared/dom.js";
import { count, fixed } from "../shared/format.js";
import { sensesInWords } from "../arena/senses.js";
import { Arena } from "./arena.js";
import { within } from "./limits.js";

const UPDATE_S = 0.1;
const SPEEDS = [0.25, 0.5, 1, 2, 5, 10, 20];
// Maximum number of updates of a request; a slower machine simulates at a lower speed.
const MOST = 50;

export class Watch {
  /** @param {import("./engine.js").Thread} thread @param {{say: (text: string) => void, results: (nodes: string) => void}} act */
  constructor(thread, act) {
    this.thread = thread;
    this.act = act;
    this.arena = new Arena({ select: (robot) => this.select(robot), drag: (body, x, y) => this.drag(body, x, y), failed: act.say });
    this.playing = false;
    this.busy = false;
    this.speed = 2;
    this.debt = 0;
    this.before = 0;
    this.robot = 0;
    // Duration of a measured run, and time of the last state (s).
    this.seconds = 60;
    this.shownTime = 0;
    this.begun = false;
    /** @type {any} */
    this.moved = null;
    this.run = 0;
    this.playButton = button("Play", () => this.toggle(), { class: "primary" });
    this.speedChoice = h("select", { "aria-label": "Speed", on: { change: () => (this.speed = Number(this.speedChoice.value)) } },
      ...SPEEDS.map((speed) => h("option", { value: String(speed), text: `${speed} x`, selected: speed === this.speed })));
    this.runInput = h("input", { type: "number", min: "0", max: "999999", value: "0", "aria-label": "Run", on: { change: () => this.restart() } });
    this.clock = h("p", { class: "figure-row" });
    this.told = h("p", { class: "senses-told" });
    this.node = h("div", { class: "stack" },
      h("div", { class: "row" }, this.playButton, button("Step", () => this.step(1)), button("Restart", () => this.restart()), h("label", { class: "inline" }, "Speed ", this.speedChoice), h("label", { class: "inline" }, "Run ", this.runInput)),
      this.clock, this.arena.node, this.arena.tools, this.told);
    this.frame = this.frame.bind(this);
  }

  /** Begins a run of a tree. @param {{tree: string, world: any, seed: number}} choice @param {{world: any, bodies: string[]}} view */
  async begin(choice, view) {
    this.choice = choice;
    this.view = view;
    this.arena.begin(view.world, view.bodies);
    this.robot = Math.min(this.robot, view.world.robots.length - 1);
    await this.restart();
  }

  async restart() {
    if (!this.choice || !this.view) return;
    this.run = within(this.runInput);
    this.arena.clear();
    try {
      this.show(await this.thread.ask({ do: "watch", ...this.choice, run: this.run }));
      this.begun = true;
      this.select(this.robot);
    } catch (error) {
      this.begun = false;
      this.pause();
      this.act.say(/** @type {Error} */ (error).message);
    }
  }

  toggle() {
    if (this.playing) return this.pause();
    this.playing = true;
    setText(this.playButton, "Pause");
    this.before = performance.now();
    this.debt = 0;
    requestAnimationFrame(this.frame);
  }

  pause() {
    this.playing = false;
    setText(this.playButton, "Play");
  }

  /** @param {number} now */
  frame(now) {
    if (!this.playing) return;
    this.debt += ((now - this.before) / 1000) * this.speed / UPDATE_S;
    this.before = now;
    const updates = Math.min(MOST, Math.floor(this.debt));
    if (updates > 0 && !this.busy) {
      // A slow machine drops the updates that it cannot simulate in time.
      this.debt = Math.min(this.debt - updates, MOST);
      this.step(updates);
    }
    requestAnimationFrame(this.frame);
  }

  /** @param {number} updates */
  async step(updates) {
    if (!this.begun || this.busy) return;
    this.busy = true;
    try {
      if (this.moved) await this.thread.ask({ do: "move", ...this.moved });
      this.moved = null;
      this.show(await this.thread.ask({ do: "step", updates, robot: this.robot }));
    } catch (error) {
      this.begun = false;
      this.pause();
      this.act.say(/** @type {Error} */ (error).message);
    } finally {
      this.busy = false;
    }
  }

  /** @param {any} state */
  show(state) {
    // A measured run ends here, so a longer run would show another fitness.
    if (this.playing && state.t >= this.seconds && this.shownTime < this.seconds) this.pause();
    this.shownTime = state.t;
    this.arena.update(state);
    const value = typeof state.value === "number" ? ` (value ${fixed(state.value, 2)})` : "";
    setText(this.clock, `${fixed(state.t, 1)} s, fitness ${fixed(state.fitness, 3)}${value}${state.relocations > 0 ? `, frisbee carried back ${count(state.relocations, "time")}` : ""}`);
    setAttr(this.arena.canvas, "aria-label", `Arena after ${fixed(state.t, 1)} s, fitness ${fixed(state.fitness, 3)}. Drag robots or the frisbee.`);
    if (!state.senses) return;
    setText(this.told, `${state.senses.robot} ${sensesInWords(state.senses)}`);
    this.act.results(state.senses.nodes);
  }

  /** @param {number} robot */
  select(robot) {
    this.robot = robot;
    this.arena.select(this.view?.world.robots[robot] ?? "");
    if (!this.playing) this.step(0);
  }

  /** @param {number} body @param {number} x @param {number} y (m) */
  drag(body, x, y) {
    this.moved = { body, x, y };
    if (!this.playing) this.step(0);
  }
}
