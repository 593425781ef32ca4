// @ts-check
// The arena as a part of a page: two canvases, zoom and pan by wheel, fingers and keys, a click selects a robot.

import { button, h, setAttr, setText, show } from "../dom.js";
import { clamp, fixed } from "../format.js";
import { islandColour, onTheme, palette } from "../colours.js";
import { fitnessNow } from "../words.js";
import { Camera } from "./camera.js";
import { drawDisc, drawRelocation, drawRobot } from "./bodies.js";
import { drawFloor } from "./floor.js";
import { drawSenses, sensesInWords } from "./senses.js";
import { Names } from "./names.js";
import { listenToPointer } from "./pointer.js";

const NEAR_PX = 26;
const TRAILS_MS = 180;
const QUIET_MS = 800;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** @type {import("../contract.js").World} */
const NO_WORLD = { half: [1, 0.75], frisbee_radius: 0.105, discs: [], patches: [], areas: [], walls: [], task: "", goal: null, robots: [], robot_radius: 0.0375, scale: { one: "", marks: [] }, cells: [] };

export class ArenaView {
  /** @param {import("../navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.camera = new Camera();
    this.floor = h("canvas", { "aria-hidden": "true" });
    this.canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": "Arena" });
    this.options = { senses: true, trails: true, names: true, follow: false };
    this.told = h("p", { class: "senses-told" });
    this.blank = h("p", { class: "blank", text: "No poses yet: motion capture has not told where robots are." });
    this.age = h("p", { class: "pose-age" });
    this.node = this.build();
    this.names = new Names();
    this.floorStale = true;
    this.floorAt = -Infinity;
    this.changedAt = -Infinity;
    /** @type {Map<string, number>} places of robots in the swarm file */
    this.index = new Map();
    this.lookOfTrail = (/** @type {string} */ name) => ({ colour: this.colourOf(name), strong: name === env.store.selected });
    /** @type {Map<string, import("./motion.js").Pose>} */
    this.poses = new Map();
    // Asking an element for its size in a frame makes the browser lay out the page then and there.
    this.box = { width: 0, height: 0 };
    this.observer = new ResizeObserver(([entry]) => {
      this.box = { width: Math.round(entry.contentRect.width), height: Math.round(entry.contentRect.height) };
      this.stale();
    });
    this.observer.observe(this.canvas);
    this.offTheme = onTheme(() => this.stale());
    listenToPointer(this.canvas, {
      zoom: (factor, x, y) => this.move(() => this.camera.zoomBy(factor, x, y)),
      pan: (dx, dy) => this.move(() => {
        this.options.follow = false;
        this.camera.panBy(dx, dy);
      }),
      tap: (x, y) => this.pick(x, y),
    });
  }

  build() {
    const toggle = (/** @type {"senses" | "trails" | "names" | "follow"} */ name, /** @type {string} */ text, /** @type {string} */ title) => {
      const node = button(text, () => this.toggle(name), { class: "small", title, "data-name": name });
      setAttr(node, "aria-pressed", String(this.options[name]));
      return node;
    };
    this.toggles = [toggle("senses", "Senses", "What the selected robot senses (S)"), toggle("trails", "Trails", "Where bodies came from (T)"),
      toggle("names", "Names", "Names of robots (M)"), toggle("follow", "Follow", "Keep the selected robot in the middle (F)")];
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", () => this.zoom(1.5), { "aria-label": "Zoom in", title: "Zoom in (+)" }),
      button("−", () => this.zoom(1 / 1.5), { "aria-label": "Zoom out", title: "Zoom out (−)" }),
      button("⤢", () => this.zoom(0), { "aria-label": "Show the whole arena", title: "Whole arena (0)" }));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    return h("section", { class: "panel arena", "aria-label": "Arena" },
      h("div", { class: "stage" }, this.floor, this.canvas, this.blank, zoom, this.age),
      h("div", { class: "arena-foot" }, h("div", { class: "row tight" }, ...this.toggles), this.told, legend()));
  }

  /** @returns {import("../shortcuts.js").Shortcut[]} */
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
    if (!step || this.camera.zoom <= 1) return;
    event.preventDefault();
    this.move(() => this.camera.panBy(step[0], step[1]));
  }

  /** @param {number} factor 0 shows all */
  zoom(factor) {
    this.move(() => (factor === 0 ? this.camera.reset() : this.camera.zoomBy(factor)));
  }

  /** @param {() => void} change */
  move(change) {
    change();
    this.stale();
  }

  stale() {
    this.floorStale = true;
    this.env.app.frames.mark("arena");
  }

  /** @param {"senses" | "trails" | "names" | "follow"} name */
  toggle(name) {
    this.options[name] = !this.options[name];
    if (name === "follow" && this.options.follow && this.camera.zoom < 1.6) this.camera.zoomBy(2.5);
    for (const node of this.toggles ?? []) setAttr(node, "aria-pressed", String(this.options[/** @type {"senses"} */ (node.dataset.name)]));
    this.stale();
  }

  /** @param {number} px @param {number} py */
  pick(px, py) {
    let [best, nearest] = ["", Math.max(NEAR_PX, (this.world().robot_radius + 0.02) * this.camera.scale)];
    for (const [name, pose] of this.poses) {
      const far = Math.hypot(this.camera.x(pose.x) - px, this.camera.y(pose.y) - py);
      if (far < nearest && this.env.store.robots.has(name)) [best, nearest] = [name, far];
    }
    if (best) this.env.app.navigation.selectRobot(best);
  }

  world() {
    return this.env.store.world ?? NO_WORLD;
  }

  /** Fits a canvas to its box, and returns what draws in CSS pixels on it. @param {HTMLCanvasElement} canvas */
  surface(canvas) {
    // More than two device pixels to a pixel cost time and show nothing.
    const ratio = Math.min(2, devicePixelRatio || 1);
    const { width, height } = this.box;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    return { ctx, width, height };
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    if (topics.has("world") || topics.has("view") || this.index.size !== this.env.store.ids().length) {
      this.index = new Map(this.env.store.ids().map((id, i) => [id, i]));
      this.floorStale = true;
    }
    if (topics.has("status") || topics.has("robot") || topics.has("selected")) {
      this.changedAt = now;
      this.describe(now);
    }
  }

  /** @param {number} now */
  frame(now) {
    const { store } = this.env;
    const { poses, still, at } = store.motion.sample(now, calm.matches);
    this.poses = poses;
    if (this.isQuiet(now)) return false;
    this.changedAt = Math.max(this.changedAt, this.floorStale ? now : 0);
    if (this.options.trails && at > store.trails.drawn && now - this.floorAt > TRAILS_MS) this.floorStale = true;
    const chased = this.options.follow ? poses.get(store.selected) : undefined;
    if (chased) {
      this.camera.lookAt(chased.x, chased.y);
      this.floorStale = true;
    }
    const colours = palette();
    if (this.floorStale) {
      const { ctx, width, height } = this.surface(this.floor);
      this.camera.resize(width, height, this.world().half);
      drawFloor(ctx, this.camera, this.world(), colours);
      if (this.options.trails) store.trails.draw(ctx, this.camera, at, this.lookOfTrail);
      this.floorStale = false;
      this.floorAt = now;
    }
    this.drawBodies(now, at, colours);
    return !still;
  }

  /** Nothing moves and nothing has changed: what is drawn is still true. @param {number} now */
  isQuiet(now) {
    const { store } = this.env;
    const blinking = [...store.robots.values()].some((robot) => robot.identifying);
    return !blinking && !this.floorStale && now - Math.max(store.motion.movedAt, this.changedAt) > QUIET_MS;
  }

  /** @param {string} name */
  colourOf(name) {
    const index = this.index.get(name);
    return index === undefined ? palette().frisbee : islandColour(index);
  }

  /** @param {number} now @param {number} at @param {Record<string, string>} colours */
  drawBodies(now, at, colours) {
    const { store } = this.env;
    const { camera, poses, index } = this;
    const { ctx, width, height } = this.surface(this.canvas);
    const world = this.world();
    if (this.options.trails) store.trails.drawEnds(ctx, camera, at, poses, this.lookOfTrail);
    if (store.status?.phase === "relocating") drawRelocation(ctx, camera, world.frisbee_radius, colours);
    const discs = [...poses].filter(([name]) => !index.has(name));
    discs.forEach(([, pose], i) => drawDisc(ctx, camera, pose, world.discs?.[i] ?? world.frisbee_radius, colours));
    const chosen = poses.get(store.selected);
    if (chosen && this.options.senses && store.senses) drawSenses(ctx, camera, chosen, store.senses, world.robot_radius, colours);
    for (const [name, pose] of poses) {
      if (!index.has(name)) continue;
      const robot = store.robots.get(name);
      drawRobot(ctx, camera, pose, world.robot_radius, {
        colour: this.colourOf(name), state: robot?.state ?? "", lost: robot?.alive === false, held: robot?.held === true,
        identifying: robot?.identifying === true, trouble: Boolean(robot?.device_trouble), selected: name === store.selected,
      }, colours, calm.matches ? 0 : now);
    }
    this.names.boxes = [];
    if (this.options.names) this.names.draw(ctx, { width, height }, camera, [...poses].filter(([name]) => index.has(name)), world.robot_radius, store.selected);
  }

  /** @param {number} now */
  describe(now) {
    const { store } = this.env;
    const age = store.poseAge === null ? null : store.poseAge + (now - store.posesAt) / 1000;
    const live = store.kind === "live";
    setText(this.age, age === null ? "" : !live ? "" : age < 1 ? `poses ${fixed(clamp(Math.ceil(age * 50) * 20, 0, 999), 0)} ms old` : `poses ${fixed(age, 1)} s old`);
    setAttr(this.age, "data-old", age !== null && age > 1);
    show(this.blank, store.motion.tracks.size === 0);
    const robot = store.selected;
    setText(this.told, robot && store.senses ? `${robot} ${sensesInWords(store.senses)}` : robot ? `${robot} is selected` : "Click a robot to see what it senses");
    const words = `Arena with ${store.motion.tracks.size} bodies. Fitness of this segment ${fixed(fitnessNow(store.status), 2)}. Selected: ${robot || "none"}.`;
    setAttr(this.canvas, "aria-label", `${words} Plus, minus and 0 zoom, arrows pan, N selects the next robot.`);
  }

  end() {
    this.observer.disconnect();
    this.offTheme();
  }
}

function legend() {
  const items = [["ring-pause", "paused"], ["ring-stop", "stopped or held"], ["ring-lost", "silent"], ["badge", "device trouble"]];
  return h("ul", { class: "legend", "aria-label": "Marks" }, ...items.map(([kind, text]) => h("li", {}, h("i", { class: kind }), text)));
}
