// @ts-check
// START button: the experiment is signed with the operator's key in this browser, or by the hub if it has a key for
// that.

import { inWords, post } from "../link/api.js";
import { button, h, setAttr, setText, show } from "../shared/dom.js";
import { isGoing } from "../shared/words.js";

export class StartPanel {
  /** @param {import("../shell/navigation.js").Env} env @param {import("./draft.js").Draft} draft @param {import("./checklist.js").Checklist} checklist */
  constructor(env, draft, checklist) {
    this.env = env;
    this.draft = draft;
    this.checklist = checklist;
    this.busy = false;
    this.seed = h("input", { type: "number", id: "seed", min: "0", max: "4294967295", step: "1" });
    this.newSeed();
    this.start = button("START", () => this.go(), { class: "primary start", "aria-describedby": "start-why" });
    this.why = h("p", { id: "start-why", class: "warn" });
    this.key = button("Choose your key file", () => env.app.account.open(), { class: "small" });
    this.how = h("p", { class: "dim" });
    this.answer = h("p", { role: "status" });
    this.node = h("section", { class: "panel start-panel" }, h("h2", {}, h("span", { class: "step", text: "4" }), "Start"),
      h("div", { class: "row" }, this.start, h("div", { class: "stack tight" }, this.why, this.key, this.how)),
      h("div", { class: "row" }, h("label", { for: "seed", text: "Seed" }), this.seed, h("small", { text: "of all random numbers; any number is valid" })), this.answer);
  }

  newSeed() {
    this.seed.value = String(crypto.getRandomValues(new Uint32Array(1))[0] % 1000000);
  }

  /** Returns the reason why START is disabled; "" if it is enabled. */
  reason() {
    const { app, store } = this.env;
    const { draft } = this;
    const why = app.session.whyNot();
    if (why) return why;
    if (isGoing(store.status)) return "A run is in progress: STOP it, or wait for its end.";
    if (!draft.text.trim()) return "Choose an experiment first.";
    if (draft.checking) return "The hub is checking the experiment.";
    if (draft.check && !draft.check.ok) return "The experiment has an error: see 2.";
    if (draft.needs().length > 0) return "Files are missing: see 2.";
    if (!draft.ready()) return "The experiment has not been checked.";
    return app.session.whyNoStart();
  }

  fill() {
    const { app } = this.env;
    const reason = this.reason();
    const bad = this.checklist.bad();
    setAttr(this.start, "disabled", reason !== "" || this.busy);
    setText(this.start, this.busy ? "Starting" : bad > 0 && reason === "" ? "START anyway" : "START");
    setText(this.why, reason || (bad > 0 ? `${bad === 1 ? "One thing is" : `${bad} things are`} not in order: see 3.` : ""));
    show(this.why, this.why.textContent !== "");
    show(this.key, app.session.whyNot() === "" && app.session.whyNoStart() !== "");
    const signer = app.session.key?.name;
    setText(this.how, reason ? "" : signer ? `Signed by ${signer} in this browser, checked by every robot.` : "Signed by the hub for this session, checked by every robot.");
  }

  async go() {
    if (this.busy || this.reason() !== "") return;
    const { app } = this.env;
    const { draft } = this;
    this.busy = true;
    this.fill();
    try {
      const seed = Math.max(0, Math.floor(Number(this.seed.value) || 0));
      const body = await app.session.signed({ text: draft.text, manifest: draft.check?.manifest ?? "", files: draft.files, seed });
      // The button's label states that items of the checklist are not in order.
      await post("/api/start", { ...body, anyway: this.checklist.bad() > 0 });
      setText(this.answer, "");
      app.commands.say(`${draft.check?.plan?.name ?? "Experiment"}: started, robots are getting ready`);
      this.newSeed();
    } catch (error) {
      const words = `Not started: ${inWords(error)}`;
      setText(this.answer, words);
      app.commands.say(words, true);
    } finally {
      this.busy = false;
      this.fill();
    }
  }
}
