//! Motor driver module: gives each motor the power requested with the highest priority, and 0 without a request.

use crate::automaton::{Kind, Message};

/// Number of priorities.
const PRIORITIES: usize = 5;
/// Number of motors.
const MOTORS: usize = 3;

#[derive(Clone, Debug, Default)]
pub(in crate::cargo) struct Motordriver {
    requests: [[Option<i16>; PRIORITIES]; MOTORS],
}

impl Motordriver {
    pub fn handle(&mut self, message: Message, priority: u8) {
        let [motor, power] = message.arguments;
        let Some(motor) = usize::try_from(motor).ok().filter(|&motor| motor < MOTORS) else { return };
        let request = match message.kind {
            Kind::MotordriverPower => Some(power.clamp(-255, 255)),
            _ => None,
        };
        self.requests[motor][usize::from(priority).min(PRIORITIES - 1)] = request;
    }

    /// Returns the power of each motor (-255..=255).
    pub fn powers(&self) -> [i16; MOTORS] {
        self.requests.map(|of_motor| of_motor.iter().rev().find_map(|&request| request).unwrap_or(0))
    }
}
