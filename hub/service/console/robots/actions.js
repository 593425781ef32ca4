// @ts-check
// Operator actions on one robot. A reboot requires confirmation in the page, because the robot is away for a minute.

import { button, h, setAttr, setText, show } from "../shared/dom.js";
import { isGoing } from "../shared/words.js";

/** @param {import("../shell/navigation.js").Env} env */
export function actionBar(env) {
  const { app, store } = env;
  const live = store.kind === "live";
  const id = () => store.selected;
  const send = (/** @type {string} */ command, /** @type {string} */ words) => app.commands.send({ command, robot: id() }, `${words} ${id()}`);
  const name = h("b");
  const identify = button("Blink", () => send("identify", "Blink"), { title: "Makes its lamps blink, to find it (I)" });
  const hold = button("Hold", () => send("hold", "Hold"), { title: "Stops this robot alone, and keeps it stopped" });
  const release = button("Release", () => send("release", "Release"), { title: "Allows it to continue with the others" });
  const drive = button("Drive", () => (app.driving.robot ? app.driving.end() : app.driving.begin(id())), { title: "Drives it by hand, with the arrow keys or a gamepad (D)" });
  const reboot = button("Reboot…", () => ask(true), { class: "danger", title: "Restarts its computer: it is away for about a minute" });
  const question = h("span");
  const yes = button("Yes, reboot it", () => {
    ask(false);
    send("reboot", "Reboot");
  }, { class: "danger" });
  const no = button("Keep it running", () => ask(false));
  const confirm = h("span", { class: "row", role: "group", "aria-label": "Reboot?", hidden: true }, question, yes, no);
  const buttons = h("span", { class: "row" }, identify, hold, release, drive, reboot);
  const open = h("a", { class: "button", text: "Details" });
  const tree = h("a", { class: "button", text: "Tree" });
  const why = h("p", { class: "warn" });
  const titles = new Map([identify, hold, release, drive, reboot].map((node) => [node, node.title]));
  let asked = "";

  /** @param {boolean} on */
  function ask(on) {
    const focused = on ? reboot === document.activeElement : confirm.contains(document.activeElement);
    asked = on ? id() : "";
    show(confirm, on);
    show(buttons, !on);
    const during = isGoing(store.status) ? " It misses about a minute of this run." : " It takes about a minute.";
    setText(question, `Reboot ${asked}?${during}`);
    if (focused) (on ? no : reboot).focus();
  }

  return {
    node: h("div", { class: "dialog-row" }, name, buttons, confirm, open, tree, why),
    /** Adapts the bar to a page about one robot. */
    forOne() {
      open.remove();
      name.remove();
    },
    /** @param {Set<string>} topics */
    changed(topics) {
      if (!["status", "selected", "session", "view", "driving"].some((topic) => topics.has(topic))) return;
      const robot = store.robots.get(id());
      // A pending confirmation applies only to the robot for which it was opened.
      if (asked && asked !== id()) ask(false);
      setText(name, id() || "No robot is selected");
      const reason = !live ? "A replay: robots take no commands." : app.session.whyNot();
      const off = reason !== "" || !robot;
      for (const node of [identify, hold, release, drive, reboot, yes]) setAttr(node, "disabled", off);
      for (const [node, title] of titles) node.title = reason || (robot ? title : "Select a robot first");
      setAttr(hold, "disabled", off || robot?.held === true);
      setAttr(release, "disabled", off || robot?.held !== true);
      setText(identify, robot?.identifying ? "Blinking" : "Blink");
      setText(drive, app.driving.robot ? `Stop driving ${app.driving.robot}` : "Drive");
      setText(why, reason);
      show(why, reason !== "");
      for (const [node, view] of /** @type {[HTMLAnchorElement, string][]} */ ([[open, "robot"], [tree, "tree"]])) {
        setAttr(node, "href", env.link(view, id()));
        setAttr(node, "hidden", !robot);
      }
    },
  };
}
