// @ts-check
// Creation and update of elements. Texts are inserted only as text, because the server's data contains text from
// strangers.

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, any> & {class?: string, text?: string, on?: Record<string, (event: any) => void>}} Props
 */

/** @param {Element} node @param {Props} props */
function apply(node, props) {
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "on") for (const [type, listener] of Object.entries(value)) node.addEventListener(type, /** @type {any} */ (listener));
    else if (key === "text") node.textContent = value;
    else node.setAttribute(key, value === true ? "" : String(value));
  }
}

/**
 * Creates an HTML element.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Props} [props] @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  apply(node, props);
  for (const child of children) if (child) node.append(child);
  return node;
}

/**
 * Creates an SVG element.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} tag @param {Props} [props] @param {...Child} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function s(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  apply(node, props);
  for (const child of children) if (child) node.append(child);
  return node;
}

/**
 * Sets a text. Unchanged text is not set again, so that selections and screen readers are not disturbed five times a second.
 * @param {Node} node @param {unknown} text
 */
export function setText(node, text) {
  const told = String(text ?? "");
  if (node.textContent !== told) node.textContent = told;
}

/** @param {Element} node @param {string} name @param {string | number | boolean | null | undefined} value */
export function setAttr(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
    return;
  }
  const told = value === true ? "" : String(value);
  if (node.getAttribute(name) !== told) node.setAttribute(name, told);
}

/** @param {Element} node @param {string} name @param {boolean} on */
export const setClass = (node, name, on) => void node.classList.toggle(name, on);

/** @param {HTMLElement | SVGElement} node @param {boolean} shown */
export const show = (node, shown) => setAttr(node, "hidden", !shown);

/**
 * Updates a list of elements from a list of items. Elements stay with their items, so the focus is kept.
 * @template T
 * @param {Element} parent @param {T[]} items @param {Map<string, {node: Element}>} kept
 * @param {(item: T) => string} key
 * @param {(item: T) => {node: Element}} make
 * @param {(row: any, item: T, index: number) => void} fill
 */
export function follow(parent, items, kept, key, make, fill) {
  const wanted = new Set();
  items.forEach((item, i) => {
    const id = key(item);
    wanted.add(id);
    let row = kept.get(id);
    if (!row) kept.set(id, (row = make(item)));
    const there = parent.children[i];
    if (there !== row.node) moveBefore(parent, row.node, there ?? null);
    fill(row, item, i);
  });
  for (const [id, row] of kept) {
    if (wanted.has(id)) continue;
    row.node.remove();
    kept.delete(id);
  }
}

// A moved element loses the focus; the focus is restored.
/** @param {Element} parent @param {Element} node @param {Element | null} before */
function moveBefore(parent, node, before) {
  const active = /** @type {HTMLElement | null} */ (document.activeElement);
  const focused = active && node.contains(active) ? active : null;
  parent.insertBefore(node, before);
  focused?.focus({ preventScroll: true });
}

/**
 * Creates a button. The space bar means STOP on this page, so buttons react only to Enter and clicks.
 * @param {string} text @param {() => void} act @param {Props} [props]
 */
export function button(text, act, props = {}) {
  return h("button", { type: "button", text, on: { click: act }, ...props });
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no #${id}`);
  return node;
}

/** @param {unknown} value @returns {any[]} */
export const list = (value) => (Array.isArray(value) ? value : []);
