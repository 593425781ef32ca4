//! Progress of a robot's island through the steps of the experiment's curriculum. Each island advances independently,
//! so islands may be in different steps.

use crate::island::{Generation, PendingGeneration, Trials};
use serde::{Deserialize, Serialize};
use xpuck_evolve::{Island, Migrant};
use xpuck_experiment::steps::MAX_GENERATIONS;
use xpuck_experiment::{CurriculumProgress, GenerationStats, Plan, course};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_wire::log::Line;

/// Position in the curriculum, stored with the island.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CurriculumState {
    course: CurriculumProgress,
    /// Controller updates simulated so far, over all robots.
    robot_updates: u64,
}

impl CurriculumState {
    /// Returns the trials of the current step of the curriculum. After the last step, returns `own`, which contains
    /// the trials of the phase.
    pub fn trials(&self, plan: &Plan, own: &Trials) -> Trials {
        self.course.step(&plan.steps).map_or_else(|| own.clone(), |step| Trials::from_step(plan, step))
    }

    /// Returns the name of the current step. Returns `None` after the last step, when evolution uses the experiment's
    /// own world.
    pub fn step<'a>(&self, plan: &'a Plan) -> Option<&'a str> {
        self.course.step(&plan.steps).map(|step| step.name.as_str())
    }

    /// Records a round of a generation like [`PendingGeneration::record`]. `at` describes the trials of the generation.
    /// At the end of a step, starts the next step and also returns a line for the log.
    pub fn record(
        &mut self,
        plan: &Plan,
        (island, begun): (&mut Island, &mut PendingGeneration),
        fitness: &[f32],
        at: &Trials,
    ) -> Option<(Generation, Option<Line>)> {
        let updates: u64 = island.trials().iter().map(|trial| u64::from(trial.new_updates(at.updates))).sum();
        self.robot_updates += updates * at.world.robots as u64;
        let mut done = begun.record(island, &at.world.task, fitness)?;
        done.population.step = self.course.completed_steps();
        let standing = GenerationStats {
            generations: [done.progress.generation, MAX_GENERATIONS],
            trials: begun.simulations(),
            fitness: [done.progress.derated, done.progress.mean],
            robot_seconds: self.robot_updates as f64 * f64::from(CONTROL_PERIOD),
        };
        if !self.course.record_generation(&plan.steps, &standing) {
            return Some((done, None));
        }
        island.begin_step();
        let line = self.course.ended.last().map(|end| {
            let next = self.step(plan).map_or("the experiment's own world".into(), |name| format!("step {name:?}"));
            let (name, best) = (&end.name, end.best);
            Line::info(format!(
                "step {name:?} of evolution ended after {} generations with a fitness of {best:.3}; {next} begins",
                end.generations
            ))
        });
        Some((done, line))
    }

    /// Reduces the weight of immigrants' samples, because their islands may be in other steps.
    pub fn receive(plan: &Plan, immigrants: &mut [Migrant]) {
        course::discount_migrant_samples(&plan.steps, immigrants);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_experiment::Experiment;

    fn plan() -> Plan {
        let text = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n\
            [evolution]\npopulation = 8\ntrial_seconds = 3.0\n\
            [[steps]]\nname = \"alone\"\nrobots = 1\nseconds = 2.0\nend = \"gennum-thisstep >= 2\"\n\
            [[steps]]\nname = \"again\"\nend = \"best-fitness >= 0.5\"\n";
        Plan::new(&Experiment::parse("x", text).unwrap(), &Default::default(), Some(3)).unwrap()
    }

    #[test]
    fn island_advances_at_step_end_and_reevaluates_trees() {
        let plan = plan();
        let own = Trials::from_phase(&plan, plan.phase(0));
        let mut island = Island::new(plan.settings.clone(), plan.primitive_set.clone(), 1, 1);
        let mut way = CurriculumState::default();
        let mut told = Vec::new();
        for fitness in [0.1, 0.1, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9] {
            let at = way.trials(&plan, &own);
            let results = vec![fitness; island.trials().len()];
            let mut begun = PendingGeneration::begin(&island);
            let (done, line) = way.record(&plan, (&mut island, &mut begun), &results, &at).expect("one round");
            let most = island.population().iter().map(|individual| individual.samples.n()).max();
            told.push((done.population.step, at.world.robots, at.updates));
            assert!(line.is_none() || most <= Some(2), "what is known counts for one sample of each scenario");
            if let Some(line) = line {
                told.push((99, 0, 0));
                assert!(line.text.starts_with("step \"a") && line.text.ends_with(" begins"), "{}", line.text);
            }
            island.advance(&[]);
        }
        assert_eq!(told[..4], [(0, 1, 20), (0, 1, 20), (99, 0, 0), (1, 3, 30)]);
        let ends = told.iter().filter(|told| told.0 == 99).count();
        assert_eq!((ends, told.last()), (2, Some(&(2, 3, 30))), "{told:?}");
        assert!(way.step(&plan).is_none() && way.course.ended[0].robot_seconds > 0.0);
        let kept = serde_json::to_string(&way).unwrap();
        assert_eq!(serde_json::from_str::<CurriculumState>(&kept).unwrap(), way);
    }

    #[test]
    fn genes_of_another_world_count_little_where_there_are_steps() {
        let mut plan = plan();
        let island = Island::new(plan.settings.clone(), plan.primitive_set.clone(), 1, 1);
        let mut migrant = island.emigrant();
        (0..9).for_each(|i| migrant.samples.add(i % 2, 0.25));
        let counts = |plan: &Plan| {
            let mut migrants = [migrant.clone()];
            CurriculumState::receive(plan, &mut migrants);
            (migrants[0].samples.n(), migrants[0].samples.mean())
        };
        assert_eq!(counts(&plan), (2, 0.25));
        plan.steps.clear();
        assert_eq!(counts(&plan), (9, 0.25));
    }
}
