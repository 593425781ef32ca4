import assert from "node:assert/strict";
import test from "node:test";
import { crosses, placeLabels } from "../console/arena/labels.js";

/** Nine robots in a square of 0.3 m, at a scale in pixels per metre. */
function crowd(scale, width = 48, height = 18) {
  return Array.from({ length: 9 }, (_, i) => ({
    key: `xp0${i + 1}`, x: 300 + (i % 3) * 0.1 * scale, y: 250 + Math.floor(i / 3) * 0.1 * scale,
    r: Math.max(4, 0.0375 * scale), width, height, first: i === 4,
  }));
}

function assertApart(boxes) {
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) assert.ok(!crosses(boxes[i], boxes[j]), `${boxes[i].key} covers ${boxes[j].key}`);
}

test("nine robots in a square of 0.3 m: no two labels intersect at any size", () => {
  for (const scale of [60, 120, 180, 350, 500, 900, 2000, 4000]) {
    for (const area of [{ width: 390, height: 300 }, { width: 900, height: 700 }, { width: 1920, height: 1080 }]) {
      assertApart(placeLabels(crowd(scale), area));
    }
  }
});

test("there is a label for each of the nine where there is room", () => {
  assert.equal(placeLabels(crowd(350), { width: 900, height: 700 }).length, 9);
});

test("the first one always has its label, and labels stay within the area", () => {
  const area = { width: 120, height: 80 };
  const anchors = Array.from({ length: 60 }, (_, i) => ({ key: `r${i}`, x: 40 + (i % 8) * 6, y: 30 + (i % 5) * 5, r: 4, width: 40, height: 18, first: i === 59 }));
  const boxes = placeLabels(anchors, area);
  assertApart(boxes);
  assert.equal(boxes[0].key, "r59");
  for (const box of boxes) assert.ok(box.left >= 0 && box.top >= 0 && box.right <= area.width && box.bottom <= area.height);
});

test("a label that has its place keeps it when its robot moves a little", () => {
  const before = new Map();
  const first = placeLabels(crowd(350), { width: 900, height: 700 }, before);
  const moved = crowd(350).map((anchor) => ({ ...anchor, x: anchor.x + 1 }));
  const second = placeLabels(moved, { width: 900, height: 700 }, before);
  const same = second.filter((box) => first.find((other) => other.key === box.key)?.slot === box.slot);
  assert.ok(same.length >= 7, `${same.length} of 9 stayed`);
});

test("a hundred robots everywhere and at the same place", () => {
  let seed = 1;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (const spread of [0, 20, 300, 1200]) {
    const anchors = Array.from({ length: 100 }, (_, i) => ({ key: `xp${i}`, x: 600 + (random() - 0.5) * spread, y: 400 + (random() - 0.5) * spread, r: 12, width: 50, height: 18 }));
    assertApart(placeLabels(anchors, { width: 1200, height: 800 }));
  }
});
