"""The FT2232H's master with a model of the chip: no byte is lost or doubled for any pause by TXE#."""

import cocotb
from cocotb.triggers import RisingEdge, Timer

from common import clock, rising, rng, test
from usb import NS, Chip


class Source:
    """Provides bytes like the FIFO: each is valid until it is taken."""

    def __init__(self, dut, random, eager=1.0):
        self.dut, self.random, self.eager, self.given = dut, random, eager, bytearray()
        self.empty = False  # provides no more bytes
        self.took = 0
        dut.valid.value = 0
        dut.data.value = 0
        cocotb.start_soon(self._gives())

    async def _gives(self):
        dut, valid, took = self.dut, False, 0
        while True:
            await RisingEdge(dut.clk)
            self.took += took != int(dut.took.value)
            took = int(dut.took.value)
            if valid and int(dut.pop.value):
                self.given.append(int(dut.data.value))
                valid = False
            if not valid and not self.empty and self.random.random() < self.eager:
                valid = True
                dut.data.value = self.random.randrange(256)
            dut.valid.value = int(valid)


async def settled(dut, source, chip):
    """All bytes that were provided have reached the chip exactly once."""
    source.empty = True
    await rising(dut.clk, 20)
    assert len(chip.got) == len(source.given), f"{len(chip.got)} bytes of {len(source.given)}"
    assert chip.got == source.given, "another byte came"
    assert source.took == len(chip.got), f"{source.took} told of {len(chip.got)}"


@test(1000)
async def stalls(dut):
    """Random stalls of 1 to 100 clocks, with a fast or slow source."""
    random = rng("stalls")
    clock(dut.clk, NS)
    chip = Chip(dut.clk, dut.wr_n, dut.txe_n, dut.d, random)
    source = Source(dut, random)
    kinds = (1.0, (1, 100), (1, 100)), (0.3, (1, 5), (1, 5)), (1.0, (1, 4), (1, 4)), (0.6, (1, 3), (1, 60))
    for eager, opened, closed in kinds:
        source.eager = eager
        stalling = cocotb.start_soon(chip.stalls(opened, closed))
        await rising(dut.clk, 2500)
        stalling.cancel()
        await chip.opens()
    assert len(chip.got) > 800
    await settled(dut, source, chip)


@test(1000)
async def pauses_anywhere(dut):
    """TXE# high for 1 to 6 clocks, starting in each clock of a transfer, with and without a waiting byte."""
    random = rng("pauses_anywhere")
    clock(dut.clk, NS)
    chip = Chip(dut.clk, dut.wr_n, dut.txe_n, dut.d, random)
    source = Source(dut, random)
    await chip.opens()
    for eager in (1.0, 0.4):
        source.eager = eager
        for length in range(1, 7):
            for offset in range(4):
                await rising(dut.clk, 20 + offset)
                await chip.closes()
                await rising(dut.clk, length - 1)
                await chip.opens()
    await settled(dut, source, chip)


@test(1000)
async def buffer(dut):
    """The chip's 4 KiB buffer fills, TXE# rises after the last byte, the host reads a packet, and so on."""
    random = rng("buffer")
    clock(dut.clk, NS)
    chip = Chip(dut.clk, dut.wr_n, dut.txe_n, dut.d, random, capacity=4096)
    source = Source(dut, random)
    cocotb.start_soon(chip.reads((600, 1800)))
    while len(chip.got) < 4096 + 3 * 510:
        await rising(dut.clk, 100)
    assert chip.level <= 4096
    source.empty = True
    await rising(dut.clk, 4000)
    await settled(dut, source, chip)


@test(500)
async def stalls_for_ever(dut):
    """The chip takes no bytes for a long time: the same byte is offered repeatedly, and arrives next."""
    random = rng("stalls_for_ever")
    clock(dut.clk, NS)
    chip = Chip(dut.clk, dut.wr_n, dut.txe_n, dut.d, random)
    source = Source(dut, random)
    await chip.opens()
    await rising(dut.clk, 100)
    await chip.closes()
    await rising(dut.clk, 10)
    before, strobes, held = len(chip.got), chip.strobes, None
    for _ in range(2000):
        await RisingEdge(dut.clk)
        if int(dut.wr_n.value) == 0:
            assert held in (None, int(dut.d.value)), "another byte is offered"
            held = int(dut.d.value)
    assert len(chip.got) == before and chip.strobes >= strobes + 900
    await chip.opens()
    await rising(dut.clk, 8)
    assert chip.got[before] == held
    await settled(dut, source, chip)


@test(500)
async def speed(dut):
    """Without stalls a byte takes two clocks (30 MB/s); WR# is never low in two consecutive clocks."""
    random = rng("speed")
    clock(dut.clk, NS)
    chip = Chip(dut.clk, dut.wr_n, dut.txe_n, dut.d, random)
    source = Source(dut, random)
    await chip.opens()
    await rising(dut.clk, 20)
    before, low = len(chip.got), 0
    for _ in range(2000):
        await RisingEdge(dut.clk)
        low = low + 1 if int(dut.wr_n.value) == 0 else 0
        assert low < 2
    assert len(chip.got) - before == 1000
    await settled(dut, source, chip)


@test(500)
async def clock_stops(dut):
    """The chip leaves the FIFO mode and its clock stops; when the clock returns, no byte is lost or doubled."""
    random = rng("clock_stops")
    stopping = clock(dut.clk, NS)
    chip = Chip(dut.clk, dut.wr_n, dut.txe_n, dut.d, random)
    source = Source(dut, random)
    cocotb.start_soon(chip.stalls((1, 20), (1, 20)))
    for _ in range(20):
        await rising(dut.clk, random.randint(30, 70))
        stopping.stop()
        await Timer(random.randint(100, 2000), "ns")
        stopping.start()
    source.empty = True
    await rising(dut.clk, 200)
    await settled(dut, source, chip)
