"""Translate designs of AutoMoDe-Maple to trees.

    python3 tools/automode/maple.py FILE DIR

FILE has one design in a line, in the serial form of ARGoS3-AutoMoDe (branch BehaviorTree,
`--rootnode 0 --nchildsroot 2 --n0 0 --nc0 1 --c0x0 ...`). DIR receives design-0.bt, design-1.bt, and so on. The trees run
on the robot models rm1.1 and rm1.2. docs/automode.md compares them with published results.
"""

import math
import sys
from pathlib import Path

AGAIN = "movcv v_goal 0deg"
# Directions longer than 0.1 are followed at full speed; shorter ones mean straight ahead.
FOLLOW = ["sel", ["seq", "ifquad v_scr 0", AGAIN], "mulav v_goal v_zero 10 v_scr"]


def probability(beta):
    """Return a node that succeeds with probability beta, limited to what the node can express."""
    beta = min(max(beta, 0.0), 1.0)
    if beta >= 0.98:
        return "successl"
    if beta <= 0.02:
        return "failurel"
    k = 4.0 * math.log(1.0 / beta - 1.0)
    return f"fixedprob {round(min(max(k, -16.0), 15.875) * 8) / 8}"


def condition(kind, options, name):
    floors = {0: "ifsect s_ground 180deg 40deg", 1: "ifquad s_ground 0", 2: "ifsect s_ground 0deg 40deg"}
    p = float(options["p" + name])
    if kind in floors:
        return ["seq", floors[kind], probability(p)]
    if kind == 5:
        return probability(p)
    eta = round(min(float(options["w" + name]), 15.875) * 8) / 8
    neighbours = f"neighbour {eta} {int(p)}"
    return neighbours if kind == 3 else ["invert", neighbours]


def behaviour(kind, options, number):
    if kind == 0:
        tau = int(float(options[f"rwm{number}"]))
        # A turn lasts 0 to tau - 1 updates after the one in which the obstacle was seen.
        turn = lambda quadrant, goal: ["seqm", f"ifquad v_prox {quadrant}", [f"repeatr {max(tau, 1)}", f"movcv v_goal {goal}"]]
        return ["seq", ["selm", turn(1, "-179deg"), turn(-1, "178deg"), AGAIN], AGAIN]
    if kind == 1:
        return ["seq", "mulav v_goal v_zero 1 v_zero", AGAIN]
    if kind in (2, 3):
        towards = [f"mulav v_scr v_zero {2 if kind == 2 else -2} v_light", "mulav v_scr v_scr -5 v_prox"]
    elif kind == 4:
        towards = [f"mulav v_scr v_zero {float(options[f'att{number}'])} v_attr", "mulav v_scr v_scr -6 v_prox"]
    else:
        towards = [f"mulav v_scr v_zero {-float(options[f'rep{number}'])} v_attr", "mulav v_scr v_scr -5 v_prox"]
    return ["seq", *towards, FOLLOW, AGAIN]


def design(line):
    words = line.split()
    options = {key.removeprefix("--"): value for key, value in zip(words[::2], words[1::2])}
    branches = []
    for number in range(int(options["nchildsroot"])):
        kinds = range(int(options[f"nc{number}"]))
        conditions = [condition(int(options[f"c{number}x{i}"]), options, f"{number}x{i}") for i in kinds]
        branches.append(["sel", *conditions, behaviour(int(options[f"a{number}"]), options, number)])
    return ["seqm", *branches]


def text(node, depth=0):
    indent = "  " * depth
    if isinstance(node, str):
        return f"{indent}{node}\n"
    return f"{indent}{node[0]}\n" + "".join(text(child, depth + 1) for child in node[1:])


def main(source, folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    lines = [line for line in Path(source).read_text().splitlines() if line.strip()]
    for number, line in enumerate(lines):
        Path(folder, f"design-{number}.bt").write_text(f"# {line.strip()}\n{text(design(line))}")
    print(f"{len(lines)} trees in {folder}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
