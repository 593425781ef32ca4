"""Invalid camera input: rows of wrong lengths, cut frames, short pauses, a stopping clock, random signals."""

import cocotb
from cocotb.triggers import Timer

import stream
from common import falling, test
from sink import begin, held


@test(2000)
async def shorter_pauses(dut):
    """Pauses that are too short cost whole rows, which are reported as dropped."""
    sensor, sink, _ = begin(dut, "shorter_pauses", units=1)
    await sensor.wait(4)
    await sensor.sync(16)
    for _ in range(8):
        sensor.pause = (1, 15)
        await sensor.rows(sensor.picture(10, 16))
        sensor.pause = (20, 20)
        await sensor.frame(sensor.picture(2, 16))
    missing = held(sink, sensor, 16)
    assert missing > 10 and sink.told == (missing, 0, 0), f"{missing} rows are missing, told {sink.told}"
    assert len([end for end in stream.decode(sink.stream, 16) if end[0] == "end"]) == 8


@test(2000)
async def uneven_rows(dut):
    """Rows that are too short or too long are dropped and reported; the rows around them arrive."""
    sensor, sink, _ = begin(dut, "uneven_rows", units=2)
    await sensor.wait(4)
    await sensor.sync(16)
    lengths = [1, 2, 15, 16, 31, 33, 34, 47, 48, 64, 95, 96, 200]
    sensor.random.shuffle(lengths)
    for i, length in enumerate(lengths):
        await sensor.rows(sensor.picture(1, 32) + sensor.picture(1, length) + sensor.picture(1, 32))
        if i % 3 == 2:
            await sensor.frame([])
    await sensor.frame([])
    await sensor.wait(20)
    assert held(sink, sensor, 32) == 0 and sink.told == (0, len(lengths), 0)


@test(2000)
async def cut_frames(dut):
    """VSYNC within a row: the row is rolled back and reported, the end counts it, the next frame is complete."""
    sensor, sink, _ = begin(dut, "cut_frames", units=2)
    await sensor.wait(4)
    await sensor.sync(16)
    for _ in range(12):
        await sensor.rows(sensor.picture(sensor.random.randrange(4), 32))
        await sensor.between()
        await sensor.cut(sensor.picture(1, 32)[0])
        if sensor.random.random() < 0.5:
            await sensor.frame(sensor.picture(3, 32))
    await sensor.wait(20)
    assert held(sink, sensor, 32) == 0 and sink.told == (0, 0, 12)
    ends = [end for end in stream.decode(sink.stream, 32) if end[0] == "end"]
    assert len(ends) == sensor.number


@test(1000)
async def sync_beside_a_row(dut):
    """VSYNC some clocks before a row's end, at it, and after it; the row is complete or rolled back."""
    sensor, sink, _ = begin(dut, "sync_beside_a_row", units=1)
    await sensor.wait(4)
    await sensor.sync(16)
    for behind in range(0, 18):
        await sensor.rows(sensor.picture(2, 16))
        await sensor.wait(behind)
        await sensor.sync(10)
    await sensor.wait(20)
    assert held(sink, sensor, 16) == 0 and sink.told == (0, 0, 0)
    assert len(stream.decode(sink.stream, 16)) == 3 * 18


@test(1000)
async def clock_stops(dut):
    """PCLK stops within rows and pauses; no data is lost if it resumes, and a row that does not resume is dropped."""
    sensor, sink, running = begin(dut, "clock_stops", units=1)
    await sensor.wait(4)
    await sensor.sync(16)

    async def stops():
        while True:
            await Timer(sensor.random.randint(200, 3000), "ns")
            running.stop()
            await Timer(sensor.random.randint(200, 3000), "ns")
            running.start(start_high=False)

    stopping = cocotb.start_soon(stops())
    for _ in range(6):
        await sensor.frame(sensor.picture(5, 16))
    stopping.cancel()
    await Timer(4, "us")
    running.stop()
    running.start(start_high=False)
    assert held(sink, sensor, 16) == 0 and sink.told == (0, 0, 0)
    # The camera loses power within a row and starts again.
    await sensor.between()
    await sensor.row(sensor.picture(1, 7)[0])
    running.stop()
    await Timer(50, "us")
    running.start(start_high=False)
    await sensor.between()
    await sensor.sync()
    await sensor.frame(sensor.picture(5, 16))
    await sensor.wait(20)
    assert held(sink, sensor, 16) == 0 and sink.told == (0, 1, 0)


@test(3000)
async def nonsense(dut):
    """Random HREF, VSYNC and room: rows are complete or absent, and the valid frames that follow arrive."""
    sensor, sink, _ = begin(dut, "nonsense", units=1)
    random = sensor.random
    for _ in range(12):
        for _ in range(250):
            dut.href_pin.value = random.random() < 0.6
            dut.vsync_pin.value = random.random() < 0.1
            dut.free.value = random.choice((0, 1, 2, 400))
            sensor.noise()
            await falling(dut.clk, random.choice((1, 1, 2, 5, 16)))
        dut.href_pin.value = dut.vsync_pin.value = 0
        dut.free.value = 400
        await sensor.wait(20)
        await sensor.sync()
        await sensor.wait(4)
        old = len(sink.stream)
        rows = sensor.picture(3, 16)
        await sensor.frame(rows)
        await sensor.wait(20)
        found = stream.decode(sink.stream, 16)
        assert bytes(sink.stream[old:]) == stream.frame_bytes(found[-1][1], rows)
