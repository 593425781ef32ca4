"""Environment of the camera core: a sensor at its input, and a sink that receives its bytes like the FIFO."""

import cocotb
from cocotb.triggers import RisingEdge

import stream
from camera import Sensor
from common import clock, rng

PCLK = 42


class Sink:
    """Replaces the FIFO: stores committed bytes, and counts events. The test sets its room."""

    def __init__(self, dut):
        self.dut, self.stream, self.pending = dut, bytearray(), bytearray()
        self.no_room = self.uneven = self.cut = self.rollbacks = 0
        dut.free.value = 400
        cocotb.start_soon(self._takes())

    async def _takes(self):
        told = [0, 0, 0]
        while True:
            await RisingEdge(self.dut.clk)
            # The byte is undefined until the first one is written.
            tap = str(self.dut.tap.value)
            write, commit, rollback, *telling = map(int, tap[:6])
            assert not (commit and rollback), "a commit and a rollback at once"
            if write:
                self.pending.append(int(tap[6:], 2))
            if commit:
                assert len(self.pending) % 8 == 0, "a commit within eight bytes"
                self.stream += self.pending
            if commit or rollback:
                self.pending.clear()
                self.rollbacks += rollback
            self.no_room += telling[0] != told[0]
            self.uneven += telling[1] != told[1]
            self.cut += telling[2] != told[2]
            told = telling

    @property
    def told(self):
        return self.no_room, self.uneven, self.cut


def begin(dut, name, units=2, **lines):
    """Starts clock, sensor and sink. `units` is the row length in 16 bytes, effective from the first VSYNC."""
    dut.golden.value = 0
    dut.row_bytes.value = units
    dut.href_inverted.value = int(lines.get("href_low", False))
    dut.vsync_inverted.value = int(lines.get("vsync_low", False))
    running = clock(dut.clk, PCLK)
    sensor = Sensor(dut.clk, dut.href_pin, dut.vsync_pin, dut.data, rng(name), **lines)
    return sensor, Sink(dut), running


def held(sink, sensor, length):
    """Checks order and content of the received rows; returns the number of missing rows of the right length."""
    return stream.compare(stream.decode(sink.stream, length), sensor.sent, length)
