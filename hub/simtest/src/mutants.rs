//! Mutants: bugs that the simulation puts around the cores. Checkers that find none of them check nothing.

use clap::ValueEnum;

/// A bug that is put in, as in mutation testing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mutant {
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
    /// A robot tells another scratch register for the record than its tree had.
    FalseUpdates,
    /// A hub tells a robot that is held what it tells the others.
    RunsHeld,
    /// A hub that returns does not know whom it held.
    ForgetsHeld,
    /// A robot drives without a hub for longer than its own file allows.
    DrivesOn,
    /// A hub that returns believes its disk, and does not ask the robots.
    KeepsStaleState,
    /// A hub orders runs and STOPs by its clock, and not by counts.
    TrustsClock,
}

impl Mutant {
    /// All of them.
    pub const ALL: [Mutant; 15] = [
        Mutant::DeafToSilence,
        Mutant::OldRun,
        Mutant::EndlessLease,
        Mutant::NoTimeOut,
        Mutant::TrustsGenes,
        Mutant::TrustsSignatures,
        Mutant::CountsTwice,
        Mutant::DropsEntry,
        Mutant::FallingNumbers,
        Mutant::FalseUpdates,
        Mutant::RunsHeld,
        Mutant::ForgetsHeld,
        Mutant::DrivesOn,
        Mutant::KeepsStaleState,
        Mutant::TrustsClock,
    ];
}
