from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "__version__",
    "Evolution",
    "Generations",
    "Sweep",
    "Tree",
    "World",
    "Worlds",
    "export",
    "simulate",
    "study_ablate",
    "study_adapt",
    "study_branches",
    "study_hetero",
    "study_migrate",
    "study_mix",
    "study_perturb",
    "study_size",
    "study_transfer",
    "study_tune",
]

__version__: str

# Function of the trajectories of all bodies (jobs, updates + 1, bodies, 3) and the number of robots, and the maximum size of an
# array of trajectories [bytes].
_Function = tuple[Callable[[NDArray[np.float32], int], NDArray[np.float32]], int]

@final
class Tree:
    """A behaviour tree."""

    def __new__(cls, text: str, *, form: Literal["text", "xml", "json"] = "text", exact: bool = False) -> Tree:
        """Creates a tree from text, XML (BehaviorTree.CPP 4) or JSON. Unless `exact`, angles are rounded to multiples of pi/128."""
    @staticmethod
    def load(path: str | PathLike[str], *, exact: bool = False) -> Tree:
        """Loads a tree from a file: .bt, .xml or .json."""
    def __len__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    @staticmethod
    def _of_bytes(bytes: bytes) -> Tree: ...
    def _repr_svg_(self) -> str: ...
    @property
    def depth(self) -> int:
        """Number of levels."""
    @property
    def free_memory(self) -> float:
        """Share of a robot's tree memory that stays free [0..=1]."""
    def reduce(self) -> Tree:
        """Returns a tree with the same behaviour and fewer nodes."""
    def under_avoiding(self) -> Tree:
        """Returns the tree under `avoiding`, as executed by evolution."""
    def explain(self, *, markdown: bool = False) -> str:
        """Explains the tree in plain English, as text or Markdown."""
    def to(self, form: Literal["text", "xml", "json", "dot", "svg"] = "text", *, left: bool = False) -> str:
        """Converts the tree to text, XML (for Groot2), JSON, dot (for Graphviz) or SVG."""
    def svg(self, *, left: bool = False) -> str:
        """Draws the tree, with its root at the top or on the left."""

@final
class World:
    """World of a simulation: arena, robots, objects, and the scored task."""

    def __new__(cls, robots: int = 9, *, scenario: Literal["a", "b", "mix"] = "mix") -> World:
        """Creates the benchmark: a frisbee to push towards -x; robots start at the -x end (a), anywhere (b), or both in turn."""
    @staticmethod
    def load(path: str | PathLike[str], *, robot: str | None = None) -> World:
        """Loads a world from a world file (docs/worlds.md); robot replaces its robots: a model or a file (docs/robot-models.md)."""
    @staticmethod
    def parse(text: str) -> World:
        """Parses the text of a world file."""
    def __copy__(self) -> World: ...
    def __deepcopy__(self, memo: object) -> World: ...
    def with_robots(self, robots: int) -> World:
        """Returns the world with another number of robots; the benchmark's arena grows with more than 16."""
    @property
    def _text(self) -> str | None: ...
    @property
    def _is_benchmark(self) -> bool: ...
    @property
    def robots(self) -> int: ...
    @property
    def task(self) -> str: ...
    @property
    def max_speed(self) -> float:
        """Maximum speed of a wheel [m/s]."""
    @property
    def arena_m(self) -> tuple[float, float]:
        """Length along x and width along y [m]."""

@final
class Worlds:
    def __new__(
        cls, world: World, count: int, seed: int, first: int, senses: list[str], wheels: str, updates: int
    ) -> Worlds: ...
    def reset(self, seed: int, first: int) -> None: ...
    def step(self, actions: NDArray[np.float32], senses: NDArray[np.float32], rewards: NDArray[np.float32]) -> None: ...
    def observe(self, senses: NDArray[np.float32]) -> None: ...
    def fitness(self) -> NDArray[np.float32]: ...
    def poses(self) -> NDArray[np.float32]: ...
    @property
    def updates(self) -> int: ...
    @property
    def cells(self) -> int: ...

@final
class Evolution:
    def __new__(
        cls, path: str | PathLike[str] | None, settings: str, out: str | PathLike[str] | None, function: str | None
    ) -> Evolution: ...
    @staticmethod
    def resume(path: str | PathLike[str], function: str | None) -> Evolution: ...
    def step(self, function: _Function | None) -> None: ...
    def finish(self, function: _Function | None) -> str: ...
    def progress(self) -> list[tuple[int, float, int, float]]: ...
    def champions(self) -> list[tuple[Tree, float]]: ...
    def population(self, island: int) -> list[tuple[Tree, float, int]]: ...
    @property
    def is_done(self) -> bool: ...
    @property
    def done(self) -> float: ...
    @property
    def generation(self) -> int: ...
    @property
    def robot_seconds(self) -> float: ...
    @property
    def notices(self) -> list[str]: ...
    def file(self) -> str: ...

@final
class Generations:
    def __new__(cls, run: str | PathLike[str]) -> Generations: ...
    def __iter__(self) -> Generations: ...
    def __next__(self) -> str: ...
    @property
    def left_over(self) -> int: ...

@final
class Sweep:
    def __new__(cls, path: str | PathLike[str], out: str | PathLike[str] | None, function: bool) -> Sweep: ...
    def runs(self) -> list[tuple[str, str, int, Path, Path, str]]: ...
    def collect(self) -> str: ...
    @property
    def folder(self) -> Path: ...
    @property
    def name(self) -> str: ...

def simulate(
    trees: list[Tree],
    world: World,
    teams: NDArray[np.uint32],
    seeds: NDArray[np.uint64],
    worlds: NDArray[np.uint32],
    seconds: float,
    all_senses: bool,
    on: tuple[str, str | None],
    function: _Function | None,
) -> tuple[NDArray[np.float32], NDArray[np.uint64]]: ...
def export(run: str | PathLike[str], folder: str | PathLike[str]) -> tuple[list[tuple[str, int]], list[str]]: ...

# Numbers as JSON, sentences, figure as SVG, table as CSV.
_Found = tuple[str, list[str], str, str]
# Duration of a run [s], number of runs, seed.
_Much = tuple[float, int, int]
# Engine and adapter.
_On = tuple[str, str | None]
_Show = Callable[[float], None]
_Path = str | PathLike[str]

def study_size(tree: Tree, world: World, sizes: list[int], much: _Much, on: _On, show: _Show) -> _Found: ...
def study_mix(trees: list[tuple[str, Tree]], world: World, much: _Much, on: _On, show: _Show) -> _Found: ...
def study_perturb(
    trees: list[tuple[str, Tree]],
    robots: int,
    centre: tuple[float, float, float],
    by: tuple[float, float, float],
    bin: float,
    much: _Much,
    on: _On,
    show: _Show,
) -> _Found: ...
def study_ablate(tree: Tree, world: World, much: _Much, on: _On, show: _Show) -> _Found: ...
def study_branches(tree: Tree, world: World, much: _Much, show: _Show) -> _Found: ...
def study_tune(
    tree: Tree, world: World, sizes: list[int], search: tuple[int, int], much: _Much, on: _On, show: _Show
) -> _Found: ...
def study_hetero(
    runs: list[_Path], world: World, counts: tuple[int, int], much: _Much, on: _On, show: _Show
) -> _Found: ...
def study_migrate(
    settings: str, generations: int, rates: list[int], seeds: int, seed: int, runs: int, on: _On, show: _Show
) -> _Found: ...
def study_adapt(
    settings: str,
    change: tuple[str, float],
    generations: tuple[int, int],
    pace: float,
    seeds: int,
    seed: int,
    runs: int,
    on: _On,
    show: _Show,
) -> _Found: ...
def study_transfer(
    files: list[_Path],
    real: _Path | None,
    settings: str,
    generations: int,
    seeds: int,
    runs: int,
    on: _On,
    show: _Show,
) -> _Found: ...
