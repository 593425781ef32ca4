// @ts-check
// Command line for a terminal, for functions that the page lacks.

import { button, h, setText } from "../shared/dom.js";

const PLAIN = /^[\w.,:@%+=-]+(\/[\w.,:@%+=-]+)*$/;

/** Quotes a word for a shell. @param {string} word */
const quoted = (word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** @param {string[]} words */
export const commandLine = (words) => words.map(quoted).join(" ");

export class Command {
  /** @param {string} about description of the command */
  constructor(about) {
    this.line = h("code", { class: "command", tabindex: "0" });
    this.copied = h("small", { role: "status" });
    this.node = h("div", { class: "command-row" }, h("p", {}, h("small", { text: about })), h("div", { class: "row" }, this.line, button("Copy", () => this.copy(), { class: "small" }), this.copied));
  }

  /** @param {string[]} words */
  set(words) {
    setText(this.line, commandLine(words));
    setText(this.copied, "");
  }

  async copy() {
    // Browsers allow clipboard access only on secure pages; a selected text can be copied manually.
    try {
      await navigator.clipboard.writeText(this.line.textContent ?? "");
      setText(this.copied, "copied");
    } catch {
      getSelection()?.selectAllChildren(this.line);
      setText(this.copied, "selected: copy it with Ctrl+C");
    }
  }
}
