//! Model of an e-puck's range and bearing board on the I2C bus. It queues words that it receives from other boards.

use super::noise;
use std::collections::VecDeque;
use xpuck_kernels::math::{Vec2, wrap_angle};
use xpuck_kernels::random::Draws;
use xpuck_registers::erandb::{ADDRESS, AVAILABLE, HEARD, HEARD_BYTES, POWER, ReceivedWord, SEND, encode};

/// Capacity of the receive queue (words).
const QUEUE: usize = 10;
/// Reach of a word at full power (m).
pub(crate) const REACH: f32 = 1.0;
/// Strength of a word that is received at a distance of 1 m (counts). The strength is inversely proportional to the
/// square of the distance.
const AT_A_METRE: f32 = 40.0;
/// Maximum strength of a received word: full scale of the converter (counts).
const FULL: f32 = 4095.0;
/// Standard deviations: error of a bearing (rad), and relative error of a strength.
const BEARING_NOISE: f32 = 0.09;
const STRENGTH_NOISE: f32 = 0.1;

/// A range and bearing board with its state.
#[derive(Clone, Debug, Default)]
pub(super) struct Erandb {
    pointer: u8,
    waiting: u8,
    power: u8,
    sent: Option<u16>,
    queue: VecDeque<ReceivedWord>,
    current: [u8; HEARD_BYTES],
}

impl Erandb {
    /// Removes and returns the word that the board sends, with the word's reach (m); `None` if there is no word.
    pub fn take_sent(&mut self) -> Option<(u16, f32)> {
        let reach = REACH * (1.0 - f32::from(self.power) / 255.0);
        self.sent.take().map(|word| (word, reach))
    }

    /// Queues a received word whose sender is at `towards` in the robot's frame (m). The word is lost if the queue is
    /// full.
    pub fn hear(&mut self, word: u16, towards: Vec2, chance: &mut Draws) {
        let strength = AT_A_METRE / towards.length_squared().max(1e-4) * (1.0 + noise(STRENGTH_NOISE, chance));
        let bearing = wrap_angle(towards.angle() + noise(BEARING_NOISE, chance));
        if self.queue.len() < QUEUE {
            self.queue.push_back(ReceivedWord { word, bearing, strength: strength.clamp(1.0, FULL) as u16 });
        }
    }

    pub fn transfer(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> bool {
        if address != ADDRESS {
            return false;
        }
        if let [register, values @ ..] = write {
            self.pointer = *register;
            for value in values {
                match *register {
                    POWER => self.power = *value,
                    register if register == SEND[0] => self.waiting = *value,
                    register if register == SEND[1] => self.sent = Some(u16::from_be_bytes([self.waiting, *value])),
                    _ => {}
                }
            }
        }
        // As in the firmware, the pointer does not advance during a read, so all bytes come from the same register.
        for byte in read {
            *byte = match self.pointer {
                AVAILABLE => match self.queue.pop_front() {
                    Some(heard) => {
                        self.current = encode(&heard);
                        1
                    }
                    None => 0,
                },
                register => self.current.get(usize::from(register.wrapping_sub(HEARD))).copied().unwrap_or(0),
            };
        }
        true
    }
}
