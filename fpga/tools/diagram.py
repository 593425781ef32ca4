"""Draws the block diagram of the shim's logic: `diagram.py OUT.svg`.

This file defines the boxes, their clocks and their connections. It checks that the modules of
`cores/shim/rtl/shim.v` and the boxes correspond, so an outdated diagram is an error.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Clock domains: colour and label.
CAMERA, USB, SYSTEM = ("#f2c9a1", "camera, 12 to 27 MHz"), ("#a9cbe8", "FT2232H, 60 MHz"), ("#bfe0b4", "system, 48 MHz")

# Module of shim.v, position (column, row), width in columns, domain, function.
BOXES = {
    "camera_capture": (1, 0, 1, CAMERA, "rows, headers"),
    "row_fifo": (2, 0, 1, None, "7 KiB, commit, rollback"),
    "ft245": (3, 0, 1, USB, "a byte in 2 clocks"),
    "spi_tap": (1, 1, 1, SYSTEM, "listens, answers"),
    "ring": (2, 1, 1, SYSTEM, "two banks, WS2812"),
    "watchdog": (3, 1, 1, SYSTEM, "1 s without SPI"),
    "registers": (1, 2, 1, SYSTEM, "control, status"),
    "activity": (2, 2, 1, SYSTEM, "what stands still"),
    "timebase": (3, 2, 1, SYSTEM, "a tick of 1.365 ms"),
}
# Small modules without a box: they lie on the connections between domains.
PARTS = {"divider", "level_sync", "event_sync", "bus_sync"}
OUTSIDE = {
    "camera": (0, 0, "8 bits, HREF, VSYNC"),
    "FT2232H": (4, 0, "USB to the board"),
    "SPI": (0, 1, "board and dsPIC"),
    "Neopixels": (4, 1, "15, one line"),
    "16 pins": (0, 2, "auxiliary"),
}
# Source, target and label of each arrow.
ARROWS = [
    ("camera", "camera_capture", ""),
    ("camera_capture", "row_fifo", "rows"),
    ("row_fifo", "ft245", "bytes"),
    ("ft245", "FT2232H", ""),
    ("SPI", "spi_tap", ""),
    ("spi_tap", "ring", "pixels"),
    ("watchdog", "ring", "alarm"),
    ("spi_tap", "registers", "last word"),
    ("registers", "16 pins", ""),
    ("activity", "registers", "stopped"),
    ("timebase", "activity", "tick"),
    ("timebase", "watchdog", "tick"),
    ("ring", "Neopixels", ""),
]
COLUMN, ROW, WIDTH, HEIGHT, LEFT, TOP = 200, 120, 150, 62, 20, 30


def place(name):
    column, row = (BOXES.get(name) or OUTSIDE[name])[:2]
    return LEFT + COLUMN * column, TOP + ROW * row


def text(x, y, words, size=13, weight="normal", anchor="middle"):
    return f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}">{words}</text>'


def box(name, fill, below, outside):
    x, y = place(name)
    dash = ' stroke-dasharray="5 3"' if outside else ""
    rect = f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="{fill}" stroke="#333"{dash}/>'
    return rect + text(x + WIDTH / 2, y + 26, name, weight="bold") + text(x + WIDTH / 2, y + 46, below, 11)


def arrow(start, end, words):
    (x1, y1), (x2, y2) = place(start), place(end)
    if y1 == y2:
        forwards = x2 > x1
        y = y1 + HEIGHT / 2
        # The connection to the Neopixels passes below the watchdog.
        if abs(x2 - x1) > COLUMN:
            y = y1 + HEIGHT + 14
            path = f"M{x1 + WIDTH - 20} {y1 + HEIGHT} V{y} H{x2 + 20} V{y2 + HEIGHT}"
            return f'<path d="{path}" fill="none" stroke="#333" marker-end="url(#tip)"/>'
        a, b = (x1 + WIDTH, x2) if forwards else (x1, x2 + WIDTH)
        label = text((a + b) / 2, y - 6, words, 11)
        return f'<line x1="{a}" y1="{y}" x2="{b}" y2="{y}" stroke="#333" marker-end="url(#tip)"/>{label}'
    x = x1 + WIDTH / 3
    a, b = (y1 + HEIGHT, y2) if y2 > y1 else (y1, y2 + HEIGHT)
    label = text(x + 6, (a + b) / 2 + 4, words, 11, anchor="start")
    return f'<line x1="{x}" y1="{a}" x2="{x}" y2="{b}" stroke="#333" marker-end="url(#tip)"/>{label}'


def check():
    source = (ROOT / "cores/shim/rtl/shim.v").read_text().split(");", 1)[1]
    found = set(re.findall(r"^\s+(\w+) (?:#\(.*?\) )?\w+ \($|^\s+(\w+) (?:#\(.*?\) )?\w+ \(\.", source, re.M))
    modules = {name for pair in found for name in pair if name}
    if modules - PARTS != set(BOXES):
        sys.exit(f"diagram: shim.v has {sorted(modules - PARTS)}, the diagram {sorted(BOXES)}")


def main():
    check()
    width, height = LEFT * 2 + COLUMN * 4 + WIDTH, TOP + ROW * 3 + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path d="M0 0 L8 4 L0 8 z" fill="#333"/></marker>'
        f'<linearGradient id="both"><stop offset="50%" stop-color="{CAMERA[0]}"/>'
        f'<stop offset="50%" stop-color="{USB[0]}"/></linearGradient></defs>',
    ]
    for name, (_, _, _, domain, below) in BOXES.items():
        parts.append(box(name, domain[0] if domain else "url(#both)", below, False))
    for name, (_, _, below) in OUTSIDE.items():
        parts.append(box(name, "white", below, True))
    parts += [arrow(*one) for one in ARROWS]
    for i, (fill, name) in enumerate([CAMERA, USB, SYSTEM]):
        x, y = LEFT + COLUMN * (i + 1), height - 34
        parts.append(f'<rect x="{x}" y="{y}" width="16" height="16" fill="{fill}" stroke="#333"/>')
        parts.append(text(x + 24, y + 13, name, 12, anchor="start"))
    pathlib.Path(sys.argv[1]).write_text("\n".join(parts) + "\n</svg>\n")


main()
