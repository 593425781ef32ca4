use super::*;
use crate::cargo::run::{Setup, run};
use crate::cargo::scene::{Line, Noise, Start};
use crate::cargo::{Weights, hand_made_automata, published_scene};
use std::f32::consts::FRAC_PI_2;
use xpuck_kernels::random::Stream;

fn drive_for(scene: Scene, powers: (i16, i16), time: u32) -> Tally {
    let prepared = PreparedScene::new(scene).unwrap();
    let mut plant = World::new(&prepared, 0, false, Draws::new(1, 0, 0, 0, Stream::Motion));
    plant.drive(powers.0, powers.1);
    while plant.now < time {
        let next = plant.next().min(time);
        plant.advance(next);
    }
    *plant.tally()
}

fn empty() -> Scene {
    Scene {
        obstacles: vec![],
        lines: vec![],
        lamps: vec![],
        areas: vec![],
        times: vec![],
        scripts: vec![],
        ..published_scene()
    }
}

#[test]
fn times_are_cut_where_edges_are_crossed() {
    let start = Start { x: 0.2, y: 0.5, heading: FRAC_PI_2 };
    let line = Line { width: 0.05, value: 30.0, points: vec![[0.5, 0.1], [0.5, 0.9]] };
    let scene = Scene { lines: vec![line], starts: vec![start], ..empty() };
    let tally = drive_for(scene, (100, 100), 3000);
    // The sensor is on the line for 0.05 units at 0.15 units/s, plus the grace time of line contact.
    assert!((tally.line_time - (1000.0 / 3.0 + GRACE)).abs() < 0.1, "{}", tally.line_time);
    assert!((tally.distance - 0.45).abs() < 1e-5);
}

#[test]
fn obstacles_stop_a_robot_when_it_touches_them() {
    let start = Start { x: 0.5, y: 0.5, heading: FRAC_PI_2 };
    let tally = drive_for(Scene { starts: vec![start], ..empty() }, (100, 100), 5000);
    // The robot's rim meets the wall after 0.475 units, at 3166.7 ms.
    assert!((tally.obstacle_time - (5000.0 - 475.0 / 0.15)).abs() < 1.0, "{}", tally.obstacle_time);
    assert!((tally.distance - 0.475).abs() < 1e-4);
}

#[test]
fn looking_only_when_something_can_change_changes_nothing() {
    let weights = Weights::default();
    // The bumper noise is too small to have an effect, but it forces an evaluation of all senses at every tick.
    let eager = Scene { noise: Noise { bumper: 1e-30, ..Noise::default() }, ..published_scene() };
    let [lazy, eager] = [published_scene(), eager].map(|scene| PreparedScene::new(scene).unwrap());
    for start in 0..3 {
        let [lazy, eager] = [&lazy, &eager].map(|world| {
            let setup = Setup { world, weights: &weights, start, repeat: 0, time: 200_000, seed: 3 };
            run(&hand_made_automata(), &setup, &[]).tally
        });
        assert_eq!(lazy.scripts, eager.scripts);
        assert_eq!((lazy.changes, lazy.lit_changes), (eager.changes, eager.lit_changes));
        for (a, b) in [
            (lazy.obstacle_time, eager.obstacle_time),
            (lazy.line_time, eager.line_time),
            (lazy.lit_line_time, eager.lit_line_time),
            (lazy.lit_time, eager.lit_time),
        ] {
            assert!((a - b).abs() < 1.0, "{lazy:?} {eager:?}");
        }
        assert!((lazy.distance - eager.distance).abs() < 1e-3);
    }
}

#[test]
fn noise_makes_runs_differ() {
    let noise = Noise { bumper: 1e-3, light: 1e-4, line: 4.0, speed: 1e-3, heading: 1e-4, obstacle: 1e-2 };
    let [clean, noisy] = [Noise::default(), noise].map(|noise| {
        let world = PreparedScene::new(Scene { noise, ..published_scene() }).unwrap();
        let weights = Weights::default();
        run(
            &hand_made_automata(),
            &Setup { world: &world, weights: &weights, start: 0, repeat: 0, time: 60_000, seed: 3 },
            &[],
        )
    });
    assert_ne!(clean.tally, noisy.tally);
}
