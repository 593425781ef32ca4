import assert from "node:assert/strict";
import test from "node:test";
import { Store } from "../console/link/store.js";

/** Creates a store, and a list of the topics that it reports as changed. */
function made(kind = "live") {
  const said = [];
  return { store: new Store(kind, (topic) => said.push(topic)), said };
}

const status = (more) => ({ t: 0, phase: "running", run_seconds: 0, segments: [], robots: [], evolved: null, ...more });
const row = (t, generation) => ({ robot: "xp01", t, generation, best: generation, derated: generation, mean: 0, size: 1, unique: null, mean_size: null });
const columns = (t, generation) => ({ t, generation, best: generation, derated: generation, mean: generation, size: generation, unique: generation, mean_size: generation });

test("what robots tell of the run before is not shown as this run's", () => {
  const { store } = made();
  store.apply("generation", row(0, 104));
  assert.equal(store.islands.size, 0);
  store.apply("generation", row(0.2, 104));
  store.apply("generation", row(0.4, 1));
  store.apply("generation", row(0.6, 2));
  assert.deepEqual(store.islands.get("xp01").generation, [1, 2]);
  // A robot that is restarted during the run counts its generations from 1 again; its earlier generations belong to
  // this run too.
  store.apply("generation", row(90, 1));
  assert.deepEqual(store.islands.get("xp01").generation, [1, 2, 1]);
});

test("nor does the history show it", () => {
  const { store } = made();
  store.takeHistory({ evolved: { t: [0, 0.5, 1], v: [0.3, 0, 0.1] }, islands: { xp01: columns([0, 0.3, 0.4, 30], [104, 104, 1, 50]), xp02: columns([0], [9]), xp03: columns([5, 6], [3, 4]) } });
  assert.deepEqual(store.evolved, { t: [0.5, 1], v: [0, 0.1] });
  assert.deepEqual([...store.islands.values()].map((island) => island.generation), [[1, 50], [], [3, 4]]);
  assert.deepEqual(store.islands.get("xp01").unique, [1, 50]);
});

test("while robots get ready their evolution is that of the run before, and is left out", () => {
  const { store } = made();
  const robots = () => [{ id: "xp01", alive: true, evolution: { best: 0.4 } }];
  store.apply("status", status({ phase: "preparing", evolved: 0.3, robots: robots() }));
  assert.deepEqual([store.status.evolved, store.robots.get("xp01").evolution], [null, null]);
  store.apply("status", status({ run_seconds: 3, evolved: 0.1, robots: robots() }));
  assert.equal(store.robots.get("xp01").evolution.best, 0.4);
  // A hub that resumes a run is also in preparation, and that run's evolution is reported.
  store.apply("status", status({ phase: "preparing", run_seconds: 3, evolved: 0.1, robots: robots() }));
  assert.equal(store.status.evolved, 0.1);
});

test("a new run takes the place of the one before, once", () => {
  const { store, said } = made();
  store.apply("status", status({ phase: "finished", run_seconds: 60, evolved: 0.2 }));
  store.apply("tree", { robot: "xp01", hash: "a" });
  store.apply("generation", row(50, 7));
  store.beginRun();
  assert.deepEqual([store.trees.size, store.islands.size, store.evolved.t.length], [0, 0, 0]);
  store.apply("status", status({ phase: "preparing" }));
  assert.equal(said.filter((topic) => topic === "newrun").length, 1);
  // A page that missed the event detects that the clock restarted.
  store.apply("status", status({ run_seconds: 40 }));
  store.apply("status", status({ run_seconds: 1 }));
  assert.equal(said.filter((topic) => topic === "newrun").length, 2);
});

test("what robots found out about the world is summed up for each parameter", async () => {
  const { rows } = await import("../console/evolution/estimates.js");
  const { store, said } = made();
  const estimate = (simulated, value, evidence) => ({ parameter: "frisbee-mass", simulated, value, sd: 0.1, evidence, windows: 9 });
  store.apply("estimates", { robot: "xp01", t: 9, estimates: [estimate(0.07, 0.27, 8)] });
  store.apply("estimates", { robot: "xp02", t: 9, estimates: [estimate(0.07, 0.09, 0.4), null] });
  assert.ok(said.includes("estimates"));
  assert.deepEqual(rows(store.estimates), [{ parameter: "frisbee-mass", simulated: "0.070", doubts: "1 of 2 estimate 0.270" }]);
  store.takeHistory({ estimates: { xp01: [estimate(0.28, 0.28, 0)], xp03: [estimate(0.07, null, null)] } });
  assert.deepEqual(rows(store.estimates), [{ parameter: "frisbee-mass", simulated: "0.070 to 0.280", doubts: "" }]);
});
