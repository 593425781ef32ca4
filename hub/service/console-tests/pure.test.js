import assert from "node:assert/strict";
import test from "node:test";
import { layoutAncestry, tidy } from "../console/evolution/ancestry.js";
import { busiest } from "../console/evolution/busiest.js";
import { bytes, clock, fixed, span, thousands, tickTexts, timeOfDay, valueNote } from "../console/shared/format.js";
import { Rate, inWords } from "../console/shared/rate.js";
import { sensed } from "../console/robots/sensors.js";
import { FASTEST, ofKeys, ofStick, wheels } from "../console/robots/steering.js";
import { tagsInWords } from "../console/robots/tags.js";
import { link, parse, replayLink } from "../console/shell/routes.js";
import { differences, flatten } from "../console/runs/differences.js";
import { hold, meanOf, smooth, thin, together, upTo } from "../console/shared/series.js";
import { goneInWords, lossesInWords, nowInWords } from "../console/shared/words.js";

test("numbers and times", () => {
  assert.deepEqual([fixed(-0.0001, 2), fixed(-1.5, 1), fixed(null, 2), fixed(NaN, 1), fixed("7", 1), fixed(2, 1, " V")], ["0.00", "−1.5", "–", "–", "–", "2.0 V"]);
  assert.deepEqual([clock(0), clock(65.9), clock(3600), clock(-3), clock(undefined)], ["00:00", "01:05", "1:00:00", "00:00", "–"]);
  assert.deepEqual([span(5), span(65), span(700), span(3660), span(1e6)], ["5 s", "1 min 5 s", "11 min", "1 h 1 min", "11 days"]);
  assert.deepEqual([bytes(10), bytes(3.4e6), bytes(81e9), thousands(21400), thousands(999)], ["10 B", "3.4 MB", "81 GB", "21.4 k", "999"]);
  assert.equal(timeOfDay(null), "");
  assert.deepEqual([valueNote(25.2), valueNote(-0.06131), valueNote(1234567), valueNote(null), valueNote(undefined)],
    [" (value 25.2)", " (value −0.06131)", " (value 1234567)", "", ""]);
});

test("no two ticks of an axis read the same", () => {
  assert.deepEqual(tickTexts([0.08, 0.1, 0.12], 0.02), ["0.08", "0.10", "0.12"]);
  assert.deepEqual(tickTexts([-0.2, 0, 0.2], 0.2), ["−0.2", "0.0", "0.2"]);
  assert.deepEqual(tickTexts([0, 50, 100], 50), ["0", "50", "100"]);
  assert.deepEqual(tickTexts([0, 1000, 2000], 1000), ["0", "1 k", "2 k"]);
  for (let power = -3; power <= 7; power++) {
    for (const digit of [1, 2, 5]) {
      const step = Number(`${digit}e${power}`);
      const texts = tickTexts([-1, 0, 1, 2, 3, 4].map((n) => n * step), step);
      assert.equal(new Set(texts).size, texts.length, `${step}: ${texts}`);
    }
  }
});

test("losses of robots are told as times, not as robots", () => {
  assert.deepEqual([lossesInWords(0), lossesInWords(null), lossesInWords(1), lossesInWords(4)],
    ["", "", "a robot was lost (silent for 3 s) 1 time", "a robot was lost (silent for 3 s) 4 times"]);
});

test("robots with a tree that they were given are not said to evolve", () => {
  const robot = (/** @type {string} */ engine) => ({ alive: true, engine: { name: engine }, evolution: { generation: 0 } });
  const told = (/** @type {string} */ engine, /** @type {number} */ seconds) => nowInWords(/** @type {any} */ ({
    world: { task: "transport" }, lines: [], robots: new Map(), status: { phase: "running", segment: 0, run_seconds: seconds, robots: [robot(engine)] },
  })).text;
  assert.match(told("", 30), /Evolution is off/);
  assert.match(told("simd", 30) + told("", 3), /no evolved trees yet[^]*no evolved trees yet/);
});

test("a hub that is gone starts nothing, and the page says why", () => {
  assert.equal(goneInWords("live") + goneInWords("silent") + goneInWords("connecting"), "");
  assert.match(goneInWords("ended"), /has ended: nothing can be started/);
  assert.match(goneInWords("lost"), /cannot be reached: nothing can be started/);
});

test("keys and sticks become wheel speeds that a robot has", () => {
  assert.deepEqual([ofKeys([]), ofKeys(["ArrowUp"]), ofKeys(["ArrowUp", "ArrowDown"])], [[0, 0], [FASTEST, FASTEST], [0, 0]]);
  const [left, right] = ofKeys(["ArrowUp", "ArrowLeft"]);
  assert.ok(left < right && right === FASTEST, "to the left the right wheel is the faster one");
  assert.deepEqual(ofStick([0.05, -0.1]), null, "a stick at rest says nothing");
  assert.deepEqual(ofStick([0, -1]), [FASTEST, FASTEST]);
  assert.deepEqual(ofStick([NaN]), null);
  const turning = ofStick([1, 0]) ?? [0, 0];
  assert.ok(turning[0] > 0 && turning[1] < 0, "to the right");
  for (const both of [wheels(1, 1), wheels(-1, 0.5), wheels(0.3, -1)]) {
    assert.ok(both.every((speed) => Math.abs(speed) <= FASTEST), String(both));
  }
});

test("addresses of views go there and back", () => {
  for (const hash of ["#/watch", "#/robots", "#/robot/xp03", "#/evolution", "#/tree/xp03", "#/run", "#/runs", "#/runs/transport%2017"]) {
    const { view, id } = parse(hash);
    assert.equal(link(view, id), hash);
  }
  assert.deepEqual(parse("#/compare/a,b").ids, ["a", "b"]);
  assert.deepEqual(parse(replayLink("run/1", "tree", "xp03")), { view: "tree", id: "xp03", ids: [], replay: "run/1", query: {} });
  assert.equal(parse("#/replay/r1/watch?t=12.5").query.t, "12.5");
  for (const strange of ["", "#", "#/nowhere/x", "#/replay/r1/run", "#/%E0%A4%A"]) assert.equal(parse(strange).view, "watch");
});

test("series hold their last value, and means leave out what is missing", () => {
  assert.deepEqual(hold([1, 2, 4], [10, 20, 40], [0, 1, 1.5, 2, 5]), [null, 10, 10, 20, 40]);
  assert.deepEqual(hold([1, 2], [10, 20], [1, 2, 3], 2), [10, 20, null]);
  assert.deepEqual(upTo([0, 1, 2], [5, 6, 7], 1), [5, 6, null]);
  assert.deepEqual(meanOf([[1, null], [3, null]]), [2, null]);
  const columns = { t: Array.from({ length: 101 }, (_, i) => i), v: Array.from({ length: 101 }, (_, i) => i) };
  thin(columns, 100);
  assert.equal(columns.t.length, columns.v.length);
  assert.ok(columns.t.length <= 80 && columns.t.at(-1) === 100 && columns.t[0] === 0);
});

test("islands come onto one axis with their mean", () => {
  const island = (t, derated) => ({ t, generation: t, best: derated, derated, mean: derated, size: t, unique: t, mean_size: t });
  const islands = new Map([["a", island([0, 10], [0, 1])], ["b", island([0, 20], [0, 3])]]);
  const { t, mean, lines } = together(islands, ["a", "b"], "derated", 3);
  assert.deepEqual(t, [0, 10, 20]);
  assert.deepEqual(lines, [[0, 1, 1], [0, 0, 3]]);
  assert.deepEqual(mean, [0, 0.5, 2]);
});

test("ancestors stand left of their children, also in circles that cannot be", () => {
  const node = (gene, island, generation, parents) => ({ gene, island, number: 0, generation, operator: "", fitness: null, parents });
  assert.deepEqual(tidy({ gene: "4.7", island: 2, parents: ["1.1", "1.1"] }, ["xp01", "xp02"]), { gene: "4.7", island: "xp02", parents: ["1.1"] });
  const { spots, edges, lanes, steps } = layoutAncestry([node("3", "b", 2, ["1", "2"]), node("2", "a", 1, ["1"]), node("1", "a", 0, [])], ["a", "b"]);
  assert.equal(edges.length, 3);
  for (const [from, to] of edges) assert.ok(from.x < to.x);
  assert.deepEqual(lanes, ["a", "b"]);
  assert.equal(steps, 2);
  layoutAncestry([node("1", "a", 0, ["2"]), node("2", "a", 0, ["1"])], ["a"]);
  assert.equal(spots.get("1").x, 0);
});

test("the busiest islands keep their order", () => {
  assert.deepEqual(busiest(["a", "b", "c"], [[0, 5, 0], [0, 0, 0], [0, 9, 0]], 2), [1, 2]);
});

test("experiments differ by their keys, not by their lines", () => {
  const a = "name = \"x\" # comment\nminutes = 16\n[evolution]\npopulation = 256\nlist = [\n  1,\n  2,\n]\n[[phase]]\nkind = \"evolve\"\n[[phase]]\nkind = \"rest\"\n";
  assert.equal(flatten(a).get("evolution.list"), "[ 1, 2, ]");
  assert.equal(flatten(a).get("phase 2.kind"), "\"rest\"");
  assert.equal(flatten("say = \"a # b\"").get("say"), "\"a # b\"");
  assert.deepEqual(differences([a, `# moved\n${a.replace("256", "128")}`]), [{ key: "evolution.population", values: ["256", "128"] }]);
});

test("smoothed series are means around their times, and go on where nothing comes", () => {
  assert.deepEqual(smooth([0, 1, 2, 3, 9], [0, 2, 4, 6, 8], [0, 2, 4, 6, 8, 10]), [1, 5, 5, 5, 8, 8]);
  assert.deepEqual(smooth([3], [7], [0, 2, 4]), [null, 7, 7]);
  assert.deepEqual(smooth([], [], [0, 1]), [null, null]);
});

test("pictures a second are counted by their numbers, and a hub that began anew counts anew", () => {
  const rate = new Rate();
  assert.equal(rate.get(), null);
  for (let n = 0; n < 30; n++) rate.take(Math.floor(n / 2), n * 250);
  assert.ok(Math.abs(/** @type {number} */ (rate.get()) - 2) < 0.01, String(rate.get()));
  rate.take(1, 8000);
  assert.equal(rate.get(), null);
  rate.take(2, 9000);
  assert.equal(rate.get(), 1);
  assert.deepEqual([inWords(2.04, 0.44), inWords(null, 12.3)], ["2.0 pictures per second, 0.4 s old", "12 s old"]);
});

test("tags are told in words, and those that were not believed are counted", () => {
  assert.deepEqual([tagsInWords(null), tagsInWords({ t: 1, age: 0.1, doubled: 0, tags: [] })], ["", "No tags"]);
  const tag = (/** @type {number} */ id, /** @type {number} */ range, /** @type {number} */ bearing) => ({ id, range, bearing, height: 0, facing: 3 });
  const told = tagsInWords({ t: 1, age: 0.1, doubled: 2, tags: [tag(7, 0.816, 0.2), tag(3, 1.2, -0.349), tag(1, 2, 0)] });
  assert.equal(told, "Tags: 7 at 0.82 m, 11° left; 3 at 1.20 m, 20° right; 1 at 2.00 m, ahead. 2 ignored so far: detected twice in one picture");
});

test("further sensors are told in words, and what a robot does not have is a dash", () => {
  const none = { acceleration: null, light: null, loudness: [], sound_from: null, steps: null, selector: null, button: null, trouble: "" };
  const names = ["floor", "free ahead", "magnetic heading", "roll, pitch", "light", "acceleration", "sound", "robots heard"];
  assert.deepEqual(Object.entries(sensed(null)), names.map((name) => [name, "–"]), "all at all times, in one order");
  assert.deepEqual(sensed(none), sensed(null));
  const told = sensed({ ...none, acceleration: [0, -0.12, 9.8], light: [0.1, 0.1, 0.8, 0.1, 0.1, 0.1, 0.1, 0.1], loudness: [0.01, 0.02], sound_from: -1.5 });
  assert.deepEqual(told, { ...sensed(null), light: "10 to 80 %, most left", acceleration: "0.0, −0.1, 9.8 m/s²", sound: "2.0 %, from right" });
  const more = sensed({ ...none, ground: [0.1, 0.5, 0.2], ahead: 0.314, heading: 1.5708, tilt: [0, -0.1], heard: [{ robot: 3, bearing: -0.5, strength: 900 }, { robot: 1, bearing: 0, strength: 70 }] });
  assert.deepEqual(more, {
    ...sensed(none), "floor": "10, 50, 20 %", "free ahead": "0.31 m", "magnetic heading": "90°", "roll, pitch": "0°, −6°",
    "robots heard": "3 29° right, 1 ahead",
  });
});
