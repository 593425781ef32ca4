"""Evolution runs."""

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
    """State of a run after a generation."""

    #: Number of the generation, from 1.
    generation: int
    #: Simulated time so far [robot-seconds].
    robot_seconds: float
    #: Highest fitness of the islands' champions, as estimated during evolution.
    best_fitness: float
    #: Mean fitness of all populations.
    mean_fitness: float
    #: Champion with that fitness, under `avoiding` as executed by robots.
    best: Tree


@dataclass(frozen=True)
class Result:
    """Result of a run."""

    #: Best champion in fresh simulations, under `avoiding` as executed by robots.
    best: Tree
    #: Mean fitness of `best` in fresh simulations.
    fitness: float
    #: Output of `xpuck evolve --json`.
    outcome: dict[str, Any]
    #: Generations of the run.
    generations: list[Generation]

    def __repr__(self) -> str:
        return f"<xpuck.Result: fitness {self.fitness:.3f}, a tree of {len(self.best)} nodes, {len(self.generations)} generations>"


class Evolution:
    """An evolution run, one generation at a time; `for generation in evolution` runs it to its end.

    `path` is an evolution file (docs/evolution.md). `settings` overrides or replaces it with the same keys, such as
    `{"seed": 3, "islands": 4, "settings": {"population": 64}}`. With `out` the run is written to a new folder, as by
    `xpuck evolve --output`; `Evolution.resume` continues it.
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
            raise ValueError("out is empty: name a folder, or omit it")
        self._native = _native or _xpuck.Evolution(path, json.dumps(dict(settings or {})), out)

    @classmethod
    def resume(cls, path: str | os.PathLike[str]) -> Evolution:
        """Resumes the run in a folder from its last checkpoint, with results identical to an uninterrupted run."""
        return cls(_native=_xpuck.Evolution.resume(path))

    def __iter__(self) -> Iterator[Generation]:
        while not self.is_done:
            yield self.step()

    def step(self) -> Generation:
        """Runs one generation and writes it to the folder, if there is one."""
        if self.is_done:
            raise RuntimeError("the run is done")
        self._native.step()
        return self.standing()

    def standing(self) -> Generation:
        """Returns the current state of the run."""
        islands = self._native.progress()
        best, fitness = max(self._native.champions(), key=lambda champion: champion[1])
        mean = sum(mean for _, _, _, mean in islands) / len(islands)
        return Generation(self.generation, self._native.robot_seconds, fitness, mean, best)

    def finish(self) -> Result:
        """Remeasures the champions in fresh simulations; writes trees and result to the folder, if there is one."""
        outcome = json.loads(self._native.finish())
        return Result(Tree(outcome["best_tree"]), outcome["remeasured_best"], outcome, [])

    def champions(self) -> list[tuple[Tree, float]]:
        """Returns the champion of each island, under `avoiding` as executed, with its estimated fitness."""
        return self._native.champions()

    def population(self, island: int = 0) -> list[tuple[Tree, float, int]]:
        """Returns all trees of an island with their fitness and number of evaluations, the fittest first."""
        return self._native.population(island)

    @property
    def is_done(self) -> bool:
        """Whether all generations are evaluated or the budget is used up."""
        return self._native.is_done

    @property
    def done(self) -> float:
        """Completed share [0..=1]."""
        return self._native.done

    @property
    def generation(self) -> int:
        """Number of generations so far."""
        return self._native.generation

    @property
    def notices(self) -> list[str]:
        """Notices on a resumed run, such as an unusable checkpoint."""
        return self._native.notices

    def file(self) -> str:
        """Returns the evolution file of exactly this run, with all keys."""
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
    """Evolves trees until the end of the run.

    The arguments are those of `Evolution`, or `resume`, the folder of a run to resume. `callback` is called with each generation,
    and ends the run early if it returns False. `progress` shows a bar (None: on a terminal and in notebooks, if tqdm is installed).
    """
    if resume is not None and (path, settings, out) != (None, None, None):
        raise ValueError("resume continues a run with its own settings; omit path, settings and out")
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
