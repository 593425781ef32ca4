// The playground's WebAssembly library in node.

import { readFileSync } from "node:fs";
import path from "node:path";

export const ROOT = path.join(import.meta.dirname, "../../../..");
export const module = new WebAssembly.Module(readFileSync(path.join(ROOT, "target/playground/playground/xpuck.wasm")));

/** Returns a function that answers requests, with a state of its own. @returns {(request: object) => any} */
export function library() {
  const exports = /** @type {any} */ (new WebAssembly.Instance(module, {}).exports);
  return (request) => {
    const bytes = new TextEncoder().encode(JSON.stringify(request));
    const at = exports.reserve(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    const length = exports.answer();
    return JSON.parse(new TextDecoder().decode(new Uint8Array(exports.memory.buffer, exports.text(), length)));
  };
}
