// @ts-check
// Checklist before robots move, with remedies.

import { get, inWords } from "../link/api.js";
import { h, list, setText } from "../shared/dom.js";

const ASK_MS = 5000;
const SIGNS = /** @type {Record<string, string>} */ ({ ok: "✓", warn: "!", bad: "✕", unknown: "?" });
const WORDS = /** @type {Record<string, string>} */ ({ ok: "in order", warn: "check it", bad: "not in order", unknown: "unknown" });

export class Checklist {
  /** @param {() => {minutes: number | null, speed: number}} wanted returns the duration of the chosen experiment, and the speed of arena time @param {() => void} changed */
  constructor(wanted, changed) {
    this.wanted = wanted;
    this.changed = changed;
    this.asked = "";
    this.turn = 0;
    /** @type {{what: string, state: string, text: string, remedy: string}[]} */
    this.items = [];
    this.timer = 0;
    this.told = "";
    this.list = h("ul", { class: "checks" });
    this.trouble = h("p", { class: "dim", text: "Checking robots, tracking, batteries and disk" });
    this.node = h("section", { class: "panel" }, h("h2", {}, h("span", { class: "step", text: "3" }), "Is everything in order?"), this.trouble, this.list);
  }

  begin() {
    this.stop();
    this.load();
    this.timer = window.setInterval(() => document.hidden || this.load(), ASK_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
  }

  /** Returns the number of items that are not in order. */
  bad() {
    return this.items.filter((item) => item.state === "bad").length;
  }

  /** Reloads the list if another experiment has another duration, so that no stale result remains. */
  renew() {
    if (this.timer && this.asked !== JSON.stringify(this.wanted())) this.load();
  }

  async load() {
    const turn = ++this.turn;
    const wanted = this.wanted();
    this.asked = JSON.stringify(wanted);
    try {
      const items = list(await get(`/api/checklist?minutes=${wanted.minutes ?? 0}`)).slice(0, 40);
      if (turn !== this.turn) return;
      this.items = items.map((item) => (item?.what === "Batteries" ? { ...item, text: batteryText(String(item.text), wanted) } : item));
      setText(this.trouble, "");
    } catch (error) {
      if (turn !== this.turn) return;
      this.items = [];
      setText(this.trouble, `Not available: ${inWords(error)}`);
    }
    const told = JSON.stringify(this.items);
    if (told === this.told) return;
    this.told = told;
    this.list.replaceChildren(...this.items.map(({ what, state, text, remedy }) => h("li", { "data-state": state in SIGNS ? state : "unknown" },
      h("i", { class: "check", "aria-hidden": "true", text: SIGNS[state] ?? "?" }),
      h("div", {}, h("b", { text: what }), h("span", { class: "hidden", text: ` ${WORDS[state] ?? ""}: ` }), " ", h("span", { text }), state !== "ok" && remedy ? h("p", { class: "dim", text: remedy }) : null))));
    this.changed();
  }
}

/**
 * Adapts the hub's text about batteries to the chosen experiment: without an experiment, no time is needed; at a higher speed, batteries are drained faster too.
 * @param {string} text @param {{minutes: number | null, speed: number}} wanted
 */
export function batteryText(text, { minutes, speed }) {
  if (minutes === null) return text.replace(/^\S+ min needed; /, "");
  return speed === 1 ? text : `${text} (of arena time, at ${speed}× speed)`;
}
