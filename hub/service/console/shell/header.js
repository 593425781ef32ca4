// @ts-check
// Permanent header: experiment, clock, fitness, and the buttons that control the run.

import { byId, setAttr, setClass, setText } from "../shared/dom.js";
import { fixed, num, span } from "../shared/format.js";
import { TERMS } from "../shared/terms.js";
import { acknowledged, acksInWords, clockInWords, fitnessNow, isGoing, linkInWords, phaseOf } from "../shared/words.js";

const ACKS_MS = 12000;
const CLOCK_MS = 250;
const STALE = ["silent", "lost", "ended"];

export class Header {
  /** @param {import("../main.js").App} app */
  constructor(app) {
    this.app = app;
    this.filledAt = -Infinity;
    byId("pause").addEventListener("click", () => app.pause());
    byId("resume").addEventListener("click", () => app.resume());
    byId("stop").addEventListener("click", () => app.stop());
    byId("skip").addEventListener("click", () => byId("main").focus());
    // Events of the hub update the clock too; this timer covers the time without events.
    setInterval(() => performance.now() - this.filledAt > CLOCK_MS && app.frames.mark("clock"), CLOCK_MS);
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    this.filledAt = now;
    this.fillRun();
    this.fillStrip(now);
    this.fillControls();
  }

  fillRun() {
    const store = this.app.headStore();
    const { status } = store;
    const only = this.app.onlyReplay();
    const phase = status?.phase ?? "";
    // While a recorded run is shown below, the header still shows the live swarm, which STOP stops.
    const beside = !only && Boolean(this.app.navigation?.replay);
    setText(byId("experiment"), status ? `${beside ? "Live swarm: " : ""}${status.experiment || "No experiment"}` : "Connecting");
    setAttr(byId("experiment"), "title", status?.experiment ?? "");
    const told = status ? (beside ? "Live: " : "") + phaseOf(store) : "…";
    setText(byId("phase"), only ? "Replay" : told);
    setAttr(byId("phase"), "title", only ? "" : told);
    setAttr(byId("phase"), "data-phase", only ? "" : phase);
    const speed = num(status?.speed) ?? 1;
    const pace = speed === 1 || only ? "" : ` ${speed}×`;
    setText(byId("clock-name"), `${beside ? "Live clock" : "Clock"}${pace}`);
    setAttr(byId("clock-name"), "title", `Arena time of the run; it stops in pauses${pace && `. It runs at ${speed} times wall time`}`);
    setText(byId("segment-name"), beside ? "Live segment" : "Segment");
    setText(byId("fitness-name"), beside ? "Live fitness" : "Fitness");
    setAttr(byId("fitness-name"), "title", `${TERMS.real}: the current segment`);
    setText(byId("clock"), clockInWords(status));
    setText(byId("segment"), isGoing(status) || phase === "finished" ? status?.segment ?? "–" : "–");
    setText(byId("fitness"), fixed(fitnessNow(status), 2));
    const title = status ? `${phaseOf(store)}${status.experiment ? `: ${status.experiment}` : ""} · Xpuck` : "Xpuck";
    if (document.title !== title) document.title = title;
  }

  /** @param {number} now */
  fillStrip(now) {
    const { live, session } = this.app;
    const replay = this.app.onlyReplay();
    let { text, level } = replay ? { text: "This is a recorded run: no robot moves", level: /** @type {const} */ ("quiet") }
      : linkInWords(live.link, live.store, now, live.heardAt);
    if (session.locked) [text, level] = ["Log in to see the swarm", "quiet"];
    const dev = session.told?.dev_mode || live.store.status?.security?.dev_mode;
    if (dev && level === "good") [text, level] = ["DEV MODE, no keys: anyone who reaches the hub can command the swarm", "warn"];
    if (live.restarted && live.link === "live" && !session.locked) text = `The hub was restarted · ${text}`;
    setText(byId("link"), text);
    setAttr(byId("link"), "title", text);
    setAttr(byId("strip"), "data-level", level);
    setClass(document.body, "stale", !replay && STALE.includes(live.link) && live.ever);
    // The strip changes continuously; only an alarm is announced to screen readers.
    setText(byId("alarm"), level === "bad" ? text.replace(/\d+ s/, "a while") : "");
    const answer = this.answer(now);
    setText(byId("answer"), answer.text);
    setAttr(byId("answer"), "title", answer.text);
    setClass(byId("answer"), "refused", answer.refused);
  }

  /** @param {number} now */
  answer(now) {
    const { commands, live } = this.app;
    const news = commands.news(now);
    const acks = acknowledged(live.store.status);
    const young = now - commands.awaited.at < ACKS_MS;
    if (young && acks.number > commands.awaited.number && !commands.refused) return { text: acksInWords(acks), refused: false };
    return { text: news, refused: commands.refused };
  }

  fillControls() {
    const { session, live } = this.app;
    const status = live.store.status;
    const replay = this.app.onlyReplay();
    const why = replay ? "A replay: nothing to stop here." : session.whyNot();
    const phase = status?.phase ?? "";
    // The reason is not shown before the answer to the session request, so that the text does not flicker.
    setText(byId("why"), session.told || session.trouble || replay ? why : "");
    // STOP works regardless of the shown state of the run and the connection.
    setAttr(byId("stop"), "disabled", why !== "");
    const canPause = why === "" && ["running", "relocating", "blind", "resting"].includes(phase);
    const canResume = why === "" && phase === "paused";
    setAttr(byId("pause"), "disabled", !canPause);
    setAttr(byId("resume"), "disabled", !canResume);
    setAttr(byId("pause"), "title", canPause ? "Pause the run (P)" : why || "No run to pause");
    setAttr(byId("resume"), "title", canResume ? "Resume the run (P)" : why || "The run is not paused");
    setAttr(byId("stop"), "title", why || "Stops all robots at once and ends the run (space bar)");
    const who = byId("who");
    const role = session.role;
    const left = session.leftSeconds();
    const expiry = role && Number.isFinite(left) ? ` · ${left < 3600 ? span(Math.max(60, Math.ceil(left / 60) * 60)) : `${Math.floor(left / 3600)} h`}` : "";
    setText(who, role ? `${session.told?.name ?? role}, ${role}${expiry}` : "Log in");
    setClass(who, "warn", role !== null && left < 300);
    setClass(who, "primary", role === null && !replay);
  }
}
