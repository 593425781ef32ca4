// @ts-check
// Lineage of the best tree, from the founders to the best tree, with one lane per island.

import { inWords } from "../link/api.js";
import { islandColour } from "../shared/colours.js";
import { h, list, s, setAttr, setText } from "../shared/dom.js";
import { fixed } from "../shared/format.js";
import { layoutAncestry, tidy } from "./ancestry.js";

const ASK_MS = 20000;
const LANE = 34;
const LEFT = 62;

export class LineagePanel {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.askedAt = -Infinity;
    /** @type {import("./ancestry.js").Ancestor[]} */
    this.nodes = [];
    this.told = h("p", { class: "dim", role: "status", text: "Choose an ancestor to see its origin." });
    this.blank = h("p", { class: "dim", text: "Loading the lineage of the best tree" });
    this.svg = s("svg", { class: "lineage", role: "group", "aria-label": "Lineage of the best tree" });
    this.scroll = h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Lineage" }, this.svg);
    this.node = h("section", { class: "panel lineage-panel" }, h("h2", {}, "Lineage of the best tree ", h("small", { text: `founders left, the fittest of ${env.store.kind === "replay" ? "the whole run" : "all"} right; one lane per island` })), this.blank, this.scroll, this.told);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.scroll);
  }

  enter() {
    this.askedAt = -Infinity;
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    if (now - this.askedAt < ASK_MS || document.hidden) return;
    this.askedAt = now;
    this.load();
  }

  async load() {
    try {
      const { nodes, truncated } = await this.env.source.lineage();
      const same = nodes?.[0]?.gene === this.nodes[0]?.gene && Math.min(400, nodes?.length) === this.nodes.length;
      this.nodes = list(nodes).slice(0, 400).map((node) => tidy(node, this.env.store.ids()));
      setText(this.blank, this.nodes.length === 0 ? "No tree has been bred yet." : truncated ? "Older ancestors are left out." : "");
      if (!same) this.draw();
    } catch (error) {
      setText(this.blank, `Not available: ${inWords(error)}`);
    }
  }

  draw() {
    if (this.nodes.length === 0) return this.svg.replaceChildren();
    const { store } = this.env;
    const { spots, lanes, steps, edges } = layoutAncestry(this.nodes, store.ids());
    const room = Math.max(260, this.scroll.clientWidth) - LEFT - 40;
    const pitch = Math.max(22, Math.min(90, room / Math.max(1, steps)));
    const x = (/** @type {{x: number}} */ spot) => LEFT + 16 + spot.x * pitch;
    const y = (/** @type {{y: number}} */ spot) => 20 + spot.y * LANE;
    const colour = (/** @type {string} */ island) => islandColour(store.indexOf(island));
    /** @type {SVGElement[]} */
    const parts = lanes.map((id, lane) => s("g", { class: "lane" },
      s("line", { x1: LEFT, x2: LEFT + 32 + steps * pitch, y1: 20 + lane * LANE, y2: 20 + lane * LANE }),
      s("text", { x: LEFT - 8, y: 20 + lane * LANE, "text-anchor": "end", "dominant-baseline": "central", text: id.slice(0, 7) })));
    for (const [from, to] of edges) {
      const middle = (x(from) + x(to)) / 2;
      parts.push(s("path", { class: from.node.island === to.node.island ? "blood" : "blood moved", d: `M${x(from)} ${y(from)}C${middle} ${y(from)} ${middle} ${y(to)} ${x(to)} ${y(to)}`, stroke: colour(from.node.island) }));
    }
    const best = this.nodes[0].gene;
    for (const spot of spots.values()) {
      const { node } = spot;
      const founder = (node.parents ?? []).length === 0;
      const words = inSentence(node, node.gene === best);
      const tell = () => setText(this.told, words);
      const group = s("g", { class: "ancestor", role: "button", tabindex: "0", "aria-label": words, transform: `translate(${x(spot)} ${y(spot)})`, on: { click: tell, focus: tell, mouseenter: tell } },
        node.gene === best ? s("circle", { class: "halo", r: 12 }) : null,
        founder ? s("rect", { x: -6, y: -6, width: 12, height: 12, fill: colour(node.island) }) : s("circle", { r: node.gene === best ? 8 : 6, fill: colour(node.island) }),
        s("title", { text: words }));
      parts.push(group);
    }
    const [width, height] = [LEFT + 48 + steps * pitch, 30 + lanes.length * LANE];
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) setAttr(this.svg, name, value);
    this.svg.replaceChildren(...parts);
    // The best tree is at the right end.
    this.scroll.scrollLeft = width;
  }

  end() {
    this.observer.disconnect();
  }
}

/** @param {import("./ancestry.js").Ancestor} node @param {boolean} best */
function inSentence(node, best) {
  const how = (node.parents ?? []).length === 0 ? "a founder, drawn at random" : `${node.operator || "bred"} from ${node.parents.join(" and ")}`;
  const fitness = node.fitness === null ? "" : `, fitness ${fixed(node.fitness, 3)}`;
  return `${best ? "The best: gene" : "Gene"} ${node.gene} of ${node.island}, generation ${node.generation ?? "unknown"}: ${how}${fitness}`;
}
