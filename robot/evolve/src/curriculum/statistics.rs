//! Contribution of each mutation and of crossover (figures 15 and 16 of Petrovic's report).

/// Name of the crossover operator in [`Statistics`].
pub const CROSSOVER: &str = "crossover";

/// Statistics of the children of one operator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OperatorStatistics {
    /// Number of children.
    pub applied: u32,
    /// Number of children fitter than their parent.
    pub better: u32,
    /// Number of children less fit than their parent.
    pub worse: u32,
    /// Sum of the fitness gains over the parents, of all children that are fitter than their parent.
    pub gain: f64,
}

impl OperatorStatistics {
    /// Returns the share of fitter children among the children whose fitness differs from the parent's (0 to 1; figure
    /// 16). Returns 0 if there are no such children.
    pub fn positive_rate(&self) -> f64 {
        let changed = self.better + self.worse;
        if changed == 0 { 0.0 } else { f64::from(self.better) / f64::from(changed) }
    }
}

/// Statistics of a step's operators: the mutations in the order of the species, then [`CROSSOVER`]. A child that was
/// crossed and mutated counts for both operators.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics(Vec<(&'static str, OperatorStatistics)>);

impl Statistics {
    pub(super) fn new(mutations: Vec<&'static str>) -> Statistics {
        let names = mutations.into_iter().chain([CROSSOVER]);
        Statistics(names.map(|name| (name, OperatorStatistics::default())).collect())
    }

    /// Iterates over the operators' names and statistics.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &OperatorStatistics)> {
        self.0.iter().map(|(name, record)| (*name, record))
    }

    /// Returns the statistics of the operator with this name; `None` if there is no such operator.
    pub fn get(&self, name: &str) -> Option<&OperatorStatistics> {
        self.iter().find(|(known, _)| *known == name).map(|(_, record)| record)
    }

    /// Returns each operator's share of the sum of all gains (figure 15). The shares sum to 1, or are all 0 if there
    /// were no gains. A frequently applied operator has more chances to gain.
    pub fn contributions(&self) -> Vec<(&'static str, f64)> {
        let sum: f64 = self.iter().map(|(_, record)| record.gain).sum();
        let share = |record: &OperatorStatistics| if sum > 0.0 { record.gain / sum } else { 0.0 };
        self.iter().map(|(name, record)| (name, share(record))).collect()
    }

    /// Adds the statistics of another step to these statistics.
    pub fn add(&mut self, other: &Statistics) {
        for (name, record) in other.iter() {
            let place = self.0.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                self.0.push((name, OperatorStatistics::default()));
                self.0.len() - 1
            });
            let sum = &mut self.0[place].1;
            sum.applied += record.applied;
            sum.better += record.better;
            sum.worse += record.worse;
            sum.gain += record.gain;
        }
    }

    /// Counts a child for the mutation with the index `mutation`, and for crossover if `crossed` is true. `parent` and
    /// `child` are the fitness values of the parent and the child.
    pub(super) fn count(&mut self, mutation: Option<usize>, crossed: bool, parent: f64, child: f64) {
        let crossover = self.0.len().checked_sub(1).filter(|_| crossed);
        for operator in mutation.into_iter().chain(crossover) {
            let Some((_, record)) = self.0.get_mut(operator) else { continue };
            record.applied += 1;
            record.better += u32::from(child > parent);
            record.worse += u32::from(child < parent);
            record.gain += (child - parent).max(0.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_gains() {
        let mut statistics = Statistics::new(vec!["a", "b"]);
        for (mutation, crossed, child) in
            [(Some(0), false, 14.0), (Some(0), false, 6.0), (Some(1), true, 16.0), (None, true, 10.0)]
        {
            statistics.count(mutation, crossed, 10.0, child);
        }
        assert_eq!(statistics.contributions(), [("a", 0.25), ("b", 0.375), (CROSSOVER, 0.375)]);
        let crossover = statistics.get(CROSSOVER).unwrap();
        assert_eq!((crossover.applied, crossover.better, crossover.worse), (2, 1, 0));
        assert_eq!((statistics.get("a").unwrap().positive_rate(), crossover.positive_rate()), (0.5, 1.0));
        let mut sum = Statistics::default();
        sum.add(&statistics);
        sum.add(&statistics);
        assert_eq!((sum.get("a").unwrap().applied, sum.get("b").unwrap().gain), (4, 12.0));
        assert_eq!(Statistics::new(vec!["a"]).contributions(), [("a", 0.0), (CROSSOVER, 0.0)]);
    }
}
