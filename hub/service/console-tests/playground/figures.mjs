// Figures of docs/performance.md, "Playground": size, speed of one thread beside `xpuck`, and times of the page.
// node figures.mjs [ROUNDS]

import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { launch, program } from "../e2e/harness.mjs";
import { library, ROOT } from "./library.mjs";

const FILES = path.join(ROOT, "target/playground");
const XPUCK = path.join(process.env.XPUCK_BIN ?? path.join(ROOT, "target/debug"), "xpuck");
const rounds = Number(process.argv[2] ?? 7);
// Runs of 60 s with nine robots in a round.
const RUNS = { native: 1200, wasm: 480 };
const TREE = path.join(ROOT, "docs/trees/806768.bt");

const median = (/** @type {number[]} */ values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const spread = (/** @type {number[]} */ values, digits = 0) => `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;
const seconds = (/** @type {() => void} */ work) => {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1000;
};

const packed = readdirSync(FILES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".gz"));
console.log(`compressed: ${packed.reduce((sum, name) => sum + statSync(path.join(FILES, name)).size, 0)} bytes, of which WebAssembly ${statSync(path.join(FILES, "playground/xpuck.wasm.gz")).size}`);

const ask = library();
const tree = readFileSync(TREE, "utf8");

function wasm() {
  for (let first = 0; first < RUNS.wasm; first += 16) ask({ do: "simulate", tree, world: { scenario: "b", robots: 9 }, seconds: 60, seed: 7, first, count: 16 });
}

function native() {
  const env = { ...process.env, RAYON_NUM_THREADS: "1" };
  execFileSync(XPUCK, ["simulate", TREE, "--scenario", "b", "--runs", String(RUNS.native), "--seconds", "60", "--seed", "7", "--json"], { env });
}

// The browser's compiler optimises functions that ran for some time.
wasm();
/** @type {number[][]} */
const [inWasm, inNative, ratios] = [[], [], []];
for (let round = 0; round < rounds; round++) {
  inWasm.push((RUNS.wasm * 540) / seconds(wasm));
  inNative.push((RUNS.native * 540) / seconds(native));
  ratios.push(inWasm[round] / inNative[round]);
}
console.log(`robot-seconds per second in one thread: WebAssembly ${spread(inWasm)}, xpuck ${spread(inNative)}, ratio ${spread(ratios, 2)}`);

const server = program(["serve", "playground", "--listen", "127.0.0.1:0"]);
const [address] = await server.said(/http:\S+/);
const browser = await launch();
/** @type {number[][]} */
const [usable, measured, blocked] = [[], [], []];
for (let round = 0; round < rounds; round++) {
  const page = await (await browser.newContext()).newPage();
  const began = performance.now();
  await page.goto(address);
  await page.waitForFunction(() => document.documentElement.hasAttribute("data-ready") && document.querySelectorAll("svg.tree [data-index]").length > 1 && /fitness/.test(document.querySelector("#watch .figure-row")?.textContent ?? ""));
  usable.push((performance.now() - began) / 1000);
  const told = () => page.textContent("#measure .figure-row");
  for (let run = 0; run < 2; run++) {
    await page.click("#measure button.primary");
    await page.waitForFunction(() => /hash/.test(document.querySelector("#measure .figure-row")?.textContent ?? ""));
    if (run === 1) measured.push(Number(/; ([\d.]+) s/.exec((await told()) ?? "")?.[1]));
  }
  await page.evaluate(() => new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) /** @type {any} */ (window).longest = Math.max(/** @type {any} */ (window).longest ?? 0, duration);
  }).observe({ type: "longtask" }));
  await page.click("#evolve button.primary");
  await page.waitForFunction(() => /^Generation 12 of 12/.test(document.querySelector("#evolve .figure-row")?.textContent ?? ""));
  // The browser reports tasks from 50 ms on.
  blocked.push(await page.evaluate(() => /** @type {any} */ (window).longest ?? 0));
  await page.context().close();
}
console.log(`page usable after ${spread(usable, 2)} s; 200 runs of 60 s in ${spread(measured, 1)} s; longest task while evolving, from 50 ms on: ${spread(blocked)} ms`);
await browser.close();
await server.stop();
