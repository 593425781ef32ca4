//! Model of an e-puck's ground sensors on the I2C bus.

use super::{Surroundings, answer, noise};
use xpuck_kernels::random::Draws;
use xpuck_registers::ground::{ADDRESS, BYTES, MOST, READINGS, encode};

/// Standard deviation of a reading's noise (counts).
const NOISE: f32 = 2.0;

/// The processor of the ground sensors with its state.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    pointer: u8,
    readings: [u8; BYTES],
}

impl Ground {
    pub fn feel(&mut self, around: &Surroundings, chance: &mut Draws) {
        let most = f32::from(MOST);
        let counts = |brightness: f32| (brightness * most + noise(NOISE, chance)).round().clamp(0.0, most) as u16;
        self.readings = encode(around.floor.map(counts));
    }

    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if address != ADDRESS {
            return false;
        }
        let readings = self.readings;
        let get = |register: u8| readings.get(usize::from(register.wrapping_sub(READINGS))).copied().unwrap_or(0);
        answer(&mut self.pointer, write, read, |_, _| {}, get);
        true
    }
}
