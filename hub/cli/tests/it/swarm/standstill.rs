//! After an acknowledged STOP, PAUSE or HOLD, wheels must not start by themselves. Each round has a fault: the disk of
//! the record (ext4 in a file) rejects the hub's state, or the clock is set back. Then the hub is killed, the fault is
//! repaired, and another hub starts. Poses show whether a robot moved. `XPUCK_ROUNDS` sets the number of rounds
//! [default: 1].

use crate::common::only;
use crate::rig::{Layout, Swarm};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use xpuck_record::snapshot::{self, State};
use xpuck_testing::patience::wait_until;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Order, Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Phase, Status};

/// Ratio of arena time to wall time.
const SPEED: f64 = 4.0;
const ROBOTS: [&str; 3] = ["xp01", "xp02", "xp03"];
/// Displacement below which a robot counts as standing (m).
const STILL: f32 = 0.003;

/// Fault that makes the saved state of the hub outdated.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// The file system has no free inode.
    Inodes,
    /// The folder of the run is immutable.
    Immutable,
    /// The file system has become read-only.
    ReadOnly,
    /// A second hub accepts the order while the clock of this hub is a day behind.
    Clock,
}

/// A separate file system for records.
struct Disk {
    image: PathBuf,
    at: PathBuf,
}

impl Disk {
    /// Makes and mounts an ext4 file system of 32 MiB. Returns `None` if this user may not mount a file system.
    fn mount(image: PathBuf, at: PathBuf) -> Option<Disk> {
        std::fs::create_dir(&at).unwrap();
        std::fs::File::create(&image).unwrap().set_len(32 << 20).unwrap();
        let disk = Disk { image, at };
        let made = Command::new("mkfs.ext4").args(["-q", "-N", "128"]).arg(&disk.image).output().ok()?;
        (made.status.success() && disk.attach()).then_some(disk)
    }

    fn attach(&self) -> bool {
        let mounted = Command::new("mount").args(["-o", "loop"]).args([&self.image, &self.at]).output();
        mounted.is_ok_and(|output| output.status.success())
    }

    fn run(&self, program: &str, arguments: &[&str], on: &Path) -> bool {
        Command::new(program).args(arguments).arg(on).output().is_ok_and(|output| output.status.success())
    }

    fn spoil(&self, fault: Fault, run: &Path) {
        match fault {
            // The test uses up the inodes three times, because the hub frees an inode when it replaces its saved state.
            Fault::Inodes => {
                for pass in 0..3 {
                    let filler = |i: u32| std::fs::File::create(self.at.join(format!("filler-{pass}-{i}")));
                    let full = (0..).map(filler).find_map(Result::err);
                    assert_eq!(full.unwrap().kind(), std::io::ErrorKind::StorageFull);
                    std::thread::sleep(Duration::from_millis(300));
                }
            }
            Fault::Immutable => assert!(self.run("chattr", &["+i"], run)),
            Fault::ReadOnly => assert!(self.run("mount", &["-o", "remount,abort"], &self.at)),
            Fault::Clock => {}
        }
    }

    /// Repairs the fault. No process may have a file on the disk open.
    fn mend(&self, fault: Fault, run: &Path) {
        match fault {
            Fault::Inodes => {
                for entry in std::fs::read_dir(&self.at).unwrap().map(Result::unwrap) {
                    if entry.file_name().to_string_lossy().starts_with("filler-") {
                        std::fs::remove_file(entry.path()).unwrap();
                    }
                }
            }
            Fault::Immutable => assert!(self.run("chattr", &["-i"], run)),
            Fault::ReadOnly => {
                assert!(self.run("umount", &[], &self.at));
                let _ = Command::new("e2fsck").args(["-y"]).arg(&self.image).output();
                assert!(self.attach());
            }
            Fault::Clock => {}
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        for flags in [&["-R", "-i"][..], &["-i"]] {
            let _ = Command::new("chattr").args(flags).arg(&self.at).output();
        }
        let _ = Command::new("umount").arg("-l").arg(&self.at).output();
    }
}

/// Starts an arena, a hub and robots. The robots save their directives, and the hub keeps records on the separate disk.
/// If the disk cannot be mounted, starts no process and returns `None` in place of the disk.
fn start() -> (Swarm, Option<Disk>) {
    let layout = Layout { robots: &ROBOTS, speed: SPEED, ..Layout::default() };
    let mut swarm = Swarm::new(&layout);
    swarm.folder.append("hub.toml", "reserve_mib = 1\n");
    let disk = Disk::mount(swarm.folder.path("disk"), swarm.folder.path("runs"));
    if disk.is_some() {
        swarm.start_services();
        for id in ROBOTS {
            swarm.folder.append(&format!("{id}.toml"), &format!("[evolution]\nstate = \"state-{id}\"\n"));
            swarm.start_robot(id);
        }
        swarm.wait_for_robots();
    }
    (swarm, disk)
}

/// Starts a run in which every robot drives straight ahead. Returns the folder of the run.
fn begin(swarm: &Swarm, name: &str) -> PathBuf {
    let text = format!(
        "name = \"{name}\"\nminutes = 600.0\nsegment_minutes = 300.0\ntask = \"transport\"\ncontroller_file = \"on.bt\"\n"
    );
    let files = BTreeMap::from([("on.bt".to_string(), swarm.folder.read("on.bt"))]);
    let signed = Signed::new(text, files, Some(&Secret::read(&swarm.folder.key()).unwrap())).unwrap();
    assert_eq!(swarm.ask(&Request::StartAnyway { signed, seed: 7 }), Reply::Done);
    swarm.wait("running", |status| status.phase == Phase::Running && status.run_seconds > 2.0 * SPEED);
    // On a busy disk the record may start later than the run.
    let (runs, begins) = (swarm.folder.path("runs"), format!("{name}-"));
    let keeps = |run: &Path| {
        run.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begins))
            && run.join("run.state").exists()
    };
    wait_until("recorded", || {
        std::fs::read_dir(&runs).into_iter().flatten().flatten().any(|entry| keeps(&entry.path()))
    });
    only(&runs, &begins)
}

/// Returns the position of each body (m), by name.
fn places(status: &Status) -> BTreeMap<String, [f32; 2]> {
    status.bodies.iter().map(|body| (body.name.clone(), [body.pose[0], body.pose[1]])).collect()
}

/// Observes these robots for the wall time `watched`. Returns the largest displacement of a robot from its first
/// observed position (m).
fn moved(swarm: &Swarm, robots: &[&str], watched: Duration) -> f32 {
    let until = Instant::now() + watched;
    let (mut first, mut most) = (BTreeMap::new(), 0.0f32);
    while Instant::now() < until {
        let Ok(Reply::Status(status)) = swarm.try_ask(&Request::Status) else { continue };
        for (id, [x, y]) in places(&status).into_iter().filter(|(id, _)| robots.contains(&id.as_str())) {
            let [a, b] = *first.entry(id).or_insert([x, y]);
            most = most.max((x - a).hypot(y - b));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(first.len(), robots.len(), "robots that were seen");
    most
}

/// Returns the order that is tested in a round, and the robots that must stand after this order.
fn order(round: u32) -> (Request, &'static [&'static str]) {
    let hold = Request::Order { robot: "xp02".into(), order: Order::Hold };
    [(Request::Stop, &ROBOTS[..]), (Request::Pause, &ROBOTS[..]), (hold, &ROBOTS[1..2])][round as usize % 3].clone()
}

#[test]
fn stop_orders_survive_disk_and_clock_faults() {
    let rounds: u32 = std::env::var("XPUCK_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let faults = [Fault::Immutable, Fault::Inodes, Fault::ReadOnly, Fault::Clock];
    for round in 0..rounds {
        let fault = faults[round as usize % faults.len()];
        let (mut swarm, disk) = start();
        let Some(disk) = disk else {
            return xpuck_testing::skipped("this user may not mount a file system");
        };
        let run = begin(&swarm, "a");
        let (request, standing) = if fault == Fault::Clock { order(0) } else { order(round / 2) };
        match fault {
            Fault::Clock => give_with_an_old_clock(&mut swarm, &run),
            _ => give_with_a_bad_disk(&swarm, &disk, fault, &run, &request),
        }
        // In every second round, the test also kills and restarts the robots.
        if round % 2 == 1 {
            ROBOTS.iter().for_each(|id| swarm.kill(id));
        }
        if fault != Fault::Clock {
            swarm.kill("hub");
        }
        disk.mend(fault, &run);
        swarm.start_service("hub");
        if round % 2 == 1 {
            ROBOTS.iter().for_each(|id| swarm.start_robot(id));
        }
        swarm.wait_for_robots();
        let far = moved(&swarm, standing, Duration::from_secs(4));
        let status = swarm.status();
        println!("round {round}: {fault:?}, {request:?}: moved {:.1} mm, {:?}", far * 1e3, status.phase);
        assert!(far < STILL, "{fault:?}, {request:?}: a robot moved {far} m; {:?}", status.events);
        // A paused run is not lost: the operator can resume it.
        let others: Vec<&str> = ROBOTS.iter().filter(|id| !standing.contains(id)).copied().collect();
        if status.phase == Phase::Paused {
            assert_eq!(swarm.ask(&Request::Resume), Reply::Done);
            swarm.wait("running", |status| status.phase == Phase::Running);
        } else if !others.is_empty() {
            assert_eq!(status.phase, Phase::Running, "{:?}", status.events);
        }
        swarm.end();
    }
}

/// Time after which a robot has saved its directive, even on a busy machine.
const LATER: Duration = Duration::from_secs(5);

/// Causes the fault, and sends the order while the disk rejects the hub's state. The hub's reply must report that the
/// order is not durable.
fn give_with_a_bad_disk(swarm: &Swarm, disk: &Disk, fault: Fault, run: &Path, request: &Request) {
    disk.spoil(fault, run);
    swarm.wait("said", |status| !status.not_kept.is_empty());
    let reply = swarm.ask(request);
    // With these two faults, the hub may be able to save a STOP. The counter of STOPs is outside the run's folder, and
    // a full disk still allows the hub to remove the state of a finished run.
    let may_be_kept = matches!((fault, request), (Fault::Immutable | Fault::Inodes, Request::Stop));
    if may_be_kept && reply == Reply::Done {
        return;
    }
    let Reply::DoneBut(what) = &reply else { panic!("{fault:?}, {request:?}: {reply:?}") };
    if what.starts_with("not durable: no disk or robot stores it yet") {
        // On a busy machine the robots may save the order after the hub has stopped waiting for them.
        return std::thread::sleep(LATER);
    }
    let command = if matches!(request, Request::Stop) { "START" } else { "RESUME" };
    assert!(what.starts_with(&format!("not durable: a hub that restarts will wait for {command}")), "{what}");
}

/// Starts a second hub whose clock is a day behind. This hub leaves the first run open, stops the swarm, runs a second
/// experiment and stops it. Then the hub is killed and its clock is corrected.
fn give_with_an_old_clock(swarm: &mut Swarm, run: &Path) {
    swarm.kill("hub");
    let State::Whole(then, reach, kept) = snapshot::read(run).unwrap() else { panic!("a whole state") };
    snapshot::write(run, &kept, then + 86_400_000, reach).unwrap();
    swarm.start_service("hub");
    swarm.wait_for_robots();
    assert_eq!(swarm.ask(&Request::Stop), Reply::Done);
    let later = begin(swarm, "b");
    assert_eq!(swarm.ask(&Request::Stop), Reply::Done);
    wait_until("closed", || later.join("result.json").exists());
    assert!(run.join("run.state").exists(), "it is left for somebody who knows better");
    swarm.kill("hub");
    snapshot::write(run, &kept, xpuck_wire::clock::unix_ms(), reach).unwrap();
}
