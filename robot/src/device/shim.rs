//! The logic between board and dsPIC, through the last word of the SPI messages (`docs/protocols/shim.md`): says how long the
//! camera's rows are, and keeps what the logic tells about itself.

use std::collections::VecDeque;
use xpuck_registers::shim::{IDENT, REGISTERS, REVISION, answer, at, read, write};

const STATUS: u8 = at("status");
const ROW_UNITS: u8 = at("row_units");

/// What the logic told, as far as it told it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShimReport {
    /// It is one of ours, of a table of registers that is known.
    pub known: bool,
    /// Checksum of the sources that it was built from.
    pub build: u32,
    /// All bits of its status that were seen since the link was opened, cleared after each look.
    pub status: u8,
    /// What was so at the last look.
    pub now: u8,
    /// Rows left out for want of room, wrapping.
    pub rows_left_out: u8,
    /// Rows left out because their length was another, wrapping.
    pub rows_uneven: u8,
    /// SPI messages that it did not take, wrapping.
    pub messages_bad: u8,
    /// Bytes of the camera's rows that it expects, in units of 16.
    pub row_units: u8,
}

/// The board's side.
#[derive(Clone, Debug)]
pub(super) struct ShimLink {
    /// Bytes of a row in units of 16; `None` leaves them as they are.
    row_units: Option<u8>,
    /// Last words that are to be sent.
    queue: VecDeque<u16>,
    /// The words of this message and of the one before, whose answer comes with this.
    asked: [u16; 2],
    values: [Option<u8>; REGISTERS_END],
    status: u8,
    answers: bool,
}

/// Addresses up to the last register's.
const REGISTERS_END: usize = REGISTERS[REGISTERS.len() - 1].address as usize + 1;

impl ShimLink {
    pub(super) fn new(row_units: Option<u8>) -> ShimLink {
        ShimLink {
            row_units,
            queue: VecDeque::new(),
            asked: [0; 2],
            values: [None; REGISTERS_END],
            status: 0,
            answers: false,
        }
    }

    /// The last word of the next message.
    pub(super) fn ask(&mut self) -> u16 {
        if self.answers && self.queue.is_empty() {
            self.queue.extend(REGISTERS.iter().map(|register| read(register.address)));
        }
        self.asked = [self.asked[1], self.queue.pop_front().unwrap_or(read(STATUS))];
        self.asked[1]
    }

    /// The last word of a message that came back whole.
    pub(super) fn told(&mut self, word: u16) {
        let Some((address, value)) = answer(word).filter(|(address, _)| usize::from(*address) < REGISTERS_END) else {
            *self = ShimLink::new(self.row_units);
            return;
        };
        self.answers = true;
        self.values[usize::from(address)] = Some(value);
        // The answer to a write is from before the write.
        if self.asked[0] != read(address) {
            return;
        }
        match address {
            STATUS if value != 0 => {
                self.status |= value;
                // The bits are cleared, so that what happens next is seen.
                self.write(STATUS, value);
            }
            ROW_UNITS => {
                if let Some(wanted) = self.row_units.filter(|wanted| *wanted != value) {
                    self.write(ROW_UNITS, wanted);
                }
            }
            _ => {}
        }
    }

    /// Two equal words in a row write.
    fn write(&mut self, address: u8, value: u8) {
        (0..2).for_each(|_| self.queue.push_front(write(address, value)));
    }

    /// What it told; `None` if no logic answers.
    pub(super) fn report(&self) -> Option<ShimReport> {
        let value = |name: u8| self.values[usize::from(name)].unwrap_or(0);
        let build = [at("build_0"), at("build_1"), at("build_2"), at("build_3")].map(value);
        self.answers.then(|| ShimReport {
            known: value(at("ident")) == IDENT && value(at("revision")) == REVISION,
            build: u32::from_be_bytes(build),
            status: self.status,
            now: value(at("now")),
            rows_left_out: value(at("rows_left_out")),
            rows_uneven: value(at("rows_uneven")),
            messages_bad: value(at("messages_bad")),
            row_units: value(ROW_UNITS),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The logic's registers, written by two equal words in a row.
    struct Registers {
        values: [u8; REGISTERS_END],
        last: u16,
        address: u8,
    }

    impl Registers {
        fn new() -> Registers {
            let mut values = [0; REGISTERS_END];
            REGISTERS.iter().for_each(|register| values[usize::from(register.address)] = register.reset);
            Registers { values, last: 0, address: 0 }
        }

        fn message(&mut self, word: u16) -> u16 {
            let told = 0x8000 | u16::from(self.address) << 8 | u16::from(self.values[usize::from(self.address)]);
            self.address = (word >> 8 & 0x7f) as u8;
            if word & 0x8000 != 0 && word == self.last {
                let value = &mut self.values[usize::from(self.address)];
                *value = if self.address == STATUS { *value & !(word as u8) } else { word as u8 };
            }
            self.last = word;
            told
        }
    }

    fn talk(link: &mut ShimLink, logic: &mut Registers, messages: usize) {
        for _ in 0..messages {
            let word = link.ask();
            link.told(logic.message(word));
        }
    }

    #[test]
    fn the_logic_is_known_and_learns_the_length_of_rows_also_after_a_brown_out() {
        let (mut link, mut logic) = (ShimLink::new(Some(20)), Registers::new());
        talk(&mut link, &mut logic, 60);
        let report = link.report().unwrap();
        assert!(report.known && report.row_units == 20 && report.status == 1, "{report:?}");
        assert_eq!(logic.values[usize::from(STATUS)], 0, "what was seen is cleared");
        logic = Registers::new();
        talk(&mut link, &mut logic, 60);
        assert_eq!(logic.values[usize::from(ROW_UNITS)], 20);
    }

    #[test]
    fn without_logic_nothing_is_reported_and_nothing_but_a_question_is_sent() {
        let mut link = ShimLink::new(Some(20));
        for _ in 0..50 {
            assert_eq!(link.ask(), 0, "the dummy word as ever");
            link.told(0);
        }
        assert_eq!(link.report(), None);
    }

    #[test]
    fn what_happened_is_kept_after_it_was_cleared() {
        let (mut link, mut logic) = (ShimLink::new(None), Registers::new());
        talk(&mut link, &mut logic, 60);
        logic.values[usize::from(STATUS)] |= 1 << 2;
        logic.values[usize::from(at("rows_left_out"))] = 7;
        talk(&mut link, &mut logic, 60);
        let report = link.report().unwrap();
        assert_eq!((report.status, report.rows_left_out, report.row_units), (1 | 1 << 2, 7, 80));
        assert_eq!(logic.values[usize::from(STATUS)], 0);
    }
}
