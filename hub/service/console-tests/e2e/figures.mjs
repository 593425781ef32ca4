// Measures the page's performance with a real demo at normal speed: node figures.mjs [ROBOTS] [SECONDS]
// With a third argument, "synthetic", it uses a hub whose robots are threads of one other process (`xpuck dev bench
// hub`). The main-thread time is that of the browser (Performance.getMetrics), divided by the number of the arena's
// frames, which another thread draws, here in software.

import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { ask, close, launch, openPage, program, shows, startDemo } from "./harness.mjs";

// The robots use a tree of the thesis without evolution, which would occupy the processors of this machine in place
// of the robots' own.
const TREE = readFileSync(new URL("../../../../docs/trees/806768.bt", import.meta.url), "utf8");
const EXPERIMENT = `name = "figures"\nminutes = 10.0\nsegment_minutes = 1.0\ntask = "transport"\ncontroller = ${JSON.stringify(TREE)}\n`;

const [robots, seconds] = [process.argv[2] ?? 16, process.argv[3] ?? 20].map(Number);
const browser = await launch();
const synthetic = process.argv[4] === "synthetic";
const demo = await (synthetic ? startBench() : startDemo({ robots, speed: 1, population: 16 }));
try {
  if (!synthetic) await firstLoad();
  const page = await openPage(browser, demo.link, { name: "operator", expected: synthetic ? [/./] : [] });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  if (!synthetic) await start(page);
  await shows(page, "#phase", /^Running/, 60000);
  await shows(page, ".short", /xp0*2/);
  const now = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    const drawn = await page.evaluate(async () => {
      const { drawn, costs } = await window.xpuck.navigation.view.arena.thread.measure();
      return { frames: drawn, costs, own: window.xpuck.frames.drawn, ms: performance.now() };
    });
    return { ...Object.fromEntries(metrics.map(({ name, value }) => [name, value])), ...drawn };
  };
  // After this time, the trails have their full length, and the page's code is fully optimised.
  await page.waitForTimeout(8000);
  const [from, load] = [await now(), loadavg()];
  await page.waitForTimeout(seconds * 1000);
  const to = await now();
  const frames = to.frames - from.frames;
  const each = (/** @type {string} */ name) => (((/** @type {any} */ (to)[name] - /** @type {any} */ (from)[name]) / frames) * 1000).toFixed(2);
  const quantiles = (/** @type {number[]} */ costs) => {
    const sorted = [...costs].sort((a, b) => a - b);
    return [0.5, 0.99].map((part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(2)).join(" and ");
  };
  const own = (await page.evaluate(() => window.xpuckFrames())).slice(from.own - to.own);
  const rate = ((frames / (to.ms - from.ms)) * 1000).toFixed(1);
  console.log(`${robots} robots, 1366 x 768: ${rate} frames/s of the arena`);
  console.log(`main thread ${each("TaskDuration")} ms a frame (script ${each("ScriptDuration")}, style ${each("RecalcStyleDuration")}, layout ${each("LayoutDuration")})`);
  console.log(`p50 and p99, ms: a frame in the arena's thread ${quantiles(to.costs.slice(-frames))}; the page's own, ${((own.length / (to.ms - from.ms)) * 1000).toFixed(1)} a second, ${quantiles(own)}; load ${load.map((value) => value.toFixed(1)).join(" ")}`);
} finally {
  await browser.close();
  await demo.gone();
}

/** @param {import("playwright-core").Page} page */
async function start(page) {
  await shows(page, "#who", /^operator, operator/);
  const { text } = await ask(page, "/api/start", { text: EXPERIMENT, files: {}, seed: 1 });
  if (!JSON.parse(text).ok) throw new Error(text);
}

/** Starts a benchmark hub with synthetic robots, which ends by itself. */
async function startBench() {
  const bench = program(["dev", "bench", "hub", "--robots", `${robots}`, "--consoles", "1", "--seconds", `${Math.min(39, seconds + 20)}`]);
  const [, link] = await bench.said(/the page at (http:\/\/[\d.:]+)/);
  // The hub does not listen at once.
  for (let tries = 0; tries < 100 && !(await fetch(link).then(() => true, () => false)); tries++) await new Promise((done) => setTimeout(done, 100));
  return { link, url: link, gone: bench.stop };
}

/** Measures the transferred bytes and the first paint with an empty browser cache. */
async function firstLoad() {
  const page = await openPage(browser, "about:blank", { name: "first" });
  // Includes the requests of the arena's thread; a response from the browser cache has no bytes.
  /** @type {Promise<number>[]} */
  const sizes = [];
  page.on("requestfinished", (request) => {
    if (!request.url().includes("/events")) sizes.push(request.sizes().then(({ responseHeadersSize, responseBodySize }) => responseHeadersSize + responseBodySize));
  });
  await page.goto(demo.url);
  await shows(page, ".short", /xp02/);
  const paints = await page.evaluate(() => performance.getEntriesByType("paint").map(({ name, startTime }) => `${name} ${startTime.toFixed(0)} ms`));
  const counted = (await Promise.all(sizes)).filter((bytes) => bytes > 0);
  const kilobytes = counted.reduce((sum, bytes) => sum + bytes, 0) / 1000;
  console.log(`first load: ${counted.length} files, ${kilobytes.toFixed(1)} kB on the wire; ${paints.join(", ")}`);
  await close(page);
}
