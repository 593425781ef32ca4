//! What goes wrong on a robot's buses at every so many transactions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Faults of the buses; none by default. A transaction of a body on SPI is a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// Every so many transactions with the robot one is not acknowledged (on SPI: not heard, and the line stays high); 0
    /// for never.
    pub nak_every: u32,
    /// Every so many answers of the robot one byte is garbled; 0 for never.
    pub corrupt_every: u32,
    /// Every so many transactions with the robot it restarts before one; 0 for never.
    pub reset_every: u32,
    /// 7-bit addresses at which nothing answers.
    pub absent: Vec<u8>,
    /// The camera sensor holds this id instead of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensor_id: Option<u16>,
    /// The step counters stand still while the motors turn.
    pub frozen_counters: bool,
    /// The accelerometer fails: `dead`, `stuck` or `mad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<SenseFault>,
    /// The light sensors fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light: Option<SenseFault>,
    /// The microphones fail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microphones: Option<SenseFault>,
}

/// How a sensor fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenseFault {
    /// Its wire is broken: it tells 0.
    Dead,
    /// It tells the same for ever.
    Stuck,
    /// It tells anything.
    Mad,
}

/// Counts the transactions of one robot.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultCounter {
    transactions: u32,
}

impl FaultCounter {
    /// Another transaction with the robot.
    pub fn count(&mut self) {
        self.transactions = self.transactions.wrapping_add(1);
    }

    /// True for every so many transactions, and never for 0.
    pub fn strikes(self, every: u32) -> bool {
        every > 0 && self.transactions.is_multiple_of(every)
    }

    /// Garbles a word of a message, not always the same.
    pub fn garble_words(self, message: &mut [u16]) {
        if !message.is_empty() {
            let place = self.transactions as usize % message.len();
            message[place] ^= 0x00a5;
        }
    }

    /// Garbles a byte of an answer, not always the same.
    pub fn garble(self, answer: &mut [u8]) {
        if !answer.is_empty() {
            let place = self.transactions as usize % answer.len();
            answer[place] ^= 0xa5;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_strike_as_often_as_asked() {
        let mut counter = FaultCounter::default();
        let mut struck = |every| {
            (0..12)
                .filter(|_| {
                    counter.count();
                    counter.strikes(every)
                })
                .count()
        };
        assert_eq!([struck(0), struck(1), struck(4)], [0, 12, 3]);
        let mut answer = [0; 3];
        counter.garble(&mut answer);
        assert_eq!(answer.iter().filter(|b| **b == 0xa5).count(), 1);
        counter.garble(&mut []);
    }
}
