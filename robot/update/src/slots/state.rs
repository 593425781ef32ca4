//! State of the slots, stored in `state.toml`.

use crate::release::Release;
use serde::{Deserialize, Serialize};
use xpuck_wire::{FileError, file};

/// Maximum length of the stored reason for a rejection (bytes).
const MAX_WHY: usize = 300;

/// Destination of an update: a folder for a package, or a root file system of the card for an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// Folder `a`.
    #[serde(rename = "a")]
    A,
    /// Folder `b`.
    #[serde(rename = "b")]
    B,
    /// Root `@a`.
    #[serde(rename = "@a")]
    RootA,
    /// Root `@b`.
    #[serde(rename = "@b")]
    RootB,
}

impl Slot {
    /// Returns the name of the slot's folder.
    pub fn folder(self) -> &'static str {
        match self {
            Slot::A => "a",
            Slot::B => "b",
            Slot::RootA => "@a",
            Slot::RootB => "@b",
        }
    }

    /// Returns the root with this name; `None` for any other name.
    pub fn from_root_name(name: &str) -> Option<Slot> {
        [Slot::RootA, Slot::RootB].into_iter().find(|slot| slot.folder() == name)
    }

    /// Whether the slot is a root. A root runs the program that is packaged in its image.
    pub fn is_root(self) -> bool {
        matches!(self, Slot::RootA | Slot::RootB)
    }

    /// Returns the maximum number of starts of the robot's program in a trial. A root gets more starts, because after a
    /// boot the program may start before the network and the devices are ready. The boots of a root are limited
    /// separately.
    pub fn starts(self) -> u8 {
        if self.is_root() { super::ROOT_STARTS } else { super::STARTS }
    }

    /// Returns the other folder for a folder, and the other root for a root.
    #[must_use]
    pub fn other(self) -> Slot {
        match self {
            Slot::A => Slot::B,
            Slot::B => Slot::A,
            Slot::RootA => Slot::RootB,
            Slot::RootB => Slot::RootA,
        }
    }
}

/// Version to which the link `current` can point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The packaged version, which always exists.
    #[serde(rename = "/")]
    Packaged,
    /// The version in slot a.
    #[serde(rename = "a")]
    A,
    /// The version in slot b.
    #[serde(rename = "b")]
    B,
}

impl Target {
    /// Returns the path to which the link `current` points if this version runs.
    pub fn link(self) -> &'static str {
        match self {
            Target::Packaged => "/",
            Target::A => "a",
            Target::B => "b",
        }
    }

    /// Parses the target of a link; `None` for an unknown target.
    pub fn from_link(link: &str) -> Option<Target> {
        [Target::Packaged, Target::A, Target::B].into_iter().find(|target| target.link() == link)
    }

    /// Returns the slot of the version; `None` for the packaged version.
    pub fn slot(self) -> Option<Slot> {
        match self {
            Target::Packaged => None,
            Target::A => Some(Slot::A),
            Target::B => Some(Slot::B),
        }
    }

    /// Returns a slot that is not in use while this version runs.
    pub fn idle(self) -> Slot {
        self.slot().map_or(Slot::A, Slot::other)
    }
}

impl From<Slot> for Target {
    fn from(slot: Slot) -> Target {
        match slot {
            Slot::A => Target::A,
            Slot::B => Target::B,
            Slot::RootA | Slot::RootB => Target::Packaged,
        }
    }
}

/// Phase of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// No installation is in progress.
    Settled,
    /// The candidate's slot is being written; its contents are invalid.
    Unpacking,
    /// The candidate's slot is complete and synchronised.
    Unpacked,
    /// The candidate runs, and its starts are counted.
    Trial,
    /// The candidate failed; the previous version is being restored.
    Reverting,
}

/// A version that is being installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Slot of the candidate.
    pub slot: Slot,
    /// Release of the candidate.
    #[serde(flatten)]
    pub release: Release,
    /// Digest of the payload.
    pub sha256: String,
    /// Remaining starts of the trial.
    pub starts_left: u8,
    /// Reason for the rejection; empty before a rejection.
    #[serde(default)]
    pub why: String,
}

/// Result of the latest bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Result {
    /// The version was found healthy and is kept.
    Good,
    /// The version was tried and reverted.
    Reverted,
    /// The bundle was rejected before a trial.
    Refused,
}

/// Latest bundle and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Release of the bundle. If the release is unknown, its counter is 0.
    #[serde(flatten)]
    pub release: Release,
    /// Digest of the payload; empty if unknown.
    pub sha256: String,
    /// Result of the bundle.
    pub result: Result,
    /// Reason for the rejection or the revert; empty if the version was kept.
    #[serde(default)]
    pub why: String,
}

/// State of the slots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// Phase of the update.
    pub phase: Phase,
    /// Version that runs while no trial is in progress. After a failed trial, this version runs again.
    pub current: Target,
    /// Highest release that was healthy on this robot. Its counter never decreases.
    pub good: Release,
    /// Version being installed; `None` only in the phase `Settled`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Candidate>,
    /// Latest bundle and its result; `None` before the first bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Outcome>,
}

impl State {
    /// Returns the state before the first installation.
    pub fn fresh(packaged: Release) -> State {
        State { phase: Phase::Settled, current: Target::Packaged, good: packaged, candidate: None, last: None }
    }

    /// Parses the text of the state file.
    ///
    /// # Errors
    /// The text is not TOML, lacks a key, or has contradictory values.
    pub fn parse(text: &str) -> std::result::Result<State, FileError> {
        let state: State = file::parse(super::STATE, text)?;
        let wrong = |what| Err(FileError::value(super::STATE, what));
        match (&state.candidate, state.phase) {
            (None, Phase::Settled) => Ok(state),
            (Some(candidate), phase) if phase != Phase::Settled => {
                match Target::from(candidate.slot) == state.current && !candidate.slot.is_root() {
                    true => wrong("the candidate is in the running slot"),
                    false if candidate.starts_left > candidate.slot.starts() => {
                        wrong("more starts are left than a trial has")
                    }
                    false => Ok(state),
                }
            }
            _ => wrong("every phase except the settled one must have a candidate"),
        }
    }

    /// Returns the text of the state file.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("a state is plain TOML")
    }

    /// Returns the version that must run in the current phase.
    pub fn runs(&self) -> Target {
        match (&self.candidate, self.phase) {
            (Some(candidate), Phase::Trial) => candidate.slot.into(),
            _ => self.current,
        }
    }
}

/// Converts a reason to one line of at most [`MAX_WHY`] bytes.
pub(super) fn line(why: &str) -> String {
    let one: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one[..one.floor_char_boundary(MAX_WHY)].to_string()
}
