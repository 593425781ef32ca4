"""The complete logic at the pins of the Xpuck's board: the camera's path to USB, and its registers."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge, Timer

import stream
from common import clock, now, test
from robot import Robot
from usb import NS


async def drained(robot):
    await robot.sensor.wait(60)
    await robot.chip.opens()
    await robot.chip.quiet()


@test(5000)
async def picture(dut):
    """Rows of 640 pixels at 24 MHz through the chip's 4 KiB, with a host that reads intermittently: none is missing."""
    robot = Robot(dut, "picture", capacity=4096)
    cocotb.start_soon(robot.chip.reads((400, 900)))
    await robot.begins_with_rows(80)
    robot.sensor.pause = (320, 320)
    await robot.sensor.frame(robot.sensor.picture(6, 1280))
    await robot.sensor.frame(robot.sensor.picture(1, 1280))
    await robot.chip.quiet(1200)
    assert robot.holds(1280) == 0
    assert len(stream.decode(robot.chip.got, 1280)) == 9
    assert await robot.read("status") == 0


@test(8000)
async def stalls_at_all_ratios(dut):
    """PCLK at 0.2 to 5 times CLKOUT, stalls of 1 to 100 clocks: rows are complete or absent, absent ones counted."""
    robot = Robot(dut, "stalls_at_all_ratios", pclk=5 * NS)
    await robot.begins_with_rows(16)
    stalling = cocotb.start_soon(robot.chip.stalls())
    for ratio in (5, 1.03, 1, 0.5, 0.2):
        robot.pclk.stop()
        robot.pclk = clock(dut.cam_pclk, NS * ratio)
        await robot.sensor.frame(robot.sensor.picture(5 if ratio > 2 else 16, 256))
    await robot.sensor.wait(60)
    stalling.cancel()
    await robot.chip.opens()
    await robot.chip.quiet()
    missing = robot.holds(256)
    assert 5 < missing < 130
    assert await robot.read("rows_left_out") == missing
    await robot.clears("row_left_out")
    before = len(stream.decode(robot.chip.got, 256))
    await robot.sensor.frame(robot.sensor.picture(3, 256))
    await drained(robot)
    assert robot.holds(256) == missing and len(stream.decode(robot.chip.got, 256)) == before + 4


@test(5000)
async def stall_for_ever(dut):
    """The FT2232H stalls for long: whole rows are dropped and reported, and the next row with room arrives."""
    robot = Robot(dut, "stall_for_ever", pclk=15)
    await robot.begins_with_rows(32)
    await robot.sensor.frame(robot.sensor.picture(20, 512))
    await robot.sensor.rows(robot.sensor.picture(2, 512))
    assert await robot.read("now") == 0x04
    left_out = await robot.read("rows_left_out")
    assert left_out >= 22 - 14
    await robot.clears("row_left_out", "usb_stalled")
    await robot.chip.opens()
    await drained(robot)
    await robot.sensor.frame(robot.sensor.picture(3, 512))
    await drained(robot)
    # The header that was prepared without room belonged to the first row that followed.
    assert robot.holds(512) == left_out
    assert await robot.read("now") == 0 and await robot.read("rows_left_out") == left_out
    assert [item[2] for item in stream.decode(robot.chip.got, 512) if item[0] == "row" and item[1] == 1] == [2, 3, 4]


@test(5000)
async def end_of_a_full_frame(dut):
    """A row that had room also has room for its frame's end, however full the FIFO is afterwards. Ends of further
    frames may be missing."""
    robot = Robot(dut, "end_of_a_full_frame", pclk=10)
    await robot.begins_with_rows(1)
    for units in (9, 33, 2):
        # Takes effect at the frame's end.
        robot.registers.row_units.value = units
        await Timer(100, "ns")
        await robot.sensor.frame([])
        await drained(robot)
        at = len(robot.chip.got)
        await robot.chip.closes()
        await robot.sensor.frame(robot.sensor.picture(7168 // (16 * units + 8) + 2, 16 * units))
        await robot.sensor.wait(30)
        await drained(robot)
        found = stream.decode(robot.chip.got[at:], 16 * units)
        assert found[-1][0] == "end", f"no end behind {len(found)} rows of {units} units"
    await robot.chip.closes()
    at, number = len(robot.chip.got), robot.sensor.number
    for _ in range(7168 // (3 * 40) + 12):
        await robot.sensor.frame(robot.sensor.picture(3, 32))
    await drained(robot)
    await robot.sensor.frame(robot.sensor.picture(3, 32))
    await drained(robot)
    found, sent = stream.decode(robot.chip.got[at:], 32), robot.sensor.number - number
    ends = [item[1] - number for item in found if item[0] == "end"]
    assert ends == sorted(set(ends)) and len(ends) < sent and found[-1] == ("end", robot.sensor.number - 1, 3)


@test(5000)
async def bad_rows(dut):
    """Rows that are too short, too long or cut by VSYNC are dropped and counted; the next row or frame is complete."""
    robot = Robot(dut, "bad_rows")
    await robot.chip.opens()
    await robot.begins_with_rows(4)
    for length in (63, 65, 1, 200):
        await robot.sensor.rows(robot.sensor.picture(2, 64) + robot.sensor.picture(1, length) + robot.sensor.picture(1, 64))
    await robot.sensor.frame([])
    await drained(robot)
    await robot.clears("row_uneven")
    await robot.sensor.between()
    await robot.sensor.cut(robot.sensor.picture(1, 64)[0])
    await robot.sensor.frame(robot.sensor.picture(3, 64))
    await drained(robot)
    await robot.clears("frame_cut")
    assert robot.holds(64) == 0
    assert await robot.read("rows_uneven") == 5 and await robot.read("rows_left_out") == 0


@test(5000)
async def camera_stops(dut):
    """PCLK stops within a row: reported during and after the stop; the camera's next frame is complete."""
    robot = Robot(dut, "camera_stops")
    await robot.chip.opens()
    await robot.begins_with_rows(4)
    await robot.sensor.rows(robot.sensor.picture(3, 64))
    await robot.sensor.between()
    await robot.sensor.row(robot.sensor.picture(1, 30)[0])
    robot.pclk.stop()
    assert await robot.read("now") == 0x01
    robot.pclk.start()
    await robot.sensor.frame([])
    await robot.sensor.frame(robot.sensor.picture(3, 64))
    await drained(robot)
    assert await robot.read("now") == 0
    await robot.clears("row_uneven", "camera_stopped")
    assert robot.holds(64) == 0 and len(stream.decode(robot.chip.got, 64)) == 8


@test(5000)
async def usb_stops(dut):
    """CLKOUT stops and returns: reported; whole rows are dropped, and all stored bytes arrive once."""
    robot = Robot(dut, "usb_stops")
    await robot.chip.opens()
    await robot.begins_with_rows(16)
    await robot.sensor.rows(robot.sensor.picture(3, 256))
    robot.ft.stop()
    await robot.sensor.frame(robot.sensor.picture(40, 256))
    assert await robot.read("now") & 0x02
    robot.ft.start()
    await drained(robot)
    await robot.sensor.frame(robot.sensor.picture(4, 256))
    await drained(robot)
    missing = robot.holds(256)
    assert 8 < missing < 40 and await robot.read("rows_left_out") == missing
    assert await robot.read("now") == 0
    assert await robot.read("status") & 0x44 == 0x44


@test(5000)
async def polarities_and_clock(dut):
    """`control` inverts HREF and VSYNC, and stops the camera's 12 MHz clock without a short pulse."""
    robot = Robot(dut, "polarities_and_clock")
    highs = []

    async def watches():
        while True:
            await RisingEdge(dut.cam_mclk)
            began = now()
            await FallingEdge(dut.cam_mclk)
            # The pad model has zero-length pulses where the real pad has a single edge.
            if now() > began:
                highs.append(now() - began)

    cocotb.start_soon(watches())
    await robot.chip.opens()
    await robot.write("row_units", 1)
    await robot.write("control", 0x06)
    count = len(highs)
    assert count > 1000 and {round(high) for high in highs} == {42}
    await Timer(20, "us")
    assert len(highs) == count, "the camera's clock goes on"
    assert await robot.read("now") == 0
    sensor = robot.sensor
    sensor.href_low = sensor.vsync_low = True
    sensor.href.value = sensor.vsync.value = 1
    await sensor.wait(20)
    for _ in range(3):
        await sensor.frame(sensor.picture(3, 16))
    await drained(robot)
    at, rows = len(robot.chip.got), sensor.picture(3, 16)
    await sensor.frame(rows)
    await drained(robot)
    found = stream.decode(robot.chip.got[at:], 16)
    assert [row[3] for row in found[:-1]] == [stream.clamped(row) for row in rows] and found[-1][0] == "end"
