//! Bumper tracker, line tracker and light tracker. These modules convert changes of sensor readings to messages.

use super::Outbox;
use crate::automaton::{Kind, Module};
use crate::cargo::plant::Senses;

/// Minimum difference in brightness that counts as a change.
const DIFFERENCE: f32 = 1e-3;

#[derive(Clone, Debug, Default)]
pub(in crate::cargo) struct Trackers {
    told: Senses,
    brightness: f32,
}

impl Trackers {
    /// Broadcasts each change of `senses` since the last call, and a message for each station mark. `marks` is the
    /// number of station marks.
    pub fn update(&mut self, senses: Senses, marks: u32, out: &mut Outbox) {
        let told = std::mem::replace(&mut self.told, senses);
        if senses.pressed != told.pressed {
            let kind = if senses.pressed { Kind::BumpersPressed } else { Kind::BumpersReleased };
            out.broadcast(Module::Bumpertracker, kind);
        }
        if senses.line != told.line {
            let kind = if senses.line { Kind::LineEnter } else { Kind::LineLeave };
            out.broadcast(Module::Linetracker, kind);
        }
        if senses.lit != told.lit {
            let kind = if senses.lit { Kind::LightEnter } else { Kind::LightLeave };
            out.broadcast(Module::Lighttracker, kind);
        }
        for _ in 0..marks {
            out.broadcast(Module::Lighttracker, Kind::TargetMark);
        }
    }

    /// Answers a query of `client` for the change in brightness since the last query.
    pub fn answer(&mut self, client: Module, brightness: f32, out: &mut Outbox) {
        let change = brightness - std::mem::replace(&mut self.brightness, brightness);
        let kind = match change {
            change if change > DIFFERENCE => Kind::LightIncrease,
            change if change < -DIFFERENCE => Kind::LightDecrease,
            _ => Kind::LightNoChange,
        };
        out.send(Module::Lighttracker, client, kind, [0; 2]);
    }
}
