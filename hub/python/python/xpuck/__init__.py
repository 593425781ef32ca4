"""Swarm robotics: behaviour trees, a fast simulator of e-puck swarms, and evolution.

    tree = xpuck.Tree("mulav v_goal v_zero 3 v_blue")
    xpuck.simulate(tree, runs=1000).mean()
    best = xpuck.evolve(settings={"generations": 20}).best

`xpuck.envs` has environments for reinforcement learning, `xpuck.records` reads the records of runs, and `xpuck.studies` analyses
trees. A seed gives identical results on every machine, for any number of threads, and in the command line `xpuck`.
"""

from . import envs, records, studies
from ._simulate import simulate, simulate_jobs
from ._evolve import Evolution, Generation, Result, evolve
from ._worlds import SENSES, V_MAX, Worlds
from ._sweep import Setting, SweepResult, SweepRun, sweep
from ._xpuck import Tree, World, __version__

__all__ = [
    "Evolution",
    "Generation",
    "Result",
    "SENSES",
    "Setting",
    "SweepResult",
    "SweepRun",
    "Tree",
    "V_MAX",
    "World",
    "Worlds",
    "__version__",
    "envs",
    "evolve",
    "records",
    "simulate",
    "simulate_jobs",
    "studies",
    "sweep",
]
