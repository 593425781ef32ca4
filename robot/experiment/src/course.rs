//! Progress of an evolution run in its curriculum. The same code runs for islands in one process, on a cluster, and
//! on robots.

use crate::steps::Step;
use serde::{Deserialize, Serialize};
use xpuck_evolve::Migrant;
use xpuck_evolve::curriculum::{Variables, first_momentum, next_momentum};

/// Decay factor of the learning momentum per generation (Petrovic, NTNU 05/2005).
const PHI: f64 = 0.2;

/// Progress of a run in its curriculum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurriculumProgress {
    /// Number of completed steps. After the last step, the run continues in its own world.
    step: u16,
    /// Number of generations that the run had completed before the current step.
    began: u32,
    /// Number of simulations of the run so far, and number of simulations before the current step.
    trials: [u64; 2],
    momentum: f64,
    last_best: f64,
    /// Results of the completed steps.
    pub ended: Vec<StepEnd>,
}

/// Result of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StepEnd {
    /// Name of the step.
    pub name: String,
    /// Number of generations in the step.
    pub generations: u32,
    /// Simulated robot time of the whole run up to the end of the step (robot-seconds).
    pub robot_seconds: f64,
    /// Derated fitness of the champions in the step's world at the end of the step, averaged over the islands.
    pub best: f64,
}

/// State of the islands after a generation.
#[derive(Clone, Copy, Debug)]
pub struct GenerationStats {
    /// Number of generations of the run so far (including this generation), and maximum number of generations.
    pub generations: [u32; 2],
    /// Number of simulations in this generation.
    pub trials: u64,
    /// Derated fitness of the champions, and mean fitness of the populations, both averaged over the islands.
    pub fitness: [f64; 2],
    /// Simulated robot time of the run so far (robot-seconds).
    pub robot_seconds: f64,
}

/// Reduces the weight of the migrants' samples to one sample per scenario if the run has a curriculum. Each island
/// begins its steps independently, so the world of a migrant's samples is unknown. An island reduces its own samples in
/// the same way after the end of a step.
pub fn discount_migrant_samples(steps: &[Step], migrants: &mut [Migrant]) {
    if !steps.is_empty() {
        migrants.iter_mut().for_each(|migrant| migrant.samples.limit_weight(1));
    }
}

impl CurriculumProgress {
    /// Returns the number of completed steps. After the last step, the run continues in its own world.
    pub fn completed_steps(&self) -> u16 {
        self.step
    }

    /// Returns the current step. `None` after the last step, when the run continues in its own world.
    pub fn step<'a>(&self, steps: &'a [Step]) -> Option<&'a Step> {
        steps.get(usize::from(self.step))
    }

    /// Counts a generation. Returns whether it was the last generation of its step.
    pub fn record_generation(&mut self, steps: &[Step], standing: &GenerationStats) -> bool {
        self.trials[0] += standing.trials;
        let Some(step) = self.step(steps) else { return false };
        let ([generation, total_generations], [best, mean]) = (standing.generations, standing.fitness);
        let step_generation = generation - self.began;
        self.momentum = match step_generation {
            1 => first_momentum(best),
            _ => next_momentum(PHI, self.momentum, best - self.last_best),
        };
        self.last_best = best;
        let holds = step.end.holds(&Variables {
            generation,
            step_generation,
            best,
            mean,
            momentum: self.momentum,
            evaluations: self.trials[0],
            step_evaluations: self.trials[0] - self.trials[1],
            total_generations,
            seconds: 0.0,
        });
        if holds {
            let robot_seconds = standing.robot_seconds;
            self.ended.push(StepEnd { name: step.name.clone(), generations: step_generation, robot_seconds, best });
            (self.step, self.began, self.trials[1]) = (self.step + 1, generation, self.trials[0]);
        }
        holds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::curriculum::Formula;
    use xpuck_kernels::world::WorldSpec;

    fn step(end: &str) -> Step {
        let (end, end_text) = (Formula::parse(end).unwrap(), end.to_string());
        Step {
            name: end_text.clone(),
            robots: None,
            world: None,
            spec: WorldSpec::benchmark(1).into(),
            seconds: None,
            end,
            end_text,
        }
    }

    #[test]
    fn step_ends_when_its_formula_holds() {
        let steps = [step("best-fitness >= 0.1 and learning-momentum < 0.05"), step("num-eval-thisstep >= 20")];
        let mut course = CurriculumProgress::default();
        let mut generation = 0;
        let mut count = |best: f64| {
            generation += 1;
            let standing =
                GenerationStats { generations: [generation, 9], trials: 10, fitness: [best, 0.0], robot_seconds: 1.0 };
            course.record_generation(&steps, &standing)
        };
        // Expected learning momentum after the three generations: 0.0108, 0.2 x 0.0108 + 0.1 = 0.102, and 0.0204.
        assert_eq!([0.012, 0.112, 0.112].map(&mut count), [false, false, true]);
        assert_eq!([0.0, 0.0, 0.0, 0.0].map(&mut count), [false, true, false, false]);
        let ends: Vec<(u32, f64)> = course.ended.iter().map(|end| (end.generations, end.best)).collect();
        assert_eq!(ends, [(3, 0.112), (2, 0.0)]);
        assert!(course.step(&steps).is_none());
    }
}
