//! Row of an update: one robot and the state of its update.

use serde::{Deserialize, Serialize};

/// State of one robot's update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateState {
    /// The robot waits for its turn.
    Waiting,
    /// The bundle was offered, but the robot has not requested it yet.
    Offered,
    /// The robot loads the bundle.
    Loading {
        /// Number of received bytes of the payload.
        offset: u64,
    },
    /// The robot installs and tries the new version.
    Trial,
    /// The robot runs the new version.
    Good,
    /// The robot returned to the old version after the trial. The text is the reason.
    Reverted(String),
    /// The robot rejected the bundle. The text is the reason.
    Refused(String),
    /// The robot made no progress, or did not report the result of its trial in time.
    Lost,
    /// The robot was still silent after all other robots had finished.
    Silent,
    /// The update was stopped before the robot's turn.
    Skipped,
}

impl UpdateState {
    /// Returns the name of the state, the number of received bytes while loading, and the reason why the robot does
    /// not run the new version. Values that do not apply are 0 or empty.
    pub fn summary(&self) -> (&'static str, u64, &str) {
        match self {
            UpdateState::Waiting => ("waiting", 0, ""),
            UpdateState::Offered => ("offered", 0, ""),
            UpdateState::Loading { offset } => ("loading", *offset, ""),
            UpdateState::Trial => ("trial", 0, ""),
            UpdateState::Good => ("good", 0, ""),
            UpdateState::Reverted(why) => ("reverted", 0, why),
            UpdateState::Refused(why) => ("refused", 0, why),
            UpdateState::Lost => ("lost", 0, "it did not report the result"),
            UpdateState::Silent => ("silent", 0, "the hub received no message from it"),
            UpdateState::Skipped => ("skipped", 0, "the update was stopped before its turn"),
        }
    }

    /// Returns whether the state is final.
    pub fn is_final(&self) -> bool {
        match self {
            UpdateState::Waiting | UpdateState::Offered | UpdateState::Loading { .. } | UpdateState::Trial => false,
            UpdateState::Good
            | UpdateState::Reverted(_)
            | UpdateState::Refused(_)
            | UpdateState::Lost
            | UpdateState::Silent
            | UpdateState::Skipped => true,
        }
    }

    /// Returns whether the robot is being updated and must not drive.
    pub fn is_busy(&self) -> bool {
        !self.is_final() && *self != UpdateState::Waiting
    }
}

/// Report of a robot about the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleReport {
    /// The robot is trying the version.
    Trial,
    /// The robot runs the version.
    Good,
    /// The robot returned to the old version. The text is the reason.
    Reverted(String),
    /// The robot rejects the bundle. The text is the reason.
    Refused(String),
}

/// Update of one robot, as a row of the update's table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Robot id.
    pub robot: String,
    /// State of the update.
    pub stand: UpdateState,
    /// Time of the robot's last message (s); `None` before the first message since the hub started.
    #[serde(skip)]
    pub(super) heard: Option<f64>,
    /// Time of the robot's last progress: first offer, request for a new piece, or start of the trial (s).
    #[serde(skip)]
    pub(super) since: Option<f64>,
    /// Time of the last offer (s).
    #[serde(skip)]
    pub(super) offered: Option<f64>,
}

impl Row {
    pub(super) fn new(robot: &str) -> Row {
        Row { robot: robot.into(), stand: UpdateState::Waiting, heard: None, since: None, offered: None }
    }
}
