// @ts-check
// A command line to take to a terminal, for what the page cannot do.

import { button, h, setText } from "../shared/dom.js";

const PLAIN = /^[\w.,:@%+=-]+(\/[\w.,:@%+=-]+)*$/;

/** A word as a shell takes it, whatever is in it. @param {string} word */
const quoted = (word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** @param {string[]} words */
export const commandLine = (words) => words.map(quoted).join(" ");

export class Command {
  /** @param {string} about what it does */
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
    // Browsers lend the clipboard to secure pages only; what is selected can be copied by hand.
    try {
      await navigator.clipboard.writeText(this.line.textContent ?? "");
      setText(this.copied, "copied");
    } catch {
      getSelection()?.selectAllChildren(this.line);
      setText(this.copied, "selected: copy it with Ctrl+C");
    }
  }
}
