//! Opens the devices that the robot's file names.

use crate::config::{BodyKind, Camera, DeviceKind, RobotFile};
use crate::device::body::{Body, BodyReadings, Counts, Drive};
use crate::device::body_lock::BodyLock;
use crate::device::camera_sensor::BoxedSensor;
use crate::device::epuck::Epuck;
use crate::device::fitted::{Fitted, FittedDevice};
use crate::device::frames::PixelOrder;
use crate::device::guard::{self, Kind};
use crate::device::shim::ShimReport;
use crate::device::spidev::KernelSpi;
use crate::device::virtual_bus::{self, VirtualSpi};
use crate::device::{DeviceError, FrameSource, PowerMonitor, ft2232h, hwmon, v4l2};
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_registers::camera_sensor::Clock;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Frame size of a real camera (pixels).
pub const CAMERA: (usize, usize) = (640, 480);
/// Folder in which the kernel lists the power monitors that have a kernel driver.
const HWMON: &str = "/sys/class/hwmon";
/// Minimum interval between exchanges with a virtual body, at any speed of the arena (wall time).
const MIN_PERIOD: Duration = Duration::from_millis(2);

impl DeviceKind {
    fn body(&self) -> BodyKind {
        match self {
            DeviceKind::Virtual { body, .. } => *body,
            DeviceKind::Xpuck { .. } => BodyKind::Xpuck,
            DeviceKind::Epuck1 { .. } => BodyKind::Epuck1,
            DeviceKind::Epuck2 { .. } => BodyKind::Epuck2,
        }
    }

    /// Returns the path of the I2C bus of robot `id`.
    fn i2c(&self, id: &str) -> PathBuf {
        match self {
            DeviceKind::Virtual { directory, .. } => directory.join(format!("{id}.i2c")),
            DeviceKind::Xpuck { i2c, .. } | DeviceKind::Epuck1 { i2c, .. } | DeviceKind::Epuck2 { i2c, .. } => {
                i2c.clone()
            }
        }
    }

    /// Returns the path of the device that drives the wheels of robot `id`. Only one program at a time may hold the
    /// device.
    fn wheels(&self, id: &str) -> PathBuf {
        match self {
            DeviceKind::Virtual { directory, body: BodyKind::Xpuck, .. } => directory.join(format!("{id}.spi")),
            DeviceKind::Xpuck { spi, .. } => spi.clone(),
            _ => self.i2c(id),
        }
    }

    /// Returns whether the robot has a camera according to its file.
    pub fn has_camera(&self) -> bool {
        match self {
            DeviceKind::Virtual { camera, .. } => *camera,
            DeviceKind::Xpuck { camera, .. }
            | DeviceKind::Epuck1 { camera, .. }
            | DeviceKind::Epuck2 { camera, .. } => camera.is_some(),
        }
    }

    /// Returns whether the board has INA231 monitors. The Xpuck's board has two monitors. A Pi-puck board does not have
    /// any.
    pub fn has_monitors(&self) -> bool {
        matches!(self, DeviceKind::Virtual { .. } | DeviceKind::Xpuck { .. })
    }

    /// Returns width and height of the camera's frames (pixels).
    pub fn frame_size(&self) -> (usize, usize) {
        match self {
            DeviceKind::Virtual { camera_width, camera_height, .. } => {
                (*camera_width as usize, *camera_height as usize)
            }
            _ => CAMERA,
        }
    }

    /// Returns the clock source of the camera's sensor.
    pub fn sensor_clock(&self) -> Clock {
        match self.body() {
            BodyKind::Xpuck => Clock::Xpuck,
            BodyKind::Epuck1 => Clock::Epuck1,
            BodyKind::Epuck2 => Clock::Epuck2,
        }
    }
}

/// Locks the robot's body for this program. The body must be locked before it is opened.
///
/// # Errors
/// If the device does not exist, or another program holds it.
pub fn lock_body(robot: &RobotFile) -> Result<BodyLock, DeviceError> {
    BodyLock::acquire(&robot.devices.wheels(&robot.id))
}

/// Opens the robot's body. If the body has no watchdog, a guard process is started, which stops the wheels when this
/// program fails. `speed` is the ratio of arena time to wall time.
///
/// # Errors
/// If the body cannot be opened.
pub fn open_body(robot: &RobotFile, speed: f64) -> Result<Box<dyn Body>, DeviceError> {
    let wheels = robot.devices.wheels(&robot.id);
    let row = robot.devices.frame_size().0 * BYTES_PER_PIXEL;
    let body: Box<dyn Body> = match &robot.devices {
        DeviceKind::Virtual { body: BodyKind::Xpuck, .. } => {
            Box::new(Epuck::with_rows(VirtualSpi::open(&wheels)?, row))
        }
        DeviceKind::Xpuck { .. } => Box::new(Epuck::with_rows(KernelSpi::open(&wheels)?, row)),
        other if other.body() == BodyKind::Epuck1 => Box::new(guard::open(Kind::Epuck1, &wheels)?),
        _ => Box::new(guard::open(Kind::Epuck2, &wheels)?),
    };
    Ok(if speed > 1.0 { Box::new(AcceleratedBody { body, speed }) } else { body })
}

/// Opens the robot's camera and configures its sensor. Returns `None` if the robot has no camera.
///
/// # Errors
/// If the camera cannot be opened, or no sensor answers.
pub fn open_camera(robot: &RobotFile) -> Result<Option<Box<dyn FrameSource>>, DeviceError> {
    let (width, height) = robot.devices.frame_size();
    if robot.devices.has_camera() {
        let (mut sensor, clock) = (open_sensor(robot)?, robot.devices.sensor_clock());
        sensor.set_up(clock)?;
        if let Some(exposure) = robot.camera.exposure {
            sensor.expose(exposure.seconds(), clock)?;
        }
    }
    let camera = match &robot.devices {
        DeviceKind::Virtual { camera: false, .. } => return Ok(None),
        DeviceKind::Virtual { directory, body, .. } => {
            let path = directory.join(format!("{}.camera", robot.id));
            match body {
                BodyKind::Xpuck => virtual_bus::open_ft2232h(&path, width, height)?,
                BodyKind::Epuck1 | BodyKind::Epuck2 => virtual_bus::open_uvc(&path, width, height)?,
            }
        }
        DeviceKind::Xpuck { camera, .. } | DeviceKind::Epuck1 { camera, .. } | DeviceKind::Epuck2 { camera, .. } => {
            match camera {
                None => return Ok(None),
                Some(Camera::Ft2232h) => ft2232h::open(None, width, height, PixelOrder::YCbYCr)?,
                Some(Camera::Video(path)) => v4l2::open(path, width, height)?,
            }
        }
    };
    Ok(Some(Box::new(camera)))
}

/// Opens the control interface of the camera's sensor.
///
/// # Errors
/// If no sensor answers.
pub fn open_sensor(robot: &RobotFile) -> Result<BoxedSensor, DeviceError> {
    BoxedSensor::open(&robot.devices.i2c(&robot.id))
}

/// Opens the power monitor at an address of the robot's I2C bus.
///
/// # Errors
/// If the monitor does not answer.
pub fn open_monitor(robot: &RobotFile, address: u8) -> Result<Box<dyn PowerMonitor>, DeviceError> {
    // A virtual robot's monitors never have a kernel driver. The name of a missing folder disables the search for one.
    let kernel = if matches!(robot.devices, DeviceKind::Virtual { .. }) { "/nonexistent" } else { HWMON };
    hwmon::open(&robot.devices.i2c(&robot.id), Path::new(kernel), address)
}

/// Opens an optional device that the robot's file lists. `own` is the robot's index in the swarm, from 1.
///
/// # Errors
/// If the device does not answer.
pub fn open_fitted(robot: &RobotFile, device: Fitted, own: u16) -> Result<Box<dyn FittedDevice>, DeviceError> {
    device.open(&robot.devices.i2c(&robot.id), own)
}

/// Body in an arena that runs faster than wall time. The exchange period is divided by the arena's speed.
struct AcceleratedBody {
    body: Box<dyn Body>,
    speed: f64,
}

impl Body for AcceleratedBody {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        self.body.exchange(drive)
    }

    fn period(&self) -> Duration {
        self.body.period().div_f64(self.speed).max(MIN_PERIOD)
    }

    fn counts(&self) -> Counts {
        self.body.counts()
    }

    fn shim(&self) -> Option<ShimReport> {
        self.body.shim()
    }
}
