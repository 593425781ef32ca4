// @ts-check
// Running hub as the source of events: keeps the stream open, and distinguishes a restarted hub from an interrupted
// connection.

import { get, inWords, part } from "./api.js";

const SILENT_MS = 2500;
const REOPEN_MS = 6000;
const TYPES = ["world", "status", "poses", "robot", "tags", "tree", "line", "hello", "generation", "estimates", "history", "bye"];

/** @typedef {"connecting" | "live" | "silent" | "lost" | "ended"} Link */

export class Live {
  /** @param {import("./store.js").Store} store */
  constructor(store) {
    this.store = store;
    this.kind = /** @type {const} */ ("live");
    /** @type {EventSource | null} */
    this.events = null;
    /** @type {Link} */
    this.link = "connecting";
    this.restarted = false;
    this.openedAt = 0;
    this.heardAt = -Infinity;
    this.ever = false;
    this.robot = "";
    this.historyTrouble = "";
    this.askedHistory = -Infinity;
  }

  start() {
    this.open();
    setInterval(() => this.watch(), 250);
    // A page that was in the background on a phone returns with a dead connection.
    document.addEventListener("visibilitychange", () => document.hidden || this.watch());
  }

  /** Selects the robot whose sensors the hub sends. @param {string} id */
  select(id) {
    this.store.select(id);
    if (id === this.robot) return;
    this.robot = id;
    if (this.events) this.open();
  }

  open() {
    this.events?.close();
    this.openedAt = performance.now();
    const events = new EventSource(this.robot ? `/events?robot=${part(this.robot)}` : "/events");
    this.events = events;
    for (const type of TYPES) {
      events.addEventListener(type, (event) => {
        if (events !== this.events) return;
        try {
          this.take(type, JSON.parse(/** @type {MessageEvent} */ (event).data));
        } catch (error) {
          console.error(type, error);
        }
      });
    }
  }

  /** @param {string} type @param {any} data */
  take(type, data) {
    this.heardAt = performance.now();
    if (type === "hello") this.greet(data);
    // A `history` event begins a run, regardless of the clocks of this run and the previous run.
    if (type === "history") {
      this.askedHistory = -Infinity;
      this.store.beginRun();
    }
    this.store.apply(type, data, this.heardAt);
    if (type === "bye") {
      this.events?.close();
      this.set("ended");
    } else this.set("live");
  }

  /** @param {{hub: string, version: string, run: number}} hello */
  greet(hello) {
    const before = this.store.hello;
    if (before && before.hub !== hello.hub) {
      this.restarted = true;
      this.store.reset();
      this.store.changed("restarted");
    }
    this.store.ended = null;
    // After an update, the hub serves another version of the page.
    if (before && before.version !== hello.version) location.reload();
    if (!before || before.hub !== hello.hub || before.run !== hello.run || !this.ever) this.loadHistory();
    this.ever = true;
  }

  async loadHistory() {
    // The requests are rate-limited, in case status and history disagree for a while.
    if (performance.now() - this.askedHistory < 2000) return;
    this.askedHistory = performance.now();
    try {
      this.store.takeHistory(await get("/api/history"));
      this.historyTrouble = "";
    } catch (error) {
      this.historyTrouble = inWords(error);
      this.store.changed("history");
    }
  }

  /** Loads the data that no event contains: migration, and the best tree. */
  async refreshMigration() {
    try {
      /** @type {import("./contract.js").History} */
      const { migration, best } = await get("/api/history");
      this.store.migration = migration ?? null;
      this.store.best = best ?? null;
      this.store.changed("migration");
    } catch {
      // The shown data stays until the hub answers again.
    }
  }

  /** @param {Link} link */
  set(link) {
    if (link === this.link) return;
    this.link = link;
    this.store.changed("link");
  }

  // An EventSource gives up permanently on an answer that is not a stream, and does not detect a connection that died
  // silently.
  watch() {
    const now = performance.now();
    const silent = now - this.heardAt;
    const reopen = () => now - this.openedAt > (this.events?.readyState === EventSource.CLOSED ? 2000 : REOPEN_MS);
    if (this.link === "ended") {
      // The hub may be restarted: reconnect at intervals, without an alarm.
      if (now - this.openedAt > REOPEN_MS) this.open();
      return;
    }
    if (silent > SILENT_MS) {
      if (this.ever) this.set(silent > 2 * SILENT_MS ? "lost" : "silent");
      else this.set(now > 2 * SILENT_MS ? "lost" : "connecting");
      if (reopen()) this.open();
    }
  }

  // Requests of views for data that no event contains; a replay has the same methods.

  base = "#/";

  /** @param {string} id @returns {Promise<import("./contract.js").RobotHistory>} */
  robotHistory(id) {
    return get(`/api/robot/${part(id)}/history`);
  }

  /** @param {string} id @returns {Promise<{unix_ms: number, level: string, text: string}[]>} */
  robotLog(id) {
    return get(`/api/robot/${part(id)}/log`);
  }

  /** @param {string} id @returns {Promise<import("./contract.js").Tree>} */
  tree(id) {
    return get(`/api/robot/${part(id)}/tree`);
  }

  /** @returns {Promise<{nodes: import("./contract.js").LineageNode[], truncated: boolean}>} */
  lineage() {
    return get("/api/lineage");
  }

  /** @returns {string | null} */
  overheadUrl() {
    return "/api/overhead";
  }

  /** @param {string} id @returns {string | null} */
  pictureUrl(id) {
    return `/api/robot/${part(id)}/picture`;
  }
}
