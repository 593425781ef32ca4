use super::*;
use crate::math::vec2;
use crate::model::ROBOT_RADIUS;
use std::f32::consts::{FRAC_PI_2, PI};

fn at(x: f32, y: f32, heading: f32) -> Option<Pose> {
    Some(Pose { at: vec2(x, y), heading })
}

fn obstacles(discs: &[f32]) -> Obstacles {
    Obstacles { radius: ROBOT_RADIUS, discs: discs.to_vec(), walls: Vec::new() }
}

/// Returns range and bearing of robot 1 for each message in which robot 0 hears robot 1. `messages` is the number of
/// messages.
fn heard(model: Messages, bodies: &[Option<Pose>], discs: &[f32], messages: u32) -> Vec<Neighbour> {
    let channel = Channel::new(model, bodies.len() - discs.len(), obstacles(discs));
    let mut all = Vec::new();
    for number in 0..messages {
        let moment = MessageId { seed: 5, world: 0, number };
        channel.receive(moment, 0, bodies, |other, neighbour| all.extend((other == 1).then_some(neighbour)));
    }
    all
}

/// Returns whether the fraction `found` / `n` differs from `probability` by at most four standard deviations.
fn about(found: usize, n: u32, probability: f32) -> bool {
    let (n, p) = (f64::from(n), f64::from(probability));
    (found as f64 / n - p).abs() <= 4.0 * (p * (1.0 - p) / n).sqrt()
}

#[test]
fn without_chance_all_in_range_are_heard_exactly() {
    let model = Messages::default();
    let one = heard(model, &[at(0.0, 0.0, FRAC_PI_2), at(0.3, 0.0, 1.0)], &[], 1);
    assert!((one[0].range - 0.3).abs() < 1e-6 && (one[0].bearing + FRAC_PI_2).abs() < 1e-6, "{one:?}");
    assert_eq!(heard(model, &[at(0.0, 0.0, 0.0), at(0.501, 0.0, 0.0)], &[], 9).len(), 0);
    assert_eq!(heard(model, &[at(0.0, 0.0, 0.0), None], &[], 9).len(), 0, "who is nowhere is not heard");
    assert_eq!(heard(model, &[None, at(0.0, 0.0, 0.0)], &[], 9).len(), 0, "and hears nobody");
}

#[test]
fn loss_is_as_set_and_grows_with_the_distance() {
    let pair = |x| [at(0.0, 0.0, 0.0), at(x, 0.0, 0.0)];
    let n = 20_000;
    let even = Messages { loss: 0.3, ..Messages::default() };
    assert!(about(heard(even, &pair(0.1), &[], n).len(), n, 0.7));
    let growing = Messages { loss: 0.3, loss_at_range: 0.8, ..Messages::default() };
    for part in [0.1f32, 0.5, 0.9] {
        let expected = 0.7 * (1.0 - 0.8 * part * part);
        assert!(about(heard(growing, &pair(0.5 * part), &[], n).len(), n, expected), "{part}");
    }
    let all = Messages { loss: 1.0, ..Messages::default() };
    assert_eq!(heard(all, &pair(0.1), &[], n).len(), 0);
}

#[test]
fn noise_has_its_deviations_and_no_bias() {
    let model = Messages { range_noise_m: 0.02, bearing_noise_rad: 0.1, ..Messages::default() };
    let n = 20_000;
    let all = heard(model, &[at(0.0, 0.0, 0.0), at(0.3, 0.0, 0.0)], &[], n);
    assert_eq!(all.len(), n as usize);
    for (values, expected, deviation) in [
        (all.iter().map(|h| f64::from(h.range)).collect::<Vec<_>>(), 0.3, 0.02),
        (all.iter().map(|h| f64::from(h.bearing)).collect(), 0.0, 0.1),
    ] {
        let n = f64::from(n);
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n;
        assert!((mean - expected).abs() < 4.0 * deviation / n.sqrt(), "mean {mean}");
        // The variance of n normal values has a relative standard deviation of sqrt(2 / n).
        assert!((variance / (deviation * deviation) - 1.0).abs() < 4.0 * (2.0 / n).sqrt(), "variance {variance}");
    }
}

#[test]
fn lobes_favour_the_front_of_sender_and_receiver() {
    let reach = |model: Messages, mine: f32, theirs: f32| {
        let far = |x: f32| heard(model, &[at(0.0, 0.0, mine), at(x, 0.0, theirs)], &[], 1).is_empty();
        (1..=60).map(|cm| cm as f32 * 0.01).find(|x| far(*x)).map_or(0.6, |x| x - 0.01)
    };
    let sending = Messages { sender_lobe: 1, ..Messages::default() };
    let hearing = Messages { receiver_lobe: 2, ..Messages::default() };
    let near = |a: f32, b: f32| (a - b).abs() < 0.011;
    // The sender is at +x of the receiver, so the sender faces the receiver if its heading is pi.
    assert!(near(reach(sending, 1.0, PI), 0.5) && near(reach(sending, 1.0, FRAC_PI_2), 0.25));
    assert!(near(reach(sending, 1.0, 0.0), 0.0));
    assert!(near(reach(hearing, 0.0, 1.0), 0.5) && near(reach(hearing, FRAC_PI_2, 1.0), 0.125));
}

#[test]
fn bodies_on_the_line_hide_the_sender() {
    let count = |occlusion, third: Option<Pose>, discs: &[f32]| {
        let model = Messages { occlusion, ..Messages::default() };
        heard(model, &[at(0.0, 0.0, 0.0), at(0.4, 0.0, 0.0), third], discs, 1).len()
    };
    use Occlusion::{All, None as Nothing, Robots};
    let rows = [(Nothing, 0.0, 1), (Robots, 0.0, 0), (Robots, 0.037, 0), (Robots, -0.038, 1), (All, 0.0, 0)];
    for (occlusion, aside, expected) in rows {
        assert_eq!(count(occlusion, at(0.2, aside, 0.0), &[]), expected, "{occlusion:?} {aside}");
    }
    assert_eq!(count(Robots, at(-0.02, 0.0, 0.0), &[]), 1, "behind the receiver");
    assert_eq!(count(Robots, at(0.42, 0.0, 0.0), &[]), 1, "behind the sender");
    assert_eq!((count(Robots, at(0.2, 0.1, 0.0), &[0.105]), count(All, at(0.2, 0.1, 0.0), &[0.105])), (1, 0));
}

#[test]
fn robots_with_different_gains_may_hear_each_other_one_way() {
    let model = Messages { gain_spread: 0.5, gain_seed: 3, ..Messages::default() };
    let channel = Channel::new(model, 100, obstacles(&[]));
    let bodies: Vec<Option<Pose>> = (0..100).map(|i| at((i % 10) as f32 * 0.15, (i / 10) as f32 * 0.15, 0.0)).collect();
    let moment = MessageId { seed: 1, world: 0, number: 0 };
    let mut hears = vec![vec![false; 100]; 100];
    for (me, row) in hears.iter_mut().enumerate() {
        channel.receive(moment, me, &bodies, |other, _| row[other] = true);
    }
    let one_way = (0..100).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|(a, b)| hears[*a][*b] != hears[*b][*a]);
    assert!(one_way.count() > 100);
    let gains = |spread| Channel::new(Messages { gain_spread: spread, ..model }, 10_000, obstacles(&[])).gains;
    assert!(gains(0.5).iter().flatten().all(|g| (0.5..=1.5).contains(g)));
    let mean = gains(0.5).iter().flatten().sum::<f32>() / 20_000.0;
    assert!((mean - 1.0).abs() < 4.0 * 0.5 / (3.0f32 * 20_000.0).sqrt(), "{mean}");
    assert_eq!(gains(0.5), gains(0.5), "the same seed gives the same gains");
}

#[test]
fn numbers_out_of_range_are_named() {
    assert_eq!(Messages::default().check(), Ok(()));
    let bad = Messages { loss: 2.0, ..Messages::default() };
    assert_eq!(bad.check(), Err("messages.loss = 2 is outside 0 to 1".into()));
    assert!(Messages { range_m: f32::NAN, ..Messages::default() }.check().is_err());
}
