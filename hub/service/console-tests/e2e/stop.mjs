// Measures the delay from a click on STOP to the robots' processors: node stop.mjs [CLICKS] [ROBOTS]
// The arena logs the time at which each processor received the stop command (XPUCK_ARENA_STANDSTILL); both times are
// from this machine's clock.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { ask, launch, openPage, shows, startDemo, until } from "./harness.mjs";

const [clicks, robots] = [process.argv[2] ?? 20, process.argv[3] ?? 9].map(Number);
const folder = mkdtempSync(join(tmpdir(), "xpuck-stop-"));
const log = join(folder, "standstill");
process.env.XPUCK_ARENA_STANDSTILL = log;
const STRAIGHT = 'name = "stop"\nminutes = 10.0\nsegment_minutes = 10.0\ntask = "transport"\ncontroller = "movcv v_goal 0deg\\n"\n';

/** @returns {{us: number, robot: string, drives: boolean}[]} */
function told() {
  const lines = readFileSync(log, { encoding: "utf8", flag: "a+" }).trim().split("\n").filter(Boolean);
  return lines.map((line) => line.split(" ")).map(([us, robot, what]) => ({ us: Number(us), robot, drives: what === "drives" }));
}

/** Returns the robots that are driving. */
function driving() {
  const last = new Map(told().map(({ robot, drives }) => [robot, drives]));
  return [...last].filter(([, drives]) => drives).map(([robot]) => robot);
}

const browser = await launch();
const demo = await startDemo({ robots, speed: 1, population: 64 });
try {
  const page = await openPage(browser, demo.link, { name: "operator" });
  await shows(page, "#who", /^operator, operator/);
  // This listener is called first. It stores the time at which the browser passes the click to the page.
  await page.evaluate(() => {
    const at = Object.assign(window, { clickedAt: /** @type {number[]} */ ([]) }).clickedAt;
    addEventListener("click", () => at.push((performance.timeOrigin + performance.now()) * 1000), { capture: true });
  });
  /** @type {number[]} */
  const times = [];
  for (let i = 0; i < clicks; i++) {
    const { text } = await ask(page, "/api/start", { text: STRAIGHT, files: {}, seed: i });
    if (!JSON.parse(text).ok) throw new Error(text);
    // Some robots may be blocked by a wall.
    await until(() => driving().length >= robots - 2, "robots drive");
    await page.waitForTimeout(200 + (37 * i) % 400);
    const drove = driving();
    await page.click("#stop");
    await until(() => driving().length === 0, "robots stand");
    const clicked = await page.evaluate(() => /** @type {any} */ (window).clickedAt.at(-1));
    for (const robot of drove) {
      const stood = told().find((line) => line.robot === robot && !line.drives && line.us >= clicked);
      if (stood) times.push((stood.us - clicked) / 1000);
    }
    await shows(page, "#phase", /^(Stopped|Idle)/);
  }
  times.sort((a, b) => a - b);
  const quantile = (/** @type {number} */ part) => times[Math.min(times.length - 1, Math.floor(part * times.length))].toFixed(0);
  console.log(`${clicks} clicks, ${times.length} robots that drove: median ${quantile(0.5)}, p99 ${quantile(0.99)}, most ${quantile(1)} ms; load ${loadavg().map((load) => load.toFixed(1)).join(" ")}`);
} finally {
  await browser.close();
  await demo.gone();
  rmSync(folder, { recursive: true, force: true });
}
