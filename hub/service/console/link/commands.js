// @ts-check
// Commands to the swarm, and their answers.

import { inWords, post, Refused } from "./api.js";

const SHOWN_MS = 12000;
const NOTHING = { number: 0, at: -Infinity };

export class Commands {
  /** @param {import("./session.js").Session} session @param {() => void} changed */
  constructor(session, changed) {
    this.session = session;
    this.changed = changed;
    this.answer = "";
    this.refused = false;
    this.answeredAt = -Infinity;
    // While the answer is recent, the header shows which robots have obeyed the directive after this number.
    this.awaited = NOTHING;
  }

  /** Shows an answer, in place of the robots that obey an older directive. @param {string} text @param {boolean} [refused] @param {typeof NOTHING} [awaited] */
  say(text, refused = false, awaited = NOTHING) {
    [this.answer, this.refused, this.answeredAt, this.awaited] = [text, refused, performance.now(), awaited];
    this.changed();
    setTimeout(this.changed, SHOWN_MS + 50);
  }

  /** Returns the latest answer while it is recent. @param {number} now */
  news(now) {
    return now - this.answeredAt < SHOWN_MS ? this.answer : "";
  }

  /** @param {{command: string, text?: string, robot?: string}} body @param {string} words @param {typeof NOTHING} [awaited] @param {number} [tries] @returns {Promise<boolean>} whether the command was executed */
  async send(body, words, awaited = NOTHING, tries = 1) {
    const why = this.session.whyNot();
    if (why && this.session.told) {
      this.say(`${words}: not sent. ${why}`, true);
      return false;
    }
    this.say(`${words}: sent`, false, awaited);
    for (let i = 1; ; i++) {
      try {
        const { but } = await post("/api/command", body);
        if (but) this.say(`${words}: done, but ${but}`, true, awaited);
        else this.say(body.command === "note" ? `${words}: noted, with your name` : `${words}: accepted by the hub`, false, awaited);
        return true;
      } catch (error) {
        if (error instanceof Refused || i >= tries) {
          this.say(`${words}: NOT DONE, ${inWords(error)}`, true);
          return false;
        }
      }
    }
  }

  /** Stops the swarm. The request is tried up to three times, because a lost STOP is dangerous. @param {number} directive number of the latest directive before STOP */
  stop(directive) {
    return this.send({ command: "stop" }, "STOP", since(directive), 3);
  }

  /** @param {"pause" | "resume"} command @param {number} directive */
  run(command, directive) {
    return this.send({ command }, command === "pause" ? "Pause" : "Resume", since(directive));
  }
}

/** @param {number} number of the latest directive */
const since = (number) => ({ number, at: performance.now() });
