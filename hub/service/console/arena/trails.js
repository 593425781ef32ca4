// @ts-check
// Trails of bodies: the latest points of each body, at a minimum distance, with a bounded total number.

const APART = 0.006;
const JUMP = 0.3;
const LATE = 2;
const POINTS = 4000;
const LONGEST = 240;
// Length of a trail (s of arena time).
const REACH = 25;
const BANDS = 4;

/** @typedef {{t: number[], x: number[], y: number[]}} Trail */

/** Removes points that are too old or too many, also for bodies at rest. @param {Trail} trail @param {number} most maximum number of points @param {number} t */
function shorten(trail, most, t) {
  while (trail.t.length > most || trail.t[0] < t - REACH) {
    trail.t.shift();
    trail.x.shift();
    trail.y.shift();
  }
}

export class Trails {
  constructor() {
    /** @type {Map<string, Trail>} */
    this.trails = new Map();
    this.drawn = -Infinity;
  }

  clear() {
    this.trails.clear();
    this.drawn = -Infinity;
  }

  /** @param {number} t @param {string[]} names @param {number[]} numbers as in a `poses` event */
  take(t, names, numbers) {
    const most = Math.min(LONGEST, Math.floor(POINTS / Math.max(1, names.length)));
    names.forEach((name, i) => {
      const [x, y] = [numbers[3 * i], numbers[3 * i + 1]];
      if (!Number.isFinite(x) || !Number.isFinite(y)) return;
      let trail = this.trails.get(name);
      if (!trail) this.trails.set(name, (trail = { t: [], x: [], y: [] }));
      const last = trail.t.length - 1;
      if (last >= 0) {
        const way = Math.hypot(x - trail.x[last], y - trail.y[last]);
        if (t <= trail.t[last] && t > trail.t[last] - LATE) return;
        // The trail restarts after a body was carried, or a replay went back.
        if (way > JUMP || t < trail.t[last]) trail.t.length = trail.x.length = trail.y.length = 0;
        else if (way < APART) return shorten(trail, most, t);
      }
      trail.t.push(t);
      trail.x.push(x);
      trail.y.push(y);
      shorten(trail, most, t);
    });
    for (const name of this.trails.keys()) if (!names.includes(name)) this.trails.delete(name);
  }

  /**
   * Draws all points up to a time. Many lines take long to draw, so they are on the floor canvas, which is drawn a few times a second.
   * @param {CanvasRenderingContext2D} ctx @param {import("./camera.js").Camera} camera @param {number} at
   * @param {(name: string) => {colour: string, strong: boolean}} look
   */
  draw(ctx, camera, at, look) {
    ctx.lineJoin = "round";
    for (const [name, { t, x, y }] of this.trails) {
      let n = t.length;
      while (n > 0 && t[n - 1] > at) n--;
      const { colour, strong } = look(name);
      ctx.strokeStyle = colour;
      ctx.lineWidth = strong ? 2.5 : 1.5;
      for (let band = 0; band < BANDS; band++) {
        const [from, to] = [Math.floor((band * (n - 1)) / BANDS), Math.floor(((band + 1) * (n - 1)) / BANDS)];
        if (to <= from) continue;
        ctx.globalAlpha = ((band + 1) / BANDS) * (strong ? 0.9 : 0.45);
        ctx.beginPath();
        ctx.moveTo(camera.x(x[from]), camera.y(y[from]));
        for (let i = from + 1; i <= to; i++) ctx.lineTo(camera.x(x[i]), camera.y(y[i]));
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
    this.drawn = at;
  }

  /**
   * Draws the missing parts between the trails on the floor canvas and the bodies.
   * @param {CanvasRenderingContext2D} ctx @param {import("./camera.js").Camera} camera @param {number} at
   * @param {Map<string, import("./motion.js").Pose>} poses
   * @param {(name: string) => {colour: string, strong: boolean}} look
   */
  drawEnds(ctx, camera, at, poses, look) {
    for (const [name, { t, x, y }] of this.trails) {
      const pose = poses.get(name);
      let from = t.length - 1;
      while (from > 0 && t[from] > this.drawn) from--;
      if (!pose || from < 0 || t[from] > at) continue;
      const { colour, strong } = look(name);
      ctx.strokeStyle = colour;
      ctx.lineWidth = strong ? 2.5 : 1.5;
      ctx.globalAlpha = strong ? 0.9 : 0.45;
      ctx.beginPath();
      ctx.moveTo(camera.x(x[from]), camera.y(y[from]));
      for (let i = from + 1; i < t.length && t[i] <= at; i++) ctx.lineTo(camera.x(x[i]), camera.y(y[i]));
      ctx.lineTo(camera.x(pose.x), camera.y(pose.y));
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
  }
}
