//! Study of resilience against perturbed starts: measures the decrease of fitness with the distance from a tree's
//! best start (thesis 8.6.3, Fig. 8.13).

use super::starts::{Deviations, distance, poses};
use super::{Budget, StudyError, study_error};
use crate::measure::fitness_of;
use rayon::prelude::*;
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::spec::{Area, Start};
use xpuck_kernels::world::{Pose, WorldSpec};
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::quantile;

/// Maximum number of robots. The limit is low because every assignment of robots to positions is tried.
pub const MAX_ROBOTS: usize = 5;
/// Fitness above which the thesis calls a run reasonable (8.5).
const REASONABLE: f64 = 0.1;
/// Minimum number of runs in a bin for meaningful quartiles.
pub const FEWEST: usize = 5;
/// Number of runs that are simulated together. `progress` is called after each batch.
const BATCH: usize = 10_000;
/// Maximum number of distance bins. Larger distances count in the last bin.
const MAX_BINS: usize = 200;

/// Parameters of the perturbed starts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Perturbation {
    /// Number of robots (1..=5).
    pub robots: usize,
    /// Pose around which all robots start: x (m), y (m), heading (rad).
    pub centre: (f32, f32, f32),
    /// Standard deviations of x (m), y (m) and heading (rad).
    pub by: (f32, f32, f32),
    /// Width of a distance bin (m).
    pub bin: f64,
}

impl Default for Perturbation {
    /// Returns the thesis's perturbation: two robots around (0, 0, 0), with standard deviations of 0.2 m, 0.2 m and
    /// 1.5 rad.
    fn default() -> Perturbation {
        Perturbation { robots: 2, centre: (0.0, 0.0, 0.0), by: (0.2, 0.2, 1.5), bin: 0.05 }
    }
}

impl Perturbation {
    /// Returns the benchmark world with the frisbee at the origin. The caller replaces the starts.
    fn spec(&self) -> WorldSpec {
        let mut spec = WorldSpec::benchmark(self.robots);
        spec.discs[0].start = Area { low: Vec2::ZERO, high: Vec2::ZERO };
        spec
    }

    fn check(&self) -> Result<(), StudyError> {
        let numbers = [self.centre.0, self.centre.1, self.centre.2, self.by.0, self.by.1, self.by.2];
        if !(1..=MAX_ROBOTS).contains(&self.robots) {
            return study_error(format!("robots = {}: must be 1 to {MAX_ROBOTS} in this study", self.robots));
        }
        if numbers.iter().any(|x| !x.is_finite()) || [self.by.0, self.by.1, self.by.2].iter().any(|x| *x < 0.0) {
            return study_error("poses must be finite numbers, and standard deviations must be 0 or more");
        }
        if !(0.001..=10.0).contains(&self.bin) {
            return study_error(format!("the width of bins must be 0.001 to 10 m, not {}", self.bin));
        }
        Ok(())
    }
}

/// Fitness of runs whose starts have similar distances from the best start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Bin {
    /// Lower and upper limit of the distance (m).
    pub distance: [f64; 2],
    /// Number of runs.
    pub runs: usize,
    /// Fitness: minimum, lower quartile, median, upper quartile, maximum.
    pub fitness: [f64; 5],
}

/// Results of a tree.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Perturbed {
    /// Name of the tree.
    pub name: String,
    /// Start poses of the fittest run: x (m), y (m) and heading (rad) of each robot.
    pub best_start: Vec<(f32, f32, f32)>,
    /// Fitness of the fittest run.
    pub best: f64,
    /// Median fitness of all runs.
    pub median: f64,
    /// Share of runs with a fitness above 0.1 (0..=1). The thesis calls such runs reasonable (8.5).
    pub reasonable: f64,
    /// Runs by distance from the best start.
    pub bins: Vec<Bin>,
}

/// Results of the study of perturbed starts.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct PerturbStudy {
    /// Parameters of the perturbed starts.
    pub perturbation: Perturbation,
    /// Simulations of each tree.
    pub budget: Budget,
    /// Results of the trees, in the order of the programs. All trees ran from the same starts.
    pub trees: Vec<Perturbed>,
}

/// Runs each program from the same random starts. `progress` receives the numbers of finished and of all runs.
///
/// # Errors
/// If a value of `perturbation` is out of range, or if no start poses without overlaps are found.
pub fn study(
    engine: &dyn Engine,
    programs: &[(String, Program)],
    perturbation: Perturbation,
    budget: Budget,
    mut progress: impl FnMut(usize, usize),
) -> Result<PerturbStudy, StudyError> {
    perturbation.check()?;
    let mut spec = perturbation.spec();
    let (x, y, heading) = perturbation.centre;
    let centres = vec![Pose { at: Vec2 { x, y }, heading }; perturbation.robots];
    let by: Deviations = perturbation.by;
    let drawn: Option<Vec<Vec<Pose>>> =
        (0..budget.runs).into_par_iter().map(|run| poses(&spec, &centres, by, budget.seed, run)).collect();
    let Some(drawn) = drawn else {
        return study_error(
            "robots hardly ever find a free place there; move the centre or increase the standard deviations",
        );
    };
    spec.starts = drawn.iter().cloned().map(Start::Poses).collect();
    let mut trees = Vec::with_capacity(programs.len());
    let total = programs.len() * budget.runs as usize;
    progress(0, total);
    for (name, program) in programs {
        let mut fitness = Vec::with_capacity(drawn.len());
        for jobs in budget.plan(&spec).jobs(&Team::all(0)).chunks(BATCH) {
            let outcomes = engine.run(std::slice::from_ref(program), jobs);
            fitness.extend(fitness_of(&outcomes));
            progress(trees.len() * drawn.len() + fitness.len(), total);
        }
        trees.push(perturbed(name, &fitness, &drawn, perturbation.bin));
    }
    Ok(PerturbStudy { perturbation, budget, trees })
}

fn perturbed(name: &str, fitness: &[f64], starts: &[Vec<Pose>], width: f64) -> Perturbed {
    // Among equally fit runs, the first run is chosen.
    let best = (1..fitness.len()).fold(0, |best, i| if fitness[i] > fitness[best] { i } else { best });
    let distances: Vec<f64> = starts.par_iter().map(|start| distance(start, &starts[best])).collect();
    let mut bins: Vec<Vec<f64>> = Vec::new();
    for (distance, fitness) in distances.iter().zip(fitness) {
        let bin = ((distance / width) as usize).min(MAX_BINS - 1);
        bins.resize(bins.len().max(bin + 1), Vec::new());
        bins[bin].push(*fitness);
    }
    let numbers = |sample: &mut Vec<f64>| {
        sample.sort_by(f64::total_cmp);
        [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| quantile(sample, part))
    };
    let bin = |(i, mut sample): (usize, Vec<f64>)| {
        let distance = [i as f64 * width, (i + 1) as f64 * width];
        (!sample.is_empty()).then(|| Bin { distance, runs: sample.len(), fitness: numbers(&mut sample) })
    };
    let reasonable = fitness.iter().filter(|fitness| **fitness > REASONABLE).count();
    Perturbed {
        name: name.into(),
        best_start: starts[best].iter().map(|pose| (pose.at.x, pose.at.y, pose.heading)).collect(),
        best: fitness[best],
        median: numbers(&mut fitness.to_vec())[2],
        reasonable: reasonable as f64 / fitness.len() as f64,
        bins: bins.into_iter().enumerate().filter_map(bin).collect(),
    }
}

impl PerturbStudy {
    /// Returns the result, one sentence for each tree.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |tree: &Perturbed| {
            let known = || tree.bins.iter().filter(|bin| bin.runs >= FEWEST);
            let medians = match (known().next(), known().next_back()) {
                (Some(near), Some(far)) => format!(
                    "its median is {:.3} at {:.2} m from its best start and {:.3} at {:.2} m",
                    Figure(near.fitness[2]),
                    (near.distance[0] + near.distance[1]) / 2.0,
                    Figure(far.fitness[2]),
                    (far.distance[0] + far.distance[1]) / 2.0
                ),
                _ => format!("no distance has at least {FEWEST} runs for a median"),
            };
            format!(
                "{}: best {:.3}, median of all {:.3}; {medians}; {:.0} % of the starts have a fitness above \
                 {REASONABLE}.",
                tree.name,
                Figure(tree.best),
                Figure(tree.median),
                100.0 * tree.reasonable
            )
        };
        self.trees.iter().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::engine::{Reference, Simd};
    use xpuck_kernels::tree::Tree;

    fn programs() -> Vec<(String, Program)> {
        let program = |text: &str| Program::compile(&Tree::parse(text).unwrap()).unwrap();
        let tree = include_str!("../../../../docs/trees/806768.bt");
        let forward = "sel\n  avoiding\n  movcv v_goal 0deg\n";
        vec![("806768".into(), program(tree)), ("forward".into(), program(forward))]
    }

    fn run_study(runs: u32, perturbation: Perturbation) -> Result<PerturbStudy, StudyError> {
        let budget = Budget { seconds: 8.0, runs, seed: 1 };
        study(&Simd::default(), &programs(), perturbation, budget, |_, _| {})
    }

    #[test]
    fn steering_tree_keeps_fitness_straight_driver_loses_it() {
        let study = run_study(3000, Perturbation::default()).unwrap();
        let [tree, forward] = &study.trees[..] else { panic!("two trees") };
        assert!(tree.median > 0.05 && forward.median < 0.02, "{} {}", tree.median, forward.median);
        assert!(tree.reasonable > 0.6 && forward.reasonable < 0.3, "{} {}", tree.reasonable, forward.reasonable);
        for tree in &study.trees {
            assert_eq!(tree.bins.iter().map(|bin| bin.runs).sum::<usize>(), 3000);
            assert!(tree.bins.iter().any(|bin| bin.fitness[4] == tree.best));
            assert!(
                tree.bins[0].distance[0] == 0.0 && tree.bins[0].fitness[4] == tree.best,
                "the best is at distance 0"
            );
        }
        let rerun = run_study(3000, Perturbation::default()).unwrap();
        assert_eq!(rerun, study);
        assert!(study.sentences()[0].starts_with("806768: best "));
    }

    #[test]
    fn both_engines_start_where_the_poses_are() {
        let budget = Budget { seconds: 2.0, runs: 20, seed: 4 };
        let by =
            |engine: &dyn Engine| study(engine, &programs()[..1], Perturbation::default(), budget, |_, _| {}).unwrap();
        assert_eq!(by(&Simd::default()), by(&Reference::default()));
    }

    #[test]
    fn impossible_perturbations_are_rejected() {
        let refused = |perturbation: Perturbation| run_study(4, perturbation).unwrap_err().to_string();
        let usual = Perturbation::default();
        assert!(refused(Perturbation { robots: 6, ..usual }).contains("1 to 5"));
        assert!(refused(Perturbation { by: (f32::NAN, 0.2, 1.0), ..usual }).contains("finite"));
        assert!(refused(Perturbation { by: (-0.1, 0.2, 1.0), ..usual }).contains("0 or more"));
        assert!(refused(Perturbation { bin: 0.0, ..usual }).contains("bins"));
        assert!(refused(Perturbation { by: (0.0, 0.0, 0.0), ..usual }).contains("free place"));
    }
}
