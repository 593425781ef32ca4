// @ts-check
// State of the page in its address: compressed, of limited size, and validated, because addresses come from strangers.

import { textFault } from "./limits.js";

/**
 * @typedef {object} State
 * @property {string} tree
 * @property {{scenario: "a" | "b" | "mix", robots: number} | {file: string}} world
 * @property {number} seed
 * @property {number} seconds
 * @property {number} runs
 * @property {Evolution} evolve
 */

/** @typedef {{algorithm: string, islands: number, population: number, generations: number, seed: number}} Evolution */

const PREFIX = "#p=";
const MOST_ADDRESS = 32 * 1024;
const MOST_TEXT = 128 * 1024;
/** @type {Record<string, string>} algorithms of evolution, with their descriptions */
export const ALGORITHMS = { racing: "racing, the default", "median-stopping": "median-stopping", "f-race": "f-race, irace's rule", "noise-aware": "noise-aware, the thesis's" };
const SCENARIOS = ["a", "b", "mix"];

/** @param {State} state @returns {Promise<string>} fragment of an address */
export async function encode(state) {
  const packed = await through(new Blob([JSON.stringify({ v: 1, ...state })]), new CompressionStream("deflate-raw"), MOST_TEXT);
  return PREFIX + toBase64(packed);
}

/** @param {string} fragment @returns {Promise<State | null>} null without a state @throws {Error} if the state is invalid */
export async function decode(fragment) {
  if (!fragment.startsWith(PREFIX)) return null;
  if (fragment.length > MOST_ADDRESS) throw new Error(`the address has ${fragment.length} characters; at most ${MOST_ADDRESS} are allowed`);
  /** @type {any} */
  let told;
  try {
    const text = await through(new Blob([fromBase64(fragment.slice(PREFIX.length))]), new DecompressionStream("deflate-raw"), MOST_TEXT);
    told = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(text));
  } catch {
    throw new Error("the address is damaged; ask for it again, or copy all of it");
  }
  return validate(told);
}

/** @param {any} told @returns {State} */
export function validate(told) {
  const wrong = (/** @type {string} */ key) => new Error(`the address has an invalid ${key}`);
  if (typeof told !== "object" || told === null || told.v !== 1) throw new Error("the address is from another version of this page");
  if (typeof told.tree !== "string") throw wrong("tree");
  const number = (/** @type {any} */ table, /** @type {string} */ key, /** @type {number} */ low, /** @type {number} */ high) => {
    if (typeof table?.[key] !== "number" || !(table[key] >= low && table[key] <= high)) throw wrong(key);
    return table[key];
  };
  const whole = (/** @type {any} */ table, /** @type {string} */ key, /** @type {number} */ low, /** @type {number} */ high) => {
    if (!Number.isInteger(table?.[key])) throw wrong(key);
    return number(table, key, low, high);
  };
  const { world } = told;
  const isFile = typeof world?.file === "string";
  const isBenchmark = SCENARIOS.includes(world?.scenario) && Number.isInteger(world?.robots) && world.robots >= 1 && world.robots <= 256;
  if (isFile === isBenchmark) throw wrong("world");
  const fault = textFault(told.tree) || textFault(isFile ? world.file : "");
  if (fault) throw new Error(`the address is rejected: ${fault}`);
  return {
    tree: told.tree,
    world: isFile ? { file: world.file } : { scenario: world.scenario, robots: world.robots },
    seed: whole(told, "seed", 0, Number.MAX_SAFE_INTEGER),
    seconds: number(told, "seconds", 0.1, 3600),
    runs: whole(told, "runs", 1, 100000),
    evolve: {
      algorithm: Object.hasOwn(ALGORITHMS, told.evolve?.algorithm) ? told.evolve.algorithm : "racing",
      islands: whole(told.evolve, "islands", 1, 64),
      population: whole(told.evolve, "population", 8, 4096),
      generations: whole(told.evolve, "generations", 1, 10000),
      seed: whole(told.evolve, "seed", 0, 1e9),
    },
  };
}

/**
 * Passes bytes through a stream, up to a limit, so that a small address cannot fill the memory.
 * @param {Blob} bytes @param {any} transform @param {number} most @returns {Promise<Uint8Array>}
 */
async function through(bytes, transform, most) {
  const reader = bytes.stream().pipeThrough(transform).getReader();
  /** @type {Uint8Array[]} */
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new Error("too long");
    }
    parts.push(value);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {string} text @returns {Uint8Array<ArrayBuffer>} */
function fromBase64(text) {
  const plain = atob(text.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(plain, (character) => character.charCodeAt(0));
}
