// @ts-check
// Layout of the best tree's ancestors: from the founders on the left to the best tree on the right.

/**
 * @typedef {import("../link/contract.js").LineageNode} LineageNode
 * @typedef {LineageNode & {island: string}} Ancestor
 * @typedef {{node: Ancestor, x: number, y: number, step: number}} Spot
 */

/**
 * Returns an ancestor with the name of its island and without duplicate parents; a mutation may list its only parent twice.
 * @param {LineageNode} node @param {string[]} ids @returns {Ancestor}
 */
export function tidy(node, ids) {
  const island = typeof node.island === "number" ? ids[node.island - 1] ?? `island ${node.island}` : String(node.island);
  return { ...node, gene: String(node.gene), island, parents: [...new Set((Array.isArray(node.parents) ? node.parents : []).map(String))] };
}

/**
 * @param {Ancestor[]} nodes @param {string[]} islands in their order
 * @returns {{spots: Map<string, Spot>, lanes: string[], steps: number, edges: [Spot, Spot][]}} x in steps, y in lanes
 */
export function layoutAncestry(nodes, islands) {
  const known = new Map(nodes.map((node) => [node.gene, node]));
  /** @type {Map<string, number>} */
  const steps = new Map();
  // A child is to the right of all its parents: its step is the longest path from a founder. Iterative, because
  // lineages are long.
  const order = [...known.values()].sort((a, b) => (a.generation ?? 0) - (b.generation ?? 0));
  for (let round = 0; round < order.length; round++) {
    let moved = false;
    for (const node of order) {
      const parents = (node.parents ?? []).filter((gene) => known.has(gene) && gene !== node.gene);
      const step = parents.reduce((most, gene) => Math.max(most, (steps.get(gene) ?? 0) + 1), 0);
      if (step !== steps.get(node.gene) && step < order.length) {
        steps.set(node.gene, step);
        moved = true;
      }
    }
    if (!moved) break;
  }
  const present = new Set(nodes.map((node) => node.island));
  const lanes = islands.filter((id) => present.has(id)).concat([...present].filter((id) => !islands.includes(id)));
  /** @type {Map<string, Spot>} */
  const spots = new Map();
  /** @type {Map<string, number>} number of ancestors at each place so far */
  const crowd = new Map();
  for (const node of order) {
    const step = steps.get(node.gene) ?? 0;
    const lane = lanes.indexOf(node.island);
    const place = `${step} ${lane}`;
    const n = crowd.get(place) ?? 0;
    crowd.set(place, n + 1);
    spots.set(node.gene, { node, step, x: step, y: lane + (n === 0 ? 0 : (n % 2 ? 1 : -1) * Math.ceil(n / 2) * 0.28) });
  }
  /** @type {[Spot, Spot][]} */
  const edges = [];
  for (const spot of spots.values()) {
    for (const gene of spot.node.parents ?? []) {
      const parent = spots.get(gene);
      if (parent && parent !== spot) edges.push([parent, spot]);
    }
  }
  return { spots, lanes, steps: Math.max(0, ...[...spots.values()].map((spot) => spot.step)), edges };
}
