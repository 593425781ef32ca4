// @ts-check
// Page side of the thread that draws the arena.

/** @typedef {import("./painter.js").Order} Order @typedef {import("./painter.js").Told} Told */

export class Thread {
  /** @param {HTMLCanvasElement} floor @param {HTMLCanvasElement} bodies @param {{told: (told: Told) => void, failed: (why: string) => void}} hear */
  constructor(floor, bodies, hear) {
    /** @type {Map<number, (told: any) => void>} */
    this.asked = new Map();
    this.number = 0;
    /** @type {Worker | null} */
    this.worker = null;
    try {
      const canvases = [floor, bodies].map((canvas) => canvas.transferControlToOffscreen());
      this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      this.worker.postMessage({ do: "begin", floor: canvases[0], bodies: canvases[1] }, canvases);
    } catch (error) {
      hear.failed(`this browser is too old (${error})`);
    }
    if (!this.worker) return;
    this.worker.onerror = (event) => hear.failed(event.message ?? "its program could not be loaded; reload the page");
    this.worker.onmessage = ({ data }) => {
      const told = /** @type {Told} */ (data);
      if (told.told !== "measured") return hear.told(told);
      this.asked.get(told.number)?.(told);
      this.asked.delete(told.number);
    };
  }

  /** @param {Order} order */
  send(order) {
    this.worker?.postMessage(order);
  }

  /** Returns the number of drawn frames, the costs of the latest frames (ms), and the positions of the names. @returns {Promise<Extract<Told, {told: "measured"}>>} */
  measure() {
    const number = ++this.number;
    return new Promise((done) => {
      this.asked.set(number, done);
      this.worker?.postMessage({ do: "measure", number });
    });
  }

  end() {
    this.worker?.terminate();
  }
}
