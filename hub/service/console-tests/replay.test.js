import assert from "node:assert/strict";
import test from "node:test";
import { chunkFor, hzFor, Schedule } from "../console/runs/schedule.js";

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a record with one event per second, and a status before each chunk. */
function record(begin = 100, end = 400) {
  const asked = [];
  const schedule = new Schedule({ begin, end }, async (from, to, hz) => {
    asked.push({ from, to, hz });
    const events = [[from - 0.1, "status", { t: from - 0.1 }]];
    for (let t = Math.ceil(from); t < to; t++) events.push([t, "poses", { t }]);
    return events;
  });
  return { schedule, asked };
}

async function started(...range) {
  const told = record(...range);
  told.schedule.playing = true;
  told.schedule.advance(0, 0);
  await settle();
  return told;
}

test("every event comes once and in order", async () => {
  const { schedule } = await started();
  const seen = [];
  for (let i = 0; i < 4000 && schedule.at < schedule.end; i++) {
    for (const [t, type] of schedule.advance(0.1, i / 10).events) if (type === "poses") seen.push(t);
    await settle();
  }
  assert.deepEqual(seen, Array.from({ length: 301 }, (_, i) => 100 + i).slice(0, seen.length));
  assert.ok(seen.length >= 300);
  assert.equal(schedule.playing, false);
});

test("no chunk is longer than the server gives, at any speed, and poses are not finer than the screen", async () => {
  for (const speed of [0.1, 0.5, 1, 4, 16, 50]) {
    const { schedule, asked } = record();
    schedule.setSpeed(speed);
    schedule.playing = true;
    for (let i = 0; i < 40; i++) {
      schedule.advance(0.1, i / 10);
      await settle();
    }
    assert.ok(asked.every(({ from, to }) => to - from <= 60.001 && to > from));
    assert.ok(asked.every(({ hz }) => hz === hzFor(speed)));
  }
  assert.deepEqual([0.1, 1, 5, 50].map(hzFor), [25, 25, 5, 1]);
  assert.equal(chunkFor(50), 60);
});

test("a jump forgets what was, and begins with the state there", async () => {
  const { schedule } = await started();
  assert.equal(schedule.advance(0.1, 0).jumped, true);
  assert.equal(schedule.advance(0.1, 0.1).jumped, false);
  schedule.seek(250);
  assert.equal(schedule.waiting, true);
  schedule.advance(0, 0.2);
  await settle();
  const { events, jumped } = schedule.advance(0.01, 0.3);
  assert.equal(jumped, true);
  assert.equal(events[0][1], "status");
  assert.ok(events.every(([t]) => t > 249));
});

test("a jump to the very end shows how things stood there", async () => {
  const { schedule } = record();
  schedule.seek(1e9);
  assert.equal(schedule.waiting, true);
  schedule.advance(0, 0);
  await settle();
  const { events, jumped } = schedule.advance(0, 0.1);
  assert.deepEqual([schedule.at, schedule.waiting, jumped, events[0][1]], [400, false, true, "status"]);
});

test("it waits where nothing has been fetched, and does not run past the end", async () => {
  const { schedule } = record(0, 10);
  schedule.playing = true;
  schedule.advance(5, 0);
  assert.equal(schedule.at, 0);
  assert.equal(schedule.waiting, true);
  await settle();
  for (let i = 0; i < 30; i++) {
    schedule.advance(1, i);
    await settle();
  }
  assert.equal(schedule.at, 10);
  assert.equal(schedule.waiting, false);
});

test("a chunk that failed is asked for again, but not at once", async () => {
  let asked = 0;
  const schedule = new Schedule({ begin: 0, end: 5 }, async () => {
    asked++;
    if (asked === 1) throw new Error("away");
    return [[0.5, "poses", {}]];
  });
  schedule.advance(0, 0);
  await settle();
  assert.equal(schedule.trouble, "away");
  schedule.advance(0, 1);
  await settle();
  assert.equal(asked, 1);
  schedule.advance(0, 4);
  schedule.advance(0, 4.1);
  await settle();
  assert.equal(asked, 2);
  assert.equal(schedule.trouble, "");
});

test("what is kept is bounded", async () => {
  const { schedule } = await started(0, 100000);
  schedule.setSpeed(50);
  schedule.playing = true;
  for (let i = 0; i < 400; i++) {
    schedule.advance(0.25, i);
    await settle();
  }
  assert.ok(schedule.at > 2000);
  assert.ok(schedule.chunks.length <= 8);
});
