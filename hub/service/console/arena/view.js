// @ts-check
// Arena as an element of a page: zoom and pan with wheel, fingers and keys; a click selects a robot. A separate
// thread draws it.

import { button, h, setAttr, setText, show } from "../shared/dom.js";
import { fixed } from "../shared/format.js";
import { islandColour, onTheme, palette } from "../shared/colours.js";
import { fitnessNow } from "../shared/words.js";
import { listenToPointer } from "./pointer.js";
import { sensesInWords } from "./senses.js";
import { Thread } from "./thread.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class ArenaView {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.floor = h("canvas", { "aria-hidden": "true" });
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "Arena" });
    /** @type {import("./painter.js").Options} */
    this.options = { senses: true, trails: true, names: true, follow: false };
    this.zoomed = 1;
    this.failed = false;
    this.told = h("p", { class: "senses-told" });
    this.blank = h("p", { class: "blank", text: "No poses received from motion capture yet." });
    this.age = h("p", { class: "pose-age" });
    this.node = this.build();
    this.thread = new Thread(this.floor, this.canvas, { told: (told) => this.hear(told), failed: (why) => this.fail(why) });
    this.observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      // More than two device pixels per pixel take time without a visible benefit.
      this.thread.send({ do: "size", width: Math.round(width), height: Math.round(height), ratio: Math.min(2, devicePixelRatio || 1) });
    });
    this.observer.observe(this.canvas);
    this.setScene = () => this.thread.send({ do: "scene", scene: this.scene() });
    this.offTheme = onTheme(() => {
      this.setScene();
      this.setMoment();
    });
    calm.addEventListener("change", this.setScene);
    /** @type {import("../link/store.js").Follower} */
    this.follower = {
      poses: (t, names, numbers, now) => this.thread.send({ do: "poses", t, names, numbers, at: performance.timeOrigin + now }),
      senses: (senses) => this.thread.send({ do: "senses", senses }),
      clear: () => this.thread.send({ do: "clear" }),
    };
    env.store.followers.add(this.follower);
    listenToPointer(this.canvas, {
      zoom: (factor, x, y) => this.thread.send({ do: "zoom", factor, x, y }),
      pan: (dx, dy) => this.pan(dx, dy),
      tap: (x, y) => this.thread.send({ do: "pick", x, y }),
    });
    this.setScene();
  }

  build() {
    const toggle = (/** @type {"senses" | "trails" | "names" | "follow"} */ name, /** @type {string} */ text, /** @type {string} */ title) => {
      const node = button(text, () => this.toggle(name), { class: "small", title, "data-name": name });
      setAttr(node, "aria-pressed", String(this.options[name]));
      return node;
    };
    this.toggles = [toggle("senses", "Senses", "What the selected robot senses (S)"), toggle("trails", "Trails", "Recent paths of bodies (T)"),
      toggle("names", "Names", "Names of robots (M)"), toggle("follow", "Follow", "Keep the selected robot in the middle (F)")];
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", () => this.zoom(1.5), { class: "small", "aria-label": "Zoom in", title: "Zoom in (+)" }),
      button("−", () => this.zoom(1 / 1.5), { class: "small", "aria-label": "Zoom out", title: "Zoom out (−)" }),
      button("⤢", () => this.zoom(0), { class: "small", "aria-label": "Show the whole arena", title: "Whole arena (0)" }));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    return h("section", { class: "panel arena", "aria-label": "Arena" },
      h("div", { class: "stage" }, this.floor, this.canvas, this.blank, this.age),
      h("div", { class: "arena-foot" }, h("div", { class: "row arena-tools" }, ...this.toggles, zoom), this.told, legend()));
  }

  /** @returns {import("../shell/shortcuts.js").Shortcut[]} */
  keys() {
    return [
      { key: "+", shown: "+", does: "Zoom in", act: () => this.zoom(1.5), repeats: true },
      { key: "=", shown: "", does: "Zoom in", act: () => this.zoom(1.5), repeats: true },
      { key: "-", shown: "−", does: "Zoom out", act: () => this.zoom(1 / 1.5), repeats: true },
      { key: "0", shown: "0", does: "Show the whole arena", act: () => this.zoom(0) },
      { key: "s", shown: "S", does: "Senses of the selected robot on or off", act: () => this.toggle("senses") },
      { key: "t", shown: "T", does: "Trails on or off", act: () => this.toggle("trails") },
      { key: "m", shown: "M", does: "Names on or off", act: () => this.toggle("names") },
      { key: "f", shown: "F", does: "Follow the selected robot", act: () => this.toggle("follow") },
    ];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (!step || this.zoomed <= 1) return;
    event.preventDefault();
    this.pan(step[0], step[1]);
  }

  /** @param {number} factor 0 shows the whole arena */
  zoom(factor) {
    this.thread.send(factor === 0 ? { do: "whole" } : { do: "zoom", factor });
  }

  /** @param {number} dx @param {number} dy (pixels) */
  pan(dx, dy) {
    if (this.options.follow) this.toggle("follow");
    this.thread.send({ do: "pan", dx, dy });
  }

  /** @param {keyof import("./painter.js").Options} name */
  toggle(name) {
    this.options[name] = !this.options[name];
    for (const node of this.toggles ?? []) setAttr(node, "aria-pressed", String(this.options[/** @type {"senses"} */ (node.dataset.name)]));
    this.setScene();
  }

  /** @param {import("./painter.js").Told} told */
  hear(told) {
    if (told.told === "zoom") this.zoomed = told.zoom;
    else if (told.told === "picked" && this.env.store.robots.has(told.robot)) this.env.app.navigation.selectRobot(told.robot);
  }

  /** @param {string} why */
  fail(why) {
    this.failed = true;
    console.error(`the arena: ${why}`);
    setText(this.blank, `The arena cannot be drawn: ${why}.`);
    show(this.blank, true);
  }

  /** Sets whether the view is visible. @param {boolean} shown */
  setShown(shown) {
    this.thread.send({ do: "shown", shown });
  }

  /** @returns {import("./painter.js").Scene} */
  scene() {
    const { store } = this.env;
    return { world: store.world, colours: palette(), options: this.options, calm: calm.matches, selected: store.selected };
  }

  setMoment() {
    const { store } = this.env;
    /** @type {import("./painter.js").Moment["robots"]} */
    const robots = store.ids().map((id, index) => {
      const robot = store.robots.get(id);
      return [id, {
        colour: islandColour(index), state: robot?.state ?? "", lost: robot?.alive === false, held: robot?.held === true,
        identifying: robot?.identifying === true, trouble: Boolean(robot?.device_trouble),
      }];
    });
    this.thread.send({ do: "moment", moment: { robots, relocating: store.status?.phase === "relocating" } });
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    const scene = ["world", "view", "selected"].some((topic) => topics.has(topic));
    if (scene) this.setScene();
    if (scene || topics.has("status")) {
      this.setMoment();
      this.describe(now);
    }
  }

  /** @param {number} now */
  describe(now) {
    const { store } = this.env;
    const age = store.poseAge === null ? null : store.poseAge + (now - store.posesAt) / 1000;
    const live = store.kind === "live";
    // The strip below the header shows the age of recent poses; an old age is shown on the arena itself.
    const old = live && age !== null && age > 1;
    setText(this.age, old ? `poses ${fixed(age, 1)} s old` : "");
    setAttr(this.age, "data-old", old);
    show(this.blank, this.failed || store.posed === 0);
    const robot = store.selected;
    setText(this.told, robot && store.senses ? `${robot} ${sensesInWords(store.senses)}` : robot ? `${robot} is selected` : "Click a robot to see what it senses");
    const words = `Arena with ${store.posed} bodies. Fitness of this segment ${fixed(fitnessNow(store.status), 2)}. Selected: ${robot || "none"}.`;
    setAttr(this.canvas, "aria-label", `${words} Plus, minus and 0 zoom, arrows pan, N selects the next robot.`);
  }

  end() {
    this.observer.disconnect();
    this.offTheme();
    calm.removeEventListener("change", this.setScene);
    this.env.store.followers.delete(this.follower);
    this.thread.end();
  }
}

function legend() {
  const items = [["ring-pause", "paused"], ["ring-stop", "stopped or held"], ["ring-lost", "silent"], ["badge", "device fault"]];
  return h("ul", { class: "legend", "aria-label": "Marks" }, ...items.map(([kind, text]) => h("li", {}, h("i", { class: kind }), text)));
}
