//! Tests of a robot with messages, genes and island events, in a shell that records all calls.

use super::*;
use crate::island::{Generation, PendingGeneration, Trials};
use std::collections::VecDeque;
use xpuck_evolve::Island;
use xpuck_kernels::world::task::Task;
use xpuck_wire::message::{Directive, Severity, State};
use xpuck_wire::signed::Signed;
use xpuck_wire::witness::ObeyedDirective;

const TEXT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
    [evolution]\npopulation = 8\n";

#[derive(Default)]
struct Bench {
    inbox: VecDeque<Result<Sealed, CodecError>>,
    count: u64,
    sent: Vec<RobotMessage>,
    island: Option<Island>,
    immigrants: Vec<(u32, usize)>,
    news: VecDeque<IslandEvent>,
    lines: Vec<String>,
    said: VecDeque<LogLine>,
    wishes: Vec<OperatorRequest>,
    remembered: VecDeque<u64>,
    /// State of the robot whenever it stopped the wheels between two updates.
    stood: Vec<State>,
    /// Whether the queue to the hub is full, so that no message can be sent.
    full: bool,
    /// Messages from other robots, and messages to other robots.
    from_peers: VecDeque<(u16, PeerInput)>,
    to_peers: Vec<(u16, PeerMessage)>,
    /// Requests of programs, results of these requests, and texts passed to the programs.
    programs: VecDeque<(u32, ProgramRequest)>,
    answers: Vec<Result<(), String>>,
    heard: Vec<(u16, String)>,
    /// Commanded wheel speeds.
    driven: Vec<[f32; 2]>,
}

impl Bench {
    fn say(&mut self, message: ToRobot) {
        self.count += 1;
        self.inbox.push_back(Ok(Sealed { session: 77, hub: 1, count: self.count, message }));
    }

    /// Completes one more generation of the island.
    fn finish(&mut self) -> Generation {
        let island = self.island.as_mut().expect("an island");
        let fitness = vec![0.1; island.trials().len()];
        PendingGeneration::begin(island).record(island, &Task::Transport, &fitness).expect("one round")
    }

    fn loaded(&self) -> Vec<u32> {
        let segment = |message: &RobotMessage| match message {
            RobotMessage::Loaded { segment, .. } => Some(*segment),
            _ => None,
        };
        self.sent.iter().filter_map(segment).collect()
    }
}

impl Shell for Bench {
    fn receive(&mut self) -> Option<Result<Sealed, CodecError>> {
        self.inbox.pop_front()
    }

    fn send(&mut self, message: RobotMessage) -> bool {
        self.sent.push(message);
        !self.full
    }

    fn receive_peer(&mut self) -> Option<(u16, PeerInput)> {
        self.from_peers.pop_front()
    }

    fn send_peer(&mut self, island: u16, message: PeerMessage) {
        self.to_peers.push((island, message));
    }

    fn trust(&mut self) -> Option<Trust> {
        Some(Trust::Anybody)
    }

    fn start_island(&mut self, plan: IslandPlan) {
        self.island = Some(plan.create());
    }

    fn run_island(&mut self, _: bool) {}

    fn change_trials(&mut self, _: Trials) {}

    fn immigrate(&mut self, generation: u32, migrants: Vec<Migrant>) {
        self.immigrants.push((generation, migrants.len()));
    }

    fn news(&mut self) -> Option<IslandEvent> {
        self.news.pop_front()
    }

    fn execute(&mut self, wish: OperatorRequest) {
        self.wishes.push(wish);
    }

    fn remember(&mut self, told: ObeyedDirective) {
        self.remembered.push_back(told.directive);
    }

    fn remembered(&mut self) -> Option<u64> {
        self.remembered.pop_front()
    }

    fn change_settings(&mut self, _: u64, _: &str, _: bool) {}

    fn sense(&mut self) -> Readings {
        Readings { body_age: Some(0.0), ..Readings::default() }
    }

    /// Records the commanded speeds, and returns half of them as the speeds that the motors produce.
    fn drive(&mut self, _: &Core, wheels: [f32; 2], _: Option<Ring>) -> [f32; 2] {
        self.driven.push(wheels);
        wheels.map(|speed| speed / 2.0)
    }

    fn stop_wheels(&mut self, core: &Core) {
        self.stood.push(core.state());
    }

    fn program(&mut self) -> Option<(u32, ProgramRequest)> {
        self.programs.pop_front()
    }

    fn answer_program(&mut self, _: u32, result: Result<(), String>) {
        self.answers.push(result);
    }

    fn has_programs(&self) -> bool {
        true
    }

    fn send_programs(&mut self, from: u16, text: &str) {
        self.heard.push((from, text.into()));
    }

    fn report(&mut self, telemetry: &mut Telemetry) {
        telemetry.evolution.duty = 0.5;
    }

    fn log(&mut self, line: Line) {
        self.lines.push(line.text);
    }

    fn next_log_line(&mut self) -> Option<LogLine> {
        self.said.pop_front()
    }
}

/// Creates a robot whose clock equals the hub's clock, with an experiment in which trees evolve.
fn prepared() -> (Robot, Bench) {
    prepared_with("")
}

fn experiment(more: &str) -> ToRobot {
    let manifest = format!("experiment = {:?}", format!("{more}{TEXT}"));
    let signed = Signed { manifest, signer: String::new(), signature: String::new(), files: Default::default() };
    ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed }
}

/// Like `prepared`, with additional keys at the start of the experiment.
fn prepared_with(more: &str) -> (Robot, Bench) {
    let robot = Robot::new(Core::new(1, 77, Trust::nobody()), 2.0).with_peers(2);
    let (mut robot, mut bench) = (robot, Bench::default());
    bench.say(ToRobot::Pong { stamp: 0.0, time: 0.0 });
    bench.say(experiment(more));
    robot.listen(0.0, &mut bench);
    assert!(bench.island.is_some(), "the new trust is asked for before the experiment is judged: {:?}", bench.sent);
    (robot, bench)
}

fn run(number: u64, segment: u32) -> ToRobot {
    ToRobot::Directive(Directive { number, state: State::Run, segment, run: 5, expires: 100.0, ..Directive::default() })
}

#[test]
fn message_flood_does_not_block_loop() {
    let (mut robot, mut bench) = prepared();
    (0..MESSAGES_AT_ONCE + 3).for_each(|_| bench.say(ToRobot::Ping { stamp: 0.0 }));
    robot.listen(0.1, &mut bench);
    assert_eq!(bench.inbox.len(), 3);
}

#[test]
fn rejected_messages_are_counted_and_first_is_logged() {
    let (mut robot, mut bench) = prepared();
    bench.inbox.extend([0, 0].map(|bytes| Err(CodecError::Size(bytes))));
    let sound = Emigrant::from_values(bench.finish().champion.values());
    let bad = Emigrant { tree: "nonsense".into(), ..sound.clone() };
    bench.say(ToRobot::Genes { generation: 1, immigrants: vec![bad, sound] });
    robot.listen(0.1, &mut bench);
    assert_eq!(bench.immigrants, [(1, 1)], "only sound genes reach the island");
    assert_eq!(bench.lines.len(), 2, "{:?}", bench.lines);
    assert!(
        bench.lines[0].starts_with("a message from the hub was rejected: the message has 0 bytes"),
        "{:?}",
        bench.lines
    );
    assert!(bench.lines[1].starts_with("rejected: migrant "), "{:?}", bench.lines);
    robot.update(0.1, &mut bench);
    let Some(RobotMessage::Telemetry(told)) = bench.sent.last() else { panic!("{:?}", bench.sent.last()) };
    assert_eq!(told.link.refused, 3);
}

#[test]
fn unknown_hub_messages_are_skipped_with_one_log_line() {
    let (mut robot, mut bench) = prepared();
    bench.inbox.extend([(); 5].map(|()| Err(CodecError::Unknown("Dance".into()))));
    bench.say(run(10, 1));
    robot.listen(0.1, &mut bench);
    assert_eq!(bench.lines.iter().filter(|line| line.contains("unknown name `Dance`")).count(), 1, "{:?}", bench.lines);
    assert_eq!((robot.refused, robot.core.state()), (0, State::Run));
}

#[test]
fn segment_before_first_generation_gets_tree_later() {
    let (mut robot, mut bench) = prepared();
    bench.say(run(10, 1));
    robot.listen(0.1, &mut bench);
    robot.collect(&mut bench);
    assert!(bench.loaded().is_empty());
    let done = bench.finish();
    bench.news.push_back(IslandEvent::Generation(Box::new(done)));
    robot.collect(&mut bench);
    assert_eq!((bench.loaded(), robot.generation()), (vec![1], 1));
    assert!(bench.sent.iter().any(|m| matches!(m, RobotMessage::Genes { generation: 1, .. })));
    bench.say(run(11, 2));
    robot.listen(0.2, &mut bench);
    assert_eq!(bench.loaded(), [1, 2], "later segments get it at once");
}

#[test]
fn telemetry_has_motor_speeds_and_wall_time_round_trip() {
    let (mut robot, mut bench) = prepared();
    let done = bench.finish();
    bench.news.push_back(IslandEvent::Generation(Box::new(done)));
    robot.collect(&mut bench);
    bench.say(ToRobot::Pong { stamp: 0.1, time: 0.1 });
    bench.say(run(10, 1));
    robot.listen(0.2, &mut bench);
    robot.core.load(&xpuck_kernels::tree::Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
    robot.update(0.2, &mut bench);
    let Some(RobotMessage::Telemetry(told)) = bench.sent.last() else { panic!("{:?}", bench.sent.last()) };
    assert_eq!(told.link.trip_ms, Some(50.0), "0.1 s of arena time at twice the wall's speed");
    assert_eq!((told.evolution.generation, told.evolution.duty), (1, 0.5));
    let commanded = robot.core.telemetry(0.2, &Readings::default()).motion.wheels;
    assert!(commanded[0] > 0.0);
    assert_eq!(told.motion.wheels, commanded.map(|speed| ((f64::from(speed) / 2.0 * 1e5).round() / 1e5) as f32));
}

#[test]
fn fittest_of_earlier_run_does_not_replace_given_controller() {
    let (mut robot, mut bench) = prepared();
    bench.say(run(10, 1));
    robot.listen(0.1, &mut bench);
    let done = bench.finish();
    let text = TEXT.replace("task", "controller = \"movcv v_goal 0deg\"\ntask");
    let manifest = format!("experiment = {text:?}");
    let signed = Signed { manifest, signer: String::new(), signature: String::new(), files: Default::default() };
    bench.say(ToRobot::Experiment { number: 6, seed: 1, robots: 2, signed });
    robot.listen(0.2, &mut bench);
    let given = robot.core.controller().map(|c| c.tree().clone());
    assert!(given.is_some(), "{:?}", bench.sent);
    // The island of the earlier run reports its first generation while a segment of that run still waits for a tree.
    let sent = bench.sent.len();
    bench.news.push_back(IslandEvent::Generation(Box::new(done)));
    robot.collect(&mut bench);
    assert!(bench.loaded().is_empty() && bench.sent.len() == sent, "{:?}", bench.sent);
    assert_eq!(robot.core.controller().map(|c| c.tree().clone()), given);
}

#[test]
fn lines_of_the_log_travel_no_faster_than_they_may() {
    let (mut robot, mut bench) = prepared();
    bench.said.extend((0..100).map(|i| LogLine::new(Severity::Warn, i, "xpuckd xp01: no\nposes")));
    let told = |bench: &Bench| bench.sent.iter().filter(|m| matches!(m, RobotMessage::Log(_))).count();
    robot.update(0.1, &mut bench);
    assert_eq!(told(&bench), LOG_BURST as usize);
    (0..50).for_each(|_| robot.update(0.2, &mut bench));
    assert_eq!(told(&bench), LOG_BURST as usize + 10, "two a second");
    let line = bench.sent.iter().find_map(|m| if let RobotMessage::Log(line) = m { Some(line) } else { None });
    assert!(line.is_some_and(|line| line.is_valid() && line.text.ends_with("no\\nposes")), "{line:?}");
}

#[test]
fn run_updates_are_sent_and_queue_overflow_is_counted() {
    let (mut robot, mut bench) = prepared();
    bench.say(run(10, 1));
    robot.listen(0.1, &mut bench);
    robot.core.load(&xpuck_kernels::tree::Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
    bench.full = true;
    (0..20).for_each(|_| robot.update(0.2, &mut bench));
    let batches: Vec<_> =
        bench.sent.iter().filter_map(|m| if let RobotMessage::Updates(u) = m { Some(u) } else { None }).collect();
    assert_eq!(batches.iter().map(|b| (b.first, b.count)).collect::<Vec<_>>(), [(1, 10), (11, 10)]);
    let update = &batches[1].unpack().unwrap()[4];
    let [left, right, sent_left, sent_right] = update.wheels.map(f32::from_bits);
    assert!(update.ticked && left > 0.0 && [sent_left, sent_right] == [left / 2.0, right / 2.0]);
    let Some(RobotMessage::Telemetry(told)) = bench.sent.last() else { panic!("{:?}", bench.sent.last()) };
    assert_eq!(told.unsent, 2);
}

#[test]
fn pause_and_stop_stop_wheels_at_once() {
    let (mut robot, mut bench) = prepared();
    let direct = |bench: &mut Bench, number, state| {
        let run = 5;
        let expires = f64::MAX;
        bench.say(ToRobot::Directive(Directive { number, state, run, expires, ..Directive::default() }));
    };
    for (number, state, stood) in
        [(10, State::Run, 0), (11, State::Pause, 1), (12, State::Run, 1), (13, State::Stop, 2), (14, State::Stop, 2)]
    {
        direct(&mut bench, number, state);
        robot.listen(0.1, &mut bench);
        assert_eq!((robot.core.state(), bench.stood.len()), (state, stood));
    }
    assert_eq!(bench.stood, [State::Pause, State::Stop]);
}

/// Returns the numbers of the generations reported to the hub, in order.
fn reported_generations(bench: &Bench) -> Vec<u32> {
    let number =
        |m: &RobotMessage| if let RobotMessage::Genes { generation, .. } = m { Some(*generation) } else { None };
    bench.sent.iter().filter_map(number).collect()
}

fn generation(robot: &mut Robot, bench: &mut Bench) {
    let done = bench.finish();
    bench.island.as_mut().expect("an island").advance(&[]);
    bench.news.push_back(IslandEvent::Generation(Box::new(done)));
    robot.collect(bench);
}

#[test]
fn missed_generations_are_sent_when_hub_has_run_again() {
    let (mut robot, mut bench) = prepared_with("silence = { then = \"evolve\" }\n");
    bench.say(run(10, 1));
    robot.listen(0.1, &mut bench);
    robot.update(0.1, &mut bench);
    generation(&mut robot, &mut bench);
    assert_eq!(reported_generations(&bench), [1]);
    robot.update(1.3, &mut bench);
    (0..20).for_each(|_| generation(&mut robot, &mut bench));
    robot.update(5.0, &mut bench);
    assert_eq!(reported_generations(&bench), [1], "nobody is there to be told");
    // The robot sends the missed generations only after the returned hub has resumed the run.
    bench.say(ToRobot::Welcome { island: 1 });
    robot.listen(6.0, &mut bench);
    robot.update(6.0, &mut bench);
    assert_eq!(reported_generations(&bench), [1]);
    bench.say(experiment("silence = { then = \"evolve\" }\n"));
    robot.listen(6.1, &mut bench);
    for now in [6.1, 6.2, 6.3, 6.4] {
        robot.update(now, &mut bench);
    }
    let all: Vec<u32> = [1].into_iter().chain(1..=21).collect();
    assert_eq!(
        reported_generations(&bench),
        all,
        "the first one, told just before the silence, again: its record may be lost"
    );
    assert!(
        bench.lines.iter().any(|line| line == "the hub was away: generations 1 to 21 are reported now"),
        "{:?}",
        bench.lines
    );
    generation(&mut robot, &mut bench);
    assert_eq!(reported_generations(&bench).last(), Some(&22));
}

#[test]
fn peer_genes_reach_island_hub_answer_does_not() {
    let (mut robot, mut bench) = prepared_with("genes = \"peers\"\n");
    bench.say(run(10, 1));
    let neighbours = vec![xpuck_wire::message::Neighbour { island: 2, range: 0.2, bearing: 0.0 }];
    bench.say(ToRobot::Senses { up: 0.0, neighbours, age: 0.0 });
    robot.listen(0.1, &mut bench);
    robot.update(0.1, &mut bench);
    let [(2, PeerMessage::Ask { number, run, after: 0 })] = bench.to_peers[..] else { panic!("{:?}", bench.to_peers) };
    let mut other = bench.island.clone().expect("an island");
    let fitness = vec![0.1; other.trials().len()];
    let mut begun = PendingGeneration::begin(&other);
    let emigrant = begun.record(&mut other, &Task::Transport, &fitness).expect("one round").emigrant;
    let migrant = Migrant { id: xpuck_evolve::Id { island: 2, number: 3 }, ..emigrant };
    let answer = PeerInput::Genes { number, run, generation: 4, migrants: vec![(4, migrant)], refused: (0, None) };
    bench.from_peers.push_back((2, answer));
    robot.listen(0.2, &mut bench);
    let sent = bench.sent.len();
    generation(&mut robot, &mut bench);
    assert_eq!(bench.immigrants, [(1, 1)]);
    let told = &bench.sent[sent..];
    assert!(
        matches!(told, [RobotMessage::Population(_), RobotMessage::Peers(report), RobotMessage::Genes { generation: 1, .. }, ..]
        if report.generation == 1 && report.from == [2] && report.in_range == 1),
        "{told:?}"
    );
    bench.say(ToRobot::Genes { generation: 1, immigrants: Vec::new() });
    robot.listen(0.3, &mut bench);
    assert_eq!(bench.immigrants.len(), 1, "the island has had its answer");
    // The robot also sends genes to another robot that requests them.
    bench.from_peers.push_back((2, PeerInput::Ask { number: 9, run, after: 0 }));
    robot.listen(0.4, &mut bench);
    assert!(
        matches!(bench.to_peers.last(), Some((2, PeerMessage::Genes { number: 9, generation: 1, genes, .. })) if genes.len() == 1)
    );
    robot.say(2, b"hello").unwrap();
    robot.listen(0.5, &mut bench);
    assert!(matches!(bench.to_peers.last(), Some((2, PeerMessage::Say { bytes, .. })) if bytes.0 == b"hello"));
    bench.from_peers.push_back((2, PeerInput::Say { session: 8, count: 1, bytes: b"you too".to_vec() }));
    robot.listen(0.6, &mut bench);
    assert_eq!((robot.heard(), robot.heard()), (Some((2, b"you too".to_vec())), None));
}

#[test]
fn program_drives_at_once_and_messages_robots_in_range() {
    let (mut robot, mut bench) = prepared();
    bench.say(run(10, 0));
    let near = vec![xpuck_wire::message::Neighbour { island: 2, range: 0.2, bearing: 0.0 }];
    bench.say(ToRobot::Senses { up: 0.0, neighbours: near, age: 0.0 });
    robot.listen(0.1, &mut bench);
    robot.update(0.1, &mut bench);
    bench.driven.clear();
    let ahead = Command { wheels: [0.05, 0.05], lamps: None };
    let words = |to| (1, ProgramRequest::Tell(to, "here".into()));
    bench.programs.extend([
        words(2),
        (1, ProgramRequest::Take("test".into())),
        (1, ProgramRequest::Drive(ahead)),
        words(2),
        words(3),
    ]);
    robot.handle_programs(0.15, &mut bench);
    assert_eq!(bench.driven, [[0.0; 2], ahead.wheels], "it took, and drove, between two updates");
    let refused: Vec<_> = bench.answers.iter().map(|answer| answer.as_ref().err().map(String::as_str)).collect();
    assert_eq!(
        refused,
        [
            Some("this program does not control the wheels; take the wheels first"),
            None,
            None,
            None,
            Some("robot 3 is not in range")
        ]
    );
    robot.listen(0.2, &mut bench);
    let said = bench.to_peers.iter().find_map(|(to, message)| match message {
        PeerMessage::Say { bytes, .. } => Some((*to, bytes.0.clone())),
        _ => None,
    });
    assert_eq!(said, Some((2, b"here".to_vec())));
    let answer = PeerMessage::Say { session: 9, count: 1, bytes: xpuck_wire::bytes::Bytes(b"there".to_vec()) };
    bench.from_peers.push_back((2, peers::open(answer, None)));
    robot.listen(0.25, &mut bench);
    robot.handle_programs(0.25, &mut bench);
    assert_eq!(bench.heard, [(2, "there".to_string())]);
    robot.handle_programs(0.41, &mut bench);
    assert_eq!(bench.driven.last(), Some(&[0.0; 2]), "its command ended");
}
