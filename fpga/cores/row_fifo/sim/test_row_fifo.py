"""Row FIFO: order, commits and rollbacks, room, overruns, at all clock ratios."""

import cocotb
from cocotb.triggers import RisingEdge

from common import RATIOS, clock, rising, rng, test

SMALL, BIG = 14, 448  # units of 16 bytes


class Writer:
    def __init__(self, dut, random, big=False):
        self.dut, self.random = dut, random
        self.rows = 0
        dut.big.value = int(big)
        for line in (dut.w_write, dut.w_data, dut.w_commit, dut.w_rollback):
            line.value = 0

    def bytes(self, units):
        """A header and a row of this number of units. The second byte is the row's number; the others vary."""
        self.rows = self.rows % 255 + 1
        return bytes(self.rows if i == 1 else (self.rows * 31 + i * 7) & 0xFF for i in range(8 + 16 * units))

    async def put(self, data, end, pauses=0.0):
        """Writes the bytes, and then "commit"s or "rollback"s (`end`) with the last byte or after it."""
        dut, late = self.dut, self.random.random() < 0.5
        for i, byte in enumerate(data):
            while self.random.random() < pauses:
                dut.w_write.value = 0
                await rising(dut.w_clk, 1)
            dut.w_write.value, dut.w_data.value = 1, byte
            if i == len(data) - 1 and not late:
                break
            await rising(dut.w_clk, 1)
        if late:
            dut.w_write.value = 0
        line = dut.w_commit if end == "commit" else dut.w_rollback
        line.value = 1
        await rising(dut.w_clk, 1)
        line.value, dut.w_write.value = 0, 0

    async def asks(self, units):
        """Waits for room as the camera does: for a row of `units`, its header and a frame's end."""
        await rising(self.dut.w_clk, 3)
        while int(self.dut.w_free.value) <= units:
            await rising(self.dut.w_clk, 1)


class Reader:
    def __init__(self, dut, random):
        self.dut, self.random, self.got = dut, random, bytearray()
        self.eager = 1.0  # probability of a pop per clock
        dut.r_pop.value = 0
        cocotb.start_soon(self._reads())

    async def _reads(self):
        dut, pop = self.dut, False
        while True:
            await RisingEdge(dut.r_clk)
            if pop and int(dut.r_valid.value):
                self.got.append(int(dut.r_data.value))
            pop = self.eager and self.random.random() < self.eager
            dut.r_pop.value = int(pop)

    async def all(self):
        """Reads all available bytes at full speed."""
        self.eager = 1.0
        before = -1
        while len(self.got) != before:
            before = len(self.got)
            await rising(self.dut.r_clk, 40)
            await rising(self.dut.w_clk, 20)


def expect(got, rows):
    wanted = b"".join(rows)
    if got != wanted:
        at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
        raise AssertionError(f"{len(got)} bytes of {len(wanted)}; the first difference is at {at}")


@test(5000)
async def order(dut):
    """If room is checked, all committed bytes arrive in order and no rolled-back ones, at every clock ratio."""
    random = rng("order")
    writer, reader = Writer(dut, random), Reader(dut, random)
    for ratio in RATIOS:
        clocks = clock(dut.w_clk, 20), clock(dut.r_clk, 20 * ratio)
        await rising(dut.w_clk, 1)
        reader.got.clear()
        rows = []
        for _ in range(25):
            units = random.randint(1, 5)
            reader.eager = random.choice((0.05, 0.3, 0.7, 1.0))
            if int(dut.w_free.value) <= units:
                reader.eager = 1.0
            await writer.asks(units)
            data, end = writer.bytes(units), "commit" if random.random() < 0.7 else "rollback"
            if end == "rollback":
                data = data[: random.randint(1, len(data))]
            await writer.put(data, end, random.choice((0.0, 0.3)))
            if end == "commit":
                rows.append(data)
        await reader.all()
        expect(reader.got, rows)
        for each in clocks:
            each.stop()


@test(5000)
async def overruns(dut):
    """If room is not checked, a row is complete or absent, and the next row that fits arrives."""
    random = rng("overruns")
    writer, reader = Writer(dut, random), Reader(dut, random)
    lost = 0
    for ratio in (0.2, 1.0, 1.03, 5.0):
        clocks = clock(dut.w_clk, 20), clock(dut.r_clk, 20 * ratio)
        reader.got.clear()
        rows = {}
        for _ in range(25):
            reader.eager = random.choice((0.0, 0.0, 0.1, 0.5))
            data, end = writer.bytes(random.randint(1, 16)), "commit" if random.random() < 0.8 else "rollback"
            await writer.put(data, end)
            if end == "commit":
                rows[data[1]] = data
        await reader.all()
        data = rows[data[1]] = writer.bytes(6)
        await writer.put(data, "commit")
        await reader.all()
        came = whole_rows(reader.got, rows)
        assert came[-1] == data[1], "the row that fits did not come"
        lost += len(rows) - len(came)
        for each in clocks:
            each.stop()
    assert lost > 10


def whole_rows(got, committed):
    """Splits the bytes into rows; each must be a committed row, complete and in order. Returns their numbers."""
    at, numbers = 0, [0]
    while at < len(got):
        number = got[at + 1]
        assert number in committed, f"row {number} at {at} was not committed"
        assert number > numbers[-1], f"row {number} behind {numbers[-1]}"
        row = committed[number]
        assert got[at : at + len(row)] == row, f"row {number} is not whole"
        numbers.append(number)
        at += len(row)
    return numbers[1:]


@test(3000)
async def room(dut):
    """The reported room exists, covers all of the memory except one unit, and is reported again after reading."""
    random = rng("room")
    reader = Reader(dut, random)
    for big, units in ((False, SMALL), (True, BIG)):
        writer = Writer(dut, random, big)
        reader.got.clear()
        clocks = clock(dut.w_clk, 20), clock(dut.r_clk, 31)
        for _ in range(1 if big else 3):
            # 16 n bytes, so that the writer is at the same position in a unit each time.
            reader.eager = 0.0
            await rising(dut.w_clk, 30)
            assert int(dut.w_free.value) == units - 1
            filled = bytes(random.randrange(256) for _ in range(16 * (units - 1)))
            await writer.put(filled, "commit")
            await rising(dut.w_clk, 3)
            assert int(dut.w_free.value) == 0
            reader.got.clear()
            await reader.all()
            expect(reader.got, [filled])
        for each in clocks:
            each.stop()


@test(300)
async def full_speed(dut):
    """One byte per clock can be read, and the first is available soon after the commit."""
    writer, reader = Writer(dut, rng("full_speed"), big=True), Reader(dut, rng("full_speed"))
    clock(dut.w_clk, 20), clock(dut.r_clk, 17)
    data = writer.bytes(80)
    await writer.put(data, "commit")
    await rising(dut.r_clk, len(data) + 16)
    expect(reader.got, [data])


@test(3000)
async def reader_stops(dut):
    """The reader's clock stops for long: rows are complete or absent, and all arrive when it runs again."""
    random = rng("reader_stops")
    writer, reader = Writer(dut, random), Reader(dut, random)
    clock(dut.w_clk, 20)
    stopping = clock(dut.r_clk, 17)
    for _ in range(6):
        await rising(dut.r_clk, random.randint(5, 50))
        stopping.stop()
        reader.got.clear()
        rows = []
        for _ in range(12):
            await rising(dut.w_clk, 3)
            data = writer.bytes(2)
            if int(dut.w_free.value) > 2:
                rows.append(data)
                await writer.put(data, "commit")
            else:
                await writer.put(bytes(300), "commit")
        assert 3 <= len(rows) < 12
        stopping.start()
        await reader.all()
        expect(reader.got, rows)
