"""Registers: ident and build, reads, writes by two equal words, status bits, counters, pins."""

from common import clock, rising, rng, test
from names import register

NS = 1000 / 48
WRITE = 0x8000
STATUS, IDENT, REVISION, NOW, CONTROL, ROW_UNITS = map(register, ("status", "ident", "revision", "now", "control", "row_units"))
LEFT_OUT, UNEVEN, BAD = map(register, ("rows_left_out", "rows_uneven", "messages_bad"))
# Lower address of each pair of registers.
AUX_ENABLE, AUX_OUT, AUX_IN = map(register, ("aux_enable_low", "aux_out_low", "aux_in_low"))
PULSES = ("message_bad", "no_room", "uneven", "cut")
LEVELS = ("camera_stopped", "usb_stopped", "usb_stalled", "silent")


class Board:
    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        for line in ("command", "word", "aux_in", *PULSES, *LEVELS):
            getattr(dut, line).value = 0
        clock(dut.clk, NS)

    async def pulse(self, line, times=1):
        for _ in range(times):
            getattr(self.dut, line).value = 1
            await rising(self.dut.clk, 1)
            getattr(self.dut, line).value = 0
            await rising(self.dut.clk, self.random.randint(1, 3))

    async def command(self, word):
        """Last word of a valid message; the answer is ready long before the next message ends."""
        self.dut.word.value = word
        await self.pulse("command")
        self.dut.word.value = self.random.randrange(65536)
        await rising(self.dut.clk, 8)

    async def read(self, address):
        await self.command(address << 8)
        answer = int(self.dut.answer.value)
        assert answer >> 8 == 0x80 | address, f"{answer:04x} answers for {address:02x}"
        return answer & 0xFF

    async def write(self, address, value):
        for _ in range(2):
            await self.command(WRITE | address << 8 | value)


@test(100)
async def after_power_up(dut):
    """All registers have the reset values of docs/protocols/shim.md; the first answer is the status."""
    board = Board(dut, "after_power_up")
    await rising(dut.clk, 4)
    assert int(dut.answer.value) == 0x8001
    wanted = {STATUS: 1, IDENT: ord("X"), REVISION: 1, CONTROL: 1, ROW_UNITS: 80}
    for address in range(0x20):
        assert await board.read(address) == wanted.get(address, 0), f"{address:02x}"
    assert (int(dut.control.value), int(dut.row_units.value)) == (1, 80)
    assert int(dut.aux_enable.value) == int(dut.aux_out.value) == 0


@test(300)
async def writes(dut):
    """A value is adopted when two consecutive messages carry it, changes only its register, and reads back."""
    board = Board(dut, "writes")
    held = {CONTROL: 1, ROW_UNITS: 80, AUX_ENABLE: 0, AUX_ENABLE + 1: 0, AUX_OUT: 0, AUX_OUT + 1: 0}
    for _ in range(30):
        address = board.random.choice(list(held))
        value = board.random.randrange(8 if address == CONTROL else 256)
        await board.write(address, value)
        held[address] = value
        assert await board.read(address) == value
        assert int(dut.control.value) == held[CONTROL] and int(dut.row_units.value) == held[ROW_UNITS]
        assert int(dut.aux_enable.value) == held[AUX_ENABLE] | held[AUX_ENABLE + 1] << 8
        assert int(dut.aux_out.value) == held[AUX_OUT] | held[AUX_OUT + 1] << 8
    for address, value in held.items():
        assert await board.read(address) == value


@test(300)
async def one_is_not_enough(dut):
    """Not written by one word, two that differ in a bit, two with another between them, or words that read."""
    board = Board(dut, "one_is_not_enough")
    word = WRITE | ROW_UNITS << 8 | 0x33
    await board.command(word)
    assert await board.read(ROW_UNITS) == 80
    await board.command(word)
    await board.command(word ^ 1 << board.random.randrange(8))
    assert int(dut.row_units.value) == 80
    await board.command(word)
    await board.command(0)
    await board.command(word)
    assert int(dut.row_units.value) == 80
    for _ in range(3):
        await board.command(word & ~WRITE)
    assert int(dut.row_units.value) == 80 and int(dut.answer.value) == WRITE | ROW_UNITS << 8 | 80
    # Two words without the pulse of a valid message are not commands either.
    for _ in range(2):
        dut.word.value = word
        await rising(dut.clk, 5)
    assert int(dut.row_units.value) == 80
    await board.write(ROW_UNITS, 0x33)
    assert int(dut.row_units.value) == 0x33


@test(300)
async def read_only(dut):
    """Writes to read-only registers have no effect."""
    board = Board(dut, "read_only")
    before = [await board.read(address) for address in range(1, 0x10)]
    for address in range(1, 0x10):
        await board.write(address, 0xA5)
    await board.write(AUX_IN, 0xA5)
    assert [await board.read(address) for address in range(1, 0x10)] == before
    assert await board.read(AUX_IN) == 0


@test(300)
async def status(dut):
    """Each bit is set by its event or level, stays set, and is cleared by writing 1; a lasting level sets it again."""
    board = Board(dut, "status")
    assert await board.read(STATUS) == 0x01
    await board.write(STATUS, 0x01)
    assert await board.read(STATUS) == 0
    for bit, line in enumerate((*PULSES, *LEVELS[:3]), 1):
        await board.pulse(line)
        assert await board.read(STATUS) == 1 << bit, line
        await board.write(STATUS, 0xFF & ~(1 << bit))
        assert await board.read(STATUS) == 1 << bit, f"{line} was cleared by other bits"
        await board.write(STATUS, 1 << bit)
        assert await board.read(STATUS) == 0, line
    for bit, line in enumerate(LEVELS):
        getattr(dut, line).value = 1
        await rising(dut.clk, 2)
        assert await board.read(NOW) == 1 << bit
        await board.write(STATUS, 0xFF)
        assert await board.read(STATUS) == (0 if line == "silent" else 0x20 << bit)
        getattr(dut, line).value = 0
        await rising(dut.clk, 2)
        assert await board.read(NOW) == 0
        await board.write(STATUS, 0xFF)


@test(300)
async def cleared_as_it_happens(dut):
    """An event in the clock in which its bit is cleared keeps the bit set."""
    board = Board(dut, "cleared_as_it_happens")
    await board.command(WRITE | STATUS << 8 | 0xFF)
    dut.word.value = WRITE | STATUS << 8 | 0xFF
    dut.uneven.value = dut.command.value = 1
    await rising(dut.clk, 1)
    dut.uneven.value = dut.command.value = 0
    assert await board.read(STATUS) & 0x08


@test(1000)
async def counters(dut):
    """Dropped rows, uneven or cut rows, and bad messages have one counter each, which wraps."""
    board = Board(dut, "counters")
    counts = {line: board.random.randint(258, 300) for line in PULSES}
    for line, times in counts.items():
        await board.pulse(line, times)
    assert await board.read(LEFT_OUT) == counts["no_room"] % 256
    assert await board.read(UNEVEN) == (counts["uneven"] + counts["cut"]) % 256
    assert await board.read(BAD) == counts["message_bad"] % 256


@test(100)
async def pins(dut):
    """The auxiliary pins can be read."""
    board = Board(dut, "pins")
    for _ in range(5):
        value = dut.aux_in.value = board.random.randrange(65536)
        assert await board.read(AUX_IN) | await board.read(AUX_IN + 1) << 8 == value
