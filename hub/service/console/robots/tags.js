// @ts-check
// Description of the AprilTags that a robot's camera detects.

/** @param {import("../link/contract.js").Tags | null} tags */
export function tagsInWords(tags) {
  if (!tags) return "";
  const one = (/** @type {import("../link/contract.js").Tag} */ tag) => {
    const degrees = Math.round((Number(tag.bearing) * 180) / Math.PI);
    const side = degrees === 0 ? "ahead" : `${Math.abs(degrees)}° ${degrees > 0 ? "left" : "right"}`;
    return `${tag.id} at ${Number(tag.range).toFixed(2)} m, ${side}`;
  };
  const list = Array.isArray(tags.tags) ? tags.tags : [];
  const seen = list.length === 0 ? "No tags" : `Tags: ${list.map(one).join("; ")}`;
  const doubled = Number(tags.doubled) || 0;
  return doubled === 0 ? seen : `${seen}. ${doubled} ignored so far: detected twice in one picture`;
}
