//! Missions of docs/worlds/missions: all are valid, engines agree on them, and scores equal those computed by hand.

#![allow(clippy::disallowed_methods, reason = "the missions are a folder")]

use std::path::{Path, PathBuf};
use xpuck_experiment::world_file;
use xpuck_kernels::engine::{Engine, Job, Outcome, Piece, Reference, Simd, Suspended, Team};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::spec::Start;
use xpuck_kernels::world::task::objective::lots::draw;
use xpuck_kernels::world::task::objective::{ObjectiveScore, QUANTITIES, REDUCTIONS};
use xpuck_kernels::world::{Pose, Task, World, WorldSpec};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/worlds/missions")
}

fn mission(name: &str) -> WorldSpec {
    world_file::read(&folder().join(format!("{name}.toml"))).unwrap()
}

fn names() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let worlds = entries.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    let mut names: Vec<String> = worlds.map(|path| path.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    names.sort();
    names
}

/// Robots of one update: groups of a size at a place. The remaining robots are not seen.
type Groups<'a> = &'a [(usize, f32, f32)];

/// Returns the raw value after some updates; the first groups are the start.
fn value(name: &str, updates: &[Groups<'_>], seed: u64) -> f32 {
    let spec = mission(name);
    let Task::Objective(objective) = &spec.task else { panic!("{name} has another task") };
    let places = |groups: Groups<'_>| -> Vec<Vec2> {
        let all = groups.iter().flat_map(|(n, x, y)| std::iter::repeat_n(vec2(*x, *y), *n));
        all.chain(std::iter::repeat(vec2(f32::NAN, f32::NAN))).take(spec.robots).collect()
    };
    let start = places(updates[0]);
    let mut score =
        ObjectiveScore::new(objective.clone(), spec.physics.half_arena, spec.robots, start.into_iter(), (seed, 0));
    for groups in &updates[1..] {
        score.update(&places(groups));
    }
    score.value(1.0)
}

/// Scores by hand: mission, places at the start and after each update, value, and tolerance.
const BY_HAND: &[(&str, &[Groups<'_>], f32, f32)] = &[
    // 12 of 20 robots are on the left spot.
    ("agg", &[&[], &[(12, -0.55, 0.0), (5, 0.55, 0.2), (3, 0.0, 1.0)]], 0.6, 0.0),
    // (12 + 10) / 2 of 20 robots; the fuller spot may change.
    ("xor", &[&[], &[(12, -0.5, 0.0), (8, 0.0, 1.0)], &[(5, -0.5, 0.0), (10, 0.5, 0.1)]], 0.55, 1e-6),
    ("agg-50-50", &[&[], &[(12, -0.65, 0.0), (6, 0.65, 0.0)]], 0.6, 0.0),
    // Groups of 4, 4, 6, 2 and 4 count 4 + 4 + 2 + 2 + 4 of 20.
    (
        "n-aggregation",
        &[&[], &[(4, 0.7, 0.0), (4, 0.216, 0.666), (6, -0.566, 0.411), (2, -0.566, -0.411), (4, 0.216, -0.666)]],
        0.8,
        0.0,
    ),
    ("homing-end", &[&[], &[(20, 0.0, -0.7)], &[(7, 0.0, -0.5), (13, 0.0, 0.0)]], 0.35, 0.0),
    ("homing-anytime", &[&[], &[(20, 0.0, -0.7)], &[(7, 0.0, -0.5), (13, 0.0, 0.0)]], 0.675, 1e-6),
    // 0.3 m from the marker counts, although it is not painted.
    ("marker", &[&[], &[(5, 0.0, 0.4), (3, 0.0, 0.75), (12, 0.0, 0.0)]], 0.4, 0.0),
    ("black-white", &[&[], &[(9, 0.5, 0.1), (4, -0.5, 0.0)]], 0.45, 0.0),
    ("aac", &[&[], &[(6, 0.0, 0.8), (14, 0.0, -0.6)]], 0.3, 0.0),
    // 0.08 m north of the shelter's centre is outside.
    ("sca", &[&[], &[(4, 0.29, 0.07), (3, 0.0, 0.08)]], 0.2, 0.0),
    ("guided-shelter", &[&[], &[(10, 0.0, -1.0), (10, 0.0, -0.7)]], 0.5, 0.0),
    ("shelter-50-50", &[&[], &[(8, -0.7, 0.0), (5, 0.7, 0.0), (7, 0.0, 0.0)]], 0.5, 0.0),
    // Three robots deliver; staying in the nest delivers nothing; two of them deliver again.
    (
        "for",
        &[
            &[],
            &[(3, 0.75, 0.0)],
            &[(3, 0.0, -0.7)],
            &[(3, 0.0, -0.7)],
            &[(3, -0.75, 0.0)],
            &[(2, 0.0, -0.6), (1, 0.0, 0.0)],
        ],
        5.0,
        0.0,
    ),
    // Two robots pass to the south, one to the north, and one passes beside the gate.
    (
        "gate",
        &[&[(2, 0.0, 0.1), (1, 0.1, -0.1), (1, 0.9, 0.1)], &[(2, 0.0, -0.1), (1, 0.1, 0.1), (1, 0.9, -0.1)]],
        1.0,
        0.0,
    ),
    // Two discs of radius 0.25 at a distance of 0.3 have a union of 0.337 m^2; the third robot is not connected.
    ("lcn", &[&[], &[(1, 0.0, 0.0), (1, 0.3, 0.0), (1, -0.9, 0.0)]], 0.337, 0.02),
    // The mean distance of a disc's points to its centre is 2/3 of the radius. Robots on black do not count.
    ("cfa", &[&[], &[(19, 0.0, 0.0), (1, 0.5, 0.5)]], 0.8, 0.01),
    ("cfa", &[&[], &[(20, 0.5, 0.5)]], 2.5, 0.0),
    // The mean distance of a square's points to its centre is 0.3826 of the side. No robot is on the rim: 0.6 / 0.06.
    ("spc", &[&[], &[(20, -0.6, 0.0)]], 0.3826 * 0.6 / 0.08 + 10.0, 0.1),
    // A disc of radius 0.15 in a segment of 0.964 m^2.
    ("covering-south", &[&[], &[(1, 0.0, -0.9)]], 0.0707 / 0.964, 0.008),
    // All robots move; then one reaches the spot, and only this one moves.
    ("stop", &[&[(20, 0.0, -0.7)], &[(20, 0.01, -0.7)], &[(1, 0.6, 0.8), (19, 0.01, -0.7)]], 0.7375, 1e-6),
    ("rendezvous", &[&[], &[(6, 0.5, -0.3), (2, 0.0, 0.0)]], 0.5, 0.0),
    // One of 25 x 25 cells.
    ("exploration", &[&[], &[(20, 0.0, 0.0)]], 1.0 / 625.0, 1e-6),
    ("spreading", &[&[], &[(1, 0.0, 0.0), (1, 0.1, 0.0), (1, 0.3, 0.0)]], (0.1 + 0.1 + 0.2) / 3.0, 1e-6),
    // 19 of 190 pairs have a distance of 1 m.
    ("attraction", &[&[], &[(19, 0.0, 0.0), (1, 1.0, 0.0)]], 0.1, 1e-6),
    // A chain of 6 robots, and a pair.
    (
        "chain",
        &[
            &[],
            &[
                (1, 0.0, 0.0),
                (1, 0.25, 0.0),
                (1, 0.5, 0.0),
                (1, 0.75, 0.0),
                (1, 1.0, 0.0),
                (1, 0.0, 0.25),
                (1, -1.0, 0.0),
                (1, -1.0, 0.1),
            ],
        ],
        5.0,
        0.0,
    ),
    // All robots are in one of 10 x 10 cells: the others have an age of 0.1 s and then 0.2 s.
    ("patrol", &[&[], &[(20, 0.1, 0.1)], &[(20, 0.1, 0.1)]], 0.99 * 0.15, 1e-6),
    // One of three robots visits the bad source last.
    ("foraging-colours", &[&[], &[(3, 0.7, 0.3)], &[(1, 0.7, -0.3), (2, 0.0, 0.0)], &[(3, -0.7, 0.0)]], 1.0, 0.0),
    // A robot in the middle of a line of 1.71 m: the mean of min(distance, 0.5).
    ("connection", &[&[], &[(20, 0.0, 0.0)]], 0.354, 0.02),
    ("guided-shelter-short", &[&[], &[(10, 0.0, -1.0), (10, 0.0, -0.9)]], 0.5, 0.0),
    ("guided-shelter-offset", &[&[], &[(10, 0.0, -0.8), (10, 0.0, -1.0)]], 0.5, 0.0),
    // A disc of radius 0.3 in a segment of 0.964 m^2.
    ("lcf", &[&[], &[(1, 0.0, -0.9)]], 0.2827 / 0.964, 0.012),
    ("aggregation-formula", &[&[], &[(9, 0.0, 0.0), (3, 0.5, 0.0)]], 0.75, 0.0),
    // One of 20 x 15 cells.
    ("coverage-formula", &[&[], &[(8, 0.05, 0.05)]], 1.0 / 300.0, 1e-6),
    // The third robot has no neighbour within 0.49632 m.
    (
        "dispersion-formula",
        &[&[], &[(1, 0.0, 0.0), (1, 0.1, 0.0), (1, 0.7, 0.0)]],
        (0.1 + 0.1 + 0.49632) / 3.0 / 0.49632,
        1e-5,
    ),
    // Nine items in 0.2 s, where nine robots at 0.0919 m/s could deliver 9 * 0.0919 * 0.2 / 2.4.
    ("foraging-formula", &[&[], &[(9, 0.8, 0.0)], &[(9, -0.8, 0.0)]], 130.54, 0.05),
    ("cluster-quickly", &[&[], &[(14, 0.0, 0.0)], &[(15, 0.0, 0.0)], &[(1, 0.0, 0.0)]], 0.2, 1e-6),
];

/// Scores by hand of missions with lots: mission, value of its first lot, places, value, and tolerance.
const WITH_LOTS: &[(&str, f32, &[Groups<'_>], f32, f32)] = &[
    // White asks for the south, black for the north.
    ("decision", 1.0, &[&[], &[(14, 0.0, -0.5), (6, 0.0, 0.5)]], 0.7, 1e-6),
    ("decision", 0.0, &[&[], &[(14, 0.0, -0.5), (6, 0.0, 0.5)]], 0.3, 1e-6),
    ("beacon-aggregation", 1.0, &[&[], &[(9, 0.5, 0.4), (4, -0.5, 0.5)]], 0.45, 1e-6),
    ("beacon-aggregation", 0.0, &[&[], &[(9, 0.5, 0.4), (4, -0.5, 0.5)]], 0.2, 1e-6),
    // A disc of radius 0.15 in a segment of 0.964 m^2, in the south, which counts for starts in the north only.
    ("conditional-coverage", 1.0, &[&[], &[(1, 0.0, -0.9)]], 0.0707 / 0.964, 0.008),
    ("conditional-coverage", 0.0, &[&[], &[(1, 0.0, -0.9)]], 0.0, 0.0),
    // 5 of 20 robots are in the nest: 1.25. Then one finds the spot, and half are in the nest: 0.5. At another place, 1.5.
    (
        "nesting",
        0.0,
        &[&[], &[(5, 0.0, -0.8), (15, 0.0, 0.0)], &[(10, 0.0, -0.8), (1, -0.6, 0.75), (9, 0.0, 0.0)]],
        0.875,
        1e-6,
    ),
    (
        "nesting",
        1.0,
        &[&[], &[(5, 0.0, -0.8), (15, 0.0, 0.0)], &[(10, 0.0, -0.8), (1, -0.6, 0.75), (9, 0.0, 0.0)]],
        1.375,
        1e-6,
    ),
    (
        "nesting-hide",
        1.0,
        &[&[], &[(5, 0.0, -0.8), (15, 0.0, 0.0)], &[(10, 0.0, -0.8), (1, 0.4, 0.8), (9, 0.0, 0.0)]],
        0.875,
        1e-6,
    ),
];

/// Scores by hand of missions with a disc: mission, places of the disc at the start and after each update, value.
const WITH_DISC: &[(&str, &[[f32; 2]], f32)] = &[
    // 0.1 m in 0.2 s, as a part of 0.13 m/s.
    ("transport-formula", &[[0.0, 0.0], [-0.02, 0.5], [-0.1, 0.5]], 0.1 / 0.2 / 0.13),
    ("transport-once-formula", &[[0.5, 0.0], [0.6, 0.1]], -0.1 / 0.1 / 0.13),
    // Half of 0.895 m.
    ("transport-position-formula", &[[0.0, 0.0], [-0.8, 0.0], [-0.4475, 0.2]], 0.5),
    ("transport-position-formula", &[[0.0, 0.0], [0.4, 0.2]], 0.0),
];

#[test]
fn scores_with_discs_equal_those_computed_by_hand() {
    for (name, places, expected) in WITH_DISC {
        let spec = mission(name);
        let Task::Objective(objective) = &spec.task else { panic!("{name} has another task") };
        let mut score =
            ObjectiveScore::new(objective.clone(), spec.physics.half_arena, spec.robots, std::iter::empty(), (1, 0));
        for (update, [x, y]) in places.iter().enumerate() {
            score.see_disc(0, vec2(*x, *y), true);
            if update > 0 {
                score.update(&[]);
            }
        }
        assert!((score.value(1.0) - expected).abs() < 1e-5, "{name}: {}", score.value(1.0));
    }
}

#[test]
fn scores_with_lots_equal_those_computed_by_hand() {
    for (name, lot, updates, expected, tolerance) in WITH_LOTS {
        let Task::Objective(objective) = mission(name).task else { panic!("{name} has another task") };
        let seed = (0..64).find(|seed| draw(&objective.lots, *seed, 0)[0] == *lot).unwrap();
        let found = value(name, updates, seed);
        assert!((found - expected).abs() <= *tolerance, "{name}, lot {lot}: {found} instead of {expected}");
    }
}

#[test]
fn alarms_come_at_the_time_of_their_lot() {
    // Number of updates before the alarm. The first update at or after it counts differently.
    let calm = |name: &str| {
        let Task::Objective(objective) = mission(name).task else { panic!("{name} has another task") };
        (draw(&objective.lots, 1, 0)[0] * 10.0).ceil() - 1.0
    };
    let stay = |name: &str, places: Groups<'_>, updates: usize| value(name, &vec![places; updates + 1], 1);
    let found = stay("hazard", &[(10, 0.0, -0.9), (10, 0.0, 0.0)], 1000);
    let expected = (0.5 * calm("hazard") - 0.5 * (1000.0 - calm("hazard"))) / 1000.0;
    assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    // Robots that never move do the right thing after the signal only.
    let found = stay("stop-signal", &[(20, 0.0, 0.0)], 800);
    assert!((found - (800.0 - calm("stop-signal")) / 800.0).abs() < 1e-5, "{found}");
}

#[test]
fn walls_paint_and_starts_follow_lots_and_latches() {
    // The box over the spot vanishes 45 s to 75 s after the start.
    let mut spec = mission("nesting-hide");
    let start = Start::Poses(vec![Pose { at: Vec2::ZERO, heading: 0.0 }]);
    (spec.robots, spec.starts, spec.conditions.starts) = (1, vec![start], Vec::new());
    let mut world = World::new(&spec, 0, 1, 0);
    let mut walls = |updates: u32| {
        (0..updates).for_each(|_| world.update_with(|_, _, _| Vec2::ZERO));
        world.physics.walls.len()
    };
    assert_eq!([walls(0), walls(449), walls(302)], [16, 16, 12]);
    let spec = mission("decision");
    let Task::Objective(objective) = &spec.task else { panic!("an objective") };
    let mut seen = [false; 2];
    for number in 0..16 {
        let lot = draw(&objective.lots, 3, number)[0];
        let world = World::new(&spec, 0, 3, number);
        assert_eq!(spec.floor.level(Vec2::ZERO, world.score().active()), lot, "white is 1, black 0");
        seen[lot as usize] = true;
    }
    assert_eq!(seen, [true; 2]);
    let spec = mission("conditional-coverage");
    let Task::Objective(objective) = &spec.task else { panic!("an objective") };
    for number in 0..16 {
        let from_north = draw(&objective.lots, 3, number)[0] != 0.0;
        let world = World::new(&spec, number as usize, 3, number);
        assert!(world.bodies.iter().all(|body| (body.pose.at.y > 0.0) == from_north), "run {number}");
    }
}

/// Returns a world of one robot with some more lines.
fn world(task: &str, lines: &str) -> Result<WorldSpec, String> {
    let text = format!(
        "robots = 1\n[task]\nkind = \"objective\"\nworst = 0\nbest = 1\n{task}\n[[start]]\npose = [{{ at_m = [0, 0] }}]\n{lines}"
    );
    world_file::parse("w", &text).map_err(|error| error.to_string())
}

#[test]
fn end_stops_the_score() {
    let spec = world("score = \"sum(1)\"\nend = \"time >= 0.5\"", "").unwrap();
    let Task::Objective(objective) = &spec.task else { panic!("an objective") };
    let mut score = ObjectiveScore::new(objective.clone(), (1.0, 0.75), 1, [Vec2::ZERO].into_iter(), (1, 0));
    (0..20).for_each(|_| score.update(&[Vec2::ZERO]));
    assert_eq!((score.value(1.0), score.ended()), (5.0, true));
}

#[test]
fn bad_lots_latches_and_conditions_are_rejected() {
    let error = |lines: &str| world("score = \"last(N)\"", lines).unwrap_err();
    for (lines, expected) in [
        ("[[lot]]\nname = \"a\"", "lot a needs exactly one of values and range"),
        ("[[lot]]\nname = \"a\"\nvalues = 1", "lot a, values = 1 is outside 2 to 1000"),
        ("[[lot]]\nname = \"a\"\nrange = [2, 1]", "lot a: the first number of range must be below the second"),
        ("[[lot]]\nname = \"N\"\nvalues = 2", "the name N of a lot or latch exists already"),
        ("[[lot]]\nname = \"a b\"\nvalues = 2", "lot or latch \"a b\" is not a valid name"),
        ("[[latch]]\nname = \"a\"\nwhen = \"n(x)\"", "latch a, when, column 3: there is no region x"),
        ("[[wall]]\nfrom_m = [0.5, 0]\nto_m = [0.5, 0.5]\nwhen = \"b\"", "wall 1, when, column 1: b is not a name"),
        (
            "[[start]]\npose = [{ at_m = [0.5, 0] }]\nwhen = \"time > 1\"",
            "start 2, when: only names of lots and numbers can select a start",
        ),
        (
            "[[region]]\nname = \"r\"\ndisc = { at_m = [0, 0], radius_m = 0.1 }\npaint = \"black\"\n\
             [[region]]\nname = \"r\"\ndisc = { at_m = [0, 0], radius_m = 0.2 }\npaint = \"white\"",
            "region 2, r: paint = 1.0, but 0.0 in an entry before",
        ),
        ("[floor]\nconfusion = [[1, 0, 0], [0, 1, 0], [0, 1, 1]]", "floor, confusion, row 3, sum = 2 is outside"),
    ] {
        assert!(error(lines).contains(expected), "{lines}: {}", error(lines));
    }
    let built_in = "robots = 1\n[task]\nkind = \"dispersion\"\n[[start]]\nx_m = [0, 1]\ny_m = [0, 1]\n\
                    [[lot]]\nname = \"a\"\nvalues = 2\n";
    let error = world_file::parse("w", built_in).unwrap_err().to_string();
    assert!(error.contains("the lot or latch a needs a task of the kind \"objective\", not \"dispersion\""), "{error}");
}

#[test]
fn scores_equal_those_computed_by_hand() {
    for (name, updates, expected, tolerance) in BY_HAND {
        let found = value(name, updates, 1);
        assert!((found - expected).abs() <= *tolerance, "{name}: {found} instead of {expected}");
    }
    for name in names() {
        let timed = ["hazard", "stop-signal"].contains(&name.as_str());
        let by_hand = BY_HAND.iter().any(|(mission, ..)| *mission == name);
        let with_lots = WITH_LOTS.iter().any(|(mission, ..)| *mission == name);
        let with_disc = WITH_DISC.iter().any(|(mission, ..)| *mission == name);
        assert!(timed || by_hand || with_lots || with_disc, "{name} has no score computed by hand");
    }
}

#[test]
fn page_lists_the_language() {
    let page = include_str!("../../../docs/missions.md");
    for (form, _) in QUANTITIES.iter().chain(&REDUCTIONS) {
        assert!(page.contains(&format!("| `{form}` |")), "docs/missions.md lacks {form}");
    }
}

#[test]
fn engines_agree_bit_for_bit_on_missions() {
    let texts = [include_str!("../../../docs/trees/806768.bt"), "explore 20", "attract 3"];
    let programs: Vec<Program> =
        texts.iter().map(|text| Program::compile(&Tree::parse(text).unwrap()).unwrap()).collect();
    let mut scoring = 0;
    for name in names() {
        let spec = mission(&name);
        let job = |world: u32| Job {
            spec: &spec,
            start: world as usize,
            team: Team::all(world as usize % 3),
            seed: 5,
            world,
            updates: 150,
        };
        let jobs: Vec<Job<'_>> = (0..6).map(job).collect();
        let outcomes = Reference::default().run(&programs, &jobs);
        assert_eq!(outcomes, Simd::default().run(&programs, &jobs), "{name}");
        scoring += usize::from(outcomes.iter().any(|outcome| outcome.fitness > 0.0));
    }
    assert!(scoring > names().len() / 2, "only {scoring} missions score");
}

#[test]
fn missions_in_pieces_have_the_outcomes_of_whole_runs() {
    let programs = [Program::compile(&Tree::parse("explore 20").unwrap()).unwrap()];
    // The first mission has patches under conditions, so it runs with the code of `reference`.
    let specs = ["beacon-aggregation", "for", "nesting"].map(mission);
    assert!(specs[0].conditions.change_scenery() && !specs[1].conditions.change_scenery());
    let simd = Simd::default();
    let mut from: Vec<Option<Suspended>> = vec![None; 12];
    for updates in [40, 100] {
        let job = |world: usize| Job {
            spec: &specs[world % specs.len()],
            start: world,
            team: Team::all(0),
            seed: 5,
            world: world as u32,
            updates,
        };
        let jobs: Vec<Job<'_>> = (0..from.len()).map(job).collect();
        let pieces: Vec<Piece<'_>> =
            jobs.iter().zip(from).map(|(job, from)| Piece { job: job.clone(), from }).collect();
        let results = simd.advance(&programs, &pieces);
        let outcomes: Vec<Outcome> = results.iter().map(|(outcome, _)| *outcome).collect();
        assert_eq!(outcomes, simd.run(&programs, &jobs), "update {updates}");
        from = results.into_iter().map(|(_, suspended)| Some(suspended)).collect();
    }
}

/// Returns a world with a polygon of walls in which the robots start anywhere.
fn polygon(sides: usize, inradius: f32, start: &str) -> Result<WorldSpec, String> {
    let text = format!(
        "robots = 3\n[task]\nkind = \"objective\"\nscore = \"last(visited(0.5))\"\nworst = 0\nbest = 1\n[arena]\n\
         polygon = {{ sides = {sides}, inradius_m = {inradius} }}\n[[start]]\n{start}\n"
    );
    world_file::parse("w.toml", &text).map_err(|error| error.to_string())
}

#[test]
fn robots_start_inside_every_polygon() {
    for sides in 3..=16 {
        for inradius in [0.4, 1.0, 1.2, 2.3] {
            let spec = polygon(sides, inradius, "region = \"arena\"").unwrap();
            for world in 0..10 {
                let world = World::new(&spec, 0, 1, world);
                for robot in &world.bodies {
                    let reach = spec.physics.walls.iter().map(|wall| wall.offset(robot.pose.at).length());
                    assert!(reach.fold(f32::INFINITY, f32::min) > 0.037, "{sides} sides of {inradius} m");
                    assert!(robot.pose.at.length() < 2.0 * inradius, "{sides} sides of {inradius} m");
                }
            }
        }
    }
    let error = polygon(12, 1.231, "pose = [{ at_m = [1.18, 1.18] }]").unwrap_err();
    assert!(error.contains("start 1, robot 1: is in a box, or behind a wall of the polygon"), "{error}");
}

#[test]
fn wrong_regions_and_scales_are_one_error() {
    let world = |region: &str, task: &str| {
        let text = format!(
            "robots = 1\n[task]\nkind = \"objective\"\n{task}\n[[region]]\nname = \"a\"\n{region}\n[[start]]\n\
             x_m = [0, 0.1]\ny_m = [0, 0.1]\n"
        );
        world_file::parse("w.toml", &text).unwrap_err().to_string()
    };
    let (task, disc) = ("score = \"1\"\nworst = 0\nbest = 1", "disc = { at_m = [0, 0], radius_m = 0.1 }");
    for (region, task, error) in [
        ("disc = { at_m = [nan, 0], radius_m = 0.1 }", task, "at_m must be -20 to 20"),
        ("half_plane = { towards_deg = 1e30, from_m = 0 }", task, "towards_deg"),
        ("ring = { at_m = [0, 0], inner_m = 0.2, outer_m = 0.1 }", task, "outer_m = 0.1 must be above inner_m = 0.2"),
        ("polygon_m = [[0, 0], [1, inf], [1, 1]]", task, "polygon_m must be -20 to 20"),
        (disc, "score = \"1\"\nworst = 1\nbest = 1", "at least 0.000001 apart"),
        (disc, "score = \"1\"\nworst = -inf\nbest = 1", "at least 0.000001 apart"),
        (disc, "score = \"last(n(b))\"\nworst = 0\nbest = 1", "task.score, column 8: there is no region b"),
    ] {
        let found = world(region, task);
        assert!(found.starts_with("w.toml: ") && found.contains(error) && !found.contains('\n'), "{found}");
    }
}
