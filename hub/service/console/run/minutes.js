// @ts-check
// How long an experiment takes, read from its text and written into it. The rest of the text stays as it is.

/**
 * The lines of a text before its first table, as far as they are no part of a longer text.
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

/** @param {string} text @returns {number | null} null if the text does not say it, or not as a number */
export function minutesOf(text) {
  const told = ofTheExperiment(text.split("\n")).map(({ line }) => MINUTES.exec(line)?.[2]).find((value) => value !== undefined);
  const value = Number(told?.replaceAll("_", ""));
  return told === undefined || !Number.isFinite(value) ? null : value;
}

/** Whether each phase says its own time; the experiment has none to say then. @param {string} text */
export const hasPhases = (text) => /^\s*\[\[\s*phase\s*\]\]/m.test(text);

/** @param {string} text @param {number} minutes @returns {string} */
export function withMinutes(text, minutes) {
  const lines = text.split("\n");
  const before = ofTheExperiment(lines);
  // Minutes are no whole number in TOML unless they have no point; both are taken, and the point says that halves are possible.
  const value = Number.isInteger(minutes) ? minutes.toFixed(1) : String(minutes);
  const there = before.find(({ line }) => MINUTES.test(line));
  if (there) lines[there.i] = there.line.replace(MINUTES, (_, key, __, rest) => key + value + rest);
  else {
    // After the last key, so that comments above a table stay with it.
    const last = before.filter(({ line }) => /^\s*[^\s#]/.test(line)).at(-1)?.i ?? -1;
    lines.splice(last + 1, 0, `minutes = ${value}`);
  }
  return lines.join("\n");
}
