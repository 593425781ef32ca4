//! Periodic faults on a robot's buses.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Faults of the buses (default: none). For a body on SPI, a transaction is a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// Period of missing acknowledgements (transactions), 0 for never. On SPI the message is lost and the line stays
    /// high.
    pub nak_every: u32,
    /// Period of replies with one corrupt byte (transactions), 0 for never.
    pub corrupt_every: u32,
    /// Period of restarts of the robot's processor, each before a transaction (transactions), 0 for never.
    pub reset_every: u32,
    /// 7-bit addresses at which no device answers.
    pub absent: Vec<u8>,
    /// Id that the camera sensor reports instead of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensor_id: Option<u16>,
    /// Whether the step counters stay constant while the motors turn.
    pub frozen_counters: bool,
    /// Fault of the accelerometer: `dead`, `stuck` or `mad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<SenseFault>,
    /// Fault of the light sensors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light: Option<SenseFault>,
    /// Fault of the microphones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microphones: Option<SenseFault>,
}

/// Failure mode of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenseFault {
    /// Broken wire: reads 0.
    Dead,
    /// Reads a constant value.
    Stuck,
    /// Reads random values.
    Mad,
}

/// Counts the transactions of one robot.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultCounter {
    transactions: u32,
}

impl FaultCounter {
    /// Counts a transaction with the robot.
    pub fn count(&mut self) {
        self.transactions = self.transactions.wrapping_add(1);
    }

    /// Whether the current transaction is a multiple of `every`; never for 0.
    pub fn is_due(self, every: u32) -> bool {
        every > 0 && self.transactions.is_multiple_of(every)
    }

    /// Corrupts one word of a message, at a position that varies.
    pub fn garble_words(self, message: &mut [u16]) {
        if !message.is_empty() {
            let place = self.transactions as usize % message.len();
            message[place] ^= 0x00a5;
        }
    }

    /// Corrupts one byte of a reply, at a position that varies.
    pub fn corrupt(self, answer: &mut [u8]) {
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
                    counter.is_due(every)
                })
                .count()
        };
        assert_eq!([struck(0), struck(1), struck(4)], [0, 12, 3]);
        let mut answer = [0; 3];
        counter.corrupt(&mut answer);
        assert_eq!(answer.iter().filter(|b| **b == 0xa5).count(), 1);
        counter.corrupt(&mut []);
    }
}
