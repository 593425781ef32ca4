// Tests of the page as a first-time user sees it: self-explanatory texts, drawings and controls.

import { test } from "node:test";
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { goTo, openPage, program, shows, startRun, suite, until, xpuck } from "./harness.mjs";

const all = suite({ speed: 8 });
// A stopped hub refuses connections, and the browser logs each refusal.
const GONE = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;
const LEAST_TEXT_PX = 10.9;
/** @type {import("playwright-core").Page} */
let page;

/** Whether two elements overlap. @param {string} a @param {string} b */
const overlap = (a, b) => page.evaluate(([a, b]) => {
  const [x, y] = [a, b].map((selector) => /** @type {Element} */ (document.querySelector(selector)).getBoundingClientRect());
  return x.left < y.right && y.left < x.right && x.top < y.bottom && y.top < x.bottom;
}, [a, b]);

test("the scale of fitness is the tutorial's", async () => {
  page = await openPage(all.browser, all.demo.link, { name: "newcomer", expected: [GONE] });
  await shows(page, "#who", /^operator, operator/);
  await shows(page, ".fitness .scale", /1: the frisbee moves towards the goal at 0\.13 m\/s, the full speed of a wheel; robots drive at 0\.092 m\/s, so continuous pushing scores 0\.71/);
});

test("zoom buttons lie over nothing, at any width", async () => {
  for (const width of [1366, 1024, 390]) {
    await page.setViewportSize({ width, height: 800 });
    assert.equal(await overlap(".zoom", ".stage"), false, `${width} px`);
  }
  await page.setViewportSize({ width: 1366, height: 768 });
});

test("a tree is read in any panel, and says where more of it is", async () => {
  await startRun(page, { name: "first" });
  await until(() => page.evaluate(() => (window.xpuck.live.store.status.segment ?? 0) >= 1), "an evolved tree drives");
  await goTo(page, "Tree");
  for (const [width, height] of [[1920, 1080], [1366, 768], [1024, 700], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await shows(page, ".facts", /nodes?/);
    const drawn = () => page.evaluate(() => {
      const stage = /** @type {Element} */ (document.querySelector(".tree-stage")).getBoundingClientRect();
      const nodes = [...document.querySelectorAll(".tree-stage .node")].map((node) => node.getBoundingClientRect());
      const labels = [...document.querySelectorAll(".tree-stage .label, .tree-stage .symbol")];
      const scale = Number(/scale\(([\d.]+)/.exec(/** @type {Element} */ (document.querySelector(".tree-stage svg > g")).getAttribute("transform") ?? "")?.[1]);
      return {
        within: nodes.every((node) => node.left >= stage.left - 1 && node.right <= stage.right + 1 && node.top >= stage.top - 1 && node.bottom <= stage.bottom + 1),
        begun: nodes.some((node) => node.left >= stage.left && node.right <= stage.right && node.top >= stage.top && node.bottom <= stage.bottom),
        text: Math.min(...labels.map((label) => parseFloat(getComputedStyle(label).fontSize) * scale)),
        more: document.querySelector(".tree-more")?.textContent,
      };
    });
    // The drawing is adapted to its panel one frame later.
    await until(async () => (await drawn()).begun, `the root at ${width} px`);
    const { within, text, more } = await drawn();
    assert.ok(text >= LEAST_TEXT_PX, `text of ${text} px at ${width} px`);
    assert.equal(within, more === "", `at ${width} px: ${more}`);
  }
  await page.setViewportSize({ width: 1366, height: 768 });
  assert.doesNotMatch((await page.textContent(".account")) ?? "", /counts as|leave it at that|is already written/);
});

test("names of marks stand above all bars, and bars leave no empty slots", async () => {
  await until(() => page.evaluate(() => (window.xpuck.live.store.status.segment ?? 0) >= 3), "segments");
  await goTo(page, "Watch");
  const told = await page.evaluate(() => {
    const svg = /** @type {Element} */ (document.querySelector(".fitness svg.bars"));
    const box = (/** @type {Element} */ node) => node.getBoundingClientRect();
    const name = box(/** @type {Element} */ (svg.querySelector("text.mark")));
    return {
      crossed: [...svg.querySelectorAll("rect, .grid, .zero, .value, .tick")].filter((node) => box(node).top < name.bottom && box(node).bottom > name.top && box(node).left < name.right && box(node).right > name.left).length,
      ticks: [...svg.querySelectorAll(".tick[text-anchor=end]")].map((node) => node.textContent),
      free: box(svg).right - Math.max(...[...svg.querySelectorAll("rect")].map((node) => box(node).right)), slot: box(svg).width / 4,
    };
  });
  assert.equal(told.crossed, 0, "nothing crosses the name of the mark");
  assert.equal(new Set(told.ticks).size, told.ticks.length, `ticks ${told.ticks}`);
  assert.ok(told.free < told.slot, `${told.free} px are free behind the last bar`);
});

test("a robot has charts of what it measures alone", async () => {
  const [measured] = await page.evaluate(() => [...window.xpuck.live.store.robots.values()].map((robot) => [robot.battery_v, robot.soc_c]));
  await page.evaluate(() => void (location.hash = "#/robot/xp01"));
  await shows(page, ".charts .readout", /\d/);
  assert.equal(await page.isVisible(".charts .name:text-is('Battery')"), measured[0] !== null);
  assert.equal(await page.isVisible(".charts .name:text-is('Heat')"), measured[1] !== null);
});

test("the list has the runs that xpuck runs list has, and names what cannot be read", async () => {
  // The folder of an earlier demo beside this one, with an invalid run.
  const broken = join(all.demo.dir, "..", "demo-1", "broken-1-seed1");
  mkdirSync(broken, { recursive: true });
  writeFileSync(join(broken, "run.toml"), "this is no run\n");
  await goTo(page, "Runs");
  await shows(page, ".toolbar", /1 run in \S+, newest first/);
  await shows(page, ".toolbar .note", /Not read[^]*broken-1-seed1/);
  const listed = JSON.parse(await xpuck("runs", "list", "--json", "--folder", join(all.demo.dir, "..")).then((output) => output.slice(output.indexOf("["), output.lastIndexOf("]") + 1)));
  const shown = await page.evaluate(async () => (await fetch("/api/runs")).json());
  assert.deepEqual(shown.map((/** @type {any} */ run) => run.id), listed.map((/** @type {any} */ run) => run.id).reverse());
  assert.match(shown[0].id, /^demo-\d+\/first-/);
  // The id of a demo's run contains a slash.
  await page.click(".table-panel tbody th a");
  await shows(page, ".headline h2", /^first-\d+$/);
  await shows(page, ".exports", /events\.csv/);
});

test("Start another opens the form and brings it into view, whatever was folded before", async () => {
  await page.click("#stop");
  await shows(page, "#phase", /^Stopped by/);
  await goTo(page, "Run");
  await page.click(".prepare > summary");
  assert.equal(await page.isVisible(".choose"), false, "it is folded");
  await goTo(page, "Watch");
  await page.click(".now a:text-is('Start another')");
  await page.waitForSelector(".choose", { state: "visible" });
  await until(() => page.evaluate(() => {
    const [main, form] = ["main", ".choose"].map((selector) => /** @type {Element} */ (document.querySelector(selector)).getBoundingClientRect());
    return form.top >= main.top && form.top < main.top + main.height / 2;
  }), "the form is in view");
});

test("after the hub has ended nothing is offered that cannot work", async () => {
  await goTo(page, "Watch");
  await all.demo.stop();
  await shows(page, ".now", /The hub has ended: nothing can be started until it runs again/);
  assert.equal(await page.isVisible(".now a:text-is('Start another')"), false);
  await goTo(page, "Run");
  await shows(page, ".run-view > .warn", /The hub has ended/);
  assert.equal(await page.isVisible(".choose"), false);
});

test("when it runs again the form is there again", async () => {
  const hub = program(["serve", "hub", "--config", all.demo.hubFile]);
  await page.waitForSelector(".prepare", { state: "visible" });
  assert.equal(await page.isVisible(".run-view > .warn"), false);
  await hub.stop();
});
