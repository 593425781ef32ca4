// @ts-check
// Selection of the shown view, of the live swarm or of a replay. Views are loaded on first use.

import { byId, h, setAttr, show } from "../shared/dom.js";
import { inWords } from "../link/api.js";
import { link, parse, replayLink, VIEWS } from "./routes.js";

/**
 * @typedef {object} Source requests of a view, to the live hub or to a replay
 * @property {"live" | "replay"} kind
 * @property {(id: string) => void} select
 * @property {(id: string) => Promise<import("../link/contract.js").RobotHistory>} robotHistory
 * @property {(id: string) => Promise<{unix_ms: number, level: string, text: string}[]>} robotLog
 * @property {(id: string) => Promise<import("../link/contract.js").Tree>} tree
 * @property {() => Promise<{nodes: import("../link/contract.js").LineageNode[], truncated: boolean}>} lineage
 * @property {(id: string) => string | null} pictureUrl
 * @property {() => string | null} overheadUrl
 *
 * @typedef {object} Env environment of a view
 * @property {import("../main.js").App} app
 * @property {import("../link/store.js").Store} store
 * @property {Source} source
 * @property {(view: string, id?: string) => string} link
 *
 * @typedef {object} View
 * @property {HTMLElement} node
 * @property {(route: import("./routes.js").Route) => void} [enter]
 * @property {() => void} [leave]
 * @property {() => void} [end] called when the view will not be shown again
 * @property {(topics: Set<string>, now: number) => void} [changed]
 * @property {(now: number) => boolean} [frame]
 */

/** @type {Record<string, () => Promise<{create: (env: Env) => View}>>} */
const LOADERS = {
  watch: () => import("../watch.js"),
  robots: () => import("../robots/view.js"),
  robot: () => import("../robots/detail.js"),
  evolution: () => import("../evolution/view.js"),
  tree: () => import("../tree/page.js"),
  run: () => import("../run/view.js"),
  runs: () => import("../runs/view.js"),
  compare: () => import("../runs/compare.js"),
};
const NAMES = /** @type {Record<string, string>} */ ({ watch: "Watch", robots: "Robots", evolution: "Evolution", tree: "Tree", run: "Run", runs: "Runs" });
export class Navigation {
  /** @param {import("../main.js").App} app */
  constructor(app) {
    this.app = app;
    const { live } = app;
    /** @type {Env} */
    this.liveEnv = { app, store: live.store, source: live, link };
    /** @type {import("../runs/replay.js").Replay | null} */
    this.replay = null;
    /** @type {Map<string, View>} */
    this.views = new Map();
    /** @type {View | null} */
    this.view = null;
    this.route = parse(location.hash);
    this.turn = 0;
    // The tabs are in the order of VIEWS.
    this.tabs = [...byId("tabs").querySelectorAll("a")];
  }

  start() {
    this.app.shortcuts.add("Views", VIEWS.map((view, i) => ({
      key: String(i + 1), shown: String(i + 1), does: NAMES[view], act: () => void (location.hash = this.tabs[i].hash),
    })));
    addEventListener("hashchange", () => this.go());
    this.go();
  }

  /** @returns {Env} */
  env() {
    return this.replay?.env ?? this.liveEnv;
  }

  /** @param {string} run */
  openReplay(run) {
    // Without a swarm behind the record, nothing can be run.
    show(this.tabs[VIEWS.indexOf("run")], false);
    if (this.route.replay !== run) location.hash = replayLink(run);
  }

  async go() {
    // The address contains only the view; a one-time link is handled elsewhere.
    if (location.hash.startsWith("#link=")) return;
    const route = parse(location.hash);
    const turn = ++this.turn;
    this.route = route;
    try {
      await this.follow(route, turn);
    } catch (error) {
      if (turn === this.turn) this.fail(inWords(error));
    }
  }

  /** @param {import("./routes.js").Route} route @param {number} turn */
  async follow(route, turn) {
    if (this.app.session.locked) return this.tell("Log in to see the swarm", "This hub shows its swarm only after login.", h("button", { type: "button", class: "primary", text: "Log in", on: { click: () => this.app.account.open() } }));
    const recorded = this.app.session.told?.replay;
    if (recorded && route.view === "run") return void (location.hash = replayLink(recorded));
    if ((this.replay?.run ?? "") !== route.replay) this.endReplay();
    if (route.replay && !this.replay) {
      const { Replay } = await import("../runs/replay.js");
      const replay = await Replay.open(this.app, route.replay, Number(route.query.t));
      if (turn !== this.turn) return replay.end();
      this.replay = replay;
    } else if (this.replay && route.query.t) this.replay.player.seek(Number(route.query.t));
    const env = this.env();
    const key = `${route.replay}:${route.view}`;
    let view = this.views.get(key);
    if (!view) {
      view = (await LOADERS[route.view]()).create(env);
      if (turn !== this.turn) return view.end?.();
      this.views.set(key, view);
    }
    this.display(view, route);
  }

  /** @param {View} view @param {import("./routes.js").Route} route */
  display(view, route) {
    if (view !== this.view) {
      this.view?.leave?.();
      this.view = view;
      byId("main").replaceChildren(view.node);
      byId("main").scrollTop = 0;
    }
    if (route.id && (route.view === "robot" || route.view === "tree")) this.env().source.select(route.id);
    view.enter?.(route);
    this.markTabs(route);
    // The view is filled before the first frame, because an empty view would cause a layout shift.
    this.changed(new Set(["view"]), performance.now());
    this.app.frames.request();
  }

  /** @param {import("./routes.js").Route} route */
  markTabs(route) {
    const current = { robot: "robots", compare: "runs" }[/** @type {"robot"} */ (route.view)] ?? route.view;
    VIEWS.forEach((view, i) => {
      setAttr(this.tabs[i], "aria-current", view === current ? "page" : null);
      // During a replay, the tabs of views that support it lead to the replayed view.
      const replayed = route.replay && !["run", "runs"].includes(view);
      setAttr(this.tabs[i], "href", replayed ? replayLink(route.replay, view) : link(view));
    });
  }

  /** @param {string} why */
  fail(why) {
    this.tell("This page cannot be shown", why, h("a", { href: link("watch"), text: "Back to the swarm" }));
  }

  /** Shows a message in place of a view. @param {string} title @param {string} text @param {HTMLElement} way link to continue */
  tell(title, text, way) {
    this.view?.leave?.();
    this.view = null;
    byId("main").replaceChildren(h("div", { class: "empty" }, h("h2", { text: title }), h("p", { text }), h("p", {}, way)));
    this.markTabs(this.route);
  }

  endReplay() {
    if (!this.replay) return;
    for (const [key, view] of this.views) {
      if (!key.startsWith(":")) {
        if (view === this.view) {
          view.leave?.();
          this.view = null;
        }
        view.end?.();
        this.views.delete(key);
      }
    }
    this.replay.end();
    this.replay = null;
  }

  /** Selects a robot; a view of one robot switches to it. @param {string} id */
  selectRobot(id) {
    const env = this.env();
    env.source.select(id);
    if (this.route.view === "robot" || this.route.view === "tree") location.hash = env.link(this.route.view, id);
  }

  /** @param {Set<string>} topics @param {number} now */
  changed(topics, now) {
    // A robot is selected from the beginning, so that its sensors are shown.
    const { store, source } = this.env();
    if (!store.selected && store.robots.size > 0) {
      const first = [...store.robots.values()].find((robot) => robot.alive) ?? [...store.robots.values()][0];
      source.select(first.id);
    }
    this.view?.changed?.(topics, now);
    this.replay?.changed(topics, now);
  }

  /** @param {number} now */
  frame(now) {
    const more = this.replay?.frame(now) ?? false;
    return (this.view?.frame?.(now) ?? false) || more;
  }
}

