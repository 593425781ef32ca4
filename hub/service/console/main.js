// @ts-check
// Main module of the page: the hub's events, the header, and one view at a time.

import { Account } from "./shell/account.js";
import { Commands } from "./link/commands.js";
import { byId } from "./shared/dom.js";
import { Frames } from "./link/frames.js";
import { Header } from "./shell/header.js";
import { Help } from "./shell/help.js";
import { Live } from "./link/live.js";
import { Navigation } from "./shell/navigation.js";
import { NoteSheet } from "./shell/note.js";
import { Driving } from "./robots/driving.js";
import { Session } from "./link/session.js";
import { Shortcuts } from "./shell/shortcuts.js";
import { Store } from "./link/store.js";
import { isGoing } from "./shared/words.js";

export class App {
  constructor() {
    this.frames = new Frames();
    const mark = this.frames.mark;
    this.session = new Session(() => mark("session"));
    this.live = new Live(new Store("live", (topic) => {
      mark(topic);
      if (topic === "newrun") this.live.loadHistory();
    }));
    this.session.onRole = () => {
      this.live.open();
      this.navigation.go();
    };
    this.commands = new Commands(this.session, () => mark("answer"));
    this.driving = new Driving(() => this.session.whyNot(), (text, refused) => this.commands.say(text, refused), () => mark("driving"));
    this.shortcuts = new Shortcuts(() => this.stop());
    this.header = new Header(this);
    this.account = new Account(this);
    this.help = new Help(this);
    this.note = new NoteSheet(this);
    this.navigation = new Navigation(this);
    for (const painter of [this.header, this.account, this.note, this.navigation]) this.frames.painters.add(painter);
  }

  async start() {
    this.addKeys();
    const asked = this.account.takeLinkOfAddress();
    // A link may be opened in a tab that already shows the page.
    addEventListener("hashchange", () => void this.account.takeLinkOfAddress());
    this.live.start();
    this.navigation.start();
    await Promise.all([asked, this.session.start()]);
    const { told } = this.session;
    if (told?.replay) this.navigation.openReplay(told.replay);
    else if (this.session.locked) {
      this.account.open();
      this.navigation.go();
    }
  }

  addKeys() {
    this.shortcuts.add("Anywhere", [
      { key: "p", shown: "P", does: "Pause or resume the run", act: () => this.pauseOrResume() },
      { key: "n", shown: "N", does: "Select the next robot", act: () => this.selectNext(1) },
      { key: "b", shown: "B", does: "Select the previous robot", act: () => this.selectNext(-1) },
      { key: "i", shown: "I", does: "Make the selected robot blink", act: () => this.identify() },
      { key: "d", shown: "D", does: "Start or stop driving the selected robot by hand", act: () => this.drive() },
      { key: "w", shown: "W", does: "Write a note into the record", act: () => this.writeNote() },
      { key: "u", shown: "U", does: "Log in or out", act: () => (this.account.node.hidden ? this.account.open() : this.account.close()) },
      { key: "?", shown: "?", does: "Show or hide these keys", act: () => this.help.toggle() },
      { key: "Escape", shown: "Esc", does: "Close the open dialog", act: () => this.escape() },
    ]);
  }

  escape() {
    if (this.closeSheets()) return;
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  }

  closeSheets() {
    return [this.account, this.help, this.note].map((sheet) => sheet.close()).includes(true);
  }

  /** Whether this server only replays a record, with no swarm behind it. */
  onlyReplay() {
    return Boolean(this.session.told?.replay);
  }

  /** Returns the store whose data the header shows. */
  headStore() {
    return this.onlyReplay() ? this.navigation.env().store : this.live.store;
  }

  writeNote() {
    if (this.onlyReplay()) return this.commands.say("This is a replay: its record is closed", true);
    this.note.open();
  }

  directive() {
    return this.live.store.status?.directive?.number ?? 0;
  }

  stop() {
    if (this.onlyReplay()) return this.commands.say("This is a replay: there is nothing to stop", true);
    const node = byId("stop");
    node.classList.add("sent");
    setTimeout(() => node.classList.remove("sent"), 600);
    this.commands.stop(this.directive());
  }

  pause() {
    this.commands.run("pause", this.directive());
  }

  resume() {
    this.commands.run("resume", this.directive());
  }

  pauseOrResume() {
    const { status } = this.live.store;
    if (!isGoing(status)) return this.commands.say("No run to pause", true);
    if (status?.phase === "paused") this.resume();
    else this.pause();
  }

  /** @param {number} step */
  selectNext(step) {
    const env = this.navigation.env();
    const ids = env.store.ids();
    if (ids.length === 0) return;
    const at = ids.indexOf(env.store.selected);
    const next = ids[at < 0 ? (step > 0 ? 0 : ids.length - 1) : (at + step + ids.length) % ids.length];
    this.navigation.selectRobot(next);
  }

  drive() {
    if (this.onlyReplay()) return this.commands.say("This is a replay: its robots cannot be driven", true);
    if (this.driving.robot) this.driving.end();
    else this.driving.begin(this.live.store.selected);
  }

  identify() {
    const { selected } = this.live.store;
    if (!selected) return this.commands.say("Select a robot first (N)", true);
    this.commands.send({ command: "identify", robot: selected }, `Blink ${selected}`);
  }
}

const app = new App();
// These globals are for measurements and tests.
Object.assign(window, { xpuckFrames: () => app.frames.recent(), xpuck: app });
app.start();
