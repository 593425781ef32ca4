"use strict";

const $ = (id) => document.getElementById(id);
const run = JSON.parse($("run").textContent);
const frames = run.frames;
const count = frames.seconds.length;
const end = frames.seconds[count - 1];
// Number of opacity levels of a trail, from new to old.
const BANDS = 8;
const state = { time: 0, playing: false, lastTick: 0 };

const minus = (text) => text.replace("-", "\u2212");

// Returns the last frame at or before the displayed time, and the elapsed fraction of the interval to the next frame.

function moment() {
  let [low, high] = [0, count - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (frames.seconds[middle] <= state.time) low = middle;
    else high = middle - 1;
  }
  if (low === count - 1) return { frame: low, share: 0 };
  const [from, to] = [frames.seconds[low], frames.seconds[low + 1]];
  return { frame: low, share: Math.min(1, Math.max(0, (state.time - from) / (to - from))) };
}

function poseAt(body, frame) {
  const [x, y, heading] = frames.poses[body].slice(3 * frame, 3 * frame + 3);
  return [x / 1e4, y / 1e4, heading / 1e3];
}

const isFrisbee = (body) => body === run.robots;
const carried = (body, frame) => isFrisbee(body) && frames.put_back[frame];

function poseNow(body, { frame, share }) {
  const from = poseAt(body, frame);
  if (share === 0 || carried(body, frame + 1)) return from;
  const to = poseAt(body, frame + 1);
  const turn = Math.atan2(Math.sin(to[2] - from[2]), Math.cos(to[2] - from[2]));
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share, from[2] + turn * share];
}

// The driver of a frame is the node that drove since the previous frame.
const driverNow = (robot, { frame, share }) => frames.drivers[robot][share > 0 ? frame + 1 : frame];

// Draws the bodies over the drawing of the arena. Lengths are in metres, and y points up.

function draw() {
  const canvas = $("arena");
  const [halfX, halfY] = run.half_arena;
  canvas.style.aspectRatio = `${halfX} / ${halfY}`;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth * ratio, canvas.clientHeight * ratio].map(Math.round);
  if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  const scale = Math.min(width / (2 * halfX), height / (2 * halfY)) * run.filled;
  const ctx = canvas.getContext("2d");
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.setTransform(scale, 0, 0, -scale, width / 2, height / 2);
  ctx.lineJoin = ctx.lineCap = "round";
  const pixel = ratio / scale;
  const now = moment();
  const bodies = run.bodies.map((_, body) => body);
  for (const body of bodies) drawTrail(ctx, pixel, body, now);
  for (const disc of bodies.slice(run.robots)) drawDisc(ctx, pixel, disc, now);
  for (const robot of bodies.slice(0, run.robots)) drawRobot(ctx, pixel, robot, now);
}

const colourOf = (body, driver) => run.bodies[body].colour ?? run.legend[driver].colour;

// One stroke for each section of constant colour and opacity, from the newest backwards.
function drawTrail(ctx, pixel, body, now) {
  const fade = Number($("fade").value);
  const disc = body >= run.robots;
  ctx.lineWidth = (disc ? 4 : 2) * pixel;
  let last = poseNow(body, now);
  let drawn = null;
  const first = now.share > 0 ? now.frame : now.frame - 1;
  for (let frame = first; frame >= 0; frame--) {
    const age = state.time - frames.seconds[frame + 1];
    if (fade > 0 && age >= fade) break;
    const band = fade > 0 ? Math.floor(Math.max(0, age / fade) * BANDS) : 0;
    const driver = disc ? 0 : frames.drivers[body][frame + 1];
    const pose = poseAt(body, frame);
    if (drawn === null || drawn.band !== band || drawn.driver !== driver || carried(body, frame + 1)) {
      if (drawn !== null) ctx.stroke();
      ctx.globalAlpha = (disc ? 0.45 : 0.9) * (1 - band / BANDS);
      ctx.strokeStyle = colourOf(body, driver);
      ctx.beginPath();
      ctx.moveTo(last[0], last[1]);
      drawn = { band, driver };
    }
    if (carried(body, frame + 1)) ctx.moveTo(pose[0], pose[1]);
    else ctx.lineTo(pose[0], pose[1]);
    last = pose;
  }
  if (drawn !== null) ctx.stroke();
  ctx.globalAlpha = 1;
}

function drawDisc(ctx, pixel, disc, now) {
  const [x, y] = poseNow(disc, now);
  ctx.beginPath();
  ctx.arc(x, y, run.bodies[disc].radius, 0, 2 * Math.PI);
  ctx.fillStyle = ctx.strokeStyle = run.bodies[disc].colour;
  ctx.globalAlpha = 0.25;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.lineWidth = 2 * pixel;
  ctx.stroke();
}

function drawRobot(ctx, pixel, robot, now) {
  const [x, y, heading] = poseNow(robot, now);
  const radius = run.bodies[robot].radius;
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = colourOf(robot, driverNow(robot, now));
  ctx.fill();
  ctx.strokeStyle = "#1b1f24";
  ctx.lineWidth = 1.5 * pixel;
  ctx.stroke();
  for (const [colour, width] of [["#1b1f24", 5], ["#ffffff", 2.2]]) {
    ctx.strokeStyle = colour;
    ctx.lineWidth = width * pixel;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + radius * Math.cos(heading), y + radius * Math.sin(heading));
    ctx.stroke();
  }
}

// Readings and legend

function cell(row, text, name) {
  const node = row.insertCell();
  node.className = name;
  node.textContent = text;
  return node;
}

const nowCells = run.legend.map(({ colour, line, text, share }) => {
  const row = $("legend").insertRow();
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  swatch.style.background = colour;
  cell(row, "", "").append(swatch);
  cell(row, line ?? "", "n");
  cell(row, text, "branch");
  cell(row, `${(100 * share).toFixed(1)} %`, "n");
  return cell(row, "", "n");
});

function show() {
  const now = moment();
  $("time").textContent = `${state.time.toFixed(1)} / ${end.toFixed(1)} s`;
  $("fitness").textContent = minus(frames.fitness[now.frame].toFixed(4));
  if (frames.value) $("value").textContent = minus(frames.value[now.frame]);
  $("scrub").value = state.time;
  $("play").textContent = state.playing ? "Pause" : "Play";
  const drivers = frames.drivers.map((_, robot) => driverNow(robot, now));
  nowCells.forEach((node, row) => (node.textContent = drivers.filter((driver) => driver === row).length));
  draw();
}

// Controls

function go(time) {
  state.time = Math.min(end, Math.max(0, time));
  show();
}

function play(on) {
  state.playing = on;
  if (on && state.time >= end) state.time = 0;
  state.lastTick = performance.now();
  if (on) requestAnimationFrame(tick);
  show();
}

function tick(now) {
  if (!state.playing) return;
  const passed = Math.max(0, now - state.lastTick) / 1000;
  state.lastTick = now;
  state.time = Math.min(end, state.time + passed * Number($("speed").value));
  if (state.time >= end) play(false);
  else {
    show();
    requestAnimationFrame(tick);
  }
}

// The address may contain a time, like #t=12.5, at which the page starts paused.
function goToAddress() {
  const named = /^#t=(\d+(?:\.\d+)?)$/.exec(location.hash);
  if (named) {
    play(false);
    go(Number(named[1]));
  }
  return named !== null;
}

$("tree").textContent = run.tree;
$("about").textContent = `${run.start}, seed ${run.seed}, run ${run.run}; a frame every ${frames.seconds[1]} s`;
$("caption").textContent = run.legend_title;
document.title = `Xpuck: ${run.tree}`;
$("value-line").hidden = !frames.value;
$("scrub").max = end;
$("scrub").addEventListener("input", () => go(Number($("scrub").value)));
$("fade").addEventListener("change", show);
$("play").addEventListener("click", () => play(!state.playing));
addEventListener("keydown", (event) => {
  if (event.key !== " " || ["BUTTON", "SELECT"].includes(event.target.tagName)) return;
  event.preventDefault();
  play(!state.playing);
});
addEventListener("resize", show);
addEventListener("hashchange", goToAddress);
if (!goToAddress()) play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
