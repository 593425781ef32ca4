use super::*;

/// Returns an accumulator whose pushing zone ends at 0.1 + 1.5 * 0.04 = 0.16 m, and whose loitering zone ends at 0.3
/// m.
fn meter() -> MetricsMeter {
    MetricsMeter::new(0.1, 0.04)
}

fn robot(x: f64, heading: f64, wheels: (f64, f64)) -> Option<RobotState> {
    Some(RobotState { at: (x, 0.0), heading, wheels: Some(wheels) })
}

fn add_instant(meter: &mut MetricsMeter, seconds: f64, robots: &[Option<RobotState>]) {
    meter.add_sample(&Instant { seconds, robots, frisbee: Some((0.0, 0.0)) });
}

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-12, "{value}, not {expected}");
}

#[test]
fn metrics_match_hand_calculation_for_two_instants() {
    let mut meter = meter();
    let right_angle = std::f64::consts::FRAC_PI_2;
    // Two robots push at a right angle, one robot loiters, and one robot is outside both zones.
    let robots = [
        robot(0.15, 0.0, (0.1, -0.1)),
        robot(-0.15, right_angle, (0.0, 0.0)),
        robot(0.29, 0.0, (0.05, 0.0)),
        robot(0.31, 0.0, (0.0, 0.0)),
    ];
    add_instant(&mut meter, 1.0, &robots);
    // One robot pushes.
    let robots = [
        robot(0.15, 1.0, (-0.1, -0.1)),
        robot(-0.17, 0.0, (0.0, 0.02)),
        robot(0.29, 0.0, (0.05, 0.0)),
        robot(0.31, 0.0, (0.0, 0.0)),
    ];
    add_instant(&mut meter, 1.1, &robots);
    let metrics = meter.finish().unwrap();
    close(metrics.energy, (0.25 + 0.27) / 2.0);
    close(metrics.pushing, (0.5 + 0.25) / 2.0);
    close(metrics.loitering, (0.25 + 0.5) / 2.0);
    close(metrics.cooperation, (2f64.sqrt() / 2.0 + 1.0) / 2.0);
    close(metrics.acceleration, (0.2 + 0.02) / 0.1);
    assert_eq!(metrics.counted, Counted { robots: 4, instants: 2, pushing: 2, wheels: 2 });
    assert_eq!(metrics.values()[3], metrics.cooperation);
    let json = serde_json::to_value(metrics).unwrap();
    assert!(Metrics::NAMES.iter().zip(metrics.values()).all(|(name, value)| json[name] == value));
}

#[test]
fn zones_end_at_thesis_limits() {
    // The radii are powers of two, so that the limits of the zones are exact: 0.25 + 1.5 * 0.25 = 0.625 and 0.75.
    for (x, pushing, loitering) in [(0.625, 1.0, 0.0), (0.626, 0.0, 1.0), (0.75, 0.0, 1.0), (0.751, 0.0, 0.0)] {
        let mut meter = MetricsMeter::new(0.25, 0.25);
        add_instant(&mut meter, 0.0, &[robot(x, 0.0, (0.0, 0.0))]);
        add_instant(&mut meter, 0.1, &[robot(-x, 0.0, (0.0, 0.0))]);
        let metrics = meter.finish().unwrap();
        assert_eq!((metrics.pushing, metrics.loitering), (pushing, loitering), "{x}");
        assert_eq!(metrics.cooperation, pushing, "one alone gives 1, nobody 0");
    }
}

#[test]
fn opposite_headings_do_not_cooperate() {
    let mut meter = meter();
    for i in 0..2 {
        let seconds = f64::from(i);
        add_instant(
            &mut meter,
            seconds * 0.1,
            &[robot(0.1, 0.0, (0.0, 0.0)), robot(-0.1, std::f64::consts::PI, (0.0, 0.0))],
        );
    }
    // An instant without a pushing robot does not lower the mean.
    add_instant(&mut meter, 0.2, &[robot(0.5, 0.0, (0.0, 0.0)), robot(0.5, 0.0, (0.0, 0.0))]);
    let metrics = meter.finish().unwrap();
    assert!(metrics.cooperation < 1e-12 && metrics.counted.pushing == 2);
    close(metrics.pushing, 2.0 / 3.0);
}

#[test]
fn lost_robots_and_gaps_leave_the_means_alone() {
    // The wheel speed of robot 0 changes by 0.2 m/s per step, and that of robot 1 is constant. Both robots are near
    // the frisbee.
    let all = |i: u32| {
        let speed = 0.1 * if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        [robot(0.1, 0.0, (speed, 0.1)), robot(0.2, 0.0, (0.05, 0.05))]
    };
    let (mut whole, mut holes) = (meter(), meter());
    for i in 0..40 {
        let (seconds, mut robots) = (f64::from(i) * 0.1, all(i).to_vec());
        add_instant(&mut whole, seconds, &robots);
        if (10..16).contains(&i) {
            // The gap is longer than `LONGEST_STEP`, so the acceleration over it is unknown.
            continue;
        }
        if !(4..=30).contains(&i) {
            robots[1] = None;
        }
        if i == 20 {
            robots[0].as_mut().unwrap().at.0 = f64::NAN;
        }
        if i == 24 {
            robots[1].as_mut().unwrap().wheels = Some((f64::INFINITY, 0.0));
        }
        let frisbee = (i % 5 != 3).then_some((0.0, 0.0));
        // A robot that is always dead is not counted.
        robots.push(None);
        holes.add_sample(&Instant { seconds, robots: &robots, frisbee });
    }
    let [whole, holes] = [whole, holes].map(|meter| meter.finish().unwrap());
    close(whole.energy, 0.3);
    close(holes.energy, whole.energy);
    close(whole.acceleration, 2.0);
    // Robot 0 is known at the instants 0..=9, 16..=19 and 21..=39. It has 9 + 3 + 18 speed changes in 32 steps of 0.1
    // s. The two steps from 19 to 21 count without a change, because the speeds at 19 and 21 are equal.
    close(holes.acceleration, 2.0 * 30.0 / 32.0);
    close(holes.cooperation, 1.0);
    assert_eq!((whole.counted.instants, whole.counted.wheels, whole.counted.robots), (40, 40, 2));
    assert_eq!((holes.counted.instants, holes.counted.wheels, holes.counted.robots), (27, 34, 2));
}

#[test]
fn only_robots_that_are_seen_are_shared_among() {
    let mut meter = meter();
    let pushing = robot(0.1, 0.0, (0.0, 0.0));
    add_instant(&mut meter, 0.0, &[pushing, None, None]);
    add_instant(&mut meter, 0.1, &[pushing, robot(1.0, 0.0, (0.0, 0.0)), None]);
    add_instant(&mut meter, 0.2, &[None, None, None]);
    let metrics = meter.finish().unwrap();
    close(metrics.pushing, 0.75);
    assert_eq!((metrics.counted.instants, metrics.counted.wheels), (2, 2));
}

#[test]
fn time_goes_on() {
    let mut meter = meter();
    let robots = |speed: f64| [robot(0.1, 0.0, (speed, 0.0))];
    add_instant(&mut meter, 1.0, &robots(0.1));
    for seconds in [1.0, 0.5, f64::NAN, f64::INFINITY] {
        add_instant(&mut meter, seconds, &robots(9.0));
    }
    assert_eq!(meter.finish(), None, "one instant has no acceleration");
    add_instant(&mut meter, 1.0 + 2.0 * LONGEST_STEP, &robots(0.3));
    assert_eq!(meter.finish(), None, "nor has a gap");
    add_instant(&mut meter, 1.25 + 2.0 * LONGEST_STEP, &robots(0.2));
    let metrics = meter.finish().unwrap();
    close(metrics.energy, 0.2);
    close(metrics.acceleration, 0.4);
}

#[test]
fn metrics_without_needed_data_are_none() {
    assert_eq!(meter().finish(), None);
    let robots = [robot(0.1, 0.0, (0.1, 0.1))];
    let mut blind = meter();
    let mut mute = meter();
    for i in 0..3 {
        let seconds = f64::from(i) * 0.1;
        blind.add_sample(&Instant { seconds, robots: &robots, frisbee: None });
        add_instant(&mut mute, seconds, &robots.map(|robot| robot.map(|robot| RobotState { wheels: None, ..robot })));
    }
    assert_eq!((blind.finish(), mute.finish()), (None, None));
}

#[test]
fn mean_cooperation_ignores_runs_without_pushing() {
    let counted = |pushing: u64| Counted { robots: 9, instants: 10, pushing, wheels: 10 };
    let run = |value: f64, pushing: u64| Metrics {
        energy: value,
        pushing: value,
        loitering: 2.0 * value,
        cooperation: if pushing > 0 { value } else { 0.0 },
        acceleration: 3.0 * value,
        counted: counted(pushing),
    };
    let mean = Metrics::mean(&[run(0.2, 0), run(0.4, 3), run(0.6, 4)]).unwrap();
    for (value, expected) in mean.values().into_iter().zip([0.4, 0.4, 0.8, 0.5, 1.2]) {
        close(value, expected);
    }
    assert_eq!(mean.counted, Counted { robots: 9, instants: 30, pushing: 7, wheels: 30 });
    assert_eq!(Metrics::mean(&[]), None);
    assert_eq!(Metrics::mean(&[run(0.2, 0)]).unwrap().cooperation, 0.0);
}
