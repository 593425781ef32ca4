//! `median-stopping`: the stages of `racing` within each generation, with trials that stop early.
//!
//! Trials are simulated in parts, in rounds. After each round, individuals that are behind the median of the elite in
//! the same worlds are dropped (median stopping rule, Golovin et al. 2017, "Google Vizier", section 3.2.1, here with a
//! margin). Without an elite, the best shares of the newborns continue (successive halving).
//!
//! - Rounds 0 to 3: newborns and elite in one world of scenario B and one of scenario A, each to the half and to the
//!   end of the run's trial length.
//! - Rounds 4 and 5: contenders, which are the best newborns, in two worlds each, with trials of twice that length.
//!   Elite and guests are tried again in round 4.
//! - Round 6: finalists, which are the best contenders, in eight worlds. The best of them join the elite.
//!
//! Newborns, guests and restarts are those of `racing`, but more of the restarts are from guests, and islands accept
//! immigrants rarely.

mod rounds;

use super::Rules;
use super::racing::{Racing, guests};
use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant, Stage};
use crate::settings::Settings;
use rounds::{FINALIST_WORLDS, PAIR, Round, ShortResults, contenders, finalists};
use serde::{Deserialize, Serialize};

/// Number of starts from guests after each start from new trees. In most runs, the final champion descends from a tree
/// of the first start (`docs/evolution.md`), so later starts from new trees are rare.
const GUEST_STARTS: u32 = 3;
/// Minimum number of generations between two exchanges whose immigrants are accepted. With immigrants in every
/// generation, all islands soon descend from the same tree, which may not be the one that leads to the best trees.
const IMMIGRATION_PERIOD: u32 = 8;

/// State of the `median-stopping` algorithm on an island.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct MedianStopping {
    /// State of starts and newborns.
    racing: Racing,
    /// Current round of the generation.
    round: Round,
    /// Number of starts from guests since the last start from new trees.
    guest_starts: u32,
    /// Number of the last period of [`IMMIGRATION_PERIOD`] generations in which immigrants were accepted.
    immigration: u32,
    /// Results of each individual in this generation's short trials.
    short: Vec<ShortResults>,
}

impl Rules for MedianStopping {
    fn populate(&mut self, deme: &mut Deme) {
        *self = MedianStopping::default();
        self.add_newborns(deme);
    }

    fn populate_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        *self = MedianStopping::default();
        self.racing.begin_with(deme, given);
        self.add_newborns(deme);
    }

    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        self.round.trials(deme)
    }

    fn end_round(&mut self, deme: &mut Deme, trials: &[Trial], results: &[f64]) -> bool {
        match self.round {
            Round::Short(part) => {
                self.short.resize(deme.individuals().len(), [None; 2]);
                for (trial, result) in trials.iter().zip(results) {
                    self.short[trial.individual][trial.stratum] = Some(*result);
                }
                rounds::stop_newborns(deme, &self.short, part);
                if self.round.is_last_short() {
                    rounds::choose_contenders(deme, &self.short);
                    self.short.clear();
                }
            }
            Round::Pair(part) => {
                deme.record(trials, results);
                match part {
                    0 => rounds::stop_contenders(deme),
                    _ => rounds::choose_finalists(deme),
                }
            }
            Round::Final => deme.record(trials, results),
        }
        // Rounds without trials are skipped: all newborns or all contenders may be dropped.
        loop {
            match self.round.next() {
                Some(next) => self.round = next,
                None => {
                    rounds::choose_elite(deme);
                    self.round = Round::default();
                    return true;
                }
            }
            if !self.trials(deme).is_empty() {
                return false;
            }
        }
    }

    fn sample(&self, fitness: f64) -> f64 {
        self.racing.sample(fitness)
    }

    fn sort_key(&self, individual: &Individual, settings: &Settings) -> f64 {
        self.racing.sort_key(individual, settings)
    }

    fn champion_value(&self, individual: &Individual, settings: &Settings) -> f64 {
        self.racing.champion_value(individual, settings)
    }

    fn emigrant<'a>(&self, _: &'a Deme, champion: &'a Individual) -> &'a Individual {
        champion
    }

    fn immigrate(&mut self, deme: &mut Deme, immigrants: &[Migrant]) {
        let period = deme.generation() / IMMIGRATION_PERIOD;
        if period > self.immigration && !immigrants.is_empty() {
            self.immigration = period;
            self.racing.immigrate(deme, immigrants);
        }
    }

    fn forget(&mut self) {
        self.racing.forget();
        (self.round, self.short) = Default::default();
    }

    fn relearn(&mut self) {
        self.racing.relearn();
    }

    fn breed(&mut self, deme: &mut Deme) {
        (self.round, self.short) = Default::default();
        deme.individuals_mut().retain(|one| matches!(one.stage, Stage::Elite | Stage::Guest));
        let guests_again = self.guest_starts < GUEST_STARTS;
        if let Some(from_guests) = self.racing.start_again_if_stuck(deme, guests_again) {
            self.guest_starts = if from_guests { self.guest_starts + 1 } else { 0 };
        }
        self.add_newborns(deme);
    }
}

impl MedianStopping {
    /// Adds the newborns of a generation. Together with the full trials of all other stages, they would use the budget
    /// of a generation of `racing`. Without an elite, the newborns alone use it.
    fn add_newborns(&mut self, deme: &mut Deme) {
        let settings = deme.settings();
        let budget = settings.population as u32;
        let elites = settings.elites() as u32;
        let known = 2 * PAIR * (elites + guests(settings) as u32);
        let others = 4 * PAIR * contenders(settings) as u32 + 2 * FINALIST_WORLDS * finalists(settings) as u32;
        let has_elite = deme.individuals().iter().any(|one| one.stage == Stage::Elite);
        let count = if has_elite { budget.saturating_sub(known + others) / 2 } else { budget / 2 };
        self.racing.add_newborns(deme, count.max(budget / 32));
    }
}
