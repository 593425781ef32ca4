// @ts-check
// Thread that draws the arena, so that the page's own thread stays responsive.

import { Frames } from "../link/frames.js";
import { Painter } from "./painter.js";

const frames = new Frames();
/** @type {Painter | null} */
let painter = null;

/** @param {import("./painter.js").Told} told */
const tell = (told) => /** @type {any} */ (self).postMessage(told);

addEventListener("message", ({ data }) => {
  if (data.do === "begin") {
    painter = new Painter(data.floor, data.bodies, tell);
    frames.painters.add(painter);
  } else if (data.do === "measure") {
    tell({ told: "measured", number: data.number, drawn: frames.drawn, costs: frames.recent(), labels: painter?.names.boxes ?? [] });
  } else painter?.take(data);
  frames.request();
});
