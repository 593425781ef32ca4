//! Messages about updates of robots' programs: offered bundles, installed releases, and progress of a swarm update.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum length of a part of a bundle (bytes).
pub const MAX_PIECE: usize = 256 * 1024;

/// Bundle without its payload. The receiver verifies the signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleHead {
    /// Manifest in TOML. The signature covers exactly these bytes.
    pub manifest: String,
    /// Name of the operator who signed the manifest.
    pub signer: String,
    /// Ed25519 signature of the manifest, 128 hexadecimal digits.
    pub signature: String,
}

/// Stage of a robot's update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The robot requests and receives the payload.
    Loading,
    /// The payload is complete, and the robot installs it.
    Installing,
    /// The new release is on trial.
    Trial,
    /// The new release is confirmed.
    Good,
    /// The trial failed, and the previous release runs again.
    Reverted,
    /// The bundle was rejected.
    Refused,
}

/// Report of a robot on the latest bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotUpdate {
    /// Number of the update in which the bundle was offered; 0 if no update was offered since the start of the robot's
    /// program.
    pub number: u64,
    /// SHA-256 of the payload, 64 hexadecimal digits.
    pub digest: String,
    /// Stage of the update.
    pub stage: Stage,
    /// Number of bytes of the payload received so far, in stage [`Stage::Loading`].
    pub received: u64,
    /// Reason for a rejection or failure, in one line; empty in other stages.
    pub why: String,
}

/// Release that a robot runs, and result of the latest update.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// Version of the release.
    pub version: String,
    /// Counter of the release; 0 if the release has no counter.
    pub counter: u64,
    /// Board, such as "pi5"; "unknown" if it cannot be determined.
    pub board: String,
    /// Architecture in Debian's naming, such as "arm64".
    pub arch: String,
    /// Latest update; `None` before the first update.
    pub update: Option<RobotUpdate>,
}

/// Progress of a swarm update.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UpdateReport {
    /// Version of the new release.
    pub version: String,
    /// Counter of the new release.
    pub counter: u64,
    /// SHA-256 of the bundle's payload, 64 hexadecimal digits.
    pub digest: String,
    /// Length of the payload (bytes).
    pub size: u64,
    /// Operator who started the update.
    pub by: String,
    /// Whether the update has ended.
    pub done: bool,
    /// Reason why no further robot is updated; empty during the update and after success.
    pub stopped: String,
    /// One row per robot, in the order in which the robots are updated.
    pub rows: Vec<UpdateRow>,
}

impl UpdateReport {
    /// Whether the update has ended and every robot runs the new version.
    pub fn is_good(&self) -> bool {
        self.done && self.rows.iter().all(|row| row.stand == "good")
    }
}

/// Update state of one robot.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UpdateRow {
    /// Robot id.
    pub robot: String,
    /// Version that the robot runs; empty before its first report.
    pub version: String,
    /// State: `waiting`, `offered`, `loading`, `trial`, `good`, `reverted`, `refused`, `lost`, `silent` or `skipped`.
    pub stand: String,
    /// Number of bytes of the payload received so far, in state `loading`.
    pub received: u64,
    /// Reason why the update of the robot failed; empty if it has not failed.
    pub why: String,
}
