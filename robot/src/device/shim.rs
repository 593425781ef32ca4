//! Registers of the shim, the logic between the board and the dsPIC (`docs/protocols/shim.md`). They are accessed
//! through the last word of the SPI messages. This module sets the row length that the shim expects from the camera,
//! and stores the values that the shim reports.

use std::collections::VecDeque;
use xpuck_registers::shim::{IDENT, REGISTERS, REVISION, answer, at, read, write};

const STATUS: u8 = at("status");
const ROW_UNITS: u8 = at("row_units");

/// Latest register values of the shim. Registers that were not read yet have the value 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShimReport {
    /// Whether ident and revision match the known table of registers.
    pub known: bool,
    /// Checksum of the shim's source code.
    pub build: u32,
    /// All status bits received since the shim last started to answer. After each reading, the robot clears these bits
    /// in the shim.
    pub status: u8,
    /// Current conditions, such as a stopped camera: the bits of the register `now` at the last reading.
    pub now: u8,
    /// Number of camera rows dropped because the buffer was full, wrapping.
    pub rows_left_out: u8,
    /// Number of camera rows dropped because of a wrong length, wrapping.
    pub rows_uneven: u8,
    /// Number of rejected SPI messages, wrapping.
    pub messages_bad: u8,
    /// Expected row length of the camera (units of 16 bytes).
    pub row_units: u8,
}

/// The board's side of the link to the shim.
#[derive(Clone, Debug)]
pub(super) struct ShimLink {
    /// Row length to set (units of 16 bytes). `None`: the shim keeps its setting.
    row_units: Option<u8>,
    /// Queue of the last words of future messages.
    queue: VecDeque<u16>,
    /// Last words of the previous and the current message. The answer to the previous message arrives with the
    /// current message.
    requested: [u16; 2],
    values: [Option<u8>; REGISTERS_END],
    status: u8,
    answers: bool,
}

/// Highest register address plus 1.
const REGISTERS_END: usize = REGISTERS[REGISTERS.len() - 1].address as usize + 1;

impl ShimLink {
    pub(super) fn new(row_units: Option<u8>) -> ShimLink {
        ShimLink {
            row_units,
            queue: VecDeque::new(),
            requested: [0; 2],
            values: [None; REGISTERS_END],
            status: 0,
            answers: false,
        }
    }

    /// Returns the last word of the next message.
    pub(super) fn next_word(&mut self) -> u16 {
        if self.answers && self.queue.is_empty() {
            self.queue.extend(REGISTERS.iter().map(|register| read(register.address)));
        }
        self.requested = [self.requested[1], self.queue.pop_front().unwrap_or(read(STATUS))];
        self.requested[1]
    }

    /// Processes the last word of a valid message from the dsPIC.
    pub(super) fn on_answer(&mut self, word: u16) {
        let Some((address, value)) = answer(word).filter(|(address, _)| usize::from(*address) < REGISTERS_END) else {
            *self = ShimLink::new(self.row_units);
            return;
        };
        self.answers = true;
        self.values[usize::from(address)] = Some(value);
        // The answer to a write contains the value before the write, so it is not processed further.
        if self.requested[0] != read(address) {
            return;
        }
        match address {
            STATUS if value != 0 => {
                self.status |= value;
                // Clears the bits that were read, so that later events become visible.
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

    /// Queues a register write before all other words. The shim requires two equal consecutive words for a write.
    fn write(&mut self, address: u8, value: u8) {
        (0..2).for_each(|_| self.queue.push_front(write(address, value)));
    }

    /// Returns the latest register values; `None` if no shim answers.
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

    /// Registers of a simulated shim, which are written by two equal consecutive words.
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
            let word = link.next_word();
            link.on_answer(logic.message(word));
        }
    }

    #[test]
    fn row_length_is_set_again_after_brown_out() {
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
    fn missing_logic_gives_no_report_and_only_reads() {
        let mut link = ShimLink::new(Some(20));
        for _ in 0..50 {
            assert_eq!(link.next_word(), 0, "the dummy word as ever");
            link.on_answer(0);
        }
        assert_eq!(link.report(), None);
    }

    #[test]
    fn status_events_are_kept_after_clearing() {
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
