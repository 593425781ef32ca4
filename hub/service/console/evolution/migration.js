// @ts-check
// Migration: numbers of trees that each island has taken from every other island, as a matrix.

import { islandColour, palette } from "../shared/colours.js";
import { h, s, setText, show } from "../shared/dom.js";
import { clamp } from "../shared/format.js";
import { busiest } from "./busiest.js";

const MOST = 32;
const CELLS = [22, 34];
const ROOM = 360;
const LEFT = 54;
const TOP = 46;

export class MigrationPanel {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.svg = s("svg", { class: "matrix", role: "img" });
    this.blank = h("p", { class: "dim", text: "No tree has migrated yet. Islands send their fittest trees to each other after every generation." });
    this.latest = h("p", { class: "dim" });
    this.told = "";
    this.node = h("section", { class: "panel" }, h("h2", {}, "Migration ", h("small", { text: `trees that an island (column) took from another (row)${env.store.kind === "replay" ? ", in the whole run" : ""}` })), this.blank, h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Migration" }, this.svg), this.latest);
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    if (!topics.has("history") && !topics.has("migration") && !topics.has("view")) return;
    const migration = this.env.store.migration;
    const counts = (migration?.counts ?? []).map((row) => (Array.isArray(row) ? row : []));
    const total = counts.flat().reduce((sum, n) => sum + (Number(n) || 0), 0);
    show(this.blank, total === 0);
    show(this.svg, total > 0);
    const ids = (migration?.ids ?? []).map(String);
    const key = JSON.stringify([ids, counts, palette().accent]);
    if (key !== this.told && total > 0) this.draw(ids, counts, total);
    this.told = key;
    const nameOf = (/** @type {string | number} */ island) => (typeof island === "number" ? ids[island] ?? "?" : island);
    const recent = (migration?.recent ?? []).slice(-3).reverse();
    setText(this.latest, recent.length > 0 ? `Latest: ${recent.map(([from, to]) => `${nameOf(from)} → ${nameOf(to)}`).join(", ")}` : "");
  }

  /** @param {string[]} ids @param {number[][]} counts @param {number} total */
  draw(ids, counts, total) {
    const shown = busiest(ids, counts, MOST);
    const cell = clamp(ROOM / shown.length, CELLS[0], CELLS[1]);
    const most = Math.max(1, ...shown.flatMap((i) => shown.map((j) => counts[i]?.[j] ?? 0)));
    const accent = palette().accent;
    /** @type {SVGElement[]} */
    const parts = [];
    shown.forEach((from, row) => {
      const y = TOP + row * cell;
      const x = LEFT + row * cell;
      parts.push(s("circle", { cx: 7, cy: y + cell / 2, r: 5, fill: islandColour(this.env.store.indexOf(ids[from])) }));
      parts.push(s("text", { x: 16, y: y + cell / 2, "dominant-baseline": "central", text: ids[from].slice(0, 7) }));
      parts.push(s("text", { x: 0, y: 0, "dominant-baseline": "central", transform: `translate(${x + cell / 2} ${TOP - 6}) rotate(-60)`, text: ids[from].slice(0, 7) }));
      shown.forEach((to, column) => {
        const n = counts[from]?.[to] ?? 0;
        const [cx, cy] = [LEFT + column * cell, y];
        parts.push(s("rect", { x: cx, y: cy, width: cell - 2, height: cell - 2, rx: 3, class: from === to ? "self" : "cell", fill: accent, "fill-opacity": from === to ? 0 : (0.08 + 0.92 * Math.sqrt(n / most)).toFixed(2) },
          s("title", { text: from === to ? ids[from] : `${ids[to]} took ${n} from ${ids[from]}` })));
        if (n > 0 && from !== to) parts.push(s("text", { class: n / most > 0.3 ? "on" : "", x: cx + cell / 2 - 1, y: cy + cell / 2, "text-anchor": "middle", "dominant-baseline": "central", text: n < 1000 ? String(n) : `${Math.round(n / 1000)}k` }));
      });
    });
    const [width, height] = [LEFT + shown.length * cell + 26, TOP + shown.length * cell + 2];
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height })) this.svg.setAttribute(name, String(value));
    this.svg.setAttribute("aria-label", `${total} trees have migrated between ${ids.length} islands`);
    this.svg.replaceChildren(...parts);
  }
}
