//! The robot's side of an over-the-air update. A separate thread verifies the head of an offered bundle, receives the
//! bundle into the slots folder, and reports the result. The control loop exchanges messages with the thread and never
//! waits for the disk.

mod receiver;
pub mod slots;

use crate::config::Config;
use receiver::UpdateReceiver;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use xpuck_update::Release;
use xpuck_wire::Waker;
use xpuck_wire::message::RobotMessage;
use xpuck_wire::rollout::{BundleHead, Installed};

/// Maximum number of queued messages from the hub. Further messages are dropped. The thread requests a dropped piece
/// again.
const WAITING: usize = 4;
/// Maximum number of queued reports from the thread to the control loop.
const TOLD: usize = 8;
/// Environment variable with the root of all update paths, for tests (default: `/`).
const ROOT: &str = "XPUCK_ROOT";

/// Message from the hub about an update.
enum UpdateMessage {
    Offer { number: u64, bundle: BundleHead },
    Chunk { digest: String, offset: u64, bytes: Vec<u8> },
}

/// Handle of the update thread. Dropping the handle ends the thread.
pub struct Updater {
    jobs: Option<SyncSender<UpdateMessage>>,
    told: Receiver<RobotMessage>,
    installed: Option<Box<Installed>>,
}

impl Updater {
    /// Starts the thread, which wakes the control loop through `waker` when it has a report. If the system cannot
    /// create a thread, the robot accepts no updates.
    pub fn start(config: &Config, waker: Waker) -> Updater {
        let root = std::env::var_os(ROOT).filter(|root| !root.is_empty()).map_or("/".into(), PathBuf::from);
        Updater::with_root(&root, &config.file, waker)
    }

    fn with_root(root: &Path, config: &Path, waker: Waker) -> Updater {
        let (jobs, work) = sync_channel(WAITING);
        let (teller, told) = sync_channel(TOLD);
        let (root, config) = (root.to_path_buf(), config.to_path_buf());
        let run = move || UpdateReceiver::new(&root, &config, teller, waker).run(&work);
        let thread = std::thread::Builder::new().name("update".into()).spawn(run);
        Updater { jobs: thread.ok().map(|_| jobs), told, installed: None }
    }

    /// Passes the head of a bundle that the hub offers to the thread.
    pub fn offer(&self, number: u64, bundle: BundleHead) {
        self.enqueue(UpdateMessage::Offer { number, bundle });
    }

    /// Passes a requested piece of a bundle to the thread. `offset` is the piece's position in the payload (bytes).
    pub fn chunk(&self, digest: String, offset: u64, bytes: Vec<u8>) {
        self.enqueue(UpdateMessage::Chunk { digest, offset, bytes });
    }

    fn enqueue(&self, job: UpdateMessage) {
        if let Some(jobs) = &self.jobs {
            // The queue is full if the disk is too slow. The message is then dropped. The thread requests a dropped
            // piece again.
            let _ = jobs.try_send(job);
        }
    }

    /// Returns the next report for the hub; `None` if no report is queued.
    pub fn poll(&mut self) -> Option<RobotMessage> {
        let message = self.told.try_recv().ok()?;
        if let RobotMessage::Installed(installed) = &message {
            self.installed = Some(installed.clone());
        }
        Some(message)
    }

    /// Returns the last report about the installed release, if any. The robot sends it to a hub that has just accepted
    /// the robot.
    pub fn installed(&self) -> Option<RobotMessage> {
        self.installed.clone().map(RobotMessage::Installed)
    }
}

/// Returns the release of this program.
pub fn this_release() -> Release {
    Release::of_this_program(env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::{Duration, Instant};
    use xpuck_update::bundle::{Kind, seal, this_arch};
    use xpuck_wire::keys::Secret;
    use xpuck_wire::rollout::{MAX_PIECE, RobotUpdate, Stage};
    use xpuck_wire::socket::Sockets;

    const SIZE: usize = 600_000;

    fn root(alice: &Secret) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir_all(at("var/lib/xpuck-slots/incoming")).unwrap();
        fs::create_dir_all(at("etc/xpuck/keys/operators")).unwrap();
        fs::write(at("etc/xpuck/board"), "pi5\n").unwrap();
        alice.public.write(&at("etc/xpuck/keys/operators/alice.pub")).unwrap();
        let hub = "[hub]\nrobots = \"tcp://127.0.0.1:1\"\noperator = \"tcp://127.0.0.1:2\"\n";
        fs::write(at("etc/xpuck/swarm.toml"), format!("robots = [\"xp01\"]\n{hub}")).unwrap();
        let devices =
            "[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\ncamera_width = 160\ncamera_height = 120\n";
        fs::write(at("etc/xpuck/robot.toml"), format!("id = \"xp01\"\nswarm = \"swarm.toml\"\n{devices}")).unwrap();
        dir
    }

    fn started(root: &Path) -> Updater {
        let (waker, _) = Sockets::new().waker("update").unwrap();
        Updater::with_root(root, &root.join("etc/xpuck/robot.toml"), waker)
    }

    fn payload() -> Vec<u8> {
        (0..SIZE).map(|i| (i * 7) as u8).collect()
    }

    fn bundle(boards: &[&str], signer: &Secret) -> BundleHead {
        let boards: Vec<String> = boards.iter().map(|board| (*board).into()).collect();
        let release = Release { version: "9.0.0".into(), counter: 9 };
        seal(Kind::App, &boards, this_arch(), &release, &payload()[..], signer).unwrap().into()
    }

    /// Waits for the next report for which `counts` returns a value, and returns that value. Other reports are ignored.
    fn reports<T>(updater: &mut Updater, counts: impl Fn(RobotMessage) -> Option<T>) -> T {
        let (end, mut others) = (Instant::now() + Duration::from_secs(30), Vec::new());
        loop {
            assert!(Instant::now() < end, "nothing of that kind was told: {others:?}");
            match updater.poll() {
                Some(message) => match counts(message.clone()) {
                    Some(found) => return found,
                    None => others.push(message),
                },
                None => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    fn stage(updater: &mut Updater, wanted: Stage) -> RobotUpdate {
        reports(updater, |message| match message {
            RobotMessage::Installed(installed) => installed.update.filter(|update| update.stage == wanted),
            _ => None,
        })
    }

    fn wants(updater: &mut Updater, above: u64) -> (String, u64) {
        reports(updater, |message| match message {
            RobotMessage::Want { digest, offset } if offset >= above => Some((digest, offset)),
            _ => None,
        })
    }

    #[test]
    fn unsuitable_bundle_is_rejected_before_first_byte() {
        let (alice, eve) = (Secret::generate("alice").unwrap(), Secret::generate("eve").unwrap());
        let dir = root(&alice);
        let mut updater = started(dir.path());
        for (number, head, why) in [
            (1, bundle(&["pi5"], &eve), "the bundle's signer `eve` is not an operator here"),
            (2, bundle(&["xu4"], &alice), "for xu4, but this board is pi5"),
        ] {
            updater.offer(number, head);
            let update = stage(&mut updater, Stage::Refused);
            assert!(update.number == number && update.why.contains(why), "{update:?}");
        }
        fs::remove_dir(dir.path().join("var/lib/xpuck-slots/incoming")).unwrap();
        updater.offer(3, bundle(&["pi5"], &alice));
        let update = reports(&mut updater, |message| match message {
            RobotMessage::Installed(installed) => installed.update.filter(|update| update.number == 3),
            _ => None,
        });
        assert!(update.why.contains("install the package xpuckd on it"), "{update:?}");
    }

    #[test]
    fn bundle_transfer_resumes_after_restart() {
        let alice = Secret::generate("alice").unwrap();
        let dir = root(&alice);
        let (head, payload) = (bundle(&["pi5"], &alice), payload());
        let mut updater = started(dir.path());
        updater.offer(7, head.clone());
        let (digest, offset) = wants(&mut updater, 0);
        assert_eq!(offset, 0);
        // A piece of another bundle, and a repeated piece, have no effect.
        updater.chunk("5a".repeat(32), 0, payload[..MAX_PIECE].to_vec());
        updater.chunk(digest.clone(), 0, payload[..MAX_PIECE].to_vec());
        assert_eq!(wants(&mut updater, 1).1, MAX_PIECE as u64);
        drop(updater);
        let mut updater = started(dir.path());
        updater.offer(7, head);
        let mut next = wants(&mut updater, 0).1;
        assert_eq!(next, MAX_PIECE as u64, "only the rest is asked for");
        while next < SIZE as u64 {
            let end = SIZE.min(next as usize + MAX_PIECE);
            updater.chunk(digest.clone(), next, payload[next as usize..end].to_vec());
            next = if end == SIZE { SIZE as u64 } else { wants(&mut updater, next + 1).1 };
        }
        assert_eq!(stage(&mut updater, Stage::Installing).number, 7);
        assert!(dir.path().join("var/lib/xpuck-slots/incoming/ready").exists());
    }
}
