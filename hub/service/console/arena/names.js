// @ts-check
// Drawing of the robots' names on the canvas: measured once, placed for every frame.

import { drawLabel } from "./bodies.js";
import { placeLabels } from "./labels.js";

const HEIGHT = 18;
const LONGEST = 24;
// Canvas width from which the page is probably on a wall display.
const WIDE = 1100;

export class Names {
  constructor() {
    /** @type {Map<string, number>} previous slots of the labels, by robot */
    this.slots = new Map();
    /** @type {Map<string, number>} */
    this.widths = new Map();
    /** @type {import("./labels.js").Box[]} labels placed last */
    this.boxes = [];
  }

  /**
   * @param {CanvasRenderingContext2D} ctx @param {{width: number, height: number}} area @param {import("./camera.js").Camera} camera
   * @param {[string, import("./motion.js").Pose][]} robots @param {number} radius (m) @param {string} selected @param {Record<string, string>} colours
   */
  draw(ctx, area, camera, robots, radius, selected, colours) {
    const wide = area.width > WIDE;
    const font = `600 ${wide ? 14 : 12}px ${colours.font}`;
    ctx.font = font;
    if (this.widths.size > 1000) this.widths.clear();
    const anchors = robots.map(([name, pose]) => ({
      key: name, x: camera.x(pose.x), y: camera.y(pose.y), r: Math.max(4, radius * camera.scale),
      width: this.width(ctx, font, name), height: wide ? HEIGHT + 2 : HEIGHT, first: name === selected,
    }));
    this.boxes = placeLabels(anchors, area, this.slots);
    const byKey = new Map(anchors.map((anchor) => [anchor.key, anchor]));
    for (const box of this.boxes) {
      const anchor = byKey.get(box.key);
      if (anchor) drawLabel(ctx, box, box.key.slice(0, LONGEST), anchor, colours, anchor.first);
    }
  }

  /** @param {CanvasRenderingContext2D} ctx @param {string} font @param {string} name */
  width(ctx, font, name) {
    const key = font + name;
    let width = this.widths.get(key);
    if (width === undefined) this.widths.set(key, (width = Math.ceil(ctx.measureText(name.slice(0, LONGEST)).width) + 10));
    return width;
  }
}
