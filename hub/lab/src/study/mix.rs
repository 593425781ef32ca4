//! Study of swarms with two trees: measures the fitness of every mixture.

use super::{Budget, Estimate, StudyError, study_error};
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_stats::statistics::holm;
use xpuck_stats::statistics::tail::t_two_sided;

/// Significance level over all mixtures together (Holm).
const LEVEL: f64 = 0.05;

/// Results of one mixture of two trees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Mixture {
    /// Number of robots with the first tree. All other robots have the second tree.
    pub first: usize,
    /// Fitness of the swarm.
    pub fitness: Estimate,
    /// Expected fitness if each robot contributed as much as in a homogeneous swarm of its tree.
    pub expected: f64,
    /// p-value of the difference between `fitness` and `expected`, corrected over all mixtures (Holm).
    pub p: f64,
}

/// Results of the study of mixtures.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct MixStudy {
    /// Names of the trees.
    pub names: [String; 2],
    /// Number of robots.
    pub robots: usize,
    /// Simulations of each mixture.
    pub budget: Budget,
    /// Mixtures in ascending order of [`Mixture::first`], from 0 to all robots.
    pub mixtures: Vec<Mixture>,
}

/// Measures every mixture of two programs. `progress` is called after each mixture.
///
/// # Errors
/// If there are fewer than two runs or two robots.
pub fn study(
    engine: &dyn Engine,
    trees: [(String, Program); 2],
    spec: &WorldSpec,
    budget: Budget,
    mut progress: impl FnMut(),
) -> Result<MixStudy, StudyError> {
    let robots = spec.robots;
    if budget.runs < 2 || robots < 2 {
        return study_error("a mixture needs at least two robots and two runs");
    }
    let [(first_name, first), (second_name, second)] = trees;
    let programs = [first, second];
    let mut measured = Vec::with_capacity(robots + 1);
    for count in 0..=robots {
        let team = Team::mixed(&[count, robots - count]);
        let Some(estimate) = Estimate::from_sample(&budget.fitness(engine, &programs, &team, spec)) else {
            return study_error("a study needs at least two runs");
        };
        measured.push(estimate);
        progress();
    }
    let (none, all) = (measured[0], measured[robots]);
    let part = |count: usize| count as f64 / robots as f64;
    let expected = |count: usize| none.mean + (all.mean - none.mean) * part(count);
    let p = |count: usize| {
        let mixed = measured[count];
        let error =
            (mixed.se.powi(2) + (part(count) * all.se).powi(2) + ((1.0 - part(count)) * none.se).powi(2)).sqrt();
        let difference = (mixed.mean - expected(count)).abs();
        if error == 0.0 {
            f64::from(u8::from(difference == 0.0))
        } else {
            t_two_sided(difference / error, f64::from(budget.runs - 1))
        }
    };
    let inner = holm(&(1..robots).map(p).collect::<Vec<_>>());
    let mixtures = (0..=robots)
        .map(|first| Mixture {
            first,
            fitness: measured[first],
            expected: expected(first),
            p: if first == 0 || first == robots { 1.0 } else { inner[first - 1] },
        })
        .collect();
    Ok(MixStudy { names: [first_name, second_name], robots, budget, mixtures })
}

impl MixStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        let [first, second] = &self.names;
        let (none, all) = (&self.mixtures[0], &self.mixtures[self.robots]);
        let ends = format!(
            "The fitness with {first} on all robots is {:.4}, with {second} {:.4}",
            Figure(all.fitness.mean),
            Figure(none.fitness.mean)
        );
        let differs = |mixture: &&Mixture| mixture.p < LEVEL;
        let by = |mixture: &Mixture| mixture.fitness.mean - mixture.expected;
        let strongest = self.mixtures.iter().filter(differs).max_by(|a, b| by(a).abs().total_cmp(&by(b).abs()));
        match strongest {
            Some(mixture) => format!(
                "{ends}; {} of {} mixtures differ significantly from the line between them, most with {} robots with \
                 {first}: {:+.4}.",
                self.mixtures.iter().filter(differs).count(),
                self.robots - 1,
                mixture.first,
                Figure(by(mixture))
            ),
            None => format!("{ends}; no mixture differs significantly from the line between them."),
        }
    }

    /// Draws the fitness against the number of robots with the first tree.
    pub fn draw(&self) -> String {
        let mut plot = Plot::new("Mixtures", &format!("robots with {}", self.names[0]), "fitness").whole_x();
        let place = |mixture: &Mixture| mixture.first as f64;
        let edge = |m: &Mixture| (place(m), m.fitness.interval[0], m.fitness.interval[1]);
        plot.band("", Colour::Sky, self.mixtures.iter().map(edge).collect());
        let line = Stroke::from(Colour::Black).dashed();
        plot.line("", line, self.mixtures.iter().map(|m| (place(m), m.expected)).collect());
        plot.line("", Colour::Blue, self.mixtures.iter().map(|m| (place(m), m.fitness.mean)).collect());
        let differ = self.mixtures.iter().filter(|mixture| mixture.p < LEVEL);
        plot.points("", Colour::Red, differ.map(|m| (place(m), m.fitness.mean)).collect());
        let series = vec![
            ("measured".into(), Stroke::from(Colour::Blue)),
            ("interpolation of the pure swarms".into(), line),
            ("significantly different".into(), Colour::Red.into()),
        ];
        let caption = vec![
            format!("Means of {} runs of {} s; band: 95 % confidence interval.", self.budget.runs, self.budget.seconds),
            self.sentence(),
        ];
        to_svg_with(&[plot], &Footer { series, caption })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::engine::Simd;
    use xpuck_kernels::tree::Tree;

    fn run_study(first: &str, second: &str) -> MixStudy {
        let program = |text: &str| Program::compile(&Tree::parse(text).unwrap()).unwrap();
        let trees = [("a".into(), program(first)), ("b".into(), program(second))];
        let budget = Budget { seconds: 20.0, runs: 100, seed: 1 };
        study(&Simd::default(), trees, &WorldSpec::benchmark(4), budget, || {}).unwrap()
    }

    #[test]
    fn mixtures_of_a_tree_with_itself_are_all_alike() {
        let tree = include_str!("../../../../docs/trees/806768.bt");
        let study = run_study(tree, tree);
        let whole: Vec<f64> = study.mixtures.iter().map(|mixture| mixture.fitness.mean).collect();
        assert_eq!(whole, [whole[0]; 5]);
        assert!(study.mixtures.iter().all(|mixture| mixture.p == 1.0));
        assert!(study.sentence().ends_with("no mixture differs significantly from the line between them."));
    }

    #[test]
    fn ends_are_the_pure_swarms_and_robots_that_stand_cost_fitness() {
        let study = run_study(include_str!("../../../../docs/trees/806768.bt"), "movcv v_scr 0deg\n");
        assert_eq!(study.mixtures[0].fitness.mean, 0.0, "nobody moves");
        assert!(study.mixtures[4].fitness.mean > 0.05, "{study:?}");
        assert_eq!(study.mixtures[2].expected, study.mixtures[4].fitness.mean / 2.0);
        assert!(study.draw().contains("robots with a"));
    }
}
