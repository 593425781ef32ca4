//! Tests of the hub's order of processing, its arbitration of sessions, and its records. The test shell stores all
//! calls.

use super::*;
use crate::config::HubFile;
use crate::entry::Entry;
use crate::mocap::Frame;
use crate::switchboard::StorageResult;
use std::collections::{BTreeMap, VecDeque};
use xpuck_wire::codec::CodecError;
use xpuck_wire::message::{Order, Request};
use xpuck_wire::settings::Answer;
use xpuck_wire::signed::{Signed, Trust};
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::witness::LastDirectiveReport;
use xpuck_wire::{Addresses, Phase, Security, Status};

#[derive(Default)]
struct Bench {
    wall: f64,
    keys: Option<KeyNews>,
    poses: VecDeque<PoseNews>,
    inbox: VecDeque<(&'static str, u8, Result<RobotMessage, CodecError>)>,
    requests: VecDeque<Request>,
    answers: BTreeMap<String, u8>,
    replies: Vec<Reply>,
    sent: Vec<(usize, Sealed)>,
    refuses_records: bool,
    /// Names of the opened records, and the experiment and phase of each closed record.
    opened: Vec<String>,
    closed: Vec<(String, Phase)>,
    news: VecDeque<RecordNews>,
    stored: Option<Snapshot>,
    stops: Option<u64>,
    lines: Vec<String>,
    /// Kinds of the items that the hub has handled, in order.
    taken: Vec<&'static str>,
}

impl Bench {
    fn says(&mut self, robot: &'static str, connection: u8, message: RobotMessage) {
        self.inbox.push_back((robot, connection, Ok(message)));
    }
}

impl Shell for Bench {
    type Connection = u8;
    type Asker = ();

    fn wall(&mut self) -> f64 {
        self.wall
    }

    fn keys(&mut self) -> Option<KeyNews> {
        self.keys.take()
    }

    fn poses(&mut self, _: f64) -> Option<PoseNews> {
        let news = self.poses.pop_front()?;
        self.taken.push("poses");
        Some(news)
    }

    fn receive(&mut self) -> Option<FromRobot<u8>> {
        let (robot, connection, message) = self.inbox.pop_front()?;
        self.taken.push("message");
        Some(FromRobot { robot: robot.into(), connection, message })
    }

    fn answers_by(&self, robot: &str, connection: &u8) -> bool {
        self.answers.get(robot) == Some(connection)
    }

    fn answer_by(&mut self, robot: &str, connection: u8) {
        self.answers.insert(robot.into(), connection);
    }

    fn heard(&mut self, _: f64, _: &str, _: &Result<RobotMessage, CodecError>) {
        self.taken.push("heard");
    }

    fn request(&mut self) -> Option<OperatorRequest<()>> {
        let request = self.requests.pop_front()?;
        self.taken.push("request");
        Some(OperatorRequest { by: (), who: "alice".into(), request: Ok(request) })
    }

    fn answer(&mut self, (): (), reply: Reply) {
        self.replies.push(reply);
    }

    fn send(&mut self, robot: usize, message: Sealed) {
        self.sent.push((robot, message));
    }

    fn open_record(&mut self, name: &str, _: (&str, BTreeMap<String, String>), _: u64) -> Result<String, String> {
        self.opened.push(name.into());
        if self.refuses_records { Err("the disk is full".into()) } else { Ok(format!("runs/{name}")) }
    }

    fn record(&mut self, _: Entry) -> Option<u64> {
        None
    }

    fn record_news(&mut self) -> Option<RecordNews> {
        self.news.pop_front()
    }

    fn store(&mut self, snapshot: Snapshot) {
        self.stored = Some(snapshot);
    }

    fn store_stops(&mut self, stops: u64) {
        self.stops = Some(stops);
    }

    fn close_record(&mut self, status: Status) {
        self.closed.push((status.experiment, status.phase));
    }

    fn log(&mut self, line: Line) {
        self.lines.push(line.text);
    }
}

fn hub() -> Hub<()> {
    let address = || String::from("tcp://127.0.0.1:1");
    let config = Config {
        hub: HubFile::at(""),
        swarm: Swarm {
            speed: 1.0,
            robots: ["xp01".into(), "xp02".into()].into(),
            peers: Vec::new(),
            hub: Addresses { robots: address(), operator: address(), console: None },
            security: Security::default(),
        },
    };
    Hub::new(config, 1000)
}

fn hello(session: u64) -> RobotMessage {
    RobotMessage::Hello { version: "1".into(), session, seen: (0, 0), witness: LastDirectiveReport::default() }
}

fn start(name: &str) -> Request {
    let text = format!("name = \"{name}\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n");
    Request::Start { signed: Signed::new(text, BTreeMap::new(), None).unwrap(), seed: 1 }
}

fn trusting() -> Bench {
    Bench { keys: Some(KeyNews { trust: Some(Trust::Anybody), ..KeyNews::default() }), ..Bench::default() }
}

#[test]
fn poses_come_before_messages_and_messages_before_requests() {
    let (mut hub, mut bench) = (hub(), Bench::default());
    bench.requests.push_back(Request::Status);
    bench.says("xp01", 1, hello(7));
    bench.poses.push_back(PoseNews::Frame(Frame::default()));
    hub.step(0.1, &mut bench);
    assert_eq!(bench.taken, ["poses", "message", "heard", "request"]);
    assert!(matches!(bench.replies[..], [Reply::Status(_)]));
}

#[test]
fn one_turn_handles_limited_number_of_messages() {
    let (mut hub, mut bench) = (hub(), Bench::default());
    (0..MESSAGES_AT_ONCE + 10).for_each(|_| bench.says("xp01", 1, hello(7)));
    hub.step(0.1, &mut bench);
    assert_eq!(bench.inbox.len(), 10);
}

#[test]
fn sent_messages_carry_session_of_robot_hello() {
    let (mut hub, mut bench) = (hub(), Bench::default());
    bench.says("xp02", 1, hello(7));
    hub.step(0.1, &mut bench);
    let seals: Vec<_> = bench.sent.iter().map(|(robot, sealed)| (*robot, sealed.session, sealed.hub)).collect();
    assert!(!seals.is_empty() && seals.iter().all(|seal| *seal == (1, 7, 1000)), "{seals:?}");
}

#[test]
fn second_program_is_rejected_while_first_is_active() {
    let (mut hub, mut bench) = (hub(), Bench::default());
    bench.says("xp01", 1, hello(7));
    bench.says("xp01", 2, hello(8));
    hub.step(0.1, &mut bench);
    assert_eq!(bench.taken, ["message", "heard", "message"]);
    assert_eq!(bench.answers["xp01"], 1);
    // The first program has been silent long enough that the second one may take over.
    bench.wall = 1.1;
    bench.says("xp01", 2, hello(8));
    hub.step(1.2, &mut bench);
    assert_eq!(bench.answers["xp01"], 2);
    assert_eq!(hub.seal(0, ToRobot::Ping { stamp: 0.0 }).session, 8);
}

#[test]
fn strangers_are_counted_and_decode_error_logged_once() {
    let (mut hub, mut bench) = (hub(), Bench::default());
    bench.says("xp99", 1, hello(7));
    bench.inbox.extend((0..5).map(|_| ("xp01", 1, Err(CodecError::Version(0)))));
    hub.step(0.1, &mut bench);
    assert_eq!(hub.board.strangers(), 1);
    let refused = bench.lines.iter().filter(|line| line.starts_with("robot xp01: message refused: message version 0"));
    assert_eq!(refused.count(), 1, "{:?}", bench.lines);
}

#[test]
fn unknown_message_is_ignored_with_one_line() {
    let (mut hub, mut bench) = (hub(), Bench::default());
    bench.inbox.extend((0..5).map(|_| ("xp01", 1, Err(CodecError::Unknown("Dance".into())))));
    bench.says("xp01", 1, hello(7));
    hub.step(0.1, &mut bench);
    let told: Vec<&String> = bench.lines.iter().filter(|line| line.contains("Dance")).collect();
    assert!(
        told.len() == 1 && told[0].starts_with("robot xp01: ignored a message with unknown name `Dance`"),
        "{:?}",
        bench.lines
    );
    assert_eq!(hub.seal(0, ToRobot::Ping { stamp: 0.0 }).session, 7, "what came after is heard");
}

#[test]
fn record_closes_with_status_of_its_own_run() {
    let (mut hub, mut bench) = (hub(), trusting());
    // The record of the first run stays open until the second start, because a connected robot has not confirmed STOP.
    bench.says("xp01", 1, hello(7));
    bench.requests.extend([start("first"), Request::Stop, start("second")]);
    bench.news.push_back(RecordNews::Kept(StorageResult::Stops(Ok(1))));
    hub.step(0.1, &mut bench);
    assert!(bench.replies.iter().all(|reply| matches!(reply, Reply::Done)), "{:?}", bench.replies);
    assert_eq!(bench.opened, ["first", "second"]);
    assert_eq!(bench.closed, [("first".to_string(), Phase::Finished)]);
    assert_eq!(hub.board.status(0.1).record, "runs/second");
    bench.requests.push_back(Request::Shutdown);
    hub.step(0.2, &mut bench);
    assert!(!hub.is_over() && bench.closed.len() == 1, "robots have their last words: {:?}", bench.closed);
    hub.step(0.8, &mut bench);
    assert!(hub.is_over() && bench.closed.len() == 2, "{:?}", bench.closed);
}

#[test]
fn early_telemetry_belongs_to_previous_run() {
    let (mut hub, mut bench) = (hub(), trusting());
    let tells = |generation| {
        let mut telemetry = Telemetry::default();
        (telemetry.evolution.generation, telemetry.evolution.derated) = (generation, 0.5);
        RobotMessage::Telemetry(Box::new(telemetry))
    };
    let mut evolved = |now: f64, messages: Vec<RobotMessage>, request: Option<Request>| {
        messages.into_iter().for_each(|message| bench.says("xp01", 1, message));
        bench.requests.extend(request);
        hub.step(now, &mut bench);
        (hub.board.status(now).evolved, hub.board.here().0)
    };
    assert_eq!(evolved(0.1, vec![hello(7), tells(40)], None).0, 0.5);
    let (fitness, number) = evolved(0.2, vec![], Some(start("next")));
    assert_eq!(fitness, 0.0);
    assert_eq!(evolved(0.3, vec![tells(41)], None).0, 0.0);
    let accepts = RobotMessage::Experiment { number, answer: Answer::Accepted };
    assert_eq!(evolved(0.4, vec![accepts, tells(1)], None).0, 0.5);
    assert_eq!(evolved(0.5, vec![hello(7), tells(2)], None).0, 0.5, "it is the same run after another greeting");
}

#[test]
fn operators_see_when_nothing_is_recorded_and_when_it_goes_on() {
    let (mut hub, mut bench) = (hub(), Bench { refuses_records: true, ..trusting() });
    bench.requests.push_back(start("first"));
    hub.step(0.1, &mut bench);
    assert_eq!(hub.board.status(0.1).record, "NOT RECORDING: the disk is full");
    bench.requests.push_back(Request::Stop);
    hub.step(0.2, &mut bench);
    assert!(bench.closed.is_empty(), "there is none to close: {:?}", bench.closed);
    bench.refuses_records = false;
    bench.requests.push_back(start("second"));
    hub.step(0.3, &mut bench);
    bench.news.push_back(RecordNews::Stopped("no room".into()));
    hub.step(0.4, &mut bench);
    assert_eq!(hub.board.status(0.4).record, "NOT RECORDING: no room");
    bench.news.push_back(RecordNews::Again { place: "runs/second".into(), text: "recording again".into() });
    hub.step(0.5, &mut bench);
    assert_eq!(hub.board.status(0.5).record, "runs/second");
    assert!(bench.lines.contains(&"recording again".to_string()), "{:?}", bench.lines);
}

/// Tests that a missing answer of the disk is not reported after the record was closed, because the hub then no longer
/// receives this answer.
#[test]
fn state_pending_at_record_close_raises_no_alarm() {
    let (mut hub, mut bench) = (hub(), trusting());
    bench.requests.push_back(start("first"));
    hub.step(0.1, &mut bench);
    hub.step(10.0, &mut bench);
    assert!(hub.board.status(10.0).not_kept.contains("has not answered for 10 s"));
    bench.requests.push_back(Request::Stop);
    (0..50).for_each(|i| hub.step(10.1 + f64::from(i), &mut bench));
    assert_eq!((bench.closed.len(), hub.board.status(60.1).not_kept.as_str()), (1, ""));
}

#[test]
fn run_of_other_robots_is_not_resumed() {
    let mut bench = trusting();
    bench.requests.push_back(start("first"));
    hub().step(0.1, &mut bench);
    let snapshot = bench.stored.expect("a run is stored at once");
    let mut next = hub();
    next.board.set_trust(Trust::Anybody);
    let (now, resumed) = next.resume(snapshot.clone(), 2.0, || Ok("runs/first".into()));
    assert_eq!((now, resumed), (2.1, Ok(())));
    assert_eq!(next.board.status(now).record, "runs/first");
    let other = Snapshot { robots: vec!["xp07".into()], ..snapshot };
    let (_, resumed) = hub().resume(other, 2.0, || panic!("there is no run to record"));
    assert_eq!(resumed, Err("the run had other robots than the swarm file".to_string()));
}

#[test]
fn stop_order_reply_waits_for_disk() {
    let (mut bench, mut hub) = (trusting(), hub());
    bench.says("xp01", 1, hello(1));
    bench.requests.push_back(start("first"));
    hub.step(0.1, &mut bench);
    bench.replies.clear();
    let refuses = |why: &str| RecordNews::Kept(StorageResult::State(Err(why.into())));
    // Case 1: the disk stores the order.
    bench.requests.push_back(Request::Order { robot: "xp01".into(), order: Order::Hold });
    hub.step(0.2, &mut bench);
    assert_eq!(bench.replies, []);
    let number = bench.stored.as_ref().unwrap().told.2;
    bench.news.push_back(RecordNews::Kept(StorageResult::State(Ok(number - 1))));
    hub.step(0.3, &mut bench);
    assert_eq!(bench.replies, []);
    bench.news.push_back(RecordNews::Kept(StorageResult::State(Ok(number))));
    hub.step(0.4, &mut bench);
    assert_eq!(bench.replies, [Reply::Done]);
    // Case 2: the disk fails, but the robot stores the order.
    bench.requests.push_back(Request::Order { robot: "xp01".into(), order: Order::Pause });
    bench.news.push_back(refuses("no space"));
    hub.step(0.5, &mut bench);
    assert!(hub.board.status(0.5).not_kept.contains("no space"));
    assert_eq!(bench.replies.len(), 1);
    let number = bench.stored.as_ref().unwrap().told.2;
    bench.says("xp01", 1, RobotMessage::Kept(number));
    hub.step(0.6, &mut bench);
    let Reply::DoneBut(what) = bench.replies.pop().unwrap() else { panic!() };
    assert_eq!(what, "not durable: a hub that restarts will wait for RESUME (no space)");
    // Case 3: neither the disk nor the robot stores the order.
    bench.requests.push_back(Request::Stop);
    hub.step(0.7, &mut bench);
    assert_eq!(bench.stops, Some(1));
    hub.step(2.1, &mut bench);
    assert_eq!(bench.replies.len(), 1);
    hub.step(2.3, &mut bench);
    let Reply::DoneBut(what) = bench.replies.pop().unwrap() else { panic!() };
    assert!(what.contains("no disk or robot stores it yet"), "{what}");
    // Case 4: for STOP, it is sufficient that the disk stores the count of STOPs.
    bench.requests.push_back(Request::Stop);
    bench.news.push_back(RecordNews::Kept(StorageResult::Stops(Ok(2))));
    hub.step(2.4, &mut bench);
    assert_eq!(bench.replies.pop(), Some(Reply::Done));
}

#[test]
fn simulated_world_change_is_logged_once() {
    let (mut bench, mut hub) = (Bench::default(), hub());
    bench.says("xp01", 1, hello(1));
    let estimate = |simulated: f32| {
        let parameter = "frisbee-mass".into();
        RobotMessage::Estimates(vec![xpuck_wire::message::Estimate {
            parameter,
            simulated,
            value: simulated,
            sd: 0.1,
            evidence: 0.0,
            windows: 0,
        }])
    };
    for simulated in [0.07, 0.07, 0.28, 0.1, 0.28, 0.1] {
        bench.says("xp01", 1, estimate(simulated));
    }
    hub.step(0.1, &mut bench);
    let said: Vec<&String> = bench.lines.iter().filter(|line| line.contains("a changed world")).collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].contains("robot xp01 simulates a changed world from now on: frisbee-mass 0.280 (0.070 before)"));
}
