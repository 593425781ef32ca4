"""Runs of evolution."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import _xpuck
from ._progress import Bar
from ._xpuck import Tree


@dataclass(frozen=True)
class Generation:
    """Where a run stands after a generation."""

    #: Its number, from 1.
    generation: int
    #: Simulated time so far, s times robots.
    robot_seconds: float
    #: The highest of the islands' champions' fitness, as evolution estimates it.
    best_fitness: float
    #: The mean fitness of all populations.
    mean_fitness: float
    #: That champion, under `avoiding` as robots run it.
    best: Tree


@dataclass(frozen=True)
class Result:
    """What came out of a run."""

    #: The best of the champions in fresh simulations, under `avoiding` as robots run it.
    best: Tree
    #: Its mean fitness in those.
    fitness: float
    #: All that `xpuck evolve --json` tells.
    outcome: dict[str, Any]
    #: The course of the run.
    generations: list[Generation]

    def __repr__(self) -> str:
        return f"<xpuck.Result: fitness {self.fitness:.3f}, a tree of {len(self.best)} nodes, {len(self.generations)} generations>"


class Evolution:
    """A run of evolution, a generation at a time: `for generation in evolution` runs it to its end.

    `path` is an evolution file (docs/evolution.md), `settings` changes or replaces it by the same keys, such as
    `{"seed": 3, "islands": 4, "settings": {"population": 64}}`. With `out` the run is kept in a new folder, as
    `xpuck evolve --output` keeps it; `Evolution.resume` goes on there.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        out: str | os.PathLike[str] | None = None,
        _native: _xpuck.Evolution | None = None,
    ) -> None:
        if out is not None and not os.fspath(out):
            raise ValueError("out is empty: name a folder, or leave it away")
        self._native = _native or _xpuck.Evolution(path, json.dumps(dict(settings or {})), out)

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> Evolution:
        """The run in a folder, from its last checkpoint on; its digits are those of an uninterrupted run."""
        return cls(_native=_xpuck.Evolution.resume(path))

    def __iter__(self) -> Iterator[Generation]:
        while not self.is_done:
            yield self.step()

    def step(self) -> Generation:
        """Runs one generation; in a folder it is kept before this returns."""
        if self.is_done:
            raise RuntimeError("the run is done")
        self._native.step()
        return self.standing()

    def standing(self) -> Generation:
        """Where the run stands."""
        islands = self._native.progress()
        best, fitness = max(self._native.champions(), key=lambda champion: champion[1])
        mean = sum(mean for _, _, _, mean in islands) / len(islands)
        return Generation(self.generation, self._native.robot_seconds, fitness, mean, best)

    def finish(self) -> Result:
        """Measures the champions again in fresh simulations; in a folder, writes trees and result."""
        outcome = json.loads(self._native.finish())
        return Result(Tree(outcome["best_tree"]), outcome["remeasured_best"], outcome, [])

    def champions(self) -> list[tuple[Tree, float]]:
        """Of each island its champion, under `avoiding` as it runs, and its fitness as evolution estimates it."""
        return self._native.champions()

    def population(self, island: int = 0) -> list[tuple[Tree, float, int]]:
        """All trees of an island with their fitness and evaluations, the fittest first."""
        return self._native.population(island)

    @property
    def is_done(self) -> bool:
        """True once every generation was evaluated or the budget is used up."""
        return self._native.is_done

    @property
    def done(self) -> float:
        """The part that is done, 0 to 1."""
        return self._native.done

    @property
    def generation(self) -> int:
        """Generations so far."""
        return self._native.generation

    @property
    def notices(self) -> list[str]:
        """What a person should know of a run that goes on, such as a checkpoint that could not be used."""
        return self._native.notices

    def file(self) -> str:
        """The evolution file that says exactly this run, every key of it."""
        return self._native.file()


def evolve(
    path: str | os.PathLike[str] | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: str | os.PathLike[str] | None = None,
    callback: Callable[[Generation], bool | None] | None = None,
    progress: bool | None = None,
) -> Result:
    """Evolves trees to the end of the run.

    Arguments are those of `Evolution`, or `resume`, the folder of a run that is to go on. `callback` sees each generation, and
    ends the run early if it returns False. `progress` shows a bar (None: on a terminal and in notebooks, if tqdm is there).
    """
    if resume is not None and (path, settings, out) != (None, None, None):
        raise ValueError("resume goes on with a run as it was begun; leave path, settings and out away")
    evolution = Evolution(path, settings=settings, out=out) if resume is None else Evolution.resume(resume)
    bar, generations = Bar(progress, "evolving"), []
    try:
        for generation in evolution:
            generations.append(generation)
            bar.show(evolution.done, best=f"{generation.best_fitness:.3f}")
            if callback is not None and callback(generation) is False:
                break
    finally:
        bar.close()
    result = evolution.finish()
    return Result(result.best, result.fitness, result.outcome, generations)
