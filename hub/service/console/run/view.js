// @ts-check
// Run view: the run in progress, or the four steps to the next one.

import { h, setAttr, setText, show } from "../shared/dom.js";
import { num } from "../shared/format.js";
import { goneInWords, isGoing } from "../shared/words.js";
import { Checklist } from "./checklist.js";
import { Chooser } from "./choose.js";
import { Draft } from "./draft.js";
import { Notes } from "./notes.js";
import { PlanPanel } from "./plan.js";
import { Progress } from "./progress.js";
import { StartPanel } from "./start.js";

/** @param {import("../shell/navigation.js").Env} env @returns {import("../shell/navigation.js").View} */
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
  // The form is hidden while it cannot be used.
  const gone = h("p", { class: "panel warn", role: "status", hidden: true });
  const node = h("div", { class: "view run-view" }, progress.node, gone, prepare, notes.node);
  /** @type {boolean | null} */
  let going = null;
  return {
    node,
    enter: (route) => {
      chooser.load();
      checklist.begin();
      draft.renew();
      fill();
      // A link to the form opens it and scrolls to it, even if it was folded before.
      if (!("start" in route.query) || isGoing(env.store.status)) return;
      setAttr(prepare, "open", true);
      going = env.store.status ? false : null;
      // Scrolls after the first fill, when the form has its final position.
      requestAnimationFrame(() => {
        (gone.hidden ? prepare : gone).scrollIntoView({ block: "start" });
        if (gone.hidden) prepare.querySelector("summary")?.focus({ preventScroll: true });
      });
    },
    leave: () => checklist.stop(),
    end: () => progress.end(),
    changed: (topics) => {
      progress.changed(topics);
      notes.changed(topics);
      if (topics.has("status") || topics.has("session") || topics.has("view")) start.fill();
      const why = goneInWords(env.app.live.link);
      setText(gone, why);
      show(gone, why !== "");
      show(prepare, why === "");
      const now = isGoing(env.store.status);
      // While a run is in progress, the form for the next one is folded; it opens again at the end of the run.
      if (env.store.status && now !== going) {
        setAttr(prepare, "open", !now);
        // From now on, the started run is the last run.
        if (going !== null) draft.renew();
        if (now && going === false) node.scrollIntoView({ block: "start" });
        going = now;
      }
    },
  };
}
