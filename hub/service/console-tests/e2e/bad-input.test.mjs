// Tests of invalid and hostile input: the page reports the error, executes none of the input, and keeps the focus.

import { test } from "node:test";
import assert from "node:assert/strict";
import { ask, editExperiment, goTo, openPage, shows, startRun, suite, until } from "./harness.mjs";

const HOSTILE = "<img src=x onerror=window.hit=1>";
const all = suite({ speed: 4 });
/** @type {import("playwright-core").Page} */
let page;

/** Whether hostile text was interpreted as markup or script. */
const hit = () => page.evaluate(() => ["hit" in window, document.querySelectorAll("img[src=x]").length]);

test("an experiment that is not in order is refused by the name of its field", async () => {
  page = await openPage(all.browser, all.demo.link, { name: "operator", expected: [/status of 413/] });
  await shows(page, "#who", /^operator, operator/);
  await goTo(page, "Run");
  await page.click('[data-file="experiment.toml"]');
  await shows(page, ".plan", /segments/);
  await editExperiment(page, (text) => text.replace(/^minutes = .*/m, "minutes = -3.0"));
  await shows(page, ".plan [role=alert]", /Not in order.*minutes = -3 is outside/);
  await shows(page, "#start-why", /has an error/);
  assert.equal(await page.isDisabled("button.start"), true);
  await editExperiment(page, (text) => text.replace(/^minutes = .*/m, "minutes = 8.0\nminuets = 3"));
  await shows(page, ".plan [role=alert]", /minuets/);
  await page.click("text=Go to the line");
  const marked = await page.evaluate(() => {
    const text = /** @type {HTMLTextAreaElement} */ (document.activeElement);
    return text.value.slice(text.selectionStart, text.selectionEnd);
  });
  assert.equal(marked, "minuets = 3");
});

test("a value out of its range is shown in its line", async () => {
  await editExperiment(page, (text) => text.replace(/^minutes = .*\nminuets.*/m, "minutes = -3.0"));
  await shows(page, ".plan [role=alert]", /line \d+, `minutes`/, 3000);
  await shows(page, ".plan .wrong", /minutes = -3\.0/);
});

test("files that are too large are refused with a line", async () => {
  const large = { name: "large.toml", mimeType: "text/plain", buffer: Buffer.alloc((1 << 20) + 1, "#") };
  await page.setInputFiles("#experiment-files", large);
  await shows(page, ".plan [role=alert]", /large\.toml is too large: at most 1 MiB/);
  await page.waitForSelector(".plan .stack:not([data-busy])");
  await shows(page, ".plan", /too large[^]*Not in order/);
  await goTo(page, "Watch");
  await goTo(page, "Run");
  await editExperiment(page, (text) => `${text}${"#".repeat(1 << 20)}`);
  await shows(page, ".plan [role=alert]", /larger than 1 MiB/);
});

const tooLarge = () => ask(page, "/api/experiment/check", { text: "#".repeat(1 << 21), files: {} });

test("the hub refuses them too", async () => {
  assert.equal((await tooLarge()).status, 413);
});

test("the hub says why it refuses them as it says everything else", async () => {
  assert.match(JSON.parse((await tooLarge()).text).error, /1 MiB/);
});

test("the name of an experiment and a note run nothing", async () => {
  await startRun(page, { name: HOSTILE });
  await shows(page, "#experiment", /^<img src=x/);
  await page.fill("#note", HOSTILE);
  await page.click("button:text-is('Add')");
  await shows(page, ".notes .events >> nth=0", /note: <img src=x/);
  await page.click("#stop");
  await shows(page, "#phase", /^Stopped by/);
  await goTo(page, "Runs");
  await page.click(".table-panel tbody th a");
  await shows(page, ".run-parts", /note: <img src=x/);
  await page.click(".headline a:has-text('Replay')");
  await shows(page, ".replay-bar", /REPLAY/);
  await page.click("text=Leave the replay");
  assert.deepEqual(await hit(), [false, 0]);
});

test("what robots say of themselves runs nothing in any view", async () => {
  // Simulates a hub that passes on hostile text in every free-text field of a robot.
  const soil = () => page.evaluate((text) => {
    const { live } = window.xpuck;
    const status = structuredClone(live.store.status);
    const engine = { name: text, adapter: text, r_acc: 1 };
    for (const robot of status.robots) Object.assign(robot, { version: text, state: text, device_trouble: text, refusal: text, engine });
    live.take("status", status);
    live.take("line", { seq: 1e6, t: status.t, unix_ms: Date.now(), level: text, who: text, text });
  }, HOSTILE);
  for (const [view, place] of [["watch", ".short"], ["robots", "tbody"], ["robot/xp01", "#main"], ["evolution", "#main"], ["run", ".acks"]]) {
    await page.evaluate((hash) => void (location.hash = hash), `#/${view}`);
    const shown = async () => {
      await soil();
      return view === "evolution" || /<img/.test((await page.locator(place).allTextContents()).join(""));
    };
    await until(shown, `${view} shows it as text`);
    assert.deepEqual(await hit(), [false, 0], view);
  }
});

test("what was clicked keeps the focus while the hub goes on telling", async () => {
  const clicked = [["Watch", ".short .row-button >> nth=1"], ["Robots", "button:has-text('Silent')"], ["Robots", ".table-panel thead button >> nth=3"], ["Run", "[data-file='experiment.toml']"], ["Runs", ".pick-button"]];
  for (const [view, selector] of clicked) {
    await goTo(page, view);
    await page.click(selector);
    const node = await page.locator(selector).elementHandle();
    const t = await page.evaluate(() => window.xpuck.live.store.status.t);
    await until(async () => (await page.evaluate(() => window.xpuck.live.store.status.t)) > t + 2, "status goes on");
    assert.equal(await page.evaluate((node) => document.activeElement === node, node), true, `${view}: ${selector}`);
  }
});

test("the keyboard alone reaches a robot's page", async () => {
  await goTo(page, "Robots");
  await page.keyboard.press("Escape");
  await page.keyboard.press("n");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/robot/xp0"));
});
