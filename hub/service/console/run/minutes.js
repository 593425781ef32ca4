// @ts-check
// Reads the duration of an experiment from its text and writes it into the text. The rest of the text is unchanged.

/**
 * Returns the lines before the first table, without those inside multi-line strings.
 * @param {string[]} lines @returns {{line: string, i: number}[]}
 */
function ofTheExperiment(lines) {
  const found = [];
  let quote = "";
  for (const [i, line] of lines.entries()) {
    if (!quote && /^\s*\[/.test(line)) break;
    if (!quote) found.push({ line, i });
    for (const [marks] of line.matchAll(/"""|'''/g)) if (!quote || quote === marks) quote = quote ? "" : marks;
  }
  return found;
}

const MINUTES = /^(\s*(?:minutes|"minutes"|'minutes')\s*=\s*)([^\s#]+)(.*)$/;

/** @param {string} text @returns {number | null} null if the text does not contain the duration as a number */
export function minutesOf(text) {
  const told = ofTheExperiment(text.split("\n")).map(({ line }) => MINUTES.exec(line)?.[2]).find((value) => value !== undefined);
  const value = Number(told?.replaceAll("_", ""));
  return told === undefined || !Number.isFinite(value) ? null : value;
}

/** Whether the experiment has phases; each phase then has its own duration. @param {string} text */
export const hasPhases = (text) => /^\s*\[\[\s*phase\s*\]\]/m.test(text);

/** @param {string} text @param {number} minutes @returns {string} */
export function withMinutes(text, minutes) {
  const lines = text.split("\n");
  const before = ofTheExperiment(lines);
  // The value is written with a decimal point: TOML accepts both forms, and the point shows that fractions are
  // possible.
  const value = Number.isInteger(minutes) ? minutes.toFixed(1) : String(minutes);
  const there = before.find(({ line }) => MINUTES.test(line));
  if (there) lines[there.i] = there.line.replace(MINUTES, (_, key, __, rest) => key + value + rest);
  else {
    // The key is inserted after the last key, so that comments above a table stay with the table.
    const last = before.filter(({ line }) => /^\s*[^\s#]/.test(line)).at(-1)?.i ?? -1;
    lines.splice(last + 1, 0, `minutes = ${value}`);
  }
  return lines.join("\n");
}
