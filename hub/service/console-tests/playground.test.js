import assert from "node:assert/strict";
import test from "node:test";
import { decode, encode, validate } from "../console/playground/address.js";
import { binned } from "../console/playground/histogram.js";
import { addChild, duplicate, move, places, remove, replace, wrap } from "../console/playground/lines.js";

const evolve = { algorithm: "f-race", islands: 2, population: 32, generations: 3, seed: 4 };
const TREE = "sel\n  # first\n  seq\n    bleft\n    movcv v_goal 90deg\n\n  explore\n";

test("nodes are the lines with code", () => {
  assert.deepEqual(places(TREE).map(({ line, level }) => [line, level]), [[0, 0], [2, 1], [3, 2], [4, 2], [6, 1]]);
  assert.deepEqual(places(""), []);
});

test("a tree is changed by its nodes, and the rest of the text stays", () => {
  assert.equal(remove(TREE, 1), "sel\n  # first\n  explore\n");
  assert.equal(duplicate(TREE, 4), "sel\n  # first\n  seq\n    bleft\n    movcv v_goal 90deg\n\n  explore\n  explore\n");
  assert.equal(wrap("sel\n  explore\n", 1, "seq"), "sel\n  seq\n    explore\n");
  assert.equal(replace(TREE, 2, " bright "), TREE.replace("bleft", "bright"));
  assert.equal(addChild("sel\n  explore\n", 0, "successl"), "sel\n  explore\n  successl\n");
  assert.equal(move("sel\n  seq\n    bleft\n  explore\n", 3, -1), "sel\n  explore\n  seq\n    bleft\n");
  assert.equal(move("sel\n  seq\n    bleft\n  explore\n", 1, 1), "sel\n  explore\n  seq\n    bleft\n");
  for (const unchanged of [move(TREE, 0, 1), move(TREE, 1, -1), move(TREE, 4, 1), remove(TREE, 9), replace(TREE, -1, "x")]) assert.equal(unchanged, TREE);
});

test("an address gives its state back", async () => {
  const state = { tree: TREE, world: { scenario: "mix", robots: 9 }, seed: 7, seconds: 60, runs: 200, evolve };
  assert.deepEqual(await decode(await encode(/** @type {any} */ (state))), state);
  const file = { ...state, world: { file: "robots = 4\n" } };
  assert.deepEqual(await decode(await encode(/** @type {any} */ (file))), file);
  assert.equal(await decode(""), null);
  assert.equal(await decode("#other"), null);
});

test("texts that a page cannot show in time are refused", () => {
  const state = (/** @type {string} */ tree) => ({ v: 1, tree, world: { scenario: "b", robots: 9 }, seed: 1, seconds: 60, runs: 200, evolve });
  assert.throws(() => validate(state("\n".repeat(65000))), /65001 lines; at most 4000/);
  assert.throws(() => validate(state(`avoiding # ${"\u0301".repeat(60000)}`)), /line 1 has 60011 characters/);
  assert.throws(() => validate(state("a ".repeat(40000))), /80000 characters/);
  assert.throws(() => validate({ ...state(""), world: { file: "", scenario: "b", robots: 9 } }), /invalid world/);
});

test("a hostile address is refused in one line, with little work", async () => {
  const damaged = /damaged/;
  await assert.rejects(decode("#p=!!!"), damaged);
  await assert.rejects(decode("#p=AAAA"), damaged);
  await assert.rejects(decode(`#p=${"A".repeat(40000)}`), /at most 32768/);
  // Megabytes of zeros in a small address.
  const { deflateRawSync } = await import("node:zlib");
  const bomb = deflateRawSync(Buffer.alloc(20_000_000)).toString("base64url");
  await assert.rejects(decode(`#p=${bomb}`), damaged);
  const good = { v: 1, tree: "explore\n", world: { scenario: "a", robots: 2 }, seed: 1, seconds: 60, runs: 10, evolve };
  assert.equal(validate(good).runs, 10);
  for (const [key, value] of [["tree", 3], ["seed", -1], ["seed", 1.5], ["seconds", "60"], ["seconds", 1e9], ["runs", 1e9], ["world", null], ["world", { scenario: "c", robots: 2 }], ["world", { scenario: "a", robots: 1e6 }], ["world", { file: 1 }]]) {
    assert.throws(() => validate({ ...good, [/** @type {string} */ (key)]: value }), new RegExp(`invalid ${key}`));
  }
  assert.throws(() => validate(null), /another version/);
  assert.throws(() => validate({ ...good, v: 2 }), /another version/);
});

test("values at the edges of a histogram count", () => {
  assert.deepEqual(binned([0, 0.49, 0.5, 1, 1.2, -1], 0, 1, 2), [3, 3]);
});
