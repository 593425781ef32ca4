//! How one robot's update stands.

use serde::{Deserialize, Serialize};

/// How one robot's update stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stand {
    /// Its turn comes.
    Waiting,
    /// The bundle is offered, and it did not answer yet.
    Offered,
    /// It loads the bundle.
    Loading {
        /// Bytes of the payload that it has.
        offset: u64,
    },
    /// It installs and tries the new version.
    Trial,
    /// It runs the new version.
    Good,
    /// It tried the new version and went back, and why.
    Reverted(String),
    /// It does not take the bundle, and why.
    Refused(String),
    /// It never said what came of its trial.
    Lost,
    /// It was not heard.
    Silent,
    /// The update was stopped before its turn.
    Skipped,
}

impl Stand {
    /// Its word, the bytes that it has while it loads, and why it does not run the version.
    pub fn told(&self) -> (&'static str, u64, &str) {
        match self {
            Stand::Waiting => ("waiting", 0, ""),
            Stand::Offered => ("offered", 0, ""),
            Stand::Loading { offset } => ("loading", *offset, ""),
            Stand::Trial => ("trial", 0, ""),
            Stand::Good => ("good", 0, ""),
            Stand::Reverted(why) => ("reverted", 0, why),
            Stand::Refused(why) => ("refused", 0, why),
            Stand::Lost => ("lost", 0, "it did not say what came of it"),
            Stand::Silent => ("silent", 0, "it was not heard"),
            Stand::Skipped => ("skipped", 0, "the update was stopped before its turn"),
        }
    }

    /// True if that will not change.
    pub fn is_final(&self) -> bool {
        match self {
            Stand::Waiting | Stand::Offered | Stand::Loading { .. } | Stand::Trial => false,
            Stand::Good | Stand::Reverted(_) | Stand::Refused(_) | Stand::Lost | Stand::Silent | Stand::Skipped => true,
        }
    }

    /// True while the robot must not drive.
    pub fn is_busy(&self) -> bool {
        !self.is_final() && *self != Stand::Waiting
    }
}

/// What a robot says of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It tries it.
    Trial,
    /// It runs it.
    Good,
    /// It went back, and why.
    Reverted(String),
    /// It does not take it, and why.
    Refused(String),
}

/// One robot's update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its id.
    pub robot: String,
    /// How it stands.
    pub stand: Stand,
    /// When it was heard last.
    #[serde(skip)]
    pub(super) heard: Option<f64>,
    /// When it got further last: was offered the bundle first, asked for a later piece, or began its trial.
    #[serde(skip)]
    pub(super) since: Option<f64>,
    /// When it was offered the bundle last.
    #[serde(skip)]
    pub(super) offered: Option<f64>,
}

impl Row {
    pub(super) fn new(robot: &str) -> Row {
        Row { robot: robot.into(), stand: Stand::Waiting, heard: None, since: None, offered: None }
    }
}
