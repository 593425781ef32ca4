"""The engine `gpu` beside VMAS on the same GPU, for several numbers of worlds.

    pip install vmas==1.5.2                                   # and a torch for the GPU, which VMAS needs
    python tools/compare/beside_vmas_gpu.py target/debug/xpuck

Both simulate worlds of 16 robots with walls and proximity at 10 Hz, four steps of physics each, as in beside_vmas.py. Prints the
simulated robot-seconds per second. Without a GPU that torch can use, VMAS runs on the processor, and Xpuck on the adapter that its
engine finds.
"""

import json
import subprocess
import sys
import time

import torch
from beside_vmas import ROBOTS, Arena
from vmas import make_env

WORLDS = [256, 4096, 65_536]
# Wall time of a measurement (s).
SECONDS = 5.0


def vmas(worlds: int, device: str) -> float:
    """Returns the robot-seconds that VMAS simulates per second."""
    environment = make_env(Arena(), num_envs=worlds, device=device, continuous_actions=True, seed=1)
    environment.reset()
    forward = [torch.full((worlds, 2), 0.3, device=device)] * ROBOTS
    environment.step(forward)
    steps, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < SECONDS:
        environment.step(forward)
        if device == "cuda":
            torch.cuda.synchronize()
        steps += 1
    return 0.1 * ROBOTS * worlds * steps / (time.perf_counter() - begun)


def xpuck(program: str, worlds: int) -> float:
    """Returns the robot-seconds that the engine `gpu` simulates per second."""
    command = [program, "dev", "bench", "--engine", "gpu", "--worlds", str(worlds), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["r_acc"]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: beside_vmas_gpu.py XPUCK; build it with `cargo build -p xpuck-hub --bin xpuck`")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    print(f"VMAS on {device}; robot-seconds per second")
    for worlds in WORLDS if device == "cuda" else WORLDS[:1]:
        theirs, ours = vmas(worlds, device), xpuck(sys.argv[1], worlds)
        print(f"{worlds:>6} worlds: VMAS {theirs:>12,.0f}, Xpuck {ours:>13,.0f}, ratio {ours / theirs:,.0f}", flush=True)


if __name__ == "__main__":
    main()
