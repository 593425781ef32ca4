//! Model of an e-puck2's VL53L0X distance sensor on the I2C bus. A measurement takes two arena steps.

use super::{Surroundings, answer, noise};
use xpuck_kernels::random::Draws;
use xpuck_registers::vl53l0x::{ADDRESS, CLEAR, DONE, MODEL, RANGE, RESULT, RESULT_BYTES, START, encode};

/// Relative standard deviation of a distance. The data sheet gives an accuracy of 4 % indoors.
const NOISE: f32 = 0.02;
/// Duration of a measurement (arena steps).
const STEPS: u8 = 2;

/// A VL53L0X with its state.
#[derive(Clone, Debug, Default)]
pub(super) struct Vl53l0x {
    pointer: u8,
    left: u8,
    done: u8,
    result: [u8; RESULT_BYTES],
}

impl Vl53l0x {
    pub fn feel(&mut self, around: &Surroundings, chance: &mut Draws) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        if self.left == 0 {
            let distance = around.ahead * (1.0 + noise(NOISE, chance));
            self.result = encode((distance <= RANGE).then_some(distance));
            self.done = 4;
        }
    }

    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if address != ADDRESS {
            return false;
        }
        match write {
            [START, value, ..] if value & 1 != 0 => (self.left, self.done) = (STEPS, 0),
            [CLEAR, value, ..] if value & 1 != 0 => self.done = 0,
            _ => {}
        }
        let (done, result) = (self.done, self.result);
        let get = |register: u8| match register {
            DONE => done,
            register if register == MODEL.0 => MODEL.1,
            register => result.get(usize::from(register.wrapping_sub(RESULT))).copied().unwrap_or(0),
        };
        answer(&mut self.pointer, write, read, |_, _| {}, get);
        true
    }
}
