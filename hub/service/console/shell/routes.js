// @ts-check
// Addresses of views: the part of the page's address after the #.

/**
 * @typedef {object} Route
 * @property {string} view watch, robots, robot, evolution, tree, run, runs, compare
 * @property {string} id of the robot or run, or ""
 * @property {string[]} ids of runs to compare
 * @property {string} replay id of the replayed run, or ""
 * @property {Record<string, string>} query
 */

export const VIEWS = ["watch", "robots", "evolution", "tree", "run", "runs"];
const REPLAYED = ["watch", "robots", "robot", "evolution", "tree"];
const OTHERS = ["robot", "compare"];

/** @param {string} hash @returns {Route} */
export function parse(hash) {
  const [path, search = ""] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decode);
  const query = Object.fromEntries(new URLSearchParams(search));
  if (parts[0] === "replay" && parts[1]) {
    const view = REPLAYED.includes(parts[2]) ? parts[2] : "watch";
    return { view, id: parts[3] ?? "", ids: [], replay: parts[1], query };
  }
  if (parts[0] === "compare") return { view: "compare", id: "", ids: (parts[1] ?? "").split(",").filter(Boolean), replay: "", query };
  const known = VIEWS.includes(parts[0]) || OTHERS.includes(parts[0]);
  return { view: known ? parts[0] : "watch", id: known ? parts[1] ?? "" : "", ids: [], replay: "", query };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} view @param {string} [id] */
export const link = (view, id = "") => `#/${view}${id ? `/${encodeURIComponent(id)}` : ""}`;

/** @param {string} run @param {string} [view] @param {string} [id] */
export const replayLink = (run, view = "watch", id = "") =>
  `#/replay/${encodeURIComponent(run)}/${view}${id ? `/${encodeURIComponent(id)}` : ""}`;
