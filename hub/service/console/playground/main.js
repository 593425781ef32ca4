// @ts-check
// The playground: write a tree, watch robots run it, measure it, evolve a better one, and share it.

import { button, byId, h, setText, show } from "../shared/dom.js";
import { AccountList } from "../tree/account.js";
import { TreeView } from "../tree/view.js";
import { decode, encode } from "./address.js";
import { NodeTools } from "./change.js";
import { WorldChoice } from "./choose.js";
import { simulateCommand } from "./commands.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Evolve } from "./evolve.js";
import { textFault, within } from "./limits.js";
import { Measure } from "./measure.js";
import { Reference, introduction } from "./reference.js";
import { Watch } from "./watch.js";

/** @typedef {{name: string, text: string}} Example */

const MOST_NODES = 500;

class Page {
  /** @param {{trees: Example[], worlds: Example[]}} examples */
  constructor(examples) {
    this.engine = new Engine();
    this.checks = 0;
    this.valid = false;
    const say = (/** @type {string} */ text) => this.say(text);
    this.editor = new Editor({ label: "Tree", rows: 16, changed: () => this.check() });
    this.tools = new NodeTools({ text: () => this.editor.text, set: (text) => this.editor.set(text) });
    this.account = new AccountList((index) => this.drawing.mark(index));
    this.reference = new Reference();
    this.shown = h("p", { class: "warn", text: "A champion, not the tree of the text. Press “Use this tree” to run it.", hidden: true });
    this.copied = h("p", { class: "dim", role: "status" });
    this.drawing = new TreeView({ onNode: (index) => {
      this.drawing.mark(index);
      this.account.mark(index);
      this.tools.select(index);
    } });
    this.world = new WorldChoice(examples, () => this.check());
    this.seed = h("input", { type: "number", min: "0", max: String(Number.MAX_SAFE_INTEGER), value: "1", "aria-label": "Seed", on: { change: () => this.check() } });
    this.watch = new Watch(this.engine.front, { say, results: (nodes) => {
      this.drawing.light(nodes);
      this.account.light(nodes);
    } });
    this.measure = new Measure(this.engine, () => this.state(), () => this.note());
    this.evolve = new Evolve(this.engine, { world: () => this.state(), changed: () => this.note(), use: (tree) => this.use(tree), champion: (tree) => {
      this.look(tree);
      show(this.shown, true);
    } });
    this.build(examples);
  }

  /** @param {{trees: Example[]}} examples */
  build(examples) {
    const example = h("select", { "aria-label": "Example tree", on: { change: () => example.value && this.use(examples.trees[Number(example.value)].text) } },
      h("option", { value: "", text: "Examples" }), ...examples.trees.map(({ name }, i) => h("option", { value: String(i), text: name })));
    const panel = (/** @type {string} */ id, /** @type {string} */ title, /** @type {string} */ about, /** @type {Node[]} */ ...parts) =>
      h("section", { class: "panel stack", id, "aria-label": title }, h("h2", {}, `${title} `, h("small", { text: about })), ...parts);
    const files = h("div", { class: "row" }, button("Copy the address", () => this.share(), { class: "small" }),
      button(".bt", () => this.save("tree.bt", "bt"), { class: "small", title: "Download the tree as text" }), button("XML", () => this.save("tree.xml", "xml"), { class: "small", title: "Download the tree for Groot2 and BehaviorTree.CPP" }),
      button("SVG", () => this.save("tree.svg", "svg"), { class: "small", title: "Download the drawing" }), button("World", () => this.saveWorld(), { class: "small", title: "Download the world file" }));
    byId("playground").replaceChildren(
      h("div", { class: "column" }, introduction((tree) => this.use(tree)),
        panel("write", "Write", "the tree that every robot runs ten times a second", h("div", { class: "row" }, example), this.editor.node, this.reference.node),
        panel("where", "World and task", "", this.world.node, h("label", { class: "inline" }, "Seed ", this.seed)),
        panel("share", "Share", "tree, world and numbers are in the address", files, this.copied)),
      h("div", { class: "column" },
        panel("drawing", "Drawing", "the results of the selected robot's nodes", this.shown, this.drawing.tools, this.drawing.node, this.drawing.more, this.tools.node),
        panel("words", "In plain words", "point at a sentence to see its node", this.account.node)),
      h("div", { class: "column" },
        panel("watch", "Watch", "drag robots or the frisbee", this.watch.node),
        panel("measure", "Measure", "fitness over many runs", this.measure.node),
        panel("evolve", "Evolve", "trees on islands, one island after another in each thread", this.evolve.node)));
  }

  /** @returns {import("./address.js").State} */
  state() {
    return { tree: this.editor.text, world: this.world.get(), seed: within(this.seed), seconds: within(this.measure.seconds), runs: within(this.measure.runs), evolve: this.evolve.chosen() };
  }

  /** Shows what follows from the numbers, and keeps the state in the address. */
  async note() {
    const state = this.state();
    setText(this.measure.command, simulateCommand(state));
    this.measure.compare();
    this.watch.seconds = state.seconds;
    this.evolve.estimate();
    try {
      history.replaceState(null, "", await encode(state));
    } catch {
      // A text that is too long for an address is marked by the check.
    }
  }

  /** Checks tree and world, and shows them. */
  async check() {
    const number = ++this.checks;
    const { tree, world, seed } = this.state();
    await this.note();
    if (number !== this.checks) return;
    const long = [this.editor, this.world.editor].find((editor) => textFault(editor.text));
    if (long) {
      this.valid = false;
      [this.measure.button.disabled, this.evolve.button.disabled] = [true, true];
      return long.mark([{ line: 0, column: 0, message: textFault(long.text) }], []);
    }
    try {
      const view = await this.engine.front.ask({ do: "world", world }).catch((error) => error);
      if (number !== this.checks) return;
      const broken = view instanceof Error;
      if (!broken) this.evolve.robots = view.world.robots.length;
      this.evolve.estimate();
      this.world.editor.mark(broken ? [fault(view.message)] : [], []);
      const told = await this.engine.front.ask({ do: "tree", text: tree, form: "bt", ...(broken ? {} : { world }) });
      if (number !== this.checks) return;
      this.editor.mark(told.errors, told.notes ?? []);
      this.valid = told.errors.length === 0 && !broken;
      this.measure.button.disabled = !this.valid;
      this.evolve.button.disabled = broken;
      this.watch.playButton.disabled = !this.valid;
      show(this.shown, false);
      if (told.errors.length === 0) this.look(told.tree);
      if (this.valid) await this.watch.begin({ tree, world, seed }, view);
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    }
  }

  /** Shows a tree without making it the page's tree. Of a very large tree, only the first nodes are shown. @param {any} tree */
  look(tree) {
    this.drawing.set(tree.nodes.slice(0, MOST_NODES));
    this.account.set(tree);
    this.tools.select(-1);
    this.drawing.svg.setAttribute("aria-label", `The tree, ${tree.nodes.length} nodes`);
  }

  /** @param {string} tree */
  use(tree) {
    this.editor.set(tree);
  }

  /** @param {string} text */
  say(text) {
    setText(byId("told"), text);
  }

  async share() {
    try {
      await navigator.clipboard.writeText(location.href);
      setText(this.copied, "The address is copied.");
    } catch {
      setText(this.copied, "Copy the address from the browser's address bar.");
    }
  }

  /** @param {string} name @param {string} to */
  async save(name, to) {
    try {
      download(name, (await this.engine.front.ask({ do: "convert", text: this.editor.text, form: "bt", to })).text);
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
    }
  }

  saveWorld() {
    const { world } = this.state();
    if ("file" in world) download("world.toml", world.file);
    else this.say("The benchmark has no world file; choose an example or write one.");
  }

  async start() {
    addEventListener("hashchange", () => this.fromAddress());
    // Numbers outside the range of their field are replaced, before the field's own listener reads them.
    addEventListener("change", ({ target }) => {
      if (target instanceof HTMLInputElement && target.type === "number") target.value = String(within(target));
    }, true);
    this.engine.loaded.then(() => document.documentElement.setAttribute("data-ready", ""), (error) => this.say(`The simulator could not be loaded: ${error.message}`));
    const { nodes, registers } = await this.engine.front.ask({ do: "nodes" });
    [this.editor.nodes, this.editor.registers] = [nodes, registers];
    this.reference.set(nodes, registers);
  }

  /** Returns whether the address has a valid state. */
  async fromAddress() {
    try {
      const state = await decode(location.hash);
      if (!state) return false;
      this.world.set(state.world);
      this.seed.value = String(state.seed);
      this.measure.seconds.value = String(state.seconds);
      this.measure.runs.value = String(state.runs);
      this.evolve.choose(state.evolve);
      this.use(state.tree);
      return true;
    } catch (error) {
      this.say(/** @type {Error} */ (error).message);
      return false;
    }
  }
}

/** Returns a fault for the marks of an editor. @param {string} message as in "world.toml: line 3: unknown field" */
function fault(message) {
  const line = /line (\d+)/.exec(message);
  return { line: line ? Number(line[1]) : 0, column: 1, message: message.replace(/^world\.toml: (line \d+: )?/, "") };
}

/** @param {string} name @param {string} text */
function download(name, text) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text])), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const examples = await (await fetch(new URL("./examples.json", import.meta.url))).json();
const page = new Page(examples);
if (!(await page.fromAddress())) page.use(examples.trees[0].text);
page.start();
// For tests.
Object.assign(window, { playground: page });
