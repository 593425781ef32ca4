// @ts-check
// Text of a tree with line numbers, marks for errors, and completion of the names of nodes and registers.

import { h, setAttr, setText, show } from "../shared/dom.js";

const MOST_SHOWN = 8;
const CHECK_MS = 150;

/**
 * @typedef {{line: number, column: number, message: string}} Fault
 * @typedef {{name: string, meaning: string, operands: string[]}} NodeInfo
 * @typedef {{name: string, meaning: string}} RegisterInfo
 */

export class Editor {
  /** @param {{label: string, rows: number, changed: () => void}} options changed: called some time after the text was changed */
  constructor({ label, rows, changed }) {
    this.changed = changed;
    /** @type {NodeInfo[]} */
    this.nodes = [];
    /** @type {RegisterInfo[]} */
    this.registers = [];
    this.timer = 0;
    /** @type {string[]} */
    this.offered = [];
    this.chosen = 0;
    this.area = h("textarea", { class: "code", rows: String(rows), spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": label, on: {
      input: () => this.edited(), scroll: () => this.follow(), keydown: (event) => this.key(event), click: () => this.close(), blur: () => setTimeout(() => this.close(), 150) } });
    this.numbers = h("pre", { class: "line-numbers", "aria-hidden": "true" });
    this.list = h("ul", { class: "offers", role: "listbox", "aria-label": "Completions", hidden: true });
    this.hint = h("p", { class: "dim hint" });
    this.faults = h("ul", { class: "faults", role: "status" });
    this.node = h("div", { class: "editor" }, h("div", { class: "code-box" }, this.numbers, this.area, this.list), this.hint, this.faults);
  }

  get text() {
    return this.area.value;
  }

  /** Replaces the text; the check follows at once. @param {string} text */
  set(text) {
    this.area.value = text;
    this.number();
    clearTimeout(this.timer);
    this.changed();
  }

  edited() {
    this.number();
    this.offer();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.changed(), CHECK_MS);
  }

  number() {
    const lines = this.text.split("\n").length;
    setText(this.numbers, Array.from({ length: lines }, (_, i) => i + 1).join("\n"));
    this.follow();
  }

  follow() {
    this.numbers.style.transform = `translateY(${-this.area.scrollTop}px)`;
  }

  /** @param {Fault[]} errors @param {Fault[]} notes */
  mark(errors, notes) {
    const bad = errors.find(({ line }) => line > 0);
    const lines = this.text.split("\n").length;
    const numbers = (/** @type {number} */ first, /** @type {number} */ last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => `${first + i}\n`).join("");
    const at = bad ? Math.min(bad.line, lines) : lines + 1;
    this.numbers.replaceChildren(numbers(1, at - 1), h("span", { class: "bad", text: numbers(at, Math.min(at, lines)) }), numbers(at + 1, lines));
    setAttr(this.area, "aria-invalid", errors.length > 0 ? "true" : null);
    const item = (/** @type {Fault} */ fault, /** @type {string} */ kind) => {
      const place = fault.line > 0 ? `line ${fault.line}, column ${fault.column}: ` : "";
      return h("li", { class: kind }, h("button", { type: "button", class: "plain", text: `${place}${fault.message}`, on: { click: () => this.go(fault) } }));
    };
    this.faults.replaceChildren(...errors.map((fault) => item(fault, "bad")), ...notes.slice(0, 5).map((fault) => item(fault, "warn")));
  }

  /** Sets the cursor to the place of a fault. @param {Fault} fault */
  go({ line, column }) {
    const before = this.text.split("\n").slice(0, Math.max(0, line - 1)).reduce((sum, text) => sum + text.length + 1, 0);
    this.area.focus();
    this.area.setSelectionRange(before + Math.max(0, column - 1), before + Math.max(0, column - 1));
  }

  /** Returns the word before the cursor, and whether it is the first one of its line. */
  word() {
    const before = this.text.slice(0, this.area.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const word = /[\w.]*$/.exec(line)?.[0] ?? "";
    const first = line.slice(0, line.length - word.length).trim() === "";
    return { word, first, node: line.trim().split(/\s+/)[0] };
  }

  offer() {
    const { word, first, node } = this.word();
    const known = this.nodes.find(({ name }) => name === node);
    const register = this.registers.find(({ name }) => name === word);
    if (register && !first) setText(this.hint, `${register.name}: ${register.meaning}`);
    else setText(this.hint, known ? `${[known.name, ...known.operands].join(" ")}: ${known.meaning}` : "");
    const names = (first ? this.nodes : this.registers).map(({ name }) => name);
    this.offered = word === "" ? [] : names.filter((name) => name.startsWith(word) && name !== word).slice(0, MOST_SHOWN);
    this.chosen = 0;
    this.showOffers();
  }

  showOffers() {
    show(this.list, this.offered.length > 0);
    this.list.replaceChildren(...this.offered.map((name, i) => h("li", { role: "option", "aria-selected": String(i === this.chosen), text: name, on: { pointerdown: (event) => {
      event.preventDefault();
      this.accept(name);
    } } })));
    if (this.offered.length === 0) return;
    const before = this.text.slice(0, this.area.selectionStart).split("\n");
    this.list.style.top = `${before.length * this.lineHeight() - this.area.scrollTop + 8}px`;
  }

  lineHeight() {
    return parseFloat(getComputedStyle(this.area).lineHeight) || 20;
  }

  close() {
    this.offered = [];
    show(this.list, false);
  }

  /** @param {string} name */
  accept(name) {
    const { word } = this.word();
    const at = this.area.selectionStart;
    this.area.setRangeText(name, at - word.length, at, "end");
    this.edited();
    this.close();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (this.offered.length > 0) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) this.chosen = (this.chosen + step + this.offered.length) % this.offered.length;
      else if (event.key === "Enter" || event.key === "Tab") this.accept(this.offered[this.chosen]);
      else if (event.key === "Escape") this.close();
      else return;
      event.preventDefault();
      if (step) this.showOffers();
      return;
    }
    if (event.key === "Enter") {
      // A new line has the indentation of the current one.
      const before = this.text.slice(0, this.area.selectionStart);
      const indent = /^ */.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
      if (indent === "") return;
      event.preventDefault();
      this.area.setRangeText(`\n${indent}`, this.area.selectionStart, this.area.selectionEnd, "end");
      this.edited();
    }
  }
}
