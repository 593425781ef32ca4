"""The complete logic at the pins of the Xpuck's board: SPI messages, registers, the ring, the auxiliary pins."""

import cocotb
from cocotb.triggers import Timer

from common import test
from names import NAMES, status
from robot import Robot
from spi import EXAMPLE, any_message, colours
from strip import Strip

RED = [0x004000] * 15


@test(5000)
async def identity(dut):
    """Status, ident, revision and build are in the last word; all other words are the dsPIC's, bit for bit."""
    robot = Robot(dut, "identity", video=False)
    # Status after the start; the clocks of camera and FT2232H do not run in this bench.
    assert await robot.talk(EXAMPLE) == 0x8001 | status("camera_stopped") | status("usb_stopped")
    assert await robot.read("ident") == NAMES["SHIM_IDENT_VALUE"]
    assert await robot.read("revision") == NAMES["SHIM_REVISION_VALUE"]
    assert [await robot.read(f"build_{i}") for i in range(4)] == [0xC0, 0xFF, 0xEE, 0x42]
    # Between messages the MISO line is released.
    assert str(dut.host_miso.value) == "1"


@test(5000)
async def example_on_the_ring(dut):
    """The example of the specification: red 10, green 20, blue 30 on the first pixel, the others dark."""
    robot, strip = Robot(dut, "example_on_the_ring", video=False), Strip(dut.pixels)
    await robot.talk(EXAMPLE)
    assert await strip.next() == [0x201030] + [0] * 14


@test(9000)
async def bad_messages(dut):
    """Torn and corrupt messages are reported and counted, not shown or obeyed, and forwarded to the dsPIC unchanged."""
    robot, strip = Robot(dut, "bad_messages", video=False), Strip(dut.pixels)
    first = any_message(robot.random)
    await robot.talk(first)
    write = 0x8000 | NAMES["SHIM_AUX_OUT_LOW"] << 8 | 0x5A
    for i in range(4):
        words = any_message(robot.random, write)
        if i % 2:
            words[robot.random.randrange(31)] ^= 1 << robot.random.randrange(16)
            await robot.talk(words)
        else:
            bits = robot.random.randrange(1, 16 * 31)
            await robot.master.send(words, bits)
            assert robot.slave.got[-1] == "".join(f"{word:016b}" for word in words)[:bits]
    assert await strip.next() == colours(first)
    await strip.stays(780)
    assert int(dut.board.aux_out.value) == 0
    second = any_message(robot.random)
    await robot.talk(second)
    assert await strip.next() == colours(second)
    robot.asked = None
    assert await robot.read("messages_bad") == 4
    assert await robot.read("status") & 0x03 == 0x03
    await robot.write("status", 0x03)
    assert await robot.read("status") & 0x03 == 0


@test(9000)
async def silence(dut):
    """Without valid messages the ring turns red; a bad message does not end that, a valid one shows its colours."""
    robot, strip = Robot(dut, "silence", video=False), Strip(dut.pixels)
    first, second = any_message(robot.random), any_message(robot.random)
    await robot.talk(first)
    assert await strip.next() == colours(first)
    assert await strip.next() == RED
    words = any_message(robot.random)
    words[7] ^= 1
    await robot.talk(words)
    assert str(dut.board.shim.silent.value) == "1"
    assert await strip.next() == RED
    await robot.talk(second)
    while (shown := await strip.next()) == RED:
        pass
    assert shown == colours(second)


@test(5000)
async def auxiliary_pins(dut):
    """Each of the 16 pins can be driven, read, and released to its pull-up, by register."""
    robot = Robot(dut, "auxiliary_pins", video=False)
    enable, out, hold, drive = (robot.random.randrange(65536) for _ in range(4))
    dut.aux_hold.value, dut.aux_drive.value = hold & ~enable, drive
    for name, value in (("aux_enable", enable), ("aux_out", out)):
        await robot.write(f"{name}_low", value & 0xFF)
        await robot.write(f"{name}_high", value >> 8)
    wanted = enable & out | hold & ~enable & drive | ~hold & ~enable & 0xFFFF
    assert int(dut.aux_pins.value) == wanted
    assert await robot.read("aux_in_low") | await robot.read("aux_in_high") << 8 == wanted


@test(5000)
async def messages_while_rows_pass(dut):
    """Simultaneous messages, colours and rows do not disturb each other."""
    robot, strip = Robot(dut, "messages_while_rows_pass"), Strip(dut.pixels)
    await robot.begins_with_rows(4)
    stalling = cocotb.start_soon(robot.chip.stalls((20, 60), (1, 20)))

    async def rows():
        for _ in range(5):
            await robot.sensor.frame(robot.sensor.picture(8, 64))

    passing = cocotb.start_soon(rows())
    for _ in range(3):
        words = any_message(robot.random)
        await robot.talk(words)
    await passing
    assert await strip.next()
    while strip.shown[-1] != colours(words):
        await strip.next()
    stalling.cancel()
    await robot.chip.opens()
    await robot.chip.quiet()
    assert robot.holds(64) == 0
    await Timer(1, "us")
