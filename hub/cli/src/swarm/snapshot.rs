//! `xpuck robot snapshot`: saves one picture of a robot's camera as a file.

use crate::analysis::png;
use crate::link::hub_address::HubAddress;
use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_wire::message::{Picture, Reply, Request, StoredPicture};
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{atomic, escape, output};

/// Interval between two requests for the picture.
const EVERY: Duration = Duration::from_millis(100);

/// Save a picture of a robot's camera as a PNG file, at most 160 x 120 pixels.
///
/// The hub requests a new picture from the robot. Pictures taken before the request are ignored. The robot may drive
/// during the command.
#[derive(Args)]
pub struct SnapshotArgs {
    /// Id of the robot.
    robot: String,
    /// PNG file to write. An existing file is replaced.
    #[arg(short, long = "output", alias = "out")]
    out: PathBuf,
    /// Maximum wait for the picture (s), 1 to 60.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    timeout: u64,
    #[command(flatten)]
    address: HubAddress,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// A saved picture, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Snapshot<'a> {
    /// Id of the robot.
    robot: &'a str,
    /// Path of the PNG file.
    path: &'a Path,
    /// Width (pixels).
    width: u16,
    /// Height (pixels).
    height: u16,
    /// Time from the request to the arrival of the picture (s).
    seconds: f64,
}

/// Requests a picture from a robot, and saves it as a PNG file.
///
/// # Errors
/// The hub is silent, the robot does not exist, no picture arrives in time, or the file cannot be written.
pub fn run(args: &SnapshotArgs) -> Result<()> {
    let (link, _) = args.address.open()?;
    let (picture, after) = wait(&link, &args.robot, Duration::from_secs(args.timeout))?;
    let (width, height) = (picture.width, picture.height);
    let path = args.out.display();
    let bytes = png::encode(&picture)?;
    atomic::output(&args.out, &bytes).with_context(|| format!("--output {path}: cannot be written"))?;
    if args.json {
        let (robot, path, seconds) = (&args.robot, &args.out, after.as_secs_f64());
        return print_json(&Snapshot { robot, path, width, height, seconds });
    }
    output::line(format_args!("{path}: {width} x {height} pixels of robot {}, after {after:.1?}", args.robot))?;
    Ok(())
}

/// Returns the first picture that was taken after the request, and the time until it arrived.
fn wait(link: &OperatorLink, robot: &str, timeout: Duration) -> Result<(Picture, Duration)> {
    let begun = Instant::now();
    loop {
        let camera_age = match link.ask(&Request::Picture { robot: robot.into() })? {
            Reply::Picture(StoredPicture { picture: Some(picture), age, .. })
                if age < begun.elapsed().as_secs_f64() =>
            {
                if !picture.is_sound() {
                    bail!("the picture from the camera of robot {robot} has an invalid size; take another picture");
                }
                return Ok((picture, begun.elapsed()));
            }
            Reply::Picture(told) => told.camera_age,
            Reply::Refused(why) => bail!("{}", escape(&why)),
            _ => bail!("unexpected answer from the hub"),
        };
        if begun.elapsed() >= timeout {
            bail!("{}", silence(robot, timeout, camera_age));
        }
        std::thread::sleep(EVERY);
    }
}

/// Returns the likely reason for a missing picture. `camera_age` is the age of the camera's last frame (s); `None` if
/// the camera sends no frames.
fn silence(robot: &str, timeout: Duration, camera_age: Option<f32>) -> String {
    let seconds = timeout.as_secs();
    match camera_age {
        None => format!(
            "robot {robot} sent no picture within {seconds} s, because its camera sends no frames: check \
             devices.camera in the robot's file, and run `xpuckd selftest` on the robot"
        ),
        Some(age) if age > 1.0 => format!(
            "robot {robot} sent no picture within {seconds} s, because its camera's last frame is {age:.0} s old: run \
             `xpuckd selftest` on the robot"
        ),
        Some(_) => {
            format!(
                "robot {robot} sent no picture within {seconds} s, although its camera runs: try a longer --timeout"
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_has_its_reason_and_remedy() {
        let said = |age| silence("xp03", Duration::from_secs(5), age);
        assert!(said(None).contains("devices.camera") && said(None).contains("xp03"));
        assert!(said(Some(7.0)).contains("7 s old") && said(Some(0.2)).contains("--timeout"));
    }
}
