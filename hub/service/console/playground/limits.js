// @ts-check
// Limits of texts and numbers, so that the page stays fast whatever comes from an address or a field.

const MOST_CHARACTERS = 64 * 1024;
const MOST_LINES = 4000;
const LONGEST_LINE = 1000;

/** Returns what is wrong with the size of a text, or an empty string. @param {string} text */
export function textFault(text) {
  if (text.length > MOST_CHARACTERS) return `the text has ${text.length} characters; at most ${MOST_CHARACTERS} are allowed`;
  const lines = text.split("\n");
  if (lines.length > MOST_LINES) return `the text has ${lines.length} lines; at most ${MOST_LINES} are allowed`;
  const long = lines.findIndex((line) => line.length > LONGEST_LINE);
  return long < 0 ? "" : `line ${long + 1} has ${lines[long].length} characters; at most ${LONGEST_LINE} are allowed`;
}

/** Returns the number of a field, within the field's range; its lowest number if the field has none. @param {HTMLInputElement} input */
export function within(input) {
  const [low, high] = [Number(input.min), Number(input.max)];
  const value = Number.isNaN(input.valueAsNumber) ? low : input.valueAsNumber;
  return Math.min(high, Math.max(low, input.step === "any" ? value : Math.floor(value)));
}
