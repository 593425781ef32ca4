// @ts-check
// Descriptions of the state in plain words. Pure functions of the hub's data.

import { clock, count, fixed, num } from "./format.js";

/** @typedef {import("../link/contract.js").Status} Status @typedef {import("../link/store.js").Store} Store */

const PHASES = /** @type {Record<string, string>} */ ({
  idle: "Idle",
  preparing: "Getting ready",
  running: "Running",
  paused: "Paused",
  relocating: "Relocating",
  blind: "No tracking",
  resting: "Resting",
  finished: "Finished",
});

/** @param {string} phase */
export const phaseInWords = (phase) => PHASES[phase] ?? phase ?? "";

/** Whether a run is in progress: it can be stopped, and no other can be started. @param {Status | null} status */
export const isGoing = (status) => status !== null && !["", "idle", "finished"].includes(status.phase);

/**
 * Returns the operator who stopped the run that was started last; "" if it ended otherwise, or began before the first line.
 * @param {{who: string, text: string}[]} lines the oldest first @param {(who: string) => boolean} [isRobot] identifies robots, whose lines are not trusted
 */
export function stoppedBy(lines, isRobot = () => false) {
  for (const { who, text } of [...lines].reverse()) {
    if (isRobot(who)) continue;
    if (who && text === `stopped by ${who}`) return who;
    if (/^experiment .*: started by /.test(text)) return "";
  }
  return "";
}

/** Describes the phase, with the operator if an operator stopped the run. @param {Store} store */
export function phaseOf(store) {
  const { status } = store;
  const who = status?.phase === "finished" ? stoppedBy(store.lines, (id) => store.robots.has(id)) : "";
  return who ? `Stopped by ${who}` : phaseInWords(status?.phase ?? "");
}

/** Returns the scored segments without segment 0, the time before the first evolved trees. @param {Status | null} status */
export function scored(status) {
  const all = (status?.segments ?? []).filter((segment) => num(segment.fitness) !== null);
  return all.filter((segment) => segment.number > 0);
}

/** Returns the mean fitness over whole segments, weighted by their time. @param {Status | null} status @returns {number | null} */
export function meanFitness(status) {
  let [sum, time] = [0, 0];
  for (const segment of scored(status)) [sum, time] = [sum + (segment.fitness ?? 0) * segment.seconds, time + segment.seconds];
  return time > 0 ? sum / time : null;
}

/** Returns the fitness of the current segment. @param {Status | null} status @returns {number | null} */
export const fitnessNow = (status) => num(segmentNow(status)?.fitness);

/** Returns the raw value of the current segment in a mission. @param {Status | null} status @returns {number | null} */
export const valueNow = (status) => num(segmentNow(status)?.value);

/** @param {Status | null} status */
const segmentNow = (status) => status?.segments.find((other) => other.number === status.segment) ?? status?.segments.at(-1);

/**
 * Returns which robots obey the latest directive.
 * @param {Status | null} status
 */
export function acknowledged(status) {
  const there = (status?.robots ?? []).filter((robot) => robot.alive);
  const obeying = there.filter((robot) => robot.obeys);
  const times = obeying.map((robot) => num(robot.obeyed_ms)).filter((ms) => ms !== null);
  return {
    state: status?.directive?.state ?? "",
    number: status?.directive?.number ?? 0,
    age: status?.directive?.age_s ?? null,
    obeying: obeying.length,
    of: there.length,
    slowest: times.length > 0 ? Math.max(...times) : null,
    waiting: there.filter((robot) => !robot.obeys).map((robot) => robot.id),
    silent: (status?.robots ?? []).filter((robot) => !robot.alive).map((robot) => robot.id),
  };
}

/** @param {ReturnType<typeof acknowledged>} acks */
export function acksInWords(acks) {
  if (acks.of === 0) return `${acks.state}: no robot is connected`;
  const slowest = acks.slowest === null ? "" : `, the slowest after ${fixed(acks.slowest, 0)} ms`;
  if (acks.waiting.length === 0) return `${acks.state}: all ${acks.of} robots obey${slowest}`;
  return `${acks.state}: ${acks.obeying} of ${acks.of} robots obey, waiting for ${names(acks.waiting)}`;
}

/** @param {string[]} ids */
export const names = (ids) => (ids.length <= 4 ? ids.join(", ") : `${ids.slice(0, 3).join(", ")} and ${ids.length - 3} more`);

/**
 * Returns text and level of the strip below the header.
 * @param {import("../link/live.js").Link} link @param {Store} store @param {number} now @param {number} heardAt
 * @returns {{text: string, level: "quiet" | "good" | "warn" | "bad"}}
 */
export function linkInWords(link, store, now, heardAt) {
  const status = store.status;
  if (link === "ended") {
    const record = status?.record ? ` The record is in ${status.record}.` : "";
    return { text: `The hub has ended: ${store.ended || "it was shut down"}.${record}`, level: "warn" };
  }
  if (link === "connecting" || !status) {
    return link === "lost" ? { text: "The hub cannot be reached. Is `xpuck serve hub` running? Trying again", level: "bad" }
      : { text: "Connecting to the hub", level: "quiet" };
  }
  if (link !== "live") {
    const ago = Math.round((now - heardAt) / 1000);
    return { text: `No message from the hub for ${ago} s: the page is outdated. Trying again`, level: link === "lost" ? "bad" : "warn" };
  }
  if (String(status.record ?? "").startsWith("NOT RECORDING")) return { text: status.record, level: "bad" };
  if (status.not_kept) {
    return { text: `NOT DURABLE: the disk does not save the state of the run; a restarted hub will wait for START (${status.not_kept})`, level: "bad" };
  }
  if (status.tracking === false) {
    return { text: "TRACKING LOST: everything is shown at its last known pose", level: "bad" };
  }
  if (status.names) return { text: `NAMES: ${status.names}`, level: "warn" };
  // A frame's time may be slightly before that of the latest poses, which would give a negative age.
  const age = store.poseAge === null ? null : Math.max(0, store.poseAge + (now - store.posesAt) / 1000);
  const poses = age === null ? "no poses yet" : age < 1 ? `poses ${fixed(Math.ceil(age * 50) * 20, 0)} ms old` : `poses ${fixed(age, 1)} s old`;
  const trip = num(status.round_trip_ms) === null ? "" : ` · mean round trip ${fixed(status.round_trip_ms, 1)} ms`;
  return { text: `Live · ${poses}${trip}`, level: age !== null && age > 1 ? "warn" : "good" };
}

/** Returns the reason why nothing can be started; "" while the hub answers. @param {import("../link/live.js").Link} link */
export function goneInWords(link) {
  if (link === "ended") return "The hub has ended: nothing can be started until it runs again. Start `xpuck serve hub` or `xpuck demo`.";
  return link === "lost" ? "The hub cannot be reached: nothing can be started until it answers. This page tries again by itself." : "";
}

/** @param {unknown} times number of times that a robot was lost in a run @returns {string} "" without losses */
export const lossesInWords = (times) => (num(times) ? `a robot was lost (silent for 3 s) ${count(Number(times), "time")}` : "");

const TASKS = /** @type {Record<string, (n: string, goal: string) => string>} */ ({
  transport: (n, goal) => `${n} push the frisbee to the ${goal} end.`,
  "transport-once": (n, goal) => `${n} push the frisbee to the ${goal}, once.`,
  "transport-position": (n, goal) => `${n} push the frisbee as far ${goal} as they can.`,
  aggregation: (n) => `${n} try to come together in one place.`,
  dispersion: (n) => `${n} try to spread out.`,
  coverage: (n) => `${n} try to go everywhere.`,
  foraging: (n) => `${n} carry food to their nest.`,
});

// Running time after which an evolving robot has reported its engine (s).
const GIVEN_AFTER_S = 10;

/** @param {Status} status */
const isEvolving = (status) => !status.phase_of || status.phase_of.name.startsWith("evolve");

/** Whether the robots drive with given trees: an evolving robot reports its engine within seconds. @param {Status | null} status */
export function evolutionIsOff(status) {
  if (!status || !isEvolving(status) || (num(status.run_seconds) ?? 0) <= GIVEN_AFTER_S) return false;
  return !status.robots.some((robot) => robot.engine?.name || (num(robot.evolution?.generation) ?? 0) > 0);
}

/** Describes the current state for a new viewer. @param {Store} store @returns {{title: string, text: string}} */
export function nowInWords(store) {
  const { status, world } = store;
  if (!status) return { title: "Waiting for the hub", text: "The robots appear here as soon as it answers." };
  const alive = status.robots.filter((robot) => robot.alive).length;
  const robots = alive === 0 ? "No robots" : count(alive, "robot");
  const goal = world?.goal ?? "left";
  const task = TASKS[world?.task ?? ""]?.(robots, goal) ?? `${robots} work on ${world?.task || "their task"}.`;
  if (status.waits) return { title: "The hub was restarted", text: `${status.waits[0].toUpperCase()}${status.waits.slice(1)}.` };
  switch (status.phase) {
    case "idle":
      return { title: "No experiment is running", text: alive > 0 ? `${robots} ${alive === 1 ? "is" : "are"} connected and waiting.` : "No robot is connected yet: switch some on." };
    case "preparing": {
      const ready = status.robots.filter((robot) => robot.alive && robot.obeys).length;
      const refusing = status.robots.filter((robot) => robot.refusal).map((robot) => robot.id);
      const refused = refusing.length > 0 ? ` ${names(refusing)} ${refusing.length === 1 ? "refuses" : "refuse"} the experiment: see Run.` : "";
      return { title: "Getting ready", text: `${ready} of ${alive} robots have the experiment and are ready.${refused}` };
    }
    case "paused": return { title: "Paused", text: "An operator paused the run: robots stand still, and the clock of the run is stopped." };
    case "relocating": return { title: "The frisbee reached the end", text: "The run continues when a person, or the virtual arena, has put it back near the centre." };
    case "blind": return { title: "Motion capture sees too little", text: "The run continues when the robots and the objects that they move are tracked again." };
    case "parking": return { title: "Parking", text: "Robots drive to their places by motion capture. STOP stops them." };
    case "resting": return { title: "A rest", text: "The experiment has a pause here: robots stand still." };
    case "finished": {
      const mean = meanFitness(status);
      const how = phaseOf(store);
      const stopped = how === PHASES.finished ? "" : `${how}. `;
      return { title: "The run is over", text: stopped + (mean === null ? "No segment was scored." : `Its mean fitness is ${fixed(mean, 2)} over ${count(scored(status).length, "segment")}.`) };
    }
  }
  const evolving = isEvolving(status);
  if (evolutionIsOff(status)) {
    return { title: task, text: "Evolution is off: the robots drive with the given tree." };
  }
  const stand = evolving && status.segment === 0 && !status.robots.some((robot) => (robot.tree_nodes ?? 0) > 0);
  if (stand) return { title: `${robots} ${alive === 1 ? "stands and evolves" : "stand and evolve"}`, text: "They have no evolved trees yet: segment 0 does not count." };
  const how = evolving ? "Each robot evolves behaviour trees on board and drives with its fittest tree."
      : "The robots drive with evolved trees.";
  return { title: task, text: how };
}

/** @param {Status | null} status */
export function clockInWords(status) {
  if (!status || (!status.run_length && !status.run_seconds)) return "–";
  return `${clock(status.run_seconds)} / ${clock(status.run_length)}`;
}
