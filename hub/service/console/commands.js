// @ts-check
// Commands to the swarm, and what became of them.

import { inWords, post, Refused } from "./api.js";

const SHOWN_MS = 12000;

export class Commands {
  /** @param {import("./session.js").Session} session @param {() => void} changed */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.answer = "";
    this.refused = false;
    this.answeredAt = -Infinity;
    // While it is young, the header tells who obeys the directive that follows.
    this.awaited = { number: 0, at: -Infinity };
  }

  /** @param {string} text @param {boolean} [refused] */
  say(text, refused = false) {
    [this.answer, this.refused, this.answeredAt] = [text, refused, performance.now()];
    this.changed();
    setTimeout(this.changed, SHOWN_MS + 50);
  }

  /** The latest answer, while it is news. @param {number} now */
  news(now) {
    return now - this.answeredAt < SHOWN_MS ? this.answer : "";
  }

  /** @param {{command: string, text?: string, robot?: string}} body @param {string} words @param {number} [tries] @returns {Promise<boolean>} done */
  async send(body, words, tries = 1) {
    const why = this.session.whyNot();
    if (why && this.session.told) {
      this.say(`${words}: not sent. ${why}`, true);
      return false;
    }
    this.say(`${words}: sent`);
    for (let i = 1; ; i++) {
      try {
        await post("/api/command", body);
        this.say(`${words}: the hub does it`);
        return true;
      } catch (error) {
        if (error instanceof Refused || i >= tries) {
          this.say(`${words}: NOT DONE, ${inWords(error)}`, true);
          return false;
        }
      }
    }
  }

  /** Stops the swarm: tried three times, as nothing is worse than a STOP that got lost. @param {number} directive the number before it */
  stop(directive) {
    this.awaited = { number: directive, at: performance.now() };
    return this.send({ command: "stop" }, "STOP", 3);
  }

  /** @param {"pause" | "resume"} command @param {number} directive */
  run(command, directive) {
    this.awaited = { number: directive, at: performance.now() };
    return this.send({ command }, command === "pause" ? "Pause" : "Resume");
  }
}
