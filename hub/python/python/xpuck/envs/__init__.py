"""Environments for reinforcement learning.

`SwarmVectorEnv` is a vectorised environment of Gymnasium (`pip install gymnasium`), `SwarmParallelEnv` a parallel one of PettingZoo
(`pip install pettingzoo`). A step is 0.1 s, an action a goal velocity or the wheels' speeds, the reward what the world's task earned
in the step, which all robots share: over an episode it adds up to the task's fitness. Episodes end by their time (truncation).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._parallel import SwarmParallelEnv
    from ._vector import SwarmVectorEnv

__all__ = ["SwarmParallelEnv", "SwarmVectorEnv"]


def __getattr__(name: str) -> Any:
    # Each is loaded when it is asked for, so that one package suffices for one of them.
    try:
        if name == "SwarmVectorEnv":
            from ._vector import SwarmVectorEnv

            return SwarmVectorEnv
        if name == "SwarmParallelEnv":
            from ._parallel import SwarmParallelEnv

            return SwarmParallelEnv
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{name} needs the package {error.name}: pip install {error.name}") from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
