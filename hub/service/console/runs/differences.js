// @ts-check
// Differences between the texts of experiments: values by their keys, as in TOML.

const MOST = 2000;

/**
 * Returns the keys and values of a TOML text as a flat map. Sufficient to compare two experiments; invalid texts are not detected.
 * @param {string} text @returns {Map<string, string>}
 */
export function flatten(text) {
  /** @type {Map<string, string>} */
  const values = new Map();
  /** @type {Map<string, number>} number of tables so far in each array of tables */
  const seen = new Map();
  let table = "";
  let open = "";
  for (const raw of text.split("\n").slice(0, MOST)) {
    const line = withoutComment(raw).trim();
    if (line === "") continue;
    if (open) {
      // Continues a list that spans several lines.
      values.set(open, `${values.get(open)} ${line}`);
      if (balance(values.get(open) ?? "") <= 0) open = "";
      continue;
    }
    const array = /^\[\[\s*([^\]]+?)\s*\]\]$/.exec(line);
    const head = /^\[\s*([^\]]+?)\s*\]$/.exec(line);
    if (array) {
      const n = (seen.get(array[1]) ?? 0) + 1;
      seen.set(array[1], n);
      table = `${array[1]} ${n}.`;
    } else if (head) table = `${head[1]}.`;
    else {
      const at = line.indexOf("=");
      if (at < 0) continue;
      const key = table + line.slice(0, at).trim();
      values.set(key, line.slice(at + 1).trim());
      if (balance(line.slice(at + 1)) > 0) open = key;
    }
  }
  return values;
}

/** @param {string} line */
function withoutComment(line) {
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quote) quote = c === quote && line[i - 1] !== "\\" ? "" : quote;
    else if (c === '"' || c === "'") quote = c;
    else if (c === "#") return line.slice(0, i);
  }
  return line;
}

/** @param {string} text */
const balance = (text) => {
  const bare = text.replace(/"[^"]*"|'[^']*'/g, "");
  return (bare.match(/\[/g) ?? []).length - (bare.match(/\]/g) ?? []).length;
};

/**
 * Returns the settings in which the texts differ.
 * @param {string[]} texts @returns {{key: string, values: (string | null)[]}[]}
 */
export function differences(texts) {
  const all = texts.map(flatten);
  const keys = [...new Set(all.flatMap((values) => [...values.keys()]))];
  return keys
    .map((key) => ({ key, values: all.map((values) => values.get(key) ?? null) }))
    .filter(({ values }) => new Set(values).size > 1);
}
