//! Range and bearing board of an e-puck: broadcasts this robot's index to other robots by infra-red, and reports the
//! words received from them with their bearings.

use super::{FittedDevice, FittedReadings, byte};
use crate::device::{DeviceError, I2cBus};
use std::time::Duration;
use xpuck_registers::erandb::{
    ADDRESS, AVAILABLE, COMPUTE, HEARD, HEARD_BYTES, POWER, ReceivedWord, SEND, STORE_LIGHT, STORE_LIGHT_MS, decode,
};

/// Maximum number of words that are read from the board per poll. Also the maximum number of words that are remembered.
pub const MOST_HEARD: usize = 16;
/// Number of polls after which a word is forgotten if it was not received again.
const REMEMBERED: u8 = 5;

/// Driver of a range and bearing board.
#[derive(Debug)]
pub(super) struct Erandb<B> {
    bus: B,
    own: u16,
    /// Last reception of each word, and the age of that reception (polls).
    known: Vec<(ReceivedWord, u8)>,
}

impl<B: I2cBus> Erandb<B> {
    /// Configures the board to transmit at full power, and to compute the bearings of received words. `own` is the word
    /// to send: the robot's index in the swarm, from 1. If `own` is 0, nothing is sent.
    pub fn set_up(mut bus: B, own: u16) -> Result<Erandb<B>, DeviceError> {
        for register in [(POWER, 0), COMPUTE, (STORE_LIGHT, 0)] {
            bus.write_read(ADDRESS, &[register.0, register.1], &mut [])?;
        }
        std::thread::sleep(Duration::from_millis(STORE_LIGHT_MS));
        Ok(Erandb { bus, own, known: Vec::with_capacity(MOST_HEARD) })
    }

    /// Returns the next received word; `None` if no more words were received. Each register is read individually,
    /// because reads of several bytes from the board are unreliable.
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
