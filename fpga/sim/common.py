"""What all benches share: the seed of their chance, clocks, time limits."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.simtime import get_sim_time
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

SEED = int(os.environ.get("SEED", "1"))

# Periods of one clock in periods of another: equal ones too, and two that drift past each other.
RATIOS = (0.2, 0.37, 0.5, 0.97, 1.0, 1.03, 2.0, 3.3, 5.0)


def test(us):
    """A test that fails when it takes longer than `us` of simulated time. The simulation is new for each."""
    return cocotb.test(timeout_time=us, timeout_unit="us")


def rng(name):
    """Chance of its own for each test, so that no test changes another's."""
    return random.Random(f"{SEED} {name}")


def clock(signal, ns):
    """Starts a clock, low at first; what comes back can `stop()` it and `start()` it again."""
    running = Clock(signal, 2 * round(500 * ns), "ps", impl="gpi")
    running.start(start_high=False)
    return running


def now():
    """The simulated time in nanoseconds."""
    return get_sim_time("ns")


async def rising(clk, clocks):
    if clocks > 0:
        await ClockCycles(clk, clocks, RisingEdge)


async def falling(clk, clocks):
    if clocks > 0:
        await ClockCycles(clk, clocks, FallingEdge)
