//! Slots on a disk. Reads, stores and repairs their state, and changes the link `current` and the selected root.

use super::roots::{ROOTS, Roots};
use super::state::{Candidate, Phase, Slot, State, Target};
use super::{BACK, CURRENT, Disk, PAYLOAD, PROGRAM, STATE};
use crate::release::{MAX_RELEASE, RELEASE, Release};
use std::io::{Error, ErrorKind, Read, Result};

/// Maximum length of the state file (bytes).
const MAX_STATE: u64 = 16 * 1024;
/// Name under which a damaged state file is kept.
const BROKEN: &str = "state.toml.broken";

/// Name of a file that can replace [`ROOTS`] to end the trial of a root. The file is created before a trial, so that
/// reverting needs no disk space.
const ROOTS_BACK: &str = "roots.back";

/// Versions outside the folders `a` and `b`: the packaged release and the running root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseVersions {
    /// Packaged release of the running root.
    pub packaged: Release,
    /// Running root of a card with two roots; `None` on other cards.
    pub root: Option<Slot>,
}

/// Slots on a disk, with their state and the selection of the root.
pub struct SlotStore<'a, D> {
    /// The disk.
    pub disk: &'a mut D,
    /// Versions that run outside the slots.
    pub here: &'a BaseVersions,
    /// Selected root for the next boot; `None` if the card does not have two roots.
    pub roots: Option<Roots>,
    /// State of the slots, equal to the state on the disk.
    pub state: State,
    /// Descriptions of the repairs made while reading, one line each.
    pub repaired: Vec<String>,
}

/// Returns the release of a slot; `None` unless the slot has a program and a valid release file.
pub fn complete_release(disk: &impl Disk, slot: Slot) -> Option<Release> {
    let at = |path: &str| format!("{}/{path}", slot.folder());
    let text = text(disk, &at(RELEASE), MAX_RELEASE).ok()?;
    let mut first = [0];
    let some = disk.open(&at(PROGRAM)).ok()?.read(&mut first).ok()?;
    (some == 1).then(|| Release::parse(RELEASE, &text).ok()).flatten()
}

/// Reads the file that selects one of a card's two roots. Returns `None` if the file does not exist, which means that
/// the card does not have two roots.
fn read_roots(disk: &impl Disk) -> Result<Option<Roots>> {
    match text(disk, ROOTS, 256) {
        Ok(text) => match Roots::parse(&text) {
            Some(roots) => Ok(Some(roots)),
            None => Err(Error::new(ErrorKind::InvalidData, format!("{ROOTS} is invalid: {text:?}"))),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn text(disk: &impl Disk, path: &str, limit: u64) -> Result<String> {
    let mut bytes = Vec::new();
    disk.open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= limit;
    let text = String::from_utf8(bytes).ok().filter(|_| fits);
    text.ok_or_else(|| Error::new(ErrorKind::InvalidData, "not UTF-8 text, or too long"))
}

impl<'a, D: Disk> SlotStore<'a, D> {
    /// Reads the state of the slots. A safe state replaces a missing or damaged state. In the safe state, the packaged
    /// version runs, unless `current` points to a complete slot or the running root is on trial. In these cases, a new
    /// trial of the slot or root begins. Nothing is written unless the state or the file of roots is damaged.
    ///
    /// # Errors
    /// The disk cannot be read, or a damaged file of roots cannot be replaced.
    pub fn read(disk: &'a mut D, here: &'a BaseVersions) -> Result<SlotStore<'a, D>> {
        let mut repaired = Vec::new();
        let roots = match here.root.map(|root| (root, read_roots(disk))) {
            None => None,
            Some((_, Ok(roots))) => roots,
            Some((root, Err(error))) if error.kind() == ErrorKind::InvalidData => {
                repaired.push(format!("{error}; {} runs and is kept", root.folder()));
                write(disk, ROOTS, Roots::settled(root).to_text().as_bytes())?;
                Some(Roots::settled(root))
            }
            Some((_, Err(error))) => return Err(error),
        };
        let read = match text(disk, STATE, MAX_STATE) {
            Ok(text) => State::parse(&text).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let state = guess(disk, here, roots);
                return Ok(SlotStore { disk, here, roots, state, repaired });
            }
            Err(error) if matches!(error.kind(), ErrorKind::InvalidData | ErrorKind::InvalidInput) => {
                Err(error.to_string())
            }
            Err(error) => return Err(error),
        };
        let state = match read {
            Ok(state) => state,
            Err(why) => {
                let state = guess(disk, here, roots);
                let _ = disk.remove(BROKEN).and_then(|()| disk.rename(STATE, BROKEN));
                let runs = state.runs().link();
                repaired.push(format!("{STATE} is damaged ({why}); it is kept as {BROKEN}, and `{runs}` runs"));
                state
            }
        };
        Ok(SlotStore { disk, here, roots, state, repaired })
    }

    /// Writes a new state to the disk.
    ///
    /// # Errors
    /// The disk cannot be written; `self.state` is then unchanged.
    pub fn write_state(&mut self, state: State) -> Result<()> {
        write(self.disk, STATE, state.to_text().as_bytes())?;
        self.state = state;
        Ok(())
    }

    /// Sets the root for the next boot and the target of the link `current` according to the state.
    ///
    /// # Errors
    /// The disk cannot be written.
    pub fn apply_targets(&mut self) -> Result<()> {
        if let Some(roots) = self.roots {
            let tried = self.root_on_trial();
            // A power failure may occur after a root became the current root, but before the end of its trial was
            // stored. In that case, no new trial of the root begins.
            if tried != roots.trial && tried != Some(roots.current) {
                self.choose(tried.map_or(Roots::settled(roots.current), |slot| roots.with_trial(slot)))?;
            }
        }
        let wanted = self.state.runs();
        if self.points_at() != Some(wanted) {
            make_link(self.disk, wanted, CURRENT)?;
        }
        Ok(())
    }

    /// Returns the target of the link `current`; `None` if the link is missing or its target is unknown.
    pub fn points_at(&self) -> Option<Target> {
        self.disk.target(CURRENT).ok().and_then(|link| Target::from_link(&link))
    }

    /// Returns the root on trial; `None` if no root is on trial.
    pub fn root_on_trial(&self) -> Option<Slot> {
        let candidate = self.state.candidate.as_ref().filter(|_| self.state.phase == Phase::Trial)?;
        Some(candidate.slot).filter(|slot| slot.is_root())
    }

    /// Whether the board must be rebooted, because the running root is not the selected root.
    pub fn wants_boot(&self) -> bool {
        self.roots.is_some_and(|roots| self.here.root.is_some_and(|here| roots.wants_boot(here)))
    }

    /// Creates the files that allow [`SlotStore::revert`] to work without free disk space. These files are a link to
    /// the current version and, if the candidate is a root, a file that selects the current root.
    ///
    /// # Errors
    /// The disk cannot be written.
    pub fn prepare_revert(&mut self) -> Result<()> {
        if let Some(roots) = self.roots.filter(|_| self.state.candidate.as_ref().is_some_and(|c| c.slot.is_root())) {
            write(self.disk, ROOTS_BACK, Roots::settled(roots.current).to_text().as_bytes())?;
        }
        make_link(self.disk, self.state.current, BACK)
    }

    /// Makes a root that was on trial the current root.
    ///
    /// # Errors
    /// The disk cannot be written; the root is then still on trial.
    pub fn commit_root(&mut self, slot: Slot) -> Result<()> {
        self.choose(Roots::settled(slot))
    }

    fn choose(&mut self, roots: Roots) -> Result<()> {
        write(self.disk, ROOTS, roots.to_text().as_bytes())?;
        self.roots = Some(roots);
        Ok(())
    }

    /// Restores the previous version: sets the target of the link `current` and, if the candidate is a root, the root
    /// for the next boot. Needs no disk space if the files of [`SlotStore::prepare_revert`] exist.
    ///
    /// # Errors
    /// The disk cannot be written.
    pub fn revert(&mut self) -> Result<()> {
        let tried = self.state.candidate.as_ref().map(|candidate| candidate.slot).filter(|slot| slot.is_root());
        if let (Some(tried), Some(roots)) = (tried, self.roots) {
            let before = Roots::settled(tried.other());
            if roots != before {
                let ready = text(self.disk, ROOTS_BACK, 256).ok().and_then(|text| Roots::parse(&text));
                if ready == Some(before) {
                    self.disk.rename(ROOTS_BACK, ROOTS)?;
                    self.disk.sync_folder("")?;
                    self.roots = Some(before);
                } else {
                    self.choose(before)?;
                }
            }
        }
        let before = self.state.current;
        if self.points_at() == Some(before) {
            return Ok(());
        }
        match self.disk.target(BACK) {
            Ok(link) if Target::from_link(&link) == Some(before) => {
                self.disk.rename(BACK, CURRENT)?;
                self.disk.sync_folder("")
            }
            _ => make_link(self.disk, before, CURRENT),
        }
    }

    /// Removes temporary files of an installation. A file that cannot be removed is ignored, because it only uses disk
    /// space.
    pub fn clean(&mut self) {
        for name in [PAYLOAD, "state.toml.new", "current.new", "back.new", "roots.new", "roots.back.new"] {
            let _ = self.disk.remove(name);
        }
        // Removes slots whose version is not in use. No slot is on trial in this phase.
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

/// Returns a safe state that replaces a missing or damaged state file. The highest release on the disk is recorded as
/// the highest healthy release. The lost value belonged to a release on the disk, so the counter cannot decrease.
fn guess(disk: &impl Disk, here: &BaseVersions, roots: Option<Roots>) -> State {
    let slots = [Slot::A, Slot::B].map(|slot| (slot, complete_release(disk, slot)));
    let mut state = State::fresh(here.packaged.clone());
    let on_trial = |state: &mut State, slot: Slot, release| {
        state.phase = Phase::Trial;
        let (sha256, why) = Default::default();
        let starts_left = slot.starts();
        state.candidate = Some(Candidate { slot, release, sha256, starts_left, why });
    };
    for release in slots.iter().filter_map(|(_, release)| release.as_ref()) {
        if release.counter > state.good.counter {
            state.good = release.clone();
        }
    }
    let runs = disk.target(CURRENT).ok().and_then(|link| Target::from_link(&link)).and_then(Target::slot);
    if let Some(root) = here.root.filter(|root| roots.is_some_and(|roots| roots.trial == Some(*root))) {
        on_trial(&mut state, root, here.packaged.clone());
    } else if let Some((slot, Some(release))) = slots.into_iter().find(|(slot, _)| Some(*slot) == runs) {
        on_trial(&mut state, slot, release);
    }
    state
}

/// Writes a small file, and replaces an existing file in one step, by a rename.
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
