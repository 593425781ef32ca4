//! Selection of the individual that represents an island, and fitness threshold whose first crossing a run reports.

use xpuck_evolve::{Individual, Island, Settings};

/// Final mean fitness in the thesis (Fig. 8.4). Runs report the time at which they reach this fitness.
pub const THRESHOLD: f64 = 0.205;

/// Returns the individual that is reported for an island. This is the champion if it has enough evaluations
/// (`full_evaluations`). Otherwise it is the fittest individual with enough evaluations, or the champion if no
/// individual has enough.
pub fn champion<'a>(island: &'a Island, settings: &Settings) -> &'a Individual {
    let known = |i: &&Individual| i.samples.n() >= settings.full_evaluations;
    let champion = island.champion();
    // The population is sorted by fitness, so the first match is the fittest.
    if known(&champion) { champion } else { island.population().iter().find(known).unwrap_or(champion) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::{Algorithm, PrimitiveSet};

    /// Returns an island whose newest individuals have a high fitness. All other individuals have a low fitness.
    fn island(settings: &Settings, generations: u32) -> Island {
        let mut island = Island::new(settings.clone(), PrimitiveSet::in_swarm(), 0, 1);
        for generation in 1..=generations {
            let worth = |i: &Individual| match i.samples.n() {
                0 if generation == generations => 5.0,
                _ => 0.01 * (i.id.number % 7) as f32,
            };
            let results: Vec<f32> = island.trials().iter().map(|t| worth(&island.population()[t.individual])).collect();
            island.record(&results);
            if generation < generations {
                island.advance(&[]);
            }
        }
        island
    }

    #[test]
    fn champion_has_full_evaluations_if_any_individual_has() {
        let settings = Settings { population: 32, immigrants: 8, ..Settings::for_algorithm(Algorithm::NoiseAware) };
        let old = island(&settings, 14);
        let reported = champion(&old, &settings);
        assert!(old.champion().samples.n() < 8 && reported.samples.n() >= 8);
        let known = old.population().iter().filter(|i| i.samples.n() >= 8);
        assert!(known.into_iter().all(|i| i.samples.mean() <= reported.samples.mean()), "the fittest of them");
        let young = island(&settings, 3);
        assert_eq!(champion(&young, &settings).id, young.champion().id);
    }
}
