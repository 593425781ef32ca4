// Tests of the ends of runs and hubs: regular ends raise no alarm, faults do.

import { test } from "node:test";
import assert from "node:assert/strict";
import { goTo, openPage, program, shows, startRun, suite, until } from "./harness.mjs";

const all = suite({ speed: 16 });
// A stopped hub refuses connections, and the browser logs each refusal.
const GONE = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
/** @type {import("playwright-core").Page} */
let page;
/** @type {ReturnType<typeof program>} */
let hub;

/** Alarms that the page has raised since it was opened. @returns {Promise<string[]>} */
const alarms = () => page.evaluate(() => /** @type {any} */ (window).alarms);

test("a run that ends by itself is told as such, and its record is offered", async () => {
  page = await openPage(all.browser, all.demo.link, { name: "operator", expected: [GONE] });
  await page.evaluate(() => {
    const alarm = /** @type {HTMLElement} */ (document.getElementById("alarm"));
    const alarms = Object.assign(window, { alarms: /** @type {string[]} */ ([]) }).alarms;
    new MutationObserver(() => alarm.textContent && alarms.push(alarm.textContent)).observe(alarm, { childList: true, characterData: true, subtree: true });
  });
  await shows(page, "#who", /^operator, operator/);
  await startRun(page, { name: "short", minutes: 1 });
  await goTo(page, "Watch");
  await shows(page, "#phase", /^Finished/, 40000);
  await shows(page, ".now", /The run is over[^]*Start another[^]*The record: short/);
  // At this speed a briefly busy machine misses the poses of a second, which raises an alarm unrelated to the end.
  assert.deepEqual((await alarms()).filter((text) => !text.startsWith("TRACKING LOST")), []);
  await page.click(".now a:has-text('The record')");
  await shows(page, ".headline h2", /short/);
  await shows(page, ".panel .dim", /mean fitness/);
});

test("a hub that is killed is missed within seconds", async () => {
  await startRun(page, { name: "long" });
  process.kill(all.demo.hubPid(), "SIGKILL");
  await shows(page, "#link", /No message from the hub for \d+ s: the page is outdated\. Trying again/, 8000);
  assert.equal(await page.evaluate(() => document.body.classList.contains("stale")), true);
  await until(async () => (await alarms()).some((text) => /No message from the hub/.test(text)), "screen readers are told", 8000);
  assert.equal(await page.isEnabled("#stop"), true, "STOP stays");
});

test("when it is started again the page says so and goes on by itself", async () => {
  // The demo ends with its hub; the folder remains, and a separate hub resumes the run.
  hub = program(["serve", "hub", "--config", all.demo.hubFile]);
  await shows(page, "#link", /The hub was restarted/);
  assert.equal(await page.evaluate(() => document.body.classList.contains("stale")), false);
  await shows(page, "#experiment", /^long$/);
  await shows(page, "#who", /^operator, operator/);
});

test("a hub that ends says goodbye, and where the record is", async () => {
  const before = (await alarms()).length;
  await hub.stop();
  await shows(page, "#link", /The hub has ended: .* The record is in .*long/);
  const since = (await alarms()).slice(before).filter((/** @type {string} */ text) => /No word|cannot be reached/.test(text));
  assert.deepEqual(since, [], "that is no lost connection");
});
