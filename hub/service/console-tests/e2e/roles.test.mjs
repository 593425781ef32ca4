// Tests of permissions: visitors, observers and operators, and attempts to impersonate them.

import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { ask, close, freePorts, goTo, logInByKey, openPage, shows, startRun, suite, until } from "./harness.mjs";

const all = suite();
// The browser logs each refused request.
const REFUSED = /status of 40[13]/;
const STOP = { command: "stop" };

/** Sends a request with arbitrary headers, like a program other than a browser. @param {string} path @param {{method?: string, headers?: Record<string, string>, body?: string}} [options] @returns {Promise<{status: number, text: string}>} */
const raw = (path, { method = "GET", headers = {}, body = "" } = {}) => new Promise((done, fail) => {
  const asked = request(new URL(path, all.demo.url), { method, headers }, (response) => {
    let text = "";
    response.on("data", (data) => (text += data));
    response.on("end", () => done({ status: response.statusCode ?? 0, text }));
  });
  asked.on("error", fail);
  asked.end(body);
});

const command = { "content-type": "application/json", "x-xpuck": "1" };

test("a visitor may look, and is told why the controls are off", async () => {
  const page = await openPage(all.browser, all.demo.url, { name: "visitor", expected: [REFUSED] });
  await shows(page, "#who", /^Log in$/);
  await shows(page, ".short", /xp01[^]*xp02/);
  for (const id of ["#stop", "#pause", "#resume"]) assert.equal(await page.isDisabled(id), true, id);
  await shows(page, "#why", /not logged in\. To act, log in \(U\) with your key file or the link/);
  await page.keyboard.press("Space");
  await shows(page, "#answer", /STOP: not sent/);
  await goTo(page, "Run");
  assert.equal(await page.isDisabled("button.start"), true);
  await shows(page, "#start-why", /log in/);
  assert.equal(await page.isDisabled("#note"), true);
  await goTo(page, "Robots");
  for (const name of ["Blink", "Hold", "Release", "Drive", "Reboot…"]) {
    const button = page.locator(`.dialog-row button:text-is('${name}')`);
    assert.equal(await button.isDisabled(), true, name);
    assert.match((await button.getAttribute("title")) ?? "", /log in/, name);
  }
  assert.equal((await ask(page, "/api/command", STOP)).status, 401);
  await close(page);
});

test("an observer logs in by key file and cannot act, not even by asking the hub directly", async () => {
  await all.demo.enrol("guest", "observer");
  const page = await openPage(all.browser, all.demo.url, { name: "observer", expected: [REFUSED] });
  await logInByKey(page, all.demo.keyOf("guest"));
  await shows(page, "#who", /^guest, observer/);
  await shows(page, "#why", /observers may watch, but not act/);
  assert.equal(await page.isDisabled("#stop"), true);
  await goTo(page, "Robots");
  for (const name of ["Blink", "Hold", "Release", "Reboot…"]) assert.equal(await page.isDisabled(`.dialog-row button:text-is('${name}')`), true, name);
  const bodies = [STOP, { command: "note", text: "x" }, { command: "hold", robot: "xp01" }, { command: "pause" }];
  for (const body of bodies) assert.equal((await ask(page, "/api/command", body)).status, 403, body.command);
  const { text } = await page.evaluate(() => fetch("/api/experiments/experiment.toml").then((response) => response.json()));
  assert.equal((await ask(page, "/api/start", { text, files: {}, seed: 1 })).status, 403);
  await shows(page, "#phase", /^Idle/);
  await close(page);
});

test("an operator's key signs the login and the experiment, and never leaves the browser", async () => {
  const page = await openPage(all.browser, all.demo.url, { name: "operator" });
  const sent = /** @type {{path: string, body: any}[]} */ ([]);
  page.on("request", (request) => request.method() === "POST" && sent.push({ path: new URL(request.url()).pathname, body: request.postDataJSON() }));
  const file = all.demo.keyOf("operator");
  await logInByKey(page, file);
  await shows(page, "#who", /^operator, operator/);
  await startRun(page, { name: "signed" });
  const start = sent.find(({ path }) => path === "/api/start")?.body;
  assert.equal(start.signer, "operator");
  assert.match(start.signature, /^[0-9a-f]{128}$/);
  assert.match(start.manifest, /minutes/);
  const secrets = [...readFileSync(file, "utf8").split("[secret]")[1].matchAll(/"(.{40})"/g)].map((found) => found[1]);
  assert.equal(secrets.length, 2);
  for (const secret of secrets) assert.equal(JSON.stringify(sent).includes(secret), false);
  const kept = await page.evaluate(async () => [localStorage.length, sessionStorage.length, (await indexedDB.databases()).length, document.cookie]);
  assert.deepEqual(kept, [0, 0, 0, ""]);
  await shows(page, ".notes .events >> nth=0", /signed: started by operator|operator/);
  await page.click("#stop");
  await shows(page, "#answer", /all 2 robots obey/);
  await close(page);
});

test("after a logout its cookie is worth nothing", async () => {
  const page = await openPage(all.browser, all.demo.url, { name: "leaver" });
  await logInByKey(page, all.demo.keyOf("operator"));
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
  const stolen = { headers: { ...command, cookie: `${cookie.name}=${cookie.value}` }, method: "POST", body: JSON.stringify({ command: "note", text: "by cookie" }) };
  assert.equal((await raw("/api/command", stolen)).status, 200, "it is good before");
  await page.click("#who");
  await page.click("button:text-is('Log out')");
  await shows(page, "#who", /^Log in$/);
  assert.equal((await raw("/api/command", stolen)).status, 401);
  assert.equal(JSON.parse((await raw("/api/session", { headers: stolen.headers })).text).role, null);
  await close(page);
});

test("a one-time link is good once", async () => {
  const link = await all.demo.newLink();
  const first = await openPage(all.browser, link, { name: "first" });
  await shows(first, "#who", /^operator, operator/);
  const second = await openPage(all.browser, link, { name: "second", expected: [REFUSED] });
  await shows(second, ".sheet [role=alert]", /was already used or has expired/);
  await shows(second, "#who", /^Log in$/);
  await close(first);
  await close(second);
});

test("a foreign Host or Origin, and a command without the page's header, are refused", async () => {
  for (const path of ["/", "/api/session", "/events", "/api/runs"]) {
    assert.equal((await raw(path, { headers: { host: "evil.example" } })).status, 421, path);
    assert.equal((await raw(path, { headers: { origin: "http://evil.example" } })).status, 403, path);
  }
  const page = await openPage(all.browser, await all.demo.newLink(), { name: "owner" });
  await shows(page, "#who", /^operator/);
  const [cookie] = await page.context().cookies();
  const cookies = `${cookie.name}=${cookie.value}`;
  const note = JSON.stringify({ command: "note", text: "a command by hand" });
  const post = (/** @type {Record<string, string>} */ headers) => raw("/api/command", { method: "POST", body: note, headers: { cookie: cookies, ...headers } });
  assert.equal((await post({ ...command, origin: "http://evil.example" })).status, 403);
  assert.equal((await post({ ...command, host: "evil.example" })).status, 421);
  assert.equal((await post({ "content-type": "application/json" })).status, 403);
  assert.equal((await post({ ...command, origin: all.demo.url.replace(/\/$/, "") })).status, 200, "its own is not");
  await close(page);
});

test("another site's page in the operator's own browser can neither read nor command", async () => {
  const port = await freePorts(1);
  const site = createServer((_, response) => response.setHeader("content-type", "text/html").end("<h1>Another site</h1>"));
  await new Promise((done) => site.listen(port, "127.0.0.1", () => done(null)));
  // A listening server would keep the process of a failed test alive.
  site.unref();
  const own = await openPage(all.browser, await all.demo.newLink(), { name: "own" });
  await shows(own, "#who", /^operator/);
  const other = await own.context().newPage();
  await other.goto(`http://127.0.0.1:${port}/`);
  const results = await other.evaluate(async ([url, body]) => {
    const post = { method: "POST", body, credentials: /** @type {const} */ ("include") };
    const asks = [fetch(`${url}api/session`), fetch(`${url}api/command`, post), fetch(`${url}api/command`, { ...post, headers: { "x-xpuck": "1", "content-type": "application/json" } })];
    return (await Promise.allSettled(asks)).map(({ status }) => status);
  }, [all.demo.url, JSON.stringify({ command: "note", text: "from another site" })]);
  assert.deepEqual(results, ["rejected", "rejected", "rejected"]);
  // By now the foreign note would have been shown.
  await ask(own, "/api/command", { command: "note", text: "the last word" });
  await goTo(own, "Run");
  await shows(own, ".notes .events >> nth=1", /the last word/);
  assert.doesNotMatch((await own.textContent(".notes")) ?? "", /from another site/);
  await close(own);
  site.close();
});

test("of two operators both see who did what, and only one starts", async () => {
  await all.demo.enrol("second", "operator");
  const anna = await openPage(all.browser, await all.demo.newLink(), { name: "anna" });
  const ben = await openPage(all.browser, all.demo.url, { name: "ben" });
  await logInByKey(ben, all.demo.keyOf("second"));
  await startRun(anna, { name: "annas" });
  await shows(ben, "#experiment", /^annas$/);
  await shows(ben, "#phase", /^Running/);
  await goTo(ben, "Run");
  await shows(ben, "#start-why", /A run is in progress/);
  // Simulates a page that does not know about the run yet.
  const refused = await ben.evaluate(async () => {
    const { text } = await (await fetch("/api/experiments/experiment.toml")).json();
    const headers = { "content-type": "application/json", "x-xpuck": "1" };
    const check = await (await fetch("/api/experiment/check", { method: "POST", headers, body: JSON.stringify({ text, files: {} }) })).json();
    const body = await window.xpuck.session.signed({ text, manifest: check.manifest, files: {}, seed: 1 });
    const response = await fetch("/api/start", { method: "POST", headers, body: JSON.stringify(body) });
    return { signer: body.signer, ...(await response.json()) };
  });
  assert.deepEqual([refused.signer, refused.ok], ["second", false]);
  assert.match(refused.error, /\w+ \w+/, "it is refused in words");
  await shows(ben, "#experiment", /^annas$/);
  await ben.click("#stop");
  await shows(ben, "#answer", /all 2 robots obey/);
  for (const page of [anna, ben]) await shows(page, ".notes .events >> nth=0", /second[^]*operator/);
  await shows(anna, "#phase", /^(Stopped|Idle)/);
  await close(anna);
  await close(ben);
});

test("whose key is revoked is out at once", async () => {
  const page = await openPage(all.browser, all.demo.url, { name: "revoked", expected: [REFUSED] });
  await all.demo.enrol("gone", "operator");
  await logInByKey(page, all.demo.keyOf("gone"));
  await shows(page, "#who", /^gone, operator/);
  await all.demo.revoke("gone");
  await until(async () => (await ask(page, "/api/command", { command: "note", text: "still here" })).status === 401, "it is refused");
  await page.click("#stop");
  await shows(page, "#answer", /NOT DONE/);
  await shows(page, "#who", /^Log in$/);
  await close(page);
});

test("a one-time link works in a tab that shows the page already", async () => {
  const page = await openPage(all.browser, all.demo.url, { name: "same tab" });
  await shows(page, "#who", /^Log in$/);
  const link = await all.demo.newLink();
  await page.evaluate((hash) => void (location.hash = hash), new URL(link).hash);
  await shows(page, "#who", /^operator, operator/);
  assert.doesNotMatch(page.url(), /link=/);
  await close(page);
});
