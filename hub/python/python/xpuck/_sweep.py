"""Sweeps: the same evolution under several settings and many seeds."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _xpuck
from ._evolve import Evolution
from ._functions import Fitness, FitnessFunction
from ._progress import Bar


@dataclass(frozen=True)
class SweepRun:
    """A run of a sweep."""

    name: str
    #: Label of its settings.
    label: str
    seed: int
    folder: Path
    #: "new", "begun" or "done".
    state: str

    def result(self) -> dict[str, Any]:
        """Returns the result; raises an error if the run is unfinished."""
        found: dict[str, Any] = json.loads((self.folder / "result.json").read_text())
        return found


@dataclass(frozen=True)
class Setting:
    """Results of one setting and comparison with the first setting: one row of the summary."""

    label: str
    row: dict[str, Any]


@dataclass(frozen=True)
class SweepResult:
    """Result of a sweep. Its folder holds results, generations, curves and summary, as written by `xpuck sweep`."""

    folder: Path
    runs: list[SweepRun]
    settings: list[Setting]

    def __repr__(self) -> str:
        return f"<xpuck.SweepResult: {len(self.runs)} runs of {len(self.settings)} settings in {self.folder}>"


def sweep(
    path: str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    fitness: FitnessFunction | None = None,
    chunk_mb: float = 64,
    progress: bool | None = None,
) -> SweepResult:
    """Executes the unfinished runs of a sweep file (docs/sweeps.md), one after another on all cores.

    The folder (`out`; default: `runs/` and the sweep's name) is compatible with `xpuck sweep`, which may begin or continue it.
    An interrupted sweep is resumed when this function is called again.

    `fitness` and `chunk_mb` are those of `Evolution`. The sweep file must then have the key `fitness` under `[base]`, so that
    `xpuck sweep` does not continue the sweep with the fitness of the task.
    """
    function: dict[str, Any] = {"fitness": fitness, "chunk_mb": chunk_mb}
    if fitness is not None:
        Fitness(fitness, chunk_mb)
    native = _xpuck.Sweep(path, out, fitness is not None)
    runs = native.runs()
    bar = Bar(progress, native.name)
    try:
        for i, (name, _, seed, file, folder, state) in enumerate(runs):
            if state != "done":
                if state == "begun":
                    evolution = Evolution.resume(folder, **function)
                else:
                    evolution = Evolution(file, settings={"seed": seed}, out=folder, **function)
                _run(evolution, lambda done: bar.show((i + done) / len(runs), run=name))
        bar.show(1.0)
    finally:
        bar.close()
    settings = [Setting(row["label"], row) for row in json.loads(native.collect())]
    done = [SweepRun(name, label, seed, Path(folder), state) for name, label, seed, _, folder, state in native.runs()]
    return SweepResult(Path(native.folder), done, settings)


def _run(evolution: Evolution, show: Any) -> None:
    for _ in evolution:
        show(evolution.done)
    evolution.finish()
