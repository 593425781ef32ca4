//! Decisions of the hub's switchboard. The tests pass messages and times directly, without a clock or a socket.

use std::collections::BTreeMap;
use xpuck_hub_core::config::{Config, HubFile, Mocap};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::mocap::{Frame, Tracked};
use xpuck_hub_core::switchboard::{Action, Snapshot, Switchboard};
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::Pose;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::keyring::Role;
use xpuck_wire::message::{
    Directive, Emigrant, Estimate, Order, PeerEstimates, Picture, Population, Reply, Request, RobotMessage, Sensors,
    State, TagSeen, Tags, ToRobot,
};
use xpuck_wire::peers_report::PeersReport;
use xpuck_wire::settings::Answer;
use xpuck_wire::signed::Signed;
use xpuck_wire::telemetry::{PowerReport, Telemetry};
use xpuck_wire::witness::{LastDirectiveReport, ObeyedDirective};
use xpuck_wire::{Addresses, Phase, Security, Swarm};

const EXPERIMENT: &str = "name = \"x\"\nminutes = 0.2\nsegment_minutes = 0.05\ntask = \"transport\"\n";

/// Builds a start request with an unsigned experiment, whose text may be invalid.
fn upload(text: &str) -> Request {
    let manifest = toml::to_string(&toml::Table::from_iter([("experiment".to_string(), text.into())])).unwrap();
    let nobody = String::new;
    Request::Start { signed: Signed { manifest, signer: nobody(), signature: nobody(), files: [].into() }, seed: 1 }
}

/// A hub and two simulated robots that obey it.
struct Bench {
    board: Switchboard,
    now: f64,
    robots: Vec<(String, State, u64)>,
    silent: Vec<String>,
    sent: Vec<(String, ToRobot)>,
    said: Vec<String>,
    frame: u32,
    frisbee: f32,
    /// Names of the bodies that motion capture does not see.
    hidden: Vec<&'static str>,
    kept: Option<Box<Snapshot>>,
    /// Last directive to each robot, by the robot's id.
    last_directives: BTreeMap<String, ObeyedDirective>,
}

impl Bench {
    fn new() -> Bench {
        Bench::among(&["tcp://127.0.0.1:1", "tcp://127.0.0.1:2"])
    }

    /// Makes a bench with two robots, whose addresses for messages from other robots are `peers`.
    fn among(peers: &[&str]) -> Bench {
        let address = || String::from("tcp://127.0.0.1:1");
        let config = Config {
            hub: HubFile { mocap: Mocap { frisbee: "frisbee".into(), ..Mocap::default() }, ..HubFile::at("") },
            swarm: Swarm {
                speed: 1.0,
                robots: vec!["xp01".into(), "xp02".into()],
                peers: peers.iter().map(|address| (*address).into()).collect(),
                hub: Addresses { robots: address(), operator: address(), console: None },
                security: Security::dev_mode(),
            },
        };
        let robots = config.swarm.robots.iter().map(|id| (id.clone(), State::Idle, 0)).collect();
        Bench {
            board: Switchboard::new(config, 1000),
            now: 0.0,
            robots,
            silent: Vec::new(),
            sent: Vec::new(),
            said: Vec::new(),
            frame: 0,
            frisbee: 0.0,
            hidden: Vec::new(),
            kept: None,
            last_directives: BTreeMap::new(),
        }
    }

    /// Makes a restarted hub that resumes from the last saved state of `before`. The robots of `before` greet the new
    /// hub and report their last directives.
    fn restarted(before: &Bench) -> Bench {
        let mut next = Bench::new();
        let kept = before.kept.clone().expect("the state is kept");
        (next.now, next.last_directives) = (kept.time + 1.0, before.last_directives.clone());
        next.robots = before.robots.iter().map(|(id, ..)| (id.clone(), State::Pause, 0)).collect();
        next.board.resume(next.now, *kept).unwrap();
        next.robots.clone().iter().for_each(|(id, ..)| next.send_hello(id));
        next
    }

    /// Sends the greeting of a robot to the hub. The greeting contains the robot's last directive.
    fn send_hello(&mut self, id: &str) {
        let witness = LastDirectiveReport { told: self.last_directives.get(id).cloned(), silent_s: Some(1.0) };
        let hello = RobotMessage::Hello { version: "0".into(), session: 1, seen: (0, 0), witness };
        self.board.on_robot(self.now, id, hello);
    }

    /// Advances the time by `seconds` in steps of 20 ms, with poses and telemetry as in a real swarm.
    fn pass(&mut self, seconds: f64) {
        let steps = (seconds / 0.02).round() as u32;
        for step in 0..steps {
            self.now += 0.02;
            self.frame += 1;
            let body =
                |name: &str, x: f32| Tracked { name: name.into(), pose: Pose { at: vec2(x, 0.0), heading: 0.0 } };
            let robots = self.robots.iter().zip(1..).map(|((id, ..), i)| body(id, 0.3 * i as f32));
            let mut bodies: Vec<Tracked> = robots.chain([body("frisbee", self.frisbee)]).collect();
            bodies.retain(|b| !self.hidden.contains(&b.name.as_str()));
            self.board.on_frame(self.now, Frame { number: self.frame, bodies });
            if step.is_multiple_of(5) {
                for (id, state, obeyed) in self.robots.clone() {
                    if !self.silent.contains(&id) {
                        let telemetry = Telemetry { state, obeyed, ..Telemetry::default() };
                        self.board.on_robot(self.now, &id, RobotMessage::Telemetry(Box::new(telemetry)));
                    }
                }
            }
            self.board.on_time(self.now);
            self.deliver();
        }
    }

    fn deliver(&mut self) {
        for action in self.board.take_actions() {
            match action {
                Action::Send(place, message) => {
                    let id = format!("xp{:02}", place + 1);
                    let heard = !self.silent.contains(&id);
                    if let Some(robot) = self.robots.iter_mut().find(|r| r.0 == id && heard) {
                        match &message {
                            ToRobot::Experiment { number, .. } => {
                                robot.1 = State::Ready;
                                let answer = RobotMessage::Experiment { number: *number, answer: Answer::Accepted };
                                self.board.on_robot(self.now, &id, answer);
                            }
                            ToRobot::Directive(Directive { number, state, run, stops, held, asks, .. })
                                if *number > robot.2 =>
                            {
                                (robot.1, robot.2) = (*state, *number);
                                let (state, run, held, stops) = (*state, *run, *held, *stops);
                                let told = ObeyedDirective { directive: *number, state, run, held, stops };
                                if !asks {
                                    self.last_directives.insert(id.clone(), told);
                                }
                            }
                            _ => {}
                        }
                    }
                    self.sent.push((id, message));
                }
                Action::Say(line) => self.said.push(line.text),
                Action::Snapshot(kept) => self.kept = Some(kept),
                _ => {}
            }
        }
    }

    fn ask(&mut self, request: Request) -> Reply {
        let reply = self.board.on_request(self.now, "alice", request);
        self.deliver();
        reply
    }

    fn start(&mut self) {
        self.start_with("");
    }

    /// Starts the experiment, with additional lines in its file, and waits until it runs.
    fn start_with(&mut self, more: &str) {
        self.pass(0.5);
        assert_eq!(self.ask(upload(&format!("{EXPERIMENT}{more}"))), Reply::Done);
        self.pass(1.0);
        assert_eq!(self.phase(), Phase::Running);
    }

    fn phase(&self) -> Phase {
        self.board.status(self.now).phase
    }

    fn states(&self) -> Vec<State> {
        self.robots.iter().map(|r| r.1).collect()
    }
}

#[test]
fn run_goes_from_ready_through_segments_to_stop() {
    let mut bench = Bench::new();
    bench.start();
    assert_eq!(bench.states(), [State::Run, State::Run]);
    bench.pass(12.5);
    assert_eq!(bench.phase(), Phase::Finished);
    assert_eq!(bench.states(), [State::Stop, State::Stop]);
    let segments: Vec<u32> = bench.board.status(bench.now).segments.iter().map(|s| s.number).collect();
    assert_eq!(segments, [0, 1, 2, 3]);
    let loads = bench.sent.iter().filter(|(id, m)| {
        id == "xp01" && matches!(m, ToRobot::Directive(Directive { state: State::Run, segment: 1.., .. }))
    });
    assert!(loads.count() >= 3, "each segment was announced");
}

#[test]
fn frisbee_at_end_pauses_all_robots_and_is_not_scored() {
    let mut bench = Bench::new();
    bench.start();
    bench.frisbee = -0.1;
    bench.pass(0.1);
    bench.frisbee = -0.893;
    bench.pass(0.1);
    assert_eq!(bench.phase(), Phase::Relocating);
    let run_seconds = bench.board.status(bench.now).run_seconds;
    bench.pass(21.0);
    assert_eq!(bench.states(), [State::Pause, State::Pause]);
    assert!(bench.said.iter().any(|s| s.contains("still waiting for the frisbee")), "{:?}", bench.said);
    bench.frisbee = 0.05;
    bench.pass(0.2);
    assert_eq!(bench.phase(), Phase::Running);
    let status = bench.board.status(bench.now);
    assert!(status.run_seconds - run_seconds < 0.2, "the clock stood still");
    let moved = status.segments[0].fitness * status.segments[0].seconds * 0.13;
    assert!((moved - 0.893).abs() < 0.01, "0.893 m were pushed, the way back was carried: {moved}");
}

#[test]
fn lost_robot_is_counted_once_and_readmitted() {
    let mut bench = Bench::new();
    bench.start();
    bench.silent = vec!["xp02".into()];
    bench.pass(4.0);
    let status = bench.board.status(bench.now);
    assert_eq!((status.dead, status.robots[1].alive, status.phase), (1, false, Phase::Running));
    assert!(bench.said.iter().any(|s| s.contains("robot xp02 is lost")), "{:?}", bench.said);
    bench.silent.clear();
    bench.robots[1] = ("xp02".into(), State::Idle, 0);
    bench.send_hello("xp02");
    bench.pass(1.0);
    assert_eq!(bench.states()[1], State::Run, "it got the experiment and the directive again");
    assert_eq!(bench.board.status(bench.now).dead, 1);
}

#[test]
fn held_robot_stands_until_release() {
    let order = |order| Request::Order { robot: "xp02".into(), order };
    let mut bench = Bench::new();
    bench.start();
    assert_eq!(bench.ask(order(Order::Hold)), Reply::Done);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Run, State::Stop]);
    let row = |bench: &Bench| bench.board.status(bench.now).robots[1].clone();
    assert!(row(&bench).held && row(&bench).obeys && row(&bench).obeyed_ms.is_some_and(|ms| ms < 300.0));
    // The robot stays held after a pause and after the start of a new segment.
    bench.ask(Request::Pause);
    bench.pass(0.3);
    bench.ask(Request::Resume);
    bench.pass(3.5);
    assert_eq!(bench.states(), [State::Run, State::Stop]);
    // The robot stays held after a restart of the hub.
    assert_eq!(bench.kept.as_ref().unwrap().held, ["xp02"]);
    let mut other = Bench::restarted(&bench);
    other.pass(1.0);
    assert_eq!(other.states(), [State::Run, State::Stop]);
    assert_eq!(bench.ask(order(Order::Release)), Reply::Done);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Run, State::Run]);
    bench.send_hello("xp02");
    assert!(matches!(bench.ask(order(Order::Release)), Reply::Refused(why) if why.contains("is not held")));
    assert!(bench.said.iter().any(|text| text.contains("robot xp02 is held by alice")), "{:?}", bench.said);
}

#[test]
fn single_paused_robot_stays_paused_until_release() {
    let order = |order| Request::Order { robot: "xp02".into(), order };
    let mut bench = Bench::new();
    bench.start();
    assert_eq!(bench.ask(order(Order::Pause)), Reply::Done);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Run, State::Pause]);
    assert!(bench.said.iter().any(|text| text.contains("robot xp02 is paused by alice")), "{:?}", bench.said);
    assert_eq!(bench.ask(order(Order::Hold)), Reply::Done);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Run, State::Stop]);
    bench.ask(order(Order::Pause));
    bench.ask(Request::Stop);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Stop, State::Stop]);
    bench.ask(upload(EXPERIMENT));
    bench.pass(1.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Running, vec![State::Run, State::Pause]));
    assert_eq!(bench.ask(order(Order::Release)), Reply::Done);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Run, State::Run]);
}

#[test]
fn held_robot_stays_held_by_a_hub_started_anew() {
    let order = |order| Request::Order { robot: "xp02".into(), order };
    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(order(Order::Hold)), Reply::Done);
    bench.pass(0.5);
    let mut next = Bench { last_directives: bench.last_directives.clone(), ..Bench::new() };
    ["xp01", "xp02"].iter().for_each(|id| next.send_hello(id));
    next.start();
    assert_eq!(next.states(), [State::Run, State::Stop]);
    assert!(next.said.iter().any(|text| text.contains("robot xp02 was held by an earlier hub")), "{:?}", next.said);
    // The hub accepts a release even if the robot has not yet greeted it.
    let mut released = Bench { last_directives: bench.last_directives.clone(), ..Bench::new() };
    assert_eq!(released.ask(order(Order::Release)), Reply::Done);
    ["xp01", "xp02"].iter().for_each(|id| released.send_hello(id));
    released.start();
    assert_eq!(released.states(), [State::Run, State::Run]);
    // When the robot greets the same hub again, the release stays valid.
    assert_eq!(next.ask(order(Order::Release)), Reply::Done);
    next.send_hello("xp02");
    next.pass(0.5);
    assert!(!next.board.status(next.now).robots[1].held);
}

#[test]
fn robot_report_finishes_stopped_paused_run() {
    let mut bench = Bench::new();
    bench.start();
    bench.ask(Request::Pause);
    with_stale_snapshot(&mut bench, |bench| drop(bench.ask(Request::Stop)));
    let mut next = Bench::restarted(&bench);
    next.deliver();
    assert_eq!(next.phase(), Phase::Finished, "{:?}", next.said);
    assert!(next.said.iter().any(|text| text.contains("robot xp01 received a later STOP")), "{:?}", next.said);
    assert!(matches!(next.ask(Request::Resume), Reply::Refused(_)));
}

#[test]
fn start_does_not_wait_for_held_robot() {
    let mut bench = Bench::new();
    bench.pass(0.5);
    bench.ask(Request::Order { robot: "xp02".into(), order: Order::Hold });
    bench.pass(0.5);
    bench.ask(upload(EXPERIMENT));
    bench.pass(1.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Running, vec![State::Run, State::Stop]));
    assert!(bench.said.iter().any(|text| text.contains("are ready except 1 held: RUN")), "{:?}", bench.said);
}

#[test]
fn orders_are_attributed_and_reach_one_robot() {
    let mut bench = Bench::new();
    bench.start();
    let order = |robot: &str, order| Request::Order { robot: robot.into(), order };
    bench.ask(Request::Note { text: "  the frisbee\nwas waxed ".into() });
    bench.ask(order("xp01", Order::Identify));
    bench.ask(Request::Watch { robot: "xp02".into(), picture: true });
    bench.ask(Request::Pause);
    let Reply::Events(events) = bench.ask(Request::Events { after: 0 }) else { panic!() };
    let by_alice: Vec<&str> = events.iter().filter(|e| e.who == "alice").map(|e| e.text.as_str()).collect();
    let expected = [
        "experiment x: started by alice, waiting for the robots to be ready",
        "note: the frisbee was waxed",
        "robot xp01 blinks for alice",
        "paused by alice",
    ];
    assert_eq!(by_alice, expected);
    assert!(events.windows(2).all(|pair| pair[1].number == pair[0].number + 1));
    let after = events[2].number;
    let Reply::Events(rest) = bench.ask(Request::Events { after }) else { panic!() };
    assert_eq!(rest, events[3..]);
    let got = |wanted: ToRobot| bench.sent.iter().filter(|(_, m)| *m == wanted).map(|(id, _)| id.as_str()).collect();
    let (blinks, watched): (Vec<&str>, Vec<&str>) = (got(ToRobot::Identify), got(ToRobot::Watch { picture: true }));
    assert_eq!((blinks, watched), (vec!["xp01"], vec!["xp02"]));
    for (request, why) in [
        (Request::Note { text: " ".into() }, "the note has 0 characters; 1 to 500 are allowed"),
        (Request::Note { text: "x".repeat(501) }, "the note has 501 characters; 1 to 500 are allowed"),
        (order("xp\u{1b}", Order::Hold), "robot `xp\\u{1b}` is not in the swarm file; its robots are xp01, xp02"),
    ] {
        assert_eq!(bench.ask(request), Reply::Refused(why.into()));
    }
    bench.silent = vec!["xp01".into()];
    bench.pass(4.0);
    assert!(matches!(bench.ask(order("xp01", Order::Reboot)), Reply::Refused(why) if why.contains("is not connected")));
}

#[test]
fn populations_are_recorded_with_genes_and_immigrant_origin() {
    let mut bench = Bench::new();
    bench.start();
    let gene = |number| Emigrant {
        island: 1,
        number,
        epoch: 0,
        tree: "movcv v_goal 0deg".into(),
        count: [4, 4],
        sum: [0.5, 0.5],
        square: [0.1, 0.1],
    };
    let population = Population { generation: 1, size: 8, distinct: 7, mean_nodes: 3.5, step: 0 };
    for (id, number) in [("xp01", 1), ("xp02", 2)] {
        bench.board.on_robot(bench.now, id, RobotMessage::Population(population));
        let emigrant = Emigrant { island: number as u16, ..gene(number) };
        bench.board.on_robot(bench.now, id, RobotMessage::Genes { generation: 1, emigrant, births: vec![] });
    }
    let recorded = bench.board.take_actions().into_iter().filter_map(|action| match action {
        Action::Record(Entry::Population { robot, population, from, .. }) => Some((robot, population, from)),
        _ => None,
    });
    let recorded: Vec<_> = recorded.collect();
    assert_eq!(recorded, [("xp01".into(), population, vec![]), ("xp02".into(), population, vec![1])]);
}

#[test]
fn additional_sensors_are_recorded_and_shown() {
    let mut bench = Bench::new();
    let told = Sensors { light: Some([0.5; 8]), selector: Some(3), ..Sensors::default() };
    let mad = Sensors { light: Some([f32::NAN; 8]), ..told.clone() };
    for sensors in [&told, &mad] {
        bench.board.on_robot(bench.now, "xp01", RobotMessage::Sensors(Box::new(sensors.clone())));
    }
    assert_eq!(bench.board.status(bench.now).robots[0].sensors.as_deref(), Some(&told));
    let recorded = bench.board.take_actions().into_iter().filter_map(|action| match action {
        Action::Record(Entry::Sensors { robot, sensors, .. }) => Some((robot, *sensors)),
        _ => None,
    });
    assert_eq!(recorded.collect::<Vec<_>>(), [("xp01".to_string(), told)]);
}

#[test]
fn directives_are_repeated_until_obeyed() {
    let mut bench = Bench::new();
    bench.start();
    bench.silent = vec!["xp01".into()];
    assert_eq!(bench.ask(Request::Pause), Reply::Done);
    bench.pass(1.0);
    let pauses = bench
        .sent
        .iter()
        .filter(|(id, m)| id == "xp01" && matches!(m, ToRobot::Directive(Directive { state: State::Pause, .. })));
    assert!(pauses.count() >= 4);
    bench.silent.clear();
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Pause, State::Pause]);
    assert_eq!(bench.ask(Request::Resume), Reply::Done);
    bench.pass(0.1);
    assert_eq!(bench.states(), [State::Run, State::Run]);
}

#[test]
fn requests_that_make_no_sense_are_refused_with_a_reason() {
    let mut bench = Bench::new();
    let why = |reply: Reply| match reply {
        Reply::Refused(why) => why,
        other => panic!("{other:?}"),
    };
    assert!(why(bench.ask(Request::Pause)).contains("idle"));
    let bad = upload(&EXPERIMENT.replace("minutes = 0.2", "minuten = 1"));
    assert!(why(bench.ask(bad)).contains("minuten"));
    bench.start();
    let second = upload(EXPERIMENT);
    assert!(why(bench.ask(second)).contains("xpuck stop"));
    assert!(why(bench.ask(Request::Resume)).contains("running"));
}

#[test]
fn start_without_robots_is_abandoned_and_reported() {
    let mut bench = Bench::new();
    bench.silent = vec!["xp01".into(), "xp02".into()];
    assert_eq!(bench.ask(upload(EXPERIMENT)), Reply::Done);
    bench.pass(31.0);
    assert_eq!(bench.phase(), Phase::Idle);
    assert!(bench.said.iter().any(|s| s.contains("no robot is ready")));
}

#[test]
fn bad_genes_and_strangers_are_refused() {
    let mut bench = Bench::new();
    bench.start();
    let gene = |tree: &str| Emigrant {
        island: 1,
        number: 1,
        epoch: 0,
        tree: tree.into(),
        count: [1, 0],
        sum: [0.1, 0.0],
        square: [0.01, 0.0],
    };
    let genes = |tree: &str| RobotMessage::Genes { generation: 1, emigrant: gene(tree), births: vec![] };
    bench.board.on_robot(bench.now, "xp01", genes("movcv v_gaol 3"));
    bench.deliver();
    assert!(bench.said.iter().any(|s| s.contains("robot xp01: gene refused: migrant 1.1: line 1")), "{:?}", bench.said);
    bench.board.on_robot(bench.now, "xp01", genes("movcv v_goal 3"));
    bench.board.on_robot(bench.now, "xp02", genes("movcv v_goal 4"));
    bench.deliver();
    let last = bench.sent.iter().rfind(|(id, m)| id == "xp02" && matches!(m, ToRobot::Genes { .. }));
    let Some((_, ToRobot::Genes { immigrants, .. })) = last else { panic!() };
    assert_eq!(immigrants.len(), 1, "the other's gene, and not its own");
    bench.board.on_robot(bench.now, "evil", RobotMessage::Pong { stamp: 0.0 });
    bench.deliver();
    assert!(bench.said.iter().any(|s| s.contains("`evil` is not in the swarm file")));
}

#[test]
fn peer_genes_need_addresses_and_are_recorded() {
    let experiment = || upload(&format!("genes = \"peers\"\n{EXPERIMENT}"));
    let mut alone = Bench::among(&[]);
    alone.pass(0.5);
    assert!(matches!(alone.ask(experiment()), Reply::Refused(why) if why.contains("swarm.toml has no `peers`")));
    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(experiment()), Reply::Done);
    bench.pass(1.0);
    let mut recorded = Vec::new();
    for (number, id) in (1..).zip(["xp01", "xp02"]) {
        let tree = format!("movcv v_goal {number}");
        let (count, sum, square) = ([1, 0], [0.1, 0.0], [0.01, 0.0]);
        let emigrant = Emigrant { island: number, number: 1, epoch: 0, tree, count, sum, square };
        let population = Population { generation: 1, size: 8, distinct: 7, mean_nodes: 3.5, step: 0 };
        let report = PeersReport { generation: 1, from: vec![3 - number], ..PeersReport::default() };
        for message in [
            RobotMessage::Population(population),
            RobotMessage::Peers(Box::new(report)),
            RobotMessage::Genes { generation: 1, emigrant, births: vec![] },
        ] {
            bench.board.on_robot(bench.now, id, message);
        }
        for action in bench.board.take_actions() {
            match action {
                Action::Record(Entry::Population { robot, from, .. }) => recorded.push((robot, from)),
                Action::Send(_, ToRobot::Genes { generation, immigrants }) => {
                    assert_eq!((generation, immigrants), (1, vec![]), "it only says that it heard");
                }
                _ => {}
            }
        }
    }
    assert_eq!(recorded, [("xp01".into(), vec![2]), ("xp02".into(), vec![1])]);
}

#[test]
fn genes_follow_migration_policy_and_robot_poses() {
    // The two robots are 0.3 m apart.
    for (range, expected) in [(0.2, 0), (0.4, 1)] {
        let mut bench = Bench::new();
        bench.start_with(&format!("[migration]\npolicy = \"near\"\nrange_m = {range}\n"));
        for (number, id) in (1..).zip(["xp01", "xp02"]) {
            let tree = format!("movcv v_goal {number}");
            let (count, sum, square) = ([1, 0], [0.1, 0.0], [0.01, 0.0]);
            let emigrant = Emigrant { island: number, number: 1, epoch: 0, tree, count, sum, square };
            bench.board.on_robot(bench.now, id, RobotMessage::Genes { generation: 1, emigrant, births: vec![] });
        }
        bench.deliver();
        let last = bench.sent.iter().rfind(|(id, m)| id == "xp02" && matches!(m, ToRobot::Genes { .. }));
        let Some((_, ToRobot::Genes { immigrants, .. })) = last else { panic!() };
        assert_eq!(immigrants.len(), expected, "range {range}");
    }
}

#[test]
fn blind_run_pauses_and_resumes_by_itself() {
    for (hidden, what) in [
        (vec!["frisbee"], "the frisbee was not seen"),
        (vec!["xp01", "xp02"], "no robot was seen"),
        (vec!["frisbee", "xp01", "xp02"], "nothing was seen"),
    ] {
        let mut bench = Bench::new();
        bench.start();
        bench.hidden = hidden;
        bench.pass(0.9);
        assert_eq!(bench.phase(), Phase::Running, "a short while does no harm");
        bench.pass(0.3);
        assert_eq!((bench.phase(), bench.states()), (Phase::Blind, vec![State::Pause, State::Pause]));
        assert!(bench.said.iter().any(|s| s.contains(what) && s.contains("for 1 s")), "{:?}", bench.said);
        let run_seconds = bench.board.status(bench.now).run_seconds;
        bench.pass(5.0);
        bench.hidden.clear();
        bench.pass(0.1);
        assert_eq!((bench.phase(), bench.states()), (Phase::Running, vec![State::Run, State::Run]));
        assert!(bench.board.status(bench.now).run_seconds - run_seconds < 0.2, "the clock stood still");
    }
    // The run continues with one hidden robot. A run that an operator has paused stays paused when all bodies are
    // visible again.
    let mut bench = Bench::new();
    bench.start();
    bench.hidden = vec!["xp01"];
    bench.pass(2.0);
    assert_eq!(bench.phase(), Phase::Running);
    bench.hidden = vec!["frisbee"];
    bench.pass(2.0);
    assert!(matches!(bench.ask(Request::Resume), Reply::Refused(_)), "it would be blind");
    assert_eq!(bench.ask(Request::Pause), Reply::Done);
    bench.hidden.clear();
    bench.pass(2.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Paused, vec![State::Pause, State::Pause]));
}

#[test]
fn carried_or_hidden_frisbee_does_not_count_as_back() {
    let mut bench = Bench::new();
    bench.start();
    bench.frisbee = -0.893;
    bench.pass(0.1);
    assert_eq!(bench.phase(), Phase::Relocating);
    // A person carries the frisbee over the centre, 10 mm per frame.
    for step in 0..40 {
        bench.frisbee = -0.2 + 0.01 * step as f32;
        bench.pass(0.02);
        assert_eq!(bench.phase(), Phase::Relocating, "{}", bench.frisbee);
    }
    // The frisbee is hidden for 3 s. A run would pause after 1 s, but the relocation continues. It does not end
    // immediately when the frisbee is visible again, because the frisbee may still move.
    bench.hidden = vec!["frisbee"];
    bench.pass(3.0);
    assert_eq!(bench.phase(), Phase::Relocating);
    (bench.hidden, bench.frisbee) = (Vec::new(), 0.0);
    bench.pass(0.04);
    assert_eq!(bench.phase(), Phase::Relocating);
    bench.pass(0.2);
    assert_eq!(bench.phase(), Phase::Running);
}

#[test]
fn names_that_match_no_robot_are_reported_once() {
    let mut bench = Bench::new();
    for number in 1..300 {
        bench.now += 0.02;
        let bodies = vec![Tracked { name: "XP01".into(), pose: Pose::default() }];
        bench.board.on_frame(bench.now, Frame { number, bodies });
        bench.board.on_time(bench.now);
        bench.deliver();
    }
    let names = bench.board.status(bench.now).names;
    assert!(names.contains("XP01, which matches neither a robot") && names.contains("xp01 = \"XP01\""), "{names}");
    assert_eq!(bench.said.iter().filter(|text| **text == names).count(), 1, "{:?}", bench.said);
    bench.pass(0.1);
    assert_eq!(bench.board.status(bench.now).names, "");
}

#[test]
fn no_senses_are_sent_without_poses() {
    let mut bench = Bench::new();
    bench.start();
    let told = |bench: &Bench| bench.sent.iter().filter(|(_, m)| matches!(m, ToRobot::Senses { .. })).count();
    bench.hidden = vec!["xp01", "xp02"];
    bench.pass(0.2);
    let before = told(&bench);
    bench.pass(1.0);
    assert_eq!(told(&bench), before);
}

/// Passes a message of xp01 to the hub. Returns the number of entries that the hub records.
fn recorded(bench: &mut Bench, message: &RobotMessage) -> usize {
    bench.board.on_robot(bench.now, "xp01", message.clone());
    let actions = bench.board.take_actions();
    actions.iter().filter(|a| matches!(a, Action::Record(_))).count()
}

fn gene() -> Emigrant {
    let tree = "mulav v_goal v_zero 3 v_blue".to_string();
    Emigrant { island: 1, number: 5, epoch: 0, tree, count: [1, 0], sum: [0.1, 0.0], square: [0.01, 0.0] }
}

#[test]
fn resumed_hub_knows_reported_trees() {
    let mut bench = Bench::new();
    bench.start();
    // NaN is not equal to NaN, so a plain comparison would record the same tree twice.
    let loaded = RobotMessage::Loaded { segment: 1, gene: Emigrant { sum: [f64::NAN, 0.0], ..gene() } };
    assert_eq!([recorded(&mut bench, &loaded), recorded(&mut bench, &loaded)], [1, 0]);
    bench.pass(2.0);
    let kept = bench.kept.take().expect("the state is kept each second");
    let mut next = Bench::new();
    next.now = kept.time + 1.0;
    next.board.resume(next.now, *kept).unwrap();
    next.pass(0.1);
    assert_eq!(recorded(&mut next, &loaded), 0, "told to the hub that died");
    let later = RobotMessage::Loaded { segment: 2, gene: gene() };
    assert_eq!([recorded(&mut next, &later), recorded(&mut next, &later)], [1, 0]);
}

#[test]
fn duplicate_messages_count_once() {
    let mut bench = Bench::new();
    bench.start();
    let emigrant = gene();
    let genes = RobotMessage::Genes { generation: 1, emigrant: emigrant.clone(), births: Vec::new() };
    let loaded = RobotMessage::Loaded { segment: 1, gene: emigrant };
    for message in [genes, loaded] {
        assert_eq!([recorded(&mut bench, &message), recorded(&mut bench, &message)], [1, 0], "{message:?}");
    }
    bench.pass(0.2);
    let mut pings = bench.sent.iter().filter_map(|(id, message)| match message {
        ToRobot::Ping { stamp } if id == "xp01" => Some(*stamp),
        _ => None,
    });
    let stamp = pings.next_back().unwrap();
    bench.board.on_robot(stamp + 0.05, "xp01", RobotMessage::Pong { stamp });
    bench.board.on_robot(stamp + 3.0, "xp01", RobotMessage::Pong { stamp });
    bench.board.on_robot(stamp + 3.0, "xp01", RobotMessage::Pong { stamp: stamp + 1e-3 });
    let status = bench.board.status(bench.now);
    assert!((status.round_trip_ms - 50.0).abs() < 1e-6 && status.slow_round_trips == 0.0, "{}", status.round_trip_ms);
}

const PHASES: &str = "name = \"x\"\ntask = \"transport\"\n\
    [[phase]]\nminutes = 0.1\nsegment_minutes = 0.05\n\
    [[phase]]\nkind = \"rest\"\nminutes = 0.05\nsay = \"Carry the lamp to the east wall\"\n\
    [[phase]]\nkind = \"measure\"\nname = \"again\"\nminutes = 0.1\ndrive = \"swarm\"\n";

#[test]
fn phases_follow_one_another_and_a_rest_stands_still() {
    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(upload(PHASES)), Reply::Done);
    bench.pass(1.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Running, vec![State::Run; 2]));
    bench.pass(6.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Resting, vec![State::Pause; 2]));
    assert!(bench.said.iter().any(|text| text.contains("phase 2 (rest)") && text.contains("east wall")));
    let told = RobotMessage::Genes { generation: 1, emigrant: gene(), births: vec![] };
    bench.board.on_robot(bench.now, "xp02", told);
    bench.pass(3.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Running, vec![State::Run; 2]));
    let sent = bench.sent.iter().rev().find_map(|(_, message)| match message {
        ToRobot::Directive(directive) if directive.state == State::Run => Some(directive),
        _ => None,
    });
    let directive = sent.expect("everybody is told RUN");
    assert_eq!(
        (directive.phase, directive.tree.as_deref()),
        (2, Some("mulav v_goal v_zero 3 v_blue\n")),
        "the swarm's fittest"
    );
    bench.pass(7.0);
    assert_eq!((bench.phase(), bench.states()), (Phase::Finished, vec![State::Stop; 2]));
    let status = bench.board.status(bench.now);
    let names: Vec<&str> = status.segments.iter().map(|segment| segment.phase.as_str()).collect();
    assert_eq!(names, ["evolve", "evolve", "rest", "again"]);
}

#[test]
fn condition_or_operator_ends_phase_early() {
    let text = PHASES.replace("segment_minutes = 0.05\n", "segment_minutes = 0.05\nuntil = { generations = 3 }\n");
    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(upload(&text)), Reply::Done);
    bench.pass(1.0);
    for (id, generation) in [("xp01", 3), ("xp02", 2)] {
        let mut telemetry = Telemetry { state: State::Run, obeyed: bench.robots[0].2, ..Telemetry::default() };
        telemetry.evolution.generation = generation;
        bench.board.on_robot(bench.now, id, RobotMessage::Telemetry(Box::new(telemetry)));
    }
    bench.board.on_time(bench.now + 0.02);
    assert_eq!(bench.phase(), Phase::Running, "not all have done three");
    let mut telemetry = Telemetry { state: State::Run, obeyed: bench.robots[0].2, ..Telemetry::default() };
    telemetry.evolution.generation = 3;
    for id in ["xp01", "xp02"] {
        bench.board.on_robot(bench.now, id, RobotMessage::Telemetry(Box::new(telemetry.clone())));
    }
    bench.board.on_time(bench.now + 0.04);
    bench.deliver();
    assert_eq!(bench.phase(), Phase::Resting);
    assert!(bench.said.iter().any(|text| text.contains("all islands have completed 3 generations")));
    assert_eq!(bench.ask(Request::Next), Reply::Done);
    assert_eq!(bench.phase(), Phase::Running);
    bench.hidden = vec!["xp01", "xp02"];
    bench.pass(1.5);
    assert_eq!(bench.phase(), Phase::Blind);
    assert!(matches!(bench.ask(Request::Next), Reply::Refused(_)), "nobody drives unseen");
    bench.hidden.clear();
    bench.pass(0.1);
    assert_eq!(bench.ask(Request::Next), Reply::Done);
    assert_eq!(bench.phase(), Phase::Finished, "the last one was ended");
    assert!(matches!(bench.ask(Request::Next), Reply::Refused(_)));
}

#[test]
fn curriculum_step_fitness_does_not_end_phase() {
    let text = PHASES
        .replace("segment_minutes = 0.05\n", "segment_minutes = 0.05\nuntil = { evolved_fitness = 0.2 }\n")
        + "[[steps]]\nname = \"alone\"\nrobots = 1\nend = \"gennum >= 2\"\n";
    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(upload(&text)), Reply::Done);
    bench.pass(1.0);
    let tell = |bench: &mut Bench, id: &str, generation: u32, step: u16| {
        let population = Population { generation, size: 8, distinct: 7, mean_nodes: 3.5, step };
        bench.board.on_robot(bench.now, id, RobotMessage::Population(population));
        let number = if id == "xp01" { 1 } else { 2 };
        let tree = format!("mulav v_goal v_zero {number} v_blue");
        let sum = [f64::from(3 - number); 2];
        let emigrant = Emigrant { island: number as u16, tree, count: [4; 2], sum, square: [2.0; 2], ..gene() };
        bench.board.on_robot(bench.now, id, RobotMessage::Genes { generation, emigrant, births: vec![] });
        let mut telemetry = Telemetry { state: State::Run, obeyed: bench.robots[0].2, ..Telemetry::default() };
        (telemetry.evolution.generation, telemetry.evolution.derated) = (generation, 0.9);
        bench.board.on_robot(bench.now, id, RobotMessage::Telemetry(Box::new(telemetry)));
        bench.now += 0.001;
        bench.board.on_time(bench.now);
    };
    tell(&mut bench, "xp01", 2, 0);
    tell(&mut bench, "xp02", 3, 1);
    assert_eq!(bench.phase(), Phase::Running, "the first island is still in its step");
    tell(&mut bench, "xp02", 4, 9);
    bench.board.on_robot(
        bench.now,
        "xp01",
        RobotMessage::Population(Population { generation: 3, size: 8, distinct: 7, mean_nodes: 3.5, step: 1 }),
    );
    bench.board.on_time(bench.now + 0.001);
    assert_eq!(bench.phase(), Phase::Running, "its last telemetry is of the step");
    tell(&mut bench, "xp01", 3, 1);
    assert_eq!(bench.phase(), Phase::Resting);

    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(upload(&text)), Reply::Done);
    bench.pass(1.0);
    tell(&mut bench, "xp01", 2, 0);
    tell(&mut bench, "xp02", 3, 1);
    bench.pass(0.1);
    assert_eq!(bench.ask(Request::Next), Reply::Done);
    assert_eq!(bench.ask(Request::Next), Reply::Done);
    bench.pass(0.1);
    let driven = bench.sent.iter().rev().find_map(|(_, message)| match message {
        ToRobot::Directive(directive) if directive.state == State::Run => directive.tree.as_deref(),
        _ => None,
    });
    assert_eq!(driven, Some("mulav v_goal v_zero 2 v_blue\n"), "a tree of the experiment's own world");
}

#[test]
fn resumed_hub_continues_in_previous_phase() {
    let mut bench = Bench::new();
    bench.pass(0.5);
    assert_eq!(bench.ask(upload(PHASES)), Reply::Done);
    bench.pass(8.5);
    let mut next = Bench::restarted(&bench);
    next.pass(0.5);
    let status = next.board.status(next.now);
    assert_eq!((status.phase, status.experiment_phase.unwrap().number), (Phase::Resting, 1));
}

/// Makes the saved state outdated: calls `then` and advances the time, but keeps the state that was saved before.
fn with_stale_snapshot(bench: &mut Bench, then: impl FnOnce(&mut Bench)) {
    bench.pass(1.5);
    let kept = bench.kept.clone();
    then(bench);
    bench.pass(0.5);
    bench.kept = kept;
}

#[test]
fn release_counts_while_resuming_hub_queries_robots() {
    let order = |order| Request::Order { robot: "xp02".into(), order };
    let mut bench = Bench::new();
    bench.start();
    with_stale_snapshot(&mut bench, |_| {});
    let mut asking = Bench::restarted(&bench);
    asking.silent = vec!["xp01".into()];
    asking.pass(0.5);
    assert_eq!(asking.ask(order(Order::Hold)), Reply::Done);
    asking.pass(0.2);
    // The robot greets the hub again, as after a restart, and reports that it was held.
    asking.send_hello("xp02");
    assert_eq!(asking.ask(order(Order::Release)), Reply::Done);
    asking.silent.clear();
    asking.pass(1.0);
    assert!(!asking.board.status(asking.now).robots[1].held, "{:?}", asking.said);
    assert_eq!((asking.phase(), asking.states()), (Phase::Running, vec![State::Run; 2]));
}

#[test]
fn resumed_hub_continues_only_by_robot_reports() {
    let hold = |bench: &mut Bench| drop(bench.ask(Request::Order { robot: "xp02".into(), order: Order::Hold }));
    let mut bench = Bench::new();
    bench.start();
    with_stale_snapshot(&mut bench, |_| {});
    let mut next = Bench::restarted(&bench);
    next.pass(0.5);
    assert_eq!((next.phase(), next.states()), (Phase::Running, vec![State::Run; 2]), "{:?}", next.said);
    // The saved state lacks the order to hold xp02, but the robot reports it.
    with_stale_snapshot(&mut bench, hold);
    let mut next = Bench::restarted(&bench);
    next.pass(0.5);
    assert_eq!((next.phase(), next.states()), (Phase::Running, vec![State::Run, State::Stop]));
    assert!(next.board.status(next.now).robots[1].held);
    bench.ask(Request::Order { robot: "xp02".into(), order: Order::Release });
    with_stale_snapshot(&mut bench, |bench| drop(bench.ask(Request::Pause)));
    let mut next = Bench::restarted(&bench);
    next.pass(1.0);
    assert_eq!((next.phase(), next.states()), (Phase::Paused, vec![State::Pause; 2]));
    let said = |bench: &Bench, words: &str| bench.said.iter().any(|text| text.contains(words));
    assert!(said(&next, "the run is paused until RESUME: robot xp01 received PAUSE last"), "{:?}", next.said);
    assert_eq!(next.ask(Request::Resume), Reply::Done);
    next.pass(0.5);
    assert_eq!(next.phase(), Phase::Running);
    // A second hub dies while it waits for the robots. It has not changed the last directives of the robots, so a third
    // hub resumes the run.
    bench.ask(Request::Resume);
    with_stale_snapshot(&mut bench, |_| {});
    let mut asking = Bench::restarted(&bench);
    asking.silent = vec!["xp02".into()];
    asking.pass(1.5);
    assert_eq!((asking.phase(), asking.last_directives.clone()), (Phase::Preparing, bench.last_directives.clone()));
    asking.silent.clear();
    let mut third = Bench::restarted(&asking);
    third.pass(0.5);
    assert_eq!(third.phase(), Phase::Running);
    // The run does not continue in three cases: a robot does not know its last directive, an operator sends STOP, or a
    // robot does not return.
    let mut forgetful = Bench::restarted(&Bench { kept: bench.kept.clone(), ..Bench::new() });
    forgetful.pass(1.0);
    assert_eq!(forgetful.phase(), Phase::Paused);
    assert!(said(&forgetful, "does not know its last order"), "{:?}", forgetful.said);
    // The hub accepts STOP even while it waits for the robots.
    let mut stopped = Bench::restarted(&bench);
    stopped.silent = vec!["xp02".into()];
    stopped.pass(0.5);
    assert_eq!((stopped.phase(), stopped.ask(Request::Stop)), (Phase::Preparing, Reply::Done));
    stopped.pass(0.5);
    assert_eq!(stopped.last_directives["xp01"].state, State::Stop);
    let mut alone = Bench::restarted(&bench);
    alone.silent = vec!["xp02".into()];
    alone.pass(9.0);
    assert_eq!(alone.phase(), Phase::Preparing);
    alone.pass(2.0);
    assert_eq!(alone.phase(), Phase::Paused);
    assert!(said(&alone, "robot xp02 has not returned"), "{:?}", alone.said);
    with_stale_snapshot(&mut bench, |bench| drop(bench.ask(Request::Stop)));
    let mut next = Bench::restarted(&bench);
    next.pass(0.5);
    assert_eq!((next.phase(), next.states()), (Phase::Finished, vec![State::Stop; 2]));
    assert!(said(&next, "STOP was given later: the run is over"), "{:?}", next.said);
}

#[test]
fn world_without_frisbee_is_scored_by_its_own_task() {
    let world = "robots = 9\n[task]\nkind = \"aggregation\"\nrange_m = 0.5\n[[start]]\nx_m = [-0.9, 0.9]\n\
                 y_m = [-0.65, 0.65]\n";
    let text = "name = \"x\"\nminutes = 0.2\nsegment_minutes = 0.05\nworld = \"w.toml\"\n";
    let signed = Signed::new(text.into(), [("w.toml".to_string(), world.to_string())].into(), None).unwrap();
    let mut bench = Bench::new();
    bench.hidden = vec!["frisbee"];
    bench.pass(0.5);
    assert_eq!(bench.ask(Request::Start { signed, seed: 1 }), Reply::Done);
    bench.pass(4.5);
    assert_eq!(bench.phase(), Phase::Running);
    let status = bench.board.status(bench.now);
    assert_eq!(status.segments[0].fitness, 1.0, "both stand 0.3 m apart: {:?}", status.segments);
}

/// Starts an experiment in a world, and returns the reply. The frisbee is at the origin.
fn start_in(bench: &mut Bench, world: &str) -> Reply {
    let text = "name = \"x\"\nminutes = 0.8\nsegment_minutes = 0.8\nworld = \"w.toml\"\n";
    let signed = Signed::new(text.into(), [("w.toml".to_string(), world.to_string())].into(), None).unwrap();
    bench.pass(0.5);
    bench.ask(Request::Start { signed, seed: 1 })
}

#[test]
fn formula_scores_and_relocates_the_frisbee() {
    let world = include_str!("../../../../../docs/worlds/missions/transport-formula.toml");
    let mut bench = Bench::new();
    assert_eq!(start_in(&mut bench, world), Reply::Done);
    bench.pass(4.5);
    let push = |bench: &mut Bench, x: f32| {
        bench.frisbee = x;
        bench.pass(0.1);
    };
    push(&mut bench, -0.1);
    push(&mut bench, -0.893);
    assert_eq!((bench.phase(), bench.states()), (Phase::Relocating, vec![State::Pause; 2]));
    push(&mut bench, 0.05);
    bench.pass(0.2);
    assert_eq!(bench.phase(), Phase::Running);
    push(&mut bench, -0.05);
    bench.pass(0.5);
    let segment = bench.board.status(bench.now).segments[0].clone();
    let moved = segment.fitness * segment.seconds * 0.13;
    assert!((moved - 0.993).abs() < 0.05, "0.993 m were pushed, the way back was carried: {moved}");
    // The task needs the frisbee, so the run pauses without it.
    bench.hidden = vec!["frisbee"];
    bench.pass(1.5);
    assert_eq!(bench.phase(), Phase::Blind);
}

#[test]
fn scores_of_several_discs_are_refused() {
    let world = include_str!("../../../../../docs/worlds/missions/transport-formula.toml");
    let disc = "[[disc]]\nx_m = [0.3, 0.3]\ny_m = [0.3, 0.3]\n";
    for formula in ["last(disc_x(2))", "last(discs(arena))"] {
        let two = world.replace("last(-disc_moved_x(1) / (time * 0.13))", formula) + disc;
        let reply = start_in(&mut Bench::new(), &two);
        assert!(matches!(&reply, Reply::Refused(why) if why.contains("only the first one, the frisbee")), "{reply:?}");
    }
}

#[test]
fn only_one_operator_drives_robot_at_a_time() {
    let drive = |robot: &str, wheels| Request::Drive { robot: robot.into(), wheels, lamps: None };
    let mut bench = Bench::new();
    bench.start();
    assert_eq!(bench.ask(drive("xp02", [0.05, -0.05])), Reply::Done);
    assert_eq!(bench.ask(drive("xp02", [0.05, 0.05])), Reply::Done);
    let commands: Vec<_> = bench.sent.iter().filter(|(_, m)| matches!(m, ToRobot::Drive(_))).cloned().collect();
    let [(to, ToRobot::Drive(first)), _] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!((to.as_str(), first.wheels, first.hold_ms), ("xp02", [0.05, -0.05], 250));
    assert!((0.0..=1.0).contains(&(first.expires - bench.now)), "it is good for a moment: {first:?}");
    let noted = bench.said.iter().filter(|text| text.contains("robot xp02 is driven by alice")).count();
    assert_eq!(noted, 1, "{:?}", bench.said);
    let other = bench.board.on_request(bench.now, "bob", drive("xp02", [0.0; 2]));
    assert_eq!(other, Reply::Refused("robot xp02 is driven by alice".into()));
    bench.pass(1.0);
    assert_eq!(bench.board.on_request(bench.now, "bob", drive("xp02", [0.0; 2])), Reply::Done);
    for (robot, wheels, why) in [
        ("xp02", [f32::NAN, 0.0], "NaN m/s"),
        ("xp02", [0.0, 0.2], "0.2 m/s"),
        ("xp99", [0.0, 0.0], "robot `xp99` is not in the swarm file"),
    ] {
        let reply = bench.ask(drive(robot, wheels));
        assert!(matches!(&reply, Reply::Refused(text) if text.contains(why)), "{reply:?}");
    }
    bench.ask(Request::Order { robot: "xp01".into(), order: Order::Hold });
    let held = bench.ask(drive("xp01", [0.0; 2]));
    assert!(matches!(&held, Reply::Refused(text) if text.contains("xpuck robot release xp01")), "{held:?}");
    // After STOP, robots ignore wheel commands until an operator drives again.
    bench.ask(Request::Stop);
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Stop, State::Stop]);
    bench.ask(drive("xp02", [0.05, 0.05]));
    bench.pass(0.5);
    assert_eq!(bench.states()[1], State::Idle);
}

#[test]
fn picture_requests_are_rate_limited() {
    let mut bench = Bench::new();
    let ask = |bench: &mut Bench| bench.ask(Request::Picture { robot: "xp02".into() });
    assert!(matches!(ask(&mut bench), Reply::Refused(why) if why.contains("xp02 is not connected")));
    bench.pass(0.5);
    let picture = |value: u8| Picture { width: 2, height: 1, rgb: Bytes(vec![value; 6]) };
    // This picture arrives without an operator's request, so the operator does not receive it.
    bench.board.on_robot(bench.now, "xp02", RobotMessage::Picture(picture(1)));
    let Reply::Picture(told) = ask(&mut bench) else { panic!() };
    assert_eq!(told.picture, None);
    for _ in 0..4 {
        bench.pass(0.1);
        ask(&mut bench);
    }
    let asked = |bench: &Bench| bench.sent.iter().filter(|(_, m)| *m == ToRobot::Watch { picture: true }).count();
    assert_eq!(asked(&bench), 1, "a picture takes much of a radio");
    bench.pass(0.2);
    ask(&mut bench);
    assert_eq!(asked(&bench), 2);
    bench.board.on_robot(bench.now, "xp02", RobotMessage::Picture(picture(7)));
    bench.pass(0.4);
    let Reply::Picture(told) = ask(&mut bench) else { panic!() };
    assert!(told.picture == Some(picture(7)) && (told.age - 0.4).abs() < 0.01, "{told:?}");
    // The hub discards a picture whose size does not match its data.
    let torn = Picture { width: 3, ..picture(9) };
    bench.board.on_robot(bench.now, "xp02", RobotMessage::Picture(torn));
    let Reply::Picture(told) = ask(&mut bench) else { panic!() };
    assert_eq!(told.picture, None);
    assert!(matches!(bench.ask(Request::Picture { robot: "xp77".into() }), Reply::Refused(_)));
    assert!(Request::Picture { robot: "xp02".into() }.allowed_to(Role::Observer));
}

#[test]
fn tags_are_recorded_unless_they_cannot_be() {
    let mut bench = Bench::new();
    bench.pass(0.5);
    let tag = TagSeen { id: 7, range: 0.75, bearing: -0.25, height: 0.05, facing: 3.0 };
    let mut recorded = |tag: TagSeen| {
        let tags = Tags { age: 0.1, tags: vec![tag], looks: 5, doubled: 2, look_ms: 20.0 };
        bench.board.on_robot(bench.now, "xp01", RobotMessage::Tags(tags));
        let is_tags = |action: Action| match action {
            Action::Record(Entry::Tags { robot, tags, doubled, .. }) => Some((robot, tags, doubled)),
            _ => None,
        };
        bench.board.take_actions().into_iter().find_map(is_tags)
    };
    assert_eq!(recorded(tag), Some(("xp01".into(), vec![tag], 2)));
    assert_eq!(recorded(TagSeen { range: f32::NAN, ..tag }), None);
}

/// Builds a request to enrol the new robots of a swarm file. `count` is the total number of robots in the file.
fn enrolment(count: usize) -> Request {
    Request::Enrol {
        robots: (1..=count).map(|i| format!("xp{i:02}")).collect(),
        peers: (1..=count).map(|i| format!("tcp://127.0.0.1:{i}")).collect(),
    }
}

#[test]
fn enrolled_robot_gets_experiment_then_run() {
    let mut bench = Bench::new();
    bench.start();
    let Request::Enrol { robots, peers } = enrolment(3) else { unreachable!() };
    let other = Request::Enrol { robots: robots.into_iter().rev().collect(), peers };
    assert!(matches!(bench.ask(other), Reply::Refused(why) if why.contains("robot 1 of the swarm is `xp01`")));
    assert_eq!(bench.ask(enrolment(3)), Reply::Done);
    assert!(
        bench.said.contains(&"robot xp03 is enrolled by alice, its island is 3; it joins the current run".into()),
        "{:?}",
        bench.said
    );
    let kept = bench.kept.take().unwrap();
    assert_eq!((kept.robots.len(), kept.planned), (3, 2));
    bench.pass(0.5);
    assert!(!bench.board.status(bench.now).robots[2].alive, "it was not heard");
    bench.robots.push(("xp03".into(), State::Idle, 0));
    bench.pass(1.0);
    assert_eq!(bench.states(), [State::Run; 3]);
    let told: Vec<&ToRobot> = bench.sent.iter().filter(|(id, _)| id == "xp03").map(|(_, message)| message).collect();
    let at = |wanted: &dyn Fn(&ToRobot) -> bool| told.iter().position(|message| wanted(message));
    // The run was planned for two robots. Therefore the new robot simulates two robots, like the others.
    let experiment = at(&|message| matches!(message, ToRobot::Experiment { robots: 2, .. }));
    let run = at(&|message| matches!(message, ToRobot::Directive(Directive { state: State::Run, .. })));
    assert!(experiment.is_some() && experiment < run, "{experiment:?} {run:?}");
    let hears = |message: &ToRobot| matches!(message, ToRobot::Senses { neighbours, .. } if !neighbours.is_empty());
    assert!(at(&hears).is_some());
    // A repeated enrolment has no effect. A hub enrols at most 16 new robots.
    let said = bench.said.len();
    assert_eq!(bench.ask(enrolment(3)), Reply::Done);
    assert_eq!(bench.said.len(), said);
    assert!(
        matches!(bench.ask(enrolment(19)), Reply::Refused(why) if why.contains("accepts 16 new robots and has accepted 1"))
    );
    // A hub whose swarm file contains all robots of the run resumes the run. A hub whose swarm file lacks the new robot
    // does not.
    assert_eq!(
        Bench::new().board.resume(kept.time, (*kept).clone()),
        Err("the run had other robots than the swarm file".into())
    );
    let mut next = Bench::new();
    next.ask(enrolment(4));
    assert_eq!(next.board.resume(kept.time, *kept), Ok(()));
}

#[test]
fn replaced_robot_is_awaited_again_and_stays_held() {
    let mut bench = Bench::new();
    bench.start();
    let order = |order| Request::Order { robot: "xp02".into(), order };
    bench.ask(order(Order::Hold));
    bench.pass(0.5);
    bench.silent = vec!["xp02".into()];
    assert_eq!(bench.ask(order(Order::Replace)), Reply::Done);
    bench.pass(0.1);
    let row = &bench.board.status(bench.now).robots[1];
    assert_eq!((row.alive, row.heard_s, row.held, row.round_trip_ms), (false, None, true, None));
    // The previous board still sends telemetry for a moment. The hub drops this data when the new board sends its
    // greeting.
    let battery =
        Telemetry { power: PowerReport { battery_v: Some(3.2), ..PowerReport::default() }, ..Telemetry::default() };
    bench.board.on_robot(bench.now, "xp02", RobotMessage::Telemetry(Box::new(battery)));
    assert_eq!(bench.board.status(bench.now).robots[1].battery_v, Some(3.2));
    bench.silent.clear();
    bench.robots[1] = ("xp02".into(), State::Idle, 0);
    let hello =
        RobotMessage::Hello { version: "1".into(), session: 7, seen: (0, 0), witness: LastDirectiveReport::default() };
    bench.board.on_robot(bench.now, "xp02", hello);
    let row = &bench.board.status(bench.now).robots[1];
    assert_eq!((row.alive, row.battery_v, row.version.as_str()), (true, None, "1"));
    bench.pass(1.0);
    assert_eq!(bench.states(), [State::Run, State::Stop], "what was ordered is for the robot, not for its board");
    bench.ask(order(Order::Release));
    bench.pass(0.5);
    assert_eq!(bench.states(), [State::Run, State::Run]);
}

#[test]
fn only_adaptive_swarms_get_poses_and_estimates() {
    let estimate = |value| Estimate {
        parameter: "frisbee-mass".into(),
        simulated: 0.07,
        value,
        sd: 0.1,
        evidence: 9.0,
        windows: 40,
    };
    let gene = |island| Emigrant {
        island,
        number: 1,
        epoch: 0,
        tree: "movcv v_goal 0deg".into(),
        count: [4, 4],
        sum: [0.5, 0.5],
        square: [0.1, 0.1],
    };
    let run = |more: &str| {
        let mut bench = Bench::new();
        bench.pass(0.5);
        assert_eq!(bench.ask(upload(&format!("{more}{EXPERIMENT}"))), Reply::Done);
        bench.pass(1.0);
        bench.sent.clear();
        bench.pass(1.0);
        for (id, island, value) in [("xp01", 1, 0.28), ("xp02", 2, f32::NAN)] {
            bench.board.on_robot(bench.now, id, RobotMessage::Estimates(vec![estimate(value)]));
            let genes = RobotMessage::Genes { generation: 1, emigrant: gene(island), births: vec![] };
            bench.board.on_robot(bench.now, id, genes);
            bench.deliver();
        }
        bench
    };
    let told = |bench: &Bench, id: &str| -> (usize, Vec<Vec<PeerEstimates>>) {
        let mine = || bench.sent.iter().filter(|(to, _)| to == id).map(|(_, message)| message);
        let estimates = mine().filter_map(|m| if let ToRobot::Estimates(told) = m { Some(told.clone()) } else { None });
        (mine().filter(|m| matches!(m, ToRobot::Poses(_))).count(), estimates.collect())
    };
    let usual = run("");
    assert_eq!((told(&usual, "xp01"), told(&usual, "xp02")), ((0, vec![]), (0, vec![])));
    let adaptive = run("adapt = true\n");
    let (poses, found) = told(&adaptive, "xp02");
    assert!((9..=14).contains(&poses), "{poses} in a second");
    assert_eq!(found, [[PeerEstimates { island: 1, age: 0.0, estimates: vec![estimate(0.28)] }]]);
    assert_eq!(told(&adaptive, "xp01").1, [vec![]], "nobody else had said anything");
    assert!(adaptive.said.iter().any(|line| line.contains("invalid estimates")), "{:?}", adaptive.said);
    let poses = adaptive.sent.iter().rev().find_map(|(id, message)| match message {
        ToRobot::Poses(poses) if id == "xp01" => Some(poses),
        _ => None,
    });
    let poses = poses.unwrap();
    assert_eq!((poses.me, poses.disc.unwrap()), ([0.3, 0.0, 0.0], [0.0, 0.0, 0.0]));
    assert_eq!(poses.mates, [(2, [0.6, 0.0, 0.0], [0.0; 2])]);
}
