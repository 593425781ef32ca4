//! Thread that receives bundles from the hub, and reports the progress of updates.

use super::{UpdateMessage, this_release};
use crate::update::slots::{BOARD, SLOTS, operators};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};
use tracing::{info, warn};
use xpuck_update::bundle::{Head, Kind, Manifest, NO_IMAGE_SUPPORT, this_arch};
use xpuck_update::incoming::{Incoming, Piece};
use xpuck_update::slots::{self, Phase, State, TrialResult};
use xpuck_update::{Release, incoming};
use xpuck_wire::Waker;
use xpuck_wire::file;
use xpuck_wire::message::RobotMessage;
use xpuck_wire::rollout::{BundleHead, Installed, RobotUpdate, Stage};

/// Interval between checks of the slots. At each check, a missing piece is requested again.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum interval between reports of the installed release. An unchanged report is repeated, because a message may
/// be lost.
const REPORT_INTERVAL: Duration = Duration::from_secs(10);
/// Maximum number of requests for the same piece. After the last request, the robot waits until the hub offers the
/// bundle again.
const MAX_REQUESTS: u32 = 60;
/// Size limit of the state file (bytes).
const MAX_STATE: u64 = 64 * 1024;

/// Bundle that the hub offered last.
struct Offer {
    number: u64,
    digest: String,
    doing: OfferState,
    /// Number of requests for a piece since the last piece arrived.
    requests: u32,
}

enum OfferState {
    Loading(Box<Incoming>),
    /// The reception is complete. A separate program installs the bundle, or has already put its version on trial.
    Left,
    Refused(String),
    /// The bundle's release is already running.
    Good,
}

/// Returns whether the manifest's release is running. Images are compared by digest, because two images may contain the
/// same release.
fn runs(manifest: &Manifest, release: &Release, state: Option<&State>) -> bool {
    match manifest.kind {
        Kind::App => manifest.release() == *release,
        Kind::Image => state.is_some_and(|state| slots::runs_already(state, &manifest.sha256)),
    }
}

/// State of the update thread.
pub(super) struct UpdateReceiver {
    slots: PathBuf,
    config: PathBuf,
    release: Release,
    packaged: Release,
    board: String,
    teller: SyncSender<RobotMessage>,
    waker: Waker,
    offered: Option<Offer>,
    told: Option<(Instant, Installed)>,
    /// Whether the control loop has ended.
    stopped: bool,
}

impl UpdateReceiver {
    pub(super) fn new(root: &Path, config: &Path, teller: SyncSender<RobotMessage>, waker: Waker) -> UpdateReceiver {
        let release = this_release();
        let board = file::text(&root.join(BOARD), 64).map(|text| text.trim().to_string());
        UpdateReceiver {
            slots: root.join(SLOTS),
            config: config.into(),
            packaged: Release::of_tree(root).unwrap_or(Release { counter: 0, ..release.clone() }),
            release,
            board: board.unwrap_or("unknown".into()),
            teller,
            waker,
            offered: None,
            told: None,
            stopped: false,
        }
    }

    /// Processes messages of the hub until the control loop drops its handle.
    pub(super) fn run(mut self, jobs: &Receiver<UpdateMessage>) {
        let mut looked = Instant::now();
        self.tell_installed(false);
        while !self.stopped {
            match jobs.recv_timeout(CHECK_INTERVAL.saturating_sub(looked.elapsed())) {
                Ok(UpdateMessage::Offer { number, bundle }) => self.take_offer(number, bundle),
                Ok(UpdateMessage::Chunk { digest, offset, bytes }) => {
                    self.take_chunk(&digest, offset, &bytes);
                    looked = Instant::now();
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => self.ask(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.tell_installed(false);
            looked = Instant::now();
        }
    }

    fn send(&mut self, message: RobotMessage) {
        self.stopped |= self.teller.send(message).is_err();
        self.waker.wake();
    }

    /// Requests the next piece of the bundle that is being received, unless the maximum number of requests is reached.
    fn ask(&mut self) {
        if let Some(Offer { digest, doing: OfferState::Loading(incoming), requests: asked, .. }) = &mut self.offered
            && *asked < MAX_REQUESTS
        {
            *asked += 1;
            let message = RobotMessage::Want { digest: digest.clone(), offset: incoming.offset() };
            self.send(message);
        }
    }

    fn take_offer(&mut self, number: u64, bundle: BundleHead) {
        let head = Head::from(bundle);
        // The manifest is not verified yet. Only its digest is used, to identify the bundle in reports.
        let Ok(digest) = head.unverified_manifest().map(|manifest| manifest.sha256) else { return };
        let known = self.offered.as_ref().is_some_and(|known| (known.number, &known.digest) == (number, &digest));
        if !known {
            let doing = self.judge(&head).unwrap_or_else(|why| {
                warn!(target: "xpuckd", "an update is refused: {why}");
                OfferState::Refused(why)
            });
            self.offered = Some(Offer { number, digest, doing, requests: 0 });
        }
        self.tell_installed(true);
        if let Some(offered) = &mut self.offered {
            offered.requests = 0;
        }
        match &mut self.offered {
            // The program may have received the whole bundle before it was restarted. An empty piece triggers the check
            // for a complete payload.
            Some(Offer { digest, doing: OfferState::Loading(incoming), .. }) => {
                let (digest, offset) = (digest.clone(), incoming.offset());
                self.take_chunk(&digest, offset, &[]);
            }
            _ => self.ask(),
        }
    }

    /// Decides whether to receive a bundle. Returns the reason if the bundle is refused.
    fn judge(&self, head: &Head) -> Result<OfferState, String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        if !self.slots.join(slots::INCOMING).is_dir() {
            let slots = self.slots.display();
            return Err(format!(
                "{slots}/{} does not exist on this robot; install the package xpuckd on it",
                slots::INCOMING
            ));
        }
        let operators = operators(&self.config).map_err(|error| text(&error))?;
        let manifest = head.open(&operators).map_err(|error| text(&error))?;
        let state = self.state();
        let good = state.as_ref().map_or(&self.packaged, |state| &state.good);
        let floor = if self.packaged.counter > good.counter { &self.packaged } else { good };
        manifest.fits(&self.board, this_arch(), floor).map_err(|error| text(&error))?;
        if manifest.kind == Kind::Image && !self.slots.join(slots::roots::ROOTS).exists() {
            return Err(NO_IMAGE_SUPPORT.into());
        }
        let busy =
            state.as_ref().filter(|state| state.phase != Phase::Settled).and_then(|state| state.candidate.as_ref());
        match busy {
            Some(candidate) if candidate.sha256 == manifest.sha256 => return Ok(OfferState::Left),
            Some(candidate) => {
                return Err(format!(
                    "version {} is on trial on this robot; send the bundle after the trial",
                    candidate.release.version
                ));
            }
            None if runs(&manifest, &self.release, state.as_ref()) => return Ok(OfferState::Good),
            None => {}
        }
        if self.is_ready() {
            return Ok(OfferState::Left);
        }
        self.begin(head, &manifest).map_err(|error| text(&error))
    }

    fn begin(&self, head: &Head, manifest: &Manifest) -> Result<OfferState, xpuck_update::bundle::BundleError> {
        let incoming = Incoming::begin(&self.slots.join(slots::INCOMING), head, manifest)?;
        info!(target: "xpuckd", "receiving version {} from byte {}", manifest.version, incoming.offset());
        Ok(OfferState::Loading(Box::new(incoming)))
    }

    fn take_chunk(&mut self, digest: &str, offset: u64, bytes: &[u8]) {
        let Some(offered) = self.offered.as_mut().filter(|offered| offered.digest == digest) else { return };
        let OfferState::Loading(incoming) = &mut offered.doing else { return };
        if bytes.len() > incoming::MAX_PIECE {
            return;
        }
        offered.requests = 0;
        match incoming.write_piece(offset, bytes) {
            Ok(Piece::Next(_)) => self.ask(),
            Ok(Piece::Ready) => {
                offered.doing = OfferState::Left;
                info!(target: "xpuckd", "a bundle was received and verified");
                self.tell_installed(true);
            }
            Err(error) => {
                let why = error.to_string();
                warn!(target: "xpuckd", "an update is refused: {why}");
                offered.doing = OfferState::Refused(why);
                self.tell_installed(true);
            }
        }
    }

    /// Reports the installed release if it changed, if the last report is too old, or if `always` is set.
    fn tell_installed(&mut self, always: bool) {
        let now = self.installed();
        let same = |(at, told): &(Instant, Installed)| *told == now && at.elapsed() < REPORT_INTERVAL;
        if always || !self.told.as_ref().is_some_and(same) {
            self.told = Some((Instant::now(), now.clone()));
            self.send(RobotMessage::Installed(Box::new(now)));
        }
    }

    fn installed(&self) -> Installed {
        let Release { version, counter } = self.release.clone();
        Installed { version, counter, board: self.board.clone(), arch: this_arch().into(), update: self.update() }
    }

    fn update(&self) -> Option<RobotUpdate> {
        let told = |number, digest: &str, stage, received, why: &str| {
            Some(RobotUpdate { number, digest: digest.into(), stage, received, why: why.into() })
        };
        // The ready file is checked before the state is read. The program that installs the bundle writes the state,
        // and removes the ready file afterwards.
        let ready = self.is_ready();
        let state = self.state();
        let offered = self.offered.as_ref();
        if let Some(Offer { number, digest, doing, .. }) = offered {
            match doing {
                OfferState::Loading(incoming) => return told(*number, digest, Stage::Loading, incoming.offset(), ""),
                OfferState::Refused(why) => return told(*number, digest, Stage::Refused, 0, why),
                OfferState::Good => return told(*number, digest, Stage::Good, 0, ""),
                OfferState::Left if ready => return told(*number, digest, Stage::Installing, 0, ""),
                OfferState::Left => {}
            }
        }
        let state = state?;
        let number = |digest: &str| offered.filter(|offered| offered.digest == digest).map_or(0, |o| o.number);
        if let Some(candidate) = &state.candidate {
            let installs = matches!(state.phase, Phase::Unpacking | Phase::Unpacked);
            let stage = if installs { Stage::Installing } else { Stage::Trial };
            return told(number(&candidate.sha256), &candidate.sha256, stage, 0, "");
        }
        let last = state.last?;
        let stage = match last.result {
            TrialResult::Good => Stage::Good,
            TrialResult::Reverted => Stage::Reverted,
            TrialResult::Refused => Stage::Refused,
        };
        // The result has no digest if the bundle was refused before its manifest was read. That bundle is then the
        // offered one.
        let digest = match offered {
            Some(offered) if last.sha256.is_empty() => &offered.digest,
            _ => &last.sha256,
        };
        told(number(digest), digest, stage, 0, &last.why)
    }

    fn is_ready(&self) -> bool {
        self.slots.join(slots::READY).exists()
    }

    /// Reads the state of the slots; `None` if the file is missing or cannot be read.
    fn state(&self) -> Option<State> {
        State::parse(&file::text(&self.slots.join(slots::STATE), MAX_STATE).ok()?).ok()
    }
}
