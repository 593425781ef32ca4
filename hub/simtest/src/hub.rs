//! The hub: switchboard and gates as the hub's program runs them, with motion capture that may be at fault.

use super::checkers::{Stood, Witness};
use super::mutants::Plant;
use super::network::Network;
use super::plan::Poses;
use super::text::trust;
use super::{ROBOTS, id};
use std::path::PathBuf;
use xpuck_hub_core::config::{Arena, Config, HubFile, Mocap, Record};
use xpuck_hub_core::mocap::gates::Gates;
use xpuck_hub_core::mocap::{RawBody, RawFrame};
use xpuck_hub_core::switchboard::{Action, Snapshot, Switchboard};
use xpuck_kernels::world::Body;
use xpuck_kernels::world::senses::messages::Messages;
use xpuck_wire::codec::decode;
use xpuck_wire::message::{Reply, Request, RobotMessage, ToRobot};
use xpuck_wire::seal::Sealer;
use xpuck_wire::{Addresses, Phase, Security, Status, Swarm};

/// What the wall clock showed when the run began, ms; a hub's numbers start at its wall clock. It is far enough from 0 for
/// all that it goes back.
const WALL: u64 = 1_700_000_000_000;

/// The hub, or the machine that it runs on.
pub struct Hub {
    config: Config,
    plant: Option<Plant>,
    program: Option<Program>,
    starts: u32,
    /// How far the wall clock went back so far, ms.
    behind: u64,
    poses: Option<(Poses, u32)>,
    frames: u32,
    frozen: Option<RawFrame>,
    entries: u64,
    disk: Option<OnDisk>,
}

/// How a run stands, as the hub's machine keeps it on its disk.
struct OnDisk {
    bytes: Vec<u8>,
    at: u32,
    stood: Stood,
}

struct Program {
    board: Switchboard,
    sealer: Sealer,
    gates: Gates,
    /// When it started, ms, and what its clock showed, s.
    started: u32,
    begins: f64,
}

impl Hub {
    /// A hub that starts at once.
    pub fn new(plant: Option<Plant>) -> Hub {
        let address = || String::from("tcp://127.0.0.1:1");
        let mocap = Mocap { frisbee: "frisbee".into(), ..Mocap::default() };
        let config = Config {
            hub: HubFile {
                swarm: PathBuf::new(),
                realtime: 0,
                mocap,
                messages: Messages::default(),
                record: Record::at(""),
                arena: Arena::default(),
                console: xpuck_hub_core::config::Console::default(),
                stream: None,
            },
            swarm: Swarm {
                speed: 1.0,
                robots: (0..ROBOTS).map(|robot| id(robot).into()).collect(),
                hub: Addresses { robots: address(), operator: address(), console: None },
                security: Security::default(),
            },
        };
        Hub {
            config,
            plant,
            program: None,
            starts: 0,
            behind: 0,
            poses: None,
            frames: 0,
            frozen: None,
            entries: 0,
            disk: None,
        }
    }

    /// The program dies and is started again at `starts`, ms. If the machine `remembers`, that one goes on with the run.
    pub fn crash(&mut self, network: &mut Network, witness: &mut Witness, starts: u32, remembers: bool) {
        self.starts = self.starts.max(starts);
        self.disk = self.disk.take().filter(|_| remembers);
        if self.program.take().is_some() {
            network.hub_died();
            witness.hub.died();
        }
    }

    /// The wall clock of its machine goes back by `ms`; a program that runs already looks at it no more.
    pub fn turn_back(&mut self, ms: u32) {
        self.behind += u64::from(ms);
    }

    /// Motion capture is at fault until then.
    pub fn blind(&mut self, poses: Poses, until: u32) {
        self.poses = Some((poses, until));
    }

    /// Phase, segment and running time, while the program is there.
    pub fn progress(&self) -> Option<(Phase, u32, f64)> {
        self.program.as_ref().map(|p| p.board.progress())
    }

    /// How things stand, while the program is there.
    pub fn status(&self, now: u32) -> Option<Status> {
        self.program.as_ref().map(|p| p.board.status(p.local(now)))
    }

    /// Starts the program if it is time, and does what time brings.
    pub fn turn(&mut self, now: u32, network: &mut Network, witness: &mut Witness) {
        if self.program.is_none() && now >= self.starts {
            let base = (WALL + u64::from(now)).saturating_sub(self.behind);
            let mut board = Switchboard::new(self.config.clone(), base);
            board.set_trust(trust());
            let sealer = Sealer::new(base);
            let gates = Gates::new(self.config.hub.mocap.gates, &self.config.swarm.robots);
            let begins = self.disk.as_ref().map(|disk| disk.resume(now, &mut board, witness));
            if begins.is_none() {
                witness.hub.started();
            }
            self.program = Some(Program { board, sealer, gates, started: now, begins: begins.unwrap_or(0.0) });
        }
        let Some(program) = &mut self.program else { return };
        program.board.on_time(program.local(now));
        witness.hub.time(program.local(now));
        self.act(now, network, witness);
    }

    /// Bytes arrive from a robot.
    pub fn receive(&mut self, now: u32, robot: usize, bytes: &[u8], network: &mut Network, witness: &mut Witness) {
        let Some(program) = &mut self.program else { return };
        let local = program.local(now);
        match decode::<RobotMessage>(bytes) {
            Ok(message) => {
                if let RobotMessage::Hello { session, seen, .. } = message {
                    let seen = if self.plant == Some(Plant::FallingNumbers) { (0, 0) } else { seen };
                    program.sealer.greet(id(robot), session, seen);
                }
                witness.hub.delivered(local, robot, &message);
                program.board.on_robot(local, id(robot), message);
            }
            Err(error) => program.board.note(local, format!("robot {}: message refused: {error}", id(robot))),
        }
        self.act(now, network, witness);
    }

    /// A message that the hub never meant to send, sealed as its own, as if its program were somebody else's.
    pub fn forge(&mut self, now: u32, robot: usize, message: ToRobot, network: &mut Network) {
        if let Some(program) = &mut self.program {
            network.to_robot(now, robot, program.sealer.seal(id(robot), message));
        }
    }

    /// An operator asks; nobody answers while the program is not there.
    pub fn ask(&mut self, now: u32, request: Request, network: &mut Network, witness: &mut Witness) {
        let Some(program) = &mut self.program else { return };
        let starts = matches!(request, Request::Start { .. });
        let stops = matches!(request, Request::Stop);
        let reply = program.board.on_request(program.local(now), request);
        if stops && !matches!(reply, Reply::Done) {
            witness.violated(now, "STOP is accepted in every phase", "hub", format!("{reply:?}"));
        }
        if starts && matches!(reply, Reply::Done) {
            witness.run_began();
        }
        self.act(now, network, witness);
    }

    /// A frame of motion capture.
    pub fn see(&mut self, now: u32, bodies: &[Body], network: &mut Network, witness: &mut Witness) {
        self.frames += 1;
        let fault = self.poses.filter(|(_, until)| now < *until).map(|(poses, _)| poses);
        let raw = match fault {
            Some(Poses::Absent) => return,
            Some(Poses::Frozen) => self.frozen.clone().unwrap_or_default(),
            _ => raw_frame(self.frames, now, bodies, fault),
        };
        if fault != Some(Poses::Frozen) {
            self.frozen = Some(raw.clone());
        }
        let Some(program) = &mut self.program else { return };
        let local = program.local(now);
        if let Some(frame) = program.gates.pass(&raw) {
            let progress = program.board.progress();
            witness.hub.frame(&frame, progress);
            program.board.on_frame(local, frame);
        }
        if let Some(report) = program.gates.report() {
            program.board.note(local, report);
        }
        self.act(now, network, witness);
    }

    fn act(&mut self, now: u32, network: &mut Network, witness: &mut Witness) {
        let Some(program) = &mut self.program else { return };
        let actions = program.board.take_actions();
        if actions.is_empty() {
            return;
        }
        witness.hub.acts(actions.len());
        for action in actions {
            match action {
                Action::Send(robot, mut message) => {
                    if let (Some(Plant::CountsTwice), ToRobot::Genes { immigrants, .. }) = (self.plant, &mut message) {
                        immigrants.extend(immigrants.first().cloned());
                    }
                    witness.hub.sends(now, robot, &message);
                    network.to_robot(now, robot, program.sealer.seal(id(robot), message));
                }
                Action::Record(entry) => {
                    self.entries += 1;
                    if self.plant != Some(Plant::DropsEntry) || !self.entries.is_multiple_of(1_000) {
                        witness.hub.recorded(now, entry);
                    }
                }
                Action::OpenRecord { .. } => witness.hub.opened(),
                Action::CloseRecord => {
                    self.disk = None;
                    witness.hub.closed(now, &program.board.status(program.local(now)));
                }
                Action::Snapshot(kept) => {
                    let bytes = postcard::to_stdvec(&kept).expect("a state is plain data");
                    self.disk = Some(OnDisk { bytes, at: now, stood: witness.hub.kept() });
                }
                Action::Say(line) => witness.hub.logged(now, &line.text),
                Action::Shutdown => {}
            }
        }
        witness.hub.settled(now);
    }
}

impl OnDisk {
    /// Goes on with the run, as the hub's program does. Gives what the clock shows.
    fn resume(&self, now: u32, board: &mut Switchboard, witness: &mut Witness) -> f64 {
        let kept: Snapshot = postcard::from_bytes(&self.bytes).expect("what was kept can be read");
        let local = kept.time + f64::from(now - self.at) / 1000.0;
        witness.hub.took_up(now, self.stood.clone(), kept.run_seconds);
        if let Err(why) = board.resume(local, kept) {
            witness.violated(now, "a hub that returns goes on with its run", "hub", why);
        }
        local
    }
}

impl Program {
    /// The hub's own clock, s: since its start, or on from that of the hub whose run it took up.
    fn local(&self, now: u32) -> f64 {
        self.begins + f64::from(now - self.started) / 1000.0
    }
}

fn raw_frame(number: u32, now: u32, bodies: &[Body], fault: Option<Poses>) -> RawFrame {
    let raw = |(i, body): (usize, &Body)| {
        let as_whom = match fault {
            Some(Poses::Swapped(a, b)) if i == a => b,
            Some(Poses::Swapped(a, b)) if i == b => a,
            _ => i,
        };
        let name = if as_whom < ROBOTS { id(as_whom) } else { "frisbee" };
        let (s, c) = body.pose.heading.sin_cos();
        let (s, c) = (f64::from(s), f64::from(c));
        let x = if fault == Some(Poses::NotANumber(i)) { f64::NAN } else { f64::from(body.pose.at.x) };
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
