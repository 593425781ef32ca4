//! Common interface to all devices of the robot. It provides the inputs and accepts the outputs of a control update,
//! in the robot's units.

use crate::body::conditioning::{self, Odometry, Readings};
use crate::body::devices::{lock_body, open_body, open_camera, open_fitted, open_monitor};
use crate::body::lamps;
use crate::body::link::{BodyLink, BodyLinkError, BodyLinkHealth, Sample};
use crate::body::poller::{Poller, Reader};
use crate::body::sensors::{self, BodySensors};
#[cfg(feature = "apriltag")]
use crate::body::tag_sense::TagReporter;
#[cfg(feature = "apriltag")]
use crate::body::tag_watch::FrameSender;
use crate::calibration::Calibration;
use crate::config::{Config, RobotFile};
use crate::controller::Controller;
use crate::core::Core;
use crate::device::body::Drive;
use crate::device::body_lock::BodyLock;
use crate::device::fitted::{Fitted, FittedReadings};
use crate::device::lamps::Lamps;
use crate::device::{DeviceError, Frame, PowerMonitor};
use crate::external;
use crate::onboard::thermal;
use crate::vision::colours::ColourClassifier;
use crate::vision::snapshot::Snapshot;
use std::sync::Arc;
use std::time::{Duration, Instant};
use xpuck_kernels::world::senses::Blobs;
use xpuck_registers::ina231::{BATTERY_ADDRESS, SUPPLY_ADDRESS};
use xpuck_registers::spi::{PIXELS, Pixel};
use xpuck_robot_core::external::{Colour, Ring};
use xpuck_robot_core::readings::BODY_STALE;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Picture, Sensors, State, Tags};
use xpuck_wire::telemetry::{DeviceReport, PowerReport, Telemetry};

/// Polling interval of the camera (wall time).
const CAMERA_POLL_INTERVAL: Duration = Duration::from_millis(4);
/// Polling interval of the power monitors and the temperature (wall time).
const POWER_POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Age above which power readings are discarded (wall time).
const POWER_STALE: Duration = Duration::from_secs(5);
/// Polling interval of optional devices (wall time).
const FITTED_POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Polling interval of the ground sensors, which trees read (wall time).
const GROUND_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Age above which a tree does not use a reading of the ground sensors (wall time).
const GROUND_STALE: Duration = Duration::from_millis(500);
/// Age above which readings of optional devices are discarded (wall time).
const FITTED_STALE: Duration = Duration::from_secs(2);
/// Blinking time after an identify request (wall time).
const BLINK_DURATION: Duration = Duration::from_secs(xpuck_wire::message::BLINKS_S as u64);
/// Half of the blinking period (wall time).
const BLINK_HALF_PERIOD: Duration = Duration::from_millis(250);

/// Devices of the robot. A failure of a device does not end the control loop. The control loop detects a failed device
/// by the age of the device's readings.
pub struct Hardware {
    calibration: Calibration,
    /// Ratio of arena time to wall time.
    speed: f64,
    body: BodyLink,
    /// Lock of the body. It is released after the body link has ended.
    _lock: BodyLock,
    /// Last sample read from the body.
    seen: Option<Sample>,
    odometry: Odometry,
    /// State of the body's sensors except proximity. The next field is the last logged description of their faults.
    sensors: BodySensors,
    sensor_trouble: String,
    started: Instant,
    /// Optional devices, each with its own thread.
    fitted: Vec<Poller<FittedReadings>>,
    camera: Option<Poller<View>>,
    power: Poller<PowerReport>,
    /// Last logged error of the body. `None` before the first error, and again after the body has been reopened.
    logged_error: Option<Arc<str>>,
    reopened: u64,
    /// Time of the last identify request; `None` if the robot does not blink.
    blinking_since: Option<Instant>,
    /// Number of identify requests so far (wraps).
    identify_count: u8,
    snapshot: Arc<Snapshot>,
    #[cfg(feature = "apriltag")]
    tags: TagReporter,
}

impl Hardware {
    /// Opens the devices of the robot.
    ///
    /// # Errors
    /// If the body does not answer, or another program holds it, or a thread cannot be created. Camera and power
    /// monitors may become available later.
    pub fn open(config: &Config) -> Result<Hardware, BodyLinkError> {
        let (robot, speed) = (config.robot.clone(), config.swarm.speed);
        let lock = lock_body(&robot)?;
        let snapshot = Arc::new(Snapshot::default());
        #[cfg(feature = "apriltag")]
        let tags = TagReporter::start(&robot, speed)?;
        let eyes = FrameConsumers {
            snapshot: snapshot.clone(),
            #[cfg(feature = "apriltag")]
            looks: tags.frame_sender(),
        };
        let (camera, power) = (poll_camera(&robot, eyes)?, poll_power(&robot)?);
        let fitted = poll_fitted(&robot, config.place())?;
        let calibration = robot.calibration.clone();
        // The priority of the body thread is one above the priority of the control loop, because the body thread has
        // the shorter period. An exchange with the body takes only a few microseconds of processor time.
        let realtime = Some(robot.control.realtime + 1).filter(|_| robot.control.realtime > 0);
        let body = BodyLink::start(Box::new(move || open_body(&robot, speed)), realtime)?;
        let odometry = Odometry::default();
        Ok(Hardware {
            calibration,
            speed,
            body,
            _lock: lock,
            seen: None,
            odometry,
            sensors: BodySensors::default(),
            sensor_trouble: String::new(),
            started: Instant::now(),
            fitted,
            camera,
            power,
            logged_error: None,
            reopened: 0,
            blinking_since: None,
            identify_count: 0,
            snapshot,
            #[cfg(feature = "apriltag")]
            tags,
        })
    }

    /// Replaces the calibration of infra-red sensors and wheels. The camera keeps its previous calibration.
    pub fn recalibrate(&mut self, calibration: Calibration) {
        self.calibration = calibration;
    }

    /// Returns the latest readings of the infra-red sensors, the camera and the tag detection, with their ages.
    pub fn sense(&mut self) -> Readings {
        if let Some(sample) = self.body.latest()
            && self.seen.is_none_or(|seen| seen.number != sample.number)
        {
            let elapsed = self.seen.map_or(0.0, |seen| (sample.at - seen.at).as_secs_f64() * self.speed);
            self.odometry.update(sample.sensed.steps, elapsed, &self.calibration.drive);
            let now = (sample.at - self.started).as_secs_f64() * self.speed;
            self.sensors.on_readings(now, &sample.sensed, sample.heard, &self.calibration.senses);
            self.seen = Some(sample);
        }
        let mut readings = Readings::default();
        if let Some(Sample { sensed, at, .. }) = &self.seen {
            readings.proximity = conditioning::proximity(&sensed.reflected, &self.calibration.infrared);
            readings.light = self.sensors.brightness();
            readings.body_age = Some(self.age(*at));
        }
        if let Some((view, at)) = self.camera.as_mut().and_then(|poller| poller.seen().latest) {
            readings.blobs = view.blobs;
            readings.camera_age = Some(self.age(at));
        }
        #[cfg(feature = "apriltag")]
        self.tags.add_to(&mut readings.blobs);
        #[cfg(feature = "apriltag")]
        {
            readings.tag = self.tags.nearest();
        }
        let latest = self.fitted.iter_mut().filter_map(|poller| poller.seen().latest);
        let middle = latest.filter(|(_, at)| at.elapsed() < GROUND_STALE).find_map(|(readings, _)| readings.ground);
        readings.ground = middle.map(|[_, counts, _]| self.calibration.senses.ground.brightness(counts));
        readings
    }

    /// Returns the sensor message for the hub. Returns `None` before the body's first answer, and while the last
    /// answer is stale.
    pub fn sensors(&mut self) -> Option<Sensors> {
        self.seen.filter(|seen| self.age(seen.at) <= BODY_STALE)?;
        let mut message = self.sensors.message(self.started.elapsed().as_secs_f64() * self.speed);
        sensors::fitted::add(&self.fitted_readings(), &mut message);
        Some(message.rounded())
    }

    /// Returns the readings of the optional devices, without stale readings.
    fn fitted_readings(&mut self) -> FittedReadings {
        let latest = self.fitted.iter_mut().filter_map(|poller| poller.seen().latest);
        let fresh = latest.filter(|(_, at)| at.elapsed() < FITTED_STALE);
        fresh.fold(FittedReadings::default(), |all, (readings, _)| all.and(&readings))
    }

    /// Starts the blinking that helps to find the robot, and a melody on bodies with a speaker. The blinking ends
    /// after `BLINK_DURATION`.
    pub fn identify(&mut self) {
        self.blinking_since = Some(Instant::now());
        self.identify_count = self.identify_count.wrapping_add(1);
    }

    /// Requests the camera's next frame as a picture.
    pub fn want_picture(&self) {
        self.snapshot.request();
    }

    /// Returns the requested picture; `None` until it is available.
    pub fn picture(&self) -> Option<Picture> {
        self.snapshot.take()
    }

    /// Returns the last report of power and temperature; `None` if it is stale.
    fn fresh_power(&mut self) -> Option<PowerReport> {
        self.power.seen().latest.filter(|(_, at)| at.elapsed() < POWER_STALE).map(|(report, _)| report)
    }

    /// Adds the odometry, the step counters and the battery voltage to the sense message for external controllers.
    pub fn complete(&mut self, view: external::SenseMessage) -> external::SenseMessage {
        let battery = self.fresh_power().and_then(|report| report.battery_v);
        external::SenseMessage {
            odometry: self.odometry.pose(),
            steps: self.seen.map_or([0; 2], |seen| seen.sensed.steps),
            battery,
            ..view
        }
    }

    /// Returns the tags of the last processed frame. Returns `None` if this frame's tags have already been returned, or
    /// less than half a second after the previous tags.
    #[cfg(feature = "apriltag")]
    pub fn tags(&mut self) -> Option<Tags> {
        self.tags.next_report()
    }

    /// Returns `None`, because this program is built without tag detection.
    #[cfg(not(feature = "apriltag"))]
    pub fn tags(&mut self) -> Option<Tags> {
        None
    }

    /// Returns the current lamps and sound. `wanted` contains the colours that an external controller requests.
    fn lamps(&mut self, core: &Core, wanted: Option<Ring>) -> Lamps {
        self.blinking_since = self.blinking_since.filter(|since| since.elapsed() < BLINK_DURATION);
        let controller = core.controller();
        let battery_v = self.fresh_power().and_then(|report| report.battery_v);
        lamps::lamps(&lamps::LampInputs {
            pattern: core.lamps(),
            state: core.state(),
            battery_v,
            leaf: controller.and_then(Controller::leaf),
            signal: controller.map_or(0, Controller::signal),
            blinks: self
                .blinking_since
                .map(|since| (since.elapsed().as_millis() / BLINK_HALF_PERIOD.as_millis()).is_multiple_of(2)),
            called: self.identify_count,
            wanted: wanted.map(|ring| match ring {
                Ring::All(colour) => [pixel(colour); PIXELS],
                Ring::Each(colours) => colours.map(pixel),
            }),
        })
    }

    /// Commands the wheel speeds over the floor (m/s) and the lamps. `wanted` contains the colours that an external
    /// controller requests. Returns the speeds that the motors can run (m/s).
    pub fn drive(&mut self, wheels: [f32; 2], core: &Core, wanted: Option<Ring>) -> [f32; 2] {
        let speeds = conditioning::command(wheels, &self.calibration.drive);
        let lamps = self.lamps(core, wanted);
        self.body.command(Drive { speeds, lamps });
        conditioning::speeds_of(speeds, &self.calibration.drive)
    }

    /// Commands zero speed and the lamp colour of a stopped robot. When `Hardware` is dropped, the body link ends and
    /// commands zero speed again.
    pub fn halt(&mut self) {
        self.body.command(Drive { lamps: Lamps::all(lamps::colour(State::Stop)), ..Drive::default() });
    }

    /// Returns the log lines since the last call.
    pub fn take_log_lines(&mut self) -> Vec<Line> {
        self.power.seen();
        let mut lines: Vec<Line> = self.power.take_error().map(Line::warn).into_iter().collect();
        lines.extend(self.camera.as_mut().and_then(Poller::take_error).map(Line::warn));
        lines.extend(self.fitted.iter_mut().filter_map(Poller::take_error).map(Line::warn));
        let trouble = self.sensors.trouble();
        if trouble != self.sensor_trouble {
            lines.push(match trouble.is_empty() {
                true => Line::info("all sensors of the body are valid again"),
                false => Line::warn(format!("{trouble}; its readings are ignored")),
            });
            self.sensor_trouble = trouble;
        }
        let health = self.body.health();
        if health.reopened > self.reopened {
            self.reopened = health.reopened;
            self.logged_error = None;
            lines.push(Line::info("the body answers again"));
        } else if health.last_error.is_some() && health.last_error != self.logged_error {
            lines.extend(health.last_error.as_deref().map(Line::warn));
            self.logged_error = health.last_error;
        }
        lines
    }

    /// Adds the values of the devices to the telemetry.
    pub fn report(&mut self, telemetry: &mut Telemetry) {
        telemetry.power = self.fresh_power().unwrap_or_default();
        if let Some([battery, _]) = self.fitted_readings().batteries {
            telemetry.power.battery_v = telemetry.power.battery_v.or(Some(battery));
        }
        telemetry.motion.speeds = self.odometry.speeds();
        telemetry.motion.pose = self.odometry.pose().map(|p| p as f32);
        telemetry.motion.steps = self.seen.map_or([0; 2], |seen| seen.sensed.steps);
        let BodyLinkHealth { counts, missed_periods, lease_expiries, longest_gap_us, reopened, .. } =
            self.body.health();
        let camera = self.camera.as_mut().map(Poller::seen);
        let lost = camera.and_then(|seen| seen.latest).map_or(0, |(view, _)| short(view.lost));
        telemetry.devices = DeviceReport {
            exchanges: short(counts.exchanges),
            bus: short(counts.bus_errors),
            retries: short(counts.retries),
            corrupt: short(counts.corrupt),
            rejected: short(counts.rejected),
            missed: short(missed_periods),
            leases: short(lease_expiries),
            gap_us: short(longest_gap_us),
            frames: camera.map_or(0, |seen| seen.values),
            dropped: camera.map_or(0, |seen| seen.errors).saturating_add(lost),
            power: self.power.seen().errors,
            reopened: short(reopened),
        };
    }

    /// Returns the time since `at` (s of arena time).
    fn age(&self, at: Instant) -> f32 {
        (at.elapsed().as_secs_f64() * self.speed) as f32
    }
}

/// Consumers of camera frames, except the colour vision.
#[derive(Clone)]
struct FrameConsumers {
    snapshot: Arc<Snapshot>,
    #[cfg(feature = "apriltag")]
    looks: Option<FrameSender>,
}

impl FrameConsumers {
    fn offer(&self, frame: &Frame) {
        self.snapshot.on_frame(frame);
        #[cfg(feature = "apriltag")]
        if let Some(looks) = &self.looks {
            looks.offer(frame);
        }
    }
}

/// Coloured blobs in the last camera frame, and number of frames lost since the camera was opened.
#[derive(Clone, Copy)]
struct View {
    blobs: Blobs,
    lost: u64,
}

fn poll_camera(robot: &RobotFile, eyes: FrameConsumers) -> std::io::Result<Option<Poller<View>>> {
    if !robot.devices.has_camera() {
        return Ok(None);
    }
    let robot = robot.clone();
    let open = move || -> Result<Reader<View>, DeviceError> {
        let mut camera = open_camera(&robot)?;
        let mount = robot.calibration.camera;
        let vision = ColourClassifier::new(&mount.regions()).turned(mount.turn_deg);
        let eyes = eyes.clone();
        Ok(Box::new(move || {
            let Some(camera) = &mut camera else { return Ok(None) };
            let Some(frame) = camera.latest()? else { return Ok(None) };
            eyes.offer(frame);
            let blobs = vision.classify(frame);
            let counts = camera.counts();
            Ok(Some(View { blobs, lost: counts.dropped_frames + counts.overtaken + counts.wrong_size }))
        }))
    };
    Poller::start("camera", CAMERA_POLL_INTERVAL, open).map(Some)
}

fn pixel([red, green, blue]: Colour) -> Pixel {
    Pixel { red, green, blue }
}

fn poll_fitted(robot: &RobotFile, own: u16) -> std::io::Result<Vec<Poller<FittedReadings>>> {
    let poll = |device: &Fitted| {
        let (robot, device) = (robot.clone(), *device);
        let open = move || -> Result<Reader<FittedReadings>, DeviceError> {
            let mut opened = open_fitted(&robot, device, own)?;
            Ok(Box::new(move || {
                let mut readings = FittedReadings::default();
                opened.read(&mut readings)?;
                Ok(Some(readings))
            }))
        };
        let interval = if device == Fitted::Ground { GROUND_POLL_INTERVAL } else { FITTED_POLL_INTERVAL };
        Poller::start(device.name(), interval, open)
    };
    robot.fitted.iter().map(poll).collect()
}

fn poll_power(robot: &RobotFile) -> std::io::Result<Poller<PowerReport>> {
    let robot = robot.clone();
    let open = move || -> Result<Reader<PowerReport>, DeviceError> {
        let temperature = robot.evolution.temperature.clone();
        let mut monitors = match robot.devices.has_monitors() {
            true => Some([open_monitor(&robot, BATTERY_ADDRESS)?, open_monitor(&robot, SUPPLY_ADDRESS)?]),
            false => None,
        };
        Ok(Box::new(move || {
            let mut report = PowerReport { soc_c: thermal::temperature(&temperature), ..PowerReport::default() };
            if let Some([battery, supply]) = &mut monitors {
                (report.battery_v, report.battery_w) = watts(&mut **battery)?;
                (report.supply_v, report.supply_w) = watts(&mut **supply)?;
            }
            Ok(Some(report))
        }))
    };
    Poller::start("power", POWER_POLL_INTERVAL, open)
}

fn watts(monitor: &mut dyn PowerMonitor) -> Result<(Option<f32>, Option<f32>), DeviceError> {
    let volts = monitor.volts()?;
    Ok((Some(volts), Some(volts * monitor.amps()?)))
}

/// Converts a count for telemetry. A count that is too large becomes `u32::MAX`.
fn short(count: u64) -> u32 {
    count.try_into().unwrap_or(u32::MAX)
}
