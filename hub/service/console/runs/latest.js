// @ts-check
// Newest run of the catalogue; after the end of a run, this is the ended run.

import { get } from "../link/api.js";

/** @returns {Promise<import("../link/contract.js").RunRow | null>} */
export async function latestRun() {
  try {
    const rows = await get("/api/runs");
    return rows?.[0] ?? null;
  } catch {
    return null;
  }
}
