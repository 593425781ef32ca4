// @ts-check
// Drawing of static objects in the arena: floor, goal, regions, walls and their coloured patches. Redrawn only when the
// view changes, not for every frame.

import { drawMarks, drawPaint, floorColour } from "./regions.js";

/** @typedef {import("./camera.js").Camera} Camera @typedef {import("../link/contract.js").World} World */

const PATCHES = /** @type {Record<string, string>} */ ({ red: "#d9483f", green: "#2f9e58", blue: "#2f7fe0" });

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {World} world @param {Record<string, string>} colours */
export function drawFloor(ctx, camera, world, colours) {
  const [hx, hy] = world.half;
  const [left, right, top, bottom] = [camera.x(-hx), camera.x(hx), camera.y(hy), camera.y(-hy)];
  ctx.fillStyle = floorColour(world, colours);
  ctx.fillRect(left, top, right - left, bottom - top);
  ctx.save();
  ctx.beginPath();
  ctx.rect(left, top, right - left, bottom - top);
  ctx.clip();
  drawPaint(ctx, camera, world, colours);
  drawGrid(ctx, camera, world, colours);
  drawGoal(ctx, camera, world, colours);
  drawMarks(ctx, camera, world, colours);
  ctx.restore();
  ctx.strokeStyle = colours.wall;
  ctx.lineWidth = 2;
  ctx.strokeRect(left, top, right - left, bottom - top);
  for (const patch of (world.patches ?? []).slice(0, 64)) drawPatch(ctx, camera, patch, world.half);
  ctx.strokeStyle = colours.wall;
  ctx.lineWidth = 4;
  ctx.lineCap = "round";
  ctx.beginPath();
  for (const [x1, y1, x2, y2] of (world.walls ?? []).slice(0, 256)) {
    ctx.moveTo(camera.x(x1), camera.y(y1));
    ctx.lineTo(camera.x(x2), camera.y(y2));
  }
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {World} world @param {Record<string, string>} colours */
function drawGrid(ctx, camera, { half: [hx, hy] }, colours) {
  const step = hx > 4 ? 1 : 0.25;
  ctx.strokeStyle = colours.grid;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let i = -Math.floor(hx / step); i * step <= hx; i++) {
    ctx.moveTo(Math.round(camera.x(i * step)) + 0.5, camera.y(hy));
    ctx.lineTo(Math.round(camera.x(i * step)) + 0.5, camera.y(-hy));
  }
  for (let i = -Math.floor(hy / step); i * step <= hy; i++) {
    ctx.moveTo(camera.x(-hx), Math.round(camera.y(i * step)) + 0.5);
    ctx.lineTo(camera.x(hx), Math.round(camera.y(i * step)) + 0.5);
  }
  ctx.stroke();
}

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {World} world @param {Record<string, string>} colours */
function drawGoal(ctx, camera, { half: [hx, hy], goal }, colours) {
  if (goal !== "left" && goal !== "right") return;
  const side = goal === "left" ? -1 : 1;
  const deep = Math.min(0.16, hx / 5);
  const edge = camera.x(side * hx);
  const inner = camera.x(side * (hx - deep));
  const shade = ctx.createLinearGradient(edge, 0, inner, 0);
  shade.addColorStop(0, colours.goal);
  shade.addColorStop(1, "transparent");
  ctx.globalAlpha = 0.3;
  ctx.fillStyle = shade;
  ctx.fillRect(Math.min(edge, inner), camera.y(hy), Math.abs(inner - edge), camera.y(-hy) - camera.y(hy));
  ctx.globalAlpha = 0.55;
  ctx.strokeStyle = colours.goal;
  ctx.lineWidth = 2.5;
  ctx.lineJoin = "round";
  // Chevrons show the direction in which the frisbee has to move.
  for (let i = 0; i < 3; i++) {
    const at = side * (hx * (0.34 + 0.1 * i));
    const [w, t] = [0.028 * camera.scale, 0.05 * camera.scale];
    ctx.beginPath();
    ctx.moveTo(camera.x(at) - side * w, camera.y(0) - t);
    ctx.lineTo(camera.x(at) + side * w, camera.y(0));
    ctx.lineTo(camera.x(at) - side * w, camera.y(0) + t);
    ctx.stroke();
  }
  ctx.globalAlpha = 0.95;
  ctx.save();
  ctx.translate(camera.x(side * (hx - deep * 0.4)), camera.y(0));
  ctx.rotate((-side * Math.PI) / 2);
  ctx.fillStyle = colours.goal;
  ctx.font = `700 ${Math.max(11, Math.min(26, 0.07 * camera.scale)).toFixed(0)}px ${colours.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText("GOAL", 0, 0);
  ctx.restore();
  ctx.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {World["patches"][number]} patch @param {[number, number]} half */
function drawPatch(ctx, camera, patch, [hx, hy]) {
  const stands = hx - Math.abs(patch.x) < hy - Math.abs(patch.y);
  const [dx, dy] = stands ? [0, patch.half_length] : [patch.half_length, 0];
  ctx.strokeStyle = PATCHES[patch.colour] ?? "#8a94a3";
  ctx.lineWidth = 7;
  ctx.lineCap = "butt";
  ctx.beginPath();
  ctx.moveTo(camera.x(patch.x - dx), camera.y(patch.y - dy));
  ctx.lineTo(camera.x(patch.x + dx), camera.y(patch.y + dy));
  ctx.stroke();
}
