"""Camera rows: the golden stream, clamping, room, and lengths and polarities from registers."""

import stream
from common import rng, test
from sink import begin, held


@test(100)
async def golden(dut):
    """The frame of the specification, byte for byte."""
    sensor, sink, _ = begin(dut, "golden")
    await sensor.wait(20)
    dut.golden.value = 1
    dut.capture.frame.value = stream.GOLDEN_NUMBER
    await sensor.sync()
    await sensor.frame(stream.GOLDEN_ROWS)
    await sensor.wait(20)
    assert sink.stream.hex(" ") == stream.GOLDEN.hex(" ")
    assert sink.told == (0, 0, 0)


@test(1000)
async def frames(dut):
    """Frames of all sizes arrive byte for byte, with every byte value clamped, and none before the first VSYNC."""
    sensor, sink, _ = begin(dut, "frames", units=16)
    every = [bytes(range(256)), bytes(reversed(range(256)))]
    await sensor.rows(every)
    await sensor.between()
    await sensor.sync()
    wanted = b""
    for number, rows in enumerate([every, sensor.picture(5, 256), [], sensor.picture(1, 256)]):
        await sensor.frame(rows)
        wanted += stream.frame_bytes(number, rows)
    await sensor.wait(20)
    assert sink.stream == wanted and sink.told == (0, 0, 0)
    assert held(sink, sensor, 256) == 0


@test(1000)
async def smallest_pause(dut):
    """The guaranteed minimum pause of 16 clocks is enough between rows; after VSYNC it is 24, for two headers."""
    sensor, sink, _ = begin(dut, "smallest_pause", units=1)
    sensor.pause = (16, 16)
    await sensor.wait(4)
    await sensor.sync(16)
    for _ in range(6):
        await sensor.rows(sensor.picture(5, 16))
        await sensor.wait(1)
        await sensor.sync(8)
    await sensor.wait(20)
    assert held(sink, sensor, 16) == 0 and sink.told == (0, 0, 0)
    assert len(stream.decode(sink.stream, 16)) == 36


@test(2000)
async def room(dut):
    """A row without room for itself and a frame's end is dropped and reported; a row with room arrives."""
    sensor, sink, _ = begin(dut, "room", units=3)
    dut.free.value = 0
    await sensor.wait(4)
    await sensor.sync(16)
    left_out = 0
    for _ in range(8):
        for _ in range(6):
            free = dut.free.value = sensor.random.choice((0, 1, 3, 4, 100))
            left_out += free <= 3
            await sensor.wait(3)
            before = len(sink.stream)
            await sensor.wait(20)
            await sensor.row(sensor.picture(1, 48)[0])
            dut.free.value = 0
            await sensor.wait(3)
            assert len(sink.stream) - before == (56 if free > 3 else 0)
        dut.free.value = 1
        await sensor.wait(6)
        await sensor.sync()
    assert held(sink, sensor, 48) == left_out == sink.no_room
    assert sink.told == (left_out, 0, 0)
    assert [item[0] for item in stream.decode(sink.stream, 48)].count("end") == 8


@test(1000)
async def room_that_comes_late(dut):
    """Room that becomes available just before or within a row does not let a part of the row through."""
    sensor, sink, _ = begin(dut, "room_that_comes_late", units=1)
    await sensor.wait(4)
    await sensor.sync(16)
    for early in range(0, 20):
        dut.free.value = 0
        await sensor.wait(20 - early)
        dut.free.value = 9
        await sensor.wait(early)
        await sensor.row(sensor.picture(1, 16)[0])
    dut.free.value = 9
    await sensor.frame([])
    await sensor.wait(20)
    missing = held(sink, sensor, 16)
    assert 8 <= missing <= 14 and sink.told == (missing, 0, 0)


@test(1000)
async def end_without_room(dut):
    """A frame's end is always written; the FIFO rolls it back if there is no room."""
    sensor, sink, _ = begin(dut, "end_without_room", units=1)
    await sensor.wait(4)
    await sensor.sync(16)
    await sensor.rows(sensor.picture(2, 16))
    dut.free.value = 0
    await sensor.wait(20)
    await sensor.sync()
    await sensor.wait(1)
    await sensor.sync()
    dut.free.value = 400
    await sensor.frame(sensor.picture(2, 16))
    await sensor.wait(20)
    assert held(sink, sensor, 16) == 0 and sink.told == (0, 0, 0)
    assert [item[0::2] for item in stream.decode(sink.stream, 16) if item[0] == "end"] == [("end", 2), ("end", 0), ("end", 2)]


@test(1000)
async def polarities(dut):
    """Inverted HREF and VSYNC by register: correct from the second frame at the latest."""
    href_low, vsync_low = rng("polarities").choice(((True, False), (False, True), (True, True)))
    sensor, sink, _ = begin(dut, "polarities", units=1, href_low=href_low, vsync_low=vsync_low)
    await sensor.wait(20)
    for _ in range(4):
        await sensor.frame(sensor.picture(4, 16))
    settled = len(sink.stream)
    rows = sensor.picture(4, 16)
    await sensor.frame(rows)
    await sensor.wait(20)
    found = stream.decode(sink.stream[settled:], 16)
    assert [row[3] for row in found[:-1]] == [stream.clamped(row) for row in rows] and found[-1][0::2] == ("end", 4)


@test(1000)
async def length_from_register(dut):
    """A new row length takes effect from the next frame."""
    sensor, sink, _ = begin(dut, "length_from_register", units=1)
    await sensor.wait(4)
    await sensor.sync(16)
    await sensor.rows(sensor.picture(2, 16))
    dut.row_bytes.value = 255
    await sensor.frame(sensor.picture(2, 16))
    assert held(sink, sensor, 16) == 0
    old = len(sink.stream)
    rows = sensor.picture(2, 16 * 255)
    await sensor.frame(rows)
    await sensor.wait(20)
    assert sink.stream[old:] == stream.frame_bytes(1, rows) and sink.told == (0, 0, 0)


@test(1000)
async def numbers_wrap(dut):
    """Frame numbers wrap at 12 bits, and the headers of 4095 and 0 are correct."""
    sensor, sink, _ = begin(dut, "numbers_wrap", units=1)
    await sensor.wait(4)
    dut.capture.frame.value = 4094
    await sensor.sync(16)
    rows = sensor.picture(2, 16)
    for _ in range(4):
        await sensor.frame(rows)
    await sensor.wait(20)
    assert sink.stream == b"".join(stream.frame_bytes(number, rows) for number in (4094, 4095, 0, 1))
