//! Generates the page `docs/protocols/spi.md` from the table of SPI words.

use super::words::{ACTION_BITS, BitField, COMMAND_WORDS, REPORT_WORDS, STATUS_BITS, WordField};
use super::*;
use std::fmt::Write;

const SLAVE: &str = "
## The slave is one word late

The slave loads word i before it is clocked, and at that moment it has received word i - 1. It keeps one index for both
directions, so its buffer contains word 31 of the previous message, then words 0 to 30. Therefore a message ends with a
dummy word: the CRC arrives while the dummy is loaded, and the slave checks the CRC during the dummy.
A report is loaded before its message begins, so it cannot answer the command that travels with it: the answer comes
one message later.

## What is checked

- Word 30 is the CRC-16/CCITT-FALSE (polynomial 0x1021, start 0xffff, no reflection, no final xor) of words 0 to 29,
  most significant byte first. It catches every message with one bad word. The start value makes an idle line, all
  zeros or all ones, an invalid message.
- Word 28 is the sum of words 0 to 27 and 29, modulo 65536. It detects messages with two or more bad words; the CRC alone
  accepts one of 65536 of them. With 1 % of the words replaced at random and 200 messages a second each way, the CRC alone
  would accept a wrong message about every 70 minutes; with the sum it is one in about nine years.
- The board numbers its commands. Every report echoes the number of the last command that was accepted, so the board sees
  which were lost, and counts the rejected ones.
- Speeds beyond the motors' are clamped.

## What the slave does

- A valid command takes effect when its message ends. A command that is corrupt, or has fewer than 31 words before the slave
  select rises, is ignored and counted in `rejected`, and the report has `last_command_bad` set until the next valid command.
  Words are counted from the falling select, so no part of a truncated message reaches the next one.
- After 200 ms without a valid command the motors stop and the report has `motors_timed_out` set. The next valid command ends
  that; the speeds stay zero until a command sets them. After power-up the slave is in this state.
- Every message is answered with a report, also an invalid one or an idle line.
- The motors step on a grid of 0.1 ms. The mean speed is exact; a step is at most 0.1 ms late.
";

/// Returns the text of the page in Markdown.
pub fn page() -> String {
    let mut page = String::from(
        "# The SPI messages\n\nMessages between the board and the e-puck's dsPIC. This page is written from the table \
         in\n`robot/registers/src/spi/words.rs`, from which also the encoder, the decoder and the firmware's header \
         are made.\n",
    );
    timing(&mut page);
    field_table(&mut page, "Command, board to dsPIC", COMMAND_WORDS);
    bit_table(&mut page, "actions", ACTION_BITS);
    field_table(&mut page, "Report, dsPIC to board", REPORT_WORDS);
    page.push_str(
        "\nThe infra-red sensors are in the order of the thesis's Table 6.1: the first is left of the front, and they go\n\
         counter-clockwise. The e-puck numbers them the other way round: element i is its IR 7 - i.\n",
    );
    bit_table(&mut page, "status", STATUS_BITS);
    let _ = writeln!(
        page,
        "\n## Neopixels\n\n{PIXELS} pixels of 24 bits fill {} words, the last half one padded with zeros. A pixel is green, red, \
         blue, most\nsignificant bit first, as the strip takes them: the logic between shifts the words out as they are.",
        PIXEL_WORDS.len()
    );
    page.push_str(SLAVE);
    example(&mut page);
    page
}

fn timing(page: &mut String) {
    let gap = f64::from(GAP_CLOCKS) * 1e6 / f64::from(CLOCK_HZ);
    let message = WORDS as f64 * f64::from(16 + GAP_CLOCKS) * 1e6 / f64::from(CLOCK_HZ);
    let _ = write!(
        page,
        "\n## Timing\n\n| what | figure |\n|---|---|\n| mode | 1: clock idle low, data valid on the falling edge; \
         most significant bit first |\n| clock | {} MHz |\n| words | {WORDS} of 16 bits each way, full duplex, one \
         slave select for all |\n| gap after each word | {gap:.1} us ({GAP_CLOCKS} clocks), in which the slave loads \
         the next word |\n| message | {message:.0} us |\n| period | {PERIOD_MS} ms |\n| motors stop | \
         {COMMAND_TIMEOUT_MS} ms after the last valid command |\n\nThe gap is what the dsPIC needs: 6.4 us are 94 of \
         its instruction cycles. A longer gap is harmless.\n",
        CLOCK_HZ / 1_000_000
    );
}

fn field_table(page: &mut String, title: &str, table: &[WordField]) {
    let _ = write!(page, "\n## {title}\n\n| words | name | unit | meaning |\n|---|---|---|---|\n");
    for WordField { first, count, name, unit, meaning } in table {
        let words = if *count == 1 { first.to_string() } else { format!("{first} to {}", first + count - 1) };
        let _ = writeln!(page, "| {words} | `{name}` | {unit} | {meaning} |");
    }
}

fn bit_table(page: &mut String, word: &str, table: &[BitField]) {
    let _ = write!(page, "\nBits of `{word}`; the others are 0:\n\n| bit | name | meaning |\n|---|---|---|\n");
    for BitField { bit, name, meaning } in table {
        let _ = writeln!(page, "| {bit} | `{name}` | {meaning} |");
    }
}

/// Writes the words of an example command in hexadecimal, eight per line.
fn example(page: &mut String) {
    let mut command = Command {
        actions: Actions::SET_MOTOR.and(Actions::SET_LED),
        speeds: [714, -714].map(StepsPerSecond::new),
        leds: 1 << 8,
        sequence: 1,
        ..Command::default()
    };
    command.pixels[0] = Pixel { red: 0x10, green: 0x20, blue: 0x30 };
    let _ = write!(
        page,
        "\n## An example\n\nCommand 1: turn on the spot to the right (714 and -714 steps/s), light the body, and show the colour\n\
         red 0x10, green 0x20, blue 0x30 on the first pixel. Words 0 to 31:\n\n"
    );
    for row in command.encode().chunks(8) {
        let words: Vec<String> = row.iter().map(|w| format!("{w:04x}")).collect();
        let _ = writeln!(page, "    {}", words.join(" "));
    }
}
