"""Devices around the shim at the pins of a board: camera, FT2232H, the board's SPI and the dsPIC."""

import stream
from camera import Sensor
from common import clock, rng
from names import register, status
from spi import DUMMY, Master, Slave, any_message
from usb import NS, Chip

SYSTEM = 1000 / 48  # period of the system clock (ns)


class Robot:
    def __init__(self, dut, name, pclk=1000 / 24, dspic=True, video=True, **chip):
        """`video`: run the clocks of camera and FT2232H, which takes simulation time."""
        self.dut, self.random = dut, rng(name)
        self.registers = dut.board.shim.registers
        self.asked = None  # register that the next message returns
        clock(dut.osc_12mhz, SYSTEM)
        if video:
            self.pclk = clock(dut.cam_pclk, pclk)
            self.ft = clock(dut.ft_clkout, NS)
        self.sensor = Sensor(dut.cam_pclk, dut.cam_href, dut.cam_vsync, dut.cam_d, self.random)
        self.chip = Chip(dut.ft_clkout, dut.ft_wr_n, dut.ft_txe_n, dut.ft_d, self.random, **chip)
        self.master = Master(dut.host_sck, dut.host_mosi, dut.host_ss_n, lambda: int(dut.host_miso.value), gap=200)
        self.slave = None
        if dspic:
            words = [self.random.randrange(65536) for _ in range(31)] + [0]
            self.slave = Slave(dut.body_sck, dut.body_mosi, dut.body_miso, dut.body_ss_n, words)

    async def talk(self, words):
        """Sends a message and checks that all bits pass except the board's last word, which is returned."""
        back = await self.master.talk(words)
        if self.slave:
            assert self.slave.got[-1] == "".join(f"{word:016b}" for word in words)
            assert back[:DUMMY] == self.slave.words[:DUMMY], "the dsPIC's words were changed"
        return back[DUMMY]

    async def says(self, word):
        """Sends a valid message with this last word."""
        return await self.talk(any_message(self.random, word))

    async def read(self, name):
        """Reads a register: requested with one message, returned with the next."""
        if self.asked != name:
            await self.says(register(name) << 8)
        self.asked = name
        answer = await self.says(register(name) << 8)
        assert answer >> 8 == 0x80 | register(name), f"{answer:04x} answers for {name}"
        return answer & 0xFF

    async def write(self, name, value):
        self.asked = name
        for _ in range(2):
            await self.says(0x8000 | register(name) << 8 | value)

    async def clears(self, *names):
        """Checks that exactly these status bits are set, and clears them."""
        held = await self.read("status")
        assert held == sum(map(status, names)), f"the status is {held:02x}, not of {names}"
        await self.write("status", held)

    async def begins_with_rows(self, units):
        """Sets the row length, clears the status and sends the first VSYNC. The registers are set directly, which takes
        no messages."""
        await self.sensor.wait(4)
        self.registers.row_units.value = units
        self.registers.status.value = 0
        await self.sensor.wait(4)
        await self.sensor.sync()
        await self.sensor.wait(20)

    def holds(self, length):
        """Checks order and content of the FT2232H's data; returns the number of missing rows of the right length."""
        return stream.compare(stream.decode(self.chip.got, length), self.sensor.sent, length)
