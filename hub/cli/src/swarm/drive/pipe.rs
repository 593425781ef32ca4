//! External control of robots by a program, through standard input and output.

use super::{DriveArgs, drive};
use crate::link::hub_address::status;
use crate::terminal::print_json;
use anyhow::{Result, anyhow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};
use xpuck_wire::message::State;
use xpuck_wire::{Phase, Status};

/// Maximum length of an input line (bytes).
const MAX_LINE: u64 = 4096;
/// Maximum number of queued input lines. When the queue is full, the reader waits.
const WAITING: usize = 256;

/// Input line from the program that drives robots.
#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
enum Said {
    /// Drives a robot for 0.25 s.
    Drive {
        robot: String,
        wheels: [f32; 2],
        #[serde(default)]
        lamps: Option<[u8; 3]>,
    },
}

/// Output line to the program that drives robots.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "is", rename_all = "lowercase")]
pub enum DriveEvent<'a> {
    /// State of the swarm: line number, arena time (s), phase of the hub, robots, pose of the frisbee, and age of the
    /// last poses (s).
    Swarm { n: u64, time: f64, phase: Phase, robots: Vec<Row<'a>>, frisbee: Option<[f32; 3]>, pose_age: Option<f64> },
    /// Refusal of a command, with the reason.
    Refused { robot: &'a str, why: &'a str },
}

/// State of a robot.
#[derive(Serialize, JsonSchema)]
pub struct Row<'a> {
    /// Id of the robot.
    id: &'a str,
    /// Whether the hub currently receives messages of the robot.
    alive: bool,
    /// Whether an operator holds the robot, so that it does not drive.
    held: bool,
    /// Current state of the robot.
    state: State,
    /// Position x and y (m) and heading (rad) from motion capture; null if motion capture does not see the robot.
    pose: Option<[f32; 3]>,
    /// Number of other robots in the range of the robot's virtual senses.
    neighbours: u32,
    /// Battery voltage (V); null if unknown.
    battery: Option<f32>,
}

fn swarm_report(n: u64, status: &Status) -> DriveEvent<'_> {
    let pose = |name: &str| status.bodies.iter().find(|body| body.name == name).map(|body| body.pose);
    let robots = status.robots.iter().map(|robot| Row {
        id: &robot.id,
        alive: robot.alive,
        held: robot.held,
        state: robot.state,
        pose: pose(&robot.id),
        neighbours: robot.neighbours,
        battery: robot.battery_v,
    });
    let others = status.bodies.iter().find(|body| status.robots.iter().all(|robot| robot.id != body.name));
    DriveEvent::Swarm {
        n,
        time: status.time,
        phase: status.phase,
        robots: robots.collect(),
        frisbee: others.map(|body| body.pose),
        pose_age: status.pose_age_s,
    }
}

/// Returns a channel that receives the lines of standard input. The channel closes at the end of the input.
fn stdin_lines() -> Result<Receiver<Vec<u8>>> {
    let (say, said) = sync_channel(WAITING);
    std::thread::Builder::new().name("stdin".into()).spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(MAX_LINE + 1).read_until(b'\n', &mut line);
            if !matches!(read, Ok(1..)) || say.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(said)
}

fn print_report(told: &DriveEvent) -> Result<()> {
    print_json(told)
}

fn refused(robot: &str, why: &str) -> Result<()> {
    print_report(&DriveEvent::Refused { robot, why })
}

/// Executes commands from standard input and prints the swarm's state, until the end of the input.
pub fn run(args: &DriveArgs) -> Result<()> {
    let (link, _) = args.address.open()?;
    let said = stdin_lines()?;
    let period = Duration::from_secs_f64(1.0 / args.rate);
    let (mut due, mut n) = (Instant::now(), 0);
    loop {
        if Instant::now() >= due {
            n += 1;
            print_report(&swarm_report(n, &status(&link)?))?;
            due = (due + period).max(Instant::now());
        }
        let line = match said.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        if line.len() as u64 > MAX_LINE {
            return Err(anyhow!("a line on standard input has more than {MAX_LINE} bytes; write shorter lines"));
        }
        match serde_json::from_slice(&line) {
            Ok(Said::Drive { robot, wheels, lamps }) => {
                if let Some(why) = drive(&link, &robot, wheels, lamps)? {
                    refused(&robot, &why)?;
                }
            }
            Err(_) if line.trim_ascii().is_empty() => refused("", "this line is empty")?,
            Err(error) => refused("", &format!("invalid command: {error}"))?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_drive_commands_are_rejected() {
        let read = |line: &str| serde_json::from_str::<Said>(line).ok();
        let drive = Said::Drive { robot: "xp01".into(), wheels: [0.1, 0.0], lamps: None };
        assert_eq!(read(r#"{"do":"drive","robot":"xp01","wheels":[0.1,0]}"#), Some(drive));
        for wrong in ["", "{}", r#"{"do":"drive","wheels":[0,0]}"#, r#"{"do":"drive","robot":"a","wheels":[NaN,0]}"#] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
