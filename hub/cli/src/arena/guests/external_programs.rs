//! Viewers and agents of a virtual arena, which are updated at each of its steps.

use super::agents::Drivers;
use super::play::{Play, hold};
use super::viewers::Viewers;
use crate::arena::ArenaFile;
use anyhow::Result;
use std::path::Path;
use std::sync::Mutex;
use xpuck_arena::{Arena, StepHooks};
use xpuck_wire::file;

/// Viewers and agents of an arena, with the game state that they see.
pub struct Company {
    play: Play,
    viewers: Option<Viewers>,
    drivers: Option<Drivers>,
}

impl Company {
    /// Starts to listen for the viewers and agents that the arena's file defines.
    ///
    /// # Errors
    /// The file is invalid, or an address cannot be bound.
    pub fn start(path: &Path, robots: usize) -> Result<Company> {
        let keys: ArenaFile = file::read(path)?;
        Ok(Company {
            play: Play::default(),
            viewers: keys.viewers.as_ref().map(Viewers::start).transpose()?,
            drivers: keys.agents.as_ref().map(|keys| Drivers::start(keys, robots)).transpose()?,
        })
    }
}

impl StepHooks for Company {
    fn before_step(&mut self, arena: &Mutex<Arena>) {
        if let Some(drivers) = &mut self.drivers {
            drivers.before_step(arena);
        }
    }

    fn after_step(&mut self, arena: &Mutex<Arena>) {
        if self.viewers.is_none() && self.drivers.is_none() {
            return;
        }
        let game = self.play.watch(&hold(arena));
        if let Some(viewers) = &mut self.viewers {
            viewers.after_step(arena, game);
        }
        if let Some(drivers) = &mut self.drivers {
            drivers.after_step(arena, game);
        }
    }
}
