// @ts-check
// Timing of a replay's events: a clock with a speed, and the chunks of the record around it. Pure except for the
// fetch function.

import { clamp } from "../shared/format.js";

// Duration of a chunk (s of wall time) at the current speed, limited to the arena time that the server returns at
// once.
const CHUNK_WALL = 8;
const CHUNK_MOST = 60;
const CHUNK_LEAST = 4;
const AHEAD = 2;
const KEPT = 8;
const HZ = 25;
// Length of the interval that contains the final state (s).
const LAST = 1e-3;

export const SLOWEST = 0.1;
export const FASTEST = 50;

/** Returns the rate of poses to request (Hz of arena time), limited to what the screen shows. @param {number} speed */
export const hzFor = (speed) => clamp(Math.round(HZ / speed), 1, HZ);

/** Returns the length of a chunk at a speed (s of arena time). @param {number} speed */
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
    // Events up to this time have been returned; after a jump, the chunk contains the state at its start.
    this.done = -Infinity;
    this.jumped = true;
    this.trouble = "";
    this.asked = -Infinity;
  }

  /** @param {number} speed */
  setSpeed(speed) {
    const before = hzFor(this.speed);
    this.speed = clamp(speed, SLOWEST, FASTEST);
    // Chunks fetched for another speed have the wrong resolution from now on.
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

  /** Fetches all chunks again, for example after the selection of another robot. */
  renew() {
    this.seek(this.at, false);
    this.done = -Infinity;
  }

  /** Time whose chunk is shown; slightly before the end of the record, so that a chunk always exists. */
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
   * Advances the time and returns the events that are due.
   * @param {number} seconds of wall time @param {number} now wall time (s), for retries
   * @returns {{events: Event[], jumped: boolean}} jumped: the previous state is invalid
   */
  advance(seconds, now) {
    this.prefetch(now);
    const chunk = this.chunkAt(this.here);
    if (!chunk?.events) return { events: [], jumped: false };
    if (this.playing) {
      // The clock does not pass the end of the fetched chunks.
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
        // A failed chunk is fetched again, at a limited rate.
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
      // A chunk begins with the state at its start, which is not needed if the previous chunk was played.
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
