// @ts-check
// Drawing of the arena on two canvases: static objects below, moving objects above. Independent of the page; all data
// arrives as orders.

import { drawDisc, drawRelocation, drawRobot } from "./bodies.js";
import { Camera } from "./camera.js";
import { drawFloor } from "./floor.js";
import { Motion } from "./motion.js";
import { Names } from "./names.js";
import { drawSenses } from "./senses.js";
import { Trails } from "./trails.js";

const NEAR_PX = 26;
const TRAILS_MS = 180;
const QUIET_MS = 800;
// Minimum zoom while following a robot.
const FOLLOWING_ZOOM = 1.6;
/** @type {import("../link/contract.js").World} */
const NO_WORLD = { half: [1, 0.75], frisbee_radius: 0.105, discs: [], patches: [], floor: { level: null, regions: [], lines: [] }, walls: [], task: "", goal: null, robots: [], robot_radius: 0.0375, scale: { one: "", marks: [] }, cells: [] };

/**
 * @typedef {{senses: boolean, trails: boolean, names: boolean, follow: boolean}} Options
 *
 * @typedef {object} Scene data that seldom changes
 * @property {import("../link/contract.js").World | null} world
 * @property {Record<string, string>} colours of the theme, and `font`
 * @property {Options} options
 * @property {boolean} calm disables the interpolation of motion
 * @property {string} selected
 *
 * @typedef {object} Moment data that the hub sends several times a second
 * @property {[string, import("./bodies.js").Look][]} robots bodies without a row are discs
 * @property {boolean} relocating
 *
 * @typedef {{do: "size", width: number, height: number, ratio: number}
 *   | {do: "scene", scene: Scene} | {do: "moment", moment: Moment} | {do: "senses", senses: import("../link/contract.js").Senses}
 *   | {do: "poses", t: number, names: string[], numbers: number[], at: number} | {do: "clear"}
 *   | {do: "shown", shown: boolean} | {do: "zoom", factor: number, x?: number, y?: number} | {do: "whole"}
 *   | {do: "pan", dx: number, dy: number} | {do: "pick", x: number, y: number}
 *   | {do: "where", x: number, y: number, what: string}} Order `at`: wall time (ms since 1970)
 *
 * @typedef {{told: "zoom", zoom: number} | {told: "picked", robot: string}
 *   | {told: "where", what: string, name: string, at: [number, number]} | {told: "measured", number: number, drawn: number, costs: number[], labels: import("./labels.js").Box[]}} Told
 */

/** Returns the context of a canvas. The drawing functions are the same for either kind of canvas. @param {OffscreenCanvas} canvas */
const context = (canvas) => /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (canvas.getContext("2d")));

export class Painter {
  /** @param {OffscreenCanvas} floor @param {OffscreenCanvas} bodies @param {(told: Told) => void} tell */
  constructor(floor, bodies, tell) {
    // Firefox rejects later calls of `getContext` on a transferred canvas.
    this.floor = context(floor);
    this.bodies = context(bodies);
    this.tell = tell;
    this.size = { width: 0, height: 0, ratio: 1 };
    /** @type {Scene} */
    this.scene = { world: null, colours: {}, options: { senses: true, trails: true, names: true, follow: false }, calm: false, selected: "" };
    /** @type {Moment} */
    this.moment = { robots: [], relocating: false };
    /** @type {import("../link/contract.js").Senses | null} */
    this.senses = null;
    /** @type {Map<string, import("./bodies.js").Look>} */
    this.looks = new Map();
    this.camera = new Camera();
    this.motion = new Motion();
    this.trails = new Trails();
    this.names = new Names();
    /** @type {Map<string, import("./motion.js").Pose>} */
    this.poses = new Map();
    this.shown = true;
    this.floorStale = true;
    this.floorAt = -Infinity;
    this.news = true;
    this.changedAt = -Infinity;
    this.lookOfTrail = (/** @type {string} */ name) => ({ colour: this.looks.get(name)?.colour ?? this.scene.colours.frisbee, strong: name === this.scene.selected });
  }

  /** @param {Order} order */
  take(order) {
    switch (order.do) {
      case "poses": {
        const now = order.at - performance.timeOrigin;
        this.motion.take(order.t, order.names, order.numbers, now);
        return this.trails.take(order.t, order.names, order.numbers);
      }
      case "clear":
        this.motion.clear();
        this.trails.clear();
        return this.stale();
      case "moment":
        this.moment = order.moment;
        this.looks = new Map(order.moment.robots);
        return void (this.news = true);
      case "senses":
        this.senses = order.senses;
        return void (this.news = true);
      case "scene": return this.takeScene(order.scene);
      case "size":
        this.size = order;
        return this.stale();
      case "shown":
        this.shown = order.shown;
        return this.stale();
      case "pick": return this.tell({ told: "picked", robot: this.nearest(order.x, order.y) });
      case "where": return this.tell({ told: "where", what: order.what, name: this.bodyAt(order.x, order.y), at: this.camera.at(order.x, order.y) });
      case "pan":
        this.camera.panBy(order.dx, order.dy);
        return this.stale();
      case "zoom": return this.zoom(() => this.camera.zoomBy(order.factor, order.x, order.y));
      case "whole": return this.zoom(() => this.camera.reset());
    }
  }

  /** @param {Scene} scene */
  takeScene(scene) {
    const follows = scene.options.follow && !this.scene.options.follow;
    this.scene = scene;
    if (follows && this.camera.zoom < FOLLOWING_ZOOM) this.zoom(() => this.camera.zoomBy(2.5));
    this.stale();
  }

  /** @param {() => void} change */
  zoom(change) {
    change();
    this.tell({ told: "zoom", zoom: this.camera.zoom });
    this.stale();
  }

  stale() {
    this.floorStale = this.news = true;
  }

  world() {
    return this.scene.world ?? NO_WORLD;
  }

  /** Returns the robot at a pixel; empty if there is no robot near it. @param {number} px @param {number} py */
  nearest(px, py) {
    let [best, nearest] = ["", Math.max(NEAR_PX, (this.world().robot_radius + 0.02) * this.camera.scale)];
    for (const [name, pose] of this.poses) {
      const far = Math.hypot(this.camera.x(pose.x) - px, this.camera.y(pose.y) - py);
      if (far < nearest && this.looks.has(name)) [best, nearest] = [name, far];
    }
    return best;
  }

  /** Returns the body at a pixel; empty if there is none. @param {number} px @param {number} py */
  bodyAt(px, py) {
    const robot = this.nearest(px, py);
    if (robot) return robot;
    const discs = [...this.poses].filter(([name]) => !this.looks.has(name));
    const reach = (/** @type {number} */ i) => Math.max(NEAR_PX, (this.world().discs[i] ?? 0) * this.camera.scale);
    return discs.find(([, pose], i) => Math.hypot(this.camera.x(pose.x) - px, this.camera.y(pose.y) - py) < reach(i))?.[0] ?? "";
  }

  /** Fits a canvas to its box; returns its context in CSS pixels. @param {CanvasRenderingContext2D} ctx */
  surface(ctx) {
    const { canvas } = ctx;
    const { width, height, ratio } = this.size;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    return ctx;
  }

  /** Draws changes; returns whether further frames are needed without new data. @param {number} now */
  frame(now) {
    if (!this.shown || this.size.width < 1 || this.size.height < 1) return false;
    const { scene: { options, calm, selected }, motion, trails, camera } = this;
    if (this.news) this.changedAt = now;
    this.news = false;
    const { poses, still, at } = motion.sample(now, calm);
    this.poses = poses;
    if (this.isQuiet(now)) return false;
    if (options.trails && at > trails.drawn && now - this.floorAt > TRAILS_MS) this.floorStale = true;
    const chased = options.follow ? poses.get(selected) : undefined;
    if (chased) {
      camera.lookAt(chased.x, chased.y);
      this.floorStale = true;
    }
    if (this.floorStale) this.drawStanding(now, at);
    this.drawMoving(now, at);
    return !still;
  }

  /** Whether the drawing is up to date: no motion and no recent change. @param {number} now */
  isQuiet(now) {
    const blinking = this.moment.robots.some(([, look]) => look.identifying);
    return !blinking && !this.floorStale && now - Math.max(this.motion.movedAt, this.changedAt) > QUIET_MS;
  }

  /** @param {number} now @param {number} at */
  drawStanding(now, at) {
    const { camera, scene: { colours, options } } = this;
    const ctx = this.surface(this.floor);
    camera.resize(this.size.width, this.size.height, this.world().half);
    drawFloor(ctx, camera, this.world(), colours);
    if (options.trails) this.trails.draw(ctx, camera, at, this.lookOfTrail);
    this.floorStale = false;
    this.floorAt = now;
  }

  /** @param {number} now @param {number} at */
  drawMoving(now, at) {
    const { camera, poses, looks, moment, scene: { colours, options, calm, selected } } = this;
    const ctx = this.surface(this.bodies);
    const world = this.world();
    if (options.trails) this.trails.drawEnds(ctx, camera, at, poses, this.lookOfTrail);
    if (moment.relocating) drawRelocation(ctx, camera, world.frisbee_radius, colours);
    const discs = [...poses].filter(([name]) => !looks.has(name));
    discs.forEach(([, pose], i) => drawDisc(ctx, camera, pose, world.discs?.[i] ?? world.frisbee_radius, colours));
    const chosen = poses.get(selected);
    if (chosen && options.senses && this.senses?.robot === selected) drawSenses(ctx, camera, chosen, this.senses, world.robot_radius, colours);
    for (const [name, pose] of poses) {
      const look = looks.get(name);
      if (look) drawRobot(ctx, camera, pose, world.robot_radius, look, name === selected, colours, calm ? 0 : now);
    }
    this.names.boxes = [];
    if (options.names) this.names.draw(ctx, this.size, camera, [...poses].filter(([name]) => looks.has(name)), world.robot_radius, selected, colours);
  }
}
