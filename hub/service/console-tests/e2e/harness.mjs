// Common functions of the browser tests: separate swarms, pages that must not report errors, and waiting for
// conditions.

import { after, afterEach, before } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const REPOSITORY = resolve(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "../../../..");
const BIN = resolve(process.env.XPUCK_BIN ?? join(REPOSITORY, "target/debug"));
const ARTEFACTS = join(REPOSITORY, "target/console-test");
// The source folder of the page: changes can be tested without rebuilding the hub.
const FILES = join(REPOSITORY, "hub/service/console");
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
// The tests share two cores with a swarm and a browser that renders in software. The limit is longer on a slow
// machine, like `patience()` of the Rust tests.
export const PATIENCE = 20000 * Number(process.env.XPUCK_SLOWNESS ?? 1);

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

// The shell waits for the end of its standard input, which closes at any end of the test, and then interrupts the
// program. Evolution uses all available processors; the lower priority leaves the browser its share.
const GUARD = `nice -n 5 "$@" </dev/null & child=$!
cat >/dev/null
kill -INT $child 2>/dev/null
(sleep 15; kill -KILL $child) >/dev/null 2>&1 & killer=$!
wait $child; status=$?
kill $killer
exit $status`;

/** Runs \`xpuck\` until this process ends. @param {string[]} args */
export function program(args) {
  const env = { XPUCK_CONSOLE_FILES: FILES, ...process.env };
  const child = spawn("sh", ["-c", GUARD, "sh", join(BIN, "xpuck"), ...args], { stdio: ["pipe", "pipe", "pipe"], detached: true, env });
  const running = { output: "", said, stop };
  let ended = false;
  const exit = new Promise((done) => child.on("exit", done)).then((status) => {
    ended = true;
    return status;
  });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (running.output += data));

  /** @param {RegExp} words @returns {Promise<RegExpMatchArray>} */
  async function said(words) {
    await until(() => words.test(running.output) || ended, () => `xpuck ${args[0]} says ${words}; it said:\n${running.output}`);
    const found = running.output.match(words);
    if (!found) throw new Error(`xpuck ${args[0]} (${BIN}) ended before it said ${words}:\n${running.output}`);
    return found;
  }

  async function stop() {
    child.stdin.end();
    return exit;
  }
  return running;
}

/** Runs \`xpuck\` to its end. @param {string[]} args @returns {Promise<string>} what it printed */
export async function xpuck(...args) {
  const child = spawn(join(BIN, "xpuck"), args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += data));
  const status = await new Promise((done) => child.on("exit", done));
  assert.equal(status, 0, `xpuck ${args.join(" ")}: ${output}`);
  return output;
}

/** Returns the first of `count` consecutive free ports. @param {number} count */
export async function freePorts(count) {
  for (let tries = 0; tries < 100; tries++) {
    const first = 20000 + Math.floor(Math.random() * 10000);
    const taken = await Promise.all(Array.from({ length: count }, (_, i) => isTaken(first + i)));
    if (!taken.includes(true)) return first;
  }
  throw new Error("no free ports");
}

/** @param {number} port @returns {Promise<boolean>} */
const isTaken = (port) => new Promise((done) => {
  const server = createServer();
  server.once("error", () => done(true));
  server.listen(port, "127.0.0.1", () => server.close(() => done(false)));
});

/**
 * Starts a swarm without a run, in a temporary folder.
 * @param {{robots?: number, speed?: number, population?: number}} [wanted]
 */
export async function startDemo({ robots = 2, speed = 3, population = 16 } = {}) {
  const out = mkdtempSync(join(tmpdir(), "xpuck-e2e-"));
  const port = await freePorts(4);
  const running = program(["demo", "--robots", `${robots}`, "--speed", `${speed}`, "--population", `${population}`, "--idle", "--output", out, "--ports", `${port}`]);
  const gone = async () => {
    await running.stop();
    rmSync(out, { recursive: true, force: true });
  };
  try {
    await running.said(/the swarm is waiting/);
  } catch (error) {
    await gone();
    throw error;
  }
  const dir = join(out, /** @type {string} */ (readdirSync(out).find((name) => name.startsWith("demo-"))));
  const [, link] = await running.said(/(http:\S+#link=\w+)/);
  const url = new URL("/", link).href;
  const hubArgs = ["--hub", `tcp://127.0.0.1:${port + 2}`, "--key", join(dir, "keys/operators/operator.key")];
  return {
    dir, url, link, port, stop: running.stop, gone, said: running.said, told: () => running.output,
    hubFile: join(dir, "config/hub.toml"),
    keyOf: (/** @type {string} */ name) => join(dir, name === "operator" ? "keys/operators/operator.key" : `${name}.key`),
    /** Creates another one-time link for the demo's operator. */
    newLink: async () => JSON.parse(await xpuck("swarm", "console", "--json", ...hubArgs)).link,
    /** Creates a key pair and enrols it, and waits until the hub accepts it. @param {string} name @param {"operator" | "observer"} role */
    async enrol(name, role) {
      await xpuck("keys", "make", name, "--dir", dir);
      await xpuck("keys", "enrol", join(dir, `${name}.pub`), "--role", role, "--dir", join(dir, "keys"));
      await until(async () => (await xpuck("swarm", "log", ...hubArgs)).includes(`enrolled: ${role} ${name}`), `${name} is enrolled`);
    },
    revoke: (/** @type {string} */ name) => xpuck("keys", "revoke", name, "--dir", join(dir, "keys")),
    /** Process id of the demo's hub. */
    hubPid: () => pidOf(["serve", "hub", "--config", join(dir, "config/hub.toml")]),
  };
}

/** @param {string[]} args of the process @returns {number} */
function pidOf(args) {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const file = `/proc/${pid}/cmdline`;
    const words = existsSync(file) ? readFileSync(file, "utf8").split("\0") : [];
    if (args.every((arg) => words.includes(arg))) return Number(pid);
  }
  throw new Error(`no process has ${args.join(" ")}`);
}

/** @type {Set<{page: import("playwright-core").Page, name: string, faults: string[]}>} */
const pages = new Set();

/**
 * Opens a page in a new browser profile. Errors that it reports fail the test, except expected ones.
 * @param {import("playwright-core").Browser} browser @param {string} url
 * @param {{name?: string, expected?: RegExp[]} & import("playwright-core").BrowserContextOptions} [options]
 */
export async function openPage(browser, url, { name = "page", expected = [], ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 768 }, colorScheme: "dark", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  const kept = { page, name, faults: /** @type {string[]} */ ([]) };
  pages.add(kept);
  const report = (/** @type {string} */ text) => expected.some((words) => words.test(text)) || kept.faults.push(text);
  page.on("pageerror", (error) => report(`uncaught ${error.stack ?? error}`));
  page.on("console", (message) => message.type() === "error" && report(`console: ${message.text()} (${message.location().url})`));
  page.on("crash", () => report("the page crashed"));
  page.on("dialog", (dialog) => {
    report(`a dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("close", () => pages.delete(kept));
  await page.goto(url);
  return page;
}

/** Returns the errors that pages have reported since the last call. */
function takeFaults() {
  return [...pages].flatMap(({ name, faults }) => faults.splice(0).map((fault) => `${name}: ${fault}`));
}

/** @param {import("playwright-core").Page} page */
export const close = (page) => page.context().close();

/**
 * Starts a browser and, unless `wanted` is null, a swarm for the tests of a file.
 * @param {Parameters<typeof startDemo>[0] | null} [wanted]
 */
export function suite(wanted = {}) {
  const all = /** @type {{browser: import("playwright-core").Browser, demo: Awaited<ReturnType<typeof startDemo>>}} */ ({});
  before(async () => {
    // The browser starts first, because it starts slowly beside a busy swarm.
    all.browser = await launch();
    if (wanted) all.demo = await startDemo(wanted);
  });
  afterEach(() => assert.deepEqual(takeFaults(), [], "pages report no errors"));
  after(async () => {
    await all.browser?.close();
    await all.demo?.gone();
  });
  return all;
}

/**
 * Polls a condition until it is true.
 * @param {() => unknown} condition @param {string | (() => string)} what @param {number} [ms]
 */
export async function until(condition, what, ms = PATIENCE) {
  for (const end = Date.now() + ms; ;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`did not come true in ${ms / 1000} s: ${typeof what === "string" ? what : what()}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/**
 * Waits until the text of an element matches, and returns the text.
 * @param {import("playwright-core").Page} page @param {string} selector @param {RegExp} words @param {number} [ms]
 * @returns {Promise<string>}
 */
export async function shows(page, selector, words, ms = PATIENCE) {
  let text = "";
  const look = async () => {
    text = (await page.locator(selector).allTextContents()).join("\n");
    return words.test(text);
  };
  try {
    await until(look, "", ms);
  } catch {
    mkdirSync(ARTEFACTS, { recursive: true });
    const picture = join(ARTEFACTS, `failed-${Date.now()}.png`);
    await page.screenshot({ path: picture }).catch(() => {});
    throw new Error(`${selector} shows ${words} within ${ms / 1000} s; it shows ${JSON.stringify(text.slice(0, 800))} (${picture})`);
  }
  return text;
}

/** Opens a view by its tab. @param {import("playwright-core").Page} page @param {string} name */
export async function goTo(page, name) {
  await page.click(`#tabs a:has-text("${name}")`);
  await page.waitForSelector(`#tabs a[aria-current=page]:has-text("${name}")`);
}

/** Logs in with a key file through the file input. @param {import("playwright-core").Page} page @param {string} file */
export async function logInByKey(page, file) {
  await page.click("#who");
  await page.setInputFiles("#keyfile", file);
  await shows(page, "#who", /operator|observer/);
}

/** Edits the experiment in the page's form. @param {import("playwright-core").Page} page @param {(text: string) => string} change */
export async function editExperiment(page, change) {
  const text = page.locator(".choose textarea");
  if (!(await text.isVisible())) await page.click(".choose summary");
  await text.fill(change(await text.inputValue()));
}

/**
 * Starts a shortened version of the offered experiment and waits until it runs. Short segments make evolved trees drive soon.
 * @param {import("playwright-core").Page} page @param {{name?: string, minutes?: number}} [wanted]
 */
export async function startRun(page, { name = "transport", minutes = 8 } = {}) {
  await goTo(page, "Run");
  await page.click('[data-file="experiment.toml"]');
  await page.waitForFunction(() => /** @type {HTMLTextAreaElement} */ (document.querySelector(".choose textarea")).value.includes("[evolution]"));
  await editExperiment(page, (text) => text.replace(/^minutes = .*/m, `minutes = ${minutes}.0`)
    .replace(/^segment_minutes = .*/m, "segment_minutes = 0.25").replace(/^name = .*/m, () => `name = ${JSON.stringify(name)}`));
  await shows(page, ".plan", new RegExp(`time${minutes} min`));
  await page.click("button.start:enabled");
  await shows(page, "#phase", /Running/, 2 * PATIENCE);
}

/** Sends a request from within the page, like a script of the page. @param {import("playwright-core").Page} page @param {string} path @param {object} [body] */
export const ask = (page, path, body) => page.evaluate(async ([path, body]) => {
  const options = body ? { method: "POST", headers: { "content-type": "application/json", "x-xpuck": "1" }, body: JSON.stringify(body) } : {};
  const response = await fetch(path, options);
  const text = await response.text();
  return { status: response.status, bytes: text.length, text: text.slice(0, 20000) };
}, /** @type {[string, object | undefined]} */ ([path, body]));
