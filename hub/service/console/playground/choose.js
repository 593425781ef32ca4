// @ts-check
// Choice of the world: the benchmark, an example, or the text of a world file.

import { h, show } from "../shared/dom.js";
import { Editor } from "./editor.js";
import { within } from "./limits.js";

/** Returns the first sentence of the comment at the top of a file. @param {string} text */
function about(text) {
  const comment = text.split("\n").slice(0, 3).filter((line) => line.startsWith("#")).map((line) => line.replace(/^# */, "")).join(" ");
  const sentence = comment.split(/[.:] /)[0];
  return sentence.length > 70 ? `${sentence.slice(0, 70)}…` : sentence;
}

export class WorldChoice {
  /** @param {{worlds: {name: string, text: string}[]}} examples @param {() => void} changed */
  constructor(examples, changed) {
    this.examples = examples;
    this.changed = changed;
    const option = (/** @type {string} */ value, /** @type {string} */ text) => h("option", { value, text });
    this.select = h("select", { "aria-label": "World", on: { change: () => this.chosen() } },
      h("optgroup", { label: "Benchmark: push the blue frisbee to the left" }, option("mix", "scenarios A and B in turn"), option("a", "scenario A: robots at the right end"), option("b", "scenario B: robots spread over the arena")),
      h("optgroup", { label: "Examples" }, ...examples.worlds.map(({ name, text }, i) => option(`example ${i}`, `${name}: ${about(text)}`))),
      option("file", "own world file"));
    this.robots = h("input", { type: "number", min: "1", max: "64", value: "9", "aria-label": "Number of robots", on: { change: () => this.changed() } });
    this.robotsLabel = h("label", { class: "inline" }, "Robots ", this.robots);
    this.editor = new Editor({ label: "World file", rows: 12, changed: () => this.edited() });
    this.text = h("details", { class: "world-text" }, h("summary", { text: "World file" }), this.editor.node);
    this.node = h("div", { class: "stack" }, h("div", { class: "row" }, this.select, this.robotsLabel), this.text);
    this.arrange();
  }

  isFile() {
    return this.select.value === "file" || this.select.value.startsWith("example");
  }

  arrange() {
    show(this.robotsLabel, !this.isFile());
    show(this.text, this.isFile());
  }

  chosen() {
    const example = /^example (\d+)$/.exec(this.select.value);
    this.arrange();
    if (example) this.editor.set(this.examples.worlds[Number(example[1])].text);
    else this.changed();
  }

  /** An example that was changed is the visitor's own world. */
  edited() {
    const example = this.examples.worlds[Number(/^example (\d+)$/.exec(this.select.value)?.[1])];
    if (example && example.text !== this.editor.text) this.select.value = "file";
    this.changed();
  }

  /** @returns {import("./address.js").State["world"]} */
  get() {
    if (this.isFile()) return { file: this.editor.text };
    const scenario = /** @type {"a" | "b" | "mix"} */ (this.select.value);
    return { scenario, robots: within(this.robots) };
  }

  /** @param {import("./address.js").State["world"]} world */
  set(world) {
    if ("file" in world) {
      const known = this.examples.worlds.findIndex(({ text }) => text === world.file);
      this.select.value = known >= 0 ? `example ${known}` : "file";
      this.editor.set(world.file);
    } else {
      this.select.value = world.scenario;
      this.robots.value = String(world.robots);
    }
    this.arrange();
  }
}
