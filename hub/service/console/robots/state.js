// @ts-check
// State of a robot in words and marks: activity, troubles, battery charge. Red is used only for trouble.

import { DASH, fixed, num, span } from "../shared/format.js";

/** @typedef {import("../link/contract.js").Robot} Robot */

/** @param {Robot} robot never heard since the hub started */
const isAbsent = (robot) => !robot.alive && !robot.version;

/** @param {Robot} robot @returns {{text: string, kind: string}} kind: idle, ready, run, pause, stop, lost, absent */
export function stateOf(robot) {
  if (isAbsent(robot)) return { text: "absent", kind: "absent" };
  if (!robot.alive) return { text: "silent", kind: "lost" };
  if (robot.held) return { text: "held", kind: "stop" };
  const kind = String(robot.state ?? "").toLowerCase();
  return { text: kind || DASH, kind };
}

/** Returns the troubles of a robot, the worst first; empty without trouble. @param {Robot} robot @returns {{text: string, bad: boolean}[]} */
export function troublesOf(robot) {
  const told = [];
  if (robot.device_trouble) told.push({ text: robot.device_trouble, bad: true });
  if (isAbsent(robot)) return told;
  if (!robot.alive) told.push({ text: `silent for ${span(robot.heard_s)}`, bad: true });
  if (robot.refusal) told.push({ text: `rejects the experiment: ${robot.refusal}`, bad: true });
  if (robot.battery_doubt && num(robot.battery_v) !== null) told.push({ text: robot.battery_doubt, bad: false });
  if (batteryLevel(robot) === "bad") told.push({ text: "battery nearly empty", bad: true });
  else if (batteryLevel(robot) === "warn") told.push({ text: "battery low", bad: false });
  if ((num(robot.soc_c) ?? 0) > 80) told.push({ text: `hot: ${fixed(robot.soc_c, 0)} °C`, bad: (num(robot.soc_c) ?? 0) > 88 });
  if ((num(robot.round_trip_ms) ?? 0) > 100) told.push({ text: `slow network: ${fixed(robot.round_trip_ms, 0)} ms`, bad: false });
  if ((num(robot.late_p99_ms) ?? 0) > 20) told.push({ text: `late by ${fixed(robot.late_p99_ms, 0)} ms`, bad: false });
  return told;
}

/** @param {Robot} robot @returns {"" | "warn" | "bad"} */
export function batteryLevel(robot) {
  const [volts, minutes] = [num(robot.battery_v), num(robot.battery_minutes)];
  // If known, the remaining time is more informative than the voltage.
  if (minutes !== null) return minutes < 5 ? "bad" : minutes < 15 ? "warn" : "";
  if (volts === null) return "";
  return volts < 3.4 ? "bad" : volts < 3.6 ? "warn" : "";
}

/** Returns the charge of the battery from its voltage, 0 to 1. @param {Robot} robot */
export function charge(robot) {
  const volts = num(robot.battery_v);
  return volts === null ? 0 : Math.min(1, Math.max(0, (volts - 3.3) / 0.85));
}

/** @param {Robot} robot */
export const minutesLeft = (robot) => {
  const minutes = num(robot.battery_minutes);
  return minutes === null ? "" : minutes >= 120 ? `${Math.floor(minutes / 60)} h` : `${Math.max(0, Math.round(minutes))} min`;
};
