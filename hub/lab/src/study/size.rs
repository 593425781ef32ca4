//! Study of fitness against the number of robots: tests whether a swarm achieves more than the same number of single
//! robots.

use super::scaling_model::ScalingModel;
use super::{Budget, Estimate, StudyError, study_error, with_size};
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::holm;
use xpuck_stats::statistics::tail::t_two_sided;

/// Significance level over all sizes together (Holm).
const LEVEL: f64 = 0.05;

/// Comparison of a swarm with the same number of single robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// The fitness of n robots is significantly above n times the fitness of one robot.
    SuperLinear,
    /// The fitness of n robots does not differ significantly from n times the fitness of one robot.
    Linear,
    /// The fitness of n robots is significantly below n times the fitness of one robot.
    SubLinear,
}

impl Scaling {
    /// Returns the name as text, for example "super-linear".
    pub fn words(self) -> &'static str {
        match self {
            Scaling::SuperLinear => "super-linear",
            Scaling::Linear => "linear",
            Scaling::SubLinear => "sub-linear",
        }
    }
}

/// Results of one swarm size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Size {
    /// Number of robots.
    pub robots: usize,
    /// Fitness of the swarm.
    pub fitness: Estimate,
    /// Number of robots times the fitness of one robot. This is the fitness of robots that neither help nor obstruct
    /// one another.
    pub linear: f64,
    /// p-value of the difference between `fitness` and `linear`, corrected over all sizes (Holm).
    pub p: f64,
    /// Comparison of `fitness` with `linear`.
    pub scaling: Scaling,
}

/// Results of the study of swarm sizes.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SizeStudy {
    /// Simulations of each size.
    pub budget: Budget,
    /// Results in ascending order of size. The first size is one robot.
    pub sizes: Vec<Size>,
    /// Model of cooperation and interference; `None` if fewer than four sizes have a fitness clearly above zero.
    pub model: Option<ScalingModel>,
}

/// Measures a program on swarms of several sizes. `spec` returns the world for a number of robots. A single robot is
/// always measured. `progress` is called after each size.
///
/// # Errors
/// If there are fewer than two runs, or no size above one robot.
pub fn study(
    engine: &dyn Engine,
    program: &Program,
    sizes: &[usize],
    spec: impl Fn(usize) -> WorldSpec,
    budget: Budget,
    mut progress: impl FnMut(),
) -> Result<SizeStudy, StudyError> {
    let all = with_size(sizes, 1);
    if budget.runs < 2 {
        return study_error("at least 2 runs are needed; set --runs");
    }
    if all.len() < 2 {
        return study_error("sizes: at least one must be above 1 robot, such as 1..16");
    }
    let programs = std::slice::from_ref(program);
    let mut measured = Vec::with_capacity(all.len());
    for robots in &all {
        let fitness = budget.fitness(engine, programs, &Team::all(0), &spec(*robots));
        let Some(estimate) = Estimate::from_sample(&fitness) else {
            return study_error("a study needs at least two runs");
        };
        measured.push((*robots, estimate));
        progress();
    }
    Ok(evaluate(&measured, budget))
}

/// Evaluates measurements of (number of robots, fitness). The first measurement is that of a single robot.
fn evaluate(measured: &[(usize, Estimate)], budget: Budget) -> SizeStudy {
    let alone = measured[0].1;
    let p: Vec<f64> = measured[1..].iter().map(|(robots, swarm)| difference(*robots, swarm, &alone, budget)).collect();
    let p = holm(&p);
    let size = |(i, (robots, fitness)): (usize, &(usize, Estimate))| {
        let linear = *robots as f64 * alone.mean;
        let p = i.checked_sub(1).map_or(1.0, |i| p[i]);
        let scaling = match fitness.mean - linear {
            _ if p >= LEVEL => Scaling::Linear,
            more if more > 0.0 => Scaling::SuperLinear,
            _ => Scaling::SubLinear,
        };
        Size { robots: *robots, fitness: *fitness, linear, p, scaling }
    };
    let points: Vec<_> = measured.iter().map(|(robots, e)| (*robots, e.mean, e.se)).collect();
    let sizes = measured.iter().enumerate().map(size).collect();
    SizeStudy { budget, sizes, model: ScalingModel::fit(&points) }
}

/// Returns the two-sided p-value of Welch's t-test of the swarm's fitness against n times the fitness of one robot.
fn difference(robots: usize, swarm: &Estimate, alone: &Estimate, budget: Budget) -> f64 {
    let (a, b) = (swarm.se.powi(2), (robots as f64 * alone.se).powi(2));
    let difference = swarm.mean - robots as f64 * alone.mean;
    if a + b == 0.0 {
        return if difference == 0.0 { 1.0 } else { 0.0 };
    }
    let degrees = (a + b).powi(2) / (a * a + b * b) * f64::from(budget.runs - 1);
    t_two_sided((difference / (a + b).sqrt()).abs(), degrees)
}

impl SizeStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        let of = |scaling: Scaling| -> Vec<usize> {
            self.sizes.iter().filter(|size| size.scaling == scaling).map(|size| size.robots).collect()
        };
        let more = of(Scaling::SuperLinear);
        let mut text = match (more.first(), more.last()) {
            (Some(first), Some(last)) if first == last => format!("Super-linear at {first} robots"),
            (Some(first), Some(last))
                if more.len() == self.sizes.iter().filter(|s| (*first..=*last).contains(&s.robots)).count() =>
            {
                format!("Super-linear from {first} to {last} robots")
            }
            (Some(_), Some(_)) => {
                let list: Vec<String> = more.iter().map(usize::to_string).collect();
                format!("Super-linear at {} robots", list.join(", "))
            }
            _ => "Not super-linear at any size".into(),
        };
        let best = self.sizes.iter().max_by(|a, b| {
            let each = |size: &Size| size.fitness.mean / size.robots as f64;
            each(a).total_cmp(&each(b))
        });
        if let Some(best) = best {
            let (each, alone) = (best.fitness.mean / best.robots as f64, self.sizes[0].fitness.mean);
            text += &match best.robots {
                1 => format!("; the fitness per robot is highest alone ({:.4})", Figure(alone)),
                robots => format!(
                    "; the fitness per robot is highest in a swarm of {robots} ({:.4}, alone {:.4})",
                    Figure(each),
                    Figure(alone)
                ),
            };
        }
        match &self.model {
            Some(model) => {
                text += &format!(
                    "; cooperation exponent {:.2} +- {:.2}, interference {:.3} +- {:.3} a robot",
                    Figure(model.cooperation),
                    model.cooperation_se,
                    Figure(model.interference),
                    model.interference_se
                );
                if let Some(peak) = model.peak {
                    text += &format!(", with a peak at {peak:.1} robots");
                }
            }
            None => text += "; too few sizes have a fitness significantly above zero for a model",
        }
        text + "."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::engine::Simd;
    use xpuck_kernels::tree::Tree;

    const TREE: &str = include_str!("../../../../docs/trees/806768.bt");

    fn run_study(text: &str, sizes: &[usize], runs: u32) -> Result<SizeStudy, StudyError> {
        let program = Program::compile(&Tree::parse(text).unwrap()).unwrap();
        let budget = Budget { seconds: 30.0, runs, seed: 1 };
        study(&Simd::default(), &program, sizes, WorldSpec::benchmark, budget, || {})
    }

    #[test]
    fn robots_get_in_one_anothers_way_where_one_can_push_alone() {
        let study = run_study(TREE, &[2, 9, 9], 200).unwrap();
        let sizes: Vec<usize> = study.sizes.iter().map(|size| size.robots).collect();
        assert_eq!(sizes, [1, 2, 9]);
        let nine = study.sizes[2];
        assert_eq!(nine.linear, 9.0 * study.sizes[0].fitness.mean);
        assert!(nine.scaling == Scaling::SubLinear && nine.p < 0.01 && study.sizes[0].p == 1.0, "{study:?}");
        assert!(study.sentence().starts_with("Not super-linear at any size"), "{}", study.sentence());
        assert_eq!(run_study(TREE, &[2, 9], 200).unwrap(), study, "the same seed, the same digits");
    }

    #[test]
    fn swarm_better_than_sum_of_robots_is_super_linear() {
        let estimate = |mean: f64| Estimate { mean, sd: 0.02, se: 0.001, interval: [mean - 0.002, mean + 0.002] };
        let law = |n: usize| 0.01 * (n as f64).powf(1.8) * (-0.1 * (n - 1) as f64).exp();
        let measured: Vec<(usize, Estimate)> = (1..=16).map(|n| (n, estimate(law(n)))).collect();
        let budget = Budget { seconds: 60.0, runs: 400, seed: 1 };
        let study = evaluate(&measured, budget);
        // The fitness of n robots is n^0.8 / e^(0.1 (n - 1)) times n f(1). This ratio is above 1 for 2 to 16 robots.
        let of = |n: usize| study.sizes[n - 1].scaling;
        assert_eq!((of(4), of(8), study.sizes[3].linear), (Scaling::SuperLinear, Scaling::SuperLinear, 0.04));
        let more: Vec<usize> = (1..=16).filter(|n| law(*n) > 1.3 * 0.01 * *n as f64).collect();
        assert!(more.iter().filter(|n| **n > 2).all(|n| of(*n) == Scaling::SuperLinear), "{study:?}");
        let model = study.model.unwrap();
        assert!((model.cooperation - 1.8).abs() < 1e-6 && (model.peak.unwrap() - 18.0).abs() < 1e-4);
        assert!(study.sentence().starts_with("Super-linear from "), "{}", study.sentence());
        let noisy: Vec<(usize, Estimate)> = measured.iter().map(|(n, e)| (*n, Estimate { se: 0.05, ..*e })).collect();
        assert!(evaluate(&noisy, budget).sizes.iter().all(|size| size.scaling == Scaling::Linear));
    }

    #[test]
    fn standing_tree_is_never_super_linear() {
        let study = run_study("movcv v_scr 0deg\n", &[4], 4).unwrap();
        assert_eq!((study.sizes[1].fitness.mean, study.sizes[1].p, study.model), (0.0, 1.0, None));
        assert!(study.sentence().starts_with("Not super-linear at any size"), "{}", study.sentence());
    }

    #[test]
    fn too_little_is_refused() {
        assert!(run_study(TREE, &[4], 1).unwrap_err().to_string().contains("at least 2 runs"));
        assert!(run_study(TREE, &[1, 0], 4).unwrap_err().to_string().contains("above 1"));
    }
}
