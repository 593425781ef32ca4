// @ts-check
// Keys. A key means something where a view says so, else what it means everywhere; while somebody types it means a letter.

/**
 * @typedef {object} Shortcut
 * @property {string} key as KeyboardEvent.key has it; letters small
 * @property {string} shown as the overlay shows it
 * @property {string} does in words
 * @property {() => void} act
 * @property {boolean} [repeats] held down it acts again and again
 */

/** @param {EventTarget | null} target */
function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !["button", "checkbox", "radio", "range", "file", "submit"].includes(target.type);
}

export class Shortcuts {
  /** @param {() => void} stop what the space bar does */
  constructor(stop) {
    this.stop = stop;
    /** @type {{title: string, shortcuts: Shortcut[]}[]} later groups go first */
    this.groups = [];
    // Before anything else on the page has a say: the space bar stops the swarm, whatever has the focus.
    addEventListener("keydown", (event) => this.take(event), { capture: true });
    addEventListener("keyup", (event) => {
      if (event.key === " " && !isTyping(event.target)) event.preventDefault();
    }, { capture: true });
  }

  /** @param {string} title @param {Shortcut[]} shortcuts @returns {() => void} what takes them away */
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
