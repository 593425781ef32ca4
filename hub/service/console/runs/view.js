// @ts-check
// Runs view: the searchable catalogue, or one of its runs.

import { get, inWords } from "../link/api.js";
import { button, follow, h, list, setAttr, setText, show } from "../shared/dom.js";
import { bytes, clock, count, dateTime, fixed, natural } from "../shared/format.js";
import { TERMS } from "../shared/terms.js";
import { RunDetail } from "./detail.js";

const ASK_MS = 15000;
const PAGE = 100;
const MOST_COMPARED = 8;

/** @typedef {import("../link/contract.js").RunRow} RunRow */

/** @type {{key: string, name: string, title?: string, words?: boolean, room: string, text: (run: RunRow) => string, value: (run: RunRow) => any}[]} */
const COLUMNS = [
  { key: "short", name: "Run", words: true, room: "", text: (run) => run.short, value: (run) => run.short },
  { key: "began", name: "Began", title: "Date and time of day: wall time", words: true, room: "", text: (run) => dateTime(run.began_unix_ms), value: (run) => run.began_unix_ms },
  { key: "length", name: "Length", title: "Running time without pauses: arena time", room: "wide", text: (run) => clock(run.length_s), value: (run) => run.length_s },
  { key: "state", name: "State", words: true, room: "wide", text: (run) => run.state, value: (run) => run.state },
  { key: "mean", name: "Mean", title: TERMS.mean, room: "", text: (run) => fixed(run.mean_fitness, 3), value: (run) => run.mean_fitness },
  { key: "last", name: "Last", title: TERMS.last, room: "wide", text: (run) => fixed(run.last_fitness, 3), value: (run) => run.last_fitness },
  { key: "evolved", name: "Evolved", title: `At its end. ${TERMS.evolved}. ${TERMS.derated}`, room: "wide", text: (run) => fixed(run.evolved_fitness, 3), value: (run) => run.evolved_fitness },
  { key: "robots", name: "Robots", room: "wider", text: (run) => fixed(run.robots, 0), value: (run) => run.robots },
  { key: "quality", name: "Flags", title: "D: a robot was lost (silent for 3 s) at least once. P: more than 5 % of round trips above 100 ms", words: true, room: "wide", text: (run) => run.quality, value: (run) => run.quality },
  { key: "seed", name: "Seed", room: "wider", text: (run) => String(run.seed ?? "–"), value: (run) => Number(run.seed) },
  { key: "bytes", name: "Record", room: "wider", text: (run) => bytes(run.bytes), value: (run) => run.bytes },
];

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
export function create(env) {
  const catalogue = new Catalogue(env);
  const detail = new RunDetail(env);
  const node = h("div", { class: "view runs" });
  let id = "";
  return {
    node,
    enter: (route) => {
      id = route.id;
      node.replaceChildren(id ? detail.node : catalogue.node);
      if (id) detail.open(id);
      catalogue.enter(!id);
    },
    leave: () => catalogue.leave(),
    end: () => detail.end(),
    changed: (topics) => id && topics.has("view") && detail.redraw(),
  };
}

class Catalogue {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    /** @type {RunRow[]} */
    this.runs = [];
    /** @type {string[]} */
    this.chosen = [];
    this.sort = { key: "began", down: true };
    this.most = PAGE;
    this.timer = 0;
    this.offKeys = () => {};
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.search = h("input", { type: "search", placeholder: "Search: name, date, state, seed…", "aria-label": "Search runs", on: { input: () => this.fill() } });
    this.compare = h("a", { class: "button primary" });
    this.clear = button("None", () => {
      this.chosen = [];
      this.fill();
    }, { class: "small", title: "Compare none" });
    this.unread = h("ul", { class: "note", hidden: true, "aria-label": "Runs that cannot be read" });
    this.hint = h("p", { class: "dim", role: "status" });
    this.heads = COLUMNS.map((column) => h("th", { scope: "col", class: `${column.words ? "" : "n"} ${column.room}`, title: column.title }, h("button", { type: "button", class: "plain", on: { click: () => this.setSort(column.key) } }, column.name, h("i", { class: "arrow", "aria-hidden": "true" }))));
    this.body = h("tbody");
    this.blank = h("p", { class: "dim pad" });
    this.more = button("Show more", () => {
      this.most += PAGE;
      this.fill();
    });
    this.node = h("div", { class: "view robots" }, h("section", { class: "panel toolbar" }, h("h2", { class: "hidden", text: "Runs" }), h("div", { class: "row" }, this.search, this.compare, this.clear), this.hint, this.unread),
      h("section", { class: "panel table-panel", tabindex: "0", "aria-label": "Table of runs" }, h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "pick", text: "Compare" }), ...this.heads, h("th", { scope: "col" }, h("span", { class: "hidden", text: "Replay" })))), this.body), this.blank, h("p", { class: "row pad-small" }, this.more)));
  }

  /** @param {boolean} shown */
  enter(shown) {
    this.leave();
    if (!shown) return;
    this.load();
    this.timer = window.setInterval(() => document.hidden || this.load(), ASK_MS);
    this.offKeys = this.env.app.shortcuts.add("Runs", [{ key: "/", shown: "/", does: "Search runs", act: () => this.search.focus() }]);
  }

  leave() {
    clearInterval(this.timer);
    this.offKeys();
    this.offKeys = () => {};
  }

  async load() {
    try {
      const { folder, runs, unread } = await get("/api/catalogue");
      this.runs = list(runs).filter((run) => typeof run?.id === "string");
      this.trouble = "";
      this.folder = typeof folder === "string" ? ` in ${folder}` : "";
      this.unread.replaceChildren(...list(unread).map((text) => h("li", { text: `Not read, so missing or outdated here: ${text}` })));
      show(this.unread, list(unread).length > 0);
    } catch (error) {
      this.trouble = `The catalogue cannot be read: ${inWords(error)}`;
    }
    this.fill();
  }

  trouble = "";
  folder = "";

  /** @param {string} key */
  setSort(key) {
    this.sort = { key, down: this.sort.key === key ? !this.sort.down : key !== "short" && key !== "state" };
    this.fill();
  }

  /** @param {string} id */
  choose(id) {
    if (this.chosen.includes(id)) this.chosen = this.chosen.filter((other) => other !== id);
    else this.chosen = [...this.chosen, id].slice(-MOST_COMPARED);
    this.fill();
  }

  fill() {
    const words = this.search.value.trim().toLowerCase().split(/\s+/);
    const column = COLUMNS.find((other) => other.key === this.sort.key) ?? COLUMNS[1];
    const sign = this.sort.down ? -1 : 1;
    const found = this.runs.filter((run) => {
      const hay = `${run.id} ${run.version} ${COLUMNS.map((other) => other.text(run)).join(" ")}`.toLowerCase();
      return words.every((word) => hay.includes(word));
    }).sort((a, b) => {
      const [x, y] = [column.value(a), column.value(b)];
      if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1;
      return (typeof x === "string" ? natural(x, String(y)) : x - y) * sign;
    });
    follow(this.body, found.slice(0, this.most), this.rows, (run) => run.id, (run) => this.make(run), (row, run) => this.fillRow(row, run));
    show(this.more, found.length > this.most);
    show(this.blank, found.length === 0);
    setText(this.blank, this.trouble || (this.runs.length === 0 ? "No run has been recorded yet. Start one under Run; it then appears here." : "No run matches. Clear the search to see all."));
    COLUMNS.forEach((other, i) => setAttr(this.heads[i], "aria-sort", other.key === this.sort.key ? (this.sort.down ? "descending" : "ascending") : null));
    const n = this.chosen.length;
    setText(this.compare, n >= 2 ? `Compare ${n} runs` : "Compare");
    setAttr(this.compare, "href", n >= 2 ? `#/compare/${this.chosen.map(encodeURIComponent).join(",")}` : null);
    setAttr(this.compare, "aria-disabled", String(n < 2));
    show(this.clear, n > 0);
    setText(this.hint, n === 0 ? `${count(this.runs.length, "run")}${this.folder}, newest first. Tick two or more to compare them.` : n === 1 ? "Tick one more to compare." : `${n} are ticked.`);
  }

  /** @param {RunRow} run */
  make(run) {
    const pick = h("button", { type: "button", class: "small pick-button", "aria-label": `Compare ${run.short}`, on: { click: () => this.choose(run.id) } });
    const link = h("a", { href: this.env.link("runs", run.id) });
    const texts = COLUMNS.map((column) => (column.key === "short" ? link : h("span")));
    const cells = COLUMNS.map((column, i) => h(column.key === "short" ? "th" : "td", { class: `${column.words ? "" : "n"} ${column.room}`, scope: column.key === "short" ? "row" : undefined }, texts[i]));
    const replay = h("a", { class: "button small", href: `#/replay/${encodeURIComponent(run.id)}`, "aria-label": `Replay ${run.short}` }, "▶", h("span", { text: "Replay" }));
    return { node: h("tr", {}, h("td", { class: "pick" }, pick), ...cells, h("td", { class: "n" }, replay)), pick, texts };
  }

  /** @param {any} row @param {RunRow} run */
  fillRow(row, run) {
    COLUMNS.forEach((column, i) => setText(row.texts[i], column.text(run)));
    const on = this.chosen.includes(run.id);
    setAttr(row.pick, "aria-pressed", String(on));
    setText(row.pick, on ? "✓" : "");
    setAttr(row.node, "data-state", run.state);
  }
}
