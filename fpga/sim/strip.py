"""A strip of WS2812B pixels that decodes its line and records each time outside the data sheet's tolerance."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, SimTimeoutError, Timer, with_timeout

from common import now

# Times (ns): high for 0 and 1, low after them, tolerance of each, and low time until the pixels show the colours.
HIGH, LOW, TOLERANCE, LATCH = (400, 800), (850, 450), 150, 300_000


class Strip:
    def __init__(self, line):
        self.line = line
        self.shown = []  # colours of each frame: numbers of 24 bits, green, red, blue
        self.wrong = []
        cocotb.start_soon(self._reads())

    async def _reads(self):
        bits = ""
        while True:
            if not bits:
                await RisingEdge(self.line)
            begin = now()
            await FallingEdge(self.line)
            fell = now()
            high = fell - begin
            bit = int(abs(high - HIGH[1]) < abs(high - HIGH[0]))
            if abs(high - HIGH[bit]) > TOLERANCE:
                self.wrong.append(f"bit {len(bits)} was high for {high:.0f} ns")
            bits += str(bit)
            try:
                await with_timeout(RisingEdge(self.line), LATCH, "ns")
                if abs(now() - fell - LOW[bit]) > TOLERANCE:
                    self.wrong.append(f"low for {now() - fell:.0f} ns behind bit {len(bits) - 1}")
            except SimTimeoutError:
                self._latches(bits)
                bits = ""

    def _latches(self, bits):
        if len(bits) != 360:
            self.wrong.append(f"{len(bits)} bits")
        self.shown.append([int(bits[i : i + 24], 2) for i in range(0, len(bits), 24)])

    async def next(self):
        """Waits for the next frame and returns it."""
        before = len(self.shown)
        while len(self.shown) == before:
            await Timer(5, "us")
        assert not self.wrong, self.wrong[:5]
        return self.shown[-1]

    async def stays(self, us):
        """Checks that no new frame is shown for this time [us]."""
        before = len(self.shown)
        await Timer(us, "us")
        assert len(self.shown) == before, "the strip was told something"
        assert not self.wrong, self.wrong[:5]
