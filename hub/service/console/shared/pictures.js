// @ts-check
// Slow stream of pictures from a robot's camera, or from the camera above the arena. Requests make the hub ask for
// further pictures, so they are sent only while the picture is visible. The frame rate and the age of the shown
// picture are displayed below it.

import { h, setText, show } from "./dom.js";
import { Rate, inWords } from "./rate.js";

const ASK_MS = 500;
const LATER_MS = 5000;
const TELL_MS = 250;

export class Pictures {
  /** @param {{title: string, alt: string, kind?: string, absent?: () => void}} options `absent`: called if the camera does not exist */
  constructor({ title, alt, kind, absent }) {
    this.absent = absent;
    this.image = h("img", { class: `picture ${kind ?? ""}`.trim(), alt, hidden: true });
    this.box = h("div", { class: "picture-box" }, this.image);
    this.told = h("p", { class: "dim" });
    this.node = h("section", { class: "panel picture-panel" }, h("h2", { text: title }), this.box, this.told);
    this.turn = 0;
    this.shown = "";
    this.rate = new Rate();
    this.cameAt = 0;
    this.timer = 0;
  }

  /** @param {string | null} url */
  begin(url) {
    this.stop();
    show(this.image, false);
    show(this.box, true);
    this.rate = new Rate();
    if (!url) return setText(this.told, "A record contains no pictures to show.");
    setText(this.told, "Waiting for a picture");
    this.timer = window.setInterval(() => this.tell(), TELL_MS);
    this.ask(url, ++this.turn);
  }

  stop() {
    this.turn++;
    clearInterval(this.timer);
  }

  /** @param {string} url @param {number} turn */
  async ask(url, turn) {
    let wait = ASK_MS;
    try {
      const response = await fetch(url, { cache: "no-store", signal: AbortSignal.timeout(8000) });
      if (turn !== this.turn) return;
      if (response.status === 404 || response.headers.get("x-camera") === "none") {
        this.stop();
        show(this.box, false);
        this.absent?.();
        return setText(this.told, "The camera does not exist.");
      }
      if (response.status === 204) {
        show(this.image, false);
        setText(this.told, "No picture yet.");
      } else if (!response.ok) throw new Error();
      else {
        const now = performance.now();
        this.rate.take(Number(response.headers.get("x-number")), now);
        const blob = await response.blob();
        if (turn !== this.turn) return;
        this.cameAt = now - Number(response.headers.get("x-age-ms"));
        this.display(blob);
      }
    } catch {
      if (turn !== this.turn) return;
      setText(this.told, "No picture: the hub does not answer.");
      show(this.image, false);
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
    this.tell();
  }

  tell() {
    if (!this.image.hidden) setText(this.told, inWords(this.rate.get(), Math.max(0, performance.now() - this.cameAt) / 1000));
  }

  end() {
    this.stop();
    if (this.shown) URL.revokeObjectURL(this.shown);
  }
}
