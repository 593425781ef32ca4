//! What is known of the slots: `state.toml`.

use crate::release::Release;
use serde::{Deserialize, Serialize};
use xpuck_wire::{FileError, file};

/// Longest reason that is kept, bytes.
const MAX_WHY: usize = 300;

/// Where an update goes: a package into one of two trees, an image into one of the card's two roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Slot {
    /// The tree `a`.
    #[serde(rename = "a")]
    A,
    /// The tree `b`.
    #[serde(rename = "b")]
    B,
    /// The root `@a`.
    #[serde(rename = "@a")]
    RootA,
    /// The root `@b`.
    #[serde(rename = "@b")]
    RootB,
}

impl Slot {
    /// Its folder.
    pub fn folder(self) -> &'static str {
        match self {
            Slot::A => "a",
            Slot::B => "b",
            Slot::RootA => "@a",
            Slot::RootB => "@b",
        }
    }

    /// The root of this name.
    pub fn of_root(name: &str) -> Option<Slot> {
        [Slot::RootA, Slot::RootB].into_iter().find(|slot| slot.folder() == name)
    }

    /// True of a whole root; the program that runs in it is its packaged one.
    pub fn is_root(self) -> bool {
        matches!(self, Slot::RootA | Slot::RootB)
    }

    /// Starts of the robot's program that a trial has. With a new root they come after a boot, whose network and devices may
    /// be slower than the program; the boots are counted as well.
    pub fn starts(self) -> u8 {
        if self.is_root() { super::ROOT_STARTS } else { super::STARTS }
    }

    /// The other tree, or the other root.
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

/// What can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The packaged version, which is always there.
    #[serde(rename = "/")]
    Packaged,
    /// What is in slot a.
    #[serde(rename = "a")]
    A,
    /// What is in slot b.
    #[serde(rename = "b")]
    B,
}

impl Target {
    /// Where the link points.
    pub fn link(self) -> &'static str {
        match self {
            Target::Packaged => "/",
            Target::A => "a",
            Target::B => "b",
        }
    }

    /// What a link points at; none of ours if it is something else.
    pub fn of_link(link: &str) -> Option<Target> {
        [Target::Packaged, Target::A, Target::B].into_iter().find(|target| target.link() == link)
    }

    /// The tree, unless it is the packaged version.
    pub fn slot(self) -> Option<Slot> {
        match self {
            Target::Packaged => None,
            Target::A => Some(Slot::A),
            Target::B => Some(Slot::B),
        }
    }

    /// A slot that does not run while this does.
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

/// How far an update is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing is being installed.
    Settled,
    /// The candidate's slot is being written; what is in it is worth nothing.
    Unpacking,
    /// The candidate's slot is whole and on the disk.
    Unpacked,
    /// The candidate runs, and its starts are counted.
    Trial,
    /// The candidate failed, and the version before it comes back.
    Reverting,
}

/// A version that is being installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where.
    pub slot: Slot,
    /// Which release.
    #[serde(flatten)]
    pub release: Release,
    /// Digest of its payload.
    pub sha256: String,
    /// Starts that its trial still has.
    pub starts_left: u8,
    /// Why it is given up; empty as long as it is not.
    #[serde(default)]
    pub why: String,
}

/// What came of the latest bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Result {
    /// It runs.
    Good,
    /// It was tried and given up.
    Reverted,
    /// It was not tried.
    Refused,
}

/// The latest bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Which release; of counter 0 if that was not told.
    #[serde(flatten)]
    pub release: Release,
    /// Digest of its payload; empty if that was not told.
    pub sha256: String,
    /// What came of it.
    pub result: Result,
    /// Why, if it does not run.
    #[serde(default)]
    pub why: String,
}

/// What is known of the slots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// How far an update is.
    pub phase: Phase,
    /// What runs when nothing is on trial, and what a failed trial goes back to.
    pub current: Target,
    /// The highest release that was good here; its counter never falls.
    pub good: Release,
    /// What is being installed, in every phase but the settled one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidate: Option<Candidate>,
    /// The latest bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Outcome>,
}

impl State {
    /// Nothing was ever installed.
    pub fn fresh(packaged: Release) -> State {
        State { phase: Phase::Settled, current: Target::Packaged, good: packaged, candidate: None, last: None }
    }

    /// Reads the text of its file.
    ///
    /// # Errors
    /// It is damaged: no TOML, a key is missing, or they contradict each other.
    pub fn parse(text: &str) -> std::result::Result<State, FileError> {
        let state: State = file::parse(super::STATE, text)?;
        let wrong = |what| Err(FileError::value(super::STATE, what));
        match (&state.candidate, state.phase) {
            (None, Phase::Settled) => Ok(state),
            (Some(candidate), phase) if phase != Phase::Settled => {
                match Target::from(candidate.slot) == state.current && !candidate.slot.is_root() {
                    true => wrong("the candidate is in the slot that runs"),
                    false if candidate.starts_left > candidate.slot.starts() => {
                        wrong("more starts are left than a trial has")
                    }
                    false => Ok(state),
                }
            }
            _ => wrong("a candidate belongs to every phase but the settled one"),
        }
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        toml::to_string(self).expect("a state is plain TOML")
    }

    /// What is to run in this phase.
    pub fn runs(&self) -> Target {
        match (&self.candidate, self.phase) {
            (Some(candidate), Phase::Trial) => candidate.slot.into(),
            _ => self.current,
        }
    }
}

/// One bounded line.
pub(super) fn line(why: &str) -> String {
    let one: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    one[..one.floor_char_boundary(MAX_WHY)].to_string()
}
