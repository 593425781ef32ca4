// @ts-check
// Nodes and edges as SVG in the usual notation: boxes with arrows and question marks, diamonds, boxes, ellipses.

import { s } from "../shared/dom.js";
import { edgePoints } from "./layout.js";

/** @typedef {import("./layout.js").Place} Place @typedef {import("../link/contract.js").TreeNode} TreeNode */

export const RESULTS = [
  { key: "0", name: "not ticked", sign: "" },
  { key: "1", name: "running", sign: "▶" },
  { key: "2", name: "success", sign: "✓" },
  { key: "3", name: "failure", sign: "✕" },
];

/** @param {string} kind @param {number} width @param {number} height @returns {SVGElement} */
export function outline(kind, width, height) {
  const [w, high] = [width / 2, height / 2];
  if (kind === "condition") return s("ellipse", { class: "shape", rx: w, ry: high });
  if (kind === "decorator") {
    // A diamond truncated at top and bottom would look like a box; a long hexagon with points at its sides still
    // looks like a diamond.
    const flat = Math.min(18, w / 2);
    return s("polygon", { class: "shape", points: `${-w},0 ${-w + flat},${-high} ${w - flat},${-high} ${w},0 ${w - flat},${high} ${-w + flat},${high}` });
  }
  return s("rect", { class: "shape", x: -w, y: -high, width, height, rx: kind === "composite" ? 7 : 2 });
}

/** @param {TreeNode} node @param {Place} place @param {number} index */
export function nodeShape(node, place, index) {
  const { lines, width, height } = place;
  const composite = node.kind === "composite";
  const texts = lines.map((line, i) => s("text", { class: composite ? "symbol" : "label", y: (i - (lines.length - 1) / 2) * 15, "text-anchor": "middle", "dominant-baseline": "central", text: line }));
  const sign = s("text", { class: "sign", x: width / 2 - 2, y: -height / 2 + 1, "text-anchor": "middle", "dominant-baseline": "central" });
  const badge = s("circle", { class: "badge", cx: width / 2 - 2, cy: -height / 2 + 1, r: 8 });
  const title = s("title", { text: `${node.label || node.symbol} (${node.kind})` });
  const group = s("g", { class: `node ${node.kind}`, "data-index": index, "data-result": "0", transform: `translate(${place.x.toFixed(1)} ${place.y.toFixed(1)})` },
    title, outline(node.kind, width, height), ...texts, badge, sign);
  return { group, sign };
}

/** @param {Place} from @param {Place} to @param {boolean} down */
export function edgeShape(from, to, down) {
  const [begin, turn, pull, pulled, turned, end] = edgePoints(from, to, down).map(([along, across]) => (down ? `${across} ${along}` : `${along} ${across}`));
  const path = `M${begin}L${turn}C${pull} ${pulled} ${turned}L${end}`;
  return s("path", { class: "edge", d: path, "data-result": "0" });
}
