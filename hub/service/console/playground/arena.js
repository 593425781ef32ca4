// @ts-check
// Arena of the playground: the console's painter, and bodies that can be dragged.

import { button, h, setAttr } from "../shared/dom.js";
import { islandColour, onTheme, palette } from "../shared/colours.js";
import { Thread } from "../arena/thread.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Arena {
  /** @param {{select: (robot: number) => void, drag: (body: number, x: number, y: number) => void, failed: (why: string) => void}} act */
  constructor(act) {
    this.act = act;
    this.floor = h("canvas", { "aria-hidden": "true" });
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "Arena" });
    this.options = { senses: true, trails: true, names: true, follow: false };
    /** @type {string[]} names of bodies: robots, then discs */
    this.names = [];
    /** @type {any} */
    this.world = null;
    this.selected = "";
    this.dragged = -1;
    this.pressed = false;
    this.shownAt = -1;
    const toggle = (/** @type {"senses" | "trails" | "names"} */ name, /** @type {string} */ text) => {
      const node = button(text, () => {
        this.options[name] = !this.options[name];
        setAttr(node, "aria-pressed", String(this.options[name]));
        this.setScene();
      }, { class: "small", "aria-pressed": "true" });
      return node;
    };
    const zoom = (/** @type {number} */ factor) => this.thread.send(factor === 0 ? { do: "whole" } : { do: "zoom", factor });
    this.tools = h("div", { class: "row tight" }, toggle("senses", "Senses"), toggle("trails", "Trails"), toggle("names", "Names"),
      h("div", { class: "zoom", role: "group", "aria-label": "Zoom" }, button("+", () => zoom(1.5), { class: "small", "aria-label": "Zoom in" }),
        button("−", () => zoom(1 / 1.5), { class: "small", "aria-label": "Zoom out" }), button("⤢", () => zoom(0), { class: "small", "aria-label": "Show the whole arena" })));
    this.node = h("div", { class: "stage" }, this.floor, this.canvas);
    this.thread = new Thread(this.floor, this.canvas, { told: (told) => this.hear(told), failed: act.failed });
    this.observer = new ResizeObserver(([entry]) => {
      const { width, height } = entry.contentRect;
      this.thread.send({ do: "size", width: Math.round(width), height: Math.round(height), ratio: Math.min(2, devicePixelRatio || 1) });
    });
    this.observer.observe(this.canvas);
    onTheme(() => this.setScene());
    this.listen();
  }

  listen() {
    const place = (/** @type {PointerEvent} */ event, /** @type {"down" | "move"} */ what) => {
      const box = this.canvas.getBoundingClientRect();
      this.thread.send({ do: "where", x: event.clientX - box.left, y: event.clientY - box.top, what });
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.canvas.setPointerCapture(event.pointerId);
      this.dragged = -1;
      this.pressed = true;
      place(event, "down");
    });
    this.canvas.addEventListener("pointermove", (event) => this.dragged >= 0 && place(event, "move"));
    for (const type of ["pointerup", "pointercancel"]) this.canvas.addEventListener(type, () => {
      [this.dragged, this.pressed] = [-1, false];
    });
    this.canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.canvas.getBoundingClientRect();
      this.thread.send({ do: "zoom", factor: Math.exp(-event.deltaY * 0.0016), x: event.clientX - box.left, y: event.clientY - box.top });
    }, { passive: false });
  }

  /** @param {any} told */
  hear(told) {
    if (told.told !== "where") return;
    if (told.what === "down") {
      const body = this.names.indexOf(told.name);
      // The painter answers later than a quick click ends.
      this.dragged = this.pressed ? body : -1;
      if (body >= 0 && body < this.robots()) this.act.select(body);
    } else if (this.dragged >= 0) this.act.drag(this.dragged, told.at[0], told.at[1]);
  }

  robots() {
    return this.world?.robots.length ?? 0;
  }

  /** Shows another world. @param {any} world @param {string[]} names of its bodies */
  begin(world, names) {
    [this.world, this.names] = [world, names];
    this.thread.send({ do: "clear" });
    this.setScene();
    const look = (/** @type {number} */ i) => ({ colour: islandColour(i), state: "run", lost: false, held: false, identifying: false, trouble: false });
    this.thread.send({ do: "moment", moment: { robots: world.robots.map((/** @type {string} */ name, /** @type {number} */ i) => [name, look(i)]), relocating: false } });
  }

  /** @param {string} robot */
  select(robot) {
    this.selected = robot;
    this.setScene();
  }

  setScene() {
    this.thread.send({ do: "scene", scene: { world: this.world, colours: palette(), options: this.options, calm: calm.matches, selected: this.selected } });
  }

  /** @param {{t: number, poses: number[], senses: any}} state */
  update({ t, poses, senses }) {
    // The painter ignores poses that are not newer, but a dragged body moves while the simulation is paused.
    this.shownAt = Math.max(t, this.shownAt + 1e-6);
    this.thread.send({ do: "poses", t: this.shownAt, names: this.names, numbers: poses, at: performance.timeOrigin + performance.now() });
    if (senses) this.thread.send({ do: "senses", senses });
  }

  /** Removes all bodies, before the time goes back. */
  clear() {
    this.shownAt = -1;
    this.thread.send({ do: "clear" });
  }
}
