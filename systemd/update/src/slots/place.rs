//! The slots on a disk: reading and keeping the state, repairing it, and moving the link.

use super::state::{Candidate, Phase, Slot, State, Target};
use super::{BACK, CURRENT, Disk, PAYLOAD, PROGRAM, STARTS, STATE};
use crate::release::{MAX_RELEASE, RELEASE, Release};
use std::io::{ErrorKind, Read, Result};

/// Longest state file, bytes.
const MAX_STATE: u64 = 16 * 1024;
/// A damaged state is kept under this name.
const BROKEN: &str = "state.toml.broken";

/// The slots on a disk.
pub struct Place<'a, D> {
    /// The disk.
    pub disk: &'a mut D,
    /// What is known of them, as it is on the disk.
    pub state: State,
    /// What was repaired when they were read, one line each.
    pub repaired: Vec<String>,
}

/// The release of a slot that has a program and says which it is; none of any other.
pub fn whole(disk: &impl Disk, slot: Slot) -> Option<Release> {
    let at = |path: &str| format!("{}/{path}", slot.folder());
    let text = text(disk, &at(RELEASE), MAX_RELEASE).ok()?;
    let mut first = [0];
    let some = disk.open(&at(PROGRAM)).ok()?.read(&mut first).ok()?;
    (some == 1).then(|| Release::parse(RELEASE, &text).ok()).flatten()
}

fn text(disk: &impl Disk, path: &str, limit: u64) -> Result<String> {
    let mut bytes = Vec::new();
    disk.open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= limit;
    let text = String::from_utf8(bytes).ok().filter(|_| fits);
    text.ok_or_else(|| std::io::Error::new(ErrorKind::InvalidData, "it is no text, or too long"))
}

impl<'a, D: Disk> Place<'a, D> {
    /// Reads what is known; what is missing or damaged is replaced by what is safe: the packaged version, or, if a whole slot
    /// is running, a trial of that. Nothing is written unless something is damaged.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn read(disk: &'a mut D, packaged: &Release) -> Result<Place<'a, D>> {
        let read = match text(disk, STATE, MAX_STATE) {
            Ok(text) => State::parse(&text).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let state = guess(disk, packaged);
                return Ok(Place { disk, state, repaired: Vec::new() });
            }
            Err(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput) => {
                Err(error.to_string())
            }
            Err(error) => return Err(error),
        };
        let mut repaired = Vec::new();
        let state = match read {
            Ok(state) => state,
            Err(why) => {
                let state = guess(disk, packaged);
                let _ = disk.remove(BROKEN).and_then(|()| disk.rename(STATE, BROKEN));
                let runs = state.runs().link();
                repaired.push(format!("{STATE} is damaged ({why}); it is kept as {BROKEN}, and `{runs}` runs"));
                state
            }
        };
        Ok(Place { disk, state, repaired })
    }

    /// Brings a new state to the disk.
    ///
    /// # Errors
    /// What the disk says; the old state is then still there.
    pub fn keep(&mut self, state: State) -> Result<()> {
        write(self.disk, STATE, state.to_text().as_bytes())?;
        self.state = state;
        Ok(())
    }

    /// Has `current` point at what is to run by the state.
    ///
    /// # Errors
    /// What the disk says; the link is then as it was.
    pub fn arrange(&mut self) -> Result<()> {
        let wanted = self.state.runs();
        if self.points_at() != Some(wanted) {
            make_link(self.disk, wanted, CURRENT)?;
        }
        Ok(())
    }

    /// What `current` points at.
    pub fn points_at(&self) -> Option<Target> {
        self.disk.target(CURRENT).ok().and_then(|link| Target::of_link(&link))
    }

    /// Prepares the way back.
    ///
    /// # Errors
    /// What the disk says.
    pub fn prepare_way_back(&mut self) -> Result<()> {
        make_link(self.disk, self.state.current, BACK)
    }

    /// Has `current` point at the version before the candidate, also on a disk without any room.
    ///
    /// # Errors
    /// What the disk says.
    pub fn go_back(&mut self) -> Result<()> {
        let before = self.state.current;
        if self.points_at() == Some(before) {
            return Ok(());
        }
        match self.disk.target(BACK) {
            Ok(link) if Target::of_link(&link) == Some(before) => {
                self.disk.rename(BACK, CURRENT)?;
                self.disk.sync_folder("")
            }
            _ => make_link(self.disk, before, CURRENT),
        }
    }

    /// Removes what an installation leaves behind. What cannot be removed only takes room.
    pub fn clean(&mut self) {
        for name in [PAYLOAD, "state.toml.new", "current.new", "back.new"] {
            let _ = self.disk.remove(name);
        }
        // A slot that neither runs nor is tried is worth nothing.
        if self.state.phase == Phase::Settled {
            for slot in [Slot::A, Slot::B] {
                if Target::from(slot) != self.state.current && self.points_at() != Some(slot.into()) {
                    let _ = self.disk.remove(slot.folder());
                }
            }
        }
        let _ = self.disk.sync_folder("");
    }
}

/// What is safe without a state. Every release that is on the disk counts as one that was good, so that the counter cannot
/// fall: the highest that was good is always there.
fn guess(disk: &impl Disk, packaged: &Release) -> State {
    let slots = [Slot::A, Slot::B].map(|slot| (slot, whole(disk, slot)));
    let mut state = State::fresh(packaged.clone());
    for release in slots.iter().filter_map(|(_, release)| release.as_ref()) {
        if release.counter > state.good.counter {
            state.good = release.clone();
        }
    }
    let runs = disk.target(CURRENT).ok().and_then(|link| Target::of_link(&link)).and_then(Target::slot);
    if let Some((slot, Some(release))) = slots.into_iter().find(|(slot, _)| Some(*slot) == runs) {
        state.phase = Phase::Trial;
        let (sha256, why) = Default::default();
        state.candidate = Some(Candidate { slot, release, sha256, starts_left: STARTS, why });
    }
    state
}

/// Puts a small file in place of another.
pub(super) fn write(disk: &mut impl Disk, path: &str, bytes: &[u8]) -> Result<()> {
    let new = format!("{path}.new");
    disk.remove(&new)?;
    disk.create(&new, false)?;
    disk.append(&new, bytes)?;
    disk.sync_file(&new)?;
    disk.rename(&new, path)?;
    disk.sync_folder("")
}

fn make_link(disk: &mut impl Disk, target: Target, path: &str) -> Result<()> {
    let new = format!("{path}.new");
    disk.remove(&new)?;
    disk.link(target.link(), &new)?;
    disk.rename(&new, path)?;
    disk.sync_folder("")
}
