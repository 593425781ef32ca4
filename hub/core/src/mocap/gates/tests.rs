use super::*;

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn body(name: &str, x: f64) -> RawBody {
    RawBody { name: name.into(), place: [x, 0.0, 0.1], rotation: IDENTITY, quality: None, age_s: 0.0 }
}

/// Test bench that sends frames at 50 Hz through the filter of a swarm of two robots.
struct Bench {
    gates: PoseFilter,
    number: u32,
}

impl Bench {
    fn new() -> Bench {
        Bench { gates: PoseFilter::new(Limits::default(), &["xp01".into(), "xp02".into()]), number: 0 }
    }

    /// Sends the next frame and returns the names of the accepted bodies.
    fn frame(&mut self, bodies: &[RawBody]) -> Vec<String> {
        self.number += 1;
        let time_s = f64::from(self.number) * 0.02;
        let raw = RawFrame { number: self.number, time_s, bodies: bodies.to_vec() };
        self.gates.filter(&raw).unwrap().bodies.into_iter().map(|b| b.name).collect()
    }
}

#[test]
fn robots_that_drive_pass_with_their_poses() {
    let mut bench = Bench::new();
    for i in 0..500 {
        // The maximum speed of an e-puck is 0.13 m/s.
        let x = 0.13 * 0.02 * f64::from(i);
        assert_eq!(bench.frame(&[body("xp01", x), body("xp02", -x)]).len(), 2);
    }
    let mut turned = body("xp01", 0.0);
    turned.rotation = [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut gates = PoseFilter::new(Limits::default(), &[]);
    let frame = gates.filter(&RawFrame { number: 1, time_s: 0.0, bodies: vec![turned] }).unwrap();
    assert!((frame.pose("xp01").unwrap().heading - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
}

#[test]
fn two_robots_that_exchange_names_in_one_frame_are_both_refused() {
    let mut bench = Bench::new();
    let (a, b) = (0.30, 0.37);
    assert_eq!(bench.frame(&[body("xp01", a), body("xp02", b)]).len(), 2);
    for _ in 0..10 {
        assert_eq!(bench.frame(&[body("xp01", b), body("xp02", a), body("frisbee", a)]), ["frisbee"]);
    }
    assert_eq!(bench.frame(&[body("xp01", a), body("xp02", b)]).len(), 2, "names are right again");
    assert_eq!(bench.gates.refused(Reason::Jump), 20);
    let report = bench.gates.report().unwrap();
    assert!(report.contains("20 too far away") && report.contains("xp02: 0.070 m"), "{report}");
}

#[test]
fn carried_robot_is_accepted_once_it_stays() {
    let mut bench = Bench::new();
    bench.frame(&[body("xp01", 0.0)]);
    let refused = (0..200).take_while(|_| bench.frame(&[body("xp01", 0.9)]).is_empty()).count();
    // The robot is rejected for one second at 50 Hz. The rounding of timestamps may change this by a frame.
    assert!((49..=51).contains(&refused), "{refused} frames");
    assert_eq!(bench.frame(&[body("xp01", 0.9)]).len(), 1);
    // A robot that alternates between two positions is never accepted.
    assert!((0..100).all(|i| bench.frame(&[body("xp01", if i % 2 == 0 { -0.9 } else { 0.0 })]).is_empty()));
}

#[test]
fn hidden_robot_may_return_within_driving_distance() {
    let mut bench = Bench::new();
    bench.frame(&[body("xp01", 0.0)]);
    (0..100).for_each(|_| assert!(bench.frame(&[]).is_empty()));
    assert_eq!(bench.frame(&[body("xp01", 0.25)]).len(), 1, "2 s at 0.13 m/s");
}

#[test]
fn frisbee_may_be_carried() {
    let mut bench = Bench::new();
    bench.frame(&[body("frisbee", 0.9)]);
    assert_eq!(bench.frame(&[body("frisbee", 0.0)]), ["frisbee"]);
}

#[test]
fn frozen_and_restarted_servers_are_distinguished() {
    let mut bench = Bench::new();
    bench.frame(&[body("xp01", 0.0)]);
    let same = RawFrame { number: bench.number, time_s: 0.02, bodies: vec![body("xp01", 0.0)] };
    assert_eq!((0..3).filter_map(|_| bench.gates.filter(&same)).count(), 0);
    assert_eq!(bench.gates.refused(Reason::Stale), 3);
    assert!(bench.gates.report().unwrap().contains("whether the server is frozen"));
    // The server restarts its frame numbers. The robot may be anywhere afterwards.
    let passed = |gates: &mut PoseFilter, number: u32| {
        let time_s = f64::from(number) * 0.02;
        gates.filter(&RawFrame { number, time_s, bodies: vec![body("xp01", 1.0)] }).is_some()
    };
    bench.number = 1000;
    bench.frame(&[body("xp01", 0.0)]);
    let refused = (0..100).take_while(|number| !passed(&mut bench.gates, *number)).count();
    assert_eq!(refused, 50, "a second at 50 Hz");
    assert!(passed(&mut bench.gates, 51));
}

#[test]
fn server_that_sends_two_frames_in_turn_is_frozen() {
    let mut gates = PoseFilter::new(Limits::default(), &["xp01".into()]);
    let mut passed = |number: u32, x: f64| {
        let raw = RawFrame { number, time_s: f64::from(number) * 0.02, bodies: vec![body("xp01", x)] };
        gates.filter(&raw).is_some()
    };
    assert!(passed(7, 0.0) && passed(8, 0.1));
    assert!((0..500).all(|_| !passed(7, 0.0) && !passed(8, 0.1)));
    // A server whose frame numbers decrease is not accepted as restarted either.
    assert!((0..7).rev().all(|number| !passed(number, 0.0)));
    // Only the frame that arrives out of order is lost.
    assert!(passed(9, 0.1) && passed(11, 0.1) && !passed(10, 0.1) && passed(12, 0.1));
    assert_eq!(gates.refused(Reason::Stale), 1008);
}

#[test]
fn new_connection_is_believed_at_once_if_its_numbers_are_others() {
    let mut bench = Bench::new();
    bench.number = 1000;
    bench.frame(&[body("xp01", 0.0)]);
    // After a reconnection, the filter still detects a frozen server. The speed limit still applies if the server
    // continues its frame numbers.
    bench.gates.connected();
    let raw = |number: u32, x| RawFrame { number, time_s: 0.02 * f64::from(number), bodies: vec![body("xp01", x)] };
    assert!(bench.gates.filter(&raw(1001, 0.0)).is_none());
    bench.gates.connected();
    assert!(bench.frame(&[body("xp01", 0.9)]).is_empty());
    assert_eq!((bench.gates.refused(Reason::Stale), bench.gates.refused(Reason::Jump)), (1, 1));
    bench.gates.connected();
    assert_eq!(bench.gates.filter(&raw(1, 0.9)).unwrap().bodies.len(), 1);
}

#[test]
fn pose_of_the_future_is_refused() {
    let mut bench = Bench::new();
    let early = RawBody { age_s: -0.5, ..body("xp01", 0.0) };
    assert!(bench.frame(&[early]).is_empty());
    assert_eq!(bench.gates.refused(Reason::Age), 1);
    assert_eq!(bench.frame(&[RawBody { age_s: -1e-6, ..body("xp01", 0.0) }]), ["xp01"]);
}

#[test]
fn invalid_poses_are_rejected_with_reason() {
    let refused = |change: fn(&mut RawBody)| {
        let mut bench = Bench::new();
        let mut bad = body("frisbee", 0.0);
        change(&mut bad);
        assert!(bench.frame(&[bad]).is_empty());
        assert_eq!(bench.gates.refused(Reason::NoPose), 1);
        bench.gates.report().unwrap()
    };
    assert!(refused(|b| b.place[2] = f64::NAN).contains("frisbee: a number is not finite"));
    assert!(refused(|b| b.rotation = [0.0; 9]).contains("is not a rotation matrix"), "an empty frame");
    assert!(refused(|b| b.rotation = IDENTITY.map(|e| e * 1.1)).contains("is not a rotation matrix"), "scaled");
    assert!(refused(|b| b.rotation[1] = 0.2).contains("is not a rotation matrix"), "sheared");
    assert!(refused(|b| b.rotation[0] = -1.0).contains("is not a rotation matrix"), "mirrored");
    // All bodies of a server with y up have this rotation of 90 degrees about x.
    assert!(refused(|b| b.rotation = [1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]).contains("vertical axis to z"));
}

#[test]
fn low_quality_and_old_poses_are_refused() {
    let limits = Limits { min_quality: 0.4, max_age_s: 0.1, ..Limits::default() };
    let mut gates = PoseFilter::new(limits, &[]);
    let qualities = [Some(0.39), Some(f64::NAN), Some(0.4), None];
    let bodies = qualities.map(|quality| RawBody { quality, ..body("a", 0.0) }).to_vec();
    assert_eq!(gates.filter(&RawFrame { number: 1, time_s: 1.0, bodies }).unwrap().bodies.len(), 2);
    let bodies = [0.0, 0.1, 0.11, f64::NAN].map(|age_s| RawBody { age_s, ..body("a", 0.0) }).to_vec();
    assert_eq!(gates.filter(&RawFrame { number: 2, time_s: 1.1, bodies }).unwrap().bodies.len(), 2);
    assert_eq!((gates.refused(Reason::Quality), gates.refused(Reason::Age)), (2, 2));
}

#[test]
fn reports_are_rare() {
    let mut bench = Bench::new();
    let crooked = RawBody { rotation: [0.0; 9], ..body("xp01", 0.0) };
    let mut reports = 0;
    for _ in 0..1000 {
        bench.frame(std::slice::from_ref(&crooked));
        reports += usize::from(bench.gates.report().is_some());
    }
    assert_eq!(reports, 2, "in 20 s");
    assert_eq!(bench.gates.refused(Reason::NoPose), 1000);
}

#[test]
fn robot_added_later_has_speed_limit() {
    let mut bench = Bench::new();
    bench.frame(&[body("xp03", 0.0)]);
    assert_eq!(bench.frame(&[body("xp03", 0.5)]), ["xp03"], "nobody knows that it is a robot");
    bench.gates.add("xp03".into());
    bench.frame(&[body("xp03", 0.5)]);
    assert!(bench.frame(&[body("xp03", 0.0)]).is_empty());
}

#[test]
fn robots_and_frisbee_far_outside_the_arena_are_refused() {
    let gates = PoseFilter::new(Limits::default(), &["xp01".into()]).within(&Arena::default(), "frisbee");
    let mut bench = Bench { gates, number: 0 };
    let passed = bench.frame(&[body("xp01", 380.0), body("frisbee", -6.1), body("camera", 9.0)]);
    assert_eq!((passed, bench.gates.refused(Reason::Outside)), (vec!["camera".into()], 2));
    assert_eq!(bench.frame(&[body("xp01", 0.38), body("frisbee", 5.9)]).len(), 2);
    bench.frame(&[body("frisbee", 600_000.0 / 1000.0)]);
    let report = bench.gates.report().unwrap();
    assert!(
        report.contains("frisbee: 600.0 m from the centre of the arena: if the server sends millimetres"),
        "{report}"
    );
}

#[test]
fn stamps_that_stand_still_while_bodies_move_are_named() {
    let mut gates = PoseFilter::new(Limits::default(), &[]);
    let mut pass = |x: f64| gates.filter(&RawFrame { number: 2, time_s: 0.0, bodies: vec![body("xp01", x)] }).is_some();
    assert!(pass(0.0) && !pass(0.01) && !pass(0.02));
    let report = gates.report().unwrap();
    assert!(report.contains("time stamps are constant at 0.000 s; set mocap.time = \"arrival\""), "{report}");
}
