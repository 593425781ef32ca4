//! `xpuckd calibrate`: measures what is particular to a robot's body and writes it into `[calibration]` of its file.
//!
//! Each subject is a pure fit, and a shell that asks the operator, moves slowly and measures. Motion ends at any error.

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

/// What is calibrated.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Subject {
    /// The infra-red sensors: the robot turns each of them to a white wall at several distances. It needs the wall in front
    /// of it and 20 cm of free floor all round; calibrate the drive first.
    Ir {
        /// Do not move: hold a ring of white card round the robot at these distances from its sensors, mm, one after the
        /// other.
        #[arg(long, value_delimiter = ',', value_name = "MM")]
        by_hand: Vec<f32>,
    },
    /// The wheels: the robot drives 0.5 m ahead and turns three times, and you measure what it did.
    Drive {
        /// How often it does both, 1 to 10.
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=10))]
        moves: u8,
    },
    /// The camera's colours: you hold a white card and coloured targets before it.
    Camera {
        /// Measure green too.
        #[arg(long)]
        green: bool,
    },
    /// The camera's lens: you hold a flat board of AprilTags before it, which `xpuckd tags` prints.
    #[cfg(feature = "apriltag")]
    Lens {
        /// The board.
        #[command(flatten)]
        board: crate::vision::tags::BoardArgs,
        /// Views of the board.
        #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(5..=30))]
        views: u8,
    },
}

/// Why nothing was calibrated. The file is then as it was.
#[derive(Debug, thiserror::Error)]
pub enum CalibrateError {
    /// A device does not answer.
    #[error("{0}; the file is as it was")]
    Device(#[from] DeviceError),
    /// The measurements give no calibration.
    #[error("{0}; the file is as it was")]
    Unfit(String),
    /// The wheels did not do what they were told.
    #[error("the wheels made {made:?} of {wanted:?} steps in time and were stopped; the file is as it was")]
    Motion {
        /// Steps left and right.
        made: [i64; 2],
        /// Steps left and right.
        wanted: [i64; 2],
    },
    /// The operator gave up, or the answers are none.
    #[error("{0}; the file is as it was")]
    Operator(String),
    /// The robot's file.
    #[error("{0}")]
    File(String),
}

/// Measurements that give no calibration, and why.
pub(crate) fn unfit<T>(why: impl Into<String>) -> Result<T, CalibrateError> {
    Err(CalibrateError::Unfit(why.into()))
}

/// Calibrates a robot and writes the result into its file at `path`; `stop` ends it with the wheels standing.
///
/// # Errors
/// One line that says what was in the way.
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
