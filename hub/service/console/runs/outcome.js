// @ts-check
// What a recorded run came to, where the row of the catalogue does not say it.

import { list } from "../shared/dom.js";
import { num } from "../shared/format.js";
import { meanFitness, scored, stoppedBy } from "../shared/words.js";

/** @typedef {import("../link/contract.js").Run} Run */

/** @param {Run} run @returns {import("../link/contract.js").Segment[]} */
export const segmentsOf = (run) => list(run.result?.segments ?? run.history?.segments);

/** How it ended, in words: a record that was closed as it should be may be that of a run that somebody stopped. @param {Run} run */
export function endOf(run) {
  const who = run.row.state === "finished" ? stoppedBy(list(run.events)) : "";
  return who ? `stopped by ${who}` : run.row.state;
}

/**
 * Its mean real fitness: the catalogue's, or that of the segments so far.
 * @param {Run} run @returns {{value: import("../link/contract.js").Num, why: string}} why: there is none
 */
export function meanOfRun(run) {
  const status = /** @type {any} */ ({ segments: segmentsOf(run) });
  const value = num(run.row.mean_fitness) ?? meanFitness(status);
  const why = value !== null ? "" : status.segments.length > 0 && scored(status).length === 0 ? "it ended in segment 0, before evolved trees drove" : "no segment was scored";
  return { value, why };
}
