// @ts-check
// Time series of bounded length, and their conversion to a common time axis for charts.

/** @typedef {import("../link/contract.js").Num} Num @typedef {import("../link/contract.js").Island} Island */

export const ISLAND_COLUMNS = /** @type {const} */ (["generation", "best", "derated", "mean", "size", "unique", "mean_size"]);

/** @returns {Island} */
export const emptyIsland = () => ({ t: [], generation: [], best: [], derated: [], mean: [], size: [], unique: [], mean_size: [] });

/**
 * Drops every other row of the older half, so that a growing series stays bounded and the newest rows stay exact.
 * @param {Record<string, any[]>} columns @param {number} most
 */
export function thin(columns, most) {
  if (columns.t.length <= most) return;
  const half = columns.t.length >> 1;
  for (const name of Object.keys(columns)) columns[name] = columns[name].filter((_, i) => i >= half || i % 2 === 0);
}

// Time in which a run's islands restart (s); later, only a robot that was switched off and on restarts.
const BEGINNING = 10;

/** Whether a generation belongs to an earlier run: its robot reported it before the run's clock started. @param {number} t of the run's clock */
export const isBefore = (t) => t <= 0;

/** Whether an island restarted for this run between two generations. @param {Num} before @param {Num} now @param {number} t */
export const beganAnew = (before, now, t) => t < BEGINNING && before !== null && now !== null && now < before;

/** Returns an island without the rows of the previous run, which its robot reports until the new run begins on the robot. @param {Island} island @returns {Island} */
export function ofThisRun(island) {
  let from = 0;
  island.t.forEach((t, i) => {
    if (isBefore(t)) from = i + 1;
    else if (i > 0 && beganAnew(island.generation[i - 1], island.generation[i], t)) from = i;
  });
  const kept = emptyIsland();
  kept.t = island.t.slice(from);
  for (const name of ISLAND_COLUMNS) kept[name] = island[name].slice(from);
  return kept;
}

/**
 * Returns the value of a series at each of the times: the value of the latest row up to that time; null before the first row.
 * @param {number[]} t ascending @param {Num[]} values @param {number[]} times ascending @param {number} [end] no values after this time
 * @returns {Num[]}
 */
export function hold(t, values, times, end = Infinity) {
  let at = -1;
  return times.map((time) => {
    while (at + 1 < t.length && t[at + 1] <= time) at++;
    return at < 0 || time > end ? null : values[at] ?? null;
  });
}

/**
 * Returns the mean of a series around each of the evenly spaced times; without rows, the latest mean is repeated.
 * The estimated fitness of a champion jumps with every generation, and an unsmoothed line would be unreadable.
 * @param {number[]} t ascending @param {Num[]} values @param {number[]} times ascending
 * @returns {Num[]}
 */
export function smooth(t, values, times) {
  const half = times.length > 1 ? (times[1] - times[0]) / 2 : Infinity;
  let at = 0;
  /** @type {Num} */
  let last = null;
  return times.map((time) => {
    let [sum, n] = [0, 0];
    for (; at < t.length && t[at] <= time + half; at++) {
      const value = values[at];
      if (value !== null && Number.isFinite(value)) [sum, n] = [sum + value, n + 1];
    }
    if (n > 0) last = sum / n;
    return last;
  });
}

/** Returns a series without the values after a time, which lie in the future of a replay. @param {number[]} times @param {Num[]} values @param {number} end @returns {Num[]} */
export const upTo = (times, values, end) => values.map((value, i) => (times[i] <= end ? value : null));

/** @param {number} from @param {number} to @param {number} n @returns {number[]} */
export function grid(from, to, n) {
  if (!(to > from)) return [from];
  return Array.from({ length: n }, (_, i) => from + ((to - from) * i) / (n - 1));
}

/** Returns the mean of the columns that have a value, row by row. @param {Num[][]} columns @returns {Num[]} */
export function meanOf(columns) {
  const rows = columns[0]?.length ?? 0;
  /** @type {Num[]} */
  const mean = [];
  for (let i = 0; i < rows; i++) {
    let [sum, n] = [0, 0];
    for (const column of columns) {
      const value = column[i];
      if (value !== null && Number.isFinite(value)) [sum, n] = [sum + value, n + 1];
    }
    mean.push(n > 0 ? sum / n : null);
  }
  return mean;
}

/**
 * Returns one column of every island on a common time axis, and the mean of all islands.
 * @param {Map<string, Island>} islands @param {string[]} ids @param {(typeof ISLAND_COLUMNS)[number]} column @param {number} rows
 * @param {typeof hold | typeof smooth} [way]
 * @returns {{t: number[], mean: Num[], lines: Num[][]}}
 */
export function together(islands, ids, column, rows, way = hold) {
  const known = ids.map((id) => islands.get(id) ?? emptyIsland());
  const ends = known.map((island) => island.t.at(-1) ?? 0);
  const times = grid(0, Math.max(1, ...ends), rows);
  const lines = known.map((island) => way(island.t, island[column], times));
  return { t: times, mean: meanOf(lines), lines };
}
