//! Study of tuning: optimises the numbers of one tree for one swarm size by CMA-ES. It then measures the gain of
//! fitness for this size, and the gain or loss for other sizes (thesis 8.6.7).

use super::{Budget, Estimate, StudyError, study_error, with_size};
use crate::measure::fitness_of;
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Job, Team};
use xpuck_kernels::tree::{Operand, Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::cma::{Parameters, Strategy};
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_stats::statistics::mean_and_sd;
use xpuck_stats::statistics::t::paired;

/// Maximum number of tunable numbers in a tree.
pub const MOST: usize = 40;
/// Initial step size of the search, relative to the scale of each tunable number.
const STEP: f64 = 0.5;

/// A tunable number in a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Place {
    node: usize,
    operand: usize,
    kind: Operand,
    value: f64,
    /// Scale of the number: the search varies the number in multiples of this amount.
    scale: f64,
}

/// Parameters of the search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TunePlan {
    /// Number of generations of CMA-ES.
    pub generations: u32,
    /// Number of runs of each candidate in a generation. All candidates of a generation run in the same worlds, and
    /// each generation uses new worlds.
    pub trials: u32,
    /// Simulations of the tree before and after the search, in worlds that the search has not used.
    pub budget: Budget,
}

/// Fitness of the original and the tuned tree for one swarm size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Elsewhere {
    /// Number of robots.
    pub robots: usize,
    /// Fitness of the original tree.
    pub before: Estimate,
    /// Fitness of the tuned tree.
    pub after: Estimate,
    /// Mean difference of the fitness in the same worlds, after minus before.
    pub gain: f64,
    /// 95 % confidence interval of `gain`.
    pub interval: [f64; 2],
}

/// Results of the study of tuning.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TuneStudy {
    /// Parameters of the search.
    pub plan: TunePlan,
    /// Number of robots of the tuned swarm.
    pub robots: usize,
    /// The tuned tree as text.
    pub tree: String,
    /// Nodes with tuned numbers: text of the node before and after tuning.
    pub changed: Vec<(String, String)>,
    /// Simulated time of the search (robot-seconds).
    pub robot_seconds: f64,
    /// Mean fitness of each generation's candidates.
    pub course: Vec<f64>,
    /// Results of the tuned swarm and of swarms of other sizes.
    pub sizes: Vec<Elsewhere>,
}

/// Tunes the numbers of a tree for a swarm of `robots` robots, and measures the result for all `sizes`. `spec`
/// returns the world for a number of robots. `progress` receives the numbers of finished and of all steps.
///
/// # Errors
/// If the tree has no numbers or too many, if it cannot be compiled for a robot, or if there are too few runs.
pub fn study(
    engine: &dyn Engine,
    tree: &Tree,
    robots: usize,
    sizes: &[usize],
    spec: impl Fn(usize) -> WorldSpec,
    plan: TunePlan,
    mut progress: impl FnMut(usize, usize),
) -> Result<TuneStudy, StudyError> {
    let places = places(tree);
    if !(1..=MOST).contains(&places.len()) {
        return study_error(format!("the tree has {} numbers; 1 to {MOST} can be tuned", places.len()));
    }
    if plan.budget.runs < 2 || plan.trials < 1 || plan.generations < 1 {
        return study_error("a search needs at least one generation and one trial, and a measurement two runs");
    }
    let all = with_size(sizes, robots);
    let total = plan.generations as usize + all.len();
    progress(0, total);
    let world = spec(robots);
    let parameters = Parameters::new(places.len(), None, false);
    let Some(parameters) = parameters else { return study_error("the tree has too few numbers to tune") };
    let points = parameters.points();
    let wrong = |error: xpuck_stats::cma::CmaError| StudyError(error.to_string());
    let mut search = Strategy::new(parameters, vec![0.0; places.len()], STEP, plan.budget.seed).map_err(wrong)?;
    let mut course = Vec::new();
    for generation in 0..plan.generations {
        let candidates = search.ask();
        let trees: Vec<Tree> = candidates.iter().map(|point| with(tree, &places, point)).collect();
        let programs: Vec<Program> = compile(&trees)?;
        // Each generation uses new worlds, so that a lucky result does not persist.
        let seed = plan.budget.seed.wrapping_add(u64::from(generation) + 1);
        let trial = Budget { runs: plan.trials, seed, ..plan.budget };
        let trial = trial.plan(&world);
        let jobs: Vec<Job<'_>> = (0..programs.len()).flat_map(|i| trial.jobs(&Team::all(i))).collect();
        let outcomes = engine.run(&programs, &jobs);
        let fitness: Vec<f64> =
            outcomes.chunks(plan.trials as usize).map(|runs| mean_and_sd(&fitness_of(runs)).0).collect();
        course.push(fitness.iter().sum::<f64>() / fitness.len() as f64);
        let costs: Vec<f64> = fitness.iter().map(|fitness| -fitness).collect();
        search.tell(&candidates, &costs).map_err(wrong)?;
        progress(generation as usize + 1, total);
    }
    let tuned = with(tree, &places, search.mean());
    let programs = compile(&[tree.clone(), tuned.clone()])?;
    let fresh = Budget { seed: !plan.budget.seed, ..plan.budget };
    let mut measured = Vec::new();
    for size in &all {
        let world = spec(*size);
        let of = |program: usize| fresh.fitness(engine, &programs, &Team::all(program), &world);
        let (before, after) = (of(0), of(1));
        let gain = paired(&after, &before).map_or((0.0, [0.0; 2]), |t| (t.difference, t.interval));
        let (Some(before), Some(after)) = (Estimate::from_sample(&before), Estimate::from_sample(&after)) else {
            return study_error("a measurement needs at least two runs");
        };
        measured.push(Elsewhere { robots: *size, before, after, gain: gain.0, interval: gain.1 });
        progress(plan.generations as usize + measured.len(), total);
    }
    let seconds = f64::from(plan.budget.plan(&world).updates()) * 0.1;
    let changed = places.iter().map(|place| place.node).collect::<std::collections::BTreeSet<usize>>();
    let changed = changed.into_iter().map(|node| (tree.nodes()[node].to_string(), tuned.nodes()[node].to_string()));
    Ok(TuneStudy {
        plan,
        robots,
        tree: tuned.to_string(),
        changed: changed.collect(),
        robot_seconds: f64::from(plan.generations) * f64::from(plan.trials) * points as f64 * seconds * robots as f64,
        course,
        sizes: measured,
    })
}

fn compile(trees: &[Tree]) -> Result<Vec<Program>, StudyError> {
    trees.iter().map(Program::compile).collect::<Result<_, _>>().map_err(|error| StudyError(error.to_string()))
}

/// Returns the tunable numbers of a tree. Register numbers and quadrants are not tunable.
fn places(tree: &Tree) -> Vec<Place> {
    let mut all = Vec::new();
    for (at, node) in tree.nodes().iter().enumerate() {
        for (i, spec) in node.kind.spec().operands.iter().enumerate() {
            let value = f64::from(node.operands[i]);
            let scale = match spec.operand {
                // Angles are in units of pi/128, so a scale of 20 is 28 degrees.
                Operand::Angle | Operand::Width => 20.0,
                Operand::Float | Operand::Gain => 0.5 * value.abs().max(1.0),
                Operand::Fixed | Operand::Threshold => 2.0,
                Operand::Int8 => 20.0,
                Operand::Count => (0.5 * value).max(1.0),
                Operand::Share => 0.25,
                Operand::Quadrant
                | Operand::ScalarDest
                | Operand::VectorDest
                | Operand::Scalar
                | Operand::Vector
                | Operand::Source
                | Operand::Entry
                | Operand::EntryDest => continue,
            };
            all.push(Place { node: at, operand: i, kind: spec.operand, value, scale });
        }
    }
    all
}

/// Returns the tree with changed numbers. `point` contains the change of each number as a multiple of its scale. The
/// changed numbers are rounded and limited to valid values.
fn with(tree: &Tree, places: &[Place], point: &[f64]) -> Tree {
    let mut changed = tree.clone();
    for (place, x) in places.iter().zip(point) {
        let mut node = changed.nodes()[place.node];
        let (low, high) = place.kind.range();
        let moved = place.value + place.scale * x;
        node.operands[place.operand] = match place.kind {
            Operand::Angle => ((moved.round() + 128.0).rem_euclid(256.0) - 128.0) as f32,
            Operand::Float | Operand::Gain | Operand::Share => (moved as f32).clamp(low, high),
            _ => (moved.round() as f32).clamp(low, high),
        };
        changed = changed.with_node(place.node, node);
    }
    changed
}

impl TuneStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        let mut text = String::new();
        if let Some(own) = self.sizes.iter().find(|size| size.robots == self.robots) {
            text = format!(
                "{} robots: {:.4} before and {:.4} after, {:+.4} ({:+.4} to {:+.4}), with {:.2} million robot-seconds",
                self.robots,
                Figure(own.before.mean),
                Figure(own.after.mean),
                Figure(own.gain),
                Figure(own.interval[0]),
                Figure(own.interval[1]),
                self.robot_seconds / 1e6
            );
        }
        let others = || self.sizes.iter().filter(|size| size.robots != self.robots);
        let list = |sizes: Vec<&Elsewhere>| -> String {
            sizes.iter().map(|size| size.robots.to_string()).collect::<Vec<_>>().join(", ")
        };
        let loses: Vec<&Elsewhere> = others().filter(|size| size.interval[1] < 0.0).collect();
        let gains: Vec<&Elsewhere> = others().filter(|size| size.interval[0] > 0.0).collect();
        if !loses.is_empty() {
            text += &format!("; swarms of {} lose fitness", list(loses));
        }
        if !gains.is_empty() {
            text += &format!("; swarms of {} gain fitness too", list(gains));
        }
        text + "."
    }

    /// Draws the course of the search, and the fitness before and after tuning for each size.
    pub fn draw(&self) -> String {
        let mut course = Plot::new("Course of the search", "generation", "mean fitness of the candidates").whole_x();
        let points = self.course.iter().enumerate().map(|(i, fitness)| ((i + 1) as f64, *fitness)).collect();
        course.line("", Colour::Blue, points);
        let mut sizes = Plot::new("Swarms of other sizes", "robots", "fitness").whole_x();
        let line = |value: fn(&Elsewhere) -> Estimate| -> Vec<(f64, f64)> {
            self.sizes.iter().map(|size| (size.robots as f64, value(size).mean)).collect()
        };
        let band = |value: fn(&Elsewhere) -> Estimate| -> Vec<(f64, f64, f64)> {
            let edge = |size: &Elsewhere| (size.robots as f64, value(size).interval[0], value(size).interval[1]);
            self.sizes.iter().map(edge).collect()
        };
        sizes.band("", Colour::Grey, band(|size| size.before));
        sizes.band("", Colour::Sky, band(|size| size.after));
        sizes.line("", Stroke::from(Colour::Black).dashed(), line(|size| size.before));
        sizes.line("", Colour::Blue, line(|size| size.after));
        let series =
            vec![("before".into(), Stroke::from(Colour::Black).dashed()), ("tuned".into(), Stroke::from(Colour::Blue))];
        let caption = vec![self.sentence(), "Bands: 95 % confidence intervals of the means.".into()];
        to_svg_with(&[course, sizes], &Footer { series, caption })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::engine::Simd;

    fn tree() -> Tree {
        Tree::parse(include_str!("../../../../docs/trees/806768.bt")).unwrap()
    }

    fn run_study(tree: &Tree, generations: u32) -> Result<TuneStudy, StudyError> {
        let budget = Budget { seconds: 20.0, runs: 100, seed: 1 };
        let plan = TunePlan { generations, trials: 8, budget };
        study(&Simd::default(), tree, 4, &[2], WorldSpec::benchmark, plan, |_, _| {})
    }

    #[test]
    fn tuning_recovers_detuned_tree() {
        // The search must find numbers with which robots move at all.
        let spoilt = Tree::parse("sel\n  avoiding\n  mulas v_goal.y v_blue.y 0.0 v_up.x\n").unwrap();
        let found = run_study(&spoilt, 1).unwrap();
        assert_eq!((found.course.len(), found.sizes.len()), (1, 2));
        let own = tree();
        let found = run_study(&own, 6).unwrap();
        assert_eq!(found, run_study(&own, 6).unwrap(), "the same seed, the same digits");
        let size = found.sizes.iter().find(|size| size.robots == 4).unwrap();
        assert!((size.after.mean - size.before.mean - size.gain).abs() < 1e-12);
        assert!(!found.changed.is_empty() && Tree::parse(&found.tree).is_ok());
        assert!(found.sentence().starts_with("4 robots: "));
    }

    #[test]
    fn points_move_numbers_to_what_trees_can_hold() {
        let tree = Tree::parse("sel\n  movcv v_goal 170deg\n  movcs v_goal.x 120\n").unwrap();
        let places = places(&tree);
        assert_eq!(places.len(), 2);
        assert_eq!(with(&tree, &places, &[0.0, 0.0]), tree);
        let moved = with(&tree, &places, &[1.0, 10.0]);
        assert_eq!(moved.nodes()[2].operands[1], places[1].kind.range().1, "clamped");
        let angle = moved.nodes()[1].operands[1];
        assert!(angle < 0.0, "comes round: {angle}");
        assert!(Tree::parse(&moved.to_string()).is_ok());
    }

    #[test]
    fn trees_without_numbers_are_refused() {
        assert!(run_study(&Tree::parse("avoiding\n").unwrap(), 1).unwrap_err().to_string().contains("0 numbers"));
        assert!(run_study(&tree(), 0).unwrap_err().to_string().contains("one generation"));
    }
}
