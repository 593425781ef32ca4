//! Model of a BNO055 inertial unit on the I2C bus. It measures only in fusion mode. Mode changes take no time.

use super::{Surroundings, answer, noise};
use std::f32::consts::TAU;
use xpuck_kernels::math::sin_cos;
use xpuck_kernels::random::Draws;
use xpuck_registers::accelerometer::GRAVITY;
use xpuck_registers::bno055::{
    ADDRESS, CALIBRATION, CHIP_ID, DATA, DATA_BYTES, Data, MODE, MODE_CONFIGURE, MODE_FUSION,
};

/// Standard deviations of the readings' noise: acceleration (m/s^2), magnetic field (uT), turn rate (rad/s) and angles
/// (rad). They are typical values of the data sheet for the sensors' bandwidths.
const NOISE: [f32; 4] = [0.015, 0.3, 0.002, 0.005];
/// Horizontal and downward components of Earth's magnetic field in central Europe (uT).
const FIELD: (f32, f32) = (20.0, 44.0);

/// A BNO055 with its state.
#[derive(Clone, Debug)]
pub(super) struct Bno055 {
    mode: u8,
    pointer: u8,
    data: [u8; DATA_BYTES],
}

impl Default for Bno055 {
    fn default() -> Bno055 {
        Bno055 { mode: MODE_CONFIGURE, pointer: 0, data: [0; DATA_BYTES] }
    }
}

impl Bno055 {
    pub fn feel(&mut self, around: &Surroundings, chance: &mut Draws) {
        if self.mode != MODE_FUSION {
            return;
        }
        let (sin, cos) = sin_cos(around.heading);
        let mut noisy = |values: [f32; 3], kind: usize| values.map(|value| value + noise(NOISE[kind], chance));
        let data = Data {
            acceleration: noisy([around.acceleration.x, around.acceleration.y, GRAVITY], 0),
            magnetic: noisy([FIELD.0 * cos, -FIELD.0 * sin, -FIELD.1], 1),
            turn: noisy([0.0, 0.0, around.spin], 2),
            angles: noisy([-around.heading, 0.0, 0.0], 3),
        };
        let [heading, roll, pitch] = data.angles;
        self.data = Data { angles: [heading.rem_euclid(TAU), roll, pitch], ..data }.encode();
    }

    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if address != ADDRESS {
            return false;
        }
        let (mut mode, data) = (self.mode, self.data);
        let set = |register: u8, value: u8| mode = if register == MODE { value & 0x0f } else { mode };
        let now = match write {
            [MODE, value, ..] => value & 0x0f,
            _ => self.mode,
        };
        let get = |register: u8| match register {
            MODE => now,
            CALIBRATION if now == MODE_FUSION => 0xff,
            register if register == CHIP_ID.0 => CHIP_ID.1,
            register => data.get(usize::from(register.wrapping_sub(DATA))).copied().unwrap_or(0),
        };
        answer(&mut self.pointer, write, read, set, get);
        if mode == MODE_CONFIGURE {
            self.data = [0; DATA_BYTES];
        }
        self.mode = mode;
        true
    }
}
