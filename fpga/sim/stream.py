"""The camera's stream as docs/protocols/camera.md has it: headers, and a reader that forgives nothing."""

# The page's frame of 4 x 2 pixels with the number 5C3.
GOLDEN_NUMBER = 0x5C3
GOLDEN_ROWS = [bytes.fromhex("1080EB8052 5A51F0"), bytes.fromhex("29F0286E90369122")]
GOLDEN = (
    bytes.fromhex("FF00415743404068") + GOLDEN_ROWS[0]
    + bytes.fromhex("FF0041574340416B") + GOLDEN_ROWS[1]
    + bytes.fromhex("FF00425743404278")
)  # fmt: skip
ROW, END = 1, 2


def crc6(digits):
    """CRC of 6 bits, polynomial x^6 + x + 1, start 3F, most significant bit first, of digits of 6 bits."""
    crc = 0x3F
    for digit in digits:
        for bit in reversed(range(6)):
            high = crc >> 5 ^ digit >> bit & 1
            crc = crc << 1 & 0x3F ^ (0x03 if high else 0)
    return crc


def header(kind, frame, value):
    digits = [kind, frame >> 6 & 63, frame & 63, value >> 6 & 63, value & 63]
    return bytes([0xFF, 0x00] + [0x40 + digit for digit in digits + [crc6(digits)]])


def clamped(pixels):
    return bytes(min(max(pixel, 1), 254) for pixel in pixels)


def frame_bytes(frame, rows):
    """A frame without holes."""
    out = b"".join(header(ROW, frame, at) + clamped(row) for at, row in enumerate(rows))
    return out + header(END, frame, len(rows))


def decode(stream, length, unfinished=False):
    """What is in a stream whose rows have `length` bytes: tuples ("row", frame, row, pixels) and ("end", frame, rows).
    Anything that is not exactly a header or a row behind its header is an AssertionError. `unfinished`: the stream may
    end within a header or a row, which is not told then."""
    found, at = [], 0
    while at < len(stream):
        head = bytes(stream[at : at + 8])
        if len(head) < 8 and unfinished:
            break
        assert len(head) == 8, f"the stream ends within a header: {head.hex()}"
        digits = [byte - 0x40 for byte in head[2:]]
        assert head[:2] == b"\xff\x00" and all(0 <= digit < 64 for digit in digits), f"no header at {at}: {head.hex()}"
        assert crc6(digits[:5]) == digits[5], f"check of the header at {at}: {head.hex()}"
        kind, frame, value = digits[0], digits[1] << 6 | digits[2], digits[3] << 6 | digits[4]
        at += 8
        if kind == END:
            found.append(("end", frame, value))
            continue
        assert kind == ROW, f"kind {kind} at {at}"
        pixels = bytes(stream[at : at + length])
        if len(pixels) < length and unfinished:
            break
        assert len(pixels) == length, "the stream ends within a row"
        assert all(1 <= pixel <= 254 for pixel in pixels), f"a mark within row {value} of frame {frame}"
        found.append(("row", frame, value, pixels))
        at += length
    return found


def compare(found, sent, length):
    """Holds rows of `decode` against frames that the sensor gave: `sent[number]` lists all rows of a frame as they were,
    of any length. Rows come in order, none twice, with their own pixels, and only those of the right length. Returns how
    many of the right length are missing. The numbers of ends are how many rows their frames had."""
    last, seen = (-1, -1), 0
    for kind, frame, value, *pixels in found:
        assert frame in sent, f"frame {frame} was not sent"
        if kind == "end":
            assert value == len(sent[frame]), f"frame {frame} ended with {value} rows of {len(sent[frame])}"
            assert (frame, 4096) > last, f"frame {frame} ended twice"
            last = (frame, 4096)
            continue
        assert (frame, value) > last, f"row {value} of frame {frame} behind {last}"
        last = (frame, value)
        assert value < len(sent[frame]), f"row {value} of frame {frame} was not sent"
        assert len(sent[frame][value]) == length, f"row {value} of frame {frame} had {len(sent[frame][value])} bytes"
        assert pixels[0] == clamped(sent[frame][value]), f"pixels of row {value} of frame {frame}"
        seen += 1
    return sum(len(row) == length for rows in sent.values() for row in rows) - seen
