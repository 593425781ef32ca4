// @ts-check
// Notes for the record: the form, and a sheet with the form that opens in any view.

import { button, byId, h, setAttr, setText, show } from "../shared/dom.js";

export class NoteForm {
  /** @param {import("../main.js").App} app @param {string} id of its field @param {() => void} [done] */
  constructor(app, id, done = () => {}) {
    this.app = app;
    this.done = done;
    this.text = h("input", { type: "text", id, maxlength: "500", autocomplete: "off", placeholder: "Your observation; it is recorded with the time and your name" });
    this.add = h("button", { type: "submit", text: "Add" });
    this.why = h("small", { class: "warn" });
    this.node = h("form", { class: "row", on: { submit: (event) => this.send(event) } }, h("label", { for: id, text: "Note" }), this.text, this.add, this.why);
  }

  /** @param {SubmitEvent} event */
  async send(event) {
    event.preventDefault();
    const text = this.text.value.trim();
    if (!text || !(await this.app.commands.send({ command: "note", text }, "Note"))) return;
    this.text.value = "";
    this.done();
  }

  changed() {
    const why = this.app.session.whyNot();
    setAttr(this.add, "disabled", why !== "");
    setAttr(this.text, "disabled", why !== "");
    setText(this.why, why);
  }
}

export class NoteSheet {
  /** @param {import("../main.js").App} app */
  constructor(app) {
    this.app = app;
    this.form = new NoteForm(app, "note-here", () => this.close());
    this.node = h("section", { class: "sheet", role: "dialog", "aria-label": "Note", hidden: true },
      h("div", { class: "head" }, h("h2", { text: "Add a note to the record" }), button("Close", () => this.close(), { class: "small" })), this.form.node);
    /** @type {Element | null} element that had the focus before */
    this.from = null;
    byId("overlays").append(this.node);
    byId("main").addEventListener("note", () => this.open());
  }

  open() {
    const from = document.activeElement;
    this.app.closeSheets();
    this.from = from;
    this.form.changed();
    show(this.node, true);
    (this.form.text.disabled ? this.node.querySelector("button") : this.form.text)?.focus();
  }

  /** @returns {boolean} whether the sheet was open */
  close() {
    if (this.node.hidden) return false;
    const inside = this.node.contains(document.activeElement);
    show(this.node, false);
    if (inside && this.from instanceof HTMLElement) this.from.focus();
    return true;
  }

  changed() {
    if (!this.node.hidden) this.form.changed();
  }
}
