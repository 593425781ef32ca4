// @ts-check
// State of the shown data. A live hub and a replay feed it with the same events; views are independent of the source.

import { list } from "../shared/dom.js";
import { num } from "../shared/format.js";
import { ISLAND_COLUMNS, beganAnew, emptyIsland, isBefore, ofThisRun, thin } from "../shared/series.js";

const LINES = 400;
const ISLAND_ROWS = 2000;
const EVOLVED_ROWS = 4000;
const TREES = 16;
const ROBOTS = 512;

/**
 * @typedef {import("./contract.js").Status} Status @typedef {import("./contract.js").World} World
 * @typedef {import("./contract.js").Robot} Robot @typedef {import("./contract.js").Line} Line
 * @typedef {import("./contract.js").Island} Island @typedef {import("./contract.js").Tree} Tree
 *
 * @typedef {object} Follower receiver of events that come too often for one frame of the page each
 * @property {(t: number, names: string[], numbers: number[], now: number) => void} [poses]
 * @property {(senses: import("./contract.js").Senses) => void} [senses] of the selected robot
 * @property {() => void} [clear] the next event does not continue the previous ones
 */

export class Store {
  /** @param {"live" | "replay"} kind @param {(topic: string) => void} changed */
  constructor(kind, changed) {
    this.kind = kind;
    this.changed = changed;
    /** @type {Set<Follower>} */
    this.followers = new Set();
    this.selected = "";
    this.poseAge = /** @type {number | null} */ (null);
    this.posesAt = 0;
    this.reset();
  }

  reset() {
    /** @type {{hub: string, version: string, run: number} | null} */
    this.hello = null;
    /** @type {World | null} */
    this.world = null;
    /** @type {Map<string, Tree>} */
    this.trees = new Map();
    this.resetMoment();
    this.resetRun();
  }

  /** Resets the data of a single moment, for example when a replay jumps. */
  resetMoment() {
    /** @type {Status | null} */
    this.status = null;
    this.statusAt = 0;
    /** @type {Map<string, Robot>} */
    this.robots = new Map();
    /** @type {import("./contract.js").Senses | null} */
    this.senses = null;
    /** @type {import("./contract.js").Tags | null} */
    this.tags = null;
    this.poseAge = null;
    this.posesAt = 0;
    /** @type {Line[]} */
    this.lines = [];
    /** @type {string | null} */
    this.ended = null;
    // Number of bodies in the last poses.
    this.posed = 0;
    for (const follower of this.followers) follower.clear?.();
    this.changed("lines");
  }

  resetRun() {
    /** @type {import("./contract.js").History["run"]} */
    this.run = null;
    /** @type {Map<string, Island>} */
    this.islands = new Map();
    /** @type {{t: number[], v: import("./contract.js").Num[]}} */
    this.evolved = { t: [], v: [] };
    /** @type {import("./contract.js").History["migration"]} */
    this.migration = null;
    /** @type {import("./contract.js").History["best"]} */
    this.best = null;
    /** @type {Map<string, import("../evolution/estimates.js").Estimate[]>} */
    this.estimates = new Map();
    this.changed("history");
  }

  /** Resets the data of the previous run; the history of the new run is then requested. */
  beginRun() {
    this.trees.clear();
    // The previous run's clock is reset, so that the next status does not count as another start.
    if (this.status) this.status.run_seconds = 0;
    this.resetRun();
    this.changed("tree");
    this.changed("newrun");
  }

  /** Returns the robots in the order of the swarm file. @returns {string[]} */
  ids() {
    const told = this.world?.robots ?? [];
    return told.length > 0 ? told : [...this.robots.keys()];
  }

  /** @param {string} id */
  indexOf(id) {
    return Math.max(0, this.ids().indexOf(id));
  }

  /** @param {string} id */
  select(id) {
    if (id === this.selected) return;
    this.selected = id;
    this.senses = null;
    this.tags = null;
    this.changed("selected");
  }

  /** Processes an event. @param {string} type @param {any} data @param {number} [now] wall time (ms) */
  apply(type, data, now = performance.now()) {
    if (typeof data !== "object" || data === null) return;
    switch (type) {
      case "poses": return this.takePoses(data, now);
      case "status": return this.takeStatus(data, now);
      case "robot": return this.takeSenses(data);
      case "tags":
        this.tags = data;
        return this.changed("tags");
      case "tree": return this.takeTree(String(data.robot), data);
      case "line": return this.takeLine(data);
      case "generation": return this.takeGeneration(data);
      case "estimates": return this.takeEstimates(data);
      case "world": return this.takeWorld(data);
      case "hello": return void (this.hello = data);
      case "bye":
        this.ended = String(data.why ?? "");
        return this.changed("link");
    }
  }

  /** @param {any} data @param {number} now */
  takePoses(data, now) {
    const names = list(data.n).slice(0, ROBOTS).map(String);
    const numbers = list(data.p);
    const t = num(data.t) ?? 0;
    for (const follower of this.followers) follower.poses?.(t, names, numbers, now);
    this.posed = names.length;
    this.poseAge = num(data.age);
    this.posesAt = now;
  }

  /** @param {Status} status @param {number} now */
  takeStatus(status, now) {
    status.robots = list(status.robots).filter((robot) => robot && typeof robot.id === "string").slice(0, ROBOTS);
    status.segments = list(status.segments);
    status.phase = String(status.phase ?? "");
    // Until its run begins, a robot reports the evolution of the previous run.
    if (status.phase === "preparing" && !((num(status.run_seconds) ?? 0) > 0)) {
      status.evolved = null;
      for (const robot of status.robots) robot.evolution = null;
    }
    const before = this.status;
    this.status = status;
    this.statusAt = now;
    this.robots = new Map(status.robots.map((robot) => [robot.id, robot]));
    const [t, v] = [num(status.run_seconds), num(status.evolved)];
    const last = this.evolved.t.at(-1) ?? -1;
    // A new run begins at zero; the stored data belongs to the previous run.
    if (before && t !== null && t < (before.run_seconds ?? 0) - 1 && this.kind === "live") this.beginRun();
    else if (t !== null && v !== null && !isBefore(t) && t >= last + 1 && this.kind === "live") {
      this.evolved.t.push(t);
      this.evolved.v.push(v);
      thin(this.evolved, EVOLVED_ROWS);
    }
    this.changed("status");
  }

  /** @param {World} world */
  takeWorld(world) {
    const half = list(world.half);
    if (!(half[0] > 0 && half[1] > 0)) world.half = [1, 0.75];
    world.robots = list(world.robots).map(String).slice(0, ROBOTS);
    world.robot_radius = num(world.robot_radius) ?? 0.0375;
    world.frisbee_radius = num(world.frisbee_radius) ?? 0.105;
    world.scale = { one: String(world.scale?.one ?? ""), marks: list(world.scale?.marks) };
    world.cells = list(world.cells).map(String);
    this.world = world;
    this.changed("world");
  }

  /** @param {import("./contract.js").Senses} senses */
  takeSenses(senses) {
    if (senses.robot !== this.selected) return;
    this.senses = senses;
    for (const follower of this.followers) follower.senses?.(senses);
  }

  /** @param {string} id @param {any} tree */
  takeTree(id, tree) {
    this.trees.delete(id);
    this.trees.set(id, tree);
    const oldest = this.trees.keys().next().value;
    if (this.trees.size > TREES && oldest !== undefined) this.trees.delete(oldest);
    this.changed("tree");
  }

  /** @param {Line} line */
  takeLine(line) {
    const last = this.lines.at(-1);
    // Lines are sent again after a reconnection.
    if (last && line.seq <= last.seq && this.lines.some((known) => known.seq === line.seq)) return;
    this.lines.push(line);
    if (this.lines.length > LINES) this.lines.splice(0, this.lines.length - LINES);
    this.changed("lines");
  }

  /** @param {any} row */
  takeGeneration(row) {
    const id = String(row.robot);
    const t = num(row.t);
    if (t === null || isBefore(t)) return;
    let island = this.islands.get(id);
    if (!island) {
      if (this.islands.size >= ROBOTS) return;
      this.islands.set(id, (island = emptyIsland()));
    }
    if (t < (island.t.at(-1) ?? -Infinity)) return;
    if (beganAnew(island.generation.at(-1) ?? null, num(row.generation), t)) this.islands.set(id, (island = emptyIsland()));
    island.t.push(t);
    for (const name of ISLAND_COLUMNS) island[name].push(num(row[name]));
    thin(/** @type {any} */ (island), ISLAND_ROWS);
    this.changed("generation");
  }

  /** Stores a robot's estimates of the world. @param {any} data */
  takeEstimates(data) {
    const [id, told] = [String(data.robot), list(data.estimates).filter((one) => one && typeof one.parameter === "string")];
    if (this.estimates.has(id) || this.estimates.size < ROBOTS) this.estimates.set(id, told);
    this.changed("estimates");
  }

  /** Stores the history of the run so far, for a page opened during the run. @param {import("./contract.js").History} history */
  takeHistory(history) {
    this.resetRun();
    this.run = history.run ?? null;
    const { t, v } = history.evolved ?? {};
    const from = list(t).filter(isBefore).length;
    this.evolved = { t: list(t).slice(from), v: list(v).slice(from) };
    for (const [id, columns] of Object.entries(history.islands ?? {}).slice(0, ROBOTS)) {
      const island = emptyIsland();
      island.t = list(columns.t);
      for (const name of ISLAND_COLUMNS) island[name] = list(columns[name]);
      this.islands.set(id, ofThisRun(island));
    }
    this.migration = history.migration ?? null;
    this.best = history.best ?? null;
    for (const [robot, estimates] of Object.entries(history.estimates ?? {}).slice(0, ROBOTS)) this.takeEstimates({ robot, estimates });
    this.changed("history");
  }
}
