//! The robot's devices put together: what a control update reads and writes, in the robot's units.

use crate::calibration::Calibration;
use crate::conditioning::{self, Odometry, Readings};
use crate::config::{BodyKind, Config, DeviceKind, RobotFile};
use crate::device::body::{Body, Counts, Drive, Sensed};
use crate::device::epuck::Epuck;
use crate::device::ina231::Ina231;
use crate::device::virtual_bus::{UnixCamera, UnixI2c, UnixSpi};
use crate::device::{DeviceError, FrameSource, I2cBus};
use crate::onboard::thermal;
use crate::vision::Vision;
use crate::watch::{Reader, Watch};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};
use xpuck_kernels::world::senses::Blobs;
use xpuck_registers::ina231::{BATTERY_ADDRESS, SUPPLY_ADDRESS};
use xpuck_registers::spi::Pixel;
use xpuck_wire::message::State;
use xpuck_wire::telemetry::{DeviceReport, PowerReport, Telemetry};

/// A body that does not answer is opened again so often, wall time.
const RETRY: Duration = Duration::from_secs(1);
/// The camera is asked for a new frame so often, wall time.
const FRAME_EVERY: Duration = Duration::from_millis(4);
/// The power monitors and the temperature are read so often, wall time.
const POWER_EVERY: Duration = Duration::from_secs(1);
/// Power readings that are older are none, wall time.
const POWER_STALE: Duration = Duration::from_secs(5);

/// The robot's devices. What they do not tell shows in the readings' ages; nothing here ends the control loop.
pub struct Hardware {
    robot: RobotFile,
    /// Arena time over wall time.
    speed: f64,
    body: Option<Box<dyn Body>>,
    retry_at: Instant,
    /// Counts of bodies that were given up.
    before: Counts,
    reopened: u32,
    drive: Drive,
    sensed: Option<(Sensed, Instant)>,
    odometry: Odometry,
    blobs: Option<Watch<Blobs>>,
    power: Watch<PowerReport>,
    troubles: Vec<String>,
}

impl Hardware {
    /// Opens the devices.
    ///
    /// # Errors
    /// If the body does not answer; camera and power monitors may come later.
    pub fn open(config: &Config) -> Result<Hardware, DeviceError> {
        let robot = config.robot.clone();
        let body = open_body(&robot)?;
        let thread = |source| DeviceError::Open { path: "a thread".into(), source };
        Ok(Hardware {
            speed: config.swarm.speed,
            body: Some(body),
            retry_at: Instant::now(),
            before: Counts::default(),
            reopened: 0,
            drive: Drive::default(),
            sensed: None,
            odometry: Odometry::default(),
            blobs: watch_camera(&robot).map_err(thread)?,
            power: watch_power(&robot).map_err(thread)?,
            troubles: Vec::new(),
            robot,
        })
    }

    /// Reads all senses; the wheels keep their last command meanwhile.
    pub fn sense(&mut self) -> Readings {
        self.reopen();
        self.exchange();
        let Calibration { infrared, .. } = &self.robot.calibration;
        let mut readings = Readings::default();
        if let Some((sensed, at)) = &self.sensed {
            readings.proximity = conditioning::proximity(&sensed.reflected, infrared);
            readings.body_age = Some(self.age(*at));
        }
        if let Some((blobs, at)) = self.blobs.as_mut().and_then(|watch| watch.seen().latest) {
            readings.blobs = blobs;
            readings.camera_age = Some(self.age(at));
        }
        readings
    }

    /// Commands the wheels, speeds over the floor in m/s, and shows the state on the lamps. Returns the speeds that the
    /// motors make of it.
    pub fn drive(&mut self, wheels: [f32; 2], state: State) -> [f32; 2] {
        let speeds = conditioning::command(wheels, &self.robot.calibration.drive);
        self.drive = Drive { speeds, lamps: colour(state) };
        self.exchange();
        conditioning::speeds_of(speeds, &self.robot.calibration.drive)
    }

    /// Stops the wheels for good.
    ///
    /// # Errors
    /// If the body cannot be told; it then stops by itself.
    pub fn halt(&mut self) -> Result<(), DeviceError> {
        let stop = Drive { lamps: colour(State::Stop), ..Drive::default() };
        self.body.as_mut().map_or(Ok(()), |body| body.exchange(&stop).map(drop))
    }

    /// Lines for the log since this was asked.
    pub fn troubles(&mut self) -> Vec<String> {
        self.power.seen();
        self.troubles.extend(self.power.trouble());
        self.troubles.extend(self.blobs.as_mut().and_then(Watch::trouble));
        std::mem::take(&mut self.troubles)
    }

    /// What the devices tell in telemetry.
    pub fn report(&mut self, telemetry: &mut Telemetry) {
        let power = self.power.seen();
        let fresh = power.latest.filter(|(_, at)| at.elapsed() < POWER_STALE);
        telemetry.power = fresh.map(|(report, _)| report).unwrap_or_default();
        telemetry.motion.speeds = self.odometry.speeds();
        telemetry.motion.pose = self.odometry.pose().map(|p| p as f32);
        telemetry.motion.steps = self.sensed.as_ref().map_or([0; 2], |(sensed, _)| sensed.steps);
        let counts = sum(self.before, self.body.as_ref().map(|body| body.counts()).unwrap_or_default());
        let frames = self.blobs.as_mut().map(Watch::seen);
        telemetry.devices = DeviceReport {
            exchanges: short(counts.exchanges),
            bus: short(counts.bus_errors),
            retries: short(counts.retries),
            corrupt: short(counts.corrupt),
            rejected: short(counts.rejected),
            frames: frames.map_or(0, |seen| seen.values),
            dropped: frames.map_or(0, |seen| seen.errors),
            power: power.errors,
            reopened: self.reopened,
            ..DeviceReport::default()
        };
    }

    fn exchange(&mut self) {
        let Some(body) = &mut self.body else { return };
        match body.exchange(&self.drive) {
            Ok(sensed) => {
                let now = Instant::now();
                let elapsed = self.sensed.as_ref().map_or(0.0, |(_, at)| (now - *at).as_secs_f64() * self.speed);
                self.odometry.update(sensed.steps, elapsed, &self.robot.calibration.drive);
                self.sensed = Some((sensed, now));
            }
            // A corrupt answer leaves the bus as it was.
            Err(DeviceError::Report { .. }) => {}
            Err(error) => {
                self.before = sum(self.before, body.counts());
                self.body = None;
                self.retry_at = Instant::now() + RETRY;
                self.troubles.push(format!("{error}; opening it again"));
            }
        }
    }

    fn reopen(&mut self) {
        if self.body.is_some() || Instant::now() < self.retry_at {
            return;
        }
        self.retry_at = Instant::now() + RETRY;
        if let Ok(body) = open_body(&self.robot) {
            self.body = Some(body);
            self.reopened = self.reopened.saturating_add(1);
            self.troubles.push("the body answers again".into());
        }
    }

    /// Time since then, s of arena time.
    fn age(&self, at: Instant) -> f32 {
        (at.elapsed().as_secs_f64() * self.speed) as f32
    }
}

/// The robot's body.
///
/// # Errors
/// If it cannot be opened.
pub fn open_body(robot: &RobotFile) -> Result<Box<dyn Body>, DeviceError> {
    match &robot.devices {
        DeviceKind::Virtual { directory, body: BodyKind::Xpuck, .. } => {
            Ok(Box::new(Epuck::new(UnixSpi::open(&directory.join(format!("{}.spi", robot.id)))?)))
        }
        DeviceKind::Virtual { directory, body, .. } => Err(no_driver(directory, &format!("{body:?} body"))),
        DeviceKind::Xpuck { spi, .. } => Err(no_driver(spi, "xpuck")),
        DeviceKind::Epuck1 { i2c, .. } => Err(no_driver(i2c, "e-puck1")),
        DeviceKind::Epuck2 { i2c, .. } => Err(no_driver(i2c, "e-puck2")),
    }
}

/// The robot's camera, if it has one.
///
/// # Errors
/// If it cannot be opened.
pub fn open_camera(robot: &RobotFile) -> Result<Option<Box<dyn FrameSource>>, DeviceError> {
    match &robot.devices {
        DeviceKind::Virtual { directory, camera_width, camera_height, .. } => {
            let path = directory.join(format!("{}.camera", robot.id));
            Ok(Some(Box::new(UnixCamera::open(&path, *camera_width as usize, *camera_height as usize)?)))
        }
        DeviceKind::Xpuck { camera, .. } | DeviceKind::Epuck1 { camera, .. } | DeviceKind::Epuck2 { camera, .. } => {
            match camera {
                None => Ok(None),
                Some(camera) => Err(no_driver(Path::new("camera"), &format!("{camera:?}"))),
            }
        }
    }
}

/// The bus of the power monitors, if there are any.
fn open_power(robot: &RobotFile) -> Result<Option<Box<dyn I2cBus>>, DeviceError> {
    match &robot.devices {
        DeviceKind::Virtual { directory, .. } => {
            Ok(Some(Box::new(UnixI2c::open(&directory.join(format!("{}.i2c", robot.id)))?)))
        }
        DeviceKind::Xpuck { i2c, .. } => Err(no_driver(i2c, "power monitors")),
        DeviceKind::Epuck1 { .. } | DeviceKind::Epuck2 { .. } => Ok(None),
    }
}

fn no_driver(path: &Path, what: &str) -> DeviceError {
    let source = std::io::Error::new(ErrorKind::Unsupported, format!("this program has no driver for {what}"));
    DeviceError::Open { path: path.into(), source }
}

fn watch_camera(robot: &RobotFile) -> std::io::Result<Option<Watch<Blobs>>> {
    let has_none = |kind: &DeviceKind| match kind {
        DeviceKind::Virtual { .. } => false,
        DeviceKind::Xpuck { camera, .. } | DeviceKind::Epuck1 { camera, .. } | DeviceKind::Epuck2 { camera, .. } => {
            camera.is_none()
        }
    };
    if has_none(&robot.devices) {
        return Ok(None);
    }
    let robot = robot.clone();
    let open = move || -> Result<Reader<Blobs>, DeviceError> {
        let mut camera = open_camera(&robot)?;
        let vision = Vision::new(&robot.calibration.camera.regions());
        Ok(Box::new(move || match &mut camera {
            Some(camera) => Ok(camera.latest()?.map(|frame| vision.classify(frame))),
            None => Ok(None),
        }))
    };
    Watch::start("camera", FRAME_EVERY, open).map(Some)
}

fn watch_power(robot: &RobotFile) -> std::io::Result<Watch<PowerReport>> {
    let robot = robot.clone();
    let open = move || -> Result<Reader<PowerReport>, DeviceError> {
        let mut bus = open_power(&robot)?;
        let temperature = robot.evolution.temperature.clone();
        if let Some(bus) = &mut bus {
            for address in [BATTERY_ADDRESS, SUPPLY_ADDRESS] {
                Ina231::new(Turn(&mut **bus), address).configure()?;
            }
        }
        Ok(Box::new(move || {
            let mut report = PowerReport { soc_c: thermal::temperature(&temperature), ..PowerReport::default() };
            if let Some(bus) = &mut bus {
                let mut watts = |address| -> Result<(Option<f32>, Option<f32>), DeviceError> {
                    let mut monitor = Ina231::new(Turn(&mut **bus), address);
                    let volts = monitor.volts()?;
                    Ok((Some(volts), Some(volts * monitor.amps()?)))
                };
                (report.battery_v, report.battery_w) = watts(BATTERY_ADDRESS)?;
                (report.supply_v, report.supply_w) = watts(SUPPLY_ADDRESS)?;
            }
            Ok(Some(report))
        }))
    };
    Watch::start("power", POWER_EVERY, open)
}

/// A bus that several drivers use in turn.
struct Turn<'a>(&'a mut dyn I2cBus);

impl I2cBus for Turn<'_> {
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
        self.0.write_read(address, write, read)
    }
}

fn sum(a: Counts, b: Counts) -> Counts {
    Counts {
        exchanges: a.exchanges + b.exchanges,
        bus_errors: a.bus_errors + b.bus_errors,
        retries: a.retries + b.retries,
        corrupt: a.corrupt + b.corrupt,
        rejected: a.rejected + b.rejected,
    }
}

/// A count as telemetry carries it: it stays at its greatest value.
fn short(count: u64) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}

/// The lamps' colour in each state.
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
