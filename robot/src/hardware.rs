//! The robot's devices put together: what a control update reads and writes, in the robot's units.

use crate::config::DeviceKind;
use crate::core::Readings;
use crate::device::epuck::Epuck;
use crate::device::ina231::Ina231;
use crate::device::virtual_bus::{UnixI2c, UnixSpi, open_camera};
use crate::device::{DeviceError, FrameSource, I2cBus, SpiBus};
use crate::vision::Vision;
use xpuck_kernels::world::model::PROX_RANGE;
use xpuck_kernels::world::senses::Blobs;
use xpuck_registers::ina231::BATTERY_ADDRESS;
use xpuck_registers::infrared::{Metres, RawInfrared};
use xpuck_registers::spi::{Actions, Command, PIXELS, Pixel};
use xpuck_registers::stepper::MetresPerSecond;
use xpuck_wire::message::State;

/// Control updates between two readings of the power monitor: once a second.
const POWER_EVERY: u32 = 10;

/// The robot's devices.
pub struct Hardware {
    epuck: Epuck<Box<dyn SpiBus>>,
    battery: Ina231<Box<dyn I2cBus>>,
    camera: Box<dyn FrameSource>,
    vision: Vision,
    command: Command,
    blobs: Blobs,
    updates: u32,
    /// Battery, V.
    pub battery_v: f32,
    /// Power drawn from the battery, W.
    pub power_w: f32,
    /// Wheel step counters.
    pub steps: [u16; 2],
    /// Frames classified so far.
    pub frames: u64,
    /// Exchanges that went wrong so far.
    pub errors: u64,
}

impl Hardware {
    /// Opens the devices of robot `id`.
    pub fn open(kind: &DeviceKind, id: &str) -> Result<Hardware, DeviceError> {
        let DeviceKind::Virtual { directory, camera_width, camera_height, .. } = kind;
        let path = |device: &str| directory.join(format!("{id}.{device}"));
        let spi = UnixSpi::open(&path("spi"))?;
        let i2c: Box<dyn I2cBus> = Box::new(UnixI2c::open(&path("i2c"))?);
        let camera = open_camera(&path("camera"), *camera_width as usize, *camera_height as usize)?;
        let mut battery = Ina231::new(i2c, BATTERY_ADDRESS);
        battery.configure()?;
        Ok(Hardware {
            epuck: Epuck::new(Box::new(spi)),
            battery,
            camera: Box::new(camera),
            vision: Vision::new(),
            command: Command { actions: Actions::SET_MOTOR.and(Actions::READ_IR), ..Command::default() },
            blobs: Blobs::default(),
            updates: 0,
            battery_v: 0.0,
            power_w: 0.0,
            steps: [0; 2],
            frames: 0,
            errors: 0,
        })
    }

    /// Reads all senses; the wheels keep their last command meanwhile.
    pub fn sense(&mut self) -> Result<Readings, DeviceError> {
        let report = self.epuck.exchange(&self.command).inspect_err(|_| self.errors += 1)?;
        self.steps = report.steps;
        if let Some(frame) = self.camera.latest().inspect_err(|_| self.errors += 1)? {
            self.blobs = self.vision.classify(frame);
            self.frames += 1;
        }
        if self.updates.is_multiple_of(POWER_EVERY) {
            self.battery_v = self.battery.volts().inspect_err(|_| self.errors += 1)?;
            self.power_w = self.battery_v * self.battery.amps().inspect_err(|_| self.errors += 1)?;
        }
        self.updates = self.updates.wrapping_add(1);
        Ok(Readings { proximity: report.reflected.map(proximity), blobs: self.blobs })
    }

    /// Commands the wheels, ground speeds in m/s, and shows the state on the Neopixels.
    pub fn drive(&mut self, wheels: [f32; 2], state: State) -> Result<(), DeviceError> {
        self.command.speeds = wheels.map(|v| MetresPerSecond(v).into());
        self.command.pixels = [colour(state); PIXELS];
        self.epuck.exchange(&self.command).inspect_err(|_| self.errors += 1)?;
        Ok(())
    }
}

/// A reflected reading as 1 - d / range, and 0 beyond the range.
fn proximity(raw: RawInfrared) -> f32 {
    let Metres(distance) = Metres::from_raw(raw);
    (1.0 - distance / PROX_RANGE).clamp(0.0, 1.0)
}

/// The ring's colour in each state.
fn colour(state: State) -> Pixel {
    let (red, green, blue) = match state {
        State::Idle => (0, 0, 16),
        State::Ready => (0, 16, 16),
        State::Run => (0, 16, 0),
        State::Pause => (16, 12, 0),
        State::Stop => (16, 0, 0),
    };
    Pixel { red, green, blue }
}
