// @ts-check
// Short descriptions of a robot's additional sensors.

import { fixed } from "../shared/format.js";

// Bearings of the infra-red sensors in the robot's frame (rad) (Table 6.1).
const BEARINGS = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297];
// Difference of light values below which the light counts as ambient, as a fraction of the sensors' range.
const EVEN = 0.02;

/** Names of the sensors with long descriptions. */
export const LONG = ["light", "acceleration", "sound", "robots heard"];

/**
 * Describes all sensors, even missing ones, so that nothing moves when a robot reports a sensor later than the others.
 * @param {import("../link/contract.js").Sensors | null | undefined} sensors @returns {Record<string, string>}
 */
export function sensed(sensors) {
  const { acceleration, light, loudness, sound_from: from, ground, ahead, heading, tilt, heard } = sensors ?? {};
  return {
    "floor": ground ? ground.map((part) => fixed(100 * part, 0)).join(", ") + " %" : "–",
    "free ahead": typeof ahead === "number" ? fixed(ahead, 2, " m") : "–",
    "magnetic heading": typeof heading === "number" ? degrees(heading) : "–",
    "roll, pitch": tilt ? tilt.map(degrees).join(", ") : "–",
    "light": light ? lightInWords(light) : "–",
    "acceleration": acceleration ? `${acceleration.map((a) => fixed(a, 1)).join(", ")} m/s²` : "–",
    "sound": loudness?.length ? `${fixed(100 * Math.max(...loudness), 1, " %")}${typeof from === "number" ? `, from ${side(from)}` : ""}` : "–",
    "robots heard": heard?.length ? heard.map((robot) => `${robot.robot} ${bearingInWords(robot.bearing)}`).join(", ") : "–",
  };
}

/** @param {number[]} light */
function lightInWords(light) {
  const [least, most] = [Math.min(...light), Math.max(...light)];
  const share = `${fixed(100 * least, 0)} to ${fixed(100 * most, 0, " %")}`;
  return most - least < EVEN ? share : `${share}, most ${side(BEARINGS[light.indexOf(most)] ?? 0)}`;
}

/** @param {number} angle */
const degrees = (angle) => fixed((180 / Math.PI) * angle, 0, "°");

/** @param {number} bearing */
function bearingInWords(bearing) {
  const size = Math.round(Math.abs((180 / Math.PI) * bearing));
  return size === 0 ? "ahead" : `${size}° ${bearing > 0 ? "left" : "right"}`;
}

/** @param {number} bearing */
function side(bearing) {
  const size = Math.abs(bearing);
  if (size < 0.6) return "ahead";
  if (size > 2.5) return "behind";
  return bearing > 0 ? "left" : "right";
}
