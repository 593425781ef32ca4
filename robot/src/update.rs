//! The robot's side of an update over the air: a thread of its own verifies what is offered, receives it into the slots' folder and
//! tells what came of it. The control loop hands over and takes, and never waits for a disk.

mod receiver;

use crate::config::Config;
use receiver::Receiving;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use xpuck_update::Release;
use xpuck_wire::Waker;
use xpuck_wire::message::RobotMessage;
use xpuck_wire::rollout::{BundleHead, Installed};

/// What the hub sent and the thread has not taken yet; more is dropped, and asked for again.
const WAITING: usize = 4;
/// What the thread tells and the control loop has not sent yet.
const TOLD: usize = 8;
/// The folder that all of an update's paths begin at, for tests; `/` without it.
const ROOT: &str = "XPUCK_ROOT";

/// What the hub sent.
enum Job {
    Offer { number: u64, bundle: BundleHead },
    Chunk { digest: String, offset: u64, bytes: Vec<u8> },
}

/// A handle on the thread; dropping it ends the thread.
pub struct Updater {
    jobs: Option<SyncSender<Job>>,
    told: Receiver<RobotMessage>,
    installed: Option<Box<Installed>>,
}

impl Updater {
    /// Starts the thread; `waker` has the control loop look at what it tells. Where the system gives no thread, the robot is not
    /// updated over the air.
    pub fn start(config: &Config, waker: Waker) -> Updater {
        let root = std::env::var_os(ROOT).filter(|root| !root.is_empty()).map_or("/".into(), PathBuf::from);
        Updater::of(&root, &config.file, waker)
    }

    fn of(root: &Path, config: &Path, waker: Waker) -> Updater {
        let (jobs, work) = sync_channel(WAITING);
        let (teller, told) = sync_channel(TOLD);
        let (root, config) = (root.to_path_buf(), config.to_path_buf());
        let run = move || Receiving::new(&root, &config, teller, waker).run(&work);
        let thread = std::thread::Builder::new().name("update".into()).spawn(run);
        Updater { jobs: thread.ok().map(|_| jobs), told, installed: None }
    }

    /// Hands over what the hub offers.
    pub fn offer(&self, number: u64, bundle: BundleHead) {
        self.hand(Job::Offer { number, bundle });
    }

    /// Hands over a piece of what was asked for.
    pub fn chunk(&self, digest: String, offset: u64, bytes: Vec<u8>) {
        self.hand(Job::Chunk { digest, offset, bytes });
    }

    fn hand(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            // A disk that is too slow for it has the hub asked again.
            let _ = jobs.try_send(job);
        }
    }

    /// What the hub is to be told next; none if there is nothing.
    pub fn next(&mut self) -> Option<RobotMessage> {
        let message = self.told.try_recv().ok()?;
        if let RobotMessage::Installed(installed) = &message {
            self.installed = Some(installed.clone());
        }
        Some(message)
    }

    /// What was told last of what is installed, for a hub that has just welcomed this robot.
    pub fn installed(&self) -> Option<RobotMessage> {
        self.installed.clone().map(RobotMessage::Installed)
    }
}

/// The release of this program, as the hub is told it.
pub fn this_release() -> Release {
    Release::of_this_program(env!("CARGO_PKG_VERSION"))
}
