use super::*;
use crate::config::{Config, HubFile};
use crate::mocap::{Frame, Tracked};
use crate::switchboard::Action;
use std::collections::BTreeMap;
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::Pose;
use xpuck_wire::message::{Directive, Order, Reply, Request, RobotMessage, State, ToRobot};
use xpuck_wire::settings::Answer;
use xpuck_wire::signed::Signed;
use xpuck_wire::telemetry::{PowerReport, Telemetry};
use xpuck_wire::{Addresses, Security, Swarm};

/// Simulated battery with a capacity of 3 A h. The fields are the state of charge (0 to 1), the power of the load (W),
/// and whether a monitor reports the power.
#[derive(Clone, Copy)]
struct Cell {
    charge: f32,
    watts: f32,
    told: bool,
}

impl Cell {
    /// Discharges the battery for 0.1 s. Returns the terminal voltage behind a resistance of 0.1 ohm (V), and the
    /// power (W).
    fn drain(&mut self, step: u32) -> (f32, f32) {
        // The load fluctuates by up to 8 %.
        let watts = self.watts * (1.0 + 0.02 * ((step / 10 * 7) % 5) as f32);
        let (low, high) = (2.8 + 5.3 * self.charge, 3.33 + 0.95 * (self.charge - 0.1));
        let open = if self.charge < 0.1 { low } else { high };
        let volts = open - 0.1 * watts / open;
        self.charge -= watts / volts * 0.1 / 3600.0 / 3.0;
        (volts, watts)
    }
}

/// Battery that lasts for about ten minutes at a high load.
const OLD: Cell = Cell { charge: 0.12, watts: 6.0, told: true };

/// Hub with two simulated robots that obey all directives.
pub(in crate::switchboard) struct Bench {
    board: Switchboard,
    now: f64,
    robots: [(State, u64, Cell); 2],
    closed: bool,
}

impl Bench {
    fn new(when_empty: WhenEmpty) -> Bench {
        Bench::with(|hub| hub.batteries.when_empty = when_empty)
    }

    pub(in crate::switchboard) fn with(change: impl FnOnce(&mut HubFile)) -> Bench {
        let address = || String::from("tcp://127.0.0.1:1");
        let mut hub = HubFile::at("");
        hub.mocap.frisbee = "frisbee".into();
        change(&mut hub);
        let config = Config {
            hub,
            swarm: Swarm {
                speed: 1.0,
                robots: vec!["xp01".into(), "xp02".into()],
                hub: Addresses { robots: address(), operator: address(), console: None },
                peers: Vec::new(),
                security: Security::dev_mode(),
            },
        };
        let full = Cell { charge: 0.95, watts: 3.0, told: true };
        Bench { board: Switchboard::new(config, 1000), now: 0.0, robots: [(State::Idle, 0, full); 2], closed: false }
    }

    /// Advances the time by `seconds`, in steps of 0.1 s.
    pub(in crate::switchboard) fn pass(&mut self, seconds: u32) {
        for step in 0..seconds * 10 {
            self.now += 0.1;
            let body =
                |name: &str, x: f32| Tracked { name: name.into(), pose: Pose { at: vec2(x, 0.0), heading: 0.0 } };
            let bodies = vec![body("xp01", 0.3), body("xp02", 0.6), body("frisbee", 0.0)];
            self.board.on_frame(self.now, Frame { number: (self.now * 10.0).round() as u32, bodies });
            for (place, id) in ["xp01", "xp02"].into_iter().enumerate() {
                let (state, obeyed, cell) = &mut self.robots[place];
                let (volts, watts) = cell.drain(step);
                let (battery_v, battery_w) = (cell.told.then_some(volts), cell.told.then_some(watts));
                let power = PowerReport { battery_v, battery_w, ..PowerReport::default() };
                let (state, obeyed) = (*state, *obeyed);
                let telemetry = Telemetry { state, obeyed, power, ..Telemetry::default() };
                self.board.on_robot(self.now, id, RobotMessage::Telemetry(Box::new(telemetry)));
            }
            self.board.on_time(self.now);
            self.deliver();
        }
    }

    fn deliver(&mut self) {
        for action in self.board.take_actions() {
            match action {
                Action::Send(place, ToRobot::Experiment { number, .. }) => {
                    self.robots[place].0 = State::Ready;
                    let answer = RobotMessage::Experiment { number, answer: Answer::Accepted };
                    self.board.on_robot(self.now, ["xp01", "xp02"][place], answer);
                }
                Action::Send(place, ToRobot::Directive(Directive { number, state, .. }))
                    if number > self.robots[place].1 =>
                {
                    (self.robots[place].0, self.robots[place].1) = (state, number);
                }
                Action::CloseRecord => self.closed = true,
                _ => {}
            }
        }
    }

    fn start(&mut self, minutes: f64, anyway: bool) -> Reply {
        let text = format!("name = \"x\"\nminutes = {minutes:.1}\nsegment_minutes = 0.5\ntask = \"transport\"\n");
        let signed = Signed::new(text, BTreeMap::new(), None).unwrap();
        let request = match anyway {
            true => Request::StartAnyway { signed, seed: 1 },
            false => Request::Start { signed, seed: 1 },
        };
        self.ask(request)
    }

    pub(in crate::switchboard) fn ask(&mut self, request: Request) -> Reply {
        let reply = self.board.on_request(self.now, "alice", request);
        self.deliver();
        reply
    }

    pub(in crate::switchboard) fn said(&self, what: &str) -> bool {
        self.board.events_after(0).iter().any(|event| event.text.contains(what))
    }

    fn states(&self) -> [State; 2] {
        self.robots.map(|robot| robot.0)
    }
}

#[test]
fn low_battery_blocks_start_unless_forced() {
    let mut bench = Bench::new(WhenEmpty::Leave);
    bench.robots[1].2.charge = 0.2;
    bench.pass(60);
    let Reply::Refused(why) = bench.start(60.0, false) else { panic!("started") };
    for part in ["xp02 ", "60.0 min", "3.0 min", "--anyway"] {
        assert!(why.contains(part), "{why}");
    }
    assert!(!why.contains("xp01"), "{why}");
    assert!(bench.board.run.is_none());
    assert_eq!(bench.start(60.0, true), Reply::Done);
    let mut bench = Bench::new(WhenEmpty::Leave);
    bench.robots[1].2.charge = 0.2;
    bench.pass(60);
    assert_eq!(bench.start(5.0, false), Reply::Done, "a short one is started");
    assert!(!bench.said("it is unknown"));
}

#[test]
fn unknown_battery_allows_start_with_warning() {
    let mut bench = Bench::new(WhenEmpty::Leave);
    bench.robots[1].2.told = false;
    bench.pass(60);
    assert_eq!(bench.start(16.0, false), Reply::Done);
    assert!(bench.said("it is unknown whether batteries last for the run: xp02 (no reading from its power monitor)"));
}

#[test]
fn disabled_battery_watch_reports_nothing() {
    let mut bench = Bench::with(|hub| hub.batteries.reserve_minutes = 0.0);
    bench.robots[1].2.told = false;
    bench.pass(60);
    assert_eq!(bench.start(16.0, false), Reply::Done);
    assert!(!bench.said("batteries"));
}

#[test]
fn low_battery_stops_only_its_robot() {
    let mut bench = Bench::new(WhenEmpty::Leave);
    bench.robots[1].2 = OLD;
    bench.pass(30);
    assert_eq!(bench.start(16.0, true), Reply::Done);
    bench.pass(30);
    assert_eq!(bench.states(), [State::Run; 2]);
    bench.pass(600);
    assert_eq!(bench.states(), [State::Run, State::Stop]);
    assert!(bench.said("robot xp02: its battery is nearly empty") && bench.said("it is held"));
    assert!(!bench.said("xp01: its battery") && !bench.closed);
    let status = bench.board.status(bench.now);
    assert!(status.robots[1].held && status.dead == 1);
    // A release by an operator ends the hold, and the robot is not held again.
    let release = Request::Order { robot: "xp02".into(), order: Order::Release };
    assert_eq!(bench.board.on_request(bench.now, "alice", release), Reply::Done);
    bench.pass(30);
    assert_eq!(bench.states(), [State::Run; 2]);
}

#[test]
fn first_empty_battery_ends_run_if_configured() {
    let mut bench = Bench::new(WhenEmpty::End);
    bench.robots[0].2 = OLD;
    bench.pass(30);
    assert_eq!(bench.start(16.0, true), Reply::Done);
    bench.pass(630);
    assert_eq!(bench.states(), [State::Stop; 2]);
    assert!(bench.closed && bench.said("the run is over: the battery of xp01 is nearly empty"));
}

#[test]
fn last_empty_battery_ends_run() {
    let mut bench = Bench::new(WhenEmpty::Leave);
    (bench.robots[0].2, bench.robots[1].2) = (OLD, OLD);
    bench.pass(30);
    assert_eq!(bench.start(16.0, true), Reply::Done);
    bench.pass(630);
    assert!(bench.closed && bench.said("was the last robot with a sufficient battery"));
}
