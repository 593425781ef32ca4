// @ts-check
// Conversion of held keys or a gamepad's stick into wheel speeds. Pure.

/** Maximum wheel speed of manual driving (m/s): two thirds of an e-puck's maximum. */
export const FASTEST = 0.085;
/** Dead zone: a released stick is rarely exactly at zero. */
const DEAD = 0.12;

/** Arrow keys with their requests: ahead and to the left, -1 to 1. @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 0.5], ArrowRight: [0, -0.5] };

/** Returns the speeds of the left and the right wheel (m/s). @param {number} ahead -1 to 1 @param {number} left -1 to 1 @returns {[number, number]} */
export function wheels(ahead, left) {
  const most = Math.max(1, Math.abs(ahead - left), Math.abs(ahead + left));
  return [((ahead - left) / most) * FASTEST, ((ahead + left) / most) * FASTEST];
}

/** @param {Iterable<string>} held pressed keys @returns {[number, number]} */
export function ofKeys(held) {
  let [ahead, left] = [0, 0];
  for (const key of held) {
    ahead += ARROWS[key]?.[0] ?? 0;
    left += ARROWS[key]?.[1] ?? 0;
  }
  return wheels(ahead, left);
}

/** @param {readonly number[]} axes of a gamepad, the first two to the right and backwards @returns {[number, number] | null} null while the stick is released */
export function ofStick(axes) {
  const [right = 0, back = 0] = axes.map((value) => (Number.isFinite(value) && Math.abs(value) > DEAD ? value : 0));
  return right === 0 && back === 0 ? null : wheels(-back, -right * 0.5);
}
