// @ts-check
// Control bar of a replay: play and pause, position, and speed.

import { button, byId, h, setAttr, setText, show } from "../shared/dom.js";
import { clock } from "../shared/format.js";
import { phaseInWords } from "../shared/words.js";
import { FASTEST, SLOWEST } from "./schedule.js";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 50];
const STEP = 10;

export class PlayerBar {
  /** @param {import("./replay.js").Replay} replay */
  constructor(replay) {
    this.replay = replay;
    const { player, told } = replay;
    this.play = button("▶", () => this.toggle(), { class: "primary", "aria-label": "Play" });
    this.back = button("−10 s", () => this.jump(-STEP), { class: "small", title: "Back (J)" });
    this.ahead = button("+10 s", () => this.jump(STEP), { class: "small", title: "Ahead (L)" });
    this.scrub = h("input", { type: "range", min: String(player.begin), max: String(player.end), step: "0.1", "aria-label": "Time", on: { input: () => this.seek(Number(this.scrub.value)) } });
    this.time = h("span", { class: "replay-time", title: "Arena time since the record began" });
    this.speed = h("select", { "aria-label": "Speed", on: { change: () => this.setSpeed(Number(this.speed.value)) } }, ...SPEEDS.map((speed) => h("option", { value: String(speed), text: `${speed}×` })));
    this.speed.value = "1";
    this.state = h("small", { role: "status" });
    this.marks = h("div", { class: "scrub-marks", "aria-hidden": "true" }, ...this.gaps());
    const leave = replay.app.onlyReplay() ? null : h("a", { class: "button small", href: `#/runs/${encodeURIComponent(replay.run)}`, text: "Leave the replay" });
    this.moment = h("span");
    const about = replay.app.onlyReplay() ? null : "Everything below is the recorded run; the header, STOP and the line below them show the live swarm";
    this.node = h("section", { class: "replay-bar", "aria-label": "Replay" }, h("p", { class: "replay-name", title: about }, h("b", { text: "REPLAY" }), h("span", { text: ` ${told.row.short || told.row.id}` }), h("br"), h("small", {}, this.moment)),
      h("div", { class: "row tight" }, this.play, this.back, this.ahead), h("div", { class: "scrub" }, this.scrub, this.marks), this.time, this.speed, this.state, leave);
    byId("bar").replaceChildren(this.node);
    this.offKeys = replay.app.shortcuts.add("Replay", [
      { key: "k", shown: "K", does: "Play or pause the replay", act: () => this.toggle() },
      { key: "j", shown: "J", does: "Ten seconds back", act: () => this.jump(-STEP), repeats: true },
      { key: "l", shown: "L", does: "Ten seconds ahead", act: () => this.jump(STEP), repeats: true },
      { key: "<", shown: "<", does: "Slower", act: () => this.faster(-1) },
      { key: ",", shown: "", does: "Slower", act: () => this.faster(-1) },
      { key: ">", shown: ">", does: "Faster", act: () => this.faster(1) },
      { key: ".", shown: "", does: "Faster", act: () => this.faster(1) },
    ]);
    this.filledAt = -Infinity;
  }

  gaps() {
    const { player, told } = this.replay;
    const length = player.end - player.begin || 1;
    return (told.gaps ?? []).slice(0, 50).map(([from, to]) => {
      const node = h("i", { title: "not recorded" });
      node.style.left = `${(((from - player.begin) / length) * 100).toFixed(2)}%`;
      node.style.width = `${(((to - from) / length) * 100).toFixed(2)}%`;
      return node;
    });
  }

  toggle() {
    const { player } = this.replay;
    if (!player.playing && player.at >= player.end - 0.05) player.seek(player.begin);
    player.playing = !player.playing;
    this.wake();
  }

  /** @param {number} seconds */
  jump(seconds) {
    this.seek(this.replay.player.at + seconds);
  }

  /** @param {number} t */
  seek(t) {
    this.replay.player.seek(t);
    this.wake();
  }

  /** @param {number} step */
  faster(step) {
    const { player } = this.replay;
    const at = SPEEDS.findIndex((speed) => speed >= player.speed - 1e-9);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + step))]);
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.replay.player.setSpeed(Math.min(FASTEST, Math.max(SLOWEST, speed)));
    this.speed.value = String(speed);
    this.wake();
  }

  wake() {
    this.filledAt = -Infinity;
    this.replay.app.frames.mark("player");
  }

  /** @param {number} now */
  fill(now) {
    if (now - this.filledAt < 90) return;
    this.filledAt = now;
    const { player } = this.replay;
    setText(this.play, player.playing ? "❚❚" : "▶");
    setAttr(this.play, "aria-label", player.playing ? "Pause the replay" : "Play");
    setAttr(this.play, "title", player.playing ? "Pause (K)" : "Play (K)");
    if (document.activeElement !== this.scrub || player.playing) this.scrub.value = String(player.at);
    const shown = `${clock(player.at - player.begin)} / ${clock(player.end - player.begin)}`;
    setText(this.time, shown);
    setAttr(this.scrub, "aria-valuetext", shown);
    const { status } = this.replay.store;
    setText(this.moment, status ? `recorded: ${phaseInWords(status.phase).toLowerCase()}, segment ${status.segment ?? "–"}` : "recorded");
    const state = player.trouble && player.waiting ? `The record cannot be read: ${player.trouble}` : player.waiting ? "Reading" : player.at >= player.end ? "The end" : "";
    setText(this.state, state);
    show(this.state, state !== "");
  }

  end() {
    this.offKeys();
    this.node.remove();
  }
}
