"""The camera's stream (docs/protocols/camera.md): headers, and a strict decoder."""

# The example frame of the specification: 4 x 2 pixels, number 5C3.
GOLDEN_NUMBER = 0x5C3
GOLDEN_ROWS = [bytes.fromhex("1080EB8052 5A51F0"), bytes.fromhex("29F0286E90369122")]
GOLDEN = (
    bytes.fromhex("FF00415743404068") + GOLDEN_ROWS[0]
    + bytes.fromhex("FF0041574340416B") + GOLDEN_ROWS[1]
    + bytes.fromhex("FF00425743404278")
)  # fmt: skip
ROW, END = 1, 2


def crc6(digits):
    """CRC of 6 bits over digits of 6 bits: polynomial x^6 + x + 1, start 3F, most significant bit first."""
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
    """A complete frame."""
    out = b"".join(header(ROW, frame, at) + clamped(row) for at, row in enumerate(rows))
    return out + header(END, frame, len(rows))


def decode(stream, length, unfinished=False):
    """Decodes a stream with rows of `length` bytes to tuples ("row", frame, row, pixels) and ("end", frame, rows).
    Any deviation from a header or a header with its row is an AssertionError. `unfinished`: the stream may end within
    a header or a row, which is then ignored."""
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
    """Compares the rows of `decode` with the frames of the sensor: `sent[number]` lists all original rows of a frame,
    of any length. Checks that rows are in order, unique, of the right length and content, and that each end has the
    row count of its frame. Returns the number of missing rows of the right length."""
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
