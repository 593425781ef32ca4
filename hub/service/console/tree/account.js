// @ts-check
// Explanation of a tree in plain English, with sentences linked to their nodes.

import { h, setAttr, setText } from "../shared/dom.js";
import { RESULTS } from "./shapes.js";

const MOST = 500;

export class AccountList {
  /** @param {(index: number) => void} onItem called when the pointer enters a sentence; -1 when it leaves */
  constructor(onItem) {
    this.onItem = onItem;
    this.list = h("ol", { class: "account" });
    this.plain = h("pre", { class: "account-text" });
    this.node = h("div", {}, this.list, this.plain);
    /** @type {{node: HTMLElement, sign: HTMLElement, at: number | null}[]} */
    this.items = [];
  }

  /** @param {import("../link/contract.js").Tree | null} tree */
  set(tree) {
    const told = (tree?.account_items ?? []).slice(0, MOST);
    this.items = told.map((item) => {
      const sign = h("i", { class: "sign", "aria-hidden": "true" });
      const at = typeof item.node === "number" ? item.node : null;
      const text = h("span", { text: String(item.text) });
      const node = h("li", { "data-depth": String(Math.min(8, Math.max(0, item.depth || 0))), on: { mouseenter: () => this.onItem(at ?? -1), mouseleave: () => this.onItem(-1) } }, sign, text);
      return { node, sign, at };
    });
    this.list.replaceChildren(...this.items.map(({ node }) => node));
    setText(this.plain, told.length === 0 ? tree?.account || "No description of a tree." : "");
  }

  /** @param {string} results */
  light(results) {
    for (const { node, sign, at } of this.items) {
      const result = at === null ? "0" : results[at] ?? "0";
      if (node.dataset.result === result) continue;
      node.dataset.result = result;
      setText(sign, RESULTS[Number(result)]?.sign ?? "");
    }
  }

  /** @param {number} index */
  mark(index) {
    let first = true;
    for (const { node, at } of this.items) {
      const marked = index >= 0 && at === index;
      setAttr(node, "data-marked", marked);
      if (marked && first) node.scrollIntoView({ block: "nearest" });
      first &&= !marked;
    }
  }
}
