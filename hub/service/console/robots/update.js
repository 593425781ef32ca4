// @ts-check
// Update of the robots' programs: one row per robot, during the update and after it.

import { get } from "../link/api.js";
import { h, setText, show } from "../shared/dom.js";

const EVERY_MS = 2000;
/** @type {Record<string, string>} */
const WORDS = {
  waiting: "is waiting", offered: "has received the offer", trial: "installs and tries it", good: "runs it", reverted: "reverted",
  refused: "rejects it", lost: "lost", silent: "not connected", skipped: "not updated",
};

export class UpdateTable {
  /** @param {import("../shell/navigation.js").Env} env */
  constructor(env) {
    this.env = env;
    this.timer = 0;
    this.head = h("p", { class: "dim", role: "status" });
    this.body = h("tbody");
    const heads = ["Robot", "Release", "Update", "Why"].map((text) => h("th", { scope: "col", text }));
    this.node = h("section", { class: "panel table-panel", "aria-label": "Update of the robots' programs", hidden: true },
      this.head, h("table", {}, h("thead", {}, h("tr", {}, ...heads)), this.body));
  }

  enter() {
    this.leave();
    // A recorded run has no updates.
    if (this.env.source.kind !== "live") return;
    this.timer = window.setInterval(() => this.ask(), EVERY_MS);
    this.ask();
  }

  leave() {
    window.clearInterval(this.timer);
  }

  async ask() {
    try {
      this.fill(await get("/api/update"));
    } catch {
      // The header reports that the hub does not answer; the shown data stays.
    }
  }

  /** @param {import("../link/contract.js").Update | null} update */
  fill(update) {
    show(this.node, update !== null);
    if (!update) return;
    const good = update.rows.filter((row) => row.stand === "good").length;
    setText(this.head, `Update to ${update.version}: ${good} of ${update.rows.length} robots run it${update.stopped ? `; stopped: ${update.stopped}` : update.done ? "" : " so far"}`);
    this.body.replaceChildren(...update.rows.map((row) => {
      const part = Math.floor((100 * row.received) / Math.max(update.size, 1));
      const words = row.stand === "loading" ? `loads it: ${part} %` : (WORDS[row.stand] ?? row.stand);
      return h("tr", {}, h("th", { scope: "row", text: row.robot }), h("td", { text: row.version || "-" }), h("td", { text: words }), h("td", { text: row.why }));
    }));
  }
}
