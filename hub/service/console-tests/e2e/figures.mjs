// Measures the page beside a real demo at the true speed: node figures.mjs [ROBOTS] [SECONDS]
// Main-thread time is the browser's own account of it (Performance.getMetrics); the browser draws in software here.

import { readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { ask, close, launch, openPage, shows, startDemo } from "./harness.mjs";

// Robots drive with a tree of the thesis and evolve nothing: their evolution would take the processors of this machine, not of robots.
const TREE = readFileSync(new URL("../../../../docs/trees/806768.bt", import.meta.url), "utf8");
const EXPERIMENT = `name = "figures"\nminutes = 10.0\nsegment_minutes = 1.0\ntask = "transport"\ncontroller = ${JSON.stringify(TREE)}\n`;

const [robots, seconds] = [process.argv[2] ?? 16, process.argv[3] ?? 20].map(Number);
const browser = await launch();
const demo = await startDemo({ robots, speed: 1, population: 16 });
try {
  await firstLoad();
  const page = await openPage(browser, demo.link, { name: "operator" });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  await shows(page, "#who", /^operator, operator/);
  const { text } = await ask(page, "/api/start", { text: EXPERIMENT, files: {}, seed: 1 });
  if (!JSON.parse(text).ok) throw new Error(text);
  await shows(page, "#phase", /^Running/, 60000);
  await shows(page, ".short", /xp02/);
  const now = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    const drawn = await page.evaluate(() => ({ frames: window.xpuck.frames.drawn, ms: performance.now() }));
    return { ...Object.fromEntries(metrics.map(({ name, value }) => [name, value])), ...drawn };
  };
  // Trails have their full length and the page its final code.
  await page.waitForTimeout(8000);
  const [from, load] = [await now(), loadavg()];
  await page.waitForTimeout(seconds * 1000);
  const to = await now();
  const frames = to.frames - from.frames;
  const each = (/** @type {string} */ name) => (((/** @type {any} */ (to)[name] - /** @type {any} */ (from)[name]) / frames) * 1000).toFixed(2);
  const costs = (await page.evaluate(() => window.xpuckFrames())).slice(-frames).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  const quantile = (/** @type {number} */ part) => costs[Math.floor((costs.length - 1) * part)].toFixed(2);
  console.log(`${robots} robots, 1366 x 768: ${((frames / (to.ms - from.ms)) * 1000).toFixed(1)} frames/s; main thread ${each("TaskDuration")} ms a frame (script ${each("ScriptDuration")}, style ${each("RecalcStyleDuration")}, layout ${each("LayoutDuration")}); the page's own part p50 ${quantile(0.5)}, p99 ${quantile(0.99)} ms; load ${load.map((value) => value.toFixed(1)).join(" ")}`);
} finally {
  await browser.close();
  await demo.gone();
}

/** Bytes on the wire and the first paint of a browser that knows nothing of the page. */
async function firstLoad() {
  const page = await openPage(browser, "about:blank", { name: "first" });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  let [bytes, files] = [0, 0];
  const streams = new Set();
  cdp.on("Network.requestWillBeSent", ({ requestId, type }) => type === "EventSource" && streams.add(requestId));
  cdp.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!streams.has(requestId)) [bytes, files] = [bytes + encodedDataLength, files + 1];
  });
  await page.goto(demo.url);
  await shows(page, ".short", /xp02/);
  const paints = await page.evaluate(() => performance.getEntriesByType("paint").map(({ name, startTime }) => `${name} ${startTime.toFixed(0)} ms`));
  console.log(`first load: ${files} files, ${(bytes / 1000).toFixed(1)} kB on the wire; ${paints.join(", ")}`);
  await close(page);
}
