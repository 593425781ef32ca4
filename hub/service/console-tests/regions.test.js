import assert from "node:assert/strict";
import test from "node:test";
import { drawMarks, drawPaint, floorColour, mixed } from "../console/arena/regions.js";

const colours = { "paint-black": "#000000", "paint-white": "#ffffff", floor: "#101010", wall: "#222222", goal: "#0000ff", font: "sans-serif" };
const camera = /** @type {import("../console/arena/camera.js").Camera} */ (/** @type {unknown} */ ({ scale: 100, x: (/** @type {number} */ x) => 100 * x, y: (/** @type {number} */ y) => -100 * y }));

/** Records the calls of a canvas as lines of text. */
function canvas() {
  /** @type {string[]} */
  const calls = [];
  const state = /** @type {Record<string, unknown>} */ ({});
  const ctx = new Proxy(state, {
    get: (_, name) => (...values) => {
      const fill = name === "fill" ? ` ${state.fillStyle} ${state.globalAlpha}` : "";
      calls.push(`${String(name)}(${values.map((value) => (typeof value === "number" ? Math.round(value) : value)).join(" ")})${fill}`);
    },
    set: (_, name, value) => ((state[String(name)] = value), true),
  });
  return { calls, ctx: /** @type {CanvasRenderingContext2D} */ (/** @type {unknown} */ (ctx)) };
}

/** @param {string} name @param {number | null} level @param {object} more @returns {any} */
const region = (name, level, more = {}) => ({ name, shapes: [[[[0, 0], [1, 0], [0, 1]]]], cuts: [], names: [[0, 0]], level, conditional: false, ...more });

test("colours are mixed, and a floor without paint has the colour of the theme", () => {
  assert.deepEqual([mixed("#000000", "#ffffff", 0.5), mixed("#102030", "#ffffff", 0), mixed("#000000", "#ff0000", 2)], ["#808080", "#102030", "#ff0000"]);
  const world = (/** @type {number | null | undefined} */ floor) => /** @type {any} */ ({ floor: { level: floor } });
  assert.deepEqual([0, null, undefined].map((floor) => floorColour(world(floor), colours)), ["#000000", "#101010", "#101010"]);
});

test("the first painted region is drawn last, and one under a condition is translucent", () => {
  const { calls, ctx } = canvas();
  const regions = [region("top", 0), region("plain", null), region("below", 1, { conditional: true })];
  drawPaint(ctx, camera, /** @type {any} */ ({ floor: { regions } }), colours);
  assert.deepEqual(calls.filter((call) => call.startsWith("fill")), ["fill(evenodd) #ffffff 0.5", "fill(evenodd) #000000 1"]);
});

test("cuts are clipped, and names and lines are drawn", () => {
  const { calls, ctx } = canvas();
  const hole = [[[0, 0], [0.5, 0], [0, 0.5]]];
  drawMarks(ctx, camera, /** @type {any} */ ({ floor: { regions: [region("home", null, { cuts: [hole] })], lines: [[-0.25, 0, 0.25, 0]] } }), colours);
  const clip = calls.indexOf("clip(evenodd)");
  assert.ok(clip > calls.indexOf("lineTo(50 0)") && clip < calls.indexOf("lineTo(100 0)"), calls.join("\n"));
  assert.ok(calls.includes("fillText(HOME 0 0)"));
  // The arrow points to the right side of the line from west to east, which is south.
  assert.ok(calls.includes("moveTo(0 -4)") && calls.includes("lineTo(0 4)"), calls.join("\n"));
});

test("worlds of older hubs have no regions", () => {
  const { calls, ctx } = canvas();
  drawPaint(ctx, camera, /** @type {any} */ ({}), colours);
  drawMarks(ctx, camera, /** @type {any} */ ({}), colours);
  assert.deepEqual(calls, []);
});
