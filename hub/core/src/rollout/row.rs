//! State of one robot's update.

use serde::{Deserialize, Serialize};

/// State of one robot's update.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpdateState {
    /// Waiting for its turn.
    Waiting,
    /// Bundle offered, no answer yet.
    Offered,
    /// Loading the bundle.
    Loading {
        /// Number of received bytes of the payload.
        offset: u64,
    },
    /// Installing and trying the new version.
    Trial,
    /// Running the new version.
    Good,
    /// Returned to the old version after the trial, with the reason.
    Reverted(String),
    /// Bundle rejected by the robot, with the reason.
    Refused(String),
    /// No report about the trial within the time limit.
    Lost,
    /// No messages from the robot.
    Silent,
    /// Update stopped before the robot's turn.
    Skipped,
}

impl UpdateState {
    /// Name of the state, number of received bytes while loading, and reason why the robot does not run the version.
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

    /// Whether the state is final.
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

    /// Whether the robot must not drive.
    pub fn is_busy(&self) -> bool {
        !self.is_final() && *self != UpdateState::Waiting
    }
}

/// Report of a robot about a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleReport {
    /// The robot is trying the version.
    Trial,
    /// The robot runs the version.
    Good,
    /// The robot returned to the old version, with the reason.
    Reverted(String),
    /// The robot rejects the bundle, with the reason.
    Refused(String),
}

/// Update of one robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Robot id.
    pub robot: String,
    /// State of the update.
    pub stand: UpdateState,
    /// Time of its last message (s).
    #[serde(skip)]
    pub(super) heard: Option<f64>,
    /// Time of its last progress: first offer, request for a later piece, or start of the trial (s).
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
