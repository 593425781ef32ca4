// @ts-check
// Robots view: the sorted and filtered table of all robots, and the actions on the selected one.

import { islandColour } from "../shared/colours.js";
import { follow, h, setAttr, setText, show } from "../shared/dom.js";
import { count } from "../shared/format.js";
import { actionBar } from "./actions.js";
import { COLUMNS, FILTERS, matches, sorted } from "./columns.js";
import { charge, stateOf, troublesOf } from "./state.js";
import { UpdateTable } from "./update.js";

// A large table is refreshed less often than five times a second.
const MANY = 40;
const SLOW_MS = 700;

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
export function create(env) {
  const view = new RobotsView(env);
  return { node: view.node, enter: () => view.enter(), leave: () => view.leave(), changed: (topics, now) => view.changed(topics, now) };
}

class RobotsView {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.sort = { key: "id", down: false };
    this.filter = "all";
    this.filledAt = -Infinity;
    /** @type {Map<string, any>} */
    this.rows = new Map();
    this.offKeys = () => {};
    this.search = h("input", { type: "search", placeholder: "Filter: id, state, engine…", "aria-label": "Filter robots", on: { input: () => this.fill() } });
    this.filters = Object.entries(FILTERS).map(([key, { name }]) => h("button", { type: "button", class: "small", text: name, "data-key": key, on: { click: () => this.setFilter(key) } }));
    this.summary = h("p", { class: "dim", role: "status" });
    this.heads = COLUMNS.map((column) => h("th", { scope: "col", class: `${column.words ? "" : "n"} ${column.room}`, title: column.title },
      h("button", { type: "button", class: "plain", on: { click: () => this.setSort(column.key) } }, column.name, column.unit ? h("small", { text: ` ${column.unit}` }) : null, h("i", { class: "arrow", "aria-hidden": "true" }))));
    this.body = h("tbody");
    this.blank = h("p", { class: "dim pad", text: "" });
    this.actions = actionBar(env);
    this.update = new UpdateTable(env);
    this.node = h("div", { class: "view robots" },
      h("section", { class: "panel toolbar" }, h("h2", { class: "hidden", text: "Robots" }), h("div", { class: "row" }, this.search, ...this.filters), this.summary),
      h("section", { class: "panel selected-bar", "aria-label": "The selected robot" }, this.actions.node),
      this.update.node,
      h("section", { class: "panel table-panel", tabindex: "0", "aria-label": "Table of robots" }, h("table", {}, h("thead", {}, h("tr", {}, ...this.heads)), this.body), this.blank));
  }

  leave() {
    this.offKeys();
    this.update.leave();
  }

  enter() {
    this.update.enter();
    this.offKeys();
    this.offKeys = this.env.app.shortcuts.add("Robots", [
      { key: "/", shown: "/", does: "Filter robots", act: () => this.search.focus() },
      { key: "Enter", shown: "Enter", does: "Open the selected robot", act: () => this.openSelected() },
    ]);
  }

  openSelected() {
    const active = document.activeElement;
    // Enter on a button or a link activates it.
    if (active instanceof HTMLButtonElement || active instanceof HTMLAnchorElement) return active.click();
    if (this.env.store.selected) location.hash = this.env.link("robot", this.env.store.selected);
  }

  /** @param {string} key */
  setSort(key) {
    const words = COLUMNS.find((column) => column.key === key)?.words ?? false;
    // Numbers are sorted in descending order first, words in ascending order.
    this.sort = { key, down: this.sort.key === key ? !this.sort.down : !words };
    this.fill();
  }

  /** @param {string} key */
  setFilter(key) {
    this.filter = key;
    this.fill();
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    const pace = this.env.store.robots.size > MANY ? SLOW_MS : 0;
    if (topics.has("selected") || topics.has("view") || topics.has("session") || (topics.has("status") && now - this.filledAt >= pace)) {
      this.filledAt = now;
      this.fill();
    }
    this.actions.changed(topics);
  }

  fill() {
    const { store } = this.env;
    const all = [...store.robots.values()];
    const robots = sorted(all.filter((robot) => FILTERS[this.filter].wants(robot) && matches(robot, this.search.value.trim())), this.sort.key, this.sort.down);
    follow(this.body, robots, this.rows, (robot) => robot.id, (robot) => this.make(robot), (row, robot) => this.fillRow(row, robot));
    COLUMNS.forEach((column, i) => setAttr(this.heads[i], "aria-sort", column.key === this.sort.key ? (this.sort.down ? "descending" : "ascending") : null));
    for (const node of this.filters) {
      setAttr(node, "aria-pressed", String(node.dataset.key === this.filter));
      const { name, wants } = FILTERS[node.dataset.key ?? "all"];
      setText(node, `${name} ${all.filter(wants).length}`);
    }
    const alive = all.filter((robot) => robot.alive).length;
    const troubled = all.filter((robot) => troublesOf(robot).some((trouble) => trouble.bad)).length;
    setText(this.summary, `${count(alive, "robot")} of ${all.length} connected, ${troubled === 0 ? "none" : troubled} with trouble${robots.length < all.length ? `; ${robots.length} shown` : ""}`);
    show(this.blank, robots.length === 0);
    setText(this.blank, all.length === 0 ? "No robot is known yet. Robots of the swarm file appear here when they are switched on." : "No robot matches. Clear the filter to see all.");
  }

  /** @param {import("../link/contract.js").Robot} robot */
  make(robot) {
    const dot = h("i", { class: "island" });
    const link = h("a", { href: this.env.link("robot", robot.id), text: robot.id });
    const chip = h("span", { class: "chip" });
    const level = h("i");
    // On a phone there is no column for trouble.
    const short = h("span", { class: "phone-trouble" });
    const cells = COLUMNS.map((column) => {
      const kind = `${column.words ? "" : "n"} ${column.room}`;
      if (column.key === "id") return h("th", { scope: "row" }, dot, " ", link, short);
      if (column.key === "state") return h("td", {}, chip);
      if (column.key === "battery") return h("td", { class: kind }, h("span", { class: "charge", "aria-hidden": "true" }, level), h("span", { class: "text" }));
      return h("td", { class: kind }, h("span", { class: "text" }));
    });
    const node = h("tr", { on: { click: () => this.env.source.select(robot.id) } }, ...cells);
    return { node, dot, chip, level, short, texts: cells.map((cell) => cell.querySelector(".text")) };
  }

  /** @param {any} row @param {import("../link/contract.js").Robot} robot */
  fillRow(row, robot) {
    const { store } = this.env;
    row.dot.style.background = islandColour(store.indexOf(robot.id));
    const state = stateOf(robot);
    setText(row.chip, state.text);
    setAttr(row.chip, "data-state", state.kind);
    row.level.style.transform = `scaleX(${charge(robot).toFixed(2)})`;
    setAttr(row.node, "aria-selected", String(store.selected === robot.id));
    setAttr(row.node, "data-off", !robot.alive);
    const worst = troublesOf(robot)[0];
    setText(row.short, worst?.text ?? "");
    setAttr(row.short, "class", `phone-trouble ${worst?.bad ? "bad" : "warn"}`);
    COLUMNS.forEach((column, i) => {
      const text = row.texts[i];
      if (!text) return;
      const told = column.text(robot);
      setText(text, told);
      setAttr(text, "class", `text ${told && column.level && robot.alive ? column.level(robot) : ""}`);
      if (column.key === "trouble") setAttr(text, "title", told);
    });
  }
}
