// @ts-check
// Placement of the robots' name labels around the robots without overlaps. If there is no room near a robot, its
// label is placed further away with a leader line; if there is no room there either, it is omitted.

/**
 * @typedef {{key: string, x: number, y: number, r: number, width: number, height: number, first?: boolean}} Anchor
 * @typedef {{key: string, left: number, top: number, right: number, bottom: number, leader: boolean, slot: number}} Box
 */

const GAP = 3;
// Number of robots above which leader lines would hide the robots.
const MANY = 24;
const FAR = [1, 2.1, 3.4, 4.8];
// Directions in the order of the attempts, as fractions of a turn from +x, clockwise on the screen.
const TURNS = [0, 0.25, 0.5, 0.75, 0.875, 0.125, 0.375, 0.625];
const SLOTS = FAR.flatMap((far, ring) => TURNS.map((turn) => {
  const angle = (turn + (ring % 2 ? 1 / 16 : 0)) * 2 * Math.PI;
  return { ux: Math.cos(angle), uy: Math.sin(angle), far, ring };
}));

/** @param {Anchor} anchor @param {number} slot @returns {Box} */
function boxAt({ key, x, y, r, width, height }, slot) {
  const { ux, uy, far, ring } = SLOTS[slot];
  const out = r * far + GAP + (ring > 0 ? height * ring * 0.8 : 0);
  // The box touches a circle of radius `out` from outside.
  const middleX = x + ux * (out + width / 2);
  const middleY = y + uy * (out + height / 2);
  const left = Math.round(middleX - width / 2);
  const top = Math.round(middleY - height / 2);
  return { key, left, top, right: left + width, bottom: top + height, leader: ring > 0, slot };
}

/** @param {Box} a @param {Box} b */
export const crosses = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** @param {Box} box @param {Anchor} disc @returns {boolean} whether the box covers a part of the disc */
function covers(box, disc) {
  const dx = disc.x - Math.max(box.left, Math.min(disc.x, box.right));
  const dy = disc.y - Math.max(box.top, Math.min(disc.y, box.bottom));
  return dx * dx + dy * dy < disc.r * disc.r;
}

/**
 * Places labels greedily: first the mandatory labels, then the others in the given order. The returned boxes do not intersect.
 * @param {Anchor[]} anchors @param {{width: number, height: number}} area @param {Map<string, number>} [before]
 * slots of the previous call, which are tried first, so that labels do not jump; updated by the call
 * @returns {Box[]}
 */
export function placeLabels(anchors, area, before = new Map()) {
  /** @type {Box[]} */
  const placed = [];
  const order = [...anchors.filter((anchor) => anchor.first), ...anchors.filter((anchor) => !anchor.first)];
  for (const anchor of order) {
    // Only objects within reach of the label can be in its way.
    const reach = anchor.r * FAR[FAR.length - 1] + 3 * anchor.height + anchor.width + 2 * GAP;
    const boxes = placed.filter((box) => box.left < anchor.x + reach && box.right > anchor.x - reach && box.top < anchor.y + reach && box.bottom > anchor.y - reach);
    const discs = anchors.filter((disc) => Math.abs(disc.x - anchor.x) < reach + disc.r && Math.abs(disc.y - anchor.y) < reach + disc.r);
    const slots = anchors.length > MANY && !anchor.first ? 2 * TURNS.length : SLOTS.length;
    const box = place(anchor, before.get(anchor.key), slots, (box) => isFree(box, area, boxes, discs));
    if (box) {
      placed.push(box);
      before.set(anchor.key, box.slot);
    } else before.delete(anchor.key);
  }
  if (before.size > 4 * anchors.length + 16) before.clear();
  return placed;
}

/** @param {Box} box @param {{width: number, height: number}} area @param {Box[]} boxes @param {Anchor[]} discs */
function isFree(box, area, boxes, discs) {
  if (box.left < 0 || box.top < 0 || box.right > area.width || box.bottom > area.height) return false;
  for (const other of boxes) if (crosses(box, other)) return false;
  for (const disc of discs) if (covers(box, disc)) return false;
  return true;
}

/** @param {Anchor} anchor @param {number | undefined} last @param {number} slots number of slots that may be tried @param {(box: Box) => boolean} free @returns {Box | null} */
function place(anchor, last, slots, free) {
  // The previous slot is kept while it is near; a label with a leader line tries to return.
  if (last !== undefined && last < TURNS.length) {
    const box = boxAt(anchor, last);
    if (free(box)) return box;
  }
  for (let slot = 0; slot < slots; slot++) {
    if (slot === TURNS.length && last !== undefined && last >= slot && last < slots) {
      const box = boxAt(anchor, last);
      if (free(box)) return box;
    }
    const box = boxAt(anchor, slot);
    if (free(box)) return box;
  }
  return null;
}
