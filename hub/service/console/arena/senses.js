// @ts-check
// Drawing of the selected robot's sensors: infra-red rays, camera, neighbours, compass, and the goal direction.

import { num } from "../shared/format.js";

const BEARINGS = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297];
// Range of an infra-red sensor, and drawn length of the camera's sector and of arrows (m).
const RAY = 0.06;
const VIEW = 0.34;
const ARROW = 0.16;
// Angle of view of the camera: 0.98 rad (56 degrees), in three segments.
const SIGHT = 0.98;
const BLOB_COLOURS = ["#ff5a4f", "#35c46a", "#3d8bff"];

/**
 * @param {CanvasRenderingContext2D} ctx @param {import("./camera.js").Camera} camera
 * @param {import("./motion.js").Pose} pose @param {import("../link/contract.js").Senses} senses
 * @param {number} radius of the robot (m) @param {Record<string, string>} colours
 */
export function drawSenses(ctx, camera, pose, senses, radius, colours) {
  ctx.save();
  ctx.translate(camera.x(pose.x), camera.y(pose.y));
  // From here on x points ahead and y to the left, in pixels; the canvas's y points down.
  ctx.rotate(-pose.heading);
  ctx.scale(1, -1);
  const px = camera.scale;
  drawCamera(ctx, px, radius, senses.blobs ?? [], colours);
  drawRays(ctx, px, radius, senses.proximity ?? [], colours);
  drawNeighbours(ctx, px, senses.neighbours ?? [], colours);
  const goal = senses.v_goal;
  if (goal && num(goal[0]) !== null && num(goal[1]) !== null) drawGoal(ctx, px, radius, goal, colours);
  if (num(senses.up) !== null) drawCompass(ctx, px, radius, /** @type {number} */ (senses.up), colours);
  ctx.restore();
}

/** @param {CanvasRenderingContext2D} ctx @param {number} px @param {number} radius @param {boolean[][]} blobs @param {Record<string, string>} colours */
function drawCamera(ctx, px, radius, blobs, colours) {
  const third = SIGHT / 3;
  for (let segment = 0; segment < 3; segment++) {
    const to = SIGHT / 2 - segment * third;
    const seen = BLOB_COLOURS.filter((_, colour) => blobs[colour]?.[segment] === true);
    wedge(ctx, radius * px, VIEW * px, to - third, to);
    ctx.globalAlpha = seen.length > 0 ? 0.34 : 0.1;
    ctx.fillStyle = seen[0] ?? colours.sense;
    ctx.fill();
    ctx.globalAlpha = 0.5;
    ctx.lineWidth = 1;
    ctx.strokeStyle = seen[0] ?? colours.sense;
    ctx.stroke();
    // Further colours in a segment are drawn as arcs closer to the robot.
    seen.slice(1).forEach((colour, i) => {
      ctx.globalAlpha = 0.9;
      ctx.strokeStyle = colour;
      ctx.lineWidth = 4;
      ctx.beginPath();
      ctx.arc(0, 0, (VIEW - 0.03 * (i + 1)) * px, to - third, to);
      ctx.stroke();
    });
  }
  ctx.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx @param {number} near @param {number} far @param {number} from @param {number} to */
function wedge(ctx, near, far, from, to) {
  ctx.beginPath();
  ctx.arc(0, 0, near, from, to);
  ctx.arc(0, 0, far, to, from, true);
  ctx.closePath();
}

/** @param {CanvasRenderingContext2D} ctx @param {number} px @param {number} radius @param {number[]} proximity @param {Record<string, string>} colours */
function drawRays(ctx, px, radius, proximity, colours) {
  BEARINGS.forEach((bearing, i) => {
    const near = Math.max(0, Math.min(1, num(proximity[i]) ?? 0));
    const [ux, uy] = [Math.cos(bearing), Math.sin(bearing)];
    const [from, to] = [radius * px, (radius + RAY) * px];
    ctx.strokeStyle = near > 0.02 ? colours.bad : colours.sense;
    ctx.globalAlpha = near > 0.02 ? 1 : 0.55;
    ctx.lineWidth = 1 + 3 * near;
    ctx.beginPath();
    ctx.moveTo(ux * from, uy * from);
    // A ray ends at a detected obstacle.
    const end = to - (to - from) * near * 0.85;
    ctx.lineTo(ux * end, uy * end);
    ctx.stroke();
    if (near <= 0.02) return;
    ctx.fillStyle = colours.bad;
    ctx.beginPath();
    ctx.arc(ux * end, uy * end, 3, 0, 2 * Math.PI);
    ctx.fill();
  });
  ctx.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx @param {number} px @param {[string, number, number][]} neighbours @param {Record<string, string>} colours */
function drawNeighbours(ctx, px, neighbours, colours) {
  ctx.strokeStyle = colours.sense;
  ctx.fillStyle = colours.sense;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([4, 4]);
  for (const [, range, bearing] of neighbours.slice(0, 32)) {
    if (num(range) === null || num(bearing) === null) continue;
    ctx.beginPath();
    ctx.moveTo(0, 0);
    ctx.lineTo(Math.cos(bearing) * range * px, Math.sin(bearing) * range * px);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  for (const [, range, bearing] of neighbours.slice(0, 32)) {
    ctx.beginPath();
    ctx.arc(Math.cos(bearing) * range * px, Math.sin(bearing) * range * px, 3.5, 0, 2 * Math.PI);
    ctx.fill();
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {number} px @param {number} radius @param {[number, number]} goal @param {Record<string, string>} colours */
function drawGoal(ctx, px, radius, goal, colours) {
  const length = Math.min(1, Math.hypot(goal[0], goal[1]));
  if (length < 0.02) return;
  const angle = Math.atan2(goal[1], goal[0]);
  ctx.strokeStyle = ctx.fillStyle = colours.want;
  ctx.lineWidth = 3.5;
  arrow(ctx, angle, radius * px, (radius + ARROW * length) * px, 9);
}

/** @param {CanvasRenderingContext2D} ctx @param {number} px @param {number} radius @param {number} up @param {Record<string, string>} colours */
function drawCompass(ctx, px, radius, up, colours) {
  const far = (radius + 0.03) * px;
  ctx.strokeStyle = ctx.fillStyle = colours.text;
  ctx.globalAlpha = 0.8;
  ctx.lineWidth = 1.5;
  arrow(ctx, up, radius * px + 2, far + 6, 5);
  ctx.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} ctx @param {number} angle @param {number} from @param {number} to @param {number} head */
function arrow(ctx, angle, from, to, head) {
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  ctx.beginPath();
  ctx.moveTo(ux * from, uy * from);
  ctx.lineTo(ux * to, uy * to);
  ctx.stroke();
  ctx.beginPath();
  ctx.moveTo(ux * (to + head), uy * (to + head));
  ctx.lineTo(ux * to - uy * head * 0.6, uy * to + ux * head * 0.6);
  ctx.lineTo(ux * to + uy * head * 0.6, uy * to - ux * head * 0.6);
  ctx.closePath();
  ctx.fill();
}

/** Describes the sensor values as text, for screen readers. @param {import("../link/contract.js").Senses} senses */
export function sensesInWords(senses) {
  const parts = [];
  const felt = (senses.proximity ?? []).filter((value) => value > 0.1).length;
  parts.push(felt > 0 ? `detects an obstacle with ${felt} of 8 infra-red sensors` : "detects no obstacle");
  const places = ["left", "ahead", "right"];
  const seen = ["red", "green", "blue"].flatMap((colour, i) => {
    const where = places.filter((_, segment) => senses.blobs?.[i]?.[segment] === true);
    return where.length > 0 ? [`${colour} ${where.join(" and ")}`] : [];
  });
  parts.push(seen.length > 0 ? `sees ${seen.join(", ")}` : "sees no colour");
  const near = (senses.neighbours ?? []).length;
  parts.push(near === 0 ? "no neighbour" : near === 1 ? "1 neighbour" : `${near} neighbours`);
  const goal = senses.v_goal;
  if (!goal || Math.hypot(goal[0], goal[1]) < 0.02) parts.push("wants to stand still");
  else parts.push(`wants to ${heading(Math.atan2(goal[1], goal[0]))}`);
  return parts.join(" · ");
}

/** @param {number} angle */
function heading(angle) {
  const degrees = Math.round((angle * 180) / Math.PI);
  if (Math.abs(degrees) <= 10) return "drive straight ahead";
  if (Math.abs(degrees) > 90) return "turn round";
  return `drive ${Math.abs(degrees)}° to the ${degrees > 0 ? "left" : "right"}`;
}
