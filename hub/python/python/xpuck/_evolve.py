"""Evolution runs."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import _xpuck
from ._functions import Fitness, FitnessFunction
from ._progress import Bar
from ._xpuck import Tree, World


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
    #: Share of the wall time that the Python function `fitness` took [0..=1]; 0 without such a function.
    fitness_share: float = 0.0

    def __repr__(self) -> str:
        return f"<xpuck.Result: fitness {self.fitness:.3f}, a tree of {len(self.best)} nodes, {len(self.generations)} generations>"


class Evolution:
    """An evolution run, one generation at a time; `for generation in evolution` runs it to its end.

    `path` is an evolution file (docs/evolution.md). `settings` overrides or replaces it with the same keys, such as
    `{"seed": 3, "islands": 4, "settings": {"population": 64}}`. With `out` the run is written to a new folder, as by
    `xpuck evolve --output`; `Evolution.resume` continues it. `world` is a world or the path of a world file.

    `fitness` replaces the fitness of the world's task. It is a function f(robots) or f(robots, discs) of arrays
    (jobs, updates + 1, robots, 3); see `simulate_jobs`, also for `chunk_mb`. An exception of the function undoes the generation.
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        settings: Mapping[str, Any] | None = None,
        out: str | os.PathLike[str] | None = None,
        world: World | str | os.PathLike[str] | None = None,
        fitness: FitnessFunction | None = None,
        chunk_mb: float = 64,
        _resumed: str | os.PathLike[str] | None = None,
    ) -> None:
        if out is not None and not os.fspath(out):
            raise ValueError("out is empty: name a folder, or omit it")
        self._fitness = None if fitness is None else Fitness(fitness, chunk_mb, evolves=True)
        self._function = None if self._fitness is None else self._fitness.native
        self._seconds = 0.0
        name = None if self._fitness is None else self._fitness.name
        if _resumed is not None:
            self._native = _xpuck.Evolution.resume(_resumed, name)
            return
        keys = dict(settings or {})
        with tempfile.TemporaryDirectory() as folder:
            keys |= _world_keys(world, keys, folder)
            self._native = _xpuck.Evolution(path, json.dumps(keys), out, name)

    @classmethod
    def resume(
        cls, path: str | os.PathLike[str], *, fitness: FitnessFunction | None = None, chunk_mb: float = 64
    ) -> Evolution:
        """Resumes the run in a folder from its last checkpoint, with results identical to an uninterrupted run. A run with a
        `fitness` function requires the same function."""
        return cls(fitness=fitness, chunk_mb=chunk_mb, _resumed=path)

    def __iter__(self) -> Iterator[Generation]:
        while not self.is_done:
            yield self.step()

    def step(self) -> Generation:
        """Runs one generation and writes it to the folder, if there is one."""
        if self.is_done:
            raise RuntimeError("the run is done")
        began = time.perf_counter()
        self._native.step(self._function)
        self._seconds += time.perf_counter() - began
        return self.standing()

    def standing(self) -> Generation:
        """Returns the current state of the run."""
        islands = self._native.progress()
        best, fitness = max(self._native.champions(), key=lambda champion: champion[1])
        mean = sum(mean for _, _, _, mean in islands) / len(islands)
        return Generation(self.generation, self._native.robot_seconds, fitness, mean, best)

    def finish(self) -> Result:
        """Remeasures the champions in fresh simulations; writes trees and result to the folder, if there is one."""
        began = time.perf_counter()
        outcome = json.loads(self._native.finish(self._function))
        self._seconds += time.perf_counter() - began
        return Result(Tree(outcome["best_tree"]), outcome["remeasured_best"], outcome, [], self.fitness_share)

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
    def fitness_share(self) -> float:
        """Share of the wall time of all steps that the function `fitness` took [0..=1]; 0 without such a function."""
        return 0.0 if self._fitness is None else min(1.0, self._fitness.seconds / max(self._seconds, 1e-9))

    @property
    def generation(self) -> int:
        """Number of generations so far."""
        return self._native.generation

    @property
    def notices(self) -> list[str]:
        """Notices on a resumed run, such as an unusable checkpoint or a fitness function of another name."""
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
    world: World | str | os.PathLike[str] | None = None,
    fitness: FitnessFunction | None = None,
    chunk_mb: float = 64,
    callback: Callable[[Generation], bool | None] | None = None,
    progress: bool | None = None,
) -> Result:
    """Evolves trees until the end of the run.

    The arguments are those of `Evolution`, or `resume`, the folder of a run to resume, and its `fitness`. `callback` is called with
    each generation, and ends the run early if it returns False. `progress` shows a bar (None: on a terminal and in notebooks,
    if tqdm is installed).
    """
    function: dict[str, Any] = {"fitness": fitness, "chunk_mb": chunk_mb}
    if resume is None:
        evolution = Evolution(path, settings=settings, out=out, world=world, **function)
    elif any(given is not None for given in (path, settings, out, world)):
        raise ValueError("resume continues a run with its own settings; omit path, settings, out and world")
    else:
        evolution = Evolution.resume(resume, **function)
    bar, generations = Bar(progress, "evolving"), []
    try:
        for generation in evolution:
            generations.append(generation)
            words = {"best": f"{generation.best_fitness:.3f}"}
            if fitness is not None:
                words["in fitness"] = f"{evolution.fitness_share:.0%} of the time"
            bar.show(evolution.done, **words)
            if callback is not None and callback(generation) is False:
                break
    finally:
        bar.close()
    result = evolution.finish()
    return replace(result, generations=generations)


def _world_keys(world: World | str | os.PathLike[str] | None, settings: Mapping[str, Any], folder: str) -> dict[str, Any]:
    """Returns the keys of an evolution file that select a world. A world's text is written to `folder`."""
    if world is None:
        return {}
    if "world" in settings:
        raise ValueError("settings has the key world; omit it or the argument world")
    if not isinstance(world, World):
        return {"world": os.fspath(world)}
    if world._text is None:
        if not world._is_benchmark:
            raise ValueError("evolution uses both starts of the benchmark in turn; omit scenario")
        return {} if "robots" in settings else {"robots": world.robots}
    file = os.path.join(folder, "world.toml")
    with open(file, "w", encoding="utf-8") as out:
        out.write(world._text)
    return {"world": file}
