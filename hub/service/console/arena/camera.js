// @ts-check
// Conversion from metres of the arena to pixels of the canvas, with zoom and pan. Zoom 1 shows the whole arena.

import { clamp } from "../shared/format.js";

const MOST = 12;
const MARGIN = 14;

export class Camera {
  constructor() {
    this.half = [1, 0.75];
    this.width = 1;
    this.height = 1;
    this.zoom = 1;
    // Point of the arena at the centre of the canvas (m).
    this.middle = [0, 0];
    this.scale = 1;
    this.fit();
  }

  /** @param {number} width @param {number} height CSS pixels @param {number[]} half (m) */
  resize(width, height, half) {
    [this.width, this.height, this.half] = [Math.max(1, width), Math.max(1, height), half];
    this.fit();
  }

  fit() {
    const across = (this.width - 2 * MARGIN) / (2 * this.half[0]);
    const up = (this.height - 2 * MARGIN) / (2 * this.half[1]);
    this.scale = Math.max(1, Math.min(across, up)) * this.zoom;
    // The arena stays visible: at zoom 1 it is centred; at larger zooms its border does not cross the centre of the
    // canvas.
    const room = [0, 1].map((axis) => this.half[axis] * (1 - 1 / this.zoom));
    this.middle = this.middle.map((at, axis) => clamp(at, -room[axis], room[axis]));
  }

  /** @param {number} x (m) */
  x(x) {
    return this.width / 2 + (x - this.middle[0]) * this.scale;
  }

  /** @param {number} y (m) */
  y(y) {
    return this.height / 2 - (y - this.middle[1]) * this.scale;
  }

  /** Returns the point of the arena at a pixel. @param {number} px @param {number} py @returns {[number, number]} */
  at(px, py) {
    return [this.middle[0] + (px - this.width / 2) / this.scale, this.middle[1] - (py - this.height / 2) / this.scale];
  }

  /** Zooms; the point of the arena at the pixel stays there. @param {number} factor @param {number} [px] @param {number} [py] */
  zoomBy(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.at(px, py);
    this.zoom = clamp(this.zoom * factor, 1, MOST);
    this.fit();
    this.middle = [x - (px - this.width / 2) / this.scale, y + (py - this.height / 2) / this.scale];
    this.fit();
  }

  /** @param {number} dx @param {number} dy (pixels) */
  panBy(dx, dy) {
    this.middle = [this.middle[0] - dx / this.scale, this.middle[1] + dy / this.scale];
    this.fit();
  }

  /** @param {number} x @param {number} y (m) */
  lookAt(x, y) {
    this.middle = [x, y];
    this.fit();
  }

  reset() {
    this.zoom = 1;
    this.middle = [0, 0];
    this.fit();
  }
}
