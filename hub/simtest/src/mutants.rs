//! Planted faults: what a bug would do, done by the simulation around the cores. A microscope that does not find them
//! looks at nothing.

use clap::ValueEnum;

/// A planted fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// A robot does not notice that the hub is silent.
    DeafToSilence,
    /// A robot takes an old RUN for a new one.
    OldRun,
    /// The lease on the wheels never ends.
    EndlessLease,
    /// The body has no time-out.
    NoTimeOut,
    /// A robot runs a tree of a gene that did not pass its check.
    TrustsGenes,
    /// A robot takes any signature for an operator's.
    TrustsSignatures,
    /// The geneserver gives an immigrant twice.
    CountsTwice,
    /// One entry in a thousand is missing from the record.
    DropsEntry,
    /// A hub whose clock went back numbers what it says by its clock, whatever the robots heard before.
    FallingNumbers,
}

impl Plant {
    /// All of them.
    pub const ALL: [Plant; 9] = [
        Plant::DeafToSilence,
        Plant::OldRun,
        Plant::EndlessLease,
        Plant::NoTimeOut,
        Plant::TrustsGenes,
        Plant::TrustsSignatures,
        Plant::CountsTwice,
        Plant::DropsEntry,
        Plant::FallingNumbers,
    ];
}
