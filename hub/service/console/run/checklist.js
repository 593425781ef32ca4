// @ts-check
// What should be in order before robots move, and what to do where it is not.

import { get, inWords } from "../api.js";
import { h, list, setText } from "../dom.js";

const ASK_MS = 5000;
const SIGNS = /** @type {Record<string, string>} */ ({ ok: "✓", warn: "!", bad: "✕", unknown: "?" });
const WORDS = /** @type {Record<string, string>} */ ({ ok: "in order", warn: "look at it", bad: "not in order", unknown: "not known" });

export class Checklist {
  /** @param {() => number} minutes that the experiment takes @param {() => void} changed */
  constructor(minutes, changed) {
    this.minutes = minutes;
    this.changed = changed;
    /** @type {{what: string, state: string, text: string, remedy: string}[]} */
    this.items = [];
    this.timer = 0;
    this.told = "";
    this.list = h("ul", { class: "checks" });
    this.trouble = h("p", { class: "dim", text: "Looking at robots, tracking, batteries and disk" });
    this.node = h("section", { class: "panel" }, h("h2", {}, h("span", { class: "step", text: "3" }), "Is everything in order?"), this.trouble, this.list);
  }

  begin() {
    this.stop();
    this.load();
    this.timer = window.setInterval(() => document.hidden || this.load(), ASK_MS);
  }

  stop() {
    clearInterval(this.timer);
  }

  /** How many things are not in order. */
  bad() {
    return this.items.filter((item) => item.state === "bad").length;
  }

  async load() {
    try {
      this.items = list(await get(`/api/checklist?minutes=${this.minutes()}`)).slice(0, 40);
      setText(this.trouble, "");
    } catch (error) {
      this.items = [];
      setText(this.trouble, `Not known: ${inWords(error)}`);
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
