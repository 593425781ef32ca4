// Tests of the console over HTTPS, with a self-signed certificate.

import { after, test } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { logInByKey, openPage, program, shows, startDemo, suite, xpuck } from "./harness.mjs";

const all = suite(null);
/** @type {Awaited<ReturnType<typeof startDemo>>} */
let demo;
/** @type {ReturnType<typeof program>} */
let hub;

after(async () => {
  await hub?.stop();
  await demo?.gone();
});

test("with a certificate the hub speaks TLS, its session is for TLS alone, and a key file logs in", async () => {
  demo = await startDemo();
  await demo.stop();
  execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=hub",
    "-keyout", join(demo.dir, "config/console.key"), "-out", join(demo.dir, "config/console.pem")], { stdio: "ignore" });
  appendFileSync(demo.hubFile, '\n[console.tls]\ncertificate = "console.pem"\nkey = "console.key"\n');
  hub = program(["serve", "hub", "--config", demo.hubFile]);
  await hub.said(/ready/);
  const url = demo.url.replace("http:", "https:");
  const page = await openPage(all.browser, url, { name: "by https", ignoreHTTPSErrors: true });
  // This hub has no motion capture. The page shows that, which proves that it receives events over TLS.
  await shows(page, "#link", /^(Live|TRACKING LOST)/);
  await logInByKey(page, demo.keyOf("operator"));
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.secure, cookie.httpOnly, cookie.sameSite], [true, true, "Strict"]);
});

test("who comes by plain HTTP is told so", async () => {
  const answer = await fetch(demo.url);
  assert.equal(answer.status, 400);
  assert.match(await answer.text(), /its address begins with https:/);
});

test("a one-time link leads there by https", async () => {
  const link = JSON.parse(await xpuck("swarm", "console", "--json", "--hub", `tcp://127.0.0.1:${demo.port + 2}`, "--key", demo.keyOf("operator"))).link;
  assert.match(link, /^https:/);
  const page = await openPage(all.browser, link, { name: "by link", ignoreHTTPSErrors: true });
  await shows(page, "#who", /^operator, operator/);
});
