//! Model of the Pi-puck board's ADS1015 on the I2C bus. Conversions complete at once. The auxiliary battery is absent.

use super::Surroundings;
use xpuck_registers::ads1015::{
    ADDRESS, AUXILIARY_INPUT, BATTERY_INPUT, CONFIGURATION, CONFIGURATION_AT_RESET, CONVERSION, INPUT_SHIFT, START,
    register,
};

/// An ADS1015 with its state.
#[derive(Clone, Debug)]
pub(super) struct Ads1015 {
    pointer: u8,
    configuration: u16,
    conversion: u16,
    battery: f32,
}

impl Default for Ads1015 {
    fn default() -> Ads1015 {
        Ads1015 { pointer: 0, configuration: CONFIGURATION_AT_RESET, conversion: 0, battery: 0.0 }
    }
}

impl Ads1015 {
    pub fn feel(&mut self, around: &Surroundings) {
        self.battery = around.battery;
    }

    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if address != ADDRESS {
            return false;
        }
        if let [pointer, rest @ ..] = write {
            self.pointer = *pointer;
            if let ([high, low, ..], CONFIGURATION) = (rest, *pointer) {
                self.configuration = u16::from_be_bytes([*high, *low]);
                self.convert();
            }
        }
        let value = match self.pointer {
            CONVERSION => self.conversion,
            // The bit `START` reads as 1 if no conversion is in progress.
            CONFIGURATION => self.configuration | START,
            _ => 0,
        };
        read.fill(0xff);
        read.iter_mut().zip(value.to_be_bytes()).for_each(|(to, byte)| *to = byte);
        true
    }

    fn convert(&mut self) {
        if self.configuration & START == 0 {
            return;
        }
        let input = (self.configuration >> INPUT_SHIFT & 7).wrapping_sub(4);
        self.conversion = match input {
            BATTERY_INPUT => register(self.battery),
            AUXILIARY_INPUT => register(0.0),
            _ => 0,
        };
    }
}
