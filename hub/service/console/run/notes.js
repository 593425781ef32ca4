// @ts-check
// Notes for the record, and actions of operators.

import { h } from "../shared/dom.js";
import { EventList } from "../shared/events.js";
import { NoteForm } from "../shell/note.js";

export class Notes {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.form = new NoteForm(env.app, "note");
    // Persons are all sources other than the hub and the robots.
    const people = (/** @type {import("../link/contract.js").Line} */ line) => line.who !== "hub" && !env.store.robots.has(line.who);
    this.people = new EventList(env.store, { title: "Actions of operators", most: 100, note: false, wanted: people, empty: "The latest events contain no action of an operator." });
    this.all = new EventList(env.store, { title: "Events", most: 200, note: false });
    this.node = h("div", { class: "notes" }, h("section", { class: "panel" }, this.form.node), h("div", { class: "pair" }, this.people.node, this.all.node));
  }

  /** @param {Set<string>} topics */
  changed(topics) {
    this.people.changed(topics);
    this.all.changed(topics);
    this.form.changed();
  }
}
