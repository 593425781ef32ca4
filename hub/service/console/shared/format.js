// @ts-check
// Formatting of numbers and times. Anything other than a finite number becomes a dash.

/** @param {unknown} value @returns {number | null} */
export const num = (value) => (typeof value === "number" && Number.isFinite(value) ? value : null);

export const DASH = "–";

/** @param {unknown} value @param {number} digits @param {string} [unit] */
export function fixed(value, digits, unit = "") {
  const told = num(value);
  if (told === null) return DASH;
  const text = told.toFixed(digits);
  // Avoids "-0.00": the sign of a value rounded to zero is meaningless.
  return (Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−")) + unit;
}

/** Formats the raw value of a mission with up to four significant digits, as in " (value 25.2)"; "" without a value. @param {unknown} value */
export function valueNote(value) {
  const told = num(value);
  return told === null ? "" : ` (value ${String(Math.abs(told) < 1e4 ? Number(told.toPrecision(4)) : Math.round(told)).replace("-", "−")})`;
}

/** Formats minutes and seconds, with hours from one hour on. @param {unknown} seconds */
export function clock(seconds) {
  const told = num(seconds);
  if (told === null) return DASH;
  const whole = Math.max(0, Math.floor(told));
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  const hours = Math.floor(whole / 3600);
  if (hours > 0) parts.unshift(hours);
  return parts.map((part, i) => (i === 0 && hours > 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

/** Formats a duration in its two largest units. @param {unknown} seconds */
export function span(seconds) {
  const told = num(seconds);
  if (told === null) return DASH;
  const whole = Math.max(0, Math.round(told));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 10) return whole % 60 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} days`;
}

/** @param {unknown} bytes */
export function bytes(bytes) {
  const told = num(bytes);
  if (told === null) return DASH;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [size, unit] = [told, 0];
  while (size >= 999.5 && unit < units.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${size < 10 && unit > 0 ? size.toFixed(1) : size.toFixed(0)} ${units[unit]}`;
}

/** Formats thousands with a unit prefix: 21400 is "21.4 k". @param {unknown} value */
export function thousands(value) {
  const told = num(value);
  if (told === null) return DASH;
  if (Math.abs(told) < 1000) return fixed(told, 0);
  if (Math.abs(told) < 1e6) return fixed(told / 1000, told < 1e5 ? 1 : 0, " k");
  return fixed(told / 1e6, 1, " M");
}

/**
 * Formats the labels of evenly spaced ticks: with enough decimals that all labels differ, and thousands with a unit prefix.
 * @param {number[]} ticks @param {number} step
 */
export function tickTexts(ticks, step) {
  const [size, letter] = step >= 1e6 ? [1e6, " M"] : step >= 1000 ? [1000, " k"] : [1, ""];
  const digits = clamp(-Math.floor(Math.log10(step / size) + 1e-9), 0, 9);
  return ticks.map((tick) => fixed(tick / size, digits, tick === 0 ? "" : letter));
}

/** @param {number} n @param {string} one @param {string} [many] */
export const count = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

/** @param {unknown} unixMs */
export function timeOfDay(unixMs) {
  const told = num(unixMs);
  return told === null ? "" : new Date(told).toTimeString().slice(0, 8);
}

/** @param {unknown} unixMs */
export function dateTime(unixMs) {
  const told = num(unixMs);
  if (told === null) return DASH;
  const date = new Date(told);
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  return `${day} ${date.toTimeString().slice(0, 5)}`;
}

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

/** Normalises an angle to between -pi and pi. @param {number} angle */
export const wrap = (angle) => Math.atan2(Math.sin(angle), Math.cos(angle));

/** Compares texts with embedded numbers in natural order: xp2 before xp10. */
export const natural = new Intl.Collator("en", { numeric: true }).compare;
