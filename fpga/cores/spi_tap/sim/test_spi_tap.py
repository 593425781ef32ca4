"""SPI tap: outputs for valid, bad and torn messages, and its answer in the last word."""

import cocotb
from cocotb.triggers import FallingEdge, First, RisingEdge, Timer

from common import clock, now, rng, test
from spi import CRC, DUMMY, EXAMPLE, PIXEL_WORDS, PIXELS, WORDS, Master, any_message, crc16

NS = 1000 / 48


class Tap:
    """Records the tap's outputs and the MISO line: `.` where the dsPIC's bit passes, else the tap's own bit."""

    def __init__(self, dut, name):
        self.dut, self.random = dut, rng(name)
        self.pixels, self.commands = {}, []
        self.begins = self.good = self.bad = 0
        dut.answer.value = 0
        clock(dut.clk, NS)
        self.master = Master(dut.sck, dut.mosi, dut.ss_n, self.bit, gap=self.random.choice((6400, 400)))
        for line, does in (
            (dut.begins, lambda: self.told("begins")),
            (dut.good, lambda: self.told("good")),
            (dut.bad, lambda: self.told("bad")),
            (dut.pixel_write, lambda: self.pixels.update({int(dut.pixel_at.value): int(dut.word.value)})),
            (dut.command, lambda: self.commands.append(int(dut.word.value))),
        ):
            cocotb.start_soon(self._pulses(line, does))

    async def _pulses(self, line, does):
        """Each pulse is one clock long; the accompanying values are valid at its end."""
        while True:
            await RisingEdge(line)
            await RisingEdge(self.dut.clk)
            does()
            await RisingEdge(self.dut.clk)
            assert not int(line.value), f"{line._name} lasts"

    def told(self, what):
        setattr(self, what, getattr(self, what) + 1)

    def bit(self):
        return str(self.dut.miso.value) if int(self.dut.replace.value) else "."

    async def send(self, words, bits=None):
        """Sends a message at a random phase of the clock. Returns the bits of the MISO line as a string."""
        await Timer(self.random.randrange(20_000), "ps")
        return "".join("".join(word) for word in await self.master.send(words, bits))

    async def is_good(self, words):
        """Sends a message that must be accepted, and checks all outputs."""
        before, answer = (self.begins, self.good, self.bad, len(self.commands)), self.random.randrange(65536)
        self.dut.answer.value = answer
        self.pixels.clear()
        line = await self.send(words)
        assert line == "." * 16 * DUMMY + f"{answer:016b}", f"the line back was {line}"
        assert (self.begins, self.good, self.bad) == (before[0] + 1, before[1] + 1, before[2])
        assert self.commands[before[3] :] == [words[DUMMY]]
        assert self.pixels == {at + 1: words[at] for at in range(PIXELS, PIXELS + PIXEL_WORDS)}

    async def is_bad(self, words, bits=None):
        """Sends a message that must be rejected and reported once."""
        before = self.begins, self.good, self.bad, self.commands[:]
        await self.send(words, bits)
        assert (self.begins, self.good, self.bad, self.commands) == (before[0] + 1, before[1], before[2] + 1, before[3])


@test(4000)
async def good_messages(dut):
    """The example of docs/protocols/spi.md and random messages, at any phase of the clock."""
    tap = Tap(dut, "good_messages")
    await tap.is_good(EXAMPLE)
    for _ in range(7):
        await tap.is_good(any_message(tap.random, tap.random.randrange(65536)))


@test(6000)
async def bad_messages(dut):
    """Reported as bad: one wrong bit in any checked word, a wrong sum with a right CRC, idle lines."""
    tap = Tap(dut, "bad_messages")
    tap.master.gap = 400
    for word in tap.random.sample(range(28), 4) + [28, 29, 30]:
        words = any_message(tap.random)
        words[word] ^= 1 << tap.random.randrange(16)
        await tap.is_bad(words)
    words = any_message(tap.random)
    words[28] ^= 1 << tap.random.randrange(16)
    words[CRC] = crc16(words[:CRC])
    await tap.is_bad(words)
    await tap.is_bad([0] * WORDS)
    await tap.is_bad([0xFFFF] * WORDS)
    await tap.is_good(any_message(tap.random))


@test(20000)
async def torn_messages(dut):
    """The select is lost at a word's end or within it; the next message is not affected."""
    tap = Tap(dut, "torn_messages")
    tap.master.gap = 400
    places = [0, 1, 15, 16, 17, 16 * 31 - 1] + [tap.random.randrange(1, 16 * 31) for _ in range(4)]
    for bits in places:
        words = any_message(tap.random)
        await tap.is_bad(words, bits)
        await tap.is_good(any_message(tap.random, tap.random.randrange(65536)))


@test(3000)
async def torn_last_word(dut):
    """A message torn within the last word, which has no checksum, is valid, but gives no command."""
    tap = Tap(dut, "torn_last_word")
    tap.master.gap = 400
    for bits in (16 * 31, 16 * 31 + 1, 16 * 32 - 1):
        good, bad = tap.good, tap.bad
        await tap.send(any_message(tap.random, 0xFFFF), bits)
        assert (tap.good, tap.bad, tap.commands) == (good + 1, bad, [])
    await tap.is_good(any_message(tap.random, 0x1234))


@test(4000)
async def too_long(dut):
    """Words beyond the last one pass in both directions without effect."""
    tap = Tap(dut, "too_long")
    tap.master.gap = 400
    words = any_message(tap.random, 0xA5A5)
    line = await tap.send(words + [tap.random.randrange(65536) for _ in range(36)])
    assert line[: 16 * DUMMY] == "." * 16 * DUMMY and line[16 * WORDS :] == "." * 16 * 36
    assert (tap.good, tap.bad, tap.commands) == (1, 0, [0xA5A5])
    await tap.is_good(any_message(tap.random))


@test(8000)
async def clocks(dut):
    """SCK of 1 to 5 MHz, gaps from none to 6.4 us, and clock edges without a select."""
    tap = Tap(dut, "clocks")
    for half, gap in ((100, 0), (100, 6400), (137, 50), (260, 1000), (500, 0)):
        tap.master.half, tap.master.gap = half, gap
        begins = tap.begins
        for _ in range(20):
            dut.sck.value, dut.mosi.value = 1, tap.random.randrange(2)
            await Timer(half, "ns")
            dut.sck.value = 0
            await Timer(half, "ns")
        assert tap.begins == begins
        await tap.is_good(any_message(tap.random, tap.random.randrange(65536)))


@test(2000)
async def answer_in_time(dut):
    """Each bit of the answer is stable from 80 ns before its falling edge to 10 ns after it."""
    tap = Tap(dut, "answer_in_time")
    changes, falls = [], []

    async def notes(trigger, times):
        while True:
            await trigger()
            times.append(now())

    cocotb.start_soon(notes(lambda: First(dut.miso.value_change, dut.replace.value_change), changes))
    cocotb.start_soon(notes(lambda: FallingEdge(dut.sck), falls))
    await tap.is_good(any_message(tap.random))
    for fall in falls[16 * CRC + 15 :]:
        assert not [at for at in changes if fall - 80 < at < fall + 10]
