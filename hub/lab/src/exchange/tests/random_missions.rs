//! 500 random missions with the distribution of MG1: all are imported, valid, and simulated with the same results by
//! `reference` and `simd`, and nearly the same by `gpu`.

use super::super::import;
use super::automode::world;
use super::program;
use xpuck_kernels::engine::{Engine, Gpu, Job, Outcome, Reference, Simd, Team};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::WorldSpec;

const MISSIONS: u32 = 500;
/// Length of a simulated run: 2 s.
const UPDATES: u32 = 20;
/// Trees that read the ground, the light, and neighbours.
const TREES: [&str; 3] = [
    "sel\n  avoiding\n  seq\n    ifsect s_ground 180deg 60deg\n    mulav v_goal v_zero 0.2 v_up\n  explore 20\n",
    "sel\n  avoiding\n  seq\n    ifprob s_ground 4 0.5\n    mulav v_goal v_zero 4 v_light\n  mulav v_goal v_up -0.5 v_light\n",
    "sel\n  avoiding\n  attract 2\n",
];

/// Selects an element with probabilities in proportion to the weights.
fn choice<T: Copy>(draws: &mut Draws, elements: &[(T, f32)]) -> T {
    let mut left = draws.unit() * elements.iter().map(|(_, weight)| weight).sum::<f32>();
    for (element, weight) in elements {
        left -= weight;
        if left < 0.0 {
            return *element;
        }
    }
    elements[elements.len() - 1].0
}

/// Mission line with the weights of MG1 (Ligot et al. 2022): class, length, robots, arena, start, light and patches.
fn line(number: u32) -> String {
    let draws = &mut Draws::new(7, number, 0, 0, Stream::Simtest);
    let class = choice(draws, &[("foraging", 0.2), ("homing", 0.4), ("aggXOR", 0.4)]);
    let (arena, side, corners, inradius) = choice(
        draws,
        &[(("trigon", 2.4, 3, 0.692), 1.0), (("tetragon", 1.94, 4, 0.97), 1.0), (("hexagon", 1.29, 6, 1.117), 1.0)],
    );
    let seconds = choice(draws, &[(60, 0.25), (120, 0.375), (180, 0.375)]);
    let robots = 15 + draws.below(6);
    let light = if draws.unit() < if class == "foraging" { 0.85 } else { 0.3 } { "on" } else { "off" };
    let start = choice(draws, &[("'uniform'", 1.0), ("'notpatches'", 1.0), ("'oneside' 0", 0.5), ("'oneside' 1", 0.5)]);
    let time = choice(draws, &[("anytime", 0.5), ("endtime", 0.5)]);
    let (own, other) = choice(draws, &[(("black", "white"), 0.5), (("white", "black"), 0.5)]);
    // Numbers of patches with the colour of nest or home, and with the other colour.
    let (homes, others) = match class {
        "foraging" => (choice(draws, &[(1, 0.95), (2, 0.05)]), choice(draws, &[(1, 0.5), (2, 0.4), (3, 0.1)])),
        "homing" => (1, choice(draws, &[(0, 0.55), (1, 0.3), (2, 0.15)])),
        _ => (choice(draws, &[(2, 0.8), (3, 0.2)]), choice(draws, &[(0, 0.6), (1, 0.4)])),
    };
    let mut patches: Vec<(Vec2, f32)> = Vec::new();
    while patches.len() < homes + others {
        // The centre, or half way to a corner, or a corner.
        let towards = Vec2::unit((2.0 * draws.below(corners) as f32 + 1.0) * std::f32::consts::PI / corners as f32);
        let at = towards * (inradius * choice(draws, &[(0.0, 1.0), (0.5, 1.0), (0.85, 1.0)]));
        let radius = choice(draws, &[(0.15, 1.0), (0.3, 1.0), (0.4, 0.2)]);
        let at = vec2((at.x * 1e4).round() / 1e4, (at.y * 1e4).round() / 1e4);
        if patches.iter().all(|(there, size)| (*there - at).length() > size + radius) || draws.below(200) == 0 {
            patches.push((at, radius));
        }
    }
    let colours = match class {
        "foraging" => format!("--colnest {own} --colfs {other}"),
        "homing" => format!("--tof '{time}' --colhome {own} --coldistration {other}"),
        _ => format!("--tof '{time}' --colhome {own} --coldistraction {other} --nh {homes}"),
    };
    let patch = |(i, (at, radius)): (usize, &(Vec2, f32))| {
        let colour = if i < homes { own } else { other };
        format!(" --p{i} Circle --ps{i} {radius} --pcx{i} {} --pcy{i} {} --pc{i} {colour}", at.x, at.y)
    };
    let all: String = patches.iter().enumerate().map(patch).collect();
    format!(
        "--m {class} --a {arena} --as {side} --el {seconds} --r {robots} --l '{light}' --ip {start} {colours} --np {}{all}",
        patches.len()
    )
}

#[test]
fn random_missions_are_valid_and_agree_in_all_engines() {
    let programs = TREES.map(program);
    let specs: Vec<WorldSpec> = (0..MISSIONS)
        .map(|number| {
            let text = import::missions(&line(number)).unwrap().remove(0).world;
            world(&text.unwrap_or_else(|error| panic!("{}: {error}", line(number))).text)
        })
        .collect();
    let job = |(number, spec)| Job {
        spec,
        start: 0,
        team: Team::all(number % TREES.len()),
        seed: 3,
        world: number as u32,
        updates: UPDATES,
    };
    let jobs: Vec<Job<'_>> = specs.iter().enumerate().map(job).collect();
    let (reference, simd) = (Reference::default().run(&programs, &jobs), Simd::default().run(&programs, &jobs));
    let differing: Vec<usize> = (0..specs.len()).filter(|number| reference[*number] != simd[*number]).collect();
    assert_eq!(differing, Vec::<usize>::new(), "missions whose results differ");
    let scores = reference.iter().filter(|outcome| outcome.fitness > 0.0).count();
    println!("{} missions, {scores} with a score above 0", specs.len());
    assert!(scores > 200 && reference.iter().all(|outcome| outcome.fitness.is_finite()), "{scores}");
    // On a GPU, places have other rounding errors. A robot near a border may therefore read another shade.
    let gpu = Gpu::open().unwrap();
    let other = gpu.run(&programs, &jobs);
    assert_eq!(gpu.notice(), None);
    let far = |(a, b): (&Outcome, &Outcome)| (a.fitness - b.fitness).abs() > 1e-5;
    let differing = reference.iter().zip(&other).filter(|pair| far(*pair)).count();
    println!("{differing} of {} missions have another score on {:?}", specs.len(), gpu.device());
    assert!(differing <= specs.len() / 50, "{differing}");
}
