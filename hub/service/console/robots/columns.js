// @ts-check
// Columns of the robots' table: contents, sort order, and screen sizes at which they are shown.

import { fixed, natural, num, thousands } from "../shared/format.js";
import { TERMS } from "../shared/terms.js";
import { batteryLevel, minutesLeft, stateOf, troublesOf } from "./state.js";

/**
 * @typedef {import("../link/contract.js").Robot} Robot
 * @typedef {object} Column
 * @property {string} key
 * @property {string} name
 * @property {string} [unit]
 * @property {string} title explanation
 * @property {(robot: Robot) => string} text
 * @property {(robot: Robot) => number | string | null} value to sort by
 * @property {(robot: Robot) => string} [level] "warn" or "bad"
 * @property {boolean} [words] whether the column is left-aligned
 * @property {"" | "wide" | "wider"} room shown always, from a tablet screen on, on a large screen only
 */

/** @type {Column[]} */
export const COLUMNS = [
  { key: "id", name: "Robot", title: "Its id", room: "", words: true, text: (robot) => robot.id, value: (robot) => robot.id },
  { key: "state", name: "State", title: "Current activity", room: "", words: true, text: (robot) => stateOf(robot).text, value: (robot) => stateOf(robot).text },
  { key: "battery", name: "Battery", unit: "V", title: "Voltage of the battery", room: "", text: (robot) => fixed(robot.battery_v, 2), value: (robot) => num(robot.battery_v), level: batteryLevel },
  { key: "minutes", name: "Left", title: "Remaining battery time", room: "", text: (robot) => minutesLeft(robot) || "–", value: (robot) => num(robot.battery_minutes), level: batteryLevel },
  { key: "power", name: "Power", unit: "W", title: "Power drawn from the battery", room: "wide", text: (robot) => fixed(robot.battery_w, 2), value: (robot) => num(robot.battery_w) },
  { key: "heat", name: "Heat", unit: "°C", title: "Temperature of the board's processor", room: "wide", text: (robot) => fixed(robot.soc_c, 0), value: (robot) => num(robot.soc_c), level: (robot) => above(robot.soc_c, 80, 88) },
  { key: "trip", name: "Round trip", unit: "ms", title: "Latest time from a message of the hub to the robot's answer; the line below the header has the mean of all robots", room: "wide", text: (robot) => fixed(robot.round_trip_ms, 1), value: (robot) => num(robot.round_trip_ms), level: (robot) => above(robot.round_trip_ms, 100, Infinity) },
  { key: "jitter", name: "Jitter", unit: "ms", title: "Variation of round trips", room: "wider", text: (robot) => fixed(robot.jitter_ms, 1), value: (robot) => num(robot.jitter_ms) },
  { key: "late", name: "Late", unit: "ms", title: "99th percentile of the lateness of control updates", room: "wider", text: (robot) => fixed(robot.late_p99_ms, 1), value: (robot) => num(robot.late_p99_ms), level: (robot) => above(robot.late_p99_ms, 20, 50) },
  { key: "generation", name: "Gen.", title: "Completed generations of its evolution", room: "wide", text: (robot) => fixed(robot.evolution?.generation, 0), value: (robot) => num(robot.evolution?.generation) },
  { key: "best", name: "Best", title: TERMS.best, room: "", text: (robot) => ((num(robot.evolution?.generation) ?? 0) > 0 ? fixed(robot.evolution?.best, 3) : "–"), value: (robot) => num(robot.evolution?.best) },
  { key: "tree", name: "Nodes", title: "Size of its current tree, without the two nodes for wall avoidance that every tree has", room: "wider", text: (robot) => fixed(robot.tree_nodes, 0), value: (robot) => num(robot.tree_nodes) },
  { key: "engine", name: "Engine", title: "Simulation engine of its evolution, and robot-seconds per second", room: "wider", words: true, text: (robot) => (robot.engine?.name ? `${robot.engine.name} ${thousands(robot.engine.r_acc)}` : "–"), value: (robot) => num(robot.engine?.r_acc) },
  { key: "errors", name: "Errors", title: "Device errors so far. A few are normal; others are listed under Trouble", room: "wider", text: (robot) => fixed(robot.device_errors, 0), value: (robot) => num(robot.device_errors), level: (robot) => (robot.device_trouble ? "bad" : "") },
  { key: "trouble", name: "Trouble", title: "Problems that need attention; empty if none", room: "wide", words: true, text: (robot) => troublesOf(robot).map((trouble) => trouble.text).join("; "), value: (robot) => -10 * troublesOf(robot).filter((trouble) => trouble.bad).length - troublesOf(robot).length, level: (robot) => (troublesOf(robot).some((trouble) => trouble.bad) ? "bad" : "warn") },
];

/** @param {number | null} value @param {number} warn @param {number} bad */
function above(value, warn, bad) {
  const told = num(value) ?? 0;
  return told > bad ? "bad" : told > warn ? "warn" : "";
}

/**
 * Returns the robots sorted by a column; unknown values come last, and ties are ordered by id.
 * @param {Robot[]} robots @param {string} key @param {boolean} down
 */
export function sorted(robots, key, down) {
  const column = COLUMNS.find((other) => other.key === key) ?? COLUMNS[0];
  const sign = down ? -1 : 1;
  return [...robots].sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return x === y ? natural(a.id, b.id) : x === null ? 1 : -1;
    const order = typeof x === "string" || typeof y === "string" ? natural(String(x), String(y)) : x - y;
    return order * sign || natural(a.id, b.id);
  });
}

export const FILTERS = /** @type {Record<string, {name: string, wants: (robot: Robot) => boolean}>} */ ({
  all: { name: "All", wants: () => true },
  trouble: { name: "With trouble", wants: (robot) => troublesOf(robot).length > 0 },
  there: { name: "Connected", wants: (robot) => robot.alive },
  silent: { name: "Silent", wants: (robot) => !robot.alive },
  held: { name: "Held", wants: (robot) => robot.held },
});

/** @param {Robot} robot @param {string} text all of its words must occur in the robot's row */
export function matches(robot, text) {
  const hay = COLUMNS.map((column) => column.text(robot)).concat(robot.version ?? "").join(" ").toLowerCase();
  return text.toLowerCase().split(/\s+/).every((word) => hay.includes(word));
}
