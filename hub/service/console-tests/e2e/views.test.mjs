// Tests of every view on a desktop and on a phone screen: accessible by screen reader and keyboard, without layout
// shifts, overlaps or overflow.

import { after, test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { close, openPage, shows, startRun, suite, until } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [{ width: 1366, height: 768 }, { width: 390, height: 844 }];
const MOST_SHIFT = 0.05;
const all = suite({ robots: 4, speed: 4 });
/** @type {import("playwright-core").Page} */
let page;
/** @type {string[]} runs of the catalogue */
let runs = [];

test("two runs are recorded, and a third goes on", async () => {
  page = await openPage(all.browser, all.demo.link, { name: "operator" });
  await shows(page, "#who", /^operator, operator/);
  // Two records, one of which has a segment with evolved trees, and a run in progress.
  for (const name of ["first", "second"]) {
    await startRun(page, { name });
    await until(() => page.evaluate(() => (window.xpuck.live.store.status.segment ?? 0) >= 1), "an evolved tree drives");
    await page.click("#stop");
    await shows(page, "#phase", /^Stopped by operator/);
  }
  await startRun(page, { name: "third" });
  await until(() => page.evaluate(() => (window.xpuck.live.store.status.segment ?? 0) >= 1), "an evolved tree drives");
  const told = await page.evaluate(async () => (await fetch("/api/runs")).json());
  runs = told.map((/** @type {{id: string}} */ run) => encodeURIComponent(run.id));
  assert.equal(runs.length, 3);
  await page.evaluate(() => {
    const shifts = Object.assign(window, { shifts: { since: 0, sum: 0, of: /** @type {string[]} */ ([]) } }).shifts;
    new PerformanceObserver((list) => {
      for (const entry of /** @type {any[]} */ (list.getEntries())) {
        // Some entries arrive after the page has settled.
        if (entry.startTime < shifts.since) continue;
        // A list of events moves down for each new line; the distance depends on the duration of the measurement.
        if (entry.sources.length > 0 && entry.sources.every((/** @type {any} */ { node }) => node?.closest?.(".lines"))) continue;
        shifts.sum += entry.value;
        shifts.of.push(...entry.sources.map((/** @type {any} */ { node, previousRect, currentRect }) => `${node?.className || node?.nodeName} ${Math.round(previousRect.top)}+${Math.round(previousRect.height)} to ${Math.round(currentRect.top)}+${Math.round(currentRect.height)}`));
      }
    }).observe({ type: "layout-shift" });
  });
});

after(() => page && close(page));

/** Views, each with a text that must be present before it is checked. */
const VIEWS = /** @type {[string, () => string, string, RegExp][]} */ ([
  ["watch", () => "#/watch", ".short", /xp04/],
  ["robots", () => "#/robots", "tbody", /xp04/],
  ["one robot", () => "#/robot/xp02", "#main", /xp02[^]*V/],
  ["evolution", () => "#/evolution", "#main", /xp04/],
  ["tree", () => "#/tree/xp02", ".facts", /nodes?/],
  ["run", () => "#/run", ".acks", /xp04/],
  ["runs", () => "#/runs", "tbody", /third[^]*second[^]*first/],
  ["one run", () => `#/runs/${runs[2]}`, ".exports", /events\.csv/],
  ["compare", () => `#/compare/${runs[2]},${runs[1]}`, ".compared", /first[^]*second/],
  ["replay", () => `#/replay/${runs[2]}`, ".replay-bar", /REPLAY/],
]);

/** Resets the sum of layout shifts. */
const settle = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
  Object.assign(/** @type {any} */ (window).shifts, { since: performance.now(), sum: 0, of: [] });
  done(null);
}))));

/** Returns the serious accessibility faults that axe finds on the page. @param {import("playwright-core").Page} page */
async function faults(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  // Colours during a transition are not checked.
  await page.evaluate(() => Promise.allSettled(document.getAnimations().filter((one) => one instanceof CSSTransition).map((one) => one.finished)));
  const { violations } = await page.evaluate(() => /** @type {any} */ (window).axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((/** @type {any} */ fault) => ["serious", "critical"].includes(fault.impact))
    .map((/** @type {any} */ fault) => `${fault.id}: ${fault.nodes.slice(0, 3).map((/** @type {any} */ node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.all[0]?.message ?? ""})`).join("; ")}`);
}

/** Measures the overflow to the right, and whether STOP can be clicked. @param {import("playwright-core").Page} page */
const measured = (page) => page.evaluate(() => {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const stop = /** @type {HTMLElement} */ (document.getElementById("stop")).getBoundingClientRect();
  const hit = document.elementFromPoint(stop.left + stop.width / 2, stop.top + stop.height / 2);
  return {
    over: Math.max(main.scrollWidth - main.clientWidth, document.documentElement.scrollWidth - innerWidth),
    stop: hit?.closest("button")?.id, within: stop.left >= 0 && stop.right <= innerWidth && stop.top >= 0,
  };
});

/** Returns the names of robots whose labels overlap. @param {import("playwright-core").Page} page @returns {Promise<string[]>} */
const crossed = (page) => page.evaluate(async () => {
  const boxes = (await window.xpuck.navigation.view?.arena?.thread.measure())?.labels ?? [];
  const apart = (/** @type {any} */ a, /** @type {any} */ b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  return boxes.flatMap((/** @type {any} */ a, /** @type {number} */ i) => boxes.slice(i + 1).filter((/** @type {any} */ b) => !apart(a, b)).map((/** @type {any} */ b) => `${a.key} ${b.key}`));
});

for (const size of SIZES) {
  for (const [name, address, place, words] of VIEWS) {
    test(`${name} at ${size.width} px`, async () => {
      await page.setViewportSize(size);
      await settle();
      await page.evaluate((hash) => void (location.hash = hash), address());
      await shows(page, place, words);
      // Opening a replay moves all elements below its bar once.
      if (name === "replay") await settle();
      // On a busy machine the page may be dimmed, because events of the hub are late.
      await until(async () => !(await page.evaluate(() => document.querySelector(".stale"))), "words of the hub");
      assert.deepEqual(await faults(page), []);
      const t = await page.evaluate(() => window.xpuck.live.store.status.t);
      for (let looks = 0; looks < 5; looks++) assert.deepEqual(await crossed(page), []);
      // New events of the hub must not move any element.
      await until(async () => (await page.evaluate(() => window.xpuck.live.store.status.t)) > t + 2, "status goes on");
      const { over, stop, within } = await measured(page);
      assert.ok(over <= 0, `${over} px hang over`);
      assert.deepEqual([stop, within], ["stop", true], "STOP is there and nothing covers it");
      const shift = await page.evaluate(() => /** @type {any} */ (window).shifts);
      assert.ok(shift.sum <= MOST_SHIFT, `layout shift ${shift.sum.toFixed(3)}: ${shift.of}`);
    });
  }

  test(`keys at ${size.width} px`, async () => {
    // Opens the live view by its address: while a replay is open, the tab leads to the replayed view.
    await page.evaluate(() => void (location.hash = "#/watch"));
    await page.waitForSelector(".replay-bar", { state: "detached" });
    await page.keyboard.press("?");
    await shows(page, "[role=dialog][aria-label=Keys]", /STOP: all robots stand still/);
    assert.deepEqual(await faults(page), []);
    assert.ok((await measured(page)).over <= 0);
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("[role=dialog][aria-label=Keys]"), false);
  });

  test(`the login at ${size.width} px, light`, async () => {
    const visitor = await openPage(all.browser, all.demo.url, { name: "visitor", viewport: size, colorScheme: "light" });
    await shows(visitor, ".short", /xp04/);
    await visitor.click("#who");
    await shows(visitor, "[role=dialog][aria-label='Log in']", /Your key file/);
    assert.deepEqual(await faults(visitor), []);
    assert.ok((await measured(visitor)).over <= 0);
    await close(visitor);
  });
}
