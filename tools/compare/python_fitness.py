#!/usr/bin/env python3
"""Compares fitness functions in Python with the same fitness as a formula of a mission.

Usage: python tools/compare/python_fitness.py [rounds]. It requires the package xpuck. Formula and function alternate. For each pair,
it prints the median time of both, and the median, lowest and highest ratio of the rounds.
"""

import statistics
import sys
import time
from pathlib import Path

import numpy as np
import xpuck

ROOT = Path(__file__).resolve().parents[2]
RUNS, SECONDS = 1000, 30
WORLD = """
robots = 20
[task]
kind = "objective"
score = "{}"
worst = 0
best = 1
[[region]]
name = "home"
disc = {{ at_m = [0.4, 0.0], radius_m = 0.3 }}
[[start]]
x_m = [-0.8, 0.8]
y_m = [-0.6, 0.6]
"""


def at_home(robots):
    return np.hypot(robots[..., 0] - np.float32(0.4), robots[..., 1]) <= np.float32(0.3)


def last(robots):
    return at_home(robots[:, -1]).mean(1)


def mean(robots):
    return at_home(robots[:, 1:]).mean((1, 2))


def nearest(robots):
    """Returns the mean distance to the nearest other robot, over all updates."""
    x, y = robots[:, 1:, :, 0], robots[:, 1:, :, 1]
    square = (x[..., None] - x[..., None, :]) ** 2 + (y[..., None] - y[..., None, :]) ** 2
    itself = np.arange(robots.shape[2])
    square[..., itself, itself] = np.inf
    return np.sqrt(square.min(-1)).mean((1, 2))


def zero(robots):
    return np.zeros(len(robots))


def timed(work):
    began = time.perf_counter()
    value = work()
    return time.perf_counter() - began, value


def compare(name, formula, function, rounds):
    """Compares formula and function by `rounds` alternating calls. Returns their last results."""
    times = []
    for _ in range(rounds):
        (one, expected), (other, found) = timed(formula), timed(function)
        times.append((one, other, other / one))
    one, other, ratio = (statistics.median(column) for column in zip(*times))
    ratios = [row[2] for row in times]
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    print(f"{name}: formula {one:.2f} s, function {other:.2f} s, ratio {ratio:.2f} ({spread})", flush=True)
    return expected, found


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    tree = xpuck.Tree.load(ROOT / "docs/trees/806768.bt")
    arguments = {"runs": RUNS, "seconds": SECONDS}
    for score, function in [("last(n(home)) / N", last), ("mean(share(home))", mean), ("mean(nearest())", nearest)]:
        world = xpuck.World.parse(WORLD.format(score))

        def simulate(**options):
            return xpuck.simulate(tree, world, **arguments, **options)

        simulate()
        if function is last:
            compare("simulate, trajectories only", simulate, lambda: simulate(fitness=zero), rounds)
        expected, found = compare(f"simulate, {score}", simulate, lambda: simulate(fitness=function), rounds)
        assert np.allclose(expected, found, rtol=1e-5), score
    world = xpuck.World.parse(WORLD.format("mean(share(home))"))
    settings = {"islands": 2, "generations": 20, "seconds": 10, "remeasure": 50, "settings": {"population": 64}}

    def evolve(**options):
        return xpuck.evolve(settings=settings, world=world, **options)

    _, found = compare("evolve, mean(share(home))", evolve, lambda: evolve(fitness=mean), rounds)
    print(f"share of the time in the function: {found.fitness_share:.0%}")


if __name__ == "__main__":
    main()
