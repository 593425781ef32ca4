import assert from "node:assert/strict";
import test from "node:test";
import { batteryText } from "../console/run/checklist.js";
import { hasPhases, minutesOf, withMinutes } from "../console/run/minutes.js";

test("minutes are read from an experiment's text", () => {
  assert.equal(minutesOf("# minutes = 3\nname = \"x\"\nminutes = 16.0 # long\n[evolution]\nminutes = 2\n"), 16);
  assert.equal(minutesOf("name = \"x\"\n[evolution]\nminutes = 2\n"), null);
  assert.equal(minutesOf("say = \"\"\"\nminutes = 3\n[not a table]\n\"\"\"\nminutes = 1_000\n"), 1000);
  assert.deepEqual([minutesOf(""), minutesOf("minutes = soon"), minutesOf("segment_minutes = 2")], [null, null, null]);
  assert.equal(hasPhases("name = 1\n[[phase]]\nminutes = 2"), true);
  assert.equal(hasPhases("# [[phase]]"), false);
});

test("minutes are written into it, and the rest stays as it is", () => {
  const text = "# about\nname = \"x\"\r\n  minutes = 16.0   # two hours at most\n\n[evolution]\nminutes = 2\n";
  assert.equal(withMinutes(text, 7.5), text.replace("16.0", "7.5"));
  assert.equal(withMinutes(text, 8), text.replace("16.0", "8.0"));
  assert.equal(withMinutes("# about\nname = \"x\"\n\n# of evolution\n[evolution]\na = 1\n", 3), "# about\nname = \"x\"\nminutes = 3.0\n\n# of evolution\n[evolution]\na = 1\n");
  assert.equal(withMinutes("[evolution]\n", 3), "minutes = 3.0\n[evolution]\n");
});

test("batteries are needed for what is chosen, in arena time", () => {
  const text = "3 min needed; xp02 has the least: about 60 min";
  assert.equal(batteryText(text, { minutes: 3, speed: 1 }), text);
  assert.equal(batteryText(text, { minutes: 9, speed: 3 }), `${text} (of arena time, at 3× speed)`);
  assert.equal(batteryText("0 min needed; xp02 has the least: about 60 min", { minutes: null, speed: 3 }), "xp02 has the least: about 60 min");
});
