"""FT2232H in the synchronous 245 FIFO mode, for transfers to the host.

It samples WR# and TXE# at the rising edge of its 60 MHz clock, and takes the byte if both are low. TXE# changes 1 to
7.15 ns after the rising edge (data sheet).
"""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from common import rising

NS = 1000 / 60


class Chip:
    def __init__(self, clk, wr_n, txe_n, data, random, capacity=None):
        """`reads` empties its buffer of `capacity` bytes (4096 in the real chip); default: unlimited."""
        self.clk, self.wr_n, self.txe_n, self.data, self.random = clk, wr_n, txe_n, data, random
        self.capacity, self.level = capacity, 0
        self.got = bytearray()
        self.strobes = 0  # number of edges with WR# low
        txe_n.value = self.full = 1
        cocotb.start_soon(self._takes())

    async def _takes(self):
        while True:
            await FallingEdge(self.wr_n)
            while True:
                await RisingEdge(self.clk)
                if str(self.wr_n.value) != "0":
                    break
                self.strobes += 1
                if not self.full:
                    self.got.append(int(self.data.value))
                    self.level += 1
                    if self.level == self.capacity:
                        cocotb.start_soon(self._turn(1))

    async def _turn(self, full):
        await Timer(self.random.choice((1000, 7150, self.random.randint(1000, 7150))), "ps")
        self.txe_n.value = self.full = full

    async def opens(self):
        """TXE# falls after the next rising edge."""
        await RisingEdge(self.clk)
        await self._turn(0)

    async def closes(self):
        """TXE# rises after the next rising edge."""
        await RisingEdge(self.clk)
        await self._turn(1)

    async def stalls(self, open_clocks=(1, 100), closed_clocks=(1, 100)):
        """Opens and closes at random, forever."""
        while True:
            await self.opens()
            await rising(self.clk, self.random.randint(*open_clocks) - 1)
            await self.closes()
            await rising(self.clk, self.random.randint(*closed_clocks) - 1)

    async def reads(self, pauses=(20, 400)):
        """The host takes up to 510 bytes at a time, forever."""
        await self.opens()
        while True:
            await rising(self.clk, self.random.randint(*pauses))
            full = self.level == self.capacity
            self.level -= min(self.level, 510)
            if full:
                await self.opens()

    async def quiet(self, clocks=400, limit=200_000):
        """Waits until no byte has arrived for this number of clocks."""
        for _ in range(limit // clocks):
            before = len(self.got)
            await rising(self.clk, clocks)
            if len(self.got) == before:
                return
        raise AssertionError("bytes keep coming")
