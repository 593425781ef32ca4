//! Messages about updates of robots' programs: the bundle that is offered, what a robot has installed, and how an update of the
//! swarm stands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most bytes of one piece of a bundle.
pub const MAX_PIECE: usize = 256 * 1024;

/// What stands before a bundle's payload. Who takes it verifies the signature.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BundleHead {
    /// The manifest, TOML; these very bytes are signed.
    pub manifest: String,
    /// The operator who signed.
    pub signer: String,
    /// Ed25519 signature, 128 hexadecimal digits.
    pub signature: String,
}

/// How far a robot is with a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It asks for the payload.
    Loading,
    /// It has all of it, and installs it.
    Installing,
    /// It tries it.
    Trial,
    /// It runs it.
    Good,
    /// It tried it and went back.
    Reverted,
    /// It does not take it.
    Refused,
}

/// What a robot makes of the latest bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotUpdate {
    /// Number of the update that offered it; 0 if this start of the robot's program was offered nothing.
    pub number: u64,
    /// SHA-256 of the payload, 64 hexadecimal digits.
    pub digest: String,
    /// How far it is.
    pub stage: Stage,
    /// Bytes of the payload that it has while it loads.
    pub received: u64,
    /// Why it was refused or given up, in one line; else empty.
    pub why: String,
}

/// Which release a robot runs, and what came of the latest update.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// The release's version.
    pub version: String,
    /// The release's counter; 0 where it has none.
    pub counter: u64,
    /// The board, such as "pi5"; "unknown" where nothing tells.
    pub board: String,
    /// Debian's name of the architecture, such as "arm64".
    pub arch: String,
    /// The latest update; none if there was none.
    pub update: Option<RobotUpdate>,
}

/// How an update of the swarm stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UpdateReport {
    /// The version that it brings.
    pub version: String,
    /// Its counter.
    pub counter: u64,
    /// SHA-256 of the bundle's payload, 64 hexadecimal digits.
    pub digest: String,
    /// Bytes of the payload.
    pub size: u64,
    /// Who began it.
    pub by: String,
    /// Nothing will change any more.
    pub done: bool,
    /// Why no further robot is updated; empty as long as it goes on, and if all went well.
    pub stopped: String,
    /// A row for each robot, in the order in which they are updated.
    pub rows: Vec<UpdateRow>,
}

impl UpdateReport {
    /// True if every robot runs the new version.
    pub fn is_good(&self) -> bool {
        self.done && self.rows.iter().all(|row| row.stand == "good")
    }
}

/// How one robot's update stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct UpdateRow {
    /// The robot.
    pub robot: String,
    /// The version that it runs; empty before it said so.
    pub version: String,
    /// `waiting`, `offered`, `loading`, `trial`, `good`, `reverted`, `refused`, `lost`, `silent` or `skipped`.
    pub stand: String,
    /// Bytes of the payload that it has while it loads.
    pub received: u64,
    /// Why it does not run the new version; empty if it does, or may yet.
    pub why: String,
}
