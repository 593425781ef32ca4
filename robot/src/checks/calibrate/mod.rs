//! `xpuckd calibrate`: measures the parameters of a robot's body, and writes them to `[calibration]` of its file.
//!
//! The module of each subject has two parts. One part guides the operator, moves the robot slowly and measures. The
//! other part is a pure function that fits the parameters. Every error stops the wheels.

pub mod camera;
pub mod drive;
mod file;
pub mod infrared;
#[cfg(feature = "apriltag")]
pub mod lens;
mod motion;
mod operator;
#[cfg(test)]
mod test_bench;

pub use file::Edit;
pub use operator::{Operator, Terminal};

use crate::body::devices::{lock_body, open_body, open_camera};
use crate::config::RobotFile;
use crate::device::DeviceError;
use motion::Motion;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Subjects of a calibration.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Subject {
    /// Infra-red sensors: the robot turns each sensor to a white wall at several distances. Requires a wall in front
    /// of the robot and 20 cm of free floor around the robot. Calibrate the drive first.
    Ir {
        /// Do not move the robot. Instead, you hold a ring of white card around the robot, at each of these distances
        /// from its sensors (mm, 0..=50).
        #[arg(long, value_delimiter = ',', value_name = "MM")]
        by_hand: Vec<f32>,
    },
    /// Wheels: the robot drives 0.5 m ahead and turns three times. You measure the distance and the turn.
    Drive {
        /// Number of repetitions (1..=10).
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=10))]
        moves: u8,
    },
    /// Camera colours: you hold a white card and coloured targets in front of the camera.
    Camera {
        /// Also measure the green target.
        #[arg(long)]
        green: bool,
    },
    /// Camera lens: you hold a flat board of AprilTags, printed by `xpuckd tags`, in front of the camera.
    #[cfg(feature = "apriltag")]
    Lens {
        /// Layout of the board.
        #[command(flatten)]
        board: crate::vision::tags::BoardArgs,
        /// Number of views of the board (5..=30).
        #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(5..=30))]
        views: u8,
    },
}

/// Reason for a failed calibration. The robot's file is unchanged after a failure.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// A device does not answer.
    #[error("{0}; the file is unchanged")]
    Device(#[from] DeviceError),
    /// The measurements do not determine a calibration.
    #[error("{0}; the file is unchanged")]
    Unfit(String),
    /// The wheels did not make the commanded steps.
    #[error(
        "the wheels made only {made:?} of {wanted:?} steps within the time limit and were stopped; the file is unchanged"
    )]
    Motion {
        /// Steps made, left and right.
        made: [i64; 2],
        /// Steps commanded, left and right.
        wanted: [i64; 2],
    },
    /// The operator cancelled or stopped the calibration, or gave an invalid answer.
    #[error("{0}; the file is unchanged")]
    Operator(String),
    /// The robot's file cannot be read or written.
    #[error("{0}")]
    File(String),
}

/// Creates an error for measurements that do not determine a calibration.
pub(crate) fn unfit<T>(why: impl Into<String>) -> Result<T, CalibrateError> {
    Err(CalibrateError::Unfit(why.into()))
}

/// Calibrates a robot, and writes the result to the robot's file at `path`. Setting `stop` stops the wheels and ends
/// the calibration.
///
/// # Errors
/// One line with the cause.
pub fn run(
    path: &Path,
    robot: &RobotFile,
    subject: &Subject,
    operator: &mut dyn Operator,
    stop: &AtomicBool,
) -> Result<(), CalibrateError> {
    let wait = &mut |time| std::thread::sleep(time);
    let _lock = lock_body(robot)?;
    let edits = match subject {
        Subject::Ir { by_hand } => {
            let mut motion = Motion::new(open_body(robot, 1.0)?, robot.calibration.drive, stop, wait);
            let readings = match &by_hand[..] {
                [] => infrared::by_driving(&mut motion, operator)?,
                distances => infrared::by_hand(&mut motion, distances, operator)?,
            };
            infrared::edits(&infrared::fit(&readings, &robot.calibration.infrared)?)
        }
        Subject::Drive { moves } => {
            let mut motion = Motion::new(open_body(robot, 1.0)?, robot.calibration.drive, stop, wait);
            drive::edits(&drive::fit(&drive::measure(&mut motion, *moves, operator)?)?)
        }
        Subject::Camera { green } => {
            let Some(mut camera) = open_camera(robot)? else { return unfit("this robot has no camera") };
            let seen = camera::measure(&mut *camera, *green, operator, stop, wait)?;
            camera::edits(&camera::fit(&seen, &robot.calibration.camera.regions())?)
        }
        #[cfg(feature = "apriltag")]
        Subject::Lens { board, views } => {
            let board = board.board().map_err(CalibrateError::Unfit)?;
            let Some(mut camera) = open_camera(robot)? else { return unfit("this robot has no camera") };
            let (seen, size) = lens::measure(&mut *camera, &board, (*views).into(), operator, stop, wait)?;
            let fit = lens::fit::fit(&seen, &board, size)?;
            operator.say(&lens::verdict(&fit));
            lens::edits(&fit)
        }
    };
    file::save(path, &edits)?;
    for edit in &edits {
        operator.say(&format!("calibration.{} = {}", edit.key.join("."), edit.text()));
    }
    operator.say(&format!("written to {}", path.display()));
    Ok(())
}
