// @ts-check
// Overlay with all keys that are active where it is opened.

import { button, byId, h, show } from "../shared/dom.js";

export class Help {
  /** @param {import("../main.js").App} app */
  constructor(app) {
    this.app = app;
    this.body = h("div", { class: "keys" });
    this.node = h("section", { class: "sheet wide", role: "dialog", "aria-label": "Keys", hidden: true },
      h("div", { class: "head" }, h("h2", { text: "Keys" }), button("Close", () => this.close(), { class: "small" })), this.body);
    byId("overlays").append(this.node);
    byId("help").addEventListener("click", () => this.toggle());
  }

  toggle() {
    if (this.close()) return;
    this.app.closeSheets();
    const stop = { title: "Always", shortcuts: [{ key: " ", shown: "Space", does: "STOP: all robots stand still, the run ends" }] };
    const groups = [stop, ...this.app.shortcuts.groups].filter((group) => group.shortcuts.length > 0);
    this.body.replaceChildren(...groups.map(({ title, shortcuts }) => {
      const seen = new Set();
      const rows = shortcuts.filter(({ shown, does }) => shown && !seen.has(does) && seen.add(does));
      return h("div", {}, h("h3", { text: title }), h("dl", {}, ...rows.map(({ shown, does }) =>
        h("div", {}, h("dt", {}, ...shown.split(" ").map((key) => h("kbd", { text: key }))), h("dd", { text: does })))));
    }));
    show(this.node, true);
    this.node.querySelector("button")?.focus();
  }

  /** @returns {boolean} whether the overlay was open */
  close() {
    if (this.node.hidden) return false;
    const inside = this.node.contains(document.activeElement);
    show(this.node, false);
    if (inside) byId("help").focus();
    return true;
  }
}
