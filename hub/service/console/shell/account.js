// @ts-check
// Login panel: key file, or one-time link.

import { inWords } from "../link/api.js";
import { button, byId, h, setAttr, setText, show } from "../shared/dom.js";
import { span } from "../shared/format.js";
import { whyNoSigning } from "../link/keyfile.js";

export class Account {
  /** @param {import("../main.js").App} app */
  constructor(app) {
    this.app = app;
    this.busy = false;
    this.file = h("input", { type: "file", id: "keyfile", accept: ".key,.toml,text/plain", on: { change: () => this.useFile() } });
    this.link = h("input", { type: "text", id: "onetime", autocomplete: "off", spellcheck: "false", placeholder: "http://HOST/#link=…" });
    this.form = h("form", { class: "stack", on: { submit: (event) => { event.preventDefault(); this.useLink(); } } },
      h("label", { for: "onetime", text: "or a one-time link" }), h("div", { class: "row" }, this.link, h("button", { type: "submit", text: "Use it" })),
      h("p", { class: "dim", text: "`xpuck swarm console` in a terminal prints one." }));
    this.keyPart = h("div", { class: "stack" }, h("label", { for: "keyfile", text: "Your key file (NAME.key)" }), this.file,
      h("p", { class: "dim", text: "The key stays in the memory of this page: it is not sent or stored, and is forgotten when you leave." }));
    this.why = h("p", { class: "note" });
    this.state = h("p", { class: "lead" });
    this.trouble = h("p", { class: "bad", role: "alert" });
    this.out = button("Log out", () => this.logout());
    this.node = h("section", { class: "sheet", role: "dialog", "aria-label": "Log in", hidden: true },
      h("div", { class: "head" }, h("h2", { text: "Your login" }), button("Close", () => this.close(), { class: "small" })),
      h("div", { class: "stack" }, this.state, this.out, this.trouble, this.why, this.keyPart, this.form));
    byId("overlays").append(this.node);
    byId("who").addEventListener("click", () => (this.node.hidden ? this.open() : this.close()));
  }

  open() {
    this.app.closeSheets();
    this.fill();
    show(this.node, true);
    byId("who").setAttribute("aria-expanded", "true");
    /** @type {HTMLElement | null} */ (this.node.querySelector("input:enabled") ?? this.node.querySelector("button"))?.focus();
  }

  /** @returns {boolean} whether the panel was open */
  close() {
    if (this.node.hidden) return false;
    const inside = this.node.contains(document.activeElement);
    show(this.node, false);
    byId("who").setAttribute("aria-expanded", "false");
    if (inside) byId("who").focus();
    return true;
  }

  changed() {
    if (!this.node.hidden) this.fill();
  }

  fill() {
    const { session } = this.app;
    const { role, told } = session;
    const left = session.leftSeconds();
    const until = Number.isFinite(left) ? `, for another ${span(left)}` : "";
    const may = role === "operator" ? "You may start, stop and command." : "You may watch, but not act.";
    setText(this.state, role ? `You are ${told?.name ?? "logged in"}, ${role}${until}. ${may}`
      : told?.look === "login" ? "This hub shows its swarm only after login."
        : "Everyone may watch. To act, log in as an operator.");
    show(this.out, role !== null);
    // A person who logged in with a link still needs a key to start an experiment.
    const needsKey = role === "operator" && session.whyNoStart() !== "";
    show(this.keyPart, role === null || needsKey);
    show(this.form, role === null);
    const why = whyNoSigning();
    setText(this.why, why);
    show(this.why, why !== "" && (role === null || needsKey));
    setAttr(this.file, "disabled", why !== "");
  }

  /** @param {() => Promise<void>} work @param {string} done */
  async attempt(work, done) {
    if (this.busy) return;
    this.busy = true;
    setText(this.trouble, "");
    try {
      await work();
      this.app.commands.say(done);
      this.close();
    } catch (error) {
      setText(this.trouble, `This failed: ${inWords(error)}.`);
      if (this.node.hidden) this.open();
    } finally {
      this.busy = false;
      this.fill();
    }
  }

  async useFile() {
    const file = this.file.files?.[0];
    if (!file) return;
    await this.attempt(async () => {
      if (file.size > 4096) throw new Error("this file is too large for a key");
      const text = await file.text();
      if (this.app.session.role === "operator") await this.app.session.useKey(text);
      else await this.app.session.login(text);
    }, "Your key is loaded");
    // Allows the same file to be chosen again.
    this.file.value = "";
  }

  useLink() {
    return this.attempt(async () => {
      await this.app.session.loginByLink(this.link.value);
      this.link.value = "";
    }, "You are logged in");
  }

  /** Logs in with the token after the # of an opened one-time link. */
  async takeLinkOfAddress() {
    const token = /^#link=(.+)$/.exec(location.hash)?.[1];
    if (!token) return;
    history.replaceState(null, "", location.pathname + location.search);
    await this.attempt(() => this.app.session.loginByLink(token), "You are logged in");
  }

  logout() {
    return this.attempt(() => this.app.session.logout(), "You are logged out");
  }
}
