//! Comparison of the scores of objectives, on the same places of the robots.

use super::*;
use crate::world::task::objective::lots::{Lot, LotKind};
use crate::world::task::objective::{Objective, ObjectiveBuilder, ObjectiveScore, parse};

/// Number of updates of a comparison.
const UPDATES: u32 = 8;

/// Formulas, and whether their values must be exact: they consist of counts, registers and latches only.
const FORMULAS: [(&str, bool); 15] = [
    ("last(max(n(left), n(right))) - 2 * last(n(zone)) + last(n(arena))", true),
    ("sum(n(left)) + highest(n(right), 0.2, 0.4) - lowest(n(left) + n(right), 0.3, 9) * 3", true),
    ("last(delivered(left, right)) + 20 * sum(delivered(right, left, zone))", true),
    ("sum(if(ever(n(left) > 7), n(right), -1)) + first(n(left) >= 8) + first(n(left) > 16)", true),
    ("sum(cluster(0.3)) + 100 * last(clusters(0.2)) + highest(clusters(0.25))", true),
    ("sum(moving(9)) + last(crossed(-1, -0.5, 1, 0.5)) * 100 + sum(abs(crossed(0, -1, 0, 1)))", true),
    ("sum((not (n(left) == 5)) + floor(n(right) / 3) + (n(zone) != 2 and n(left) <= 9 or n(right) < 3))", true),
    ("mean(share(left)) - mean(n(right) / (n(zone) - 3)) + highest(min(n(left), 4))", false),
    ("mean(nearest()) + 10 * mean(pairs())", false),
    ("mean(nearest(0.1)) + last(alignment())", false),
    ("mean(speed()) + lowest(time)", false),
    ("mean(visited(0.1)) + last(age(0.2)) + 10 * last(visited(0.3))", false),
    ("last(hops(0.3)) + last(distance(left, 2, right)) + last(covered(left, 0.15)) + area(left)", false),
    ("sum(n(late)) + sum(n(spot)) + 100 * last(seen)", true),
    ("highest(if(coin, n(left), n(right)) + start)", true),
];

fn zones() -> Vec<Zone> {
    let disc = |x: f32| ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius: 0.4 });
    let zone = |name: &str, shapes| Zone { name: name.into(), shapes, without: Vec::new() };
    vec![
        zone("left", vec![disc(-0.5)]),
        zone("right", vec![disc(0.5)]),
        zone("zone", vec![ZoneShape::HalfPlane { towards: Vec2::unit(1.0), from: 0.3 }]),
        zone("late", vec![disc(0.0)]),
        zone("spot", vec![disc(0.3)]),
    ]
}

/// Compiles a formula in a world with lots, a latch, conditions of two regions, and an end.
fn objective(formula: &str) -> Objective {
    let lot = |name: &str, kind| Lot { name: name.into(), kind };
    let lots = vec![lot("coin", LotKind::Values(2)), lot("start", LotKind::Range([0.1, 0.7]))];
    let mut builder = ObjectiveBuilder::new(&zones(), lots);
    builder.latch("seen", "n(left) > 6").unwrap();
    let conditions = ["time >= start", "coin == 1"].map(|text| builder.condition(text).unwrap());
    builder.set_zone_condition(3, conditions[0]);
    builder.set_zone_condition(4, conditions[1]);
    builder.end("n(zone) >= 11").unwrap();
    builder.finish(formula, 0.0, 1.0).unwrap()
}

/// World with the formula that has the most operations.
pub(super) fn mission() -> WorldSpec {
    WorldSpec { task: Task::Objective(Arc::new(objective(FORMULAS[6].0))), ..furnished() }
}

/// Compares the values of all formulas after several updates with random places. Without a window, `last` is computed
/// from the places of the last update, and its registers are those of the kernels.
pub(super) fn objectives(layout: Layout, device: &Device) -> Result<(), String> {
    for (index, (text, exact)) in FORMULAS.into_iter().enumerate() {
        // The other formulas have no lots and no end.
        let rules = index + 3 >= FORMULAS.len() || index < 2;
        let objective = Arc::new(if rules { objective(text) } else { parse(text, &zones(), 0.0, 1.0).unwrap() });
        compare(layout, device, &objective, exact).map_err(|e| format!("{text}: {e}"))?;
    }
    Ok(())
}

fn compare(layout: Layout, device: &Device, objective: &Arc<Objective>, exact: bool) -> Result<(), String> {
    let spec = WorldSpec { task: Task::Objective(objective.clone()), ..furnished() };
    objective::check(&spec).map_err(|e| e.to_string())?;
    let mut twin = Twin::with_layout(spec, layout);
    let half_arena = twin.spec.physics.half_arena;
    let columns = twin.state.worlds;
    let formula = twin.formula(&mut Vec::new()).unwrap();
    let places = |w: u32, update: u32| -> Vec<Vec2> {
        let mut draws = Draws::new(SEED, w, 0, update, Stream::Simtest);
        // The places of the robots of a world lie around a place that changes.
        let middle = vec2(draws.range(-0.6, 0.6), draws.range(-0.3, 0.3));
        let mut place = || middle + vec2(draws.range(-0.4, 0.4), draws.range(-0.4, 0.4));
        (0..ROBOTS).map(|_| place()).collect()
    };
    let start: Vec<InitialState> = (0..WORLDS)
        .map(|w| {
            let mut bodies = twin.bodies(w);
            bodies.iter_mut().zip(places(w, 0)).for_each(|(body, at)| body.pose.at = at);
            InitialState { bodies, pictures: Vec::new() }
        })
        .collect();
    let mut scores: Vec<ObjectiveScore> = (0..WORLDS)
        .map(|w| ObjectiveScore::new(objective.clone(), half_arena, ROBOTS, places(w, 0).into_iter(), (SEED, w)))
        .collect();
    let job = |world| Job { spec: &twin.spec, start: 0, team: Team::all(0), seed: SEED, world, updates: UPDATES };
    let jobs: Vec<Job<'_>> = (0..WORLDS).map(job).collect();
    let jobs: Vec<&Job<'_>> = jobs.iter().collect();
    let mut words = formula.first_rows(&start, &jobs, columns);
    words.resize(formula.score_words() * columns, 0);
    for update in 0..UPDATES {
        for w in 0..WORLDS {
            *twin.state.header(w as usize, "UPDATE") = update;
            let places = places(w, update + 1);
            for (robot, at) in places.iter().enumerate() {
                twin.state.set_vector(w as usize, quantity("X"), robot, *at);
            }
            scores[w as usize].see(twin.bodies(w).iter().map(|body| body.pose));
            scores[w as usize].update(&places);
        }
        let [.., after] = twin.run_scored(device, "only_score", 1, &words);
        words = after;
    }
    let mut values = Vec::new();
    for (w, expected) in (0..WORLDS as usize).zip(&scores) {
        let poses: Vec<Pose> = twin.bodies(w as u32).iter().map(|body| body.pose).collect();
        let got = formula.score((SEED, w as u32), [poses.clone(), poses], |word| words[word * columns + w]);
        let (got, expected) = (got.value(1.0), expected.value(1.0));
        let tolerance = if exact { 0.0 } else { 1e-5 * expected.abs().max(1.0) };
        if (got - expected).abs() > tolerance || got.is_nan() {
            return Err(format!("{layout:?}, world {w}: {got}, reference {expected}"));
        }
        values.push(expected);
    }
    assert!(values.iter().any(|value| *value != values[0]), "{}: all worlds have {}", objective.formula, values[0]);
    Ok(())
}

#[test]
fn objectives_that_take_too_long_are_left_to_other_engines() {
    let mut spec = furnished();
    let mut check = |formula: &str| {
        spec.task = Task::Objective(Arc::new(parse(formula, &zones(), 0.0, 1.0).unwrap()));
        objective::check(&spec).map_err(|e| e.to_string())
    };
    assert_eq!(check("last(hops(0.3)) + last(age(0.1)) + mean(cluster(0.2))"), Ok(()));
    let points = "the GPU kernels do not compute this objective, because it uses points, cell ages, hops, discs or \
                  headings before the end of the run";
    for formula in [
        "mean(hops(0.3))",
        "mean(age(0.1))",
        "highest(covered(left, 0.1))",
        "mean(distance(left, 2))",
        "sum(disc_x(1))",
    ] {
        assert_eq!(check(formula), Err(points.into()), "{formula}");
    }
    let names = ["left", "right", "zone", "late", "spot"];
    let pairs = names.iter().flat_map(|a| names.iter().map(move |b| (a, b))).filter(|(a, b)| a != b);
    let all: Vec<String> =
        pairs.flat_map(|(a, b)| [format!("delivered({a},{b})"), format!("delivered({a},{b},arena)")]).collect();
    assert_eq!(check(&format!("last({})", all[..32].join("+"))), Ok(()));
    let deliveries = "the GPU kernels do not compute this objective, because it has more than 32 different deliveries";
    assert_eq!(check(&format!("last({})", all[..33].join("+"))), Err(deliveries.into()));
    let cells = "the GPU kernels do not compute this objective, because it has too many cells";
    spec.physics.half_arena = (10.0, 10.0);
    spec.task = Task::Objective(Arc::new(parse("last(age(0.05))", &zones(), 0.0, 1.0).unwrap()));
    assert_eq!(objective::check(&spec).map_err(|e| e.to_string()), Err(cells.into()));
}

#[test]
fn missions_of_whole_runs_match_reference_on_average() {
    let gpu = Gpu::open().unwrap();
    let tree = "sel\n  avoiding\n  seq\n    ifprob s_ground 4 0.5\n    attract 3\n  movcv v_goal 0deg\n";
    let programs = [Program::compile(&Tree::parse(tree).unwrap()).unwrap()];
    let with_rules = ["mean(share(left))", "last(delivered(left, right)) + sum(n(late)) / 10", "mean(nearest())"];
    let plain = |formula| parse(formula, &zones(), 0.0, 1.0).unwrap();
    let disc = plain("-last(disc_moved_x(1)) + last(disc_y(2)) / 10");
    for objective in with_rules.map(objective).into_iter().chain([disc]) {
        let formula = objective.formula.clone();
        let spec = WorldSpec { task: Task::Objective(Arc::new(objective)), ..furnished() };
        assert_equal_on_average(&gpu, &programs, &spec, &formula);
    }
}
