"""Crossings between clocks of all ratios: levels, events and numbers, and stopping clocks."""

import cocotb
from cocotb.triggers import RisingEdge, Timer

from common import RATIOS, clock, now, rising, rng, test


def begin(dut):
    dut.level.value, dut.toggle.value, dut.a_value.value = 0, 0, 0


def number(i):
    """Values whose neighbours differ in many bits, with no repetition among 256 consecutive values."""
    return i * 0x9D & 0xFF


class Counter:
    """Sends a new number at each clock of a, and checks the numbers seen at b against those sent."""

    def __init__(self, dut):
        self.dut, self.given, self.seen = dut, 0, 0
        self.holds = False  # whether the number is constant
        cocotb.start_soon(self._gives())
        cocotb.start_soon(self._sees())

    async def _gives(self):
        while True:
            await RisingEdge(self.dut.a_clk)
            if not self.holds:
                self.given += 1
                self.dut.a_value.value = number(self.given)

    async def _sees(self):
        while True:
            await RisingEdge(self.dut.b_clk)
            value = int(self.dut.b_value.value)
            ahead = next((i for i in range(self.given - self.seen + 1) if number(self.seen + i) == value), None)
            assert ahead is not None, f"{value:02x} is none of the numbers {self.seen} to {self.given}"
            self.seen += ahead


@test(400)
async def levels(dut):
    """A level arrives two clocks later, independent of the other clock, and no other level appears."""
    random = rng("levels")
    begin(dut)
    clock(dut.b_clk, 20)
    at_edges = [0, 0, 0]
    for _ in range(1000):
        await RisingEdge(dut.b_clk)
        at_edges = [*at_edges[1:], int(dut.level.value)]
        await Timer(random.choice((1, 5, 15)), "ns")
        assert int(dut.synced.value) == at_edges[-2]
        if random.random() < 0.4:
            dut.level.value = random.randrange(2)


@test(2000)
async def events(dut):
    """One pulse of one clock per change, if changes are at least three clocks of b apart."""
    random = rng("events")
    begin(dut)
    pulses = 0

    async def counts():
        nonlocal pulses
        while True:
            await RisingEdge(dut.b_clk)
            pulses += int(dut.pulse.value)

    cocotb.start_soon(counts())
    for ratio in RATIOS:
        a, b = clock(dut.a_clk, 20), clock(dut.b_clk, 20 * ratio)
        pulses, sent = 0, 60
        least = 1 + int(3 * ratio)
        for _ in range(sent):
            await rising(dut.a_clk, random.randint(least, least + 5))
            dut.toggle.value = 1 - int(dut.toggle.value)
        await rising(dut.b_clk, 6)
        assert pulses == sent, f"{pulses} of {sent} at ratio {ratio}"
        a.stop(), b.stop()


@test(2000)
async def numbers(dut):
    """Only numbers that were sent arrive, in order and intact; a constant number arrives within two handshakes."""
    random = rng("numbers")
    begin(dut)
    clocks = []
    for ratio in RATIOS:
        clocks = [clock(dut.a_clk, 20), clock(dut.b_clk, 20 * ratio)]
        if ratio == RATIOS[0]:
            counter = Counter(dut)
        for _ in range(6):
            counter.holds = False
            await rising(dut.a_clk, random.randint(20, 60))
            counter.holds = True
            # If a handshake has just begun, the value takes four clocks of a and seven of b.
            await Timer(4 * 20 + 4 * 20 * ratio, "ns")
            await rising(dut.b_clk, 3)
            assert counter.seen == counter.given, f"{counter.seen} of {counter.given} at ratio {ratio}"
        for each in clocks:
            each.stop()
    assert counter.seen > 100


@test(2000)
async def a_clock_stops(dut):
    """If a clock stops, b keeps its value; when the clock runs again, numbers arrive again."""
    random = rng("a_clock_stops")
    begin(dut)
    a, b = clock(dut.a_clk, 20), clock(dut.b_clk, 27)
    counter = Counter(dut)
    for stopped in [random.choice((a, b)) for _ in range(12)] + [a, b]:
        await Timer(random.randint(200, 900), "ns")
        stopped.stop()
        await Timer(600, "ns")
        before, at = int(dut.b_value.value), now()
        await Timer(1, "us")
        assert int(dut.b_value.value) == before and now() > at
        # Fewer than 256 numbers passed meanwhile, so each of them is unique.
        stopped.start()
        seen = counter.seen
        await Timer(1, "us")
        assert counter.seen > seen
