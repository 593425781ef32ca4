// @ts-check
// List of the robots beside the arena: one line each, with state and trouble.

import { islandColour } from "../shared/colours.js";
import { follow, h, setAttr, setText } from "../shared/dom.js";
import { fixed } from "../shared/format.js";
import { TERMS } from "../shared/terms.js";
import { charge, minutesLeft, batteryLevel, stateOf, troublesOf } from "./state.js";

const MANY = 40;
const SLOW_MS = 700;
const HEADS = [
  ["Robot", "Id; the dot has the colour of its island", ""], ["State", "Current activity", ""], ["Trouble", "Problems that need attention; empty if none", ""],
  ["Best", TERMS.best, "n"], ["Battery", "Remaining battery time; if unknown, its voltage", "n"],
];

export class ShortList {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.filledAt = -Infinity;
    /** @type {Map<string, any>} */
    this.rows = new Map();
    const heads = HEADS.map(([text, title, kind]) => h("span", { class: kind, title, text }));
    this.heads = h("div", { class: "short-heads" }, h("i"), ...heads);
    this.list = h("ul", { class: "short", "aria-label": "Robots" });
    this.summary = h("small");
    this.node = h("section", { class: "panel" }, h("h2", {}, h("a", { href: env.link("robots"), text: "Robots" }), " ", this.summary), this.heads, this.list);
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    const due = topics.has("status") && now - this.filledAt >= (this.env.store.robots.size > MANY ? SLOW_MS : 0);
    if (!due && !topics.has("selected") && !topics.has("view")) return;
    this.filledAt = now;
    const { store } = this.env;
    const robots = [...store.robots.values()];
    const alive = robots.filter((robot) => robot.alive).length;
    const troubled = robots.filter((robot) => troublesOf(robot).some((trouble) => trouble.bad)).length;
    setText(this.summary, `${alive} of ${robots.length} connected${troubled > 0 ? `, ${troubled} with trouble` : ""}`);
    follow(this.list, robots, this.rows, (robot) => robot.id, (robot) => this.make(robot), (row, robot) => this.fill(row, robot));
  }

  /** @param {import("../link/contract.js").Robot} robot */
  make(robot) {
    const dot = h("i", { class: "island" });
    const [id, state, best, battery, trouble] = [h("b"), h("span", { class: "chip" }), h("span", { class: "n" }), h("span", { class: "n battery" }), h("span", { class: "trouble" })];
    const row = h("button", { type: "button", class: "plain row-button", on: { click: () => this.env.app.navigation.selectRobot(robot.id) } }, dot, id, state, trouble, best, battery);
    return { node: h("li", {}, row), row, dot, id, state, best, battery, trouble };
  }

  /** @param {any} row @param {import("../link/contract.js").Robot} robot */
  fill(row, robot) {
    const { store } = this.env;
    const state = stateOf(robot);
    row.dot.style.background = islandColour(store.indexOf(robot.id));
    setText(row.id, robot.id);
    setText(row.state, state.text);
    setAttr(row.state, "data-state", state.kind);
    setText(row.best, fixed(robot.evolution?.best, 2));
    setAttr(row.best, "title", TERMS.best);
    const volts = fixed(robot.battery_v, 2, " V");
    setText(row.battery, robot.battery_v === null ? "–" : minutesLeft(robot) || volts);
    setAttr(row.battery, "title", `Battery: ${volts}, ${Math.round(charge(robot) * 100)} %`);
    setAttr(row.battery, "class", `n battery ${batteryLevel(robot)}`);
    const worst = troublesOf(robot)[0];
    setText(row.trouble, worst?.text ?? "");
    setAttr(row.trouble, "title", worst?.text ?? "");
    setAttr(row.trouble, "class", `trouble ${worst ? (worst.bad ? "bad" : "warn") : ""}`);
    setAttr(row.row, "aria-pressed", String(store.selected === robot.id));
  }
}
