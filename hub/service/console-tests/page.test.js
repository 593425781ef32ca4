import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import test from "node:test";

const root = path.join(import.meta.dirname, "../console");
const page = fs.readFileSync(path.join(root, "index.html"), "utf8");
const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const files = fs.readdirSync(root, { recursive: true }).filter((file) => file.endsWith(".js") && !file.startsWith("vendor"));

/** Returns the static imports of a module, recursively. */
function graph(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name] of read(file).matchAll(/^import .*? from "(\.[^"]+)";$/gm)) graph(path.join(path.dirname(file), name), seen);
  return seen;
}

test("the page preloads the modules of its first view, and no others", () => {
  const wanted = [...new Set([...graph("main.js"), ...graph("watch.js")])].filter((file) => file !== "main.js").sort();
  const told = [...page.matchAll(/<link rel="modulepreload" href="ASSETS\/([^"]+)">/g)].map(([, file]) => file).sort();
  assert.deepEqual(told, wanted);
});

// Files of the playground that tools/playground.sh builds.
const BUILT = ["./xpuck.wasm", "./examples.json"];

test("whatever the page and its modules name is there", () => {
  for (const [, file] of page.matchAll(/ASSETS\/([^"]+)"/g)) assert.ok(fs.existsSync(path.join(root, file)), file);
  for (const file of files) {
    for (const [, name] of read(file).matchAll(/(?:from|import\(|URL\() ?"(\.[^"]+)"/g)) assert.ok(BUILT.includes(name) || fs.existsSync(path.join(root, path.dirname(file), name)), `${file}: ${name}`);
  }
});

test("every module is checked by types, and none writes HTML or keeps what should be forgotten", () => {
  for (const file of files) {
    const text = read(file);
    assert.ok(text.startsWith("// @ts-check\n"), file);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|localStorage|sessionStorage/, file);
    assert.ok(text.split("\n").length <= 260, `${file} is too long`);
  }
});

test("the policy of the server allows all of the page: no scripts or styles in it, nothing from elsewhere", () => {
  assert.doesNotMatch(page, /\sstyle=|<style|\son[a-z]+=|<script(?![^>]*src=)/);
  for (const [, address] of page.matchAll(/(?:href|src)="([^"#]+)"/g)) assert.ok(address.startsWith("ASSETS/") || address === "playground/", address);
});
