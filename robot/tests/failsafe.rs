//! Wheels stand after a STOP and after a silence of the hub, whatever the network does to messages.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use xpuck_robot::conditioning::Readings;
use xpuck_robot::core::{Core, HUB_SILENCE};
use xpuck_wire::message::{Directive, State, ToRobot};
use xpuck_wire::signed::{Signed, Trust};

/// A directive is good for so long, s.
const VALID: f64 = 3.0;

const EXPERIMENT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
    controller = \"movcv v_goal 0deg\"\n";

/// What happens next.
#[derive(Clone, Debug)]
enum Event {
    /// The hub sends a directive, numbered so much after its last one.
    Direct(State, u64),
    /// The hub sends another experiment, or the last one again.
    Prepare(bool),
    /// One of the messages that were ever sent arrives, perhaps again; those that never do are lost.
    Arrive(prop::sample::Index),
    /// The newest message arrives.
    ArriveNewest,
    /// The robot's loop turns after so many seconds; the wheels are commanded.
    Control(f64),
    /// Time passes while the loop hangs.
    Hang(f64),
}

fn event() -> impl Strategy<Value = Event> {
    let state =
        prop::sample::select(vec![State::Idle, State::Ready, State::Run, State::Run, State::Pause, State::Stop]);
    prop_oneof![
        4 => (state, 0..3u64).prop_map(|(state, later)| Event::Direct(state, later)),
        1 => any::<bool>().prop_map(Event::Prepare),
        6 => any::<prop::sample::Index>().prop_map(Event::Arrive),
        6 => Just(Event::ArriveNewest),
        6 => (0.0..0.3).prop_map(Event::Control),
        1 => (0.0..1.5).prop_map(Event::Hang),
    ]
}

/// A way to hand a message to the robot; the true one, or one with a fault.
type Deliver = fn(&mut Core, f64, ToRobot);

fn faithfully(core: &mut Core, now: f64, message: ToRobot) {
    core.on_message(now, message);
}

/// What the network's messages were, and what must hold after them.
struct Watcher {
    now: f64,
    heard: f64,
    /// The last STOP that telemetry acknowledged, until a RUN with a later number arrives.
    stopped: Option<u64>,
    /// The hub was silent, and no RUN has arrived since.
    silenced: bool,
}

fn play(events: &[Event], deliver: Deliver) -> Result<u32, TestCaseError> {
    let mut core = Core::new(1, 77, Trust::Anybody);
    let readings = Readings { body_age: Some(0.0), camera_age: Some(0.0), ..Readings::default() };
    let mut w = Watcher { now: 0.0, heard: 0.0, stopped: None, silenced: false };
    let signed = Signed::new(EXPERIMENT.into(), Default::default(), None).unwrap();
    // The robot's clock is the hub's.
    deliver(&mut core, 0.0, ToRobot::Pong { stamp: 0.0, time: 0.0 });
    let (mut number, mut experiment, mut moves) = (10, 1, 0);
    let upload = |number| ToRobot::Experiment { number, seed: 1, robots: 2, signed: signed.clone() };
    let mut sent = vec![upload(experiment)];
    for event in events {
        let arrived = match event {
            Event::Direct(state, later) => {
                number += later;
                let (state, run) = (*state, experiment);
                sent.push(ToRobot::Directive(Directive {
                    number,
                    state,
                    segment: 1,
                    run,
                    phase: 0,
                    tree: None,
                    expires: w.now + VALID,
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
            Event::Control(time) => {
                w.now += time;
                core.on_time(w.now);
                let wheels = core.control(w.now, &readings);
                if wheels != [0.0; 2] {
                    moves += 1;
                    prop_assert!(w.stopped.is_none(), "wheels {wheels:?} after STOP {:?}", w.stopped);
                    prop_assert!(!w.silenced && w.now - w.heard <= HUB_SILENCE, "wheels {wheels:?} after a silence");
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

#[test]
fn wheels_stand_after_a_stop_and_after_a_silence() {
    let moved = std::cell::Cell::new(0);
    let result = runner(20_000).run(&scripts(), |events| {
        moved.set(moved.get() + play(&events, faithfully)?);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(moved.get() > 10_000, "the wheels turned in {} updates: too few to mean anything", moved.get());
}

/// As if the core took any RUN for a new one.
fn without_numbers(core: &mut Core, now: f64, message: ToRobot) {
    let number = (now * 1e6) as u64 + 1_000_000;
    core.on_message(
        now,
        match message {
            ToRobot::Directive(Directive {
                state: State::Run, segment, run, phase: 0, tree: None, expires, ..
            }) => {
                ToRobot::Directive(Directive { number, state: State::Run, segment, run, phase: 0, tree: None, expires })
            }
            other => other,
        },
    );
}

/// As if the core noticed a silence only when the loop turns.
fn without_silence(core: &mut Core, now: f64, message: ToRobot) {
    // A word just before keeps the link alive.
    core.on_message(now - HUB_SILENCE / 2.0, ToRobot::Ping { stamp: 0.0 });
    core.on_message(now, message);
}

#[test]
fn a_fault_in_either_rule_is_found() {
    for (fault, complaint) in [(without_numbers as Deliver, "after STOP"), (without_silence, "after a silence")] {
        let result = runner(5_000).run(&scripts(), |events| play(&events, fault).map(drop));
        let error = result.expect_err("the fault is not found").to_string();
        assert!(error.contains(complaint), "{error}");
    }
}
