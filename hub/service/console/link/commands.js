// @ts-check
// Commands to the swarm, and what became of them.

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
    // While it is young, the header tells who obeys the directive that follows.
    this.awaited = NOTHING;
  }

  /** What is said of something else takes the place of who obeys an older directive. @param {string} text @param {boolean} [refused] @param {typeof NOTHING} [awaited] */
  say(text, refused = false, awaited = NOTHING) {
    [this.answer, this.refused, this.answeredAt, this.awaited] = [text, refused, performance.now(), awaited];
    this.changed();
    setTimeout(this.changed, SHOWN_MS + 50);
  }

  /** The latest answer, while it is news. @param {number} now */
  news(now) {
    return now - this.answeredAt < SHOWN_MS ? this.answer : "";
  }

  /** @param {{command: string, text?: string, robot?: string}} body @param {string} words @param {typeof NOTHING} [awaited] @param {number} [tries] @returns {Promise<boolean>} done */
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
        else this.say(body.command === "note" ? `${words}: noted, with your name` : `${words}: the hub does it`, false, awaited);
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
    return this.send({ command: "stop" }, "STOP", since(directive), 3);
  }

  /** @param {"pause" | "resume"} command @param {number} directive */
  run(command, directive) {
    return this.send({ command }, command === "pause" ? "Pause" : "Resume", since(directive));
  }
}

/** @param {number} number of the latest directive */
const since = (number) => ({ number, at: performance.now() });
