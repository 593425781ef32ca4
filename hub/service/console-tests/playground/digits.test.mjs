// The WebAssembly library has the digits of the program: runs of trees, missions, and ten generations of evolution.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { evolveCommand, simulateCommand } from "../../console/playground/commands.js";
import { library, module, ROOT } from "./library.mjs";

const XPUCK = path.join(process.env.XPUCK_BIN ?? path.join(ROOT, "target/debug"), "xpuck");
const answer = library();

/** @param {object} request */
function ask(request) {
  const found = answer(request);
  assert.equal(found.error, undefined);
  return found;
}

const read = (/** @type {string} */ file) => readFileSync(path.join(ROOT, file), "utf8");

test("the library imports nothing", () => {
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
    const choice = typeof world === "string" ? { file: read(world) } : world;
    const [, ...words] = simulateCommand({ tree: read(tree), world: choice, seed: 7, seconds, runs: 24 }).split(" ");
    const files = { "tree.bt": path.join(ROOT, tree), "world.toml": path.join(ROOT, String(world)) };
    const told = JSON.parse(execFileSync(XPUCK, [...words.map((word) => files[/** @type {keyof typeof files} */ (word)] ?? word), "--json"], { encoding: "utf8" }));
    const parts = [[0, 16], [16, 8]].map(([first, count]) => ask({ do: "simulate", tree: read(tree), world: choice, seconds, seed: 7, first, count }));
    const sum = ask({ do: "summarise", fitness: parts.flatMap((part) => part.fitness), hashes: parts.flatMap((part) => part.hashes) });
    assert.deepEqual([sum.mean, sum.sd, sum.hash], [told.mean, told.sd, told.hash]);
  });
}

// Runs the commands that the page shows, in a folder with the files that they name.
for (const [algorithm, world, generations] of /** @type {[string, any, number][]} */ ([["racing", { scenario: "mix", robots: 9 }, 10], ["median-stopping", "docs/worlds/missions/aac.toml", 4]])) {
  test(`${generations} generations of ${algorithm} have the digits of xpuck evolve`, () => {
    const folder = mkdtempSync(path.join(tmpdir(), "xpuck-playground-"));
    try {
      const choice = typeof world === "string" ? { file: read(world) } : world;
      if (typeof world === "string") writeFileSync(path.join(folder, "world.toml"), read(world));
      const settings = { algorithm, islands: 3, population: 32, seconds: 5, seed: 3, world: choice };
      const [, ...words] = evolveCommand(settings, generations).split(" ");
      execFileSync(XPUCK, [...words, "--output", "run", "--remeasure", "1", "--json"], { cwd: folder });
      const rows = readFileSync(path.join(folder, "run/generations.csv"), "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
      ask({ do: "evolve", settings, islands: [0, 1, 2] });
      let immigrants = [[], [], []];
      for (let generation = 1; generation <= generations; generation++) {
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
}
