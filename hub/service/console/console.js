"use strict";

const ROBOT_RADIUS = 0.0375;
const FRISBEE_RADIUS = 0.105;
const FRISBEE = "frisbee";
const STATES = ["IDLE", "READY", "RUN", "PAUSE", "STOP"];
const TRAIL_EVENTS = 200;
const TRAIL_BANDS = 8;
// A body that moved further than this between events was carried or found again: nothing is drawn in between, m.
const JUMP = 0.3;
const SILENT_MS = 2000;
const REOPEN_MS = 6000;
const ANSWER_MS = 8000;

const $ = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const light = matchMedia("(prefers-color-scheme: light)");

let latest = null;
let heardAt = performance.now();

// Helpers

const number = (value) => (Number.isFinite(value) ? value : null);
const list = (value) => (Array.isArray(value) ? value : []);
const minus = (text) => text.replace("-", "−");
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function fixed(value, digits, unit = "") {
  if (number(value) === null) return "–";
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : minus(text)) + unit;
}

function minutes(seconds) {
  const whole = Math.max(0, Math.floor(number(seconds) ?? 0));
  return [Math.floor(whole / 60), whole % 60].map((part) => String(part).padStart(2, "0")).join(":");
}

// Unchanged text is left alone, so that selections and screen readers are not disturbed ten times a second.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function make(tag, className, parent) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (parent) parent.append(node);
  return node;
}

const palette = {};
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  palette.font = style.fontFamily;
  const names = ["panel", "text", "dim", "floor", "grid", "wall", "goal", "frisbee", "line", "bar", "negative"];
  for (const name of names.concat("lost", STATES.map((state) => state.toLowerCase()))) {
    palette[name] = style.getPropertyValue(`--${name}`).trim();
  }
}

// Fits a canvas to its box on the screen, clears it and returns what is needed to draw in CSS pixels.
function surface(canvas) {
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = `12px ${palette.font}`;
  return { ctx, width, height };
}

// Connection

let source = null;
let openedAt = 0;

function connect() {
  source?.close();
  openedAt = performance.now();
  source = new EventSource("/events");
  source.onmessage = (event) => {
    try {
      take(JSON.parse(event.data));
    } catch (error) {
      console.error(error);
    }
  };
}

function take(message) {
  if (typeof message !== "object" || message === null) return;
  const now = performance.now();
  latest = message;
  takePoses(now - heardAt, now);
  heardAt = now;
  takeFitness();
  showLink();
  showHeader();
  showTable();
  showFitness();
  showEvents();
  showFooter();
  requestArena();
}

// An EventSource gives up for good on an answer that is no stream, and does not see a connection that died silently.
function watch() {
  const silent = performance.now() - heardAt;
  const given = source.readyState === EventSource.CLOSED ? 1000 : REOPEN_MS;
  if (silent > given && performance.now() - openedAt > given) connect();
  showLink();
}

const connected = () => latest !== null && performance.now() - heardAt < SILENT_MS;

function showLink() {
  const silent = performance.now() - heardAt > SILENT_MS;
  const untracked = latest?.tracking === false;
  const unrecorded = String(latest?.record ?? "").startsWith("NOT RECORDING");
  let text = "Hub connected, tracking works";
  if (unrecorded) text = latest.record;
  if (untracked) text = "TRACKING LOST: no poses from motion capture; robots and frisbee are where they were last seen";
  if (!latest) text = "Connecting to the hub";
  if (silent) text = latest ? "HUB CONNECTION LOST: what is shown is old" : "NO CONNECTION TO THE HUB";
  setText($("link"), text);
  $("strip").classList.toggle("alarm", silent || untracked || unrecorded);
  document.body.classList.toggle("stale", silent);
  $("stop").disabled = !connected();
  $("pause").disabled = !connected() || !["running", "relocating", "blind"].includes(latest.phase);
  $("resume").disabled = !connected() || latest.phase !== "paused";
}

let answerTimer = 0;
function say(text, refused) {
  setText($("answer"), text);
  $("answer").title = text;
  $("answer").classList.toggle("refused", refused);
  clearTimeout(answerTimer);
  answerTimer = setTimeout(() => setText($("answer"), ""), ANSWER_MS);
}

async function command(name) {
  const headers = { "content-type": "application/json", "x-xpuck": "1" };
  const body = JSON.stringify({ command: name });
  say(`${name} sent`, false);
  try {
    const response = await fetch("/api/command", { method: "POST", headers, body, signal: AbortSignal.timeout(5000) });
    const answer = await response.json().catch(() => ({ error: `the hub answered ${response.status}` }));
    if (answer?.ok === true) say(`${name}: done`, false);
    else say(`${name} refused: ${answer?.error || response.status}`, true);
  } catch (error) {
    say(`${name} did not reach the hub: ${error.message}`, true);
  }
}

// Header and footer

function showHeader() {
  const phase = String(latest.phase ?? "–");
  setText($("experiment"), latest.experiment || "no experiment");
  $("experiment").title = latest.experiment || "";
  setText($("phase"), phase);
  $("danger").hidden = latest.security?.dev_mode !== true;
  $("phase").dataset.phase = phase;
  setText($("clock"), `${minutes(latest.run_seconds)} / ${minutes(latest.run_length)}`);
  setText($("segment"), String(number(latest.segment) ?? "–"));
  const title = `Xpuck: ${phase}`;
  if (document.title !== title) document.title = title;
}

function showFooter() {
  const slow = number(latest.slow_round_trips);
  setText($("trip"), fixed(latest.round_trip_ms, 1, " ms"));
  setText($("slow"), slow === null ? "–" : fixed(slow * 100, 2, " %"));
  setText($("refused"), (latest.refused_poses ?? []).map(([why, n]) => `${n} ${why}`).join(", ") || "none");
  setText($("dead"), String(number(latest.dead) ?? "–"));
  $("dead").classList.toggle("red", latest.dead > 0);
  setText($("record"), latest.record || "none yet");
  $("record").parentNode.title = latest.record || "";
}

let shownEvents = "";
function showEvents() {
  const events = list(latest.events).map(String);
  const key = events.join("\n");
  if (key === shownEvents) return;
  shownEvents = key;
  const rows = events.reverse().map((text) => {
    const row = make("li");
    const [, time, rest] = /^(\d+\.\d) ([^]*)$/.exec(text) ?? [null, "", text];
    make("time", "", row).textContent = time;
    make("span", "", row).textContent = rest;
    return row;
  });
  $("events").replaceChildren(...rows);
}

// Recorded runs

const RUNS_MS = 10000;

async function showRuns() {
  try {
    const response = await fetch("/api/runs", { signal: AbortSignal.timeout(5000) });
    const rows = list(await response.json()).map((run) => {
      const row = make("li");
      make("time", "", row).textContent = String(run.state);
      const marks = run.quality ? `, ${run.quality}` : "";
      const fitness = number(run.mean_fitness) === null ? "" : `, real ${fixed(run.mean_fitness, 3)}`;
      make("span", "", row).textContent = `${run.id}: ${minutes(run.length_s)}${fitness}${marks}`;
      return row;
    });
    $("runs").replaceChildren(...rows);
  } catch {
    // What is shown stays until the hub answers again.
  }
}

// Table of robots

const rows = new Map();

function makeRow(id) {
  const row = { tr: make("tr") };
  row.id = make("th", "", row.tr);
  row.id.scope = "row";
  row.id.title = id;
  row.id.textContent = id;
  row.chip = make("span", "chip", make("td", "", row.tr));
  row.battery = make("td", "n", row.tr);
  const charge = make("span", "charge", row.battery);
  charge.ariaHidden = "true";
  row.charge = make("i", "", charge);
  row.volts = make("span", "volts", row.battery);
  for (const cell of ["power", "soc", "late", "trip", "generation"]) row[cell] = make("td", `n ${cell}`, row.tr);
  const best = make("td", "n", row.tr);
  row.best = make("span", "", best);
  row.evaluations = make("small", "evaluations", best);
  row.blue = make("td", "", row.tr);
  row.squares = [0, 1, 2].map(() => make("span", "square", row.blue));
  row.blueText = make("span", "hidden", row.blue);
  for (const cell of ["neighbours", "errors"]) row[cell] = make("td", "n", row.tr);
  row.engine = make("td", "engine", row.tr);
  return row;
}

function showTable() {
  const robots = list(latest.robots).filter((robot) => robot && robot.id !== undefined);
  const ids = robots.map((robot) => String(robot.id));
  if (ids.length !== rows.size || ids.some((id) => !rows.has(id))) {
    rows.clear();
    for (const id of ids) rows.set(id, makeRow(id));
    $("robots").replaceChildren(...[...rows.values()].map((row) => row.tr));
  }
  for (const robot of robots) fillRow(rows.get(String(robot.id)), robot);
}

function fillRow(row, robot) {
  const lost = robot.alive === false;
  // A robot that was heard has told its version, or at least, in a replay, a battery reading.
  const absent = lost && !robot.version && !(robot.battery_v > 0);
  const state = STATES.includes(robot.state) ? robot.state : "IDLE";
  row.tr.classList.toggle("lost", lost);
  row.tr.classList.toggle("absent", absent);
  setText(row.chip, absent ? "absent" : lost ? "lost" : String(robot.state ?? "–"));
  row.chip.dataset.state = lost ? "LOST" : state;
  fillBattery(row, absent ? null : number(robot.battery_v), lost);
  setText(row.power, absent ? "–" : fixed(robot.power_w, 2));
  setText(row.soc, fixed(robot.soc_c, 0));
  warn(row.soc, robot.soc_c > 75, robot.soc_c > 85, lost);
  setText(row.late, fixed(robot.late_p99_ms, 1));
  warn(row.late, robot.late_p99_ms > 10, robot.late_p99_ms > 50, lost);
  setText(row.trip, fixed(robot.round_trip_ms, 0));
  warn(row.trip, robot.round_trip_ms > 50, robot.round_trip_ms > 100, lost);
  const evolution = robot.evolution ?? {};
  const evolved = evolution.generation > 0;
  setText(row.generation, String(number(evolution.generation) ?? "–"));
  setText(row.best, evolved ? fixed(evolution.best, 3) : "–");
  setText(row.evaluations, evolved ? `(${number(evolution.evaluations) ?? "–"})` : "");
  fillBlue(row, list(robot.blue));
  setText(row.neighbours, String(number(robot.neighbours) ?? "–"));
  setText(row.errors, robot.device_errors > 0 ? String(robot.device_errors) : "");
  row.errors.title = row.errors.textContent;
  warn(row.errors, false, true, lost);
  const engine = robot.engine ?? {};
  const speed = number(engine.r_acc);
  const simulates = typeof engine.name === "string" && engine.name !== "";
  setText(row.engine, simulates ? engine.name + (speed > 0 ? ` ${(speed / 1000).toFixed(0)} k` : "") : "–");
  row.engine.title = simulates && engine.adapter ? String(engine.adapter) : "";
}

function warn(node, amber, red, lost) {
  node.classList.toggle("red", red && !lost);
  node.classList.toggle("amber", amber && !red && !lost);
}

function fillBattery(row, volts, lost) {
  setText(row.volts, fixed(volts, 2));
  row.charge.style.transform = `scaleX(${clamp(((volts ?? 0) - 3.3) / 0.9, 0, 1).toFixed(3)})`;
  warn(row.battery, volts !== null && volts < 3.6, volts !== null && volts < 3.4, lost);
}

function fillBlue(row, blue) {
  const seen = ["left", "centre", "right"].filter((_, i) => blue[i] === true);
  row.squares.forEach((square, i) => square.classList.toggle("on", blue[i] === true));
  setText(row.blueText, seen.join(", ") || "none");
}

// Arena

// Poses are drawn on the way from where they were shown to where they were told, over one interval of events.
const motion = { from: new Map(), to: new Map(), at: 0, interval: 100, trajectories: new Map() };

function takePoses(gap, now) {
  const share = shareAt(now);
  const shown = [...motion.to.keys()].map((name) => [name, poseAt(name, share)]);
  motion.from = new Map(shown);
  motion.to = new Map();
  motion.at = now;
  motion.interval = clamp(0.8 * motion.interval + 0.2 * gap, 40, 250);
  for (const body of list(latest.bodies)) {
    const pose = list(body?.pose);
    if (pose.length === 3 && pose.every(Number.isFinite)) motion.to.set(String(body.name), pose);
  }
  for (const [name, pose] of motion.to) extendTrail(name, pose);
  for (const name of motion.trajectories.keys()) if (!motion.to.has(name)) motion.trajectories.delete(name);
}

function extendTrail(name, pose) {
  if (!motion.trajectories.has(name)) motion.trajectories.set(name, []);
  const trail = motion.trajectories.get(name);
  trail.push(pose);
  if (trail.length > TRAIL_EVENTS) trail.shift();
}

const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
const shareAt = (now) => (calm.matches ? 1 : clamp((now - motion.at) / motion.interval, 0, 1));

function poseAt(name, share) {
  const [from, to] = [motion.from.get(name), motion.to.get(name)];
  if (!from || share >= 1 || apart(from, to) > JUMP) return to;
  const turn = Math.atan2(Math.sin(to[2] - from[2]), Math.cos(to[2] - from[2]));
  return [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share, from[2] + turn * share];
}

let arenaRequested = false;
function requestArena() {
  if (arenaRequested) return;
  arenaRequested = true;
  requestAnimationFrame((now) => {
    arenaRequested = false;
    const share = shareAt(now);
    drawArena(share);
    if (share < 1) requestArena();
  });
}

function drawArena(share) {
  const { ctx, width, height } = surface($("arena"));
  const [halfX, halfY] = halfArena();
  const scale = Math.max(1, Math.min((width - 8) / (2 * halfX), (height - 8) / (2 * halfY)));
  const map = { scale, x: (x) => width / 2 + x * scale, y: (y) => height / 2 - y * scale, halfX, halfY };
  drawFloor(ctx, map);
  const poses = new Map([...motion.to.keys()].map((name) => [name, poseAt(name, share)]));
  for (const [name, pose] of poses) drawTrail(ctx, map, name, pose);
  const frisbee = poses.get(FRISBEE);
  if (frisbee) drawDisc(ctx, map, frisbee, FRISBEE_RADIUS, palette.frisbee, true);
  const robots = new Map(list(latest?.robots).map((robot) => [String(robot?.id), robot]));
  for (const [name, pose] of poses) if (name !== FRISBEE) drawRobot(ctx, map, name, pose, robots.get(name));
  describeArena(frisbee);
}

function halfArena() {
  const half = list(latest?.half_arena);
  return half.length === 2 && half.every((side) => side > 0) ? half : [1, 0.75];
}

function drawFloor(ctx, map) {
  const [left, right, top, bottom] = [map.x(-map.halfX), map.x(map.halfX), map.y(map.halfY), map.y(-map.halfY)];
  ctx.fillStyle = palette.floor;
  ctx.fillRect(left, top, right - left, bottom - top);
  ctx.strokeStyle = palette.grid;
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (let i = -Math.floor(map.halfX / 0.5); i * 0.5 <= map.halfX; i++) {
    ctx.moveTo(map.x(i * 0.5), top);
    ctx.lineTo(map.x(i * 0.5), bottom);
  }
  for (let i = -Math.floor(map.halfY / 0.5); i * 0.5 <= map.halfY; i++) {
    ctx.moveTo(left, map.y(i * 0.5));
    ctx.lineTo(right, map.y(i * 0.5));
  }
  ctx.stroke();
  drawGoal(ctx, map);
  ctx.strokeStyle = palette.wall;
  ctx.lineWidth = 2;
  ctx.strokeRect(left, top, right - left, bottom - top);
  ctx.fillStyle = palette.goal;
  ctx.fillRect(left - 3, top - 1, 6, bottom - top + 2);
}

function drawGoal(ctx, map) {
  const [tip, tail, y] = [map.x(-0.93 * map.halfX), map.x(-0.6 * map.halfX), map.y(0)];
  const head = 0.05 * map.scale;
  ctx.globalAlpha = 0.6;
  ctx.strokeStyle = ctx.fillStyle = palette.goal;
  ctx.lineWidth = 3;
  ctx.beginPath();
  ctx.moveTo(tail, y);
  ctx.lineTo(tip, y);
  ctx.moveTo(tip + head, y - head);
  ctx.lineTo(tip, y);
  ctx.lineTo(tip + head, y + head);
  ctx.stroke();
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.fillText("goal", (tip + head + tail) / 2, y - 6);
  ctx.globalAlpha = 1;
}

// Drawn in a few bands of equal strength: one stroke for each piece would be thousands in a frame.
function drawTrail(ctx, map, name, shown) {
  const points = motion.trajectories.get(name).slice(0, -1).concat([shown]);
  const strength = name === FRISBEE ? 0.75 : 0.28;
  ctx.strokeStyle = name === FRISBEE ? palette.frisbee : palette.dim;
  ctx.lineWidth = name === FRISBEE ? 3 : 1.5;
  ctx.lineJoin = "round";
  const band = TRAIL_EVENTS / TRAIL_BANDS;
  for (let end = points.length - 1; end > 0; end -= band) {
    const age = (points.length - 1 - end) / TRAIL_EVENTS;
    ctx.globalAlpha = strength * (1 - age);
    ctx.beginPath();
    for (let i = Math.max(0, end - band), last = null; i <= end; i++) {
      const joined = last && apart(points[i], last) <= JUMP;
      ctx[joined ? "lineTo" : "moveTo"](map.x(points[i][0]), map.y(points[i][1]));
      last = points[i];
    }
    ctx.stroke();
  }
  ctx.globalAlpha = 1;
}

function drawDisc(ctx, map, pose, radius, colour, filled) {
  ctx.beginPath();
  ctx.arc(map.x(pose[0]), map.y(pose[1]), radius * map.scale, 0, 2 * Math.PI);
  ctx.fillStyle = filled ? colour : palette.floor;
  ctx.fill();
  ctx.strokeStyle = filled ? palette.floor : colour;
  ctx.lineWidth = filled ? 1 : 2;
  ctx.stroke();
}

function drawRobot(ctx, map, name, pose, robot) {
  const lost = robot?.alive === false;
  const state = STATES.includes(robot?.state) ? robot.state.toLowerCase() : "idle";
  const colour = lost ? palette.lost : palette[state];
  drawDisc(ctx, map, pose, ROBOT_RADIUS, colour, robot && !lost);
  const [x, y, radius] = [map.x(pose[0]), map.y(pose[1]), ROBOT_RADIUS * map.scale];
  ctx.strokeStyle = robot && !lost ? palette.floor : colour;
  ctx.lineWidth = Math.max(2, radius / 5);
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x + radius * Math.cos(pose[2]), y - radius * Math.sin(pose[2]));
  ctx.stroke();
  const below = y + radius + 2;
  drawLabel(ctx, name, x, below + 14 < map.y(-map.halfY) ? below : y - radius - 15);
}

function drawLabel(ctx, text, x, top) {
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.lineWidth = 3;
  ctx.strokeStyle = palette.floor;
  ctx.strokeText(text, x, top);
  ctx.fillStyle = palette.text;
  ctx.fillText(text, x, top);
}

function describeArena(frisbee) {
  const where = frisbee ? `frisbee at x ${fixed(frisbee[0], 1)} m, y ${fixed(frisbee[1], 1)} m` : "no frisbee seen";
  const text = `Arena from above: ${motion.to.size} bodies tracked, ${where}; the goal is the left end`;
  if ($("arena").ariaLabel !== text) $("arena").ariaLabel = text;
}

// Fitness

const course = { experiment: "", points: [] };

function takeFitness() {
  const [time, evolved] = [number(latest.run_seconds), evolvedNow()];
  const last = course.points.at(-1);
  const again = course.experiment !== latest.experiment || (last && time < last[0]);
  if (again) Object.assign(course, { experiment: latest.experiment, points: [] });
  // A run is at most about a thousand points, however long it is.
  const step = Math.max(0.2, (number(latest.run_length) ?? 0) / 1000);
  const due = again || !last || time - last[0] >= step;
  if (time !== null && evolved !== null && due) course.points.push([time, evolved]);
}

// Before the first generation the hub's mean is a mean of nothing.
function evolvedNow() {
  const any = list(latest.robots).some((robot) => robot?.evolution?.generation > 0);
  return any ? number(latest.evolved) : null;
}

function scoredSegments() {
  return list(latest?.segments).filter((s) => s?.number > 0 && Number.isFinite(s.fitness));
}

let fitnessDrawnAt = -Infinity;
function showFitness() {
  setText($("evolved"), fixed(evolvedNow(), 3));
  setText($("real"), fixed(scoredSegments().at(-1)?.fitness, 3));
  // Twice a second is as fast as these can be read.
  if (performance.now() - fitnessDrawnAt < 500) return;
  drawFitness();
}

function drawFitness() {
  fitnessDrawnAt = performance.now();
  drawLine();
  drawBars();
}

// Round limits and a round step around the values and zero.
function scaleFor(values) {
  const [low, high] = values.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [0, 0.1]);
  const raw = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= raw - 1e-9);
  return { low: Math.floor(low / step + 1e-9) * step, high: Math.ceil(high / step - 1e-9) * step, step };
}

// Draws the lines across and their numbers; returns the frame to draw in.
function drawAxis({ ctx, width, height }, { low, high, step }) {
  const frame = { left: 40, right: width - 6, top: 16, bottom: height - 20 };
  frame.y = (value) => frame.bottom - ((value - low) / (high - low)) * (frame.bottom - frame.top);
  ctx.font = `11px ${palette.font}`;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  for (let i = Math.round(low / step); i <= Math.round(high / step); i++) {
    const y = frame.y(i * step);
    ctx.fillStyle = i === 0 ? palette.wall : palette.grid;
    ctx.fillRect(frame.left, Math.round(y) - 0.5, frame.right - frame.left, i === 0 ? 1.5 : 1);
    ctx.fillStyle = palette.dim;
    ctx.fillText(fixed(i * step + 0, step < 0.1 ? 2 : 1), frame.left - 6, y);
  }
  return frame;
}

function drawLine() {
  const plane = surface($("line"));
  const { ctx } = plane;
  const points = course.points;
  const frame = drawAxis(plane, scaleFor(points.map((point) => point[1])));
  const length = Math.max(1, number(latest?.run_length) ?? 0, points.at(-1)?.[0] ?? 0);
  const x = (time) => frame.left + (time / length) * (frame.right - frame.left);
  ctx.textBaseline = "top";
  for (const [part, align] of [[0, "left"], [0.5, "center"], [1, "right"]]) {
    ctx.textAlign = align;
    ctx.fillText(minutes(part * length), x(part * length), frame.bottom + 6);
  }
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 2;
  ctx.lineJoin = "round";
  ctx.beginPath();
  for (const [time, evolved] of points) ctx.lineTo(x(time), frame.y(evolved));
  ctx.stroke();
  $("line").ariaLabel = `Evolved fitness over the run, now ${$("evolved").textContent}`;
}

function drawBars() {
  const plane = surface($("bars"));
  const { ctx } = plane;
  const segments = scoredSegments();
  // A negative bar is counted longer than it is, which leaves room for its number below it.
  const frame = drawAxis(plane, scaleFor(segments.map(({ fitness }) => fitness * (fitness < 0 ? 1.3 : 1))));
  const slot = (frame.right - frame.left) / Math.max(7, segments.length);
  const every = Math.ceil(34 / slot);
  segments.forEach((segment, i) => {
    const x = frame.left + (i + 0.5) * slot;
    const [y, zero] = [frame.y(segment.fitness), frame.y(0)];
    const now = segment.number === latest.segment && latest.phase !== "finished";
    ctx.globalAlpha = now ? 0.6 : 1;
    ctx.fillStyle = segment.fitness < 0 ? palette.negative : palette.bar;
    ctx.fillRect(x - slot * 0.32, Math.min(y, zero), slot * 0.64, Math.max(1, Math.abs(zero - y)));
    ctx.globalAlpha = 1;
    if (i % every === 0) labelBar(ctx, frame, segment, x, y);
  });
  const told = segments.map((segment) => `${segment.number}: ${fixed(segment.fitness, 2)}`).join(", ");
  $("bars").ariaLabel = `Real fitness by segment: ${told || "none yet"}`;
}

function labelBar(ctx, frame, segment, x, y) {
  const below = segment.fitness < 0;
  ctx.textAlign = "center";
  ctx.fillStyle = palette.text;
  ctx.textBaseline = below ? "top" : "bottom";
  ctx.fillText(fixed(segment.fitness, 2), x, below ? y + 2 : y - 2);
  ctx.textBaseline = "top";
  ctx.fillStyle = palette.dim;
  ctx.fillText(String(segment.number), x, frame.bottom + 6);
}

// Start

function redraw() {
  readPalette();
  requestArena();
  drawFitness();
}

for (const name of ["pause", "resume", "stop"]) $(name).addEventListener("click", () => command(name));
light.addEventListener("change", redraw);
const resized = new ResizeObserver(redraw);
for (const id of ["arena", "line", "bars"]) resized.observe($(id));
setInterval(watch, 250);
setInterval(showRuns, RUNS_MS);
showRuns();
redraw();
connect();
