"""Common code of all benches: random seed, clocks, time limits."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.simtime import get_sim_time
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

SEED = int(os.environ.get("SEED", "1"))

# Ratios of two clock periods, including 1 and two ratios with a slow drift.
RATIOS = (0.2, 0.37, 0.5, 0.97, 1.0, 1.03, 2.0, 3.3, 5.0)


def test(us):
    """A test that fails if it takes longer than `us` of simulated time. Each test has a new simulation."""
    return cocotb.test(timeout_time=us, timeout_unit="us")


def rng(name):
    """Random generator of a test, so that no test affects another."""
    return random.Random(f"{SEED} {name}")


def clock(signal, ns):
    """Starts a clock, low at first; the result has the methods `stop()` and `start()`."""
    running = Clock(signal, 2 * round(500 * ns), "ps", impl="gpi")
    running.start(start_high=False)
    return running


def now():
    """The simulated time [ns]."""
    return get_sim_time("ns")


async def rising(clk, clocks):
    if clocks > 0:
        await ClockCycles(clk, clocks, RisingEdge)


async def falling(clk, clocks):
    if clocks > 0:
        await ClockCycles(clk, clocks, FallingEdge)
