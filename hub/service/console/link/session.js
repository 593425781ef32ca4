// @ts-check
// Visitor of the page and its permissions. The key exists only in memory and is lost when the page is closed.

import { get, inWords, post, whenRefused } from "./api.js";
import { importSeed, parseKeyFile, sign } from "./keyfile.js";

const ASK_MS = 60000;

export class Session {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {import("./contract.js").Session | null} */
    this.told = null;
    this.expiresAt = Infinity;
    /** @type {{name: string, key: CryptoKey} | null} */
    this.key = null;
    this.trouble = "";
    /** @type {() => void} called after a login, a logout or the end of a session */
    this.onRole = () => {};
    whenRefused((status) => {
      // The request for the session itself must not trigger another request.
      if (status === 401 && this.role !== null) this.load();
    });
  }

  async start() {
    await this.load();
    setInterval(() => this.load(), ASK_MS);
    // The display shows the remaining time in minutes.
    setInterval(() => this.changed(), 15000);
  }

  /** Whether the page requires a login before it shows anything. */
  get locked() {
    return this.told?.look === "login" && this.role === null;
  }

  async load() {
    const before = this.told?.role;
    try {
      /** @type {import("./contract.js").Session} */
      const told = await get("/api/session");
      this.told = told;
      this.expiresAt = told.expires_s === null ? Infinity : performance.now() + told.expires_s * 1000;
      this.trouble = "";
      if (before !== undefined && before !== told.role) this.onRole();
    } catch (error) {
      this.trouble = inWords(error);
    }
    this.changed();
  }

  get role() {
    return this.leftSeconds() > 0 ? this.told?.role ?? null : null;
  }

  leftSeconds() {
    return (this.expiresAt - performance.now()) / 1000;
  }

  /** Returns the reason why this visitor may not act; "" if they may. */
  whyNot() {
    if (!this.told) return this.trouble ? "The hub does not report your login." : "Checking your login";
    if (this.role === "operator") return "";
    if (this.role === "observer") return "You are logged in as an observer: observers may watch, but not act.";
    if (this.told.role !== null) return "Your session has expired. Log in again to act.";
    return "You are not logged in. To act, log in (U) with your key file or the link that `xpuck demo` or `xpuck swarm console` prints.";
  }

  /** Returns the reason why an experiment cannot be signed here; "" if it can. */
  whyNoStart() {
    const why = this.whyNot();
    if (why || this.told?.signs || this.key) return why;
    return "Experiments are signed with your key. Choose your key file again: the page forgets it when it is reloaded.";
  }

  /** @param {string} text of a key file */
  async useKey(text) {
    const { name, seed } = parseKeyFile(text);
    this.key = { name, key: await importSeed(seed) };
  }

  /** Logs in with the key: signs the hub's challenge in the browser; the key is not sent. @param {string} text of a key file */
  async login(text) {
    await this.useKey(text);
    if (!this.key) return;
    const { challenge, host } = await get("/api/challenge");
    const signature = await sign(this.key.key, `xpuck console 1\n${host}\n${challenge}`);
    try {
      await post("/api/login", { name: this.key.name, challenge, signature });
    } catch (error) {
      this.key = null;
      throw error;
    }
    await this.load();
  }

  /** @param {string} text a one-time link, or the token in it */
  async loginByLink(text) {
    const link = tokenOf(text);
    if (!link) throw new Error("this is not a one-time link; expected http://HOST/#link=TOKEN");
    await post("/api/login", { link });
    await this.load();
  }

  async logout() {
    this.key = null;
    await post("/api/logout", {});
    await this.load();
  }

  /** Returns the request body that starts an experiment. @param {{text: string, manifest: string, files: Record<string, string>, seed: number}} experiment */
  async signed({ text, manifest, files, seed }) {
    if (!this.key) return { text, files, seed };
    const signature = await sign(this.key.key, `xpuck experiment 1\n${manifest}`);
    return { manifest, signer: this.key.name, signature, files, seed };
  }
}

/** @param {string} text */
export function tokenOf(text) {
  const trimmed = text.trim();
  const token = /#link=([^&\s]+)/.exec(trimmed)?.[1] ?? trimmed;
  return /^[\w.~%-]{3,512}$/.test(token) ? decodeURIComponent(token) : "";
}
