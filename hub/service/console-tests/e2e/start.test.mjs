// Tests of a first-time user's path through the page: start a run, watch it, act on it, stop it, and view its record.

import { test } from "node:test";
import assert from "node:assert/strict";
import { ask, goTo, openPage, shows, startRun, suite, until } from "./harness.mjs";

const all = suite();
/** @type {import("playwright-core").Page} */
let page;

/** Returns the acknowledgements of all robots from the Run view. */
async function acknowledgements() {
  await goTo(page, "Run");
  await shows(page, ".acks", /✓ \d+ ms[^]*✓ \d+ ms/);
  return page.locator(".acks li").allTextContents();
}

test("the one-time link logs in and leaves the address", async () => {
  page = await openPage(all.browser, all.demo.link, { name: "newcomer" });
  await shows(page, "#who", /^operator, operator/);
  assert.equal(new URL(page.url()).hash.includes("link"), false, page.url());
  await shows(page, "#link", /^Live/);
});

test("the offered experiment starts once it is shortened", async () => {
  await goTo(page, "Run");
  await shows(page, "#start-why", /Choose an experiment first/);
  assert.equal(await page.isDisabled("button.start"), true);
  await startRun(page);
  await shows(page, "#clock", /^0\d:\d\d \/ 08:00$/);
  await shows(page, ".acks", /xp01✓[^]*xp02✓/);
});

test("telemetry changes by itself", async () => {
  await goTo(page, "Robots");
  const row = page.locator(".table-panel tbody tr").filter({ hasText: "xp02" });
  const before = await row.textContent();
  await until(async () => (await row.textContent()) !== before, () => `the row of xp02 changes from ${before}`);
  const clock = await page.textContent("#clock");
  await until(async () => (await page.textContent("#clock")) !== clock, "the clock goes on");
});

test("the arena moves", async () => {
  await goTo(page, "Watch");
  await page.waitForFunction(() => document.querySelectorAll(".stage canvas").length === 2);
  await shows(page, ".short-heads", /^RobotStateTroubleBestBattery$/);
  await shows(page, "#clock-name", /^Clock 3×$/);
  // Without sensors and names, only moving bodies change the picture.
  await page.keyboard.press("s");
  await page.keyboard.press("m");
  const picture = () => page.evaluate(() => /** @type {HTMLCanvasElement} */ (document.querySelector(".stage canvas[role=img]")).toDataURL());
  const before = await picture();
  assert.ok(before.length > 2000, "something is drawn");
  await until(async () => (await picture()) !== before, "bodies move", 40000);
  await page.keyboard.press("s");
  await page.keyboard.press("m");
});

test("pause and resume are acknowledged, and the clock obeys", async () => {
  await page.click("#pause");
  await shows(page, "#answer", /PAUSE: all 2 robots obey, the slowest after \d+ ms/);
  await shows(page, "#phase", /^Paused/);
  const clock = await page.textContent("#clock");
  const t = () => page.evaluate(() => window.xpuck.live.store.status.t);
  const since = await t();
  await until(async () => (await t()) > since + 3, "three seconds pass");
  assert.equal(await page.textContent("#clock"), clock, "the clock stands");
  await page.click("#resume");
  await shows(page, "#answer", /RUN: all 2 robots obey, the slowest after \d+ ms/);
  await shows(page, "#phase", /^Running/);
});

test("a note is in the events with its author", async () => {
  await goTo(page, "Run");
  await page.fill("#note", "lights were dimmed");
  await page.click("button:text-is('Add')");
  await shows(page, ".notes .events >> nth=0", /operator.*lights were dimmed/);
  assert.equal(await page.inputValue("#note"), "");
});

test("a note can be written beside the arena too", async () => {
  await goTo(page, "Watch");
  await page.click(".events button:text-is('Note…')");
  await page.fill("#note-here", "xp01 was moved");
  await page.keyboard.press("Enter");
  await shows(page, ".side .events .lines", /operator.*xp01 was moved/);
  assert.equal(await page.isVisible("#note-here"), false);
  await page.keyboard.press("w");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "note-here");
  assert.equal(await page.inputValue("#note-here"), "");
  await page.keyboard.press("Escape");
});

test("a robot is asked to blink", async () => {
  await goTo(page, "Robots");
  await page.click(".table-panel tbody tr:has-text('xp02')");
  await shows(page, ".dialog-row b", /^xp02$/);
  await page.click(".dialog-row button:has-text('Blink')");
  // The answer must not wait for the end of the previous answer's display time.
  await shows(page, "#answer", /Blink xp02: accepted by the hub/, 5000);
});

test("a robot that blinks is shown as blinking", async () => {
  await shows(page, ".dialog-row", /Blinking/, 2000);
});

test("a robot is held, and goes on", async () => {
  await goTo(page, "Robots");
  const row = page.locator(".table-panel tbody tr").filter({ hasText: "xp02" });
  await page.click(".dialog-row button:text-is('Hold')");
  await shows(page, ".table-panel tbody tr:has-text('xp02') .chip", /held/i);
  assert.equal(await page.isDisabled(".dialog-row button:text-is('Hold')"), true);
  await page.click(".dialog-row button:text-is('Release')");
  await until(async () => !/held/i.test((await row.locator(".chip").textContent()) ?? ""), "xp02 is released");
  await shows(page, "#phase", /^Running/);
});

test("STOP by a click is acknowledged by each robot", async () => {
  await page.click("#stop");
  await shows(page, "#answer", /IDLE|STOP/);
  await shows(page, "#answer", /all 2 robots obey, the slowest after \d+ ms/);
  const told = await acknowledgements();
  assert.equal(told.length, 2);
  for (const line of told) assert.match(line, /^xp0\d✓ \d+ ms$/);
  await shows(page, "#phase", /^Stopped by operator$/);
});

test("after a run the next is compared with it without being chosen again; minutes are set in their field, and all that follows from them is told anew", async () => {
  await goTo(page, "Run");
  await shows(page, ".plan", /Compared with the last run, transport[^]*No difference/);
  await page.click('[data-file="experiment.toml"]');
  await shows(page, ".plan", /time16 min/);
  await shows(page, ".plan", /minutes8.016.0/);
  await page.fill("#minutes", "7.5");
  await shows(page, ".plan", /time7\.5 min/);
  await shows(page, ".checks", /8 min needed[^]*of arena time, at 3× speed/);
  const text = await page.inputValue(".choose textarea");
  assert.match(text, /^minutes = 7\.5$/m);
  assert.match(text, /^name = "transport"\nminutes = 7\.5\nsegment_minutes[^]*\[evolution\]/);
  await page.fill("#minutes", "0");
  await shows(page, ".plan", /Not in order[^]*minutes/);
  assert.equal(await page.isDisabled("button.start"), true);
});

test("the space bar stops a second run, whatever has the focus", async () => {
  await startRun(page, { name: "again" });
  // Robots report the first run until the second starts on them.
  await until(() => page.evaluate(() => [...window.xpuck.live.store.islands.values()].filter((island) => island.t.length > 1).length === 2), "both islands evolve");
  const islands = await page.evaluate(() => [...window.xpuck.live.store.islands.values()].map(({ t, generation }) => [t[0], generation[0]]));
  for (const [t, generation] of islands) assert.ok(t > 0 && generation < 20, `the first curve point is generation ${generation} at ${t} s`);
  await goTo(page, "Watch");
  await page.focus(".zoom button");
  await page.keyboard.press("Space");
  await shows(page, "#answer", /all 2 robots obey, the slowest after \d+ ms/);
  for (const line of await acknowledgements()) assert.match(line, /^xp0\d✓ \d+ ms$/);
  await shows(page, "#phase", /^Stopped by operator$/);
});

test("the run is in the catalogue, with what was done and noted", async () => {
  await goTo(page, "Runs");
  await page.click(".table-panel tbody tr:has-text('transport') th a");
  await shows(page, ".headline h2", /transport/);
  await shows(page, "ol[aria-label=Events]", /paused[^]*stopped|pause[^]*stop/i);
  await shows(page, ".run-parts", /lights were dimmed/);
  await shows(page, ".panel .dim", /stopped by operator/);
  await shows(page, ".command", /^xpuck runs export demo-\d+\/transport-\S+ --foxglove transport-\S+\.mcap$/);
  assert.match(await page.inputValue("textarea[aria-label=\"The experiment's text\"]"), /minutes = 8/);
});

test("every export answers", async () => {
  const links = await page.locator(".exports a").evaluateAll((nodes) => nodes.map((node) => /** @type {HTMLAnchorElement} */ (node).getAttribute("href")));
  assert.equal(links.length, 7);
  for (const link of links) {
    const { status, bytes } = await ask(page, String(link));
    assert.equal(status, 200, String(link));
    assert.ok(bytes > 50, `${link} has ${bytes} bytes`);
  }
});

test("it replays: ten times as fast, from anywhere, and pauses", async () => {
  await page.click(".headline a:has-text('Replay')");
  await shows(page, "#experiment", /^Live swarm: again$/);
  await shows(page, "#phase", /^Live: Stopped by operator$/);
  const scrub = page.locator(".scrub input");
  const at = async () => Number(await scrub.inputValue());
  await shows(page, ".replay-time", /^00:0[1-9]/);
  // The speed menu offers 8 and 16, but not 10; this test uses 8.
  await page.selectOption("select[aria-label=Speed]", "8");
  const from = await at();
  const began = Date.now();
  await until(async () => (await at()) > from + 8 || (await shown(/The end/)), "eight seconds of the record pass");
  assert.ok(Date.now() - began < 8000, "sooner than at their own speed");
  await page.click(".replay-bar button[aria-label='Pause the replay']");
  const begin = Number(await scrub.getAttribute("min"));
  // Half a second is added, because the slider rounds to its steps and the clock shows full elapsed seconds.
  await scrub.fill((begin + 5.5).toFixed(1));
  await shows(page, ".replay-time", /^00:05/);
  const still = await at();
  await page.waitForFunction(() => window.xpuck.frames.requested === false);
  assert.equal(await at(), still, "it stands while it is paused");
  await page.waitForFunction(() => window.xpuck.navigation.replay.store.posed === 3);
  await page.keyboard.press("k");
  await until(async () => (await at()) > still, "K plays it");
  const end = Number(await scrub.getAttribute("max"));
  await scrub.fill(end.toFixed(1));
  await shows(page, ".replay-bar", /The end/);
  await shows(page, ".events .lines", /stopped by operator[^]*started by operator/);
  await shows(page, ".now", /The run is over[^]*Stopped by operator/);
  await page.click("text=Leave the replay");
});

/** @param {RegExp} words */
const shown = async (words) => words.test((await page.textContent(".replay-bar")) ?? "");

test("two runs are compared", async () => {
  await goTo(page, "Runs");
  for (const button of await page.locator(".pick-button").all()) await button.click();
  await page.click("a:text-is('Compare 2 runs')");
  await shows(page, ".compared", /again[^]*transport|transport[^]*again/);
  await shows(page, ".compared", /stopped by operator[^]*stopped by operator/);
  // The second run ended before evolved trees drove, except on a slow machine.
  const rows = await page.evaluate(async () => (await fetch("/api/runs")).json());
  const again = rows.find((/** @type {any} */ row) => row.name === "again");
  await shows(page, ".compared", Number.isFinite(again.mean_fitness) ? /again[^]*, mean real fitness -?\d/ : /no mean real fitness: it ended in segment 0/);
  await shows(page, "table >> nth=1", /seed/);
  await shows(page, "table >> nth=1", /name/);
});
