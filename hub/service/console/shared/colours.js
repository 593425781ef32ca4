// @ts-check
// Colours: those of the theme, read from the style sheet, and those of islands. An island has the same colour and
// dashes in every view. There are nine hues, of which the first eight are distinguishable for colour-blind people;
// further islands get the same hues with other dashes.

const HUES = {
  dark: ["#5cb8f2", "#f0a63a", "#33c9a3", "#e58ac1", "#f2e05c", "#8c9bff", "#ff8a5c", "#c3cdd9", "#b98d62"],
  light: ["#0072b2", "#a85f00", "#00785a", "#a83a80", "#7d6b00", "#4a46c2", "#c24400", "#56606d", "#7a4f24"],
};
const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
const NAMES = [
  "ground", "panel", "raised", "edge", "text", "dim", "faint", "accent", "good", "warn", "bad", "ready",
  "floor", "grid", "wall", "goal", "frisbee", "sense", "want", "label",
  "paint-black", "paint-white",
];

const light = matchMedia("(prefers-color-scheme: light)");
/** @type {Record<string, string>} */
let theme = {};
/** @type {Set<() => void>} */
const listeners = new Set();

/** Returns the theme's colours by name, and `font`. */
export function palette() {
  if (theme.font) return theme;
  const style = getComputedStyle(document.documentElement);
  theme = { font: style.fontFamily };
  for (const name of NAMES) theme[name] = style.getPropertyValue(`--${name}`).trim();
  return theme;
}

light.addEventListener("change", () => {
  theme = {};
  for (const listener of listeners) listener();
});

/** @param {() => void} listener @returns {() => void} function that removes the listener */
export function onTheme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {number} index of the island, in the order of the swarm file */
export function islandColour(index) {
  const hues = light.matches ? HUES.light : HUES.dark;
  return hues[((index % hues.length) + hues.length) % hues.length];
}

/** @param {number} index @returns {number[]} */
export const islandDash = (index) => DASHES[Math.floor(Math.max(0, index) / HUES.dark.length) % DASHES.length];
