// @ts-check
// Help of the page: the task, a first tree, and lists of all nodes and registers.

import { h } from "../shared/dom.js";

/** @typedef {{name: string, meaning: string, operands?: string[]}} Entry */

const FIRST = `# Drive at the frisbee.
sel
  avoiding
  mulav v_goal v_zero 1 v_blue
`;

/** Returns an introduction for new visitors. @param {(tree: string) => void} use */
export function introduction(use) {
  const text = (/** @type {string} */ words) => h("p", { text: words });
  return h("details", { class: "introduction", open: "" }, h("summary", { text: "How to begin" }),
    text("Nine robots and a blue frisbee are in an arena. The task is to push the frisbee to the left end; there it is put back near the centre. Fitness is the frisbee's mean speed to the left, divided by the full speed of a wheel: 0 is no progress, and 0.27 is the best tree of the thesis that this project follows."),
    text("Every robot runs the tree ten times a second, from its root. Each node is a line, and its children are the lines below it with two more spaces. sel runs its children until one does not fail, seq until one does not succeed. A robot drives at the velocity that its tree writes into v_goal."),
    h("pre", { class: "same-command", text: FIRST }),
    h("div", { class: "row" }, h("button", { type: "button", class: "small", text: "Use this tree", on: { click: () => use(FIRST) } })),
    text("Press Play to watch the robots, Measure for the fitness of the tree, and Evolve to let the computer search for a better one. Then change the tree: search for the frisbee, and push it only to the left (v_up points to the right end)."));
}

/** Lists of nodes and registers. */
export class Reference {
  constructor() {
    this.lists = h("div", { class: "reference" });
    this.node = h("details", {}, h("summary", { text: "All nodes and registers" }), this.lists);
  }

  /** @param {Entry[]} nodes @param {Entry[]} registers */
  set(nodes, registers) {
    const list = (/** @type {string} */ title, /** @type {Entry[]} */ entries) => [h("h3", { text: title }),
      h("dl", {}, ...entries.flatMap(({ name, operands, meaning }) => [h("dt", { text: [name, ...(operands ?? [])].join(" ") }), h("dd", { text: meaning })]))];
    this.lists.replaceChildren(...list("Nodes", nodes), ...list("Registers", registers));
  }
}
