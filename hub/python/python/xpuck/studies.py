"""Studies: each answers one question about trees or evolution by many simulations.

    found = xpuck.studies.size(tree, range(1, 13), runs=200)
    found.sentence
    found.frame()
    found                   # drawn by notebooks

Studies and their numbers, tables and figures are those of `xpuck study` (docs/analysis.md).
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from . import _xpuck, records
from ._progress import Bar
from ._xpuck import Tree, World

__all__ = [
    "Study", "ablate", "adapt", "branches", "hetero", "migrate", "mix", "perturb", "size", "transfer", "tune",
]

Engine = Literal["simd", "gpu", "both", "auto", "reference"]
Path = str | os.PathLike[str]
Found = tuple[str, list[str], str, str]


class Study:
    """Result of a study."""

    def __init__(self, what: str, found: Found) -> None:
        text, self.sentences, self.svg, self.csv = found
        #: Name of the study.
        self.what = what
        #: All numbers, as printed by `xpuck study --json`.
        self.result: dict[str, Any] = json.loads(text)

    @property
    def sentence(self) -> str:
        """Findings as text."""
        return " ".join(self.sentences)

    def frame(self, library: str = "pandas") -> Any:
        """Returns the table as a frame of "pandas" or "polars"."""
        return records.library_of(library).read_csv(io.StringIO(self.csv))

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<xpuck.Study of {self.what}: {self.sentence}>"


def size(
    tree: Tree,
    sizes: Iterable[int] = range(1, 17),
    world: World | None = None,
    *,
    seconds: float = 60.0,
    runs: int = 1000,
    seed: int = 1,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Studies fitness against the number of robots: at which sizes does a swarm achieve more than its robots one by one?"""
    much, on = (seconds, runs, seed), (engine, adapter)
    return _with_bar("size", progress, lambda show: _xpuck.study_size(tree, world or World(), list(sizes), much, on, show))


def mix(
    first: Tree,
    second: Tree,
    world: World | None = None,
    *,
    names: tuple[str, str] = ("the first", "the second"),
    seconds: float = 60.0,
    runs: int = 1000,
    seed: int = 1,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Studies every mixture of two trees in one swarm. `names` are the names of the trees in sentences and figure."""
    much, on, trees = (seconds, runs, seed), (engine, adapter), [(names[0], first), (names[1], second)]
    return _with_bar("mix", progress, lambda show: _xpuck.study_mix(trees, world or World(), much, on, show))


def perturb(
    trees: Tree | Mapping[str, Tree],
    *,
    robots: int = 2,
    around: tuple[float, float, float] = (0.0, 0.0, 0.0),
    by: tuple[float, float, float] = (0.2, 0.2, 1.5),
    bin: float = 0.05,
    seconds: float = 8.0,
    runs: int = 100_000,
    seed: int = 1,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Studies random starts near the frisbee: how much does the fitness of a tree depend on the start?

    Robots start around one pose (x [m], y [m], heading [rad]) with normal deviations. Several trees are given with their names.
    """
    named = [("tree", trees)] if isinstance(trees, Tree) else list(trees.items())
    much, on = (seconds, runs, seed), (engine, adapter)
    return _with_bar("starts", progress, lambda show: _xpuck.study_perturb(named, robots, around, by, bin, much, on, show))


def ablate(
    tree: Tree,
    world: World | None = None,
    *,
    seconds: float = 60.0,
    runs: int = 200,
    seed: int = 1,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Ablation: studies the effect of each branch and each constant of a tree on the fitness."""
    much, on = (seconds, runs, seed), (engine, adapter)
    return _with_bar("ablation", progress, lambda show: _xpuck.study_ablate(tree, world or World(), much, on, show))


def branches(
    tree: Tree,
    world: World | None = None,
    *,
    seconds: float = 60.0,
    runs: int = 100,
    seed: int = 1,
    progress: bool | None = None,
) -> Study:
    """Studies which leaf drives a robot, by distance and bearing of the frisbee."""
    much = (seconds, runs, seed)
    return _with_bar("branches", progress, lambda show: _xpuck.study_branches(tree, world or World(), much, show))


def tune(
    tree: Tree,
    world: World | None = None,
    *,
    sizes: Iterable[int] = (1, 2, 4, 6, 12, 16),
    generations: int = 30,
    trials: int = 16,
    seconds: float = 60.0,
    runs: int = 1000,
    seed: int = 1,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Tunes the numbers of a tree by CMA-ES for a world, and measures the gain, also in swarms of other sizes.

    The tuned tree is `xpuck.Tree(study.result["tree"])`.
    """
    much, on, search = (seconds, runs, seed), (engine, adapter), (generations, trials)

    def run(show: Any) -> Found:
        return _xpuck.study_tune(tree, world or World(), list(sizes), search, much, on, show)

    return _with_bar("tuning", progress, run)


def hetero(
    runs: Sequence[Path],
    world: World | None = None,
    *,
    seconds: float = 60.0,
    mixed: int = 1000,
    alone: int = 111,
    drawn: int = 100,
    seed: int = 1,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Heterogeneity: does a swarm of different trees reach the mean fitness of homogeneous swarms of its trees?

    `runs` are folders of evolution runs, records of swarms, folders of trees, or trees.
    """
    much, on = (seconds, mixed, seed), (engine, adapter)

    def run(show: Any) -> Found:
        return _xpuck.study_hetero(list(runs), world or World(), (alone, drawn), much, on, show)

    return _with_bar("heterogeneity", progress, run)


def migrate(
    rates: Iterable[int] = (1, 2, 4, 8, 16, 0),
    *,
    settings: Mapping[str, Any] | None = None,
    generations: int = 28,
    seeds: int = 3,
    seed: int = 1,
    runs: int = 400,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Migration: up to which interval between exchanges is fitness kept? A rate is a number of generations; 0 means never."""
    on, given, wanted = (engine, adapter), json.dumps(dict(settings or {})), list(rates)

    def run(show: Any) -> Found:
        return _xpuck.study_migrate(given, generations, wanted, seeds, seed, runs, on, show)

    return _with_bar("migration", progress, run)


def adapt(
    parameter: str = "frisbee-mass",
    value: float = 0.28,
    *,
    settings: Mapping[str, Any] | None = None,
    before: int = 24,
    after: int = 24,
    pace: float = 20.0,
    seeds: int = 10,
    seed: int = 1,
    runs: int = 200,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Adaptivity: the world changes while a swarm works. How soon does the swarm detect this, and what is the gain?"""
    on, given = (engine, adapter), json.dumps(dict(settings or {}))

    def run(show: Any) -> Found:
        return _xpuck.study_adapt(given, (parameter, value), (before, after), pace, seeds, seed, runs, on, show)

    return _with_bar("adaptivity", progress, run)


def transfer(
    files: Sequence[Path],
    *,
    real: Path | None = None,
    settings: Mapping[str, Any] | None = None,
    generations: int = 40,
    seeds: int = 5,
    runs: int = 400,
    engine: Engine = "simd",
    adapter: str | None = None,
    progress: bool | None = None,
) -> Study:
    """Transfer: which setting of evolution (one evolution file each) gives the fittest trees in another world?

    `real` is a calibration file that defines that world.
    """
    on, given = (engine, adapter), json.dumps(dict(settings or {}))

    def run(show: Any) -> Found:
        return _xpuck.study_transfer(list(files), real, given, generations, seeds, runs, on, show)

    return _with_bar("transfer", progress, run)


def _with_bar(what: str, progress: bool | None, run: Any) -> Study:
    bar = Bar(progress, what)
    try:
        found = run(bar.show)
        bar.show(1.0)
    finally:
        bar.close()
    return Study(what, found)
