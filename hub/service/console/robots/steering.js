// @ts-check
// From held keys or a gamepad's stick to wheel speeds. Pure.

/** Fastest wheels of the page, m/s: two thirds of what an e-puck can do. */
export const FASTEST = 0.085;
/** A stick that rests is never quite at zero. */
const DEAD = 0.12;

/** The arrow keys with what they ask for: ahead and to the left, -1 to 1. @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowUp: [1, 0], ArrowDown: [-1, 0], ArrowLeft: [0, 0.5], ArrowRight: [0, -0.5] };

/** Speeds of the left and the right wheel, m/s. @param {number} ahead -1 to 1 @param {number} left -1 to 1 @returns {[number, number]} */
export function wheels(ahead, left) {
  const most = Math.max(1, Math.abs(ahead - left), Math.abs(ahead + left));
  return [((ahead - left) / most) * FASTEST, ((ahead + left) / most) * FASTEST];
}

/** @param {Iterable<string>} held keys that are down @returns {[number, number]} */
export function ofKeys(held) {
  let [ahead, left] = [0, 0];
  for (const key of held) {
    ahead += ARROWS[key]?.[0] ?? 0;
    left += ARROWS[key]?.[1] ?? 0;
  }
  return wheels(ahead, left);
}

/** @param {readonly number[]} axes of a gamepad: to the right and backwards first @returns {[number, number] | null} none while it rests */
export function ofStick(axes) {
  const [right = 0, back = 0] = axes.map((value) => (Number.isFinite(value) && Math.abs(value) > DEAD ? value : 0));
  return right === 0 && back === 0 ? null : wheels(-back, -right * 0.5);
}
