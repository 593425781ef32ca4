//! Installation of a bundle into the idle slot.

use super::place::{BaseVersions, SlotStore, complete_release, write};
use super::state::{Candidate, Phase, Slot, State, Target, line};
use super::table::{Event, next};
use super::{Disk, Outcome, PAYLOAD, READY, TrialResult, UnpackError, unpack};
use crate::bundle::{BundleError, Kind, Manifest, NO_IMAGE_SUPPORT, Reader};
use crate::release::Release;
use std::collections::BTreeMap;
use std::io::Read;
use xpuck_wire::keys::Key;

/// Properties of the robot that a bundle must fit.
pub struct Robot {
    /// Name of the robot's board, such as "pi5".
    pub board: String,
    /// Debian's name of the robot's processor architecture.
    pub arch: String,
    /// Keys of the operators whose bundles are accepted.
    pub operators: BTreeMap<String, Key>,
    /// Versions that run on the robot outside the slots.
    pub here: BaseVersions,
}

/// Access to the contents of a payload.
pub trait Source<D> {
    /// Opens the tar archive with the files of the package in [`PAYLOAD`].
    ///
    /// # Errors
    /// The payload is not a package, or cannot be read.
    fn tar(&self, disk: &D) -> std::io::Result<Box<dyn Read>>;

    /// Writes the image in [`PAYLOAD`] to the card's idle root `slot`, and returns the release in that root.
    ///
    /// # Errors
    /// Reason why the new root cannot be put on trial. The new root has then been removed completely.
    fn root(&self, disk: &mut D, slot: Slot) -> std::io::Result<Release>;
}

/// Result of an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Installed {
    /// The new version is on trial. The caller must restart the robot's program, or the board for a new root.
    Trial(Candidate),
    /// The release is already running.
    Already(Release),
    /// There is no bundle to install, and nothing was changed.
    Nothing,
    /// The bundle was rejected. The text is the reason, in one line.
    Refused(String),
}

/// Reason why a bundle is not installed.
#[derive(Debug, thiserror::Error)]
enum InstallError {
    #[error("{0}")]
    Bundle(#[from] BundleError),
    #[error("{0}")]
    Unpack(#[from] UnpackError),
    #[error("{0}")]
    Disk(#[from] std::io::Error),
    #[error("{0}")]
    Other(String),
}

/// Installs the bundle in [`READY`] into the idle slot, and puts its version on trial. In any case the bundle is
/// removed. If the installation fails, the running version remains unchanged.
///
/// # Errors
/// The disk cannot be read.
pub fn install<D: Disk>(disk: &mut D, robot: &Robot, source: &impl Source<D>) -> std::io::Result<Installed> {
    if disk.open(READY).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Ok(Installed::Nothing);
    }
    let mut place = SlotStore::read(disk, &robot.here)?;
    let installed = match attempt(&mut place, robot, source) {
        Ok(installed) => installed,
        Err(error) => {
            let why = line(&error.to_string());
            refuse(&mut place, &why);
            Installed::Refused(why)
        }
    };
    // Removes the bundle, so that it is not installed again. If the removal fails, the next attempt rejects the bundle,
    // or finds that its release is already running.
    let _ = place.disk.remove(READY).and_then(|()| place.disk.sync_folder(super::INCOMING));
    place.clean();
    Ok(installed)
}

fn attempt<D: Disk>(
    place: &mut SlotStore<'_, D>,
    robot: &Robot,
    source: &impl Source<D>,
) -> Result<Installed, InstallError> {
    match place.state.phase {
        Phase::Trial | Phase::Reverting => {
            return Err(InstallError::Other(
                "another version is on trial; send the bundle again after the trial".into(),
            ));
        }
        // An earlier installation was interrupted, and is cancelled first.
        Phase::Unpacking | Phase::Unpacked => advance(place, Event::Start)?,
        Phase::Settled => {}
    }
    let bundle = Reader::new(place.disk.open(READY)?)?;
    let manifest = bundle.head.open(&robot.operators)?;
    let result = install_bundle(place, robot, source, bundle, &manifest);
    if result.is_err() && place.state.phase == Phase::Settled {
        // The release and the digest are stored in the outcome. `refuse` adds the reason afterwards.
        place.state.last = Some(outcome(&manifest, TrialResult::Refused, String::new()));
    }
    result
}

fn install_bundle<D: Disk>(
    place: &mut SlotStore<'_, D>,
    robot: &Robot,
    source: &impl Source<D>,
    bundle: Reader<Box<dyn Read>>,
    manifest: &Manifest,
) -> Result<Installed, InstallError> {
    manifest.fits(&robot.board, &robot.arch, floor(&place.state, &robot.here.packaged))?;
    let current = place.state.current;
    let (slot, runs) = match (manifest.kind, place.roots.and(robot.here.root)) {
        (Kind::App, _) => {
            let runs =
                current.slot().map_or(Some(robot.here.packaged.clone()), |slot| complete_release(place.disk, slot));
            (current.idle(), runs == Some(manifest.release()))
        }
        // Images are compared by digest, because another image may contain the same release.
        (Kind::Image, Some(root)) => (root.other(), runs_already(&place.state, &manifest.sha256)),
        (Kind::Image, None) => return Err(InstallError::Other(NO_IMAGE_SUPPORT.into())),
    };
    if runs {
        let last = Some(outcome(manifest, TrialResult::Good, String::new()));
        place.write_state(State { last, ..place.state.clone() })?;
        return Ok(Installed::Already(manifest.release()));
    }
    place.clean();
    // Copies the payload into a file that only root can write, so that exactly the verified bytes are unpacked.
    place.disk.remove(PAYLOAD)?;
    place.disk.create(PAYLOAD, false)?;
    let disk = &mut *place.disk;
    bundle.payload(manifest, |piece| disk.append(PAYLOAD, piece))?;
    place.disk.sync_file(PAYLOAD)?;
    let candidate = Candidate {
        slot,
        release: manifest.release(),
        sha256: manifest.sha256.clone(),
        starts_left: 0,
        why: String::new(),
    };
    advance(place, Event::Bundle(candidate.clone()))?;
    let found = if slot.is_root() {
        Some(source.root(place.disk, slot)?)
    } else {
        place.disk.remove(slot.folder())?;
        let tar = source.tar(place.disk)?;
        unpack(place.disk, slot, tar)?;
        complete_release(place.disk, slot)
    };
    match found {
        Some(found) if found == candidate.release => {}
        Some(found) => {
            let (version, counter) = (&found.version, found.counter);
            let told =
                format!("it contains release {version} (counter {counter}), which differs from the bundle's manifest");
            return Err(InstallError::Other(told));
        }
        None => {
            return Err(InstallError::Other(
                "not a package of xpuckd: the program or the release file is missing".into(),
            ));
        }
    }
    advance(place, Event::Filled)?;
    place.prepare_revert()?;
    advance(place, Event::Try)?;
    place.apply_targets()?;
    Ok(Installed::Trial(place.state.candidate.clone().unwrap_or(candidate)))
}

fn advance(place: &mut SlotStore<'_, impl Disk>, event: Event) -> Result<(), InstallError> {
    let none = || InstallError::Other(format!("{event:?} is not allowed in {:?}", place.state.phase));
    let state = next(&place.state, event.clone()).ok_or_else(none)?;
    Ok(place.write_state(state)?)
}

/// Returns whether this digest is that of the latest bundle, and whether the trial of that bundle's version succeeded.
pub fn runs_already(state: &State, sha256: &str) -> bool {
    state.last.as_ref().is_some_and(|last| last.result == TrialResult::Good && last.sha256 == sha256)
}

/// Returns the lowest acceptable release: the packaged release or the highest healthy release, whichever is higher.
fn floor<'a>(state: &'a State, packaged: &'a Release) -> &'a Release {
    if packaged.counter > state.good.counter { packaged } else { &state.good }
}

fn outcome(manifest: &Manifest, result: TrialResult, why: String) -> Outcome {
    Outcome { release: manifest.release(), sha256: manifest.sha256.clone(), result, why }
}

/// Stores the rejection of a bundle, if the disk accepts it, and removes the new version. The running version never
/// changes.
fn refuse(place: &mut SlotStore<'_, impl Disk>, why: &str) {
    let known = place.state.last.take().filter(|last| last.result == TrialResult::Refused && last.why.is_empty());
    let event = match place.state.phase {
        // The trial was recorded, but the link `current` still points to the previous version.
        Phase::Trial if place.points_at() == Some(place.state.current) => Event::Unhealthy(why.into()),
        Phase::Trial | Phase::Reverting => return,
        _ => Event::Failed(why.into()),
    };
    let Some(mut state) = next(&place.state, event) else { return };
    if let (Some(known), Some(last)) = (known, &mut state.last) {
        *last = Outcome { why: last.why.clone(), ..known };
    }
    let state = match state.phase {
        Phase::Reverting => next(&state, Event::Back).unwrap_or(state),
        _ => state,
    };
    // If this write fails, the next start finds the previous phase on the disk, and also rejects the bundle's version.
    let _ = write(place.disk, super::STATE, state.to_text().as_bytes());
    if place.roots.is_some_and(|roots| roots.trial.is_some()) {
        let _ = place.revert();
    }
    let target = Target::from(place.state.candidate.as_ref().map_or(place.state.current.idle(), |c| c.slot));
    if let Some(slot) = target.slot() {
        let _ = place.disk.remove(slot.folder());
    }
    place.state = state;
}
