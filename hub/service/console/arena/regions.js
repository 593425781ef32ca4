// @ts-check
// Drawing of the floor's regions: paint, tinted regions without paint, their names, and lines that robots cross.

/**
 * @typedef {import("./camera.js").Camera} Camera @typedef {import("../link/contract.js").World} World
 * @typedef {[number, number][][]} Outline closed polygons under the even-odd rule (m)
 * @typedef {object} Region the union of `shapes` without the union of `cuts`
 * @property {string} name
 * @property {Outline[]} shapes
 * @property {Outline[]} cuts
 * @property {[number, number][]} names place of the name in each shape
 * @property {number | null} level brightness of the paint, 0 (black) to 1 (white); null without paint
 * @property {boolean} conditional whether the region exists only under a condition
 * @typedef {object} Floor
 * @property {number | null} level brightness of the unpainted floor; null for a floor without paint
 * @property {Region[]} regions
 * @property {[number, number, number, number][]} lines lines whose crossings count, from the left to the right side
 */

const GREEN = "#2f9e58";
const LINE = "#c9499a";
const ARROW_M = 0.08;

/** Mixes two colours `#rrggbb`; 0 is the first one. @param {string} first @param {string} second @param {number} part */
export function mixed(first, second, part) {
  const channels = (/** @type {string} */ colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) || 0);
  const to = channels(second);
  const mix = channels(first).map((value, i) => Math.round(value + (to[i] - value) * Math.min(1, Math.max(0, part))));
  return `#${mix.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Colour of paint. @param {number} level 0 (black) to 1 (white) @param {Record<string, string>} colours */
const shade = (level, colours) => mixed(colours["paint-black"], colours["paint-white"], level);

/** Returns the floor's colour. @param {World} world @param {Record<string, string>} colours */
export const floorColour = (world, colours) => (typeof world.floor?.level === "number" ? shade(world.floor.level, colours) : colours.floor);

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {World} world @param {Record<string, string>} colours */
export function drawPaint(ctx, camera, world, colours) {
  // The first painted region is visible where regions overlap, so it is drawn last.
  for (const region of [...(world.floor?.regions ?? [])].reverse()) {
    if (typeof region.level !== "number") continue;
    drawRegion(ctx, camera, region, shade(region.level, colours), region.conditional ? 0.5 : 1, colours.wall);
  }
}

/** Draws regions without paint, names and lines. @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {World} world @param {Record<string, string>} colours */
export function drawMarks(ctx, camera, world, colours) {
  const regions = world.floor?.regions ?? [];
  for (const region of [...regions].reverse()) {
    if (typeof region.level === "number") continue;
    const colour = tint(region, colours);
    drawRegion(ctx, camera, region, colour, 0.16, colour);
  }
  for (const line of (world.floor?.lines ?? []).slice(0, 64)) drawCrossed(ctx, camera, line);
  for (const region of regions) drawNames(ctx, camera, region, colours);
}

/** @param {Region} region @param {Record<string, string>} colours */
const tint = (region, colours) => (region.name === "food" ? GREEN : colours.goal);

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {Region} region @param {string} fill @param {number} opacity @param {string} stroke */
function drawRegion(ctx, camera, region, fill, opacity, stroke) {
  ctx.save();
  for (const cut of region.cuts) {
    // Everything but the cut: a large rectangle and the cut under the even-odd rule.
    ctx.beginPath();
    ctx.rect(-1e5, -1e5, 2e5, 2e5);
    trace(ctx, camera, cut);
    ctx.clip("evenodd");
  }
  ctx.fillStyle = fill;
  ctx.strokeStyle = stroke;
  ctx.lineWidth = 1.5;
  if (region.conditional || typeof region.level !== "number") ctx.setLineDash([6, 4]);
  for (const shape of region.shapes) {
    ctx.beginPath();
    trace(ctx, camera, shape);
    ctx.globalAlpha = opacity;
    ctx.fill("evenodd");
    ctx.globalAlpha = 0.6;
    ctx.stroke();
  }
  ctx.restore();
}

/** Adds the closed polygons of an outline to the path. @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {Outline} outline */
function trace(ctx, camera, outline) {
  for (const polygon of outline) {
    polygon.forEach(([x, y], i) => (i === 0 ? ctx.moveTo(camera.x(x), camera.y(y)) : ctx.lineTo(camera.x(x), camera.y(y))));
    ctx.closePath();
  }
}

/** Draws a line with an arrow from its left to its right side. @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {[number, number, number, number]} line */
function drawCrossed(ctx, camera, [x1, y1, x2, y2]) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ax, ay] = [((x2 - x1) / length) * ARROW_M, ((y2 - y1) / length) * ARROW_M];
  const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
  // The right side is in the direction (ay, -ax).
  const [tipX, tipY] = [mx + ay / 2, my - ax / 2];
  const lines = [[x1, y1, x2, y2], [mx - ay / 2, my + ax / 2, tipX, tipY]];
  for (const side of [-1, 1]) lines.push([tipX - ay / 3 + (side * ax) / 3, tipY + ax / 3 + (side * ay) / 3, tipX, tipY]);
  ctx.strokeStyle = LINE;
  ctx.lineWidth = 2.5;
  ctx.lineCap = "round";
  ctx.beginPath();
  for (const [fromX, fromY, toX, toY] of lines) {
    ctx.moveTo(camera.x(fromX), camera.y(fromY));
    ctx.lineTo(camera.x(toX), camera.y(toY));
  }
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {Region} region @param {Record<string, string>} colours */
function drawNames(ctx, camera, region, colours) {
  const size = Math.max(11, Math.min(26, 0.07 * camera.scale));
  ctx.font = `700 ${size.toFixed(0)}px ${colours.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = 3;
  // The edge keeps names readable on paint.
  ctx.strokeStyle = colours.floor;
  ctx.fillStyle = tint(region, colours);
  for (const [x, y] of region.names) {
    ctx.strokeText(region.name.toUpperCase(), camera.x(x), camera.y(y));
    ctx.fillText(region.name.toUpperCase(), camera.x(x), camera.y(y));
  }
}
