"""Simulation of trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _xpuck
from ._functions import Fitness, FitnessFunction
from ._xpuck import Tree, World


def simulate(
    tree: Tree | Sequence[Tree],
    world: World | None = None,
    *,
    runs: int = 200,
    seconds: float = 60.0,
    seed: int = 1,
    engine: Literal["simd", "gpu", "both", "auto", "reference"] = "simd",
    adapter: str | None = None,
    fitness: FitnessFunction | None = None,
    chunk_mb: float = 64,
) -> NDArray[np.float32]:
    """Returns the fitness of each of `runs` simulations, as an array (runs,).

    All robots run `tree`; if it is a list, robot i runs tree i. The default world is the benchmark with nine robots. Run i is
    world i of the seed, with results identical to `xpuck simulate`. Trees run as written: `avoiding` is not added. For `engine`,
    `adapter`, `fitness` and `chunk_mb` see `simulate_jobs`.
    """
    if not 1 <= runs <= 1_000_000:
        raise ValueError(f"runs = {runs}: must be 1 to 1000000")
    world = World() if world is None else world
    trees = [tree] if isinstance(tree, Tree) else list(tree)
    if isinstance(tree, Tree):
        teams = np.zeros((runs, 1), np.uint32)
    elif len(trees) == world.robots:
        teams = np.tile(np.arange(len(trees), dtype=np.uint32), (runs, 1))
    else:
        raise ValueError(f"{len(trees)} trees for {world.robots} robots: expected one tree, or one for each robot")
    on: dict[str, Any] = {"engine": engine, "adapter": adapter, "fitness": fitness, "chunk_mb": chunk_mb}
    return simulate_jobs(trees, world, teams, seeds=seed, worlds=np.arange(runs), seconds=seconds, **on)[0]


def simulate_jobs(
    trees: Sequence[Tree],
    world: World,
    teams: ArrayLike,
    *,
    seeds: ArrayLike = 1,
    worlds: ArrayLike = 0,
    seconds: float = 60.0,
    all_senses: bool = False,
    engine: Literal["simd", "gpu", "both", "auto", "reference"] = "simd",
    adapter: str | None = None,
    fitness: FitnessFunction | None = None,
    chunk_mb: float = 64,
) -> tuple[NDArray[np.float32], NDArray[np.uint64]]:
    """Returns the fitness of each job, and a hash of its final body positions: two arrays (jobs,).

    `teams` selects trees by index: (jobs,) with one tree for all robots of a job, or (jobs, robots) with one tree for each robot.
    `seeds` and `worlds`, numbers or arrays (jobs,), determine all random choices of a job; the world's number also selects its
    start in turn. `all_senses` computes senses that no tree reads; this affects only the computing time. Engines: "simd" and
    "reference" give identical results, "gpu" (through Vulkan) the same distributions, "both" divides the jobs between CPU and
    GPU, and "auto" selects the fastest. `adapter` is a GPU's number or a part of its name (`xpuck dev engines`).

    `fitness` replaces the fitness of the world's task, and requires the engine "simd". It is called as f(robots) or f(robots, discs)
    with float32 arrays (jobs, updates + 1, robots, 3) of x [m], y [m] and heading [rad]; time 0 is the start. It returns one finite
    number for each job. Jobs are divided into chunks, whose arrays have at most `chunk_mb` megabytes [1..=4096].
    """
    teams = _whole("teams", teams, np.uint32)
    if teams.ndim == 1:
        teams = teams[:, None]
    if teams.ndim != 2:
        raise ValueError(f"teams has shape {teams.shape}, expected (jobs,) or (jobs, robots)")
    jobs = len(teams)
    seeds, worlds = _column("seeds", seeds, np.uint64, jobs), _column("worlds", worlds, np.uint32, jobs)
    function = None if fitness is None else Fitness(fitness, chunk_mb).native
    return _xpuck.simulate(list(trees), world, teams, seeds, worlds, seconds, all_senses, (engine, adapter), function)


def _column(name: str, given: ArrayLike, dtype: type[np.unsignedinteger], jobs: int) -> NDArray[Any]:
    """Returns an array with one whole number for each job."""
    column = _whole(name, given, dtype)
    if column.shape not in ((), (1,), (jobs,)):
        raise ValueError(f"{name} has shape {column.shape}, expected a number, or ({jobs},) for the jobs")
    return np.ascontiguousarray(np.broadcast_to(column, (jobs,)))


def _whole(name: str, given: ArrayLike, dtype: type[np.unsignedinteger]) -> NDArray[Any]:
    """Converts whole numbers to a type; values outside its range are rejected."""
    array = np.asarray(given)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{name} has type {array.dtype}, expected whole numbers")
    limits = np.iinfo(dtype)
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        raise ValueError(f"{name} has values {array.min()} to {array.max()}: must be {limits.min} to {limits.max}")
    return array.astype(dtype)
