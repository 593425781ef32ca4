//! What programs and robot say to each other at the robot's socket: one JSON object a line (docs/controllers.md).

use serde::{Deserialize, Serialize};
use xpuck_kernels::model::V_MAX;
use xpuck_robot_core::core::Core;
use xpuck_robot_core::external::{Colour, Driver, HOLD, LAMPS, Ring};
use xpuck_robot_core::readings::Readings;
use xpuck_wire::message::State;

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;
/// Longest line of a program, bytes.
pub const MAX_LINE: usize = 4096;
/// Senses in a second of arena time, at least and at most.
pub const RATES: [f64; 2] = [0.1, 50.0];

/// What a program says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// First of all: which protocol, who, and how often senses are wanted.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
        /// For logs and for others who want the wheels.
        name: String,
        /// Senses in a second of arena time.
        #[serde(default = "usual_rate")]
        rate: f64,
    },
    /// It wants the wheels.
    Take,
    /// Drive so for a moment.
    Drive {
        /// Speeds over the floor, left and right, m/s.
        wheels: [f32; 2],
        /// What the lamps show: one colour, or fifteen.
        #[serde(default)]
        lamps: Option<RingLine>,
        /// Number of the senses that this answers, from which the round trip is measured.
        #[serde(default)]
        of: Option<u64>,
    },
    /// The tree is to drive again.
    Release,
    /// Tell the controller of another robot in range something.
    Say {
        /// Its place in the swarm file, from 1, as `neighbours` has it.
        to: u16,
        /// At most 64 bytes.
        text: String,
    },
    /// How quick it was so far.
    Stats,
}

/// What the lamps show, as a line has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, expecting = "lamps are [red, green, blue], or fifteen of these, 0 to 255 each")]
pub enum RingLine {
    /// All the same.
    All(Colour),
    /// Each its own.
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

/// What a robot says.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum Reply<'a> {
    /// The answer to a hello.
    Hello {
        /// [`PROTOCOL`].
        protocol: u32,
        /// The robot's id.
        robot: &'a str,
        /// Arena time over wall time.
        speed: f64,
        /// Fastest that wheels turn, m/s.
        max_speed: f32,
        /// How long a command holds, s of arena time.
        hold: f64,
    },
    /// The program has the wheels.
    Taken,
    /// It has them no more.
    Released,
    /// What it said is not done.
    Refused {
        /// Why, in one line.
        why: &'a str,
    },
    /// What the robot senses.
    Senses {
        /// Counts them, for this program.
        n: u64,
        /// Who drives: "you", "tree", "program" (another), "operator", or "nobody" after a program that went with the wheels.
        driver: &'static str,
        /// The rest.
        #[serde(flatten)]
        view: &'a Sensed,
    },
    /// The controller of another robot said something.
    Heard {
        /// Its place in the swarm file, from 1.
        from: u16,
        /// What it said.
        text: &'a str,
    },
    /// How quick the program was.
    Stats(Stats),
}

impl<'a> Reply<'a> {
    /// The answer to a hello.
    pub fn hello(robot: &'a str, speed: f64) -> Reply<'a> {
        Reply::Hello { protocol: PROTOCOL, robot, speed, max_speed: V_MAX, hold: HOLD }
    }

    /// As it travels.
    pub fn line(&self) -> Vec<u8> {
        // Plain structs of numbers and text have no way to fail.
        let mut line = serde_json::to_vec(self).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

/// What a robot senses, in SI units; times are s of arena time. What is too old or was never there is null.
#[derive(Clone, Debug, Serialize)]
pub struct Sensed {
    /// Since the robot's program started.
    pub time: f64,
    /// "IDLE", "READY", "RUN", "PAUSE" or "STOP"; programs drive in RUN.
    pub state: State,
    /// Proximity of the eight sensors, 0..1, in the order of the thesis's Table 6.1: from left of ahead around to the right.
    pub proximity: Option<[f32; 8]>,
    /// Red, green and blue blobs in the camera's left, middle and right third.
    pub blobs: Option<[[bool; 3]; 3]>,
    /// Direction of +x of the world in the robot's frame, rad.
    pub up: Option<f32>,
    /// Who is heard: number in the swarm file from 1, range, m, and bearing, rad.
    pub neighbours: Option<Vec<(u16, f32, f32)>>,
    /// Odometry: x, m, y, m, and heading, rad, from where the robot's program started.
    pub odometry: [f64; 3],
    /// Step counters, which wrap.
    pub steps: [u16; 2],
    /// Battery, V.
    pub battery: Option<f32>,
    /// Speeds that the wheels were last told, m/s.
    pub wheels: [f32; 2],
}

impl Sensed {
    /// What the core knows; odometry, steps and battery are the devices' to add.
    pub fn new(core: &Core, now: f64, readings: &Readings) -> Sensed {
        let told = core.virtual_senses(now);
        Sensed {
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

/// Who drives, as a program with this connection is told it.
pub fn driver(driver: Driver, connection: u32) -> &'static str {
    match driver {
        Driver::Tree => "tree",
        Driver::Operator => "operator",
        Driver::Program(number) if number == connection => "you",
        Driver::Program(_) => "program",
        Driver::Lost => "nobody",
    }
}

/// How quick a program was: from senses that were sent to the command that answers them, handed to the body. Wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stats {
    /// Commands that said which senses they answer.
    pub trips: u64,
    /// Half of them took no longer, us.
    pub p50_us: u64,
    /// 99 of 100 took no longer, us.
    pub p99_us: u64,
    /// The longest, us.
    pub max_us: u64,
    /// Senses that were left out because the program did not read.
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
        let view = Sensed::new(&core, 1.0, &Readings::default());
        let line = Reply::Senses { n: 3, driver: "tree", view: &view }.line();
        let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!((&value["is"], &value["n"], &value["state"]), (&"senses".into(), &3.into(), &"IDLE".into()));
        for key in ["proximity", "blobs", "up", "neighbours", "battery"] {
            assert!(value[key].is_null() && value.get(key).is_some(), "{key}");
        }
        assert!(line.ends_with(b"\n"));
    }
}
