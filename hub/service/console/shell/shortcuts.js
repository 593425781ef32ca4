// @ts-check
// Keyboard shortcuts. A view's own shortcuts take precedence over global ones; while the user types, keys are text.

/**
 * @typedef {object} Shortcut
 * @property {string} key value of KeyboardEvent.key; letters in lower case
 * @property {string} shown text in the overlay
 * @property {string} does description
 * @property {() => void} act
 * @property {boolean} [repeats] whether it repeats while the key is held down
 */

/** @param {EventTarget | null} target */
function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !["button", "checkbox", "radio", "range", "file", "submit"].includes(target.type);
}

export class Shortcuts {
  /** @param {() => void} stop action of the space bar */
  constructor(stop) {
    this.stop = stop;
    /** @type {{title: string, shortcuts: Shortcut[]}[]} later groups take precedence */
    this.groups = [];
    // Registered before all other handlers: the space bar stops the swarm, regardless of the focused element.
    addEventListener("keydown", (event) => this.take(event), { capture: true });
    addEventListener("keyup", (event) => {
      if (event.key === " " && !isTyping(event.target)) event.preventDefault();
    }, { capture: true });
  }

  /** @param {string} title @param {Shortcut[]} shortcuts @returns {() => void} function that removes the shortcuts */
  add(title, shortcuts) {
    const group = { title, shortcuts };
    this.groups.push(group);
    return () => {
      this.groups = this.groups.filter((other) => other !== group);
    };
  }

  /** @param {KeyboardEvent} event */
  take(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") return this.act(event, "Escape");
    if (isTyping(event.target)) return;
    if (event.key === " ") {
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) this.stop();
      return;
    }
    this.act(event, event.key.length === 1 ? event.key.toLowerCase() : event.key);
  }

  /** @param {KeyboardEvent} event @param {string} key */
  act(event, key) {
    for (let i = this.groups.length - 1; i >= 0; i--) {
      const shortcut = this.groups[i].shortcuts.find((other) => other.key === key);
      if (!shortcut) continue;
      if (event.key !== "Escape") event.preventDefault();
      if (!event.repeat || shortcut.repeats) shortcut.act();
      return;
    }
  }
}
