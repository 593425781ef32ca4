// @ts-check
// Recorded run as a source of events: the views show what they would have shown live.

import { get, inWords, part } from "../link/api.js";
import { list } from "../shared/dom.js";
import { replayLink } from "../shell/routes.js";
import { Store } from "../link/store.js";
import { PlayerBar } from "./bar.js";
import { ReplayLines } from "./lines.js";
import { Schedule } from "./schedule.js";

// Maximum number of events per frame; at high speeds, more would overload the page.
const MOST_EVENTS = 3000;

export class Replay {
  /** @param {import("../main.js").App} app @param {import("../link/contract.js").Run} told */
  constructor(app, told) {
    this.app = app;
    this.told = told;
    this.kind = /** @type {const} */ ("replay");
    this.run = told.row.id;
    this.store = new Store("replay", app.frames.mark);
    this.store.apply("world", told.world);
    this.store.takeHistory(told.history);
    this.lines = new ReplayLines(told);
    this.robot = "";
    this.asked = 0;
    this.player = new Schedule({ begin: told.begin_t, end: told.end_t }, (from, to, hz) => this.fetch(from, to, hz));
    /** @type {import("../shell/navigation.js").Env} */
    this.env = { app, store: this.store, source: this, link: (view, id = "") => (["run", "runs"].includes(view) ? `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}` : replayLink(this.run, view, id)) };
    this.bar = new PlayerBar(this);
  }

  /** @param {import("../main.js").App} app @param {string} id @param {number} t start time */
  static async open(app, id, t) {
    const told = await get(`/api/runs/${part(id)}`);
    const replay = new Replay(app, told);
    if (Number.isFinite(t)) replay.player.seek(t);
    replay.player.playing = true;
    app.frames.mark("view");
    return replay;
  }

  /** @param {number} from @param {number} to @param {number} hz @returns {Promise<import("./schedule.js").Event[]>} */
  async fetch(from, to, hz) {
    const robot = this.robot ? `&robot=${part(this.robot)}` : "";
    try {
      const events = await get(`/api/runs/${part(this.run)}/play?from=${from.toFixed(3)}&to=${to.toFixed(3)}&hz=${hz}${robot}`);
      return list(events).filter((event) => Array.isArray(event) && Number.isFinite(event[0]));
    } catch (error) {
      throw new Error(inWords(error));
    } finally {
      this.app.frames.request();
    }
  }

  /** @param {string} id */
  select(id) {
    this.store.select(id);
    if (id === this.robot) return;
    this.robot = id;
    this.player.renew();
    this.app.frames.request();
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    if (topics.has("status") || topics.has("view") || topics.has("player")) this.bar.fill(now);
  }

  /** @param {number} now */
  frame(now) {
    const seconds = Math.min(0.25, Math.max(0, (now - this.asked) / 1000));
    this.asked = now;
    const { player, store } = this;
    const { events, jumped } = player.advance(seconds, now / 1000);
    if (jumped) {
      store.resetMoment();
      for (const line of this.lines.before(events[0][0])) store.apply("line", line, now);
    }
    // If very many events are due at once, only the last events are visible.
    for (const [, type, data] of events.slice(-MOST_EVENTS)) {
      if (type === "line") store.apply(type, this.lines.numbered(data), now);
      else if (type !== "generation") store.apply(type, data, now);
    }
    this.bar.fill(now);
    return player.playing || player.waiting;
  }

  /** @param {string} id */
  async robotHistory(id) {
    const told = await get(`/api/runs/${part(this.run)}/robot/${part(id)}`);
    return told.history ?? told;
  }

  /** @param {string} id */
  async robotLog(id) {
    return list((await get(`/api/runs/${part(this.run)}/robot/${part(id)}`)).log);
  }

  /** @param {string} id @returns {Promise<import("../link/contract.js").Tree>} */
  async tree(id) {
    const tree = this.store.trees.get(id);
    if (tree) return tree;
    throw new Error("the tree appears in a moment, if the robot had one");
  }

  /** @returns {Promise<{nodes: import("../link/contract.js").LineageNode[], truncated: boolean}>} */
  lineage() {
    return get(`/api/runs/${part(this.run)}/lineage`);
  }

  /** @returns {string | null} */
  overheadUrl() {
    return null;
  }

  /** @returns {string | null} */
  pictureUrl() {
    return null;
  }

  end() {
    this.player.playing = false;
    this.bar.end();
  }
}
