// Tests of manual driving from the page, with real keys in a real browser and a tracked swarm.

import { after, test } from "node:test";
import assert from "node:assert/strict";
import { close, openPage, shows, startRun, suite, until } from "./harness.mjs";

const all = suite({ robots: 2, speed: 1 });
/** @type {import("playwright-core").Page} */
let page;

after(() => page && close(page));

test("arrow keys drive the selected robot, whatever its tree wants, and let go of it", async () => {
  page = await openPage(all.browser, all.demo.link, { name: "operator" });
  await shows(page, "#who", /^operator, operator/);
  await startRun(page, { name: "driven" });
  await page.evaluate(() => {
    location.hash = "#/robot/xp02";
  });
  await shows(page, "#main", /xp02/);
  // The previous view shows the name of xp02 too, so the selection is checked.
  await until(() => page.evaluate(() => /** @type {any} */ (window).xpuck.live.store.selected === "xp02"), "xp02 is selected");
  await page.keyboard.press("d");
  await shows(page, "#main", /Stop driving xp02/);
  await page.keyboard.down("ArrowLeft");
  await until(() => page.evaluate(() => {
    const [left, right] = /** @type {any} */ (window).xpuck.live.store.senses?.wheels ?? [0, 0];
    return left < -0.03 && right > 0.03;
  }), "the wheels turn to the left");
  await page.keyboard.up("ArrowLeft");
  await page.keyboard.press("Escape");
  await shows(page, "#main", /Drive/);
  assert.ok(!/Stop driving/.test(await page.innerText("#main")));
});
