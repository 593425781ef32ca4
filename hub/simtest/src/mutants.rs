//! Mutants: bugs injected around the cores, in order to test the checkers.

use clap::ValueEnum;

/// Injected bug, as in mutation testing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mutant {
    /// A robot ignores the silence of the hub.
    DeafToSilence,
    /// A robot accepts an old RUN as new.
    OldRun,
    /// The lease of the wheels never ends.
    EndlessLease,
    /// The body has no time-out.
    NoTimeOut,
    /// A robot runs the tree of a gene that failed its check.
    TrustsGenes,
    /// A robot accepts any signature as an operator's.
    TrustsSignatures,
    /// The geneserver sends an immigrant twice.
    CountsTwice,
    /// One entry in a thousand is missing in the record.
    DropsEntry,
    /// A hub whose clock went back numbers its messages by the clock, and ignores the higher numbers that robots have
    /// seen.
    FallingNumbers,
    /// A robot reports a false scratch register for the record.
    FalseUpdates,
    /// The hub sends RUN to a held robot.
    RunsHeld,
    /// A hub that resumes a run forgets the held robots.
    ForgetsHeld,
    /// A robot drives without a hub for longer than its own file allows.
    DrivesOn,
    /// A hub that resumes a run trusts its disk without confirmation by the robots.
    KeepsStaleState,
    /// The hub determines the order of runs and STOPs by its clock instead of counts.
    TrustsClock,
}

impl Mutant {
    /// All mutants.
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
