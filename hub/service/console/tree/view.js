// @ts-check
// Drawing of a tree with zoom and pan, which shows the results of its nodes.

import { button, h, s, setAttr, setText } from "../shared/dom.js";
import { clamp } from "../shared/format.js";
import { listenToPointer } from "../arena/pointer.js";
import { bestLayout, scaleOf } from "./layout.js";
import { edgeShape, nodeShape, RESULTS } from "./shapes.js";

const MOST_NODES = 2000;
// Minimum scale: height of the smallest readable text divided by the height of labels at a scale of 1 (pixels).
const LEAST = 11 / 12;
const LARGEST = 1.5;
const MARGIN = 16;

export class TreeView {
  /** @param {{onNode: (index: number) => void}} options */
  constructor({ onNode }) {
    this.onNode = onNode;
    /** @type {import("../link/contract.js").TreeNode[]} */
    this.nodes = [];
    this.down = true;
    /** @type {boolean | null} the requested direction */
    this.asked = null;
    this.at = { x: 0, y: 0, k: 1 };
    // Before any zoom or pan, the drawing follows the size of its panel.
    this.untouched = true;
    this.results = "";
    /** @type {{group: SVGGElement, sign: SVGTextElement}[]} */
    this.shapes = [];
    /** @type {(SVGPathElement | null)[]} the edge to each node from its parent */
    this.edges = [];
    this.size = { width: 1, height: 1 };
    /** @type {import("./layout.js").Place | undefined} */
    this.root = undefined;
    this.world = s("g");
    this.svg = s("svg", { class: "tree", tabindex: "0", role: "img", "aria-label": "Tree" }, this.world);
    this.turnButton = button("Turn", () => this.turn(), { title: "From top to bottom, or from left to right (R)" });
    const zoom = h("div", { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", () => this.zoomBy(1.4), { class: "small", "aria-label": "Zoom in", title: "Zoom in (+)" }), button("−", () => this.zoomBy(1 / 1.4), { class: "small", "aria-label": "Zoom out", title: "Zoom out (−)" }),
      button("⤢", () => this.fit(), { class: "small", "aria-label": "Show the whole tree", title: "Whole tree (0)" }));
    this.tools = h("div", { class: "row tight" }, zoom, this.turnButton);
    this.more = h("p", { class: "tree-more", role: "status" });
    this.node = h("div", { class: "tree-stage" }, this.svg);
    this.svg.addEventListener("keydown", (event) => this.key(event));
    listenToPointer(this.svg, {
      zoom: (factor, x, y) => this.zoomBy(factor, x, y),
      pan: (dx, dy) => this.move(dx, dy),
      tap: (x, y) => this.tap(x, y),
    });
    this.observer = new ResizeObserver(() => this.untouched && this.build());
    this.observer.observe(this.svg);
  }

  /** @returns {import("../shell/shortcuts.js").Shortcut[]} */
  keys() {
    return [
      { key: "+", shown: "+", does: "Zoom in", act: () => this.zoomBy(1.4), repeats: true },
      { key: "=", shown: "", does: "Zoom in", act: () => this.zoomBy(1.4), repeats: true },
      { key: "-", shown: "−", does: "Zoom out", act: () => this.zoomBy(1 / 1.4), repeats: true },
      { key: "0", shown: "0", does: "Show the whole tree", act: () => this.fit() },
      { key: "r", shown: "R", does: "Turn the tree: downwards or to the right", act: () => this.turn() },
    ];
  }

  /** @param {import("../link/contract.js").TreeNode[]} nodes */
  set(nodes) {
    this.nodes = nodes.slice(0, MOST_NODES);
    this.build();
  }

  turn() {
    this.asked = !this.down;
    this.build();
  }

  build() {
    const { places, width, height, down } = bestLayout(this.nodes, ...this.room(), this.asked);
    this.down = down;
    this.size = { width, height };
    this.root = places[0];
    this.shapes = this.nodes.map((node, i) => nodeShape(node, places[i], i));
    this.edges = this.nodes.map(() => null);
    this.nodes.forEach((node, i) => {
      for (const child of node.children) if (places[child] && child > i) this.edges[child] = edgeShape(places[i], places[child], this.down);
    });
    this.world.replaceChildren(...this.edges.filter((edge) => edge !== null), ...this.shapes.filter((_, i) => this.nodes[i].kind !== "part").map(({ group }) => group));
    const results = this.results;
    this.results = "";
    this.light(results);
    this.begin();
  }

  /** @param {string} results one digit per node */
  light(results) {
    for (let i = 0; i < this.shapes.length; i++) {
      const result = results[i] ?? "0";
      if (result === (this.results[i] ?? "0")) continue;
      const { group, sign } = this.shapes[i];
      group.setAttribute("data-result", result);
      this.edges[i]?.setAttribute("data-result", result);
      setText(sign, RESULTS[Number(result)]?.sign ?? "");
    }
    this.results = results;
  }

  /** @param {number} index -1 marks no node */
  mark(index) {
    this.shapes.forEach(({ group }, i) => setAttr(group, "data-marked", i === index));
  }

  place() {
    const { x, y, k } = this.at;
    this.world.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${k.toFixed(4)})`);
    const [width, height] = this.room();
    const whole = x >= 0 && y >= 0 && x + this.size.width * k <= width + 2 * MARGIN && y + this.size.height * k <= height + 2 * MARGIN;
    setText(this.more, this.nodes.length === 0 ? "" : !whole ? "A part of the tree: drag it to see the rest" : k < LEAST ? "Zoom in (+) to read it" : "");
  }

  /** Returns the width and height for a tree in its panel. @returns {[number, number]} */
  room() {
    return [Math.max(1, this.svg.clientWidth - 2 * MARGIN), Math.max(1, this.svg.clientHeight - 2 * MARGIN)];
  }

  /** Shows the whole tree at any scale. */
  fit() {
    if (this.nodes.length === 0) return;
    this.centre(Math.min(LARGEST, scaleOf(this.size, ...this.room())));
    this.untouched = false;
    this.place();
  }

  /** Shows the whole tree if it is readable, or else the root and as much of the tree as fits into the panel. */
  begin() {
    this.centre(clamp(scaleOf(this.size, ...this.room()), LEAST, LARGEST));
    this.untouched = true;
    this.place();
  }

  /** Centres the drawing in the panel; a tree that does not fit is aligned at its root. @param {number} k scale */
  centre(k) {
    const [width, height] = this.room();
    const along = (/** @type {number} */ room, /** @type {number} */ size, /** @type {number} */ root) => MARGIN + (size <= room ? (room - size) / 2 : clamp(room / 2 - root, room - size, 0));
    this.at = { k, x: along(width, this.size.width * k, (this.root?.x ?? 0) * k), y: along(height, this.size.height * k, (this.root?.y ?? 0) * k) };
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] */
  zoomBy(factor, x = this.svg.clientWidth / 2, y = this.svg.clientHeight / 2) {
    const k = clamp(this.at.k * factor, 0.08, 4);
    const real = k / this.at.k;
    this.at = { k, x: x - (x - this.at.x) * real, y: y - (y - this.at.y) * real };
    this.untouched = false;
    this.place();
  }

  /** @param {number} dx @param {number} dy */
  move(dx, dy) {
    // A part of the tree stays visible.
    const { k } = this.at;
    this.at.x = clamp(this.at.x + dx, 40 - this.size.width * k, this.svg.clientWidth - 40);
    this.at.y = clamp(this.at.y + dy, 40 - this.size.height * k, this.svg.clientHeight - 40);
    this.untouched = false;
    this.place();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    if (!step) return;
    event.preventDefault();
    this.move(step[0], step[1]);
  }

  /** @param {number} x @param {number} y */
  tap(x, y) {
    const box = this.svg.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + x, box.top + y)?.closest("[data-index]");
    this.onNode(hit ? Number(hit.getAttribute("data-index")) : -1);
  }

  end() {
    this.observer.disconnect();
  }
}
