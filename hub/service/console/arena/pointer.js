// @ts-check
// Zoom, pan and tap with wheel, mouse and fingers.

const TAP_PX = 6;

/**
 * @param {HTMLElement | SVGElement} node
 * @param {{zoom: (factor: number, x: number, y: number) => void, pan: (dx: number, dy: number) => void, tap?: (x: number, y: number) => void}} act
 */
export function listenToPointer(node, act) {
  /** @type {Map<number, {x: number, y: number}>} */
  const down = new Map();
  let way = 0;
  const place = (/** @type {MouseEvent} */ event) => {
    const box = node.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  node.addEventListener("wheel", (event) => {
    const wheel = /** @type {WheelEvent} */ (event);
    wheel.preventDefault();
    const { x, y } = place(wheel);
    act.zoom(Math.exp(-wheel.deltaY * (wheel.deltaMode === 1 ? 0.05 : 0.0016)), x, y);
  }, { passive: false });
  node.addEventListener("pointerdown", (event) => {
    const pointer = /** @type {PointerEvent} */ (event);
    if (pointer.button !== 0) return;
    if (down.size === 0) way = 0;
    down.set(pointer.pointerId, place(pointer));
    // A pointer that has already ended cannot be captured; capturing matters only for drags that leave the element.
    try {
      node.setPointerCapture(pointer.pointerId);
    } catch {}
  });
  node.addEventListener("pointermove", (event) => {
    const pointer = /** @type {PointerEvent} */ (event);
    const before = down.get(pointer.pointerId);
    if (!before) return;
    const now = place(pointer);
    const other = [...down].find(([id]) => id !== pointer.pointerId)?.[1];
    way += Math.hypot(now.x - before.x, now.y - before.y);
    if (other) {
      const spread = Math.hypot(before.x - other.x, before.y - other.y);
      const wide = Math.hypot(now.x - other.x, now.y - other.y);
      if (spread > 10) act.zoom(wide / spread, (now.x + other.x) / 2, (now.y + other.y) / 2);
      act.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
    } else if (way > TAP_PX) act.pan(now.x - before.x, now.y - before.y);
    down.set(pointer.pointerId, now);
  });
  for (const type of ["pointerup", "pointercancel"]) {
    node.addEventListener(type, (event) => {
      const pointer = /** @type {PointerEvent} */ (event);
      const at = down.get(pointer.pointerId);
      down.delete(pointer.pointerId);
      if (at && type === "pointerup" && way <= TAP_PX && down.size === 0) act.tap?.(at.x, at.y);
    });
  }
}
