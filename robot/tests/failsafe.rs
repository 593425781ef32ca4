//! Tests that the wheels stop after a STOP and after a silence of the hub. This must hold for any loss, delay and
//! repetition of messages, and for any request of an operator or of a program at the robot's socket. If both the
//! experiment and the robot's file permit driving without the hub, the wheels stop after the permitted time, and at the
//! first message of a hub.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use xpuck_robot::body::conditioning::Readings;
use xpuck_robot::core::{Core, HUB_SILENCE};
use xpuck_robot_core::external::{Command, Driver, HOLD, ProgramRequest};
use xpuck_wire::message::{Directive, DriveCommand, State, ToRobot};
use xpuck_wire::signed::{Signed, Trust};

/// Time for which a directive is valid (s).
const VALID: f64 = 3.0;

const EXPERIMENT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
    controller = \"movcv v_goal 0deg\"\n";

/// Permissions to drive without the hub, and the expected result.
#[derive(Clone, Copy)]
struct Leave {
    /// Text appended to the experiment, which requests permission to drive without the hub.
    asked: &'static str,
    /// Maximum time of driving without the hub, from the robot's file (s).
    allowed: f64,
    /// Expected maximum driving time after [`HUB_SILENCE`] (s).
    alone: f64,
}

const NONE: Leave = Leave { asked: "", allowed: 0.0, alone: 0.0 };

/// Event of a random test.
#[derive(Clone, Debug)]
enum Event {
    /// The hub sends a directive with this state. The number of this directive is the last directive's number plus the
    /// second field.
    Direct(State, u64),
    /// The hub sends a PAUSE without a run, as it does to park robots. The number of this directive is the last
    /// directive's number plus the field.
    Park(u64),
    /// The hub repeats the last experiment (true), or sends another experiment (false).
    Prepare(bool),
    /// One of the sent messages arrives, possibly for a second time. A message that no event selects is lost.
    Arrive(prop::sample::Index),
    /// The message that was sent last arrives.
    ArriveNewest,
    /// The control loop runs after this time (s), and commands the wheels.
    Control(f64),
    /// The control loop hangs for this time (s).
    Hang(f64),
    /// The hub sends an operator's command for the wheels.
    Operate,
    /// A program at the robot's socket sends a request.
    Program(ProgramRequest),
}

fn event() -> impl Strategy<Value = Event> {
    let state =
        prop::sample::select(vec![State::Idle, State::Ready, State::Run, State::Run, State::Pause, State::Stop]);
    prop_oneof![
        8 => (state, 0..3u64).prop_map(|(state, later)| Event::Direct(state, later)),
        2 => any::<bool>().prop_map(Event::Prepare),
        12 => any::<prop::sample::Index>().prop_map(Event::Arrive),
        12 => Just(Event::ArriveNewest),
        12 => (0.0..0.3).prop_map(Event::Control),
        2 => (0.0..1.5).prop_map(Event::Hang),
        2 => (0..3u64).prop_map(Event::Park),
        1 => Just(Event::Operate),
        5 => said().prop_map(Event::Program),
    ]
}

const BACK: [f32; 2] = [-0.05; 2];

fn said() -> impl Strategy<Value = ProgramRequest> {
    prop_oneof![
        2 => Just(ProgramRequest::Take("test".into())),
        6 => Just(ProgramRequest::Drive(Command { wheels: BACK, lamps: None })),
        1 => Just(ProgramRequest::Drive(Command { wheels: [f32::NAN, 0.0], lamps: None })),
        1 => Just(ProgramRequest::Release),
        1 => Just(ProgramRequest::Gone),
    ]
}

/// Function that delivers a message to the robot: the correct function, or a function that simulates a fault.
type Deliver = fn(&mut Core, f64, ToRobot);

fn faithfully(core: &mut Core, now: f64, message: ToRobot) {
    core.on_message(now, message);
}

/// State of the test that the checks use.
struct Watcher {
    now: f64,
    heard: f64,
    /// Number of the last STOP that telemetry acknowledged, until a RUN with a higher number arrives.
    stopped: Option<u64>,
    /// Whether no RUN has arrived since the last silence of the hub.
    silenced: bool,
    /// Times of the operator's last command and of the program's last valid command (s).
    driven: [f64; 2],
}

/// Four counts of updates with moving wheels. The first count is the number of updates in which the tree or a program
/// drives. The second and third counts are subsets of the first: updates while the hub is silent, and updates in which
/// a program drives. The fourth count is the number of updates in which an operator drives.
type Moves = [u32; 4];

fn play(leave: Leave, events: &[Event], deliver: Deliver) -> Result<Moves, TestCaseError> {
    let mut core = Core::new(1, 77, Trust::Anybody).with_alone_limit(leave.allowed);
    let readings = Readings { body_age: Some(0.0), camera_age: Some(0.0), ..Readings::default() };
    let mut w = Watcher { now: 0.0, heard: 0.0, stopped: None, silenced: false, driven: [f64::MIN; 2] };
    let signed = Signed::new(format!("{EXPERIMENT}{}", leave.asked), Default::default(), None).unwrap();
    // From this pong, the robot concludes that its clock equals the hub's clock.
    deliver(&mut core, 0.0, ToRobot::Pong { stamp: 0.0, time: 0.0 });
    let (mut number, mut experiment, mut moves) = (10, 1, [0; 4]);
    let upload = |number| ToRobot::Experiment { number, seed: 1, robots: 2, signed: signed.clone() };
    let mut sent = vec![upload(experiment)];
    for event in events {
        let arrived = match event {
            Event::Direct(..) | Event::Park(_) => {
                let (state, later, run) = match event {
                    Event::Direct(state, later) => (*state, *later, experiment),
                    Event::Park(later) => (State::Pause, *later, 0),
                    _ => unreachable!("no other is a directive"),
                };
                number += later;
                sent.push(ToRobot::Directive(Directive {
                    number,
                    state,
                    segment: 1,
                    run,
                    phase: 0,
                    tree: None,
                    expires: w.now + VALID,
                    ..Directive::default()
                }));
                None
            }
            Event::Prepare(again) => {
                experiment += u64::from(!again);
                sent.push(upload(experiment));
                None
            }
            Event::Arrive(which) => Some(which.get(&sent).clone()),
            Event::ArriveNewest => sent.last().cloned(),
            Event::Hang(time) => {
                w.now += time;
                None
            }
            Event::Operate => {
                let expires = w.now + VALID;
                sent.push(ToRobot::Drive(DriveCommand { wheels: BACK, lamps: None, hold_ms: 60_000, expires }));
                None
            }
            Event::Program(said) => {
                let sound = matches!(said, ProgramRequest::Drive(command) if command.wheels == BACK);
                if core.on_program(w.now, 1, said.clone()).is_ok() && sound {
                    w.driven[1] = w.now;
                }
                None
            }
            Event::Control(time) => {
                w.now += time;
                core.on_time(w.now);
                let wheels = core.control(w.now, &readings);
                let driver = core.driver(w.now);
                if wheels != [0.0; 2] && driver == Driver::Operator {
                    moves[3] += 1;
                    let told = core.telemetry(w.now, &readings);
                    prop_assert!(told.state != State::Stop, "an operator's wheels in STOP");
                    prop_assert!(told.obeyed != 0, "an operator's wheels before a directive");
                    prop_assert!(w.now - w.heard <= HUB_SILENCE, "an operator's wheels after a silence");
                    prop_assert!(w.now - w.driven[0] < HOLD, "an operator's wheels {} s later", w.now - w.driven[0]);
                } else if wheels != [0.0; 2] {
                    moves[0] += 1;
                    moves[1] += u32::from(w.now - w.heard > HUB_SILENCE);
                    moves[2] += u32::from(wheels == BACK);
                    prop_assert!(w.stopped.is_none(), "wheels {wheels:?} after STOP {:?}", w.stopped);
                    let silence = w.now - w.heard;
                    let may = !w.silenced && silence <= HUB_SILENCE + leave.alone;
                    prop_assert!(may, "wheels {wheels:?} after a silence of {silence} s; ended: {}", w.silenced);
                    let late = wheels == BACK && w.now - w.driven[1] >= HOLD;
                    prop_assert!(!late, "a program's wheels {} s later", w.now - w.driven[1]);
                }
                None
            }
        };
        if let Some(message) = arrived {
            w.silenced |= w.now - w.heard > HUB_SILENCE;
            w.heard = w.now;
            if let ToRobot::Directive(Directive { number, state: State::Run, expires, .. }) = message
                && w.now <= expires
            {
                w.stopped = w.stopped.filter(|stop| number <= *stop);
                w.silenced = false;
            }
            if let ToRobot::Drive(DriveCommand { expires, .. }) = message
                && w.now <= expires
            {
                w.driven[0] = w.now;
            }
            let stop = match message {
                ToRobot::Directive(Directive { number, state: State::Stop, .. }) => Some(number),
                _ => None,
            };
            deliver(&mut core, w.now, message);
            let told = core.telemetry(w.now, &readings);
            if stop.is_some_and(|stop| told.state == State::Stop && told.obeyed == stop) {
                w.stopped = stop;
            }
        }
    }
    Ok(moves)
}

fn runner(cases: u32) -> TestRunner {
    let config = Config {
        cases,
        failure_persistence: None,
        rng_seed: prop::test_runner::RngSeed::Fixed(1),
        ..Config::default()
    };
    TestRunner::new(config)
}

fn scripts() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec(event(), 1..60)
}

fn moved(cases: u32, leave: Leave) -> Moves {
    let moved = std::cell::Cell::new([0; 4]);
    let result = runner(cases).run(&scripts(), |events| {
        let (before, more) = (moved.get(), play(leave, &events, faithfully)?);
        moved.set(std::array::from_fn(|i| before[i] + more[i]));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    moved.get()
}

#[test]
fn wheels_stand_after_a_stop_and_after_a_silence() {
    let [moves, alone, programs, operated] = moved(20_000, NONE);
    println!("{moves} updates with wheels that turned, {programs} of them by a program, and {operated} by an operator");
    let enough = moves > 10_000 && programs > 300 && operated > 1000;
    assert!(
        enough && alone == 0,
        "{moves}, {programs} and {operated}: too few to mean anything; {alone} without a hub"
    );
}

#[test]
fn driving_alone_needs_both_permissions_and_shorter_limit() {
    let drive = "[silence]\nthen = \"drive\"\ndrive_seconds = 1.2\n";
    for (asked, allowed, alone) in [
        ("[silence]\nthen = \"evolve\"\n", 600.0, 0.0),
        ("", 600.0, 0.0),
        (drive, 0.0, 0.0),
        (drive, 0.5, 0.5),
        (drive, 600.0, 1.2),
    ] {
        let [moves, without, ..] = moved(3_000, Leave { asked, allowed, alone });
        assert!(
            moves > 1_500 && (without > 40) == (alone > 0.0),
            "{asked}{allowed}: {moves} moves, {without} without a hub"
        );
    }
}

/// Simulates a core that accepts any RUN as a new RUN.
fn without_numbers(core: &mut Core, now: f64, message: ToRobot) {
    let number = (now * 1e6) as u64 + 1_000_000;
    core.on_message(
        now,
        match message {
            ToRobot::Directive(Directive {
                state: State::Run, segment, run, phase: 0, tree: None, expires, ..
            }) => ToRobot::Directive(Directive {
                number,
                state: State::Run,
                segment,
                run,
                phase: 0,
                tree: None,
                expires,
                ..Directive::default()
            }),
            other => other,
        },
    );
}

/// Simulates a core that detects a silence only when the control loop runs.
fn without_silence(core: &mut Core, now: f64, message: ToRobot) {
    // An additional ping before the message prevents the core from detecting a silence at the message itself.
    core.on_message(now - HUB_SILENCE / 2.0, ToRobot::Ping { stamp: 0.0 });
    core.on_message(now, message);
}

/// Simulates a core that ignores all messages except directives and pongs while a tree drives. Such a core does not
/// detect the hub's return.
fn without_return(core: &mut Core, now: f64, message: ToRobot) {
    if matches!(message, ToRobot::Directive(_) | ToRobot::Pong { .. }) || core.controller().is_none() {
        core.on_message(now, message);
    }
}

#[test]
fn broken_failsafe_rules_are_detected() {
    for (fault, complaint) in [(without_numbers as Deliver, "after STOP"), (without_silence, "after a silence")] {
        let result = runner(5_000).run(&scripts(), |events| play(NONE, &events, fault).map(drop));
        let error = result.expect_err("the fault is not found").to_string();
        assert!(error.contains(complaint), "{error}");
    }
    // In the first case, the robot drives without the hub for longer than the check permits. In the second case, the
    // robot continues to drive after the hub has returned.
    let asked = "[silence]\nthen = \"drive\"\ndrive_seconds = 1.2\n";
    for (alone, fault, complaint) in
        [(1.0, faithfully as Deliver, "ended: false"), (1.2, without_return, "ended: true")]
    {
        let leave = Leave { asked, allowed: 600.0, alone };
        let result = runner(5_000).run(&scripts(), |events| play(leave, &events, fault).map(drop));
        let error = result.expect_err("the fault is not found").to_string();
        assert!(error.contains(complaint), "{error}");
    }
}
