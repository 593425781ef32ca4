// @ts-check
// Experiment in preparation: its text, the files that it names, and the hub's check of it.

import { get, inWords, part, post } from "../link/api.js";

const WAIT_MS = 350;
const MOST_BYTES = 1 << 20;

export class Draft {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    this.name = "";
    this.text = "";
    /** @type {Record<string, string>} */
    this.files = {};
    /** @type {import("../link/contract.js").Check | null} */
    this.check = null;
    this.checking = false;
    this.trouble = "";
    /** Errors of the chosen files; shown while the rest is checked. */
    this.refused = "";
    this.timer = 0;
    this.turn = 0;
  }

  /** Returns the files that the experiment names and that are missing here. */
  needs() {
    return (this.check?.plan?.needs ?? []).filter((name) => !(name in this.files));
  }

  ready() {
    return this.check?.ok === true && !this.checking && this.needs().length === 0;
  }

  bytes() {
    const size = (/** @type {string} */ text) => new TextEncoder().encode(text).length;
    return size(this.text) + Object.values(this.files).reduce((sum, text) => sum + size(text), 0);
  }

  /** Loads an experiment of the hub. @param {string} file */
  async choose(file) {
    const turn = ++this.turn;
    this.trouble = this.refused = "";
    this.name = file;
    this.checking = true;
    this.changed();
    try {
      const told = await get(`/api/experiments/${part(file)}`);
      if (turn !== this.turn) return;
      this.files = told.files ?? {};
      this.edit(told.text ?? "", 0);
    } catch (error) {
      if (turn !== this.turn) return;
      this.trouble = `${file} cannot be read: ${inWords(error)}`;
      this.checking = false;
      this.changed();
    }
  }

  /** Loads chosen files: the first one that looks like an experiment is the experiment, the others are the files that it names. @param {File[]} files */
  async upload(files) {
    this.trouble = "";
    let refused = "";
    for (const file of files) {
      if (file.size > MOST_BYTES) {
        refused = `${file.name} is too large: at most 1 MiB`;
        continue;
      }
      const text = await file.text();
      const needed = this.needs().includes(file.name);
      const looks = /\.toml$/i.test(file.name) && /^\s*(minutes|\[\[phase\]\])/m.test(text);
      if (looks && !needed) {
        this.name = file.name;
        this.text = text;
      } else this.files[file.name] = text;
    }
    if (!this.text && files.length > 0) refused ||= "None of these files is an experiment; an experiment has `minutes` or phases.";
    this.edit(this.text, 0);
    this.refused = refused;
    this.changed();
  }

  /** @param {string} text @param {number} [wait] */
  edit(text, wait = WAIT_MS) {
    this.text = text;
    this.refused = "";
    this.turn++;
    this.check = text.trim() ? this.check : null;
    this.checking = text.trim() !== "";
    this.changed();
    clearTimeout(this.timer);
    if (this.checking) this.timer = window.setTimeout(() => this.ask(), wait);
  }

  /** Checks the same text again, after the last run or the swarm has changed. */
  renew() {
    if (this.check && !this.checking) this.ask();
  }

  async ask() {
    const turn = ++this.turn;
    if (this.bytes() > MOST_BYTES) {
      this.trouble = "These files together are larger than 1 MiB.";
      this.check = null;
      this.checking = false;
      return this.changed();
    }
    try {
      const check = await post("/api/experiment/check", { text: this.text, files: this.files }).catch(refusedIsAnswer);
      if (turn !== this.turn) return;
      this.check = check;
      this.trouble = "";
    } catch (error) {
      if (turn !== this.turn) return;
      this.check = null;
      this.trouble = `It could not be checked: ${inWords(error)}`;
    }
    this.checking = false;
    this.changed();
  }
}

// The answer for an invalid experiment contains its error and is treated like any other answer.
/** @param {any} error */
function refusedIsAnswer(error) {
  if (error?.body) return error.body;
  throw error;
}
