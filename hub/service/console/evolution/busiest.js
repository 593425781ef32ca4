// @ts-check
// Selection of islands for a matrix that has no room for all.

/**
 * Returns the islands with the most migration, in their original order.
 * @param {string[]} ids @param {number[][]} counts @param {number} most
 */
export function busiest(ids, counts, most) {
  const traffic = ids.map((_, i) => ids.reduce((sum, __, j) => sum + (counts[i]?.[j] ?? 0) + (counts[j]?.[i] ?? 0), 0));
  const order = ids.map((_, i) => i).sort((a, b) => traffic[b] - traffic[a]).slice(0, most);
  return order.sort((a, b) => a - b);
}
