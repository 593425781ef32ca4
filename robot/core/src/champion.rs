//! Onboard champion: the fittest individual of the robot's island, which controls the robot.

use crate::core::Core;
use xpuck_evolve::{Migrant, Progress};
use xpuck_kernels::tree::CompileError;
use xpuck_wire::message::{Emigrant, RobotMessage};

/// Fittest individual of the robot's island. If a segment requests its tree before there is one, the request is
/// stored.
#[derive(Clone, Debug, Default)]
pub struct OnboardChampion {
    champion: Option<Migrant>,
    /// Segment for which the tree is loaded when the island has completed its first generation; `None`: no load is
    /// pending.
    pending_segment: Option<u32>,
    progress: Progress,
}

impl OnboardChampion {
    /// Returns the progress of the island.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Cancels the pending load of the fittest tree.
    pub fn cancel_pending(&mut self) {
        self.pending_segment = None;
    }

    /// Records the fittest individual of a completed generation. If a segment is waiting for a tree, loads the tree of
    /// this individual and returns the message for the hub.
    ///
    /// # Errors
    /// Returns the errors of [`OnboardChampion::load`].
    pub fn on_generation(
        &mut self,
        core: &mut Core,
        progress: Progress,
        champion: Migrant,
    ) -> Result<Option<RobotMessage>, CompileError> {
        (self.progress, self.champion) = (progress, Some(champion));
        self.pending_segment.map_or(Ok(None), |segment| self.load(core, segment))
    }

    /// Puts the fittest tree in control for a segment, and returns the message for the hub. Before the first
    /// generation is complete, stores the segment and returns `None`. The tree is then loaded when this generation is
    /// complete.
    ///
    /// # Errors
    /// Returns an error if the tree does not fit the robot. The previous tree stays in control.
    pub fn load(&mut self, core: &mut Core, segment: u32) -> Result<Option<RobotMessage>, CompileError> {
        let Some(champion) = &self.champion else {
            self.pending_segment = Some(segment);
            return Ok(None);
        };
        self.pending_segment = None;
        core.load(&champion.tree)?;
        Ok(Some(RobotMessage::Loaded { segment, gene: Emigrant::from_values(champion.values()) }))
    }
}
