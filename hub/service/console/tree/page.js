// @ts-check
// Tree view: the tree that drives a robot as a drawing, with the results of its nodes, and its explanation.

import { inWords, Refused } from "../link/api.js";
import { h, s, setAttr, setText, show } from "../shared/dom.js";
import { count, fixed } from "../shared/format.js";
import { outline, RESULTS } from "./shapes.js";
import { AccountList } from "./account.js";
import { TreeView } from "./view.js";

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
export function create(env) {
  const page = new TreePage(env);
  return { node: page.node, enter: (route) => page.enter(route.id), leave: () => page.leave(), end: () => page.drawing.end(), changed: (topics) => page.changed(topics) };
}

class TreePage {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.id = "";
    this.shown = "";
    this.offKeys = () => {};
    // The node results are updated at every reported tick.
    this.follower = { senses: () => env.app.frames.mark("robot") };
    this.account = new AccountList((index) => this.drawing.mark(index));
    this.drawing = new TreeView({ onNode: (index) => {
      this.drawing.mark(index);
      this.account.mark(index);
    } });
    this.choice = h("select", { "aria-label": "Robot", on: { change: () => (location.hash = env.link("tree", this.choice.value)) } });
    this.facts = h("p", { class: "dim facts" });
    this.trouble = h("p", { class: "blank" });
    this.source = h("textarea", { readonly: true, rows: "8", spellcheck: "false", "aria-label": "The tree as text" });
    this.drawing.node.append(this.trouble);
    this.cells = h("dl", { class: "cells" });
    /** @type {{node: HTMLElement, value: HTMLElement}[]} */
    this.cellRows = [];
    this.node = h("div", { class: "view tree-page" },
      h("section", { class: "panel tree-panel", "aria-label": "Tree" },
        h("div", { class: "row tree-head" }, h("label", {}, h("span", { class: "hidden", text: "Robot" }), this.choice), this.facts, this.drawing.tools), this.drawing.node, this.drawing.more, legend()),
      h("div", { class: "tree-side" },
        h("section", { class: "panel" }, h("h2", {}, "In plain words ", h("small", { text: "point at a sentence to see its node" })), this.account.node),
        h("section", { class: "panel" }, h("h2", {}, "Registers ", h("small", { text: "current senses and memory" })), this.cells),
        h("details", { class: "panel" }, h("summary", { text: "The tree as text" }), this.source)));
  }

  /** @param {string} id */
  enter(id) {
    const { env } = this;
    this.offKeys();
    this.offKeys = env.app.shortcuts.add("Tree", this.drawing.keys());
    env.store.followers.add(this.follower);
    this.id = id || env.store.selected || env.store.ids()[0] || "";
    if (this.id) env.source.select(this.id);
    this.shown = "";
    this.load();
  }

  leave() {
    this.offKeys();
    this.env.store.followers.delete(this.follower);
  }

  async load() {
    const { env, id } = this;
    if (!id) return;
    // The last received tree is shown at once; the hub sends the next one unasked.
    if (env.store.trees.has(id)) this.display();
    try {
      const tree = await env.source.tree(id);
      if (id !== this.id) return;
      if (tree) env.store.takeTree(id, tree);
      else this.showNone(noTree(id));
    } catch (error) {
      const none = error instanceof Refused && error.status === 404;
      if (id === this.id) this.showNone(none ? `${id} has no tree yet.` : `The tree of ${id} cannot be shown: ${inWords(error)}`);
    }
  }

  /** @param {string} why */
  showNone(why) {
    if (this.env.store.trees.has(this.id)) return;
    this.shown = "";
    this.drawing.set([]);
    this.account.set(null);
    this.source.value = "";
    setText(this.trouble, why);
    setText(this.facts, "");
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    const { store } = this.env;
    if (!this.id && store.selected) this.enter(store.selected);
    if (topics.has("view") || topics.has("world") || topics.has("status")) this.fillChoice();
    if (topics.has("tree") || topics.has("view")) this.display();
    if (topics.has("robot") && store.senses?.robot === this.id) {
      const same = store.senses.tree === "" || store.senses.tree === store.trees.get(this.id)?.hash;
      const results = same ? store.senses.nodes ?? "" : "";
      this.drawing.light(results);
      this.account.light(results);
      this.fillCells(store.senses.cells ?? []);
    }
  }

  fillChoice() {
    const ids = this.env.store.ids();
    const told = ids.join(" ");
    if (this.choice.dataset.told !== told) {
      this.choice.dataset.told = told;
      this.choice.replaceChildren(...ids.map((id) => h("option", { value: id, text: id })));
    }
    if (this.choice.value !== this.id) this.choice.value = this.id;
  }

  display() {
    const tree = this.env.store.trees.get(this.id);
    // A new run removes the tree of the previous run.
    if (!tree) return this.shown ? this.showNone(noTree(this.id)) : undefined;
    const key = `${this.id} ${tree.hash}`;
    setText(this.trouble, "");
    const fitness = tree.fitness?.mean === null || tree.fitness?.mean === undefined ? "" : `fitness ${fixed(tree.fitness.mean, 3)} in ${count(tree.fitness.samples ?? 0, "trial")}`;
    const size = count(tree.nodes?.length ?? 0, "node");
    setText(this.facts, [tree.gene && `gene ${tree.gene}`, size, fitness, tree.segment === null ? "" : `since segment ${tree.segment}`].filter(Boolean).join(" · "));
    if (key === this.shown) return;
    this.shown = key;
    this.drawing.set(tree.nodes ?? []);
    this.account.set(tree);
    this.source.value = tree.text ?? "";
    setAttr(this.drawing.svg, "aria-label", `The tree of ${this.id}, ${size}. ${(tree.account_items ?? []).slice(0, 3).map((item) => item.text).join(" ")}`);
  }

  /** @param {import("../link/contract.js").Num[]} cells */
  fillCells(cells) {
    const names = this.env.store.world?.cells ?? [];
    if (this.cellRows.length !== cells.length) {
      this.cellRows = cells.slice(0, 64).map((_, i) => {
        const value = h("dd");
        return { node: h("div", {}, h("dt", { text: names[i] ?? `[${i}]` }), value), value };
      });
      this.cells.replaceChildren(...this.cellRows.map(({ node }) => node));
    }
    this.cellRows.forEach(({ value, node }, i) => {
      setText(value, fixed(cells[i], 2));
      setAttr(node, "data-none", cells[i] === null);
    });
    show(this.cells, cells.length > 0);
  }
}

/** @param {string} id */
const noTree = (id) => `${id} has no tree yet: it gets one in the next segment of a run.`;

function legend() {
  const kinds = [["composite", "→ all in order · ? until one succeeds · * continues where it was"], ["decorator", "changes a result"], ["condition", "checks the senses"], ["action", "acts"]];
  const icon = (/** @type {string} */ kind) => s("svg", { class: "tree mini", viewBox: "-16 -9 32 18", width: 32, height: 18, "aria-hidden": "true" }, s("g", { class: `node ${kind}` }, outline(kind, 28, 15)));
  return h("ul", { class: "tree-legend", "aria-label": "How to read it" },
    ...kinds.map(([kind, text]) => h("li", {}, icon(kind), text)),
    ...RESULTS.slice(1).map(({ key, name, sign }) => h("li", {}, h("i", { class: "result", "data-result": key, text: sign }), name)));
}
