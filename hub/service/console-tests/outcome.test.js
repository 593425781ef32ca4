import assert from "node:assert/strict";
import test from "node:test";
import { commandLine } from "../console/runs/command.js";
import { ReplayLines } from "../console/runs/lines.js";
import { endOf, meanOfRun } from "../console/runs/outcome.js";
import { phaseOf, stoppedBy } from "../console/shared/words.js";

const started = { who: "anna", text: "experiment x: started by anna, waiting for the robots to be ready" };
const stopped = { who: "anna", text: "stopped by anna" };

test("who stopped the last run is known from the lines, and from nobody else's words", () => {
  assert.equal(stoppedBy([started, stopped]), "anna");
  assert.equal(stoppedBy([started, stopped, { who: "hub", text: "record closed" }]), "anna");
  assert.equal(stoppedBy([started, stopped, started]), "");
  assert.equal(stoppedBy([{ who: "anna", text: "note: stopped by bert" }, { who: "anna", text: "stopped by bert" }]), "");
  assert.equal(stoppedBy([started, { who: "xp01", text: "stopped by xp01" }], (who) => who === "xp01"), "");
  assert.equal(stoppedBy([]), "");
  const store = (phase) => ({ status: { phase }, lines: [started, stopped], robots: new Map() });
  assert.deepEqual([phaseOf(store("finished")), phaseOf(store("idle"))], ["Stopped by anna", "Idle"]);
});

const run = (row, segments, events = []) => ({ row: { state: "finished", mean_fitness: null, ...row }, result: { segments }, history: null, events });
const segment = (number, fitness, seconds = 10) => ({ number, fitness, seconds, phase: "" });

test("how a recorded run ended", () => {
  assert.equal(endOf(run({}, [], [started, stopped])), "stopped by anna");
  assert.equal(endOf(run({}, [], [started])), "finished");
  assert.equal(endOf(run({ state: "aborted" }, [], [started, stopped])), "aborted");
});

test("a mean that the catalogue lacks is made of the segments, or it is said why there is none", () => {
  assert.deepEqual(meanOfRun(run({ mean_fitness: 0.2 }, [])), { value: 0.2, why: "" });
  assert.deepEqual(meanOfRun(run({}, [segment(0, 0.9), segment(1, 0.1), segment(2, 0.4, 20)])), { value: 0.3, why: "" });
  assert.match(meanOfRun(run({}, [segment(0, 0.9)])).why, /segment 0/);
  assert.match(meanOfRun(run({}, [])).why, /no segment was scored/);
});

test("a replay has the lines of before its moment, under numbers of its own", () => {
  const lines = new ReplayLines({ row: { began_unix_ms: 5000 }, begin_t: 100, speed: 2, events: [{ t: 100, who: "", text: "a" }, { t: 110, who: "anna", text: "b" }, { t: 120, who: "", text: "c" }] });
  assert.deepEqual(lines.before(115), [{ seq: 1, t: 100, unix_ms: 5000, level: "info", who: "hub", text: "a" }, { seq: 2, t: 110, unix_ms: 10000, level: "info", who: "anna", text: "b" }]);
  assert.equal(lines.numbered({ seq: 1, t: 120, text: "c" }).seq, 3);
});

test("a command line is safe to paste, whatever a run is called", () => {
  assert.equal(commandLine(["xpuck", "runs", "export", "transport-17"]), "xpuck runs export transport-17");
  assert.equal(commandLine(["a b", "x;rm", "it's", "$(x)", ""]), "'a b' 'x;rm' 'it'\\''s' '$(x)' ''");
});
