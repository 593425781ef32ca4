// The WebAssembly library has the digits of the program: runs of trees, missions, and ten generations of evolution.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

const ROOT = path.join(import.meta.dirname, "../../../..");
const XPUCK = path.join(process.env.XPUCK_BIN ?? path.join(ROOT, "target/debug"), "xpuck");
const { instance } = await WebAssembly.instantiate(readFileSync(path.join(ROOT, "target/playground/playground/xpuck.wasm")), {});
const library = /** @type {any} */ (instance.exports);

/** @param {object} request */
function ask(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const at = library.reserve(bytes.length);
  new Uint8Array(library.memory.buffer, at, bytes.length).set(bytes);
  const length = library.answer();
  const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(library.memory.buffer, library.text(), length)));
  assert.equal(answer.error, undefined);
  return answer;
}

const read = (/** @type {string} */ file) => readFileSync(path.join(ROOT, file), "utf8");

test("the library imports nothing", async () => {
  const module = await WebAssembly.compile(readFileSync(path.join(ROOT, "target/playground/playground/xpuck.wasm")));
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

for (const [tree, world, seconds] of /** @type {[string, any, number][]} */ ([
  ["docs/trees/806768.bt", { scenario: "b", robots: 9 }, 60],
  ["docs/trees/explore.bt", { scenario: "mix", robots: 20 }, 20],
  ["docs/trees/network.bt", { scenario: "a", robots: 3 }, 20],
  ["docs/trees/aac.bt", "docs/worlds/missions/aac.toml", 20],
  ["docs/trees/for.bt", "docs/worlds/missions/for.toml", 20],
  ["docs/trees/wanderer.bt", "docs/worlds/phototaxis.toml", 20],
])) {
  test(`${tree} in ${typeof world === "string" ? world : `scenario ${world.scenario}`} has the digits of xpuck simulate`, () => {
    const where = typeof world === "string" ? ["--world", path.join(ROOT, world)] : ["--scenario", world.scenario, "--count", String(world.robots)];
    const told = JSON.parse(execFileSync(XPUCK, ["simulate", path.join(ROOT, tree), ...where, "--runs", "24", "--seconds", String(seconds), "--seed", "7", "--json"], { encoding: "utf8" }));
    const choice = typeof world === "string" ? { file: read(world) } : world;
    const parts = [[0, 16], [16, 8]].map(([first, count]) => ask({ do: "simulate", tree: read(tree), world: choice, seconds, seed: 7, first, count }));
    const sum = ask({ do: "summarise", fitness: parts.flatMap((part) => part.fitness), hashes: parts.flatMap((part) => part.hashes) });
    assert.deepEqual([sum.mean, sum.sd, sum.hash], [told.mean, told.sd, told.hash]);
  });
}

test("ten generations have the digits of xpuck evolve", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "xpuck-playground-"));
  try {
    const out = path.join(folder, "run");
    const file = path.join(folder, "run.toml");
    writeFileSync(file, "islands = 3\ngenerations = 10\nseconds = 5.0\nseed = 3\nremeasure = 1\n[settings]\npopulation = 32\n");
    execFileSync(XPUCK, ["evolve", file, "--output", out, "--json"]);
    const rows = readFileSync(path.join(out, "generations.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
    const settings = { algorithm: "racing", islands: 3, population: 32, seconds: 5, seed: 3, world: { scenario: "mix", robots: 9 } };
    ask({ do: "evolve", settings, islands: [0, 1, 2] });
    let immigrants = [[], [], []];
    for (let generation = 1; generation <= 10; generation++) {
      const mine = [0, 1, 2].map((island) => ask({ do: "generation", island, immigrants: immigrants[island] }));
      for (const row of mine) {
        const [, , , best, derated, evaluations, mean, distinct] = rows.find(([number, island]) => number === generation && island === row.island) ?? [];
        assert.deepEqual([row.best, row.derated, row.evaluations, row.mean, row.distinct], [best, derated, evaluations, mean, distinct]);
      }
      immigrants = ask({ do: "exchange", generation, emigrants: mine.map((row) => row.emigrant) }).immigrants;
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
