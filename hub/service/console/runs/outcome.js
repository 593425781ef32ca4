// @ts-check
// Outcome of a recorded run, where the catalogue's row does not contain it.

import { list } from "../shared/dom.js";
import { num } from "../shared/format.js";
import { meanFitness, scored, stoppedBy } from "../shared/words.js";

/** @typedef {import("../link/contract.js").Run} Run */

/** @param {Run} run @returns {import("../link/contract.js").Segment[]} */
export const segmentsOf = (run) => list(run.result?.segments ?? run.history?.segments);

/** Describes the end of a run: a finished run may have been stopped by an operator. @param {Run} run */
export function endOf(run) {
  const who = run.row.state === "finished" ? stoppedBy(list(run.events)) : "";
  return who ? `stopped by ${who}` : run.row.state;
}

/**
 * Returns the mean real fitness of a run, from the catalogue or else from the segments so far.
 * @param {Run} run @returns {{value: import("../link/contract.js").Num, why: string}} why: reason for a missing value
 */
export function meanOfRun(run) {
  const status = /** @type {any} */ ({ segments: segmentsOf(run) });
  const value = num(run.row.mean_fitness) ?? meanFitness(status);
  const why = value !== null ? "" : status.segments.length > 0 && scored(status).length === 0 ? "it ended in segment 0, before evolved trees drove" : "no segment was scored";
  return { value, why };
}
