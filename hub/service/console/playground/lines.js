// @ts-check
// Changes of a tree's text by nodes. Node n of a drawing is the nth line with code.

/** @typedef {{line: number, level: number}} Place line index from 0, and level of indentation */

/** Returns the places of the nodes of a text. @param {string} text @returns {Place[]} */
export function places(text) {
  /** @type {Place[]} */
  const found = [];
  text.split("\n").forEach((line, i) => {
    const code = line.split("#")[0].trimEnd();
    if (code.trim()) found.push({ line: i, level: Math.floor((code.length - code.trimStart().length) / 2) });
  });
  return found;
}

/** Returns the first line after the subtree of a node. @param {Place[]} all @param {number} node @param {number} lines */
function endOf(all, node, lines) {
  const next = all.slice(node + 1).find(({ level }) => level <= all[node].level);
  return next ? next.line : lines;
}

/** @param {string} text @param {number} node @param {(lines: string[], from: number, to: number, all: Place[]) => string[]} change */
function edit(text, node, change) {
  const lines = text.replace(/\n+$/, "").split("\n");
  const all = places(text);
  if (!all[node]) return text;
  return `${change(lines, all[node].line, endOf(all, node, lines.length), all).join("\n")}\n`;
}

/** Removes a node with its subtree. @param {string} text @param {number} node */
export const remove = (text, node) => edit(text, node, (lines, from, to) => [...lines.slice(0, from), ...lines.slice(to)]);

/** Adds a copy of a subtree behind it. @param {string} text @param {number} node */
export const duplicate = (text, node) => edit(text, node, (lines, from, to) => [...lines.slice(0, to), ...lines.slice(from, to), ...lines.slice(to)]);

/** Puts a subtree below a new node. @param {string} text @param {number} node @param {string} name of the new node */
export const wrap = (text, node, name) => edit(text, node, (lines, from, to, all) => {
  const indent = "  ".repeat(all[node].level);
  return [...lines.slice(0, from), `${indent}${name}`, ...lines.slice(from, to).map((line) => (line.trim() ? `  ${line}` : line)), ...lines.slice(to)];
});

/** Replaces the code of a node. @param {string} text @param {number} node @param {string} code */
export const replace = (text, node, code) => edit(text, node, (lines, from, _, all) => lines.map((line, i) => (i === from ? "  ".repeat(all[node].level) + code.trim() : line)));

/** Adds a node as the last child. @param {string} text @param {number} node @param {string} code */
export const addChild = (text, node, code) => edit(text, node, (lines, _, to, all) => [...lines.slice(0, to), "  ".repeat(all[node].level + 1) + code.trim(), ...lines.slice(to)]);

/** Exchanges a subtree with the sibling before it (-1) or behind it (1). @param {string} text @param {number} node @param {-1 | 1} step */
export function move(text, node, step) {
  const all = places(text);
  const siblings = siblingsOf(all, node);
  const other = siblings[siblings.indexOf(node) + step];
  if (other === undefined) return text;
  const [first, second] = step < 0 ? [other, node] : [node, other];
  const lines = text.replace(/\n+$/, "").split("\n");
  const [a, b, c] = [all[first].line, all[second].line, endOf(all, second, lines.length)];
  return `${[...lines.slice(0, a), ...lines.slice(b, c), ...lines.slice(a, b), ...lines.slice(c)].join("\n")}\n`;
}

/** Returns the children of the parent of a node. @param {Place[]} all @param {number} node @returns {number[]} */
function siblingsOf(all, node) {
  const level = all[node]?.level;
  if (level === undefined) return [];
  let first = node;
  while (first > 0 && all[first - 1].level >= level) first--;
  let end = node;
  while (end + 1 < all.length && all[end + 1].level >= level) end++;
  return all.map((_, i) => i).filter((i) => i >= first && i <= end && all[i].level === level);
}
