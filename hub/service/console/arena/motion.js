// @ts-check
// Interpolation of the drawn poses between the received poses, on a clock slightly behind the clock of the poses.

import { clamp, wrap } from "../shared/format.js";

// Distance between two poses above which a body was carried or lost; the poses are then not interpolated (m).
const JUMP = 0.3;
const KEPT = 12;
// Time without a pose after which a body is not drawn any more (s of arena time).
const GONE = 1;
const LATE = 2;

/** @typedef {{x: number, y: number, heading: number}} Pose @typedef {{t: number[], p: Pose[]}} Track */

export class Motion {
  constructor() {
    /** @type {Map<string, Track>} */
    this.tracks = new Map();
    this.newest = -Infinity;
    this.arrived = 0;
    // Interval of the poses (ms of wall time), and rate of arena time (s per ms of wall time).
    this.interval = 40;
    this.rate = 0.001;
    this.clock = NaN;
    this.asked = 0;
    // Time of the last motion (ms of wall time).
    this.movedAt = -Infinity;
  }

  /** Processes a `poses` event. @param {number} t @param {string[]} names @param {number[]} numbers @param {number} now wall time (ms) */
  take(t, names, numbers, now) {
    // A repeated or late event is ignored; a much older event belongs to another time.
    if (t <= this.newest && t > this.newest - LATE) return;
    if (t < this.newest || t > this.newest + 5) this.clear();
    const [gap, step] = [now - this.arrived, t - this.newest];
    if (this.newest > -Infinity && step > 0 && gap > 0) {
      this.interval = clamp(0.85 * this.interval + 0.15 * gap, 5, 500);
      this.rate = 0.9 * this.rate + 0.1 * clamp(step / gap, 1e-5, 0.1);
    }
    [this.newest, this.arrived] = [t, now];
    let moved = false;
    names.forEach((name, i) => {
      const pose = { x: numbers[3 * i], y: numbers[3 * i + 1], heading: numbers[3 * i + 2] };
      if (!Number.isFinite(pose.x) || !Number.isFinite(pose.y) || !Number.isFinite(pose.heading)) return;
      const track = this.tracks.get(name) ?? { t: [], p: [] };
      const last = track.p.at(-1);
      moved ||= !last || last.x !== pose.x || last.y !== pose.y || last.heading !== pose.heading;
      track.t.push(t);
      track.p.push(pose);
      if (track.t.length > KEPT) {
        track.t.shift();
        track.p.shift();
      }
      this.tracks.set(name, track);
    });
    for (const [name, track] of this.tracks) if (t - track.t[track.t.length - 1] > GONE) this.tracks.delete(name);
    if (moved) this.movedAt = now;
  }

  clear() {
    this.tracks.clear();
    this.newest = -Infinity;
    this.clock = NaN;
  }

  /**
   * Returns the poses to draw now, in the order in which their bodies first appeared.
   * @param {number} now wall time (ms) @param {boolean} calm disables the interpolation
   * @returns {{poses: Map<string, Pose>, still: boolean, at: number}} still: no change until new poses arrive; at: time of the poses
   */
  sample(now, calm = false) {
    const goal = this.newest - 1.3 * this.interval * this.rate + (now - this.arrived) * this.rate;
    const off = goal - this.clock;
    const jumped = !Number.isFinite(this.clock) || Math.abs(off) > 400 * this.rate;
    this.clock = jumped ? goal : this.clock + (now - this.asked) * this.rate + 0.08 * off;
    this.asked = now;
    const at = calm ? this.newest : Math.min(this.clock, this.newest);
    /** @type {Map<string, Pose>} */
    const poses = new Map();
    for (const [name, track] of this.tracks) poses.set(name, between(track, at));
    return { poses, still: at >= this.newest, at };
  }
}

/** @param {Track} track @param {number} at @returns {Pose} */
export function between({ t, p }, at) {
  let i = t.length - 1;
  while (i > 0 && t[i - 1] >= at) i--;
  if (i === 0 || at >= t[i]) return p[i];
  const [a, b] = [p[i - 1], p[i]];
  if (Math.hypot(b.x - a.x, b.y - a.y) > JUMP) return b;
  const share = clamp((at - t[i - 1]) / (t[i] - t[i - 1]), 0, 1);
  return {
    x: a.x + (b.x - a.x) * share,
    y: a.y + (b.y - a.y) * share,
    heading: a.heading + wrap(b.heading - a.heading) * share,
  };
}
