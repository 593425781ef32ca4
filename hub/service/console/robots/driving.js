// @ts-check
// Manual driving of one robot with the arrow keys or a gamepad. A command is valid for a quarter of a second and is
// repeated; the robot stops when the repetition is interrupted for any reason.

import { post, inWords } from "../link/api.js";
import { ARROWS, ofKeys, ofStick } from "./steering.js";

const EVERY_MS = 50;

export class Driving {
  /** @param {() => string} whyNot returns the reason why driving is not allowed; empty if it is allowed @param {(text: string, refused?: boolean) => void} say @param {() => void} changed */
  constructor(whyNot, say, changed) {
    this.whyNot = whyNot;
    this.say = say;
    this.changed = changed;
    /** Robot being driven; empty without one. */
    this.robot = "";
    /** @type {Set<string>} */
    this.held = new Set();
    this.sending = false;
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    // These listeners precede the page's other listeners, for which the arrow keys have other functions.
    addEventListener("keydown", (event) => this.key(event, true), { capture: true });
    addEventListener("keyup", (event) => this.key(event, false), { capture: true });
    addEventListener("blur", () => this.held.clear());
    document.addEventListener("visibilitychange", () => document.hidden && this.end());
  }

  /** @param {string} robot */
  begin(robot) {
    const why = this.whyNot();
    if (!robot || why) return this.say(`Drive ${robot}: ${why || "select a robot first"}`, true);
    this.end();
    this.robot = robot;
    this.say(`${robot}: arrow keys or a gamepad drive, Esc ends`);
    this.timer = setInterval(() => void this.tell(), EVERY_MS);
    this.changed();
  }

  end() {
    if (!this.robot) return;
    clearInterval(this.timer);
    this.held.clear();
    // If this request is lost, the last command expires by itself.
    post("/api/drive", { robot: this.robot, wheels: [0, 0] }).catch(() => undefined);
    this.robot = "";
    this.changed();
  }

  /** @param {KeyboardEvent} event @param {boolean} down */
  key(event, down) {
    if (!this.robot) return;
    if (down && (event.key === "Escape" || event.key === " ")) return this.end();
    if (!(event.key in ARROWS)) return;
    event.preventDefault();
    event.stopPropagation();
    if (down) this.held.add(event.key);
    else this.held.delete(event.key);
    if (!event.repeat) void this.tell();
  }

  wanted() {
    const pads = navigator.getGamepads?.() ?? [];
    for (const pad of pads) {
      const stick = pad?.connected ? ofStick(pad.axes) : null;
      if (stick) return stick;
    }
    return ofKeys(this.held);
  }

  async tell() {
    // One request at a time, because commands must not queue up on a slow network.
    if (this.sending || !this.robot) return;
    this.sending = true;
    const { robot } = this;
    try {
      await post("/api/drive", { robot, wheels: this.wanted() });
    } catch (error) {
      if (this.robot === robot) {
        this.say(`Drive ${robot}: ${inWords(error)}`, true);
        this.end();
      }
    } finally {
      this.sending = false;
    }
  }
}
