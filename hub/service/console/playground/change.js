// @ts-check
// Changes of the selected node in the drawing.

import { button, h, show } from "../shared/dom.js";
import { addChild, duplicate, move, places, remove, replace, wrap } from "./lines.js";

export class NodeTools {
  /** @param {{text: () => string, set: (text: string) => void}} act */
  constructor(act) {
    this.act = act;
    this.index = -1;
    this.input = h("input", { "aria-label": "Node", on: { keydown: (event) => event.key === "Enter" && this.change(replace, this.input.value) } });
    const tool = (/** @type {string} */ text, /** @type {string} */ title, /** @type {() => void} */ does) => button(text, does, { class: "small", title });
    this.hint = h("p", { class: "dim", text: "Click a node of the drawing to change it." });
    this.tools = h("div", { class: "row node-tools", hidden: true }, this.input,
      tool("Set", "Replace the node (Enter)", () => this.change(replace, this.input.value)),
      tool("↑", "Earlier among its siblings", () => this.change(move, -1)), tool("↓", "Later among its siblings", () => this.change(move, 1)),
      tool("Copy", "Add a copy behind it", () => this.change(duplicate)), tool("+ child", "Add a child", () => this.change(addChild, "successl")),
      tool("in seq", "Put it below a seq", () => this.change(wrap, "seq")), tool("in sel", "Put it below a sel", () => this.change(wrap, "sel")),
      tool("Delete", "Delete it with its subtree", () => this.change(remove)));
    this.node = h("div", {}, this.hint, this.tools);
  }

  /** @param {number} index of the node; -1 selects none */
  select(index) {
    this.index = index;
    const place = places(this.act.text())[index];
    show(this.tools, place !== undefined);
    show(this.hint, place === undefined);
    if (place) this.input.value = this.act.text().split("\n")[place.line].split("#")[0].trim();
  }

  /** @param {(text: string, node: number, value?: any) => string} change @param {any} [value] */
  change(change, value) {
    if (this.index >= 0) this.act.set(change(this.act.text(), this.index, value));
  }
}
