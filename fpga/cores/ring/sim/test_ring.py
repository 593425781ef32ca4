"""Ring of Neopixels: colours from words with the data sheet's timing; skipped messages; the red alarm."""

import cocotb

from common import clock, rising, rng, test
from spi import PIXELS, PIXEL_WORDS, any_message, colours
from strip import Strip

NS = 1000 / 48
RED = [0x004000] * 15  # a quarter of full red


def begin(dut, name):
    for line in (dut.tick, dut.begins, dut.write, dut.write_at, dut.word, dut.good, dut.alarm):
        line.value = 0
    clock(dut.clk, NS)
    return rng(name), Strip(dut.line)


async def pulse(dut, line):
    line.value = 1
    await rising(dut.clk, 1)
    line.value = 0


async def passes(dut, random, words, good=True, only=PIXEL_WORDS):
    """Sends a message's words as the tap reports them; `only` is the number of ring words."""
    await rising(dut.clk, 1)
    await pulse(dut, dut.begins)
    for at in range(PIXELS, PIXELS + only):
        await rising(dut.clk, random.randint(1, 40))
        dut.word.value, dut.write_at.value = words[at], at + 1
        await pulse(dut, dut.write)
        dut.word.value = random.randrange(65536)
    await rising(dut.clk, random.randint(1, 40))
    if good:
        await pulse(dut, dut.good)


@test(6000)
async def shows(dut):
    """The pixels show the colours of valid messages, all bits of all colours, in the order green, red, blue."""
    random, strip = begin(dut, "shows")
    for words in (any_message(random), [0] * 32, [0xFFFF] * 32, any_message(random)):
        await passes(dut, random, words)
        shown = await strip.next()
        assert shown == colours(words), f"{shown[:3]} for {colours(words)[:3]}"
    assert len(strip.shown) == 4


@test(4000)
async def not_shown(dut):
    """A bad or torn message is not shown, and does not affect the next valid one."""
    random, strip = begin(dut, "not_shown")
    first = any_message(random)
    await passes(dut, random, first)
    await passes(dut, random, any_message(random), good=False)
    await passes(dut, random, any_message(random), good=False, only=random.randrange(PIXEL_WORDS))
    assert await strip.next() == colours(first), "a message that was not good came between"
    await strip.stays(900)
    second = any_message(random)
    await passes(dut, random, second)
    assert await strip.next() == colours(second)


@test(6000)
async def overtaken(dut):
    """Messages faster than the strip: each frame is one complete message, and the newest one comes last."""
    random, strip = begin(dut, "overtaken")
    sent = [any_message(random) for _ in range(40)]
    for words in sent:
        await passes(dut, random, words)
        await rising(dut.clk, random.choice((5, 500, 3000)))
    await strip.next()
    for _ in sent:
        if strip.shown[-1] == colours(sent[-1]):
            break
        await strip.next()
    await strip.stays(900)
    wanted = [colours(words) for words in sent]
    assert all(shown in wanted for shown in strip.shown), "a frame is none of the messages"
    places = [wanted.index(shown) for shown in strip.shown]
    assert places == sorted(set(places)), f"order {places}"
    assert strip.shown[0] == colours(sent[0])


@test(8000)
async def alarm(dut):
    """The alarm makes the ring red, repeatedly; a valid message ends it, even during a red frame."""
    random, strip = begin(dut, "alarm")
    first, second = any_message(random), any_message(random)

    async def ticks():
        while True:
            await rising(dut.clk, 300)
            await pulse(dut, dut.tick)

    cocotb.start_soon(ticks())
    await passes(dut, random, first)
    assert await strip.next() == colours(first)
    dut.alarm.value = 1
    for _ in range(2):
        assert await strip.next() == RED
    await rising(dut.clk, 24_000)
    await passes(dut, random, second)
    dut.alarm.value = 0
    while (shown := await strip.next()) == RED:
        assert len(strip.shown) < 5
    assert shown == colours(second)
    await strip.stays(900)
