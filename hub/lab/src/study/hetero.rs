//! Study of heterogeneity: compares the fitness of a swarm of different trees with the mean fitness of homogeneous
//! swarms of the same trees (thesis 8.6.5, 8.7.2 and 8.7.3).

use super::{Budget, Estimate, StudyError, p_value, study_error};
use crate::measure::fitness_of;
use serde::Serialize;
use std::collections::BTreeMap;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{CompileError, Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::line::line;
use xpuck_stats::statistics::mean_and_sd;
use xpuck_stats::statistics::t::one_sample;

/// Minimum number of swarms for statistics.
const FEWEST: usize = 3;
/// Number of swarms that are simulated together.
const BATCH: usize = 4;

/// A run and the final trees of its robots.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTrees {
    /// Name of the run.
    pub name: String,
    /// One tree per robot. If there are fewer trees than robots, the trees are used in turn.
    pub trees: Vec<Tree>,
}

/// Parameters of the study.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct HeteroPlan {
    /// Simulations of each heterogeneous swarm.
    pub mixed: Budget,
    /// Number of runs of each homogeneous swarm.
    pub alone: u32,
    /// Number of swarms drawn with replacement from the trees of all runs.
    pub drawn: usize,
}

/// A heterogeneous swarm.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Swarm {
    /// Name of the run in which the trees evolved; `None` for a swarm drawn from all runs.
    pub run: Option<String>,
    /// Number of distinct trees.
    pub different: usize,
    /// Fitness of the swarm.
    pub mixed: Estimate,
    /// Mean over the robots of the fitness of a homogeneous swarm with the robot's tree.
    pub alone: f64,
}

/// Statistics of one kind of swarm: the runs' own swarms, or drawn swarms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Kind {
    /// Number of swarms.
    pub swarms: usize,
    /// Mean over the swarms of [`Swarm::mixed`] minus [`Swarm::alone`].
    pub difference: f64,
    /// Standard error and two-sided p of a paired t-test; `None` for drawn swarms, which share trees and are
    /// therefore not independent.
    pub test: Option<Test>,
    /// Intercept and slope of the line mixed = intercept + slope * alone, fitted by least squares; `None` if all
    /// values of [`Swarm::alone`] are equal.
    pub line: Option<(f64, f64)>,
    /// Fitness at which the fitted line crosses mixed = alone. If the slope is below 1, swarms with a higher fitness
    /// lose fitness by mixing.
    pub crossing: Option<f64>,
}

/// Significance of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Test {
    /// Standard error.
    pub se: f64,
    /// Two-sided p.
    pub p: f64,
}

/// Results of the study of heterogeneity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct HeteroStudy {
    /// Parameters of the study.
    pub plan: HeteroPlan,
    /// Number of robots.
    pub robots: usize,
    /// One swarm for each run, then the drawn swarms.
    pub swarms: Vec<Swarm>,
    /// Statistics of the runs' own swarms; `None` for fewer than three swarms with different trees.
    pub own: Option<Kind>,
    /// Statistics of the drawn swarms; `None` for fewer than three swarms with different trees.
    pub drawn: Option<Kind>,
}

/// Compiled distinct trees of all runs.
struct Pool {
    programs: Vec<Program>,
    /// Index in `programs` of the program of each robot, by run.
    runs: Vec<Vec<usize>>,
}

impl Pool {
    fn from_runs(runs: &[RunTrees], robots: usize) -> Result<Pool, CompileError> {
        let mut known: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        let (mut programs, mut all) = (Vec::new(), Vec::new());
        for run in runs {
            let mut numbers = Vec::with_capacity(run.trees.len());
            for tree in &run.trees {
                let number = match known.get(&tree.key()) {
                    Some(number) => *number,
                    None => {
                        programs.push(Program::compile(tree)?);
                        known.insert(tree.key(), programs.len() - 1);
                        programs.len() - 1
                    }
                };
                numbers.push(number);
            }
            all.push((0..robots).map(|robot| numbers[robot % numbers.len()]).collect());
        }
        Ok(Pool { programs, runs: all })
    }

    /// Draws swarms from the robots of all runs with replacement.
    fn draw(&self, robots: usize, swarms: usize, seed: u64) -> Vec<Vec<usize>> {
        let all: Vec<usize> = self.runs.iter().flatten().copied().collect();
        let one = |swarm: usize| {
            let mut draws = Draws::new(seed, swarm as u32, 0, 0, Stream::Migration);
            (0..robots).map(|_| all[draws.below(all.len() as u32) as usize]).collect()
        };
        (0..swarms).map(one).collect()
    }
}

/// Measures the swarm of each run, swarms drawn from all runs, and homogeneous swarms of the same trees. `progress`
/// receives the numbers of finished and of all measurements.
///
/// # Errors
/// If a run has no trees, a tree cannot be compiled for a robot, or there are too few runs of a swarm.
pub fn study(
    engine: &dyn Engine,
    runs: &[RunTrees],
    spec: &WorldSpec,
    plan: HeteroPlan,
    mut progress: impl FnMut(usize, usize),
) -> Result<HeteroStudy, StudyError> {
    let robots = spec.robots;
    if plan.mixed.runs < 2 || plan.alone < 1 {
        return study_error("a swarm needs at least two runs, and a tree alone at least one");
    }
    if let Some(run) = runs.iter().find(|run| run.trees.is_empty()) {
        return study_error(format!("{}: contains no trees; choose another run", run.name));
    }
    let pool = Pool::from_runs(runs, robots).map_err(|error| StudyError(error.to_string()))?;
    let drawn = pool.draw(robots, if runs.is_empty() { 0 } else { plan.drawn }, plan.mixed.seed);
    let teams: Vec<&Vec<usize>> = pool.runs.iter().chain(&drawn).collect();
    let total = pool.programs.len() + teams.len();
    progress(0, total);
    let budget = Budget { runs: plan.alone, ..plan.mixed };
    let mut alone = Vec::with_capacity(pool.programs.len());
    for number in 0..pool.programs.len() {
        alone.push(mean_and_sd(&budget.fitness(engine, &pool.programs, &Team::all(number), spec)).0);
        progress(alone.len(), total);
    }
    let mut swarms = Vec::with_capacity(teams.len());
    for (batch, teams) in teams.chunks(BATCH).enumerate() {
        let mixed = plan.mixed.plan(spec);
        let jobs: Vec<_> =
            teams.iter().flat_map(|team| mixed.jobs(&Team::from_programs(team.iter().copied()))).collect();
        let outcomes = engine.run(&pool.programs, &jobs);
        for (i, (team, outcomes)) in teams.iter().zip(outcomes.chunks(plan.mixed.runs as usize)).enumerate() {
            let Some(mixed) = Estimate::from_sample(&fitness_of(outcomes)) else {
                return study_error("a swarm needs at least two runs");
            };
            let mut different = team.to_vec();
            different.sort_unstable();
            different.dedup();
            swarms.push(Swarm {
                run: runs.get(batch * BATCH + i).map(|run| run.name.clone()),
                different: different.len(),
                mixed,
                alone: team.iter().map(|number| alone[*number]).sum::<f64>() / robots as f64,
            });
        }
        progress(pool.programs.len() + swarms.len(), total);
    }
    let (own, others) = swarms.split_at(runs.len());
    let (own, drawn) = (kind(own, true), kind(others, false));
    Ok(HeteroStudy { plan, robots, swarms, own, drawn })
}

/// Returns the statistics of swarms with at least two distinct trees; `None` for fewer than three such swarms. Only
/// swarms that are `independent` are tested.
fn kind(swarms: &[Swarm], independent: bool) -> Option<Kind> {
    let swarms: Vec<&Swarm> = swarms.iter().filter(|swarm| swarm.different > 1).collect();
    if swarms.len() < FEWEST {
        return None;
    }
    let differences: Vec<f64> = swarms.iter().map(|swarm| swarm.mixed.mean - swarm.alone).collect();
    let Estimate { mean: difference, se, .. } = Estimate::from_sample(&differences)?;
    // The t-test fails if all differences are identical. p is then 1 for zero differences, and 0 otherwise.
    let certain = || f64::from(u8::from(difference == 0.0));
    let p = one_sample(&differences, 0.0).map_or_else(certain, |test| test.p);
    let (alone, mixed): (Vec<f64>, Vec<f64>) = swarms.iter().map(|swarm| (swarm.alone, swarm.mixed.mean)).unzip();
    let line = line(&alone, &mixed);
    let crossing = line.and_then(|line| line.crossing());
    let line = line.map(|line| (line.intercept, line.slope));
    let test = independent.then_some(Test { se, p });
    Some(Kind { swarms: swarms.len(), difference, test, line, crossing })
}

impl HeteroStudy {
    /// Returns the result, one sentence for each kind of swarm.
    pub fn sentences(&self) -> Vec<String> {
        let sentence = |what: &str, kind: &Option<Kind>, number: usize| match kind {
            None => format!("{what}: {number} with different trees; a comparison needs at least {FEWEST}."),
            Some(Kind { swarms, difference, test, line, crossing }) => {
                let line = match (line, crossing) {
                    (Some((intercept, slope)), Some(at)) => format!(
                        "; mixed = {:.3} {} {:.2} alone, equal at {:.3}",
                        Figure(*intercept),
                        if *slope < 0.0 { "-" } else { "+" },
                        slope.abs(),
                        Figure(*at)
                    ),
                    _ => String::new(),
                };
                let difference = Figure(*difference);
                let Some(Test { se, p }) = test else {
                    return format!(
                        "{what}: {difference:+.4} on average over {swarms} swarms, which have trees in common{line}."
                    );
                };
                let verdict = match (*p < 0.05, difference.0 > 0.0) {
                    (true, true) => "mixing gains",
                    (true, false) => "mixing costs",
                    (false, _) => "mixing makes no significant difference",
                };
                format!(
                    "{what}: {verdict}, {difference:+.4} +- {se:.4} over {swarms} swarms (paired t, {}){line}.",
                    p_value(*p)
                )
            }
        };
        let mixed =
            |own: bool| self.swarms.iter().filter(|swarm| swarm.different > 1 && swarm.run.is_some() == own).count();
        vec![
            sentence("Swarms of the runs", &self.own, mixed(true)),
            sentence("Swarms drawn from all runs", &self.drawn, mixed(false)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::engine::Simd;

    const GOOD: &str = include_str!("../../../../docs/trees/806768.bt");
    const STANDS: &str = "movcv v_scr 0deg\n";

    fn run(name: &str, trees: &[&str]) -> RunTrees {
        RunTrees { name: name.into(), trees: trees.iter().map(|text| Tree::parse(text).unwrap()).collect() }
    }

    fn run_study(runs: &[RunTrees], drawn: usize) -> Result<HeteroStudy, StudyError> {
        let mixed = Budget { seconds: 20.0, runs: 60, seed: 1 };
        study(&Simd::default(), runs, &WorldSpec::benchmark(4), HeteroPlan { mixed, alone: 60, drawn }, |_, _| {})
    }

    #[test]
    fn swarm_of_identical_trees_scores_like_its_tree() {
        let study = run_study(&[run("a", &[GOOD]), run("b", &[STANDS]), run("c", &[GOOD, GOOD])], 0).unwrap();
        for swarm in &study.swarms {
            assert_eq!((swarm.mixed.mean, swarm.different), (swarm.alone, 1), "{swarm:?}");
        }
        assert_eq!((study.own, study.drawn), (None, None), "nothing is mixed");
        assert_eq!(study.swarms[1].alone, 0.0);
        assert!(study.sentences()[1].contains("0 with different trees; a comparison needs at least 3"));
    }

    #[test]
    fn standing_robots_lower_mixed_swarm_below_half() {
        let study = run_study(&[run("a", &[GOOD, STANDS]), run("b", &[GOOD]), run("c", &[STANDS])], 12).unwrap();
        let half = &study.swarms[0];
        assert_eq!((half.different, half.run.as_deref()), (2, Some("a")));
        assert!((half.alone - study.swarms[1].alone / 2.0).abs() < 1e-12);
        let mixed = study.swarms[3..].iter().filter(|swarm| swarm.different == 2).count();
        assert_eq!((study.swarms.len(), study.drawn.unwrap().swarms), (15, mixed));
        assert!(study.swarms[3..].iter().any(|swarm| swarm.different == 2));
        let (intercept, slope) = study.drawn.unwrap().line.unwrap();
        assert!(
            (intercept + slope * study.drawn.unwrap().crossing.unwrap() - study.drawn.unwrap().crossing.unwrap()).abs()
                < 1e-9
        );
        assert_eq!(run_study(&[run("a", &[GOOD, STANDS]), run("b", &[GOOD]), run("c", &[STANDS])], 12).unwrap(), study);
    }

    #[test]
    fn runs_without_trees_are_refused() {
        assert!(run_study(&[run("a", &[])], 3).unwrap_err().to_string().starts_with("a: contains no trees"));
        assert!(run_study(&[], 3).unwrap().swarms.is_empty());
    }
}
