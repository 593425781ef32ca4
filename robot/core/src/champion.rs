//! The onboard champion: the fittest individual of the robot's island, which is to drive the robot.

use crate::core::Core;
use xpuck_evolve::{Migrant, Progress};
use xpuck_kernels::tree::CompileError;
use xpuck_wire::message::{Emigrant, RobotMessage};

/// The fittest individual of the robot's island, and the segment that still waits for one.
#[derive(Clone, Debug, Default)]
pub struct OnboardChampion {
    champion: Option<Migrant>,
    /// A segment whose tree could not be loaded yet, because no generation is done.
    owed: Option<u32>,
    progress: Progress,
}

impl OnboardChampion {
    /// Where the island stands.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// No segment waits for a tree any more.
    pub fn owe_nothing(&mut self) {
        self.owed = None;
    }

    /// Takes the fittest of a finished generation, and loads it if a segment waits for one.
    ///
    /// # Errors
    /// As [`OnboardChampion::load`].
    pub fn take(
        &mut self,
        core: &mut Core,
        progress: Progress,
        champion: Migrant,
    ) -> Result<Option<RobotMessage>, CompileError> {
        (self.progress, self.champion) = (progress, Some(champion));
        self.owed.map_or(Ok(None), |segment| self.load(core, segment))
    }

    /// Puts the fittest tree in control for a segment and says what to tell the hub; before the first generation is done
    /// that waits until it is.
    ///
    /// # Errors
    /// If the tree does not fit the robot: the one before stays in control.
    pub fn load(&mut self, core: &mut Core, segment: u32) -> Result<Option<RobotMessage>, CompileError> {
        let Some(champion) = &self.champion else {
            self.owed = Some(segment);
            return Ok(None);
        };
        self.owed = None;
        core.load(&champion.tree)?;
        Ok(Some(RobotMessage::Loaded { segment, gene: Emigrant::of(champion.values()) }))
    }
}
