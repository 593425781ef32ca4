// Takes the screenshots of docs/operate.md from an evolving swarm: node screenshots.mjs FOLDER

import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { goTo, launch, openPage, shows, startDemo, startRun, until } from "./harness.mjs";

const [folder = "docs/operate"] = process.argv.slice(2);
const DESK = { width: 1366, height: 768 };
const PHONE = { width: 390, height: 844 };
const MOST_BYTES = 150000;

mkdirSync(folder, { recursive: true });
const browser = await launch();
const demo = await startDemo({ robots: 6, speed: 5, population: 64 });
try {
  const page = await openPage(browser, demo.link, { name: "operator" });
  page.setDefaultTimeout(120000);
  await shows(page, "#who", /^operator, operator/);

  /** @param {string} name */
  const take = async (name) => {
    // By now earlier messages have disappeared, and the pointer is over no element.
    await page.mouse.move(1, 1);
    await page.waitForFunction(() => document.getElementById("answer")?.textContent === "");
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    // A reduced palette is visually identical and needs a third of the space.
    execFileSync("pngquant", ["--force", "--strip", "--ext", ".png", path]);
    const { size } = statSync(path);
    console.log(`${path}: ${size} bytes`);
    if (size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes`);
  };
  /** @param {string} hash @param {string} place @param {RegExp} words */
  const open = async (hash, place, words) => {
    await page.evaluate((hash) => void (location.hash = hash), hash);
    await shows(page, place, words);
  };
  const segment = (/** @type {number} */ number) => until(() => page.evaluate((n) => (window.xpuck.live.store.status.segment ?? 0) >= n, number), `segment ${number}`, 240000);

  await goTo(page, "Run");
  await page.click('[data-file="experiment.toml"]');
  await shows(page, ".plan", /segments/);
  await shows(page, ".checks", /\w/);
  await take("run");
  for (const name of ["transport", "transport-again"]) {
    await startRun(page, { name });
    await segment(3);
    await page.click("#stop");
    await shows(page, "#phase", /^Stopped by/);
  }
  await startRun(page, { name: "transport-tuesday", minutes: 16 });
  await segment(7);
  await page.evaluate(() => window.xpuck.live.select("xp04"));
  await open("#/watch", ".short", /xp06/);
  await take("watch");
  await page.setViewportSize(PHONE);
  await take("telephone");
  await page.setViewportSize(DESK);
  await open("#/robots", "tbody", /xp06/);
  await take("robots");
  await open("#/robot/xp04", "#main", /xp04/);
  // By now the robot's curves have a minute of telemetry, and its camera has sent a picture.
  await page.waitForFunction(() => /** @type {HTMLImageElement | null} */ (document.querySelector("#main img"))?.naturalWidth);
  await take("robot");
  await open("#/evolution", "#main", /xp06/);
  await take("evolution");
  await open("#/tree/xp04", ".facts", /nodes?/);
  await take("tree");
  const [, last, first] = await page.evaluate(async () => (await (await fetch("/api/runs")).json()).map((/** @type {{id: string}} */ run) => encodeURIComponent(run.id)));
  await open("#/runs", "tbody", /transport-again/);
  await take("runs");
  await open(`#/compare/${first},${last}`, "table", /seed/);
  await take("compare");
  await open(`#/replay/${last}`, ".replay-time", /^00:(0[5-9]|[1-9])/);
  await take("replay");
} finally {
  await browser.close();
  await demo.gone();
}
