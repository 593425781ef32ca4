// @ts-check
// When a replay's events are due: a clock with a speed, and the chunks of the record around it. Pure but for who fetches.

import { clamp } from "../shared/format.js";

// A chunk lasts so many seconds of the wall clock at the speed of the moment, but no more arena time than the server gives.
const CHUNK_WALL = 8;
const CHUNK_MOST = 60;
const CHUNK_LEAST = 4;
const AHEAD = 2;
const KEPT = 8;
const HZ = 25;
// The stretch that holds the state at the very end.
const LAST = 1e-3;

export const SLOWEST = 0.1;
export const FASTEST = 50;

/** Poses a second of arena time that are worth asking for: not more than the screen shows. @param {number} speed */
export const hzFor = (speed) => clamp(Math.round(HZ / speed), 1, HZ);

/** Length of a chunk at a speed, in arena time. @param {number} speed */
export const chunkFor = (speed) => clamp(CHUNK_WALL * speed, CHUNK_LEAST, CHUNK_MOST);

/**
 * @typedef {[number, string, any]} Event time, type, data
 * @typedef {{from: number, to: number, hz: number, events: Event[] | null, failed: boolean}} Chunk
 */

export class Schedule {
  /**
   * @param {{begin: number, end: number}} range
   * @param {(from: number, to: number, hz: number) => Promise<Event[]>} fetch
   */
  constructor({ begin, end }, fetch) {
    this.begin = begin;
    this.end = Math.max(begin, end);
    this.fetch = fetch;
    this.at = begin;
    this.speed = 1;
    this.playing = false;
    /** @type {Chunk[]} */
    this.chunks = [];
    // Events before this time are out already; the state at a jump comes with the chunk that begins there.
    this.done = -Infinity;
    this.jumped = true;
    this.trouble = "";
    this.asked = -Infinity;
  }

  /** @param {number} speed */
  setSpeed(speed) {
    const before = hzFor(this.speed);
    this.speed = clamp(speed, SLOWEST, FASTEST);
    // What was fetched for another speed is too coarse or too fine from here on.
    if (hzFor(this.speed) !== before) this.seek(this.at, false);
  }

  /** @param {number} t @param {boolean} [jump] */
  seek(t, jump = true) {
    this.at = clamp(t, this.begin, this.end);
    this.chunks = [];
    this.jumped ||= jump;
    if (jump) this.done = -Infinity;
    this.asked = -Infinity;
  }

  /** What is fetched depends on more than time: begin anew, as with another robot. */
  renew() {
    this.seek(this.at, false);
    this.done = -Infinity;
  }

  /** Where what is shown is fetched: at the end too there is something before it. */
  get here() {
    return Math.max(this.begin, Math.min(this.at, this.end - LAST));
  }

  get waiting() {
    return !this.chunkAt(this.here)?.events;
  }

  /** @param {number} t */
  chunkAt(t) {
    return this.chunks.find((chunk) => chunk.from <= t && t < chunk.to);
  }

  /**
   * Lets time pass, and returns the events that are due.
   * @param {number} seconds of the wall clock @param {number} now wall, s, for trying again
   * @returns {{events: Event[], jumped: boolean}} jumped: the state of before does not hold any more
   */
  advance(seconds, now) {
    this.prefetch(now);
    const chunk = this.chunkAt(this.here);
    if (!chunk?.events) return { events: [], jumped: false };
    if (this.playing) {
      // It does not run past what has been fetched.
      let limit = chunk.to;
      for (let next = this.chunkAt(limit); next?.events; next = this.chunkAt(limit)) limit = next.to;
      this.at = Math.min(this.at + seconds * this.speed, this.end, limit);
      if (this.at >= this.end) this.playing = false;
    }
    const isDue = (/** @type {Event} */ [t]) => t > this.done && t <= this.at;
    const events = this.chunks.flatMap((other) => other.events?.filter(isDue) ?? []).sort((a, b) => a[0] - b[0]);
    const jumped = this.jumped && events.length > 0;
    if (events.length > 0) [this.jumped, this.done] = [false, this.at];
    return { events, jumped };
  }

  /** @param {number} now */
  prefetch(now) {
    const hz = hzFor(this.speed);
    let from = this.here;
    for (let i = 0; i <= AHEAD; i++) {
      const there = this.chunkAt(from);
      if (there) {
        // One that failed is tried again, not too often.
        if (there.failed && now - this.asked > 3) {
          this.chunks = this.chunks.filter((chunk) => chunk !== there);
          break;
        }
        from = there.to;
      } else if (i === 0 || from < this.end) {
        const to = Math.min(this.end + LAST, from + chunkFor(this.speed));
        this.load({ from, to, hz, events: null, failed: false }, now);
        from = to;
      }
    }
    this.chunks = this.chunks.filter((chunk) => chunk.to > this.at - 1).slice(0, KEPT);
  }

  /** @param {Chunk} chunk @param {number} now */
  async load(chunk, now) {
    this.chunks.push(chunk);
    this.chunks.sort((a, b) => a.from - b.from);
    this.asked = now;
    try {
      const events = await this.fetch(chunk.from, chunk.to, chunk.hz);
      // A chunk begins with the state at its beginning, which is of no use where the one before it was played.
      const goesOn = this.chunks.some((other) => other.events && Math.abs(other.to - chunk.from) < 1e-6);
      const before = (/** @type {Event} */ [t, , data]) => t < chunk.from || (t === chunk.from && data?.t < t);
      chunk.events = events.filter((event) => !goesOn || !before(event)).sort((a, b) => a[0] - b[0]);
      this.trouble = "";
    } catch (error) {
      chunk.failed = true;
      this.trouble = error instanceof Error ? error.message : String(error);
    }
  }
}
