//! Mutants: bugs injected around the cores, to test the checkers.

use clap::ValueEnum;

/// Injected bug, as in mutation testing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Mutant {
    /// Robot ignores the silence of the hub.
    DeafToSilence,
    /// Robot accepts an old RUN as new.
    OldRun,
    /// Lease of the wheels never ends.
    EndlessLease,
    /// Body has no time-out.
    NoTimeOut,
    /// Robot runs the tree of a gene that failed its check.
    TrustsGenes,
    /// Robot accepts any signature as an operator's.
    TrustsSignatures,
    /// Geneserver sends an immigrant twice.
    CountsTwice,
    /// One entry in a thousand is missing in the record.
    DropsEntry,
    /// Hub with a clock that went back numbers its messages by the clock, ignoring the robots' higher numbers.
    FallingNumbers,
    /// Robot reports a false scratch register for the record.
    FalseUpdates,
    /// Hub sends RUN to a held robot.
    RunsHeld,
    /// Returning hub forgets the held robots.
    ForgetsHeld,
    /// Robot drives without a hub for longer than its own file allows.
    DrivesOn,
    /// Returning hub trusts its disk without confirmation by the robots.
    KeepsStaleState,
    /// Hub orders runs and STOPs by its clock instead of counts.
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
