//! Generates the page `docs/protocols/i2c.md` from the tables that the drivers use.

use crate::camera_sensor::{Clock, SENSORS, Sensor, Step};
use crate::epuck1::{self, Access};
use crate::epuck2::{self, Field};
use crate::ina231::{self, HWMON};
use std::fmt::Write;

const OPENING: &str = "\
# I2C: e-puck1, e-puck2, power monitors and camera sensors

The registers and packets that `xpuckd` uses on the board's I2C buses, written from the tables in
`robot/registers/src/`. Addresses have 7 bits. All run at 100 kHz.

| address | device |
|---|---|
";

const EPUCK1: &str = "
## e-puck1

The dsPIC with York Robotics Laboratory's firmware for the Pi-puck board. A write is pointer, low byte, high byte; a
write without the high byte clears it. A read is the pointer, a repeated start, and low and high byte. Each
transaction accesses one register: the pointer does not move. The slave stretches the clock.

There is no checksum and no time-out: **the motors keep the last speed when the board stops sending.** `xpuckd` reads
the speeds back, and its guard process writes zeros when the program dies.

Sensor 0 is right of the front, then clockwise.

| register | bits | access | name | meaning |
|---|---|---|---|---|
";

const EPUCK2: &str = "
## e-puck2

The selector is at position 10. One combined transfer: 20 bytes to the robot, a repeated start, 47 bytes from it, 20
times a second. Numbers have their least significant byte first. A command with a wrong checksum is ignored, but
answered. A read without a write returns the last report again. There is no time-out for the wheels here either.

To the robot:

| bytes | field | meaning |
|---|---|---|
";

const MONITORS: &str = "
## INA231

16 bits, most significant byte first; a read follows the pointer after a repeated start. Shunts are 20 mOhm. Where
the kernel's `ina2xx` owns a monitor, its attributes are read instead:

| attribute | unit | meaning |
|---|---|---|
";

const SENSORS_INTRO: &str = "
## Camera sensors

Set up for 640 x 480 YUYV. The frame rate is the clock divided by twice the frame's area with blanking:

| sensor | 12 MHz (Xpuck) | 14.7456 MHz (e-puck1) | 21 MHz (e-puck2) |
|---|---|---|---|
";

/// Returns the text of the page in Markdown.
pub fn i2c_page() -> String {
    let mut page = String::from(OPENING);
    let _ = writeln!(page, "| `{:#04x}` | e-puck1 or e-puck2 |", epuck1::ADDRESS);
    let _ = writeln!(page, "| `{:#04x}` | INA231 between battery and boost converter |", ina231::BATTERY_ADDRESS);
    let _ = writeln!(page, "| `{:#04x}` | INA231 between boost converter and 5 V |", ina231::SUPPLY_ADDRESS);
    for sensor in SENSORS {
        let _ = writeln!(page, "| `{:#04x}` | camera sensor {} |", sensor.address, sensor.name);
    }
    page.push_str(EPUCK1);
    for r in epuck1::REGISTERS {
        let last = r.first + r.count - 1;
        let numbers = if r.count == 1 { r.first.to_string() } else { format!("{} to {last}", r.first) };
        let access = if r.access == Access::Read { "read" } else { "read, write" };
        let _ = writeln!(page, "| {numbers} | {} | {access} | {} | {} |", r.bits, r.name, r.meaning);
    }
    page.push_str(EPUCK2);
    fields(&mut page, &epuck2::COMMAND_FIELDS);
    page.push_str("\nFrom the robot:\n\n| bytes | field | meaning |\n|---|---|---|\n");
    fields(&mut page, &epuck2::REPORT_FIELDS);
    page.push_str(MONITORS);
    for attribute in HWMON {
        let _ = writeln!(page, "| `{}` | {} | {} |", attribute.name, attribute.unit, attribute.meaning);
    }
    page.push_str(SENSORS_INTRO);
    for sensor in SENSORS {
        let size = |clock| {
            let (width, height) = sensor.frame(clock);
            format!("{width} x {height}")
        };
        let [xpuck, one, two] = [Clock::Xpuck, Clock::Epuck1, Clock::Epuck2].map(size);
        let _ = writeln!(page, "| {} | {xpuck} | {one} | {two} |", sensor.name);
    }
    SENSORS.iter().for_each(|sensor| setup(&mut page, sensor));
    page
}

fn fields(page: &mut String, list: &[Field]) {
    for f in list {
        let last = f.first + f.bytes - 1;
        let bytes = if f.bytes == 1 { f.first.to_string() } else { format!("{} to {last}", f.first) };
        let _ = writeln!(page, "| {bytes} | {} | {} |", f.name, f.meaning);
    }
}

fn setup(page: &mut String, sensor: &Sensor) {
    let Sensor { name, address, id_register, id, .. } = sensor;
    let next = id_register + 1;
    let [high, low] = id.to_be_bytes();
    let _ = writeln!(
        page,
        "\n### {name}\n\nAddress `{address:#04x}`; registers `{id_register:#04x}` and `{next:#04x}` hold `{high:#04x}` and `{low:#04x}`."
    );
    match sensor.bank_register {
        Some(register) => {
            let _ = writeln!(page, "Register `{register:#04x}` selects bank A (0), B (1) or C (2).");
        }
        None => page.push_str("It has no banks.\n"),
    }
    if !sensor.repeated_start {
        page.push_str("It does not support a repeated start: there is a stop between pointer and read.\n");
    }
    page.push_str("\n| bank | register | value | meaning |\n|---|---|---|---|\n");
    for step in sensor.setup(Clock::Epuck1) {
        match step {
            Step::Set { bank, register, bytes, value, meaning, .. } => {
                let bank = if sensor.bank_register.is_some() { ["A", "B", "C"][usize::from(bank)] } else { "-" };
                let (last, digits) = (register + bytes - 1, 2 + 2 * usize::from(bytes));
                let registers =
                    if bytes == 1 { format!("`{register:#04x}`") } else { format!("`{register:#04x}`, `{last:#04x}`") };
                let _ = writeln!(page, "| {bank} | {registers} | `{value:#0digits$x}` | {meaning} |");
            }
            Step::Wait { milliseconds, meaning } => {
                let _ = writeln!(page, "| | | wait {milliseconds} ms | {meaning} |");
            }
        }
    }
    exposure(page, sensor);
}

/// Writes a paragraph on the sensor's exposure registers, if they are known.
fn exposure(page: &mut String, sensor: &Sensor) {
    let Some(exposing) = sensor.exposing else { return };
    let place = |(bank, register): (u8, u8)| match sensor.bank_register {
        Some(_) => format!("`{register:#04x}` of bank {}", ["A", "B", "C"][usize::from(bank)]),
        None => format!("`{register:#04x}`"),
    };
    let _ = writeln!(
        page,
        "\nExposure set in a robot's file: bits `{:#04x}` of {} are `{:#04x}` for an automatic time, and `{:#04x}` \
         for the time in the {} bytes from {} on, most significant first, in fractions of a line, {} per line.",
        exposing.mask,
        place(exposing.switch),
        exposing.automatic,
        exposing.fixed(),
        exposing.bytes,
        place(exposing.time),
        exposing.per_line
    );
}

#[cfg(test)]
mod tests {
    #[test]
    fn i2c_page_matches_tables() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocols/i2c.md");
        let page = super::i2c_page();
        if std::env::var_os("XPUCK_RENEW").is_some() {
            std::fs::write(file, &page).unwrap();
        }
        let found = std::fs::read_to_string(file).unwrap_or_default();
        assert!(found == page, "docs/protocols/i2c.md is old: `XPUCK_RENEW=1 cargo test -p xpuck-registers` renews it");
    }
}
