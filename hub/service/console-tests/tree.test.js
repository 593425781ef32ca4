import assert from "node:assert/strict";
import test from "node:test";
import { bestLayout, edgePoints, layoutTree, scaleOf, shortened, signOf, wrapText } from "../console/tree/layout.js";

const leaf = (label, kind = "action") => ({ symbol: "", label, kind, children: [] });

/** Creates a tree of composites with `width` children each, in preorder. */
function grow(depth, width) {
  const nodes = [];
  const add = (level) => {
    const at = nodes.length;
    if (level === 0) nodes.push(leaf("movcv v_goal 90deg", at % 2 ? "condition" : "action"));
    else {
      const node = { symbol: "→", label: "seq", kind: "composite", children: [] };
      nodes.push(node);
      for (let i = 0; i < width; i++) node.children.push(add(level - 1));
    }
    return at;
  };
  add(depth);
  return nodes;
}

function assertApart(places) {
  for (let i = 0; i < places.length; i++) {
    for (let j = 0; j < i; j++) {
      const [a, b] = [places[i], places[j]];
      const apart = Math.abs(a.x - b.x) >= (a.width + b.width) / 2 - 0.01 || Math.abs(a.y - b.y) >= (a.height + b.height) / 2 - 0.01;
      assert.ok(apart, `nodes ${j} and ${i} cover each other`);
    }
  }
}

test("no two nodes cover each other, in both directions", () => {
  for (const nodes of [grow(0, 0), grow(1, 5), grow(3, 4), grow(7, 2), grow(20, 1)]) {
    for (const down of [true, false]) {
      const { places, width, height } = layoutTree(nodes, down);
      assertApart(places);
      for (const place of places) {
        assert.ok(place.x - place.width / 2 >= -0.01 && place.x + place.width / 2 <= width + 0.01);
        assert.ok(place.y - place.height / 2 >= -0.01 && place.y + place.height / 2 <= height + 0.01);
      }
    }
  }
});

test("a tree takes the direction and the width of labels in which it is largest", () => {
  for (const nodes of [grow(1, 5), grow(3, 3), grow(7, 2), grow(20, 1)]) {
    for (const [width, height] of [[880, 510], [330, 470], [1400, 300]]) {
      const best = bestLayout(nodes, width, height);
      assertApart(best.places);
      for (const down of [true, false]) assert.ok(scaleOf(best, width, height) >= scaleOf(layoutTree(nodes, down), width, height) - 1e-9);
      assert.equal(bestLayout(nodes, width, height, !best.down).down, !best.down, "unless it is turned");
    }
  }
});

test("labels have three digits of a number", () => {
  assert.equal(shortened("mulav v_goal v_prox 10.238026 v_blue"), "mulav v_goal v_prox 10.2 v_blue");
  assert.equal(shortened("ifsect v_blue -83deg 304deg 0.28690717"), "ifsect v_blue -83deg 304deg 0.287");
});

test("parents stand in the middle of their first and last child, children in order", () => {
  const nodes = grow(3, 3);
  const { places } = layoutTree(nodes, true);
  nodes.forEach((node, i) => {
    if (node.children.length === 0) return;
    const xs = node.children.map((child) => places[child].x);
    assert.ok(Math.abs(places[i].x - (xs[0] + xs[xs.length - 1]) / 2) < 0.01);
    assert.deepEqual([...xs].sort((a, b) => a - b), xs);
  });
});

test("no edge passes through a node, whatever the sizes of those in its level", () => {
  // Composites are small; beside them are actions of several lines, followed by the children of the composites.
  const nodes = [{ symbol: "→", label: "seq", kind: "composite", children: [] }];
  for (let i = 0; i < 6; i++) {
    const at = nodes.push({ symbol: "?", label: "sel", kind: "composite", children: [] }) - 1;
    nodes[0].children.push(at);
    for (let k = 0; k < 1 + i; k++) nodes[at].children.push(nodes.push(leaf("mulav v_goal v_scr 12.3 v_blue and much more that takes lines")) - 1);
    nodes[0].children.push(nodes.push(leaf("movcv v_scr 27deg v_goal v_attr v_blue 1.5", i % 2 ? "condition" : "action")) - 1);
  }
  const bezier = (p, t) => [0, 1].map((i) => (1 - t) ** 3 * p[1][i] + 3 * (1 - t) ** 2 * t * p[2][i] + 3 * (1 - t) * t ** 2 * p[3][i] + t ** 3 * p[4][i]);
  for (const tree of [nodes, grow(3, 4)]) {
    for (const down of [true, false]) {
      const { places } = layoutTree(tree, down);
      for (const [i, node] of tree.entries()) {
        for (const child of node.children) {
          const points = edgePoints(places[i], places[child], down);
          const way = [points[0], ...Array.from({ length: 41 }, (_, k) => bezier(points, k / 40)), points[5]];
          for (const [along, across] of way) {
            const [x, y] = down ? [across, along] : [along, across];
            const through = places.findIndex((place, k) => k !== i && k !== child && Math.abs(place.x - x) < place.width / 2 && Math.abs(place.y - y) < place.height / 2);
            assert.equal(through, -1, `the edge from ${i} to ${child} passes through ${through}`);
          }
        }
      }
    }
  }
});

test("children that are told wrongly do no harm", () => {
  const strange = [{ ...leaf("a", "composite"), children: [1, 1, 7, 0] }, { ...leaf("b", "decorator"), children: [0] }];
  assert.equal(layoutTree(strange, true).places.length, 2);
  assert.deepEqual(layoutTree([], true).places, []);
});

test("texts are broken between words", () => {
  assert.deepEqual(wrapText("mulav v_goal v_scr 12.3 v_blue", 15), ["mulav v_goal", "v_scr 12.3", "v_blue"]);
});

test("composites have their signs, whether words or signs are told", () => {
  const composite = (symbol, label) => signOf({ symbol, label, kind: "composite", children: [1] });
  assert.deepEqual([composite("sel", "sel"), composite("→*", "seqm"), composite("", "seqm"), composite("par", "par 2")], ["?", "→*", "→*", "⇉"]);
});
