//! Evolution on the islands that a worker holds, and the exchange of migrants between all islands. The digits are those
//! of `xpuck evolve`: the page asks for generation after generation of each island, and exchanges migrants in between.

use crate::request::{Emigrant, EvolutionChoice};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use toml::Table;
use xpuck_evolve::geneserver::{Copies, Geneserver, Offer};
use xpuck_evolve::{Island, Migrant, Migration, PrimitiveSet, SuspendedTrials, Trial};
use xpuck_experiment::settings;
use xpuck_kernels::engine::{Evaluator, Job, Simd};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;
use xpuck_views::TreeView;

/// Number of controller updates per simulated second (Hz).
const UPDATES_PER_SECOND: f64 = 10.0;
/// Maximum number of islands.
const MAX_ISLANDS: u16 = 64;
/// Maximum number of trees on all islands, so that an answer comes soon.
const MAX_TREES: usize = 32_768;

/// Part of an evolution: islands with their settings.
pub struct Islands {
    spec: WorldSpec,
    /// Duration of a trial (controller updates).
    updates: u32,
    seed: u64,
    /// Number of islands of the whole evolution.
    count: u16,
    islands: BTreeMap<u16, WorkedIsland>,
    server: Geneserver,
}

/// Island with the programs of its trees.
struct WorkedIsland {
    island: Island,
    evaluator: Evaluator,
}

impl Islands {
    /// Returns the islands with these numbers before their first generation.
    ///
    /// # Errors
    /// A setting is invalid. The error is one line that names it.
    pub fn new(choice: &EvolutionChoice, numbers: &[u16]) -> Result<Islands, String> {
        let EvolutionChoice { algorithm, islands, population, seconds, seed, ref world } = *choice;
        if !(1..=MAX_ISLANDS).contains(&islands) || numbers.iter().any(|number| *number >= islands) {
            return Err(format!("islands = {islands} is outside 1 to {MAX_ISLANDS}, or a number is too high"));
        }
        if usize::from(islands).saturating_mul(population) > MAX_TREES {
            return Err(format!("{islands} islands of {population} trees; all islands have at most {MAX_TREES} trees"));
        }
        if numbers.len() > usize::from(islands) {
            return Err(format!("{} numbers of islands, but there are {islands} islands", numbers.len()));
        }
        if !(1.0..=3600.0).contains(&seconds) {
            return Err(format!("seconds = {seconds} is outside 1 to 3600"));
        }
        let spec = world.spec()?;
        let migration = Migration::default();
        let given = Table::from_iter([("population".into(), (population as i64).into())]);
        let settings = settings::effective(algorithm, given, &migration)?;
        let set = PrimitiveSet::in_swarm_without(spec.physics.robot.absent_cells());
        let work = |number: &u16| {
            let island = Island::new(settings.clone(), set.clone(), *number, seed);
            (*number, WorkedIsland { island, evaluator: Evaluator::new(settings.avoiding) })
        };
        Ok(Islands {
            updates: (seconds / CONTROL_PERIOD).round() as u32,
            spec,
            seed,
            count: islands,
            islands: numbers.iter().map(work).collect(),
            server: Geneserver::new(migration, Copies::from(algorithm.sample_owner()), seed),
        })
    }

    /// Evaluates the next generation of an island. `immigrants` arrive before it, except in the first generation. Returns
    /// the island's progress, the simulated time (robot-seconds), and its emigrant.
    ///
    /// # Errors
    /// This worker does not hold the island.
    pub fn generation(&mut self, number: u16, immigrants: &[Migrant]) -> Result<Value, String> {
        let Islands { spec, updates, seed, islands, .. } = self;
        let worked = islands.get_mut(&number).ok_or_else(|| unknown(number))?;
        let WorkedIsland { island, evaluator } = worked;
        if island.generation() > 0 {
            island.advance(immigrants);
        }
        let trees: Vec<&Tree> = island.population().iter().map(|one| &one.tree).collect();
        evaluator.prepare(&trees);
        let mut suspended = SuspendedTrials::default();
        let mut robot_updates = 0;
        loop {
            let trials: Vec<(usize, Trial)> = island.trials().into_iter().map(|trial| (0, trial)).collect();
            let job = |(_, trial): &(usize, Trial)| trial.job(spec, (number, *seed), trial.individual, *updates);
            let jobs: Vec<Job<'_>> = trials.iter().map(job).collect();
            let fitness = suspended.fitness(evaluator, &Simd::default(), &trials, &jobs);
            robot_updates += trials.iter().map(|(_, trial)| u64::from(trial.new_updates(*updates))).sum::<u64>();
            if island.record_for(&spec.task, &fitness) {
                break;
            }
        }
        let progress = island.progress();
        Ok(json!({
            "island": number,
            "generation": progress.generation,
            "best": progress.best,
            "derated": progress.derated,
            "evaluations": progress.evaluations,
            "mean": progress.mean,
            "distinct": island.distinct(),
            "robot_seconds": (robot_updates * spec.robots as u64) as f64 / UPDATES_PER_SECOND,
            "emigrant": Emigrant { island: number, migrant: island.emigrant() },
        }))
    }

    /// Returns the immigrants of each island, in the order of the emigrants, which is that of the islands.
    ///
    /// # Errors
    /// There are more emigrants than islands, or an island has too high a number.
    pub fn exchange(&mut self, generation: u32, emigrants: Vec<Emigrant>) -> Result<Value, String> {
        let count = usize::from(self.count);
        if emigrants.len() > count || emigrants.iter().any(|emigrant| emigrant.island >= self.count) {
            return Err(format!(
                "{} emigrants, or a number of an island is too high for {count} islands",
                emigrants.len()
            ));
        }
        let exchange = |Emigrant { island, migrant }| -> Vec<Migrant> {
            self.server.exchange(island, generation, migrant).into_iter().map(Offer::migrant).collect()
        };
        Ok(json!({ "immigrants": emigrants.into_iter().map(exchange).collect::<Vec<_>>() }))
    }

    /// Returns the tree of an island's champion as it drives robots, with its explanation.
    ///
    /// # Errors
    /// This worker does not hold the island.
    pub fn champion(&self, number: u16) -> Result<Value, String> {
        let island = &self.islands.get(&number).ok_or_else(|| unknown(number))?.island;
        let champion = island.champion();
        let tree = island.settings().driving(&champion.tree);
        // The number of the curves: scaled down below eight trials.
        let (fitness, trials) = (island.progress().derated, champion.samples.n());
        let id = champion.id.to_string();
        Ok(json!({ "island": number, "id": id, "fitness": fitness, "trials": trials, "tree": TreeView::new(&tree) }))
    }
}

fn unknown(number: u16) -> String {
    format!("island {number} is not held by this worker")
}
