// @ts-check
// Layout of a tree's nodes: parents centred on their children, subtrees as close as their outlines allow.

const CHARACTER = 6.9;
const LINE = 15;
// Characters per line of a label, for downward and rightward trees: narrower labels make a tree narrower and higher.
const WRAPS = { down: [15, 10], right: [40, 24, 14] };
const GAP = 12;
const LEVEL_GAP = 28;

/**
 * @typedef {import("../link/contract.js").TreeNode} TreeNode
 * @typedef {{x: number, y: number, width: number, height: number, lines: string[], depth: number, level: [number, number]}} Place centre of a node, and start and end of its level
 * @typedef {{places: Place[], width: number, height: number}} Layout
 */

// Programs use words for the signs of drawings.
const SIGNS = /** @type {Record<string, string>} */ ({ seq: "→", sel: "?", seqm: "→*", selm: "?*", par: "⇉" });

/** @param {TreeNode} node */
export const signOf = (node) => SIGNS[node.symbol] ?? SIGNS[String(node.label).split(" ")[0]] ?? String(node.symbol || node.label).slice(0, 6);

/** Breaks a text between words into lines of at most `most` characters. @param {string} text @param {number} most */
export function wrapText(text, most) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.slice(0, 6);
}

/** Rounds the numbers of a label to three significant digits; the node's title has all digits. @param {string} text */
export const shortened = (text) => text.replace(/-?\d+\.\d{3,}/g, (number) => String(Number(Number(number).toPrecision(3))));

/** @param {TreeNode} node @param {number} wrap @returns {{width: number, height: number, lines: string[]}} */
function sizeOf(node, wrap) {
  const leaf = node.children.length === 0 && (node.kind === "action" || node.kind === "condition");
  if (node.kind === "composite" && !leaf) {
    const symbol = signOf(node);
    return { width: Math.max(34, 18 + symbol.length * 11), height: 32, lines: [symbol] };
  }
  const lines = wrapText(shortened(String(node.label || node.symbol)).slice(0, 160), wrap);
  const wide = Math.max(...lines.map((line) => line.length)) * CHARACTER;
  const high = lines.length * LINE;
  // Ellipses and diamonds need additional space around their text.
  if (node.kind === "condition") return { width: wide * 1.16 + 26, height: high + 18, lines };
  if (node.kind === "decorator") return { width: wide + 50, height: high + 20, lines };
  return { width: wide + 20, height: high + 14, lines };
}

/**
 * @param {TreeNode[]} nodes in preorder, the root first @param {boolean} down from top to bottom, else from left to right
 * @param {number} [wrap] characters per line of a label
 * @returns {Layout}
 */
export function layoutTree(nodes, down, wrap = WRAPS[down ? "down" : "right"][0]) {
  if (nodes.length === 0) return { places: [], width: 0, height: 0 };
  const places = nodes.map((node) => ({ ...sizeOf(node, wrap), x: 0, y: 0, depth: 0, level: /** @type {[number, number]} */ ([0, 0]) }));
  const seen = new Set([0]);
  /** @type {number[][]} */
  const children = nodes.map((node) => node.children.filter((child) => nodes[child] && !seen.has(child) && seen.add(child)));
  const order = [0];
  for (let i = 0; i < order.length; i++) {
    for (const child of children[order[i]]) {
      places[child].depth = places[order[i]].depth + 1;
      order.push(child);
    }
  }
  const breadth = (/** @type {Place} */ place) => (down ? place.width : place.height);
  const offsets = spread(places, children, order, breadth);
  // The extent of a level along the tree is that of its largest node.
  /** @type {number[]} */
  const deep = [];
  for (const i of order) deep[places[i].depth] = Math.max(deep[places[i].depth] ?? 0, down ? places[i].height : places[i].width);
  const starts = deep.reduce((/** @type {number[]} */ at, size) => [...at, (at.at(-1) ?? 0) + size + LEVEL_GAP], [0]);
  const least = Math.min(...order.map((i) => offsets[i] - breadth(places[i]) / 2));
  for (const i of order) {
    const place = places[i];
    const across = offsets[i] - least;
    const along = down ? starts[place.depth] + deep[place.depth] / 2 : starts[place.depth] + place.width / 2;
    place.level = [starts[place.depth], starts[place.depth] + deep[place.depth]];
    [place.x, place.y] = down ? [across, along] : [along, across];
  }
  const used = order.map((i) => places[i]);
  return {
    places,
    width: Math.max(...used.map((place) => place.x + place.width / 2)),
    height: Math.max(...used.map((place) => place.y + place.height / 2)),
  };
}

/** Returns the scale at which a layout fills a panel. @param {{width: number, height: number}} layout @param {number} width @param {number} height */
export const scaleOf = (layout, width, height) => Math.min(width / layout.width, height / layout.height);

/**
 * Returns the layout with the largest scale in a panel of this size.
 * @param {TreeNode[]} nodes @param {number} width @param {number} height @param {boolean | null} [only] this direction; null: either
 * @returns {Layout & {down: boolean}}
 */
export function bestLayout(nodes, width, height, only = null) {
  const directions = [true, false].filter((down) => only === null || down === only);
  const layouts = directions.flatMap((down) => WRAPS[down ? "down" : "right"].map((wrap) => ({ ...layoutTree(nodes, down, wrap), down })));
  return layouts.reduce((best, layout) => (scaleOf(layout, width, height) > scaleOf(best, width, height) ? layout : best));
}

/**
 * Returns the path of an edge as points along and across the levels: straight out of its level, sideways only between two
 * levels, where there are no nodes, and straight to the child.
 * @param {Place} from @param {Place} to @param {boolean} down
 * @returns {[number, number][]} start, start of the curve, two control points, end of the curve, end
 */
export function edgePoints(from, to, down) {
  const half = (/** @type {Place} */ place) => (down ? place.height : place.width) / 2;
  const [along, across] = down ? /** @type {const} */ (["y", "x"]) : /** @type {const} */ (["x", "y"]);
  const [a, b] = [from[across], to[across]];
  const [turn, turned] = [from.level[1], to.level[0]];
  const middle = (turn + turned) / 2;
  return [[from[along] + half(from), a], [turn, a], [middle, a], [middle, b], [turned, b], [to[along] - half(to), b]];
}

/**
 * Returns the centre of each node across the levels.
 * @param {Place[]} places @param {number[][]} children @param {number[]} order parents first @param {(place: Place) => number} breadth
 */
function spread(places, children, order, breadth) {
  // For each subtree, by level below its root: its extent to both sides of the root's centre.
  /** @type {{low: number[], high: number[]}[]} */
  const outlines = [];
  const shifts = new Float64Array(places.length);
  for (let k = order.length - 1; k >= 0; k--) {
    const i = order[k];
    const half = breadth(places[i]) / 2;
    /** @type {{low: number[], high: number[]}} */
    const below = { low: [], high: [] };
    for (const child of children[i]) {
      const { low, high } = outlines[child];
      let shift = 0;
      for (let level = 0; level < Math.min(low.length, below.high.length); level++) shift = Math.max(shift, below.high[level] + GAP - low[level]);
      shifts[child] = shift;
      low.forEach((value, level) => {
        below.low[level] = Math.min(below.low[level] ?? Infinity, value + shift);
        below.high[level] = Math.max(below.high[level] ?? -Infinity, high[level] + shift);
      });
    }
    const kids = children[i];
    const middle = kids.length > 0 ? (shifts[kids[0]] + shifts[kids[kids.length - 1]]) / 2 : 0;
    for (const child of kids) shifts[child] -= middle;
    outlines[i] = { low: [-half, ...below.low.map((value) => value - middle)], high: [half, ...below.high.map((value) => value - middle)] };
  }
  const offsets = new Float64Array(places.length);
  for (const i of order) for (const child of children[i]) offsets[child] = offsets[i] + shifts[child];
  return offsets;
}
