"""Watchdog: silent 733 ticks (1 s) after the last valid message or power-up."""

from common import clock, rising, rng, test

LIMIT = 733


async def ticks(dut, random, times):
    for _ in range(times):
        dut.tick.value = 1
        await rising(dut.clk, 1)
        dut.tick.value = 0
        await rising(dut.clk, random.randint(1, 4))


async def message(dut):
    dut.message.value = 1
    await rising(dut.clk, 1)
    dut.message.value = 0
    await rising(dut.clk, 1)


@test(1000)
async def silence(dut):
    """Exactly this number of ticks; each message ends the silence and restarts the count."""
    random = rng("silence")
    dut.tick.value = dut.message.value = 0
    clock(dut.clk, 20)
    await rising(dut.clk, 3)
    for _ in range(3):
        await ticks(dut, random, LIMIT - 1)
        assert int(dut.silent.value) == 0
        await ticks(dut, random, 1)
        assert int(dut.silent.value) == 1
        await ticks(dut, random, random.randint(1, 900))
        assert int(dut.silent.value) == 1
        await message(dut)
        assert int(dut.silent.value) == 0
        await ticks(dut, random, random.randint(1, LIMIT - 1))
        await message(dut)


@test(1000)
async def messages(dut):
    """No silence while messages arrive, even in the same clock as a tick."""
    random = rng("messages")
    dut.tick.value = dut.message.value = 0
    clock(dut.clk, 20)
    for _ in range(6):
        await ticks(dut, random, random.randint(LIMIT - 100, LIMIT - 1))
        assert int(dut.silent.value) == 0
        dut.tick.value = dut.message.value = 1
        await rising(dut.clk, 1)
        dut.tick.value = dut.message.value = 0
        await rising(dut.clk, 1)
        assert int(dut.silent.value) == 0
