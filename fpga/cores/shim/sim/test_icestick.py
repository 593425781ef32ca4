"""Evaluation kit: the same logic behind its pins, without a dsPIC."""

import stream
from common import test
from names import NAMES
from robot import Robot
from spi import EXAMPLE
from strip import Strip


@test(3000)
async def all_ways(dut):
    """A frame arrives, a message sets the colours, the last word is a register, and the other words are idle."""
    robot, strip = Robot(dut, "all_ways", dspic=False), Strip(dut.pixels)
    await robot.chip.opens()
    await robot.begins_with_rows(4)
    await robot.sensor.frame(robot.sensor.picture(3, 64))
    await robot.chip.quiet()
    assert robot.holds(64) == 0 and len(stream.decode(robot.chip.got, 64)) == 4
    back = await robot.master.talk(EXAMPLE)
    assert back[:31] == [0xFFFF] * 31 and back[31] >> 8 == 0x80
    assert await robot.read("ident") == NAMES["SHIM_IDENT_VALUE"]
    assert await strip.next() == [0x201030] + [0] * 14
