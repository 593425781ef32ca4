//! Protocol of the robot's socket for external controllers: one JSON object per line (docs/controllers.md).

use serde::{Deserialize, Serialize};
use xpuck_kernels::model::V_MAX;
use xpuck_robot_core::core::Core;
use xpuck_robot_core::external::{Colour, Driver, HOLD, LAMPS, Ring};
use xpuck_robot_core::readings::Readings;
use xpuck_wire::message::State;

/// Version of the protocol.
pub const PROTOCOL: u32 = 1;
/// Maximum length of a controller's line (bytes).
pub const MAX_LINE: usize = 4096;
/// Minimum and maximum rate of sense messages (1/s of arena time).
pub const RATES: [f64; 2] = [0.1, 50.0];

/// Request of an external controller.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// First message of a controller, with the protocol, a name and the rate of sense messages.
    Hello {
        /// Version of the protocol, [`PROTOCOL`].
        protocol: u32,
        /// Name of the controller. Logs contain it, and so does the rejection of other controllers' requests.
        name: String,
        /// Rate of sense messages (1/s of arena time, 0.1..=50; default: 10).
        #[serde(default = "usual_rate")]
        rate: f64,
    },
    /// Requests control of the wheels.
    Take,
    /// Sets the wheel speeds and lamps until the command expires.
    Drive {
        /// Speeds over the floor, left and right (m/s).
        wheels: [f32; 2],
        /// Colours of the lamps: one colour for all, or fifteen colours.
        #[serde(default)]
        lamps: Option<RingLine>,
        /// Number of the sense message that this command answers, for the measurement of the round trip.
        #[serde(default)]
        of: Option<u64>,
    },
    /// Returns control of the wheels to the behaviour tree.
    Release,
    /// Sends a text to the controller of another robot in range.
    Say {
        /// Index of the receiving robot in the swarm file, from 1, as in `neighbours` of a sense message.
        to: u16,
        /// Text, at most 64 bytes.
        text: String,
    },
    /// Requests response time statistics.
    Stats,
}

/// Colours of the lamps, in the format of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "lamps must be [red, green, blue], or fifteen of these, each 0 to 255")]
pub enum RingLine {
    /// The same colour for all lamps.
    All(Colour),
    /// One colour per lamp.
    Each([Colour; LAMPS]),
}

impl From<RingLine> for Ring {
    fn from(line: RingLine) -> Ring {
        match line {
            RingLine::All(colour) => Ring::All(colour),
            RingLine::Each(colours) => Ring::Each(colours),
        }
    }
}

fn usual_rate() -> f64 {
    10.0
}

/// Message from the robot to a controller.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Reply<'a> {
    /// Answer to a hello.
    Hello {
        /// Version of the protocol, [`PROTOCOL`].
        protocol: u32,
        /// Id of the robot.
        robot: &'a str,
        /// Ratio of arena time to wall time.
        speed: f64,
        /// Maximum wheel speed (m/s).
        max_speed: f32,
        /// Time after which a drive command expires (s of arena time).
        hold: f64,
    },
    /// The controller now has control of the wheels.
    Taken,
    /// The controller has released the wheels.
    Released,
    /// The request was rejected.
    Refused {
        /// Reason, in one line.
        why: &'a str,
    },
    /// Sense message.
    Senses {
        /// Number of the message on this connection.
        n: u64,
        /// Current controller of the wheels: "you", "tree", "program" (another external controller), "operator", or
        /// "nobody" after an external controller disconnected without a release.
        driver: &'static str,
        /// Readings of the robot.
        #[serde(flatten)]
        view: &'a SenseMessage,
    },
    /// Text from the controller of another robot.
    Heard {
        /// Index of the sending robot in the swarm file, from 1.
        from: u16,
        /// Text.
        text: &'a str,
    },
    /// Response time statistics.
    Stats(Stats),
}

impl<'a> Reply<'a> {
    /// Creates the answer to a hello. `speed` is the ratio of arena time to wall time.
    pub fn hello(robot: &'a str, speed: f64) -> Reply<'a> {
        Reply::Hello { protocol: PROTOCOL, robot, speed, max_speed: V_MAX, hold: HOLD }
    }

    /// Encodes the message as a line of JSON, with the line feed.
    pub fn line(&self) -> Vec<u8> {
        // Serialization cannot fail: the message contains only numbers and text.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// Readings of the robot in SI units. Times are in seconds of arena time. Stale or missing readings are null.
#[derive(Clone, Debug, Serialize)]
pub struct SenseMessage {
    /// Time since the start of the robot's program (s).
    pub time: f64,
    /// State of the robot: "IDLE", "READY", "RUN", "PAUSE" or "STOP". External controllers can drive only in RUN.
    pub state: State,
    /// Proximity readings of the eight sensors (0..=1), in the order of the thesis's Table 6.1. The order is
    /// counter-clockwise, and the first sensor is left of the front.
    pub proximity: Option<[f32; 8]>,
    /// Whether a colour appears in a third of the camera's picture. The first index is the colour (red, green, blue),
    /// and the second index is the third (left, centre, right).
    pub blobs: Option<[[bool; 3]; 3]>,
    /// Direction of the world's +x axis in the robot's frame (rad).
    pub up: Option<f32>,
    /// Robots in communication range: index in the swarm file from 1, range (m), and bearing (rad).
    pub neighbours: Option<Vec<(u16, f32, f32)>>,
    /// Odometry: x (m), y (m) and heading (rad) relative to the start of the robot's program.
    pub odometry: [f64; 3],
    /// Step counters of the left and the right motor, which wrap.
    pub steps: [u16; 2],
    /// Battery voltage (V).
    pub battery: Option<f32>,
    /// Wheel speeds of the last command (m/s).
    pub wheels: [f32; 2],
}

impl SenseMessage {
    /// Creates a sense message at `now` (s of arena time) from the core's state and the readings. The odometry, the
    /// step counters and the battery voltage have default values, which the caller replaces.
    pub fn new(core: &Core, now: f64, readings: &Readings) -> SenseMessage {
        let told = core.virtual_senses(now);
        SenseMessage {
            time: now,
            state: core.state(),
            proximity: readings.body_fresh().then_some(readings.proximity),
            blobs: readings.camera_fresh().then_some(readings.blobs.0),
            up: told.map(|(up, ..)| up),
            neighbours: told.map(|(_, heard, _)| heard.iter().map(|n| (n.island, n.range, n.bearing)).collect()),
            odometry: [0.0; 3],
            steps: [0; 2],
            battery: None,
            wheels: core.external_command(now).map_or(core.wheels(), |command| command.wheels),
        }
    }
}

/// Returns the name of the current driver, as reported to the controller with this connection number.
pub fn driver_name(driver: Driver, connection: u32) -> &'static str {
    match driver {
        Driver::Tree => "tree",
        Driver::Operator => "operator",
        Driver::Program(number) if number == connection => "you",
        Driver::Program(_) => "program",
        Driver::Lost => "nobody",
    }
}

/// Response times of a controller (wall time). A response time is the time from the sending of a sense message until
/// the command that answers it is passed to the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Number of sense messages for which a response time was measured.
    pub trips: u64,
    /// Median response time (us).
    pub p50_us: u64,
    /// 99 % quantile of the response time (us).
    pub p99_us: u64,
    /// Maximum response time (us).
    pub max_us: u64,
    /// Number of sense messages skipped because the controller did not read.
    pub unread: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Request, serde_json::Error> {
        serde_json::from_str(line)
    }

    #[test]
    fn requests_are_read_and_what_is_none_is_refused() {
        let drive = read(r#"{"do":"drive","wheels":[0.1,-0.05],"lamps":[1,2,3],"of":7}"#).unwrap();
        assert_eq!(drive, Request::Drive { wheels: [0.1, -0.05], lamps: Some(RingLine::All([1, 2, 3])), of: Some(7) });
        let ring = vec!["[0,0,9]"; LAMPS].join(",");
        let drive = read(&format!(r#"{{"do":"drive","wheels":[0,0],"lamps":[{ring}]}}"#)).unwrap();
        assert_eq!(
            drive,
            Request::Drive { wheels: [0.0; 2], lamps: Some(RingLine::Each([[0, 0, 9]; LAMPS])), of: None }
        );
        let hello = read(r#"{"do":"hello","protocol":1,"name":"x"}"#).unwrap();
        assert_eq!(hello, Request::Hello { protocol: 1, name: "x".into(), rate: 10.0 });
        assert_eq!(read(r#"{"do":"take"}"#).unwrap(), Request::Take);
        for wrong in [
            r#"{"do":"drive","wheels":[NaN,0]}"#,
            r#"{"do":"drive","wheels":[1e999,0]}"#,
            r#"{"do":"drive","wheels":[0.1]}"#,
            r#"{"do":"drive","wheels":[0,0],"speed":1}"#,
            r#"{"do":"drive","wheels":[0,0],"lamps":[0,0,256]}"#,
            r#"{"do":"drive","wheels":[0,0],"lamps":[[0,0,9],[0,0,9]]}"#,
            r#"{"do":"fly"}"#,
            "{}",
            "",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn senses_that_are_too_old_are_null() {
        let core = Core::new(1, 7, xpuck_wire::signed::Trust::Anybody);
        let view = SenseMessage::new(&core, 1.0, &Readings::default());
        let line = Reply::Senses { n: 3, driver: "tree", view: &view }.line();
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&value["is"], &value["n"], &value["state"]), (&"senses".into(), &3.into(), &"IDLE".into()));
        for key in ["proximity", "blobs", "up", "neighbours", "battery"] {
            assert!(value[key].is_null() && value.get(key).is_some(), "{key}");
        }
        assert!(line.ends_with(b"\n"));
    }
}
