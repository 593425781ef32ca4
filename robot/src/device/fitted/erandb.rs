//! e-puck range and bearing board: broadcasts this robot's index, and reports the bearing of other robots' messages.

use super::{FittedDevice, FittedReadings, byte};
use crate::device::{DeviceError, I2cBus};
use std::time::Duration;
use xpuck_registers::erandb::{
    ADDRESS, AVAILABLE, COMPUTE, HEARD, HEARD_BYTES, POWER, ReceivedWord, SEND, STORE_LIGHT, STORE_LIGHT_MS, decode,
};

/// Maximum number of words read from the board per poll, and maximum number of known words.
pub const MOST_HEARD: usize = 16;
/// Number of polls after which a word that was not received again is dropped.
const REMEMBERED: u8 = 5;

/// Driver of a range and bearing board.
#[derive(Debug)]
pub(super) struct Erandb<B> {
    bus: B,
    own: u16,
    /// Last reception of each word, and its age (polls).
    known: Vec<(ReceivedWord, u8)>,
}

impl<B: I2cBus> Erandb<B> {
    /// Configures full power and onboard computation of bearings. `own` is the word to send: the robot's index in the
    /// swarm, from 1; 0 disables sending.
    pub fn set_up(mut bus: B, own: u16) -> Result<Erandb<B>, DeviceError> {
        for register in [(POWER, 0), COMPUTE, (STORE_LIGHT, 0)] {
            bus.write_read(ADDRESS, &[register.0, register.1], &mut [])?;
        }
        std::thread::sleep(Duration::from_millis(STORE_LIGHT_MS));
        Ok(Erandb { bus, own, known: Vec::with_capacity(MOST_HEARD) })
    }

    /// Next received word, if any. Registers are read individually, because multi-byte reads from the board are
    /// unreliable.
    fn next(&mut self) -> Result<Option<ReceivedWord>, DeviceError> {
        if byte(&mut self.bus, ADDRESS, AVAILABLE)? != 1 {
            return Ok(None);
        }
        let mut bytes = [0; HEARD_BYTES];
        for (register, value) in (HEARD..).zip(&mut bytes) {
            *value = byte(&mut self.bus, ADDRESS, register)?;
        }
        Ok(Some(decode(&bytes)))
    }
}

impl<B: I2cBus> FittedDevice for Erandb<B> {
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError> {
        self.known.iter_mut().for_each(|(_, looks)| *looks += 1);
        self.known.retain(|(_, looks)| *looks < REMEMBERED);
        for _ in 0..MOST_HEARD {
            let Some(heard) = self.next()? else { break };
            self.known.retain(|(known, _)| known.word != heard.word);
            if self.known.len() < MOST_HEARD {
                self.known.push((heard, 0));
            }
        }
        let mut all = [ReceivedWord::default(); MOST_HEARD];
        all.iter_mut().zip(&self.known).for_each(|(place, (heard, _))| *place = *heard);
        into.heard = Some(all);
        if self.own > 0 {
            let [high, low] = self.own.to_be_bytes();
            self.bus.write_read(ADDRESS, &[SEND[0], high], &mut [])?;
            self.bus.write_read(ADDRESS, &[SEND[1], low], &mut [])?;
        }
        Ok(())
    }
}
