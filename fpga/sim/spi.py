"""Both ends of the SPI messages (docs/protocols/spi.md): message format, the board as master, the dsPIC as slave."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer

WORDS, PIXELS, PIXEL_WORDS, SUM, SEQUENCE, CRC, DUMMY = 32, 5, 23, 28, 29, 30, 31
EXAMPLE = [0x0003, 0x02CA, 0xFD36, 0x0100, 0, 0x2010, 0x3000] + [0] * 21 + [0x5114, 0x0001, 0xA884, 0]


def crc16(words):
    """CRC-16/CCITT-FALSE, most significant byte first."""
    crc = 0xFFFF
    for word in words:
        for bit in reversed(range(16)):
            high = crc >> 15 ^ word >> bit & 1
            crc = crc << 1 & 0xFFFF ^ (0x1021 if high else 0)
    return crc


def message(body, sequence=0, dummy=0):
    """A valid message with words 0 to 27 of `body`."""
    assert len(body) == SUM
    words = list(body) + [(sum(body) + sequence) % 65536, sequence]
    return words + [crc16(words), dummy]


def any_message(random, dummy=0):
    return message([random.randrange(65536) for _ in range(SUM)], random.randrange(65536), dummy)


def colours(words):
    """The ring's 15 pixels of 24 bits (green, red, blue) in a message."""
    bits = "".join(f"{word:016b}" for word in words[PIXELS : PIXELS + PIXEL_WORDS])
    return [int(bits[24 * i : 24 * i + 24], 2) for i in range(15)]


class Master:
    """SPI master, mode 1: bits change at SCK's rising edge and are sampled at its falling edge."""

    def __init__(self, sck, mosi, ss_n, sample, half=100, gap=6400):
        """`sample` returns the board's input at a falling edge; `half` clock period and `gap` after a word [ns]."""
        self.sck, self.mosi, self.ss_n, self.sample, self.half, self.gap = sck, mosi, ss_n, sample, half, gap
        sck.value, mosi.value, ss_n.value = 0, 0, 1

    async def send(self, words, bits=None):
        """Sends a message and returns the sampled bits, one list per word. The select is lost after `bits` bits."""
        got, left = [], len(words) * 16 if bits is None else bits
        self.ss_n.value = 0
        await Timer(2 * self.half, "ns")
        for word in words:
            got.append([])
            for bit in reversed(range(16)):
                if left == 0:
                    break
                left -= 1
                self.sck.value = 1
                self.mosi.value = word >> bit & 1
                await Timer(self.half, "ns")
                got[-1].append(self.sample())
                self.sck.value = 0
                await Timer(self.half, "ns")
            if left == 0:
                break
            if self.gap:
                await Timer(self.gap, "ns")
        self.ss_n.value = 1
        await Timer(max(self.gap, 2 * self.half), "ns")
        return got

    async def talk(self, words):
        """Sends a message, and returns the 32 words received."""
        return [int("".join(str(bit) for bit in word), 2) for word in await self.send(words)]


class Slave:
    """The dsPIC: sends `words`, and stores the received bits as one string per message."""

    def __init__(self, sck, mosi, miso, ss_n, words):
        self.sck, self.mosi, self.miso, self.ss_n, self.words = sck, mosi, miso, ss_n, words
        self.got = []
        miso.value = 0
        cocotb.start_soon(self._selected())
        cocotb.start_soon(self._gives())
        cocotb.start_soon(self._takes())

    async def _selected(self):
        while True:
            await FallingEdge(self.ss_n)
            self.got.append("")

    async def _gives(self):
        at, of = 0, 0
        while True:
            await RisingEdge(self.sck)
            if of != len(self.got):
                at, of = 0, len(self.got)
            if str(self.ss_n.value) == "0":
                self.miso.value = self.words[at // 16 % WORDS] >> 15 - at % 16 & 1
                at += 1

    async def _takes(self):
        while True:
            await FallingEdge(self.sck)
            if str(self.ss_n.value) == "0":
                self.got[-1] += str(self.mosi.value)
