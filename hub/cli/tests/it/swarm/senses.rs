//! Compares virtual senses with the true poses of the arena. The data pass from the arena through a socket to the hub's
//! client, through the hub's checks, and into the message for a robot.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, sync_channel};
use xpuck_arena::mocap::natnet::{NatNet, Version};
use xpuck_arena::mocap::vicon::FRISBEE;
use xpuck_arena::{Arena, Settings, run};
use xpuck_hub_core::config::{Config, HubFile, Mocap, MocapKind, ViconMode};
use xpuck_hub_core::virtual_senses::VirtualSenses;
use xpuck_hub_service::mocap::client::{self, Event, QUEUE};
use xpuck_kernels::world::senses::messages::Messages;
use xpuck_kernels::world::{Pose, Scenario};
use xpuck_wire::message::{Neighbour, ToRobot};
use xpuck_wire::{Addresses, Security, Swarm};

const ROBOTS: usize = 9;
/// Limits of the errors: [`MILLIMETRE`] for the range (m), [`FIFTH_OF_A_DEGREE`] for bearing and compass (degrees).
const MILLIMETRE: f64 = 0.001;
const FIFTH_OF_A_DEGREE: f64 = 0.2;

fn settings(seed: u64, devices: &std::path::Path) -> Settings {
    let local = SocketAddr::from(([127, 0, 0, 1], 0));
    Settings {
        seed,
        scenario: Scenario::B,
        vrpn: Some(local),
        natnet: Some(NatNet {
            address: SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0),
            group: None,
            version: Version::V4_1,
        }),
        ..Settings::with_defaults(ROBOTS, devices)
    }
}

fn config(mocap: Mocap, robots: &[String]) -> Config {
    let hub = Addresses { robots: String::new(), operator: String::new(), console: None };
    Config {
        hub: HubFile {
            mocap,
            messages: Messages { latency_s: 0.0, range_m: 10.0, ..Messages::default() },
            ..HubFile::at("")
        },
        swarm: Swarm { speed: 1.0, robots: robots.to_vec(), peers: Vec::new(), hub, security: Security::dev_mode() },
    }
}

/// Returns a message for each robot, by the robot's index, from the first frame in which motion capture sees all
/// bodies.
fn messages(config: &Config) -> BTreeMap<usize, ToRobot> {
    let (sender, events) = sync_channel(QUEUE);
    let stop = Arc::new(AtomicBool::new(false));
    client::start(
        (&config.hub.mocap, &config.hub.arena),
        (&config.swarm.robots, mpsc::channel().1),
        0,
        sender,
        stop.clone(),
        || (),
    )
    .unwrap();
    let mut senses = VirtualSenses::new(config, 1);
    let mut got = BTreeMap::new();
    // VRPN sends each body separately, so the first frames may lack bodies.
    for turn in 0..200 {
        let Event::Frame(frame, _) = events.recv_timeout(xpuck_testing::patience()).unwrap() else {
            panic!("a gate shut")
        };
        senses.on_frame(f64::from(turn), &frame);
        got = senses.due(f64::from(turn)).into_iter().collect();
        if frame.bodies.len() == ROBOTS + 1 {
            break;
        }
    }
    stop.store(true, Relaxed);
    got
}

#[derive(Default)]
struct Errors(Vec<f64>);

impl Errors {
    fn max(&self) -> f64 {
        self.0.iter().fold(0.0, |a, b| b.abs().max(a))
    }

    fn rms(&self) -> f64 {
        (self.0.iter().map(|e| e * e).sum::<f64>() / self.0.len() as f64).sqrt()
    }
}

fn degrees(rad: f64) -> f64 {
    (rad + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU).to_degrees() - 180.0
}

/// Adds the errors of one set of messages to `errors`: range (m), bearing (degrees) and compass (degrees).
fn compare(got: &BTreeMap<usize, ToRobot>, truth: &[Pose], errors: &mut [Errors; 3]) {
    for (me, pose) in truth.iter().enumerate().take(ROBOTS) {
        let ToRobot::Senses { up, neighbours, .. } = &got[&me] else { panic!("{got:?}") };
        errors[2].0.push(degrees(f64::from(*up) + f64::from(pose.heading)));
        assert_eq!(neighbours.len(), ROBOTS - 1);
        for Neighbour { island, range, bearing } in neighbours {
            let other = truth[usize::from(*island) - 1];
            let (dx, dy) = (f64::from(other.at.x - pose.at.x), f64::from(other.at.y - pose.at.y));
            errors[0].0.push(f64::from(*range) - dx.hypot(dy));
            errors[1].0.push(degrees(f64::from(*bearing) - (dy.atan2(dx) - f64::from(pose.heading))));
        }
    }
}

#[test]
fn robots_sense_the_others_and_the_direction_up() {
    let dir = tempfile::tempdir().unwrap();
    let mut table: BTreeMap<&str, [Errors; 3]> = BTreeMap::new();
    for seed in 1..=5 {
        let settings = settings(seed, dir.path());
        // Nothing drives the robots, so all bodies stay at their start poses.
        let truth = Arena::new(&settings).unwrap().poses(0.0);
        let (stop, (ready, listening)) = (AtomicBool::new(false), mpsc::channel());
        let seen = std::thread::scope(|scope| {
            let (settings, stop) = (&settings, &stop);
            let arena = scope.spawn(move || run(settings, stop, |l| ready.send(*l).unwrap(), |_, _| {}, &mut ()));
            let at = listening.recv().unwrap();
            let mocap = |kind, address: SocketAddr, mode, lightweight| {
                let address = address.to_string();
                Mocap { kind, address, mode, lightweight, frisbee: FRISBEE.into(), ..Mocap::default() }
            };
            let vicon = |mode, lightweight| mocap(MocapKind::Vicon, at.mocap, mode, lightweight);
            let kinds = [
                ("Vicon, push", vicon(ViconMode::Push, false)),
                ("Vicon, pull", vicon(ViconMode::Pull, false)),
                ("Vicon, prefetch", vicon(ViconMode::Prefetch, false)),
                ("Vicon, lightweight", vicon(ViconMode::Push, true)),
                ("VRPN", mocap(MocapKind::Vrpn, at.vrpn.unwrap(), ViconMode::Push, false)),
                ("NatNet", mocap(MocapKind::Natnet, at.natnet.unwrap(), ViconMode::Push, false)),
            ];
            let see = |(name, mocap)| (name, messages(&config(mocap, &settings.robots)));
            let seen: Vec<_> = kinds.into_iter().map(see).collect();
            // The arena must end before the assertions. Otherwise, after a failed assertion, the scope would wait for
            // the arena's thread forever.
            stop.store(true, Relaxed);
            arena.join().unwrap().unwrap();
            seen
        });
        for (name, got) in seen {
            compare(&got, &truth, table.entry(name).or_default());
        }
    }
    println!("largest (rms) error:   range, mm           bearing, deg        compass, deg");
    for (name, [range, bearing, compass]) in &table {
        let row = |e: &Errors, scale: f64| format!("{:.5} ({:.5})", e.max() * scale, e.rms() * scale);
        println!("{name:<20}  {:<18}  {:<18}  {}", row(range, 1000.0), row(bearing, 1.0), row(compass, 1.0));
        assert!(range.max() < MILLIMETRE, "{name}");
        assert!(bearing.max() < FIFTH_OF_A_DEGREE && compass.max() < FIFTH_OF_A_DEGREE, "{name}");
    }
}
