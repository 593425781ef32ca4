// @ts-check
// Evolution on islands. Each thread holds some islands, and the first one selects the immigrants.

import { button, h, setText } from "../shared/dom.js";
import { fixed, span, thousands } from "../shared/format.js";
import { islandColour, palette } from "../shared/colours.js";
import { Chart } from "../shared/charts.js";
import { ALGORITHMS } from "./address.js";
import { evolveCommand } from "./commands.js";
import { within } from "./limits.js";

// Budget of the thesis's swarm (robot-seconds).
const THESIS = 52254720;
// Duration of a trial (s).
const SECONDS = 30;
const SIZES = [["4", "64", "12"], ["9", "256", "84"]];

/**
 * Returns the world of an evolution. On the benchmark, trees are evolved for both scenarios, as by `xpuck evolve`.
 * @param {import("./address.js").State["world"]} world @returns {import("./address.js").State["world"]}
 */
const evolved = (world) => ("file" in world ? world : { ...world, scenario: "mix" });

/** Returns the first rules of a tree, after the usual one against obstacles. @param {any} tree */
function gist({ account_items: items }) {
  const rules = items.filter((/** @type {any} */ { depth, text }) => depth === 1 && !/obstacle/.test(text)).slice(0, 2);
  const text = rules.map((/** @type {any} */ rule) => rule.text).join("; ");
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

export class Evolve {
  /**
   * @param {import("./engine.js").Engine} engine
   * @param {{world: () => import("./address.js").State, changed: () => void, use: (tree: string) => void, champion: (tree: any) => void}} act
   */
  constructor(engine, act) {
    this.engine = engine;
    this.act = act;
    this.going = false;
    /** @type {any} */
    this.run = null;
    const number = (/** @type {string} */ label, /** @type {string} */ value, /** @type {number} */ low, /** @type {number} */ high) => h("input", { type: "number", min: String(low), max: String(high), value, "aria-label": label, on: { change: () => this.act.changed() } });
    this.algorithm = h("select", { "aria-label": "Algorithm", on: { change: () => this.act.changed() } }, ...Object.entries(ALGORITHMS).map(([value, text]) => h("option", { value, text })));
    this.islands = number("Islands", SIZES[0][0], 1, 64);
    this.population = number("Population of an island", SIZES[0][1], 8, 4096);
    this.generations = number("Generations", SIZES[0][2], 1, 10000);
    this.seed = number("Seed of evolution", "1", 0, 1e9);
    this.button = button("Evolve", () => this.toggle(), { class: "primary" });
    this.again = button("New run", () => this.reset(), { hidden: true });
    this.told = h("p", { class: "figure-row", role: "status" });
    this.time = h("p", { class: "dim" });
    this.progress = h("progress", { max: "1", value: "0", "aria-label": "Generations evaluated" });
    this.chart = new Chart({ title: "Fitness of each island's best tree", hint: "as evolution estimates it", lines: [], empty: "Press Evolve", time: (generation) => `${Math.round(generation)}`, height: 190 });
    this.champions = h("ol", { class: "champions" });
    this.command = h("pre", { class: "same-command" });
    this.node = h("div", { class: "stack" },
      h("div", { class: "row" }, this.button, this.again, this.algorithm,
        button("Quick", () => this.size(SIZES[0]), { class: "small", title: "4 islands of 64 trees" }), button("Thesis's budget", () => this.size(SIZES[1]), { class: "small", title: "9 islands of 256 trees, 84 generations" })),
      h("div", { class: "row" }, h("label", { class: "inline" }, "Islands ", this.islands), h("label", { class: "inline" }, "Trees ", this.population), h("label", { class: "inline" }, "Generations ", this.generations), h("label", { class: "inline" }, "Seed ", this.seed)),
      this.time, this.progress, this.told, this.chart.node, this.champions, h("p", { class: "dim", text: "The same generations on a computer:" }), this.command);
    this.rate = 60000 * engine.cores;
    // Robots of the page's world.
    this.robots = 9;
  }

  /** @param {string[]} size */
  size([islands, population, generations]) {
    if (this.going) return;
    [this.islands.value, this.population.value, this.generations.value] = [islands, population, generations];
    this.act.changed();
  }

  /** Returns what is chosen for a new run. @returns {import("./address.js").Evolution} */
  chosen() {
    return { algorithm: this.algorithm.value, islands: within(this.islands), population: within(this.population), generations: within(this.generations), seed: within(this.seed) };
  }

  /** @param {import("./address.js").Evolution} evolution */
  choose({ algorithm, islands, population, generations, seed }) {
    this.algorithm.value = algorithm;
    [this.islands.value, this.population.value, this.generations.value, this.seed.value] = [islands, population, generations, seed].map(String);
    this.estimate();
  }

  /** Returns the settings of a new run. */
  settings() {
    const { algorithm, islands, population, seed } = this.chosen();
    return { algorithm, islands, population, seconds: SECONDS, seed, world: evolved(this.act.world().world) };
  }

  /** Shows the expected time of a new run, and the command with the results of this run. */
  estimate() {
    const settings = this.settings();
    const budget = settings.islands * settings.population * within(this.generations) * SECONDS * this.robots;
    setText(this.command, this.run ? evolveCommand(this.run.settings, this.run.generations) : evolveCommand(settings, within(this.generations)));
    const share = budget >= 0.9 * THESIS && budget <= 1.1 * THESIS ? " (the thesis's budget)" : "";
    setText(this.time, `${thousands(budget)} robot-seconds${share}, about ${span(Math.max(1, budget / this.rate))} with ${this.engine.cores} threads`);
  }

  toggle() {
    if (!this.going) return this.go();
    // A generation of a large world can take minutes, so a second click ends the threads.
    if (this.stopped) for (const thread of this.engine.islands) thread.fail("stopped in the middle of a generation; the run is lost");
    this.stopped = true;
    setText(this.button, "Stop now");
    this.button.title = "Stop without waiting for the end of the generation; the run is lost";
  }

  reset() {
    if (this.going) return;
    this.run = null;
    this.again.hidden = true;
    this.champions.replaceChildren();
    this.chart.setLines([], [[]]);
    setText(this.told, "");
    setText(this.button, "Evolve");
    this.estimate();
  }

  async go() {
    this.going = true;
    this.stopped = false;
    setText(this.button, "Stop");
    this.button.title = "Stop after this generation";
    this.again.hidden = true;
    try {
      setText(this.told, this.run ? "" : "Generation 1 begins");
      this.run ??= await this.begin();
      const wanted = within(this.generations);
      // A finished run can be prolonged.
      if (this.run.generation >= this.run.generations) this.run.generations = wanted > this.run.generation ? wanted : this.run.generation + wanted;
      this.estimate();
      while (this.run.generation < this.run.generations && !this.stopped) await this.generation();
      await this.showChampions();
      const over = this.run.generation >= this.run.generations;
      setText(this.button, over ? "Continue" : "Go on");
      this.again.hidden = false;
    } catch (error) {
      this.run = null;
      this.estimate();
      setText(this.told, /** @type {Error} */ (error).message);
      setText(this.button, "Evolve");
    } finally {
      this.going = false;
      this.button.title = "";
    }
  }

  async begin() {
    const settings = this.settings();
    const numbers = Array.from({ length: Math.min(64, Math.max(1, settings.islands)) }, (_, i) => i);
    const threads = this.engine.islands;
    const threadOf = (/** @type {number} */ island) => threads[island % threads.length];
    await Promise.all(threads.map((thread, i) => thread.ask({ do: "evolve", settings, islands: numbers.filter((island) => island % threads.length === i) })));
    const lines = numbers.map((i) => ({ label: `island ${i + 1}`, colour: () => islandColour(i), alpha: 0.7, width: 1.5 }));
    this.chart.setLines([...lines, { label: "mean", colour: () => palette().text, alpha: 1, width: 2.5 }], [[], ...numbers.map(() => []), []]);
    return { settings, numbers, threadOf, generation: 0, generations: within(this.generations), immigrants: numbers.map(() => []), data: [[], ...numbers.map(() => []), []], robotSeconds: 0, wall: 0 };
  }

  async generation() {
    const { run } = this;
    const began = performance.now();
    /** @type {any[]} */
    const rows = await Promise.all(run.numbers.map((/** @type {number} */ island) => run.threadOf(island).ask({ do: "generation", island, immigrants: run.immigrants[island] })));
    run.generation = rows[0].generation;
    const { immigrants } = await run.threadOf(0).ask({ do: "exchange", generation: run.generation, emigrants: rows.map((row) => row.emigrant) });
    run.immigrants = immigrants;
    run.wall += (performance.now() - began) / 1000;
    run.robotSeconds += rows.reduce((sum, row) => sum + row.robot_seconds, 0);
    this.rate = run.robotSeconds / run.wall;
    const best = rows.map((row) => row.derated);
    run.mean = best.reduce((sum, value) => sum + value, 0) / best.length;
    run.data[0].push(run.generation);
    [...best, run.mean].forEach((value, i) => run.data[i + 1].push(value));
    this.chart.set(run.data.map((/** @type {number[]} */ column) => column.slice()));
    this.progress.value = run.generation / run.generations;
    const left = ((run.generations - run.generation) * run.wall) / run.generation;
    setText(this.told, `Generation ${run.generation} of ${run.generations}: mean of the islands' best ${fixed(run.mean, 3)}; ${thousands(run.robotSeconds)} robot-seconds at ${thousands(this.rate)} a second; ${span(left)} left`);
    if (run.generation % 4 === 0) await this.showChampions();
  }

  async showChampions() {
    const { run } = this;
    /** @type {any[]} */
    const champions = await Promise.all(run.numbers.map((/** @type {number} */ island) => run.threadOf(island).ask({ do: "champion", island })));
    champions.sort((a, b) => b.fitness - a.fitness);
    this.champions.replaceChildren(...champions.slice(0, 9).map((champion) => h("li", {},
      h("span", { text: `Island ${champion.island + 1}: ${fixed(champion.fitness, 3)} in ${champion.trials} trials, ${champion.tree.nodes.length} nodes` }),
      button("Look", () => this.act.champion(champion.tree), { class: "small", title: "Show it in the drawing; your text stays" }),
      button("Use this tree", () => this.act.use(champion.tree.text), { class: "small" }),
      h("p", { class: "dim", text: gist(champion.tree) }))));
  }
}
