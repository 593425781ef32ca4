//! What each mutation contributed (figures 15 and 16 of the document).

/// One mutation's record.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OperatorStatistics {
    /// How many new genotypes it made.
    pub applied: u32,
    /// How many were fitter than their parent.
    pub better: u32,
    /// How many were less fit.
    pub worse: u32,
    /// Sum of the gains of those that were fitter.
    pub gain: f64,
}

/// The records of all mutations, in the order of the species' operators.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics(pub Vec<OperatorStatistics>);

impl Statistics {
    pub(super) fn count(&mut self, operator: usize, parent: f64, child: f64) {
        if self.0.len() <= operator {
            self.0.resize(operator + 1, OperatorStatistics::default());
        }
        let record = &mut self.0[operator];
        record.applied += 1;
        record.better += u32::from(child > parent);
        record.worse += u32::from(child < parent);
        record.gain += (child - parent).max(0.0);
    }
}
