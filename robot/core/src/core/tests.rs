//! Tests of the robot's core that pass single messages to it.

use super::*;
use xpuck_wire::seal::Sealer;

const TEXT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n";

/// Creates the core of a robot without an experiment. Its clock shows the same time as the hub's clock.
fn core() -> Core {
    let mut core = Core::new(1, 77, Trust::Anybody);
    core.on_message(0.0, ToRobot::Pong { stamp: 0.0, time: 0.0 });
    core
}

fn signed(text: &str) -> Signed {
    let manifest = format!("experiment = {text:?}");
    Signed { manifest, signer: String::new(), signature: String::new(), files: Default::default() }
}

fn running() -> Core {
    let mut core = core();
    core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(TEXT) });
    assert_eq!(core.state(), State::Ready);
    core.on_message(0.0, until(100.0, 10, State::Run));
    core.load(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
    core
}

/// Returns fresh readings of body and camera without any objects nearby.
fn clear() -> Readings {
    Readings { body_age: Some(0.0), camera_age: Some(0.0), ..Readings::default() }
}

fn moves(wheels: [f32; 2]) -> bool {
    wheels != [0.0; 2]
}

#[test]
fn directive_loads_fittest_tree_once_per_segment() {
    let mut core = core();
    core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(TEXT) });
    let run = |number, segment| {
        ToRobot::Directive(Directive {
            number,
            state: State::Run,
            segment,
            run: 5,
            expires: 100.0,
            ..Directive::default()
        })
    };
    assert!(core.on_message(0.0, run(10, 0)).ends_with(&[Action::Evolve(true)]));
    assert!(core.on_message(0.1, run(11, 1)).contains(&Action::LoadFittest { segment: 1 }));
    assert!(core.on_message(0.2, run(11, 1)).is_empty(), "obeyed already");
    assert!(
        core.on_message(
            0.3,
            ToRobot::Directive(Directive {
                number: 9,
                state: State::Stop,
                run: 5,
                expires: 100.0,
                ..Directive::default()
            })
        )
        .is_empty()
    );
    assert_eq!(core.state(), State::Run, "a stale directive changes nothing");
}

#[test]
fn wheels_turn_only_in_run_with_a_hub_that_speaks() {
    let readings = clear();
    let mut core = running();
    assert!(moves(core.control(0.1, &readings)));
    assert!(!moves(core.control(1.2, &readings)), "1.2 s of silence");
    let said = core.on_time(1.2);
    assert!(said.contains(&Action::Evolve(false)));
    core.on_message(1.3, ToRobot::Ping { stamp: 0.0 });
    assert!(!moves(core.control(1.3, &readings)), "only an explicit RUN starts the wheels again");
    core.on_message(1.4, until(100.0, 10, State::Run));
    assert!(moves(core.control(1.4, &readings)));
    core.on_message(1.5, until(100.0, 11, State::Pause));
    assert!(!moves(core.control(1.5, &readings)));
    core.on_message(1.6, until(100.0, 12, State::Stop));
    assert!(!moves(core.control(1.6, &readings)));
}

#[test]
fn stale_or_senseless_virtual_senses_read_as_absent() {
    let mut core = core();
    core.on_message(0.0, ToRobot::Senses { up: 1.0, neighbours: vec![(2, 0.2, 0.0).into()], age: 0.1 });
    let readings = clear();
    assert_eq!(core.senses(0.3, &readings).neighbours, 1.0);
    let absent = core.senses(0.5, &readings);
    assert_eq!((absent.up, absent.neighbours), (Vec2::ZERO, 0.0));
    core.on_message(0.5, ToRobot::Senses { up: f32::NAN, neighbours: vec![], age: 0.0 });
    assert_eq!(core.senses(0.5, &readings).up, Vec2::ZERO, "NaN is refused");
}

#[test]
fn invalid_experiment_is_rejected_with_reason() {
    let mut core = core();
    let text = TEXT.replace("minutes = 1.0", "minuts = 1.0");
    let actions = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) });
    let [Action::Send(RobotMessage::Experiment { answer, .. })] = &actions[..] else { panic!("{actions:?}") };
    let error = answer.refusal().unwrap_or_default();
    assert!(error.contains("minuts"), "{error}");
    assert_eq!(core.state(), State::Idle);
}

#[test]
fn given_controller_drives_without_evolution() {
    let mut core = core();
    let text = TEXT.replace("task", "controller = \"movcv v_goal 0deg\"\ntask");
    let actions = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) });
    assert!(!actions.iter().any(|a| matches!(a, Action::Prepare(_))));
    let actions = core.on_message(0.0, until(100.0, 10, State::Run));
    assert!(actions.ends_with(&[Action::Evolve(false)]), "{actions:?}");
    assert!(moves(core.control(0.1, &clear())));
    let bad = text.replace("v_goal", "v_gaol");
    let actions = core.on_message(0.0, ToRobot::Experiment { number: 6, seed: 1, robots: 2, signed: signed(&bad) });
    let [Action::Send(RobotMessage::Experiment { answer, .. })] = &actions[..] else { panic!("{actions:?}") };
    let error = answer.refusal().unwrap_or_default();
    assert!(error.contains("controller: line 1, column 7"), "{error}");
}

#[test]
fn simulations_are_of_the_world_that_was_measured() {
    let text = "[physics]\nbody_friction = 0.3\n[camera]\ndelay_s = 0.2\n[messages]\nlatency_s = 0.2\n";
    let measured = Calibration::parse("c.toml", text).unwrap();
    let mut core = core().with_calibration(measured.clone());
    let actions = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(TEXT) });
    let prepared = actions.iter().find_map(|a| if let Action::Prepare(plan) = a { Some(plan) } else { None });
    // The robot must use the same world as `xpuck simulate --calibration`, so that both compute identical fitness
    // values.
    let expected = measured.apply(&xpuck_kernels::world::WorldSpec::benchmark(2)).unwrap();
    assert_eq!(*prepared.unwrap().plan.phase(0).world, expected);
    let narrow = Calibration::parse("c.toml", "[physics]\nrobot_friction = 0.2\n").unwrap();
    let mut other = self::core().with_calibration(narrow);
    let signed = signed(&(TEXT.to_string() + "calibration = \"missing.toml\"\n"));
    let actions = other.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed });
    let [Action::Send(RobotMessage::Experiment { answer, .. })] = &actions[..] else { panic!("{actions:?}") };
    assert!(answer.refusal().unwrap_or_default().contains("missing.toml"), "{answer:?}");
}

#[test]
fn hello_is_repeated_until_welcomed() {
    let hello = |a: &[Action]| a.iter().any(|a| matches!(a, Action::Send(RobotMessage::Hello { .. })));
    let mut core = core();
    assert!(hello(&core.on_time(0.0)) && !hello(&core.on_time(0.5)) && hello(&core.on_time(1.0)));
    core.on_message(1.1, ToRobot::Welcome { island: 1 });
    assert!(!hello(&core.on_time(2.05)));
}

#[test]
fn message_after_silence_does_not_start_wheels() {
    let mut core = running();
    assert!(moves(core.control(0.1, &clear())));
    // The control loop blocked for longer than the silence limit, so `on_time` did not detect the silence.
    let actions = core.on_message(2.0, ToRobot::Ping { stamp: 0.0 });
    assert!(actions.contains(&Action::Evolve(false)));
    assert!(!moves(core.control(2.0, &clear())));
}

#[test]
fn stop_is_obeyed_in_every_state_and_only_a_later_run_undoes_it() {
    for state in [State::Ready, State::Run, State::Pause, State::Stop] {
        let mut core = running();
        let directive = |number, state| until(100.0, number, state);
        core.on_message(0.1, directive(20, state));
        core.on_message(0.1, directive(20, State::Stop));
        assert_eq!(core.state(), State::Stop, "in {state:?}, even with the same number");
        core.on_time(2.0);
        core.on_message(2.0, directive(20, State::Run));
        assert!(!moves(core.control(2.0, &clear())), "no later number");
        core.on_message(2.0, directive(21, State::Run));
        assert!(moves(core.control(2.0, &clear())));
    }
    let mut fresh = core();
    fresh.on_message(
        0.0,
        ToRobot::Directive(Directive { number: 3, state: State::Stop, run: 5, expires: 100.0, ..Directive::default() }),
    );
    assert_eq!(fresh.state(), State::Stop, "before any experiment");
}

#[test]
fn silent_body_is_not_driven_and_stale_camera_is_ignored() {
    let mut core = running();
    let mut readings = Readings { body_age: Some(0.4), ..clear() };
    assert!(!moves(core.control(0.1, &readings)));
    readings = Readings { camera_age: None, ..clear() };
    readings.blobs.0 = [[true; 3]; 3];
    assert!(moves(core.control(0.2, &readings)));
    assert_eq!(core.senses(0.2, &readings).colours, [Vec2::ZERO; 3]);
    let senses = core.telemetry(0.2, &readings).senses;
    assert_eq!(senses.stale, [1, 1, 2], "body, camera, virtual senses");
}

#[test]
fn round_trip_is_measured_once_per_second() {
    let mut core = core();
    core.on_message(0.0, ToRobot::Welcome { island: 1 });
    let pings = |core: &mut Core, now| core.on_time(now).contains(&Action::Send(RobotMessage::Ping { stamp: now }));
    assert!(pings(&mut core, 0.1) && !pings(&mut core, 0.6));
    core.on_message(0.75, ToRobot::Pong { stamp: 0.5, time: 0.5 });
    assert_eq!(core.round_trip(), Some(0.25));
    core.on_message(0.75, ToRobot::Pong { stamp: f64::NAN, time: f64::NAN });
    core.on_message(0.75, ToRobot::Pong { stamp: 9.0, time: 9.0 });
    assert_eq!(core.round_trip(), Some(0.25), "no pong from the future");
    assert!(pings(&mut core, 1.2));
}

#[test]
fn unknown_algorithm_is_rejected() {
    let mut core = core();
    let text = format!("{TEXT}[evolution]\nalgorithm = \"clasic\"\n");
    let actions = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) });
    let [Action::Send(RobotMessage::Experiment { answer, .. })] = &actions[..] else { panic!("{actions:?}") };
    let error = answer.refusal().unwrap_or_default();
    assert!(error.contains("`clasic`") && error.contains("classic"), "{error}");
}

/// Creates the core of a robot with session 77, which has received messages of a hub. Also returns the sealer of this
/// hub.
fn greeted() -> (Core, Sealer) {
    let mut hub = Sealer::new(1000);
    hub.register_session("xp01", 77, (0, 0));
    let mut core = Core::new(1, 77, Trust::Anybody);
    for message in [
        ToRobot::Welcome { island: 1 },
        ToRobot::Pong { stamp: 0.0, time: 500.0 },
        ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&given()) },
    ] {
        core.on_sealed(0.0, hub.seal("xp01", message));
    }
    (core, hub)
}

fn given() -> String {
    TEXT.replace("task", "controller = \"movcv v_goal 0deg\"\ntask")
}

/// Creates a directive for run 5 that is valid until the hub's time `expires` (s).
fn until(expires: f64, number: u64, state: State) -> ToRobot {
    ToRobot::Directive(Directive { number, state, segment: 1, run: 5, expires, ..Directive::default() })
}

#[test]
fn replayed_run_is_ignored_by_live_robot() {
    let (mut core, mut hub) = greeted();
    let run = hub.seal("xp01", until(503.0, 10, State::Run));
    core.on_sealed(0.0, run.clone());
    assert!(moves(core.control(0.1, &clear())));
    let pause = hub.seal("xp01", until(503.0, 11, State::Pause));
    core.on_sealed(0.2, pause);
    core.on_sealed(0.3, run.clone());
    assert!(!moves(core.control(0.3, &clear())), "recorded");
    // A RUN with a stale seal does not end a silence of the hub.
    assert!(!core.on_time(1.1).contains(&Action::Evolve(false)) && core.on_sealed(1.15, run).is_empty());
    assert!(core.on_time(1.25).contains(&Action::Evolve(false)), "the hub is silent");
    assert_eq!(core.stale_seals(), 2);
}

#[test]
fn replayed_run_is_ignored_by_restarted_robot() {
    let (_, mut hub) = greeted();
    let record = [
        ToRobot::Welcome { island: 1 },
        ToRobot::Pong { stamp: 0.0, time: 500.0 },
        ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&given()) },
        until(503.0, 10, State::Run),
    ]
    .map(|message| hub.seal("xp01", message));
    let mut restarted = Core::new(1, 78, Trust::Anybody);
    for sealed in record {
        assert!(restarted.on_sealed(0.1, sealed).is_empty());
    }
    assert_eq!((restarted.state(), restarted.stale_seals()), (State::Idle, 4));
    assert!(!moves(restarted.control(0.2, &clear())));
}

#[test]
fn restarted_hub_is_obeyed_and_its_predecessor_ignored() {
    let (mut core, mut before) = greeted();
    let late = before.seal("xp01", until(503.0, 10, State::Run));
    let mut after = Sealer::new(2000);
    core.on_time(0.1);
    core.on_sealed(0.1, after.seal("xp01", ToRobot::Ping { stamp: 0.0 }));
    // The new hub does not know the robot's session. The robot ignores the message of this hub, and sends another
    // hello.
    let witness = LastDirectiveReport { told: None, silent_s: Some(1.0) };
    let hello =
        RobotMessage::Hello { version: env!("CARGO_PKG_VERSION").into(), session: 77, seen: (1000, 3), witness };
    assert!(core.on_time(1.0).contains(&Action::Send(hello)), "the new hub does not know this robot");
    after.register_session("xp01", 77, (1000, 3));
    core.on_sealed(1.05, after.seal("xp01", ToRobot::Welcome { island: 1 }));
    core.on_sealed(1.06, late);
    assert_eq!(core.state(), State::Ready, "from the hub that is no more");
    core.on_sealed(1.1, after.seal("xp01", until(4.0, 2000, State::Run)));
    assert_eq!(core.state(), State::Ready, "the new hub's time is not known yet");
    core.on_sealed(1.2, after.seal("xp01", ToRobot::Pong { stamp: 1.1, time: 1.0 }));
    core.on_sealed(1.3, after.seal("xp01", until(4.0, 2000, State::Run)));
    assert_eq!(core.state(), State::Run);
}

/// Returns the sealer of a hub that restarted with its clock set back by an hour, and received the robot's hello.
fn returned(core: &mut Core, now: f64) -> Sealer {
    let mut hub = Sealer::new(10);
    let hello = core.on_time(now);
    let [.., Action::Send(RobotMessage::Hello { session, seen, .. })] = hello[..] else { panic!("{hello:?}") };
    hub.register_session("xp01", session, seen);
    for message in [ToRobot::Welcome { island: 1 }, ToRobot::Pong { stamp: now, time: 0.0 }] {
        core.on_sealed(now, hub.seal("xp01", message));
    }
    hub
}

#[test]
fn hub_with_clock_set_back_is_obeyed_and_old_one_ignored() {
    let (mut core, mut before) = greeted();
    core.on_sealed(0.0, before.seal("xp01", until(503.0, 1_010, State::Run)));
    let recorded = [State::Run, State::Stop].map(|state| before.seal("xp01", until(503.0, 1_011, state)));
    let mut hub = returned(&mut core, 2.0);
    assert_eq!((core.state(), core.telemetry(2.0, &clear()).obeyed), (State::Pause, 0));
    // The numbers of the restarted hub are lower than before. The experiment differs from the robot's experiment, but
    // has the same number.
    let experiment = ToRobot::Experiment { number: 5, seed: 2, robots: 2, signed: signed(&given()) };
    let said = core.on_sealed(2.0, hub.seal("xp01", experiment.clone()));
    assert!(said.contains(&Action::Send(RobotMessage::Experiment { number: 5, answer: Answer::Accepted })), "{said:?}");
    assert_eq!(core.state(), State::Ready);
    core.on_sealed(2.0, hub.seal("xp01", until(3.0, 12, State::Run)));
    assert_eq!((core.state(), core.telemetry(2.0, &clear()).obeyed), (State::Run, 12));
    recorded.into_iter().for_each(|sealed| drop(core.on_sealed(2.1, sealed)));
    core.on_sealed(2.1, hub.seal("xp01", until(3.0, 11, State::Stop)));
    assert_eq!(core.state(), State::Run, "recorded, and stale");
    core.on_sealed(2.2, hub.seal("xp01", until(3.0, 13, State::Stop)));
    core.on_sealed(2.2, hub.seal("xp01", experiment));
    assert_eq!(core.state(), State::Stop, "the same experiment changes nothing");
    core.on_sealed(2.2, hub.seal("xp01", until(3.0, 14, State::Run)));
    assert_eq!(core.state(), State::Run);
}

#[test]
fn stale_stop_does_not_block_the_present_hub() {
    let (mut core, mut present) = greeted();
    // The seal of a recorded STOP is stale, because the STOP was sent to another session of the robot. The clock of
    // the sending hub was ahead.
    core.on_sealed(0.0, Sealer::new(9_000).seal("xp01", until(0.0, 9_001, State::Stop)));
    assert_eq!(core.state(), State::Stop);
    core.on_sealed(0.1, present.seal("xp01", until(503.0, 1_010, State::Run)));
    assert_eq!(core.state(), State::Stop, "from a hub before that one");
    let mut present = returned(&mut core, 2.0);
    core.on_sealed(2.0, present.seal("xp01", until(3.0, 1_011, State::Run)));
    assert_eq!(core.state(), State::Run);
}

#[test]
fn expired_or_foreign_directives_are_ignored() {
    let (mut core, mut hub) = greeted();
    // The robot sent its request at 0.0 s and received the hub's time 500.0 s. Therefore the hub's clock shows at most
    // 504.0 s when the robot's clock shows 4.0 s.
    core.on_sealed(4.0, hub.seal("xp01", until(503.9, 10, State::Run)));
    assert_eq!(core.state(), State::Ready, "expired");
    let other = ToRobot::Directive(Directive {
        number: 11,
        state: State::Run,
        segment: 1,
        run: 6,
        expires: 600.0,
        ..Directive::default()
    });
    core.on_sealed(4.0, hub.seal("xp01", other));
    core.on_sealed(4.0, hub.seal("xp01", until(f64::NAN, 12, State::Run)));
    assert_eq!(core.state(), State::Ready);
    core.on_sealed(4.0, hub.seal("xp01", until(504.1, 13, State::Run)));
    assert_eq!(core.state(), State::Run);
    core.on_sealed(4.1, hub.seal("xp01", until(0.0, 14, State::Stop)));
    assert_eq!(core.state(), State::Stop, "STOP does not expire");
}

#[test]
fn stop_needs_no_fresh_seal() {
    let (mut core, mut hub) = greeted();
    core.on_sealed(0.0, hub.seal("xp01", until(503.0, 10, State::Run)));
    // A hub that has just started does not know the session yet.
    core.on_sealed(0.1, Sealer::new(2000).seal("xp01", until(0.0, 2001, State::Stop)));
    assert_eq!(core.state(), State::Stop);
}

#[test]
fn unsigned_experiment_is_rejected() {
    let mut core = Core::new(1, 77, Trust::nobody());
    let message = ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&given()) };
    let actions = core.on_message(0.0, message);
    let [Action::Send(RobotMessage::Experiment { answer, .. })] = &actions[..] else { panic!("{actions:?}") };
    let error = answer.refusal().unwrap_or_default();
    assert!(error.contains("not signed"), "{error}");
    assert_eq!(core.state(), State::Idle);
}

#[test]
fn older_experiment_does_not_replace_later_one() {
    let mut core = running();
    core.on_message(0.1, ToRobot::Experiment { number: 4, seed: 1, robots: 2, signed: signed(TEXT) });
    assert_eq!(core.state(), State::Run);
    assert!(moves(core.control(0.1, &clear())));
}

#[test]
fn after_a_late_experiment_the_hub_is_to_say_again_what_to_do() {
    let mut core = running();
    let run = ToRobot::Directive(Directive {
        number: 12,
        state: State::Run,
        run: 11,
        expires: 100.0,
        ..Directive::default()
    });
    core.on_message(0.1, run.clone());
    core.on_message(0.2, ToRobot::Experiment { number: 11, seed: 1, robots: 2, signed: signed(TEXT) });
    assert_eq!((core.state(), core.telemetry(0.2, &clear()).obeyed), (State::Ready, 0));
    core.on_message(0.3, run);
    assert_eq!((core.state(), core.telemetry(0.3, &clear()).obeyed), (State::Run, 12));
}

#[test]
fn program_overrides_tree_and_is_recorded_as_driver() {
    use crate::external::{Command, ProgramRequest};
    let mut core = running();
    core.on_program(0.0, 1, ProgramRequest::Take("test".into())).unwrap();
    let back = Command { wheels: [-0.05, -0.06], lamps: None };
    core.control(0.05, &clear());
    core.on_program(0.1, 1, ProgramRequest::Drive(back)).unwrap();
    assert_eq!(core.external_command(0.1), Some(back));
    assert_eq!(core.control(0.15, &clear()), back.wheels);
    core.watched = 9.0;
    core.control(0.2, &clear());
    let updates = core.sent(back.wheels);
    let update = updates.last().unwrap().unpack().unwrap().pop().unwrap();
    assert!(update.driven && !update.ticked && f32::from_bits(update.wheels[1]) == -0.06);
    assert_eq!(core.control(0.25, &Readings::default()), [0.0; 2], "the body tells nothing");
    core.control(0.3, &clear());
    assert!(!moves(core.control(0.4, &clear())), "its command ended");
    core.on_program(0.4, 1, ProgramRequest::Release).unwrap();
    assert!(moves(core.control(0.5, &clear())), "the tree drives again");
}

/// Creates a robot in RUN with these `[silence]` keys in its experiment. The robot's own file allows driving alone for
/// `allowed` seconds.
fn running_with(silence: &str, allowed: f64) -> Core {
    let mut core = core().with_alone_limit(allowed);
    let text = format!("{TEXT}[silence]\n{silence}\n");
    core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) });
    core.on_message(0.0, directive(10, State::Run));
    core.load(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
    core
}

fn directive(number: u64, state: State) -> ToRobot {
    until(1000.0, number, state)
}

fn evolves(actions: &[Action]) -> Option<bool> {
    actions.iter().find_map(|action| if let Action::Evolve(runs) = action { Some(*runs) } else { None })
}

#[test]
fn evolution_without_hub_ends_after_experiment_duration() {
    let mut core = running_with("then = \"evolve\"", 0.0);
    let said = core.on_time(1.1);
    assert_eq!((evolves(&said), core.state()), (None, State::Pause), "{said:?}");
    assert!(!moves(core.control(1.1, &clear())));
    assert_eq!(evolves(&core.on_time(60.9)), None);
    assert_eq!(evolves(&core.on_time(61.1)), Some(false), "1 s and the minute of the experiment");
    assert_eq!(evolves(&core.on_time(62.0)), None, "once");
    // Messages without a directive do not extend the time limit. A directive of the returned hub ends the time limit.
    let mut core = running_with("then = \"evolve\"", 0.0);
    core.on_time(1.1);
    assert_eq!(evolves(&core.on_message(30.0, ToRobot::Ping { stamp: 0.0 })), None);
    core.on_message(60.5, ToRobot::Ping { stamp: 0.0 });
    assert_eq!(evolves(&core.on_time(61.1)), Some(false));
    assert_eq!(evolves(&core.on_message(61.2, directive(11, State::Run))), Some(true));
    assert!(moves(core.control(61.3, &clear())));
    // A silence in PAUSE stops evolution at once, without a time limit.
    core.on_message(61.4, directive(12, State::Pause));
    assert_eq!(evolves(&core.on_time(63.0)), Some(false));
}

#[test]
fn robot_drives_alone_for_limited_time_without_hub_senses() {
    let drive = "then = \"drive\"\ndrive_seconds = 5.0";
    let mut core = running_with(drive, 3.0);
    core.on_message(0.1, ToRobot::Senses { up: 1.0, neighbours: Vec::new(), age: 0.0 });
    let said = core.on_time(1.2);
    assert_eq!((evolves(&said), core.state()), (None, State::Run));
    let told = |action: &Action| matches!(action, Action::Log(line) if line.text.ends_with("alone for at most 3.0 s"));
    assert!(said.iter().any(told), "{said:?}");
    assert!(moves(core.control(1.2, &clear())));
    assert_eq!(core.telemetry(1.2, &clear()).senses.virtual_age, None, "the hub's senses are absent");
    core.on_time(4.0);
    assert!(moves(core.control(4.0, &clear())), "1 s and 3 s after what was heard last, at 0.1 s");
    assert!(!moves(core.control(4.2, &clear())), "before anybody notices, too");
    core.on_time(4.2);
    assert_eq!(core.state(), State::Pause);
    // The first message of the returned hub stops the wheels. STOP also works with a stale seal.
    let mut core = running_with(drive, 3.0);
    core.on_time(1.2);
    assert!(moves(core.control(1.2, &clear())));
    core.on_message(1.3, ToRobot::Ping { stamp: 0.0 });
    assert!(!moves(core.control(1.4, &clear())));
    core.on_message(1.5, directive(11, State::Run));
    assert!(moves(core.control(1.6, &clear())));
    core.on_time(3.0);
    assert!(moves(core.control(3.0, &clear())), "alone again");
    let ToRobot::Directive(stop) = directive(12, State::Stop) else { panic!() };
    core.on_sealed(3.1, Sealed { session: 1, hub: 0, count: 1, message: ToRobot::Directive(stop) });
    assert!(core.state() == State::Stop && !moves(core.control(3.2, &clear())));
}

#[test]
fn forbidden_driving_alone_is_warned_at_experiment_start() {
    let mut core = core();
    let text = format!("{TEXT}[silence]\nthen = \"drive\"\n");
    let said = core.on_message(0.0, ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) });
    let warned = |action: &Action| matches!(action, Action::Log(line) if line.text.contains("control.drive_alone_s"));
    assert!(said.iter().any(warned), "{said:?}");
    core.on_message(0.0, directive(10, State::Run));
    core.load(&Tree::parse("movcv v_goal 0deg").unwrap()).unwrap();
    let said = core.on_time(1.2);
    assert_eq!((evolves(&said), core.state()), (None, State::Pause), "evolution goes on");
    assert!(!moves(core.control(1.2, &clear())));
}

#[test]
fn genes_from_robot_to_robot_need_the_robots_addresses() {
    let text = format!("genes = \"peers\"\n{TEXT}");
    let experiment = || ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) };
    let said = core().on_message(0.0, experiment());
    let refused = |action: &Action| {
        matches!(action, Action::Send(RobotMessage::Experiment { answer: Answer::Refused(why), .. })
        if why.contains("`peers` is missing in this robot's swarm.toml"))
    };
    assert!(said.iter().any(refused), "{said:?}");
    let mut among = core().with_peers();
    among.on_message(0.0, experiment());
    assert_eq!(among.exchanges().map(|(run, _)| run), Some(RunName { number: 5, seed: 1 }));
}

#[test]
fn robot_without_camera_rejects_only_camera_experiments() {
    let mut blind = core().with_camera(false);
    let mut answer = |text: &str, number| {
        let actions = blind.on_message(0.0, ToRobot::Experiment { number, seed: 1, robots: 2, signed: signed(text) });
        let answers = actions.into_iter().find_map(|action| match action {
            Action::Send(RobotMessage::Experiment { answer, .. }) => Some(answer),
            _ => None,
        });
        answers.unwrap()
    };
    let why = answer(TEXT, 5).refusal().unwrap().to_string();
    assert!(why.starts_with("its trees may read v_blue, but this robot has no camera"), "{why}");
    assert_eq!(answer(&format!("controller = \"upfield 1\"\n{TEXT}"), 6), Answer::Accepted);
    assert!(answer(&format!("controller = \"bleft\"\n{TEXT}"), 7).refusal().is_some());
}

#[test]
fn robot_without_ground_sensor_rejects_only_trees_that_read_it() {
    let answer = |has: bool, tree: &str| {
        let text = format!("controller = \"{tree}\"\n{TEXT}");
        let experiment = ToRobot::Experiment { number: 5, seed: 1, robots: 2, signed: signed(&text) };
        let actions = core().with_ground_sensor(has).on_message(0.0, experiment);
        let answers = actions.into_iter().find_map(|action| match action {
            Action::Send(RobotMessage::Experiment { answer, .. }) => Some(answer),
            _ => None,
        });
        answers.unwrap()
    };
    let refused = answer(false, "ifprob s_ground 4 0.5");
    let why = refused.refusal().unwrap();
    assert!(why.starts_with("its trees may read s_ground, but this robot has no ground sensor; add"), "{why}");
    assert_eq!(answer(true, "ifprob s_ground 4 0.5"), Answer::Accepted);
    assert_eq!(answer(false, "upfield 1"), Answer::Accepted);
}

/// Returns the report about the last directive, from the hello that the robot sends at `now` (s).
fn witness(core: &mut Core, now: f64) -> LastDirectiveReport {
    let hello = core.on_time(now);
    let found = hello.into_iter().find_map(|action| match action {
        Action::Send(RobotMessage::Hello { witness, .. }) => Some(witness),
        _ => None,
    });
    found.expect("a hello")
}

#[test]
fn witness_reports_last_directive_only() {
    let mut core = running();
    let told = |core: &mut Core, now| witness(core, now).told.unwrap();
    let run = ObeyedDirective { directive: 10, state: State::Run, run: 5, held: false, stops: 0 };
    // The robot pauses because the hub is silent. Its report still contains the last directive, RUN.
    let found = witness(&mut core, 2.0);
    assert_eq!((core.state(), found.told.as_ref(), found.silent_s), (State::Pause, Some(&run), Some(2.0)));
    // A returning hub sends PAUSE and asks for the last directive.
    let directive = |number, state, stops, held, asks| {
        let run = 5;
        ToRobot::Directive(Directive { number, state, run, stops, held, asks, expires: 100.0, ..Directive::default() })
    };
    core.on_message(2.1, directive(11, State::Pause, 3, false, true));
    assert_eq!((core.obeyed, told(&mut core, 4.0)), (11, run));
    // The robot keeps the highest count of STOPs that it has received.
    for (number, state, stops, held) in
        [(12, State::Stop, 3, false), (13, State::Ready, 3, false), (14, State::Stop, 1, true)]
    {
        let actions = core.on_message(4.1, directive(number, state, stops, held, false));
        let expected = ObeyedDirective { directive: number, state, run: 5, held, stops: 3 };
        assert!(actions.contains(&Action::Remember(expected.clone())), "{actions:?}");
        assert_eq!(core.last_directive, Some(expected));
    }
    // The robot rejects a directive other than STOP if the directive's count of STOPs is lower than the robot's count.
    // Its hub does not yet know of an executed STOP.
    core.on_message(4.2, directive(15, State::Ready, 2, false, false));
    assert_eq!((core.obeyed, core.state()), (14, State::Stop));
    // The robot reports that a directive is kept only after the directive is stored.
    let kept = |core: &Core| core.kept_directive().unwrap_or(0);
    assert_eq!(kept(&core), 0);
    core.stored_directive(13);
    assert_eq!(kept(&core), 0, "an older one says nothing of the newest");
    core.stored_directive(14);
    assert_eq!(kept(&core), 14);
    // After a restart, the robot knows the stored directive, but not the time at which the directive arrived.
    let mut restarted = Core::new(1, 78, Trust::Anybody).with_stored_directive(core.last_directive.clone());
    assert_eq!(witness(&mut restarted, 0.0), LastDirectiveReport { told: core.last_directive.clone(), silent_s: None });
    restarted.stored_directive(14);
    assert_eq!(kept(&restarted), 0, "this hub told it nothing");
}
