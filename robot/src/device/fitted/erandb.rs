//! An e-puck's range and bearing board: says who this robot is to all sides, and who else was heard where.

use super::{FittedDevice, FittedReadings, byte};
use crate::device::{DeviceError, I2cBus};
use std::time::Duration;
use xpuck_registers::erandb::{
    ADDRESS, AVAILABLE, COMPUTE, HEARD, HEARD_BYTES, Heard, POWER, SEND, STORE_LIGHT, STORE_LIGHT_MS, decode,
};

/// Most words that are taken from the board at a look, and most that are known.
pub const MOST_HEARD: usize = 16;
/// A word that was not heard again is forgotten after so many looks.
const REMEMBERED: u8 = 5;

/// Driver of one.
#[derive(Debug)]
pub(super) struct Erandb<B> {
    bus: B,
    own: u16,
    /// Each word as it was heard last, and how many looks ago.
    known: Vec<(Heard, u8)>,
}

impl<B: I2cBus> Erandb<B> {
    /// A board at full power that computes bearings itself. `own` is the word that it sends: the robot's place in the swarm,
    /// from 1; with 0 it is silent.
    pub fn set_up(mut bus: B, own: u16) -> Result<Erandb<B>, DeviceError> {
        for register in [(POWER, 0), COMPUTE, (STORE_LIGHT, 0)] {
            bus.write_read(ADDRESS, &[register.0, register.1], &mut [])?;
        }
        std::thread::sleep(Duration::from_millis(STORE_LIGHT_MS));
        Ok(Erandb { bus, own, known: Vec::with_capacity(MOST_HEARD) })
    }

    /// The next word, if there is one. Registers are read one by one: the board's reads of several in a row go astray.
    fn next(&mut self) -> Result<Option<Heard>, DeviceError> {
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
        let mut all = [Heard::default(); MOST_HEARD];
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
