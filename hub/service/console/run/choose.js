// @ts-check
// Choice of an experiment: one of the hub's, or files from this computer; and its editable text.

import { get, inWords } from "../link/api.js";
import { h, list, setAttr, setText, show } from "../shared/dom.js";
import { count, fixed } from "../shared/format.js";
import { hasPhases, minutesOf, withMinutes } from "./minutes.js";

export class Chooser {
  /** @param {import("./draft.js").Draft} draft */
  constructor(draft) {
    this.draft = draft;
    this.offers = h("div", { class: "offers" });
    this.told = h("p", { class: "dim", text: "Loading the hub's experiments" });
    this.upload = h("input", { type: "file", id: "experiment-files", multiple: true, accept: ".toml,.bt,.json,.xml,text/plain", on: { change: () => this.take() } });
    this.text = h("textarea", { rows: "14", spellcheck: "false", wrap: "off", "aria-label": "The experiment's text", placeholder: "Choose an experiment above, or write one here.", on: { input: () => draft.edit(this.text.value) } });
    this.minutes = h("input", { type: "number", id: "minutes", min: "0.05", max: "1440", step: "any", on: { input: () => this.setMinutes() } });
    this.length = h("small");
    this.lengthRow = h("div", { class: "row minutes" }, h("label", { for: "minutes", text: "Minutes" }), this.minutes, this.length);
    this.details = h("details", {}, h("summary", { text: "Text (can be edited)" }), this.text);
    this.files = h("p", { class: "dim" });
    this.node = h("section", { class: "panel choose" }, h("h2", {}, h("span", { class: "step", text: "1" }), "Choose an experiment"), this.told, this.offers,
      h("div", { class: "row" }, h("label", { for: "experiment-files", text: "or your own files" }), this.upload), this.files, this.lengthRow, this.details);
    this.node.addEventListener("dragover", (event) => event.preventDefault());
    this.node.addEventListener("drop", (event) => {
      event.preventDefault();
      draft.upload([...(event.dataTransfer?.files ?? [])]);
    });
  }

  async load() {
    try {
      const offers = list(await get("/api/experiments"));
      setText(this.told, offers.length === 0 ? "The hub's folder has no experiments: choose your own files, or write one." : "");
      this.offers.replaceChildren(...offers.slice(0, 60).map((offer) => this.offer(offer)));
      this.mark();
    } catch (error) {
      setText(this.told, `The hub's experiments cannot be listed: ${inWords(error)}`);
    }
  }

  /** @param {{file: string, name: string, about: string, minutes: number | null, phases: number | null, error: string}} offer */
  offer(offer) {
    const phases = (offer.phases ?? 1) > 1 ? `, ${count(offer.phases ?? 1, "phase")}` : "";
    const length = offer.error ? offer.error : `${fixed(offer.minutes, 0)} min${phases}`;
    return h("button", { type: "button", class: "offer", "data-file": offer.file, on: { click: () => this.draft.choose(offer.file) } },
      h("b", { text: offer.name || offer.file }), h("span", { text: offer.about }), h("small", { class: offer.error ? "bad" : "", text: length }));
  }

  take() {
    this.draft.upload([...(this.upload.files ?? [])]);
    this.upload.value = "";
  }

  setMinutes() {
    const { valueAsNumber } = this.minutes;
    if (Number.isFinite(valueAsNumber)) this.draft.edit(withMinutes(this.draft.text, valueAsNumber));
    else this.fillMinutes();
  }

  fillMinutes() {
    const { text } = this.draft;
    const [minutes, phases] = [minutesOf(text), hasPhases(text)];
    show(this.lengthRow, text.trim() !== "");
    setAttr(this.minutes, "disabled", phases);
    const typed = document.activeElement === this.minutes;
    if (!typed) this.minutes.value = minutes === null || phases ? "" : String(minutes);
    setText(this.length, phases ? "set for each phase in the text" : typed && !Number.isFinite(this.minutes.valueAsNumber) ? `not a number; the text still contains ${minutes ?? "none"}` : "of arena time; changed in the text below");
  }

  mark() {
    for (const node of this.offers.children) setAttr(node, "aria-pressed", String(/** @type {HTMLElement} */ (node).dataset.file === this.draft.name));
  }

  fill() {
    const { draft } = this;
    // The text is not overwritten while the user types.
    if (this.text.value !== draft.text) this.text.value = draft.text;
    this.fillMinutes();
    const names = Object.keys(draft.files);
    show(this.files, names.length > 0);
    setText(this.files, `Sent along: ${names.join(", ")}`);
    this.mark();
  }

  /** Scrolls to a line of the text and selects it. @param {number} line from 1 */
  goTo(line) {
    this.details.open = true;
    const lines = this.text.value.split("\n");
    const from = lines.slice(0, line - 1).reduce((sum, other) => sum + other.length + 1, 0);
    this.text.focus();
    this.text.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
    const high = this.text.scrollHeight / Math.max(1, lines.length);
    this.text.scrollTop = Math.max(0, (line - 4) * high);
  }
}
