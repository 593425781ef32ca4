//! Common output of all studies: sentences, a figure, a table.

use super::adapt::{AdaptStudy, STRATEGIES, Strategy};
use super::branches::BranchStudy;
use super::hetero::HeteroStudy;
use super::migrate::MigrateStudy;
use super::mix::MixStudy;
use super::perturb::PerturbStudy;
use super::size::SizeStudy;
use super::transfer::TransferStudy;
use super::tune::TuneStudy;
use super::{ablate::AblationStudy, hetero_figure, perturb_figure, size_figure};
use csv::Writer;
use serde::Serialize;

/// Findings of a study: sentences, a figure, and a table. The JSON form of a study contains all of its results.
pub trait Findings: Serialize + schemars::JsonSchema {
    /// Returns the findings as sentences, one line each.
    fn sentences(&self) -> Vec<String>;

    /// Returns the figure as SVG.
    fn figure(&self) -> String;

    /// Writes the numbers as a table with a header.
    ///
    /// # Errors
    /// If a value cannot be written as CSV.
    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()>;

    /// Returns the table as CSV.
    ///
    /// # Errors
    /// If a value cannot be written as CSV.
    fn csv(&self) -> csv::Result<Vec<u8>> {
        let mut table = Writer::from_writer(Vec::new());
        self.tabulate(&mut table)?;
        table.into_inner().map_err(|error| error.into_error().into())
    }
}

impl Findings for SizeStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        size_figure::draw(self)
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        table.write_record(["robots", "fitness", "sd", "low", "high", "linear", "p", "scaling", "model"])?;
        self.sizes.iter().try_for_each(|size| {
            let model = self.model.map(|model| model.at(size.robots as f64));
            let fitness = size.fitness;
            let [low, high] = fitness.interval;
            let scaling = size.scaling.words();
            table.serialize((size.robots, fitness.mean, fitness.sd, low, high, size.linear, size.p, scaling, model))
        })
    }
}

impl Findings for MixStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        table.write_record(["first", "second", "fitness", "sd", "low", "high", "expected", "p"])?;
        self.mixtures.iter().try_for_each(|mixture| {
            let fitness = mixture.fitness;
            let [low, high] = fitness.interval;
            let second = self.robots - mixture.first;
            let (expected, p) = (mixture.expected, mixture.p);
            table.serialize((mixture.first, second, fitness.mean, fitness.sd, low, high, expected, p))
        })
    }
}

impl Findings for HeteroStudy {
    fn sentences(&self) -> Vec<String> {
        self.sentences()
    }

    fn figure(&self) -> String {
        hetero_figure::draw(self)
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        table.write_record(["run", "different", "mixed", "sd", "low", "high", "alone"])?;
        self.swarms.iter().try_for_each(|swarm| {
            let [low, high] = swarm.mixed.interval;
            table.serialize((&swarm.run, swarm.different, swarm.mixed.mean, swarm.mixed.sd, low, high, swarm.alone))
        })
    }
}

impl Findings for PerturbStudy {
    fn sentences(&self) -> Vec<String> {
        self.sentences()
    }

    fn figure(&self) -> String {
        perturb_figure::draw(self)
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        table.write_record(["tree", "from", "to", "runs", "least", "lower", "median", "upper", "greatest"])?;
        for tree in &self.trees {
            for bin in &tree.bins {
                table.serialize((&tree.name, bin.distance[0], bin.distance[1], bin.runs, bin.fitness))?;
            }
        }
        Ok(())
    }
}

impl Findings for AblationStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        self.changes.iter().try_for_each(|row| table.serialize(row))
    }
}

impl Findings for BranchStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        table.write_record(["ring", "sector", "updates", "line", "drove"])?;
        for place in &self.places {
            for (node, drove) in &place.drivers {
                table.serialize((place.ring, place.sector, place.updates, node, drove))?;
            }
        }
        Ok(())
    }
}

impl Findings for TuneStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        table.write_record(["robots", "before", "before_sd", "after", "after_sd", "gain", "low", "high"])?;
        self.sizes.iter().try_for_each(|size| {
            let [low, high] = size.interval;
            let (before, after) = (size.before, size.after);
            table.serialize((size.robots, before.mean, before.sd, after.mean, after.sd, size.gain, low, high))
        })
    }
}

impl Findings for MigrateStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        self.runs.iter().try_for_each(|run| table.serialize(run))
    }
}

impl Findings for TransferStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        self.runs.iter().try_for_each(|run| table.serialize(run))
    }
}

/// A row of the adaptivity table: fitness of one strategy after one generation, for one seed.
#[derive(Serialize)]
struct AdaptRow {
    seed: u64,
    way: Strategy,
    seconds: f64,
    fitness: f64,
}

impl Findings for AdaptStudy {
    fn sentences(&self) -> Vec<String> {
        vec![self.sentence()]
    }

    fn figure(&self) -> String {
        self.draw()
    }

    fn tabulate(&self, table: &mut Writer<Vec<u8>>) -> csv::Result<()> {
        let pace = self.plan.pace;
        for seed in &self.seeds {
            for way in STRATEGIES {
                for (generation, fitness) in (1..).zip(seed.worth.get(way)) {
                    let seconds = f64::from(generation) * pace;
                    table.serialize(AdaptRow { seed: seed.seed, way, seconds, fitness: *fitness })?;
                }
            }
        }
        Ok(())
    }
}
