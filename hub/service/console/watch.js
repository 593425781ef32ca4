// @ts-check
// Watch view: the arena, the current state in plain words, fitness, robots, and latest events.

import { ArenaView } from "./arena/view.js";
import { h, setAttr, setText, show } from "./shared/dom.js";
import { EventList } from "./shared/events.js";
import { FitnessPanel } from "./shared/fitness.js";
import { Pictures } from "./shared/pictures.js";
import { ShortList } from "./robots/short.js";
import { latestRun } from "./runs/latest.js";
import { goneInWords, nowInWords } from "./shared/words.js";

/** @param {import("./shell/navigation.js").Env} env @returns {import("./shell/navigation.js").View & {arena: ArenaView}} */
export function create(env) {
  const arena = new ArenaView(env);
  const fitness = new FitnessPanel(env.store);
  const robots = new ShortList(env);
  const events = new EventList(env.store, { title: "Events", most: 60 });
  const now = nowPanel(env);
  const above = new Pictures({ title: "From above", alt: "Latest picture of the camera above the arena", kind: "above", absent: () => show(above.node, false) });
  // Without such a camera, the panel is hidden.
  show(above.node, env.source.overheadUrl() !== null);
  const node = h("div", { class: "view watch" }, arena.node, h("div", { class: "side" }, now.node, fitness.node, above.node, robots.node, events.node));
  /** @type {() => void} */
  let offKeys = () => {};
  return {
    node,
    arena,
    enter: () => {
      offKeys();
      offKeys = env.app.shortcuts.add("Arena", arena.keys());
      arena.setShown(true);
      if (!above.node.hidden) above.begin(env.source.overheadUrl());
    },
    leave: () => {
      arena.setShown(false);
      above.stop();
      offKeys();
      offKeys = () => {};
    },
    end: () => {
      arena.end();
      above.end();
      fitness.end();
    },
    changed: (topics, at) => {
      // Before the first status, sizes are unknown.
      setAttr(node, "data-ready", env.store.status !== null && env.store.world !== null);
      arena.changed(topics, at);
      now.changed(topics);
      fitness.changed(topics);
      robots.changed(topics, at);
      events.changed(topics);
    },
  };
}

/** Creates the panel with the current state and the next possible action. @param {import("./shell/navigation.js").Env} env */
function nowPanel(env) {
  const title = h("h2", { class: "now-title" });
  const text = h("p");
  const gone = h("p", { class: "warn", hidden: true });
  const action = h("a", { class: "button primary small" });
  const record = h("a", { class: "button small", hidden: true });
  const node = h("section", { class: "panel now", "aria-label": "Current state" }, title, text, gone, h("p", { class: "row" }, action, record));
  let phase = "";
  return {
    node,
    /** @param {Set<string>} topics */
    changed(topics) {
      if (!["status", "view", "world", "link"].some((topic) => topics.has(topic))) return;
      const told = nowInWords(env.store);
      setText(title, told.title);
      setText(text, told.text);
      const going = env.store.status?.phase ?? "";
      const live = env.store.kind === "live";
      const why = live ? goneInWords(env.app.live.link) : "";
      const over = going === "idle" || going === "finished";
      setText(gone, why);
      show(gone, why !== "");
      show(action, live && over && why === "");
      setText(action, going === "finished" ? "Start another" : "Choose an experiment");
      action.href = `${env.link("run")}?start`;
      if (live && going === "finished" && phase !== going) latestRun().then((run) => offer(run));
      if (going !== "finished") show(record, false);
      phase = going;
    },
  };

  /** @param {import("./link/contract.js").RunRow | null} run */
  function offer(run) {
    if (!run || phase !== "finished") return;
    record.href = env.link("runs", run.id);
    setText(record, `The record: ${run.short}`);
    show(record, true);
  }
}
