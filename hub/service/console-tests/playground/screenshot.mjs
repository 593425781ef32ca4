// Picture of the playground for docs/playground.md and README: node screenshot.mjs FILE

import { execFileSync } from "node:child_process";
import { launch, program } from "../e2e/harness.mjs";

const server = program(["serve", "playground", "--listen", "127.0.0.1:0"]);
const [address] = await server.said(/http:\S+/);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1440, height: 1010 }, colorScheme: "dark" });
await page.goto(address);
await page.selectOption("[aria-label='Example tree']", { label: "806768" });
await page.click(".introduction summary");
await page.waitForFunction(() => document.querySelectorAll("svg.tree [data-index]").length > 1 && document.documentElement.hasAttribute("data-ready"));
await page.click("#measure button.primary");
await page.waitForFunction(() => /hash/.test(document.querySelector("#measure .figure-row")?.textContent ?? ""));
await page.click("#evolve button.primary");
await page.waitForFunction(() => /^Generation 12 of 12/.test(document.querySelector("#evolve .figure-row")?.textContent ?? "") && document.querySelectorAll(".champions li").length > 0, null, { timeout: 300000 });
await page.selectOption("[aria-label='Speed']", "5");
await page.click("#watch button.primary");
await page.waitForFunction(() => Number(/^([\d.]+) s/.exec(document.querySelector("#watch .figure-row")?.textContent ?? "")?.[1]) > 20);
await page.click("#watch button.primary");
await page.evaluate(() => scrollTo(0, 0));
await page.screenshot({ path: process.argv[2] });
execFileSync("pngquant", ["--force", "--strip", "--ext", ".png", process.argv[2]]);
await browser.close();
await server.stop();
