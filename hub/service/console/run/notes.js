// @ts-check
// Notes into the record, and who did what.

import { h, setAttr, setText } from "../dom.js";
import { EventList } from "../events.js";

export class Notes {
  /** @param {import("../navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.text = h("input", { type: "text", id: "note", maxlength: "500", autocomplete: "off", placeholder: "What you saw: it goes into the record, with the time and your name" });
    this.add = h("button", { type: "submit", text: "Add" });
    this.why = h("small", { class: "warn" });
    const form = h("form", { class: "row", on: { submit: (event) => this.send(event) } }, h("label", { for: "note", text: "Note" }), this.text, this.add, this.why);
    // People are whoever is neither the hub nor a robot.
    const people = (/** @type {import("../contract.js").Line} */ line) => line.who !== "hub" && !env.store.robots.has(line.who);
    this.people = new EventList(env.store, { title: "Who did what", most: 100, wanted: people, empty: "Nobody has done anything since this page was opened." });
    this.all = new EventList(env.store, { title: "Events", most: 200 });
    this.node = h("div", { class: "notes" }, h("section", { class: "panel" }, form), h("div", { class: "pair" }, this.people.node, this.all.node));
  }

  /** @param {SubmitEvent} event */
  async send(event) {
    event.preventDefault();
    const text = this.text.value.trim();
    if (text && await this.env.app.commands.send({ command: "note", text }, "Note")) this.text.value = "";
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    this.people.changed(topics);
    this.all.changed(topics);
    const why = this.env.app.session.whyNot();
    setAttr(this.add, "disabled", why !== "");
    setAttr(this.text, "disabled", why !== "");
    setText(this.why, why);
  }
}
