"""Functions of users that compute fitness or rewards from arrays of poses."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Fitness of runs: f(robots) or f(robots, discs).
FitnessFunction = Callable[..., ArrayLike]
#: Rewards of a step: r(before, after) or r(before, after, discs_before, discs_after).
RewardFunction = Callable[..., ArrayLike]
#: Range of `chunk_mb` [MB].
CHUNK_MB = (1, 4096)
#: Absolute fitness above which evolution warns, because its algorithms expect about 0 to 1.
LARGE = 5.0


class Checked:
    """A function of users whose arguments and results are checked.

    The function takes `arrays` arrays of the robots' poses. If it has twice as many required parameters, it also takes the arrays of
    the discs' poses. It returns one finite number for each element of the first axis.
    """

    def __init__(self, kind: str, function: Callable[..., ArrayLike], arrays: int, row: str) -> None:
        if not callable(function):
            raise TypeError(f"{kind} is a {type(function).__name__}, expected a function")
        #: Name of the function, at most 100 characters.
        self.name: str = str(getattr(function, "__qualname__", type(function).__name__))[-100:]
        #: Time spent in the function [s].
        self.seconds = 0.0
        #: Kind and name of the function, for messages.
        self.what = f"{kind} function {self.name}"
        self._function, self._row = function, row
        parameters = _parameters(function)
        self._discs = parameters is not None and not parameters[0] <= arrays <= parameters[1]
        if self._discs and parameters is not None and not parameters[0] <= 2 * arrays <= parameters[1]:
            forms = "(robots) or (robots, discs)" if arrays == 1 else "(before, after) or (before, after, discs_before, discs_after)"
            raise TypeError(f"{self.what} takes another number of arguments, expected {forms}")

    def compute(self, poses: tuple[NDArray[np.float32], ...], robots: int) -> NDArray[np.float32]:
        """Calls the function with poses of all bodies, (rows, ..., bodies, 3). Robots precede discs."""
        arguments = [array[..., :robots, :] for array in poses]
        if self._discs:
            arguments += [array[..., robots:, :] for array in poses]
        began = time.perf_counter()
        try:
            returned = self._function(*arguments)
        except Exception as error:
            first = str(error).split("\n", 1)[0]
            raise RuntimeError(f"{self.what} raised {type(error).__name__}: {first}") from error
        finally:
            self.seconds += time.perf_counter() - began
        return self._values(returned, len(poses[0]))

    def _values(self, returned: Any, rows: int) -> NDArray[np.float32]:
        """Checks that `returned` has one finite number for each row."""
        expected = f"expected an array ({rows},) with one number for each {self._row}"
        try:
            values = np.asarray(returned)
        except Exception as error:
            raise TypeError(f"{self.what} returned a {type(returned).__name__}, {expected}") from error
        if values.dtype.kind not in "biuf":
            raise TypeError(f"{self.what} returned {_named(returned, values)}, {expected}")
        if values.shape != (rows,):
            raise ValueError(f"{self.what} returned the shape {values.shape}, {expected}")
        with np.errstate(over="ignore"):
            numbers = np.ascontiguousarray(values, np.float32)
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            first = wrong[0]
            raise ValueError(
                f"{self.what} returned {values[first]} for {self._row} {first} of {rows}; it must return finite float32 numbers"
            )
        return numbers


class Fitness(Checked):
    """Fitness function for the native module, which calls it with arrays of at most `chunk_mb` megabytes.

    If `evolves` is True, a warning is given once if a fitness is far outside the range that evolution expects.
    """

    def __init__(self, function: FitnessFunction, chunk_mb: float, *, evolves: bool = False) -> None:
        super().__init__("fitness", function, 1, "run")
        self._warns = evolves
        if not CHUNK_MB[0] <= chunk_mb <= CHUNK_MB[1]:
            raise ValueError(f"chunk_mb = {chunk_mb}: must be {CHUNK_MB[0]} to {CHUNK_MB[1]}")
        #: Function and maximum size of an array [bytes], for the native module.
        self.native = (self, round(chunk_mb * 1e6))

    def __call__(self, poses: NDArray[np.float32], robots: int) -> NDArray[np.float32]:
        values = self.compute((poses,), robots)
        if self._warns and len(values) and np.abs(values).max() > LARGE:
            self._warns = False
            largest = values[np.abs(values).argmax()]
            text = f"{self.what} returned {largest}; scale its values to about 0 to 1, the range that evolution expects"
            warnings.warn(text, RuntimeWarning, stacklevel=2)
        return values


def _parameters(function: Callable[..., Any]) -> tuple[int, float] | None:
    """Returns the smallest and the largest number of positional arguments, or None if they are unknown."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    least = sum(p.default is p.empty for p in positional)
    most = float("inf") if any(p.kind == p.VAR_POSITIONAL for p in parameters) else len(positional)
    return least, most


def _named(returned: Any, values: NDArray[Any]) -> str:
    return f"an array of {values.dtype}" if isinstance(returned, np.ndarray) else f"a {type(returned).__name__}"
