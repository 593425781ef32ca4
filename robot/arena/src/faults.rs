//! Faults of a robot's buses and sensors. Some of the bus faults are periodic.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Faults of a robot's buses and sensors (default: no faults). For a body on SPI, a transaction is a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// Interval between missing acknowledgements (transactions); 0: never. On SPI, the message is lost and the line
    /// stays high.
    pub nak_every: u32,
    /// Interval between replies with one corrupt byte (transactions); 0: never.
    pub corrupt_every: u32,
    /// Interval between restarts of the processor in the robot's body (transactions); 0: never. A restart occurs
    /// immediately before a transaction.
    pub reset_every: u32,
    /// 7-bit addresses at which no device answers.
    pub absent: Vec<u8>,
    /// Id that the camera sensor reports instead of its own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensor_id: Option<u16>,
    /// Whether the reported step counters stay at 0 while the motors turn.
    pub frozen_counters: bool,
    /// Fault of the accelerometer: `dead`, `stuck` or `mad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceleration: Option<SenseFault>,
    /// Fault of the light sensors: `dead`, `stuck` or `mad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub light: Option<SenseFault>,
    /// Fault of the microphones: `dead`, `stuck` or `mad`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub microphones: Option<SenseFault>,
}

/// Failure mode of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SenseFault {
    /// The wire is broken, so the sensor reads 0.
    Dead,
    /// The sensor reads a constant value.
    Stuck,
    /// The sensor reads random values.
    Mad,
}

/// Counter of one robot's transactions, which determines when periodic faults occur.
#[derive(Clone, Copy, Debug, Default)]
pub struct FaultCounter {
    transactions: u32,
}

impl FaultCounter {
    /// Counts one transaction with the robot's body.
    pub fn count(&mut self) {
        self.transactions = self.transactions.wrapping_add(1);
    }

    /// Returns whether a fault with the interval `every` (transactions) occurs in the current transaction. A fault with
    /// the interval 0 never occurs.
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
