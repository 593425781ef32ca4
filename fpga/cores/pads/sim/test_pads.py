"""Pads: the clock in which a signal reaches a pin, or a pin's value is known."""

from cocotb.triggers import FallingEdge, RisingEdge, Timer

from common import clock, rising, rng, test

NS = 20


def begin(dut, name):
    for line in (dut.value, dut.enable, dut.pin, dut.outside, dut.hold):
        line.value = 0
    clock(dut.clk, NS)
    return rng(name)


@test(100)
async def outputs(dut):
    """A registered output has the value given before the rising edge, for one clock."""
    random = begin(dut, "outputs")
    await rising(dut.clk, 2)
    for _ in range(200):
        await RisingEdge(dut.clk)
        given = int(dut.value.value)
        await Timer(1, "ns")
        assert int(dut.registered.value) == given
        dut.value.value = 1 - given if random.random() < 0.6 else given
        await Timer(random.randint(1, 17), "ns")
        assert int(dut.registered.value) == given


@test(100)
async def inputs(dut):
    """A pin's value at a rising edge is known after that edge; at a falling edge, after the next rising edge."""
    random = begin(dut, "inputs")
    await rising(dut.clk, 2)
    for _ in range(200):
        await FallingEdge(dut.clk)
        at_falling = int(dut.pin.value)
        await Timer(random.randint(1, 4), "ns")
        dut.pin.value = random.randrange(2)
        await RisingEdge(dut.clk)
        at_rising = int(dut.pin.value)
        # The FT2232H changes its lines after the rising edge and before the falling edge.
        await Timer(random.randint(1, 7), "ns")
        dut.pin.value = random.randrange(2)
        await Timer(1, "ns")
        assert int(dut.rising.value) == at_rising
        assert int(dut.falling.value) == at_falling


@test(100)
async def two_ways(dut):
    """Shared pins: driven when enabled, otherwise released, and readable in both cases."""
    random = begin(dut, "two_ways")
    for _ in range(50):
        value, enable, outside = (random.randrange(2) for _ in range(3))
        dut.value.value, dut.enable.value, dut.outside.value = value, enable, outside
        dut.hold.value = 1 - enable
        await Timer(3, "ns")
        assert int(dut.both.value) == int(dut.both_in.value) == (value if enable else outside)
        # A released pin is pulled up in the model, and floating in the iCE40.
        assert str(dut.shared.value) in (str(value) if enable else "1zZ")


@test(100)
async def clocks(dut):
    """Clock inputs are passed through, and clock outputs consist of whole periods while enabled."""
    begin(dut, "clocks")
    await rising(dut.clk, 2)
    for enable in (1, 0, 1, 1, 0, 0, 1):
        await Timer(13, "ns")
        dut.enable.value = enable
        await RisingEdge(dut.clk)
        for after, wanted in ((2, enable), (7, enable), (3, 0), (6, 0)):
            await Timer(after, "ns")
            assert int(dut.gated.value) == wanted
            assert int(dut.copy.value) == int(dut.copy_local.value) == int(dut.clk.value)
        await RisingEdge(dut.clk)
