// @ts-check
// Run: the one that goes on, or the way to the next one in four steps.

import { h, setAttr } from "../dom.js";
import { num } from "../format.js";
import { isGoing } from "../words.js";
import { Checklist } from "./checklist.js";
import { Chooser } from "./choose.js";
import { Draft } from "./draft.js";
import { Notes } from "./notes.js";
import { PlanPanel } from "./plan.js";
import { Progress } from "./progress.js";
import { StartPanel } from "./start.js";

/** @param {import("../navigation.js").Env} env @returns {import("../navigation.js").View} */
export function create(env) {
  const fill = () => {
    chooser.fill();
    plan.fill();
    start.fill();
    checklist.renew();
  };
  const draft = new Draft(() => fill());
  const chooser = new Chooser(draft);
  const plan = new PlanPanel(draft, (line) => chooser.goTo(line));
  const checklist = new Checklist(() => ({ minutes: num(draft.check?.plan?.minutes), speed: num(env.store.status?.speed) ?? 1 }), () => start.fill());
  const start = new StartPanel(env, draft, checklist);
  const progress = new Progress(env);
  const notes = new Notes(env);
  const prepare = h("details", { class: "prepare", open: true }, h("summary", {}, h("h2", { text: "Start an experiment" })),
    h("div", { class: "prepare-grid" }, chooser.node, plan.node, checklist.node, start.node));
  const node = h("div", { class: "view run-view" }, progress.node, prepare, notes.node);
  /** @type {boolean | null} */
  let going = null;
  return {
    node,
    enter: () => {
      chooser.load();
      checklist.begin();
      draft.renew();
      fill();
    },
    leave: () => checklist.stop(),
    end: () => progress.end(),
    changed: (topics) => {
      progress.changed(topics);
      notes.changed(topics);
      if (topics.has("status") || topics.has("session") || topics.has("view")) start.fill();
      const now = isGoing(env.store.status);
      // While a run goes on the way to the next one is put aside; at its end it is there again.
      if (env.store.status && now !== going) {
        setAttr(prepare, "open", !now);
        // The run that began is the last one from here on.
        if (going !== null) draft.renew();
        if (now && going === false) node.scrollIntoView({ block: "start" });
        going = now;
      }
    },
  };
}
