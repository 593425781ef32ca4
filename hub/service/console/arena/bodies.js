// @ts-check
// Drawing of moving objects in the arena: robots, discs and their names.

/** @typedef {import("./camera.js").Camera} Camera @typedef {import("./motion.js").Pose} Pose */

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {Pose} pose @param {number} radius @param {Record<string, string>} colours */
export function drawDisc(ctx, camera, pose, radius, colours) {
  const [x, y, r] = [camera.x(pose.x), camera.y(pose.y), radius * camera.scale];
  ctx.fillStyle = colours.frisbee;
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
  ctx.strokeStyle = "#ffffff";
  ctx.globalAlpha = 0.55;
  ctx.lineWidth = Math.max(1.5, r * 0.06);
  ctx.beginPath();
  ctx.arc(x, y, r * 0.78, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.beginPath();
  ctx.arc(x, y, r * 0.5, -pose.heading - 0.6, -pose.heading + 0.6);
  ctx.stroke();
  ctx.globalAlpha = 1;
}

/** Draws the target position of the frisbee. @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {number} radius @param {Record<string, string>} colours */
export function drawRelocation(ctx, camera, radius, colours) {
  ctx.strokeStyle = ctx.fillStyle = colours.warn;
  ctx.lineWidth = 3;
  ctx.setLineDash([8, 6]);
  ctx.beginPath();
  ctx.arc(camera.x(0), camera.y(0), (radius + 0.03) * camera.scale, 0, 2 * Math.PI);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.font = `700 14px ${colours.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.fillText("Put the frisbee here", camera.x(0), camera.y(radius + 0.06));
}

/**
 * @typedef {object} Look
 * @property {string} colour of its island
 * @property {string} state
 * @property {boolean} lost @property {boolean} held @property {boolean} identifying @property {boolean} trouble
 */

/** @param {CanvasRenderingContext2D} ctx @param {Camera} camera @param {Pose} pose @param {number} radius @param {Look} look @param {boolean} selected @param {Record<string, string>} colours @param {number} now */
export function drawRobot(ctx, camera, pose, radius, look, selected, colours, now) {
  const [x, y, r] = [camera.x(pose.x), camera.y(pose.y), Math.max(4, radius * camera.scale)];
  if (selected) ring(ctx, x, y, r + 5, colours.text, 2.5, []);
  if (look.identifying) ring(ctx, x, y, r + 9 + 3 * Math.sin(now / 120), colours.warn, 3, [4, 4]);
  ctx.globalAlpha = look.lost ? 0.35 : 1;
  ctx.fillStyle = look.colour;
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
  ctx.fill();
  ctx.globalAlpha = 1;
  // A notch in the direction of travel shows the heading.
  const [ux, uy] = [Math.cos(pose.heading), -Math.sin(pose.heading)];
  ctx.fillStyle = colours.floor;
  ctx.beginPath();
  ctx.moveTo(x + ux * r * 0.92, y + uy * r * 0.92);
  ctx.lineTo(x - ux * r * 0.35 - uy * r * 0.52, y - uy * r * 0.35 + ux * r * 0.52);
  ctx.lineTo(x - ux * r * 0.12, y - uy * r * 0.12);
  ctx.lineTo(x - ux * r * 0.35 + uy * r * 0.52, y - uy * r * 0.35 - ux * r * 0.52);
  ctx.closePath();
  ctx.fill();
  if (look.lost) ring(ctx, x, y, r + 1, colours.bad, 2, [3, 3]);
  else if (look.held || look.state === "STOP") ring(ctx, x, y, r + 1, colours.bad, 2.5, []);
  else if (look.state === "PAUSE") ring(ctx, x, y, r + 1, colours.warn, 2.5, [r * 1.2, r * 0.6]);
  if (look.trouble) badge(ctx, x + r * 0.85, y - r * 0.85, colours);
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {number} r @param {string} colour @param {number} width @param {number[]} dash */
function ring(ctx, x, y, r, colour, width, dash) {
  ctx.strokeStyle = colour;
  ctx.lineWidth = width;
  ctx.setLineDash(dash);
  ctx.beginPath();
  ctx.arc(x, y, Math.max(1, r), 0, 2 * Math.PI);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} ctx @param {number} x @param {number} y @param {Record<string, string>} colours */
function badge(ctx, x, y, colours) {
  ctx.fillStyle = colours.bad;
  ctx.beginPath();
  ctx.arc(x, y, 7, 0, 2 * Math.PI);
  ctx.fill();
  ctx.fillStyle = colours.floor;
  ctx.font = `800 11px ${colours.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText("!", x, y + 0.5);
}

/** @param {CanvasRenderingContext2D} ctx @param {import("./labels.js").Box} box @param {string} text @param {import("./labels.js").Anchor} anchor @param {Record<string, string>} colours @param {boolean} strong */
export function drawLabel(ctx, box, text, anchor, colours, strong) {
  if (box.leader) {
    ctx.strokeStyle = colours.dim;
    ctx.globalAlpha = 0.8;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(anchor.x, anchor.y);
    ctx.lineTo(Math.max(box.left, Math.min(anchor.x, box.right)), Math.max(box.top, Math.min(anchor.y, box.bottom)));
    ctx.stroke();
  }
  ctx.globalAlpha = strong ? 1 : 0.82;
  ctx.fillStyle = strong ? colours.text : colours.label;
  ctx.beginPath();
  ctx.roundRect(box.left, box.top, box.right - box.left, box.bottom - box.top, 4);
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.fillStyle = strong ? colours.ground : colours.text;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.fillText(text, (box.left + box.right) / 2, (box.top + box.bottom) / 2 + 0.5);
}
