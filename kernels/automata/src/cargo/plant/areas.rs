//! Areas, timed events and their scripts.

use super::World;
use super::numbers::later;
use crate::cargo::motion::{Pose, direction};
use crate::cargo::scene::{Activation, Command, LOADED, TARGET_MARK, TICK};
use crate::cargo::tally::COUNTED_SCRIPTS;
use xpuck_kernels::math::{max, min};

/// Tolerance at the edges of areas, because the position of a robot at a wall has rounding errors.
const SLACK: f32 = 1e-4;

impl World<'_> {
    pub(super) fn run_times(&mut self) {
        for i in 0..self.next_event.len() {
            let event = self.prepared.scene.times[i];
            while self.next_event[i].1 > 0 && self.next_event[i].0 <= self.now {
                self.next_event[i].1 -= 1;
                self.next_event[i].0 = self.next_event[i].0.saturating_add(event.period);
                self.run_script(event.script, false);
            }
        }
    }

    pub(super) fn enter_areas(&mut self, pose: Pose) {
        let prepared = self.prepared;
        let mut nearest = f32::MAX;
        for (i, area) in prepared.scene.areas.iter().enumerate() {
            let distance = area.at.distance(pose.at);
            let heading = area.heading.is_none_or(|[heading, tolerance]| {
                direction(pose.heading).dot(direction(heading)) >= direction(tolerance).y - SLACK
            });
            let within = |value: f32, low: f32, high: f32| value >= low - SLACK && value <= high + SLACK;
            let inside = distance <= SLACK
                && heading
                && area.fork.is_none_or(|state| state == self.fork.state())
                && within(self.fork.position(self.now), area.position[0], area.position[1])
                && area.registers.iter().all(|&(r, low, high)| within(self.registers[usize::from(r)], low, high));
            let entered = inside && self.inside >> i & 1 == 0;
            self.inside = self.inside & !(1 << i) | u64::from(inside) << i;
            let acts = match area.activation {
                // A robot that is already inside when the area is armed also activates the area.
                Activation::Once => inside && self.armed >> i & 1 == 1,
                Activation::EachEntrance => entered,
                Activation::After(delay) => entered && self.now - self.activated[i] >= delay,
            };
            if acts {
                self.armed &= !(1 << i);
                self.activated[i] = self.now;
                self.run_script(area.script, true);
            }
            nearest = min(nearest, max(distance, 0.0));
        }
        let turns = if nearest <= SLACK { self.stretch.turn.abs() } else { 0.0 };
        self.due.areas = later(self.now, nearest, self.stretch.speed.abs() + turns);
    }

    pub(super) fn run_script(&mut self, number: usize, counted: bool) {
        let prepared = self.prepared;
        for command in &prepared.scene.scripts[number - 1] {
            match *command {
                Command::On(lamp) => self.lamps |= 1 << (lamp - 1),
                Command::Off(lamp) => self.lamps &= !(1 << (lamp - 1)),
                Command::Arm(area) => self.armed |= 1 << (area - 1),
                Command::Tell(TARGET_MARK) => self.marks += 1,
                Command::Tell(_) => {}
                Command::Select(register) => self.selected = usize::from(register),
                Command::Put(value) => self.registers[self.selected] = value,
            }
        }
        if counted {
            if number <= COUNTED_SCRIPTS {
                self.tally.scripts[number - 1] += 1;
            }
            if number == LOADED {
                self.suppressed = false;
            }
        }
        self.senses.lit = self.light_edge(self.pose().at) <= 0.0;
        self.due.light = self.due.light.min(self.now + TICK);
        self.due.areas = self.due.areas.min(self.now + TICK);
    }
}
