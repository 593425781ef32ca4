"""Measure designs as AutoMoDe-Maple was measured: each design in 20 runs of 120 s.

    python3 tools/automode/measure.py WORLD [--robot-model MODEL] [--runs 20] [--seed 7] LABEL=TREE,TREE,... ...

A TREE is a file, or the folder of a run of `xpuck evolve`, of which the champion is measured. The table gives the mean, the
median and the quartiles of the values over all runs, and the lowest and the highest mean of a design. `XPUCK` names the
program if it is not in the path.
"""

import argparse
import csv
import glob
import os
import statistics
import subprocess
import sys
import tempfile


def trees(names):
    for name in names.split(","):
        found = sorted(glob.glob(name))
        if not found:
            sys.exit(f"{name}: no such file or folder")
        for path in found:
            if not os.path.isdir(path):
                yield path
                continue
            champions = glob.glob(os.path.join(path, "trees", "champion-*.bt"))
            if not champions:
                sys.exit(f"{path}: has no champion in trees/; wait until the run has ended")
            yield sorted(champions)[0]


def values(tree, args):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "runs.csv")
        command = [os.environ.get("XPUCK", "xpuck"), "simulate", tree, "--world", args.world, "--runs", str(args.runs)]
        command += ["--seconds", "120", "--seed", str(args.seed), "--csv", table]
        command += ["--robot-model", args.robot_model] if args.robot_model else []
        try:
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        except FileNotFoundError:
            sys.exit(f"{command[0]}: no such program; put it into the path, or name it in XPUCK")
        except subprocess.CalledProcessError:
            sys.exit(f"{tree}: was not measured, see the message above")
        with open(table, newline="") as rows:
            return [float(row["value"]) for row in csv.DictReader(rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("world")
    parser.add_argument("designs", nargs="+", metavar="LABEL=TREE,TREE,...")
    parser.add_argument("--robot-model")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    print("| designs | number | mean (median) [quartiles] | lowest, highest mean of a design |\n|---|---|---|---|")
    for given in args.designs:
        label, _, names = given.partition("=")
        each = [values(tree, args) for tree in trees(names)]
        all_values = [value for runs in each for value in runs]
        low, middle, high = statistics.quantiles(all_values, n=4)
        means = [statistics.mean(runs) for runs in each]
        digits = 1 if statistics.mean(all_values) > 5 else 2
        show = lambda value: f"{value:.{digits}f}"
        print(f"| {label} | {len(each)} | {show(statistics.mean(all_values))} ({show(middle)}) [{show(low)} to {show(high)}] "
              f"| {show(min(means))}, {show(max(means))} |")


if __name__ == "__main__":
    main()
