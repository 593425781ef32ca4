"""Camera sensor: bytes of a row while HREF is high, VSYNC between frames. All lines change at PCLK's falling edge."""

from common import falling


class Sensor:
    def __init__(self, clk, href, vsync, data, random, href_low=False, vsync_low=False):
        """`href_low`, `vsync_low`: the line is active low."""
        self.clk, self.href, self.vsync, self.data, self.random = clk, href, vsync, data, random
        self.href_low, self.vsync_low = href_low, vsync_low
        self.pause = (16, 40)  # clocks between rows, minimum and maximum
        self.sent = {}  # rows of each frame by frame number, before clamping
        self.number = None  # number of the current frame; None before the first VSYNC
        href.value = int(href_low)
        vsync.value = int(vsync_low)
        data.value = 0

    def noise(self):
        """Sets the data lines to a random value, as between rows."""
        self.data.value = self.random.randrange(256)

    async def wait(self, clocks):
        await falling(self.clk, clocks)

    async def row(self, pixels):
        """Sends a row including the clock of its last byte, without a pause."""
        if self.number is not None:
            self.sent[self.number].append(bytes(pixels))
        self.href.value = int(not self.href_low)
        for pixel in pixels:
            self.data.value = pixel
            await falling(self.clk, 1)
        self.href.value = int(self.href_low)
        self.noise()

    async def sync(self, clocks=12):
        """Sends a VSYNC: ends the frame, and increments the frame number."""
        self.vsync.value = int(not self.vsync_low)
        self.number = 0 if self.number is None else (self.number + 1) % 4096
        self.sent[self.number] = []
        await self.wait(clocks)
        self.vsync.value = int(self.vsync_low)

    async def between(self):
        await self.wait(self.random.randint(*self.pause))

    async def rows(self, rows):
        for pixels in rows:
            await self.between()
            await self.row(pixels)

    async def frame(self, rows):
        """Sends rows, and the VSYNC after them."""
        await self.rows(rows)
        await self.between()
        await self.sync()

    async def cut(self, pixels):
        """Sends a row within which the frame ends; some of its bytes follow the VSYNC."""
        at = self.random.randrange(1, len(pixels) - 1)
        self.href.value = int(not self.href_low)
        for i, pixel in enumerate(pixels):
            if i == at:
                self.sent[self.number].append(bytes(pixels[:at]))
                self.vsync.value = int(not self.vsync_low)
                self.number = (self.number + 1) % 4096
                self.sent[self.number] = []
            self.data.value = pixel
            await self.wait(1)
        self.href.value = int(self.href_low)
        await self.wait(12)
        self.vsync.value = int(self.vsync_low)

    def picture(self, rows, length):
        """Rows of random bytes, with 0 and 255 more often than others."""
        odd = (0, 1, 254, 255)
        return [
            bytes(self.random.choice(odd) if self.random.random() < 0.1 else self.random.randrange(256) for _ in range(length))
            for _ in range(rows)
        ]
