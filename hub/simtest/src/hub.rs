//! Simulated hub. It runs the decision code and the pose filter of the hub's program, between the simulated network
//! and a motion capture with faults.

mod turn;

use super::checkers::Checkers;
use super::disk::{Machine, StoredSnapshot};
use super::mutants::Mutant;
use super::network::{Delivery, Network};
use super::plan::{DiskFault, MocapFault};
use super::text::trust;
use super::{ROBOTS, id};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use turn::Turn;
use xpuck_hub_core::config::{Config, HubFile, Mocap};
use xpuck_hub_core::hub::{self, PoseNews};
use xpuck_hub_core::mocap::gates::PoseFilter;
use xpuck_hub_core::mocap::{RawBody, RawFrame};
use xpuck_hub_core::resumption::Claim;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_kernels::world::Body;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Request, ToRobot};
use xpuck_wire::{Addresses, Phase, Security, Status, Swarm};

/// Wall clock at the start of the simulation (ms since 1970). Each hub takes its first number from the wall clock. The
/// clock remains positive after all backward jumps.
const WALL: u64 = 1_700_000_000_000;

/// Simulated hub: its machine, and its program while the program runs.
pub struct Hub {
    config: Config,
    mutant: Option<Mutant>,
    program: Option<Program>,
    starts: u32,
    /// Sum of the jumps of the machine's wall clock so far (ms).
    jumped: i64,
    poses: Option<(MocapFault, u32)>,
    frames: u32,
    frozen: Option<RawFrame>,
    machine: Machine,
}

/// Running program of the hub, with the state that is lost when the program dies.
struct Program {
    hub: hub::Hub<turn::Asker>,
    world: World,
    /// Simulated time at which the program started (`started`, ms), and the program's clock at that time (`begins`, s).
    started: u32,
    begins: f64,
}

/// Environment of a program: inputs and connections.
struct World {
    gates: PoseFilter,
    poses: VecDeque<PoseNews>,
    inbox: VecDeque<Delivery>,
    requests: VecDeque<Request>,
    /// Connection on which each robot gets its answers, by the robot's id.
    answers: BTreeMap<String, u32>,
    /// Claim of the resumed run, which a mutant uses to forge the robots' reports.
    claim: Option<Claim>,
}

impl Hub {
    /// Creates a hub whose program starts in the first turn.
    pub fn new(mutant: Option<Mutant>) -> Hub {
        let address = || String::from("tcp://127.0.0.1:1");
        let mocap = Mocap { frisbee: "frisbee".into(), ..Mocap::default() };
        let config = Config {
            hub: HubFile { mocap, ..HubFile::at("") },
            swarm: Swarm {
                speed: 1.0,
                robots: (0..ROBOTS).map(|robot| id(robot).into()).collect(),
                peers: (0..ROBOTS).map(|robot| format!("tcp://{}:1", id(robot))).collect(),
                hub: Addresses { robots: address(), operator: address(), console: None },
                security: Security::default(),
            },
        };
        Hub {
            config,
            mutant,
            program: None,
            starts: 0,
            jumped: 0,
            poses: None,
            frames: 0,
            frozen: None,
            machine: Machine::default(),
        }
    }

    /// Kills the program, which restarts at `starts` (ms). If `remembers` is true, the machine keeps its data, and
    /// the new program can resume the run.
    pub fn crash(&mut self, network: &mut Network, checkers: &mut Checkers, starts: u32, remembers: bool) {
        self.starts = self.starts.max(starts);
        if !remembers {
            self.machine = Machine::default();
        }
        self.machine.program_died();
        if self.program.take().is_some() {
            network.hub_died();
            checkers.hub.died();
        }
    }

    /// Makes the machine's wall clock jump by `ms` (ms). The jump does not change the clock or the numbers of a running
    /// program.
    pub fn jump(&mut self, ms: i64) {
        self.jumped += ms;
    }

    /// Returns the wall clock of the machine (ms since 1970).
    fn unix_ms(&self, now: u32) -> u64 {
        (WALL + u64::from(now)).saturating_add_signed(self.jumped)
    }

    /// Starts a fault of the disk, which lasts until the given time (ms).
    pub fn set_disk_fault(&mut self, fault: DiskFault, until: u32) {
        self.machine.set_disk_fault(fault, until);
    }

    /// Starts a fault of motion capture, which lasts until the given time (ms).
    pub fn set_mocap_fault(&mut self, poses: MocapFault, until: u32) {
        self.poses = Some((poses, until));
    }

    /// Returns the phase, segment and running time (s) of the run; `None` without a program.
    pub fn progress(&self) -> Option<(Phase, u32, f64)> {
        self.program.as_ref().map(|p| p.hub.board.progress())
    }

    /// Returns the status of the hub; `None` without a program.
    pub fn status(&self, now: u32) -> Option<Status> {
        self.program.as_ref().map(|p| p.hub.board.status(p.local(now)))
    }

    /// Receives a message from a robot. Without a program, the message is lost.
    pub fn receive(&mut self, delivery: Delivery) {
        if let Some(program) = &mut self.program {
            program.world.inbox.push_back(delivery);
        }
    }

    /// Receives a request of an operator. Without a program, the request is lost.
    pub fn ask(&mut self, request: Request) {
        if let Some(program) = &mut self.program {
            program.world.requests.push_back(request);
        }
    }

    /// Sends a message that the hub's decision code did not create, with a valid seal of the hub. A compromised hub
    /// program could send such a message.
    pub fn send_forged(&mut self, now: u32, robot: usize, message: ToRobot, network: &mut Network) {
        if let Some(program) = &mut self.program {
            network.to_robot(now, robot, program.hub.seal(robot, message));
        }
    }

    /// Creates a frame of motion capture from the bodies, with the current fault, and passes it through the pose
    /// filter.
    pub fn on_frame(&mut self, now: u32, bodies: &[Body]) {
        self.frames += 1;
        let fault = self.poses.filter(|(_, until)| now < *until).map(|(poses, _)| poses);
        let raw = match fault {
            Some(MocapFault::Absent) => return,
            Some(MocapFault::Frozen) => self.frozen.clone().unwrap_or_default(),
            _ => raw_frame(self.frames, now, bodies, fault),
        };
        if fault != Some(MocapFault::Frozen) {
            self.frozen = Some(raw.clone());
        }
        let Some(Program { world, .. }) = &mut self.program else { return };
        world.poses.extend(world.gates.filter(&raw).map(PoseNews::Frame));
        world.poses.extend(world.gates.report().map(|text| PoseNews::Note(Line::warn(text))));
    }

    /// Runs one turn of the hub's loop. Before that, it starts the program if necessary.
    pub fn turn(&mut self, now: u32, network: &mut Network, checkers: &mut Checkers) {
        if self.program.is_none() && now >= self.starts {
            self.start(now, checkers);
        }
        let Some(program) = &mut self.program else { return };
        let local = program.local(now);
        checkers.hub.time(local);
        let unix_ms = (WALL + u64::from(now)).saturating_add_signed(self.jumped);
        self.machine.work(now);
        let Program { hub, world, started, .. } = program;
        let mut turn = Turn {
            now,
            local,
            wall: f64::from(now - *started) / 1000.0,
            progress: hub.board.progress(),
            mutant: self.mutant,
            unix_ms,
            machine: &mut self.machine,
            world,
            network,
            checkers,
            came: 0,
            done: 0,
        };
        hub.step(local, &mut turn);
        let Turn { came, done, .. } = turn;
        checkers.hub.turned(now, came, done);
    }

    fn start(&mut self, now: u32, checkers: &mut Checkers) {
        let unix_ms = self.unix_ms(now);
        let mut hub = hub::Hub::new(self.config.clone(), unix_ms);
        let gates = PoseFilter::new(self.config.hub.mocap.gates, &self.config.swarm.robots);
        let (stored, mut stops) = self.machine.recover(now, unix_ms, self.mutant);
        if self.mutant == Some(Mutant::TrustsClock) {
            stops = 0;
        }
        // These keys never change, because the simulation enrols and revokes no keys.
        hub.board.set_trust(trust());
        hub.board.set_stops(stops);
        let mut world = World::new(gates);
        let begins = match stored {
            None => {
                checkers.hub.started();
                0.0
            }
            Some((StoredSnapshot { bytes, at, counts, fresh, .. }, away)) => {
                let mut snapshot: Snapshot =
                    postcard::from_bytes(&bytes).expect("a snapshot that was stored can be read");
                if self.mutant == Some(Mutant::ForgetsHeld) {
                    snapshot.held.clear();
                }
                world.claim = Some(snapshot.claim());
                let clock_jumped = away.abs_diff(Duration::from_millis(u64::from(now - at))) > Duration::from_secs(1);
                checkers.hub.resumed(now, counts, snapshot.run_seconds, &snapshot.held, fresh && !clock_jumped);
                let (begins, resumed) = hub.resume(snapshot, away.as_secs_f64(), || Ok(String::new()));
                if let Err(why) = resumed {
                    checkers.violated(now, "a restarted hub resumes its run", "hub", why);
                }
                begins
            }
        };
        self.program = Some(Program { hub, world, started: now, begins });
    }
}

impl World {
    fn new(gates: PoseFilter) -> World {
        World {
            gates,
            poses: VecDeque::new(),
            inbox: VecDeque::new(),
            requests: VecDeque::new(),
            answers: BTreeMap::new(),
            claim: None,
        }
    }
}

impl Program {
    /// Returns the clock of the hub (s). The clock starts at 0. In a hub that resumes a run, it continues the clock of
    /// the previous hub.
    fn local(&self, now: u32) -> f64 {
        self.begins + f64::from(now - self.started) / 1000.0
    }
}

fn raw_frame(number: u32, now: u32, bodies: &[Body], fault: Option<MocapFault>) -> RawFrame {
    let raw = |(i, body): (usize, &Body)| {
        let as_whom = match fault {
            Some(MocapFault::Swapped(a, b)) if i == a => b,
            Some(MocapFault::Swapped(a, b)) if i == b => a,
            _ => i,
        };
        let name = if as_whom < ROBOTS { id(as_whom) } else { "frisbee" };
        let (s, c) = body.pose.heading.sin_cos();
        let (s, c) = (f64::from(s), f64::from(c));
        let x = if fault == Some(MocapFault::NotANumber(i)) { f64::NAN } else { f64::from(body.pose.at.x) };
        RawBody {
            name: name.into(),
            place: [x, f64::from(body.pose.at.y), 0.05],
            rotation: [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0],
            quality: None,
            age_s: 0.005,
        }
    };
    RawFrame { number, time_s: f64::from(now) / 1000.0, bodies: bodies.iter().enumerate().map(raw).collect() }
}
