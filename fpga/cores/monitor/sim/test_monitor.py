"""Clock monitoring: ticks, and the detection of missing activity."""

from cocotb.triggers import RisingEdge, Timer

from common import clock, now, rising, rng, test

NS = 20
TICK = 64 * NS


@test(200)
async def ticks(dut):
    """A pulse of one clock every 2^WIDTH clocks."""
    dut.expected.value, dut.watched.value = 0, 0
    clock(dut.clk, NS)
    seen = []
    for i in range(1000):
        await RisingEdge(dut.clk)
        if int(dut.tick.value):
            seen.append(i)
    assert len(seen) >= 15 and {b - a for a, b in zip(seen, seen[1:])} == {64}


@test(200)
async def divides(dut):
    """The divider toggles every 16 edges."""
    dut.expected.value = 0
    clock(dut.watched, 7)
    edges = []
    for _ in range(6):
        await dut.toggle.value_change
        edges.append(now())
    assert {round(b - a) for a, b in zip(edges, edges[1:])} == {16 * 7}


@test(1000)
async def stops(dut):
    """A stopped clock is reported within two to three ticks, and the report ends at once when the clock runs."""
    random = rng("stops")
    dut.expected.value = 1
    clock(dut.clk, NS)
    for ratio in (0.2, 0.7, 1.0, 1.03, 3.3):
        watched = clock(dut.watched, NS * ratio)
        await Timer(random.randint(6 * TICK, 8 * TICK), "ns")
        assert int(dut.silent.value) == 0, f"at ratio {ratio}"
        watched.stop()
        began = now()
        await RisingEdge(dut.silent)
        # The last toggle was up to 16 edges before the stop.
        assert 2 * TICK - 16 * NS * ratio <= now() - began <= 3 * TICK + 5 * NS
        await Timer(5 * TICK, "ns")
        assert int(dut.silent.value) == 1
        watched.start()
        await Timer(17 * NS * ratio + 5 * NS, "ns")
        assert int(dut.silent.value) == 0
        watched.stop()


@test(200)
async def nothing_expected(dut):
    """Without expected activity nothing is reported; the time counts from the start of the expectation."""
    dut.expected.value, dut.watched.value = 0, 0
    clock(dut.clk, NS)
    await Timer(10 * TICK, "ns")
    assert int(dut.silent.value) == 0
    dut.expected.value = 1
    began = now()
    await RisingEdge(dut.silent)
    assert 2 * TICK <= now() - began <= 3 * TICK + 5 * NS
    dut.expected.value = 0
    await rising(dut.clk, 3)
    assert int(dut.silent.value) == 0
