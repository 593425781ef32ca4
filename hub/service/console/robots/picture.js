// @ts-check
// What a robot's camera sees. Asking makes the robot send pictures, so it is asked only while somebody looks.

import { h, setText, show } from "../dom.js";

const ASK_MS = 1000;
const LATER_MS = 5000;

export class Picture {
  /** @param {import("../navigation.js").Source} source */
  constructor(source) {
    this.source = source;
    this.image = h("img", { class: "picture", alt: "The newest picture of its camera", hidden: true });
    this.told = h("p", { class: "dim" });
    this.node = h("section", { class: "panel picture-panel" }, h("h2", {}, "Its camera ", h("small", { text: "about one picture a second" })), h("div", { class: "picture-box" }, this.image, this.told));
    this.turn = 0;
    this.shown = "";
  }

  /** @param {string} id */
  begin(id) {
    this.stop();
    show(this.image, false);
    const url = this.source.pictureUrl(id);
    if (!url) return setText(this.told, "Pictures are not recorded.");
    setText(this.told, "Waiting for a picture");
    this.ask(url, ++this.turn);
  }

  stop() {
    this.turn++;
  }

  /** @param {string} url @param {number} turn */
  async ask(url, turn) {
    let wait = ASK_MS;
    try {
      const response = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (turn !== this.turn) return;
      if (response.status === 404) return setText(this.told, "This robot has no camera.");
      if (response.status === 204) setText(this.told, "No picture yet: the robot is asked for one.");
      else if (!response.ok) throw new Error();
      else this.display(await response.blob());
    } catch {
      if (turn !== this.turn) return;
      setText(this.told, "No picture: the hub does not answer.");
      wait = LATER_MS;
    }
    setTimeout(() => turn === this.turn && this.ask(url, turn), wait);
  }

  /** @param {Blob} blob */
  display(blob) {
    const url = URL.createObjectURL(blob);
    if (this.shown) URL.revokeObjectURL(this.shown);
    this.shown = url;
    this.image.src = url;
    show(this.image, true);
    setText(this.told, "");
  }

  end() {
    this.stop();
    if (this.shown) URL.revokeObjectURL(this.shown);
  }
}
