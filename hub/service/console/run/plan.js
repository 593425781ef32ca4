// @ts-check
// Result of the hub's check: the plan of the experiment, or the line with the error; and the differences from the
// last run.

import { button, h, setAttr, show } from "../shared/dom.js";
import { count, fixed } from "../shared/format.js";

const AROUND = 2;

export class PlanPanel {
  /** @param {import("./draft.js").Draft} draft @param {(line: number) => void} goTo */
  constructor(draft, goTo) {
    this.draft = draft;
    this.goTo = goTo;
    this.told = /** @type {unknown} */ (undefined);
    this.body = h("div", { class: "stack", "aria-live": "polite" });
    this.node = h("section", { class: "panel plan" }, h("h2", {}, h("span", { class: "step", text: "2" }), "Check the plan"), this.body);
  }

  fill() {
    const { draft } = this;
    setAttr(this.body, "data-busy", draft.checking);
    const told = JSON.stringify([draft.check, draft.trouble, draft.refused, draft.text === "", draft.needs()]);
    if (told === this.told) return;
    this.told = told;
    const refused = draft.refused ? [h("p", { class: "error-box", role: "alert", text: draft.refused })] : [];
    this.body.replaceChildren(...refused, ...this.parts());
  }

  /** @returns {HTMLElement[]} */
  parts() {
    const { draft } = this;
    if (draft.trouble) return [h("p", { class: "error-box", role: "alert", text: draft.trouble })];
    if (!draft.check) return [h("p", { class: "dim", text: draft.text ? "The hub is checking it." : "Choose an experiment to see its plan before anything moves." })];
    const { ok, error, plan } = draft.check;
    if (!ok || !plan) return [this.error(error)];
    /** @type {HTMLElement[]} */
    const parts = [this.plan(plan), this.phases(plan)];
    if (draft.needs().length > 0) parts.push(h("p", { class: "error-box", text: `It names files that are missing: ${draft.needs().join(", ")}. Choose them under 1.` }));
    parts.push(this.differences());
    return parts;
  }

  /** @param {import("../link/contract.js").Check["error"]} error */
  error(error) {
    const line = error?.line ?? null;
    const where = [line === null ? "" : `line ${line}`, error?.key ? `\`${error.key}\`` : ""].filter(Boolean).join(", ");
    const lines = this.draft.text.split("\n");
    const from = line === null ? 0 : Math.max(1, line - AROUND);
    const excerpt = line === null ? null : h("pre", { class: "excerpt" }, ...lines.slice(from - 1, line + AROUND).map((text, i) =>
      h("span", { class: from + i === line ? "wrong" : "" }, h("i", { text: String(from + i).padStart(3) }), ` ${text}\n`)));
    return h("div", { class: "error-box", role: "alert" }, h("p", {}, h("b", { class: "bad", text: `Not in order${where ? `: ${where}` : ""}` })), h("p", { text: error?.text ?? "The hub gave no reason." }), excerpt,
      line === null ? null : button("Go to the line", () => this.goTo(line), { class: "small" }));
  }

  /** @param {import("../link/contract.js").Plan} plan */
  plan(plan) {
    const facts = [["experiment", plan.name], ["task", plan.task], ["robots", fixed(plan.robots, 0)], ["arena time", `${fixed(plan.minutes, plan.minutes && plan.minutes % 1 ? 1 : 0)} min`], ["segments", fixed(plan.segments, 0)],
      ["algorithm", plan.algorithm], ["population", fixed(plan.population, 0)], ["engine", plan.engine]];
    return h("dl", { class: "figures wrap" }, ...facts.filter(([, value]) => value && value !== "–").map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", { text: value }))));
  }

  /** @param {import("../link/contract.js").Plan} plan */
  phases(plan) {
    const total = plan.phases.reduce((sum, phase) => sum + (phase.minutes ?? 0), 0) || 1;
    const parts = plan.phases.map((phase) => {
      const node = h("li", { "data-kind": phase.kind }, h("b", { text: phase.name || phase.kind }), h("small", { text: ` ${fixed(phase.minutes, 0)} min${phase.kind === "evolve" ? ", robots drive and evolve" : phase.kind === "measure" ? `, robots drive with ${phase.drive === "swarm" ? "the swarm's best tree" : "their own best trees"}` : ", everything stands still"}${phase.world ? ` in ${phase.world}` : ""}` }));
      node.style.flexGrow = String(Math.max(0.12, (phase.minutes ?? 0) / total));
      return node;
    });
    return h("ol", { class: "phases", "aria-label": count(plan.phases.length, "phase") }, ...parts);
  }

  differences() {
    const { differences = [], last } = this.draft.check ?? {};
    const box = h("div", {}, h("h3", { text: last ? `Compared with the last run, ${last}` : "Compared with the last run" }));
    if (!last) box.append(h("p", { class: "dim", text: "No run to compare with yet." }));
    else if (differences.length === 0) box.append(h("p", { class: "dim", text: "No difference: it is the same experiment." }));
    else {
      box.append(h("div", { class: "scroll", role: "group", tabindex: "0", "aria-label": "Differences" }, h("table", {}, h("thead", {}, h("tr", {}, ...["Setting", "Last run", "Now"].map((text) => h("th", { scope: "col", text })))),
        h("tbody", {}, ...differences.slice(0, 100).map(({ key, last: old, now }) => h("tr", {}, h("th", { scope: "row", class: "mono", text: key }), h("td", { class: "mono dim", text: old ?? "not set" }), h("td", { class: "mono", text: now ?? "not set" })))))));
    }
    show(box, true);
    return box;
  }
}
