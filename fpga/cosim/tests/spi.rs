//! Tests of the SPI words between the robot's driver, the verilated logic and the emulated dsPIC.

use xpuck_arena::body::dspic::Dspic;
use xpuck_experiment::lamps::Lamps as Pattern;
use xpuck_registers::shim;
use xpuck_registers::spi::{Actions, Command, PIXELS, Pixel, Report, WORDS, Words};
use xpuck_registers::stepper::StepsPerSecond;
use xpuck_robot::body::lamps::{LampInputs, lamps};
use xpuck_robot::device::epuck::Epuck;
use xpuck_robot::device::{DeviceError, SpiBus};
use xpuck_shim::{Bench, Clocks};
use xpuck_wire::message::State;

const MILLISECOND: u64 = 1_000_000_000;
/// Value of a message's last word if the board sends no request to the logic.
const NOTHING: u16 = 0;

/// SPI bus of the board, which is connected to the dsPIC through the logic.
struct Bus {
    bench: Bench,
    dspic: Dspic,
    /// Last words of a message: the word that the board sends, and the word that the board received.
    asks: u16,
    told: u16,
}

impl Bus {
    fn new() -> Bus {
        let mut bench = Bench::new(Clocks { camera: 0, usb: 0, ..Clocks::default() });
        bench.run(MILLISECOND / 10);
        Bus { bench, dspic: Dspic::default(), asks: NOTHING, told: 0 }
    }

    /// Sends a message that ends after `bits` bits.
    fn bits(&mut self, words: &[u16], bits: usize) -> Words {
        // The dsPIC prepares its report before the first clock edge.
        let reply = self.dspic.clone().exchange(&[0; WORDS]);
        let exchange = self.bench.spi_bits(words, bits, &reply);
        self.dspic.select(&exchange.body);
        self.bench.run(MILLISECOND);
        self.told = exchange.board[WORDS - 1];
        exchange.board
    }

    /// Requests a register's value, and returns the value from the reply to the next message.
    fn register(&mut self, name: &str) -> u8 {
        self.last_words(&[shim::read(shim::at(name)), NOTHING]);
        let (address, value) = shim::answer(self.told).expect("the logic answers");
        assert_eq!(address, shim::at(name));
        value
    }

    fn last_words(&mut self, asks: &[u16]) {
        for ask in asks {
            let mut words = Command::default().encode();
            words[WORDS - 1] = *ask;
            self.bits(&words, 16 * WORDS);
        }
    }
}

impl SpiBus for &mut Bus {
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
        let mut words = *words;
        words[WORDS - 1] = self.asks;
        Ok(self.bits(&words, 16 * WORDS))
    }
}

fn rainbow(shift: u8) -> [Pixel; PIXELS] {
    std::array::from_fn(|i| Pixel { red: 17 * i as u8, green: 255 - shift, blue: shift ^ i as u8 })
}

#[test]
fn logic_is_transparent_for_driver_and_dspic() {
    let mut bus = Bus::new();
    let mut direct = Dspic::default();
    let mut epuck = Epuck::new(&mut bus);
    for i in 0..12 {
        let speeds = [100 * i, -50 * i].map(StepsPerSecond::new);
        let command = Command { actions: Actions::SET_MOTOR, speeds, leds: 1 << i, ..Command::default() };
        let report = epuck.exchange(&command).expect("the checks hold");
        let sequence = i as u16 + 1;
        let expected = direct.exchange(&Command { sequence, ..command }.encode());
        assert_eq!(report, Report::decode(&expected).unwrap());
    }
    assert_eq!((epuck.counts().unechoed_commands, epuck.counts().rejected_commands), (0, 0));
    assert_eq!(bus.dspic.wheels(), direct.wheels());
    assert_eq!(shim::answer(bus.told).unwrap().0, shim::at("status"), "the last word is the logic's");
}

#[test]
fn pixels_of_the_driver_shine_on_the_strip() {
    let mut bus = Bus::new();
    for shift in [0, 90, 255] {
        let pixels = rainbow(shift);
        Epuck::new(&mut bus).exchange(&Command { pixels, ..Command::default() }).unwrap();
        assert_eq!(bus.bench.strip().shown, pixels);
    }
    assert_eq!(bus.bench.strip().violations, 0, "every time on the line is within the data sheet's bounds");
    assert_eq!(bus.bench.strip().refreshes, 3);
}

#[test]
fn patterns_of_an_experiment_shine_on_the_strip() {
    let mut bus = Bus::new();
    let mut seen = Vec::new();
    for pattern in [
        Pattern::State,
        Pattern::Battery,
        Pattern::Branch,
        Pattern::Off,
        Pattern::Colours(vec![[0, 255, 3], [9, 0, 0]]),
    ] {
        let shown = LampInputs {
            pattern: Some(&pattern),
            state: State::Run,
            battery_v: Some(3.7),
            leaf: Some(3),
            ..LampInputs::default()
        };
        let pixels = lamps(&shown).pixels;
        Epuck::new(&mut bus).exchange(&Command { pixels, ..Command::default() }).unwrap();
        assert_eq!(bus.bench.strip().shown, pixels, "{pattern:?}");
        assert!(!seen.contains(&pixels), "{pattern:?} looks as another");
        seen.push(pixels);
    }
    assert_eq!(bus.bench.strip().violations, 0);
}

#[test]
fn bad_message_changes_no_pixel() {
    let mut bus = Bus::new();
    let shown = rainbow(7);
    let show = |bus: &mut Bus, pixels| drop(Epuck::new(bus).exchange(&Command { pixels, ..Command::default() }));
    show(&mut bus, shown);
    let other = Command { pixels: rainbow(200), ..Command::default() }.encode();
    // The select line rises too early, either between two words or within a word. The earliest rise is before the first
    // bit. The latest rise is before the last bit of the CRC.
    for bits in [0, 1, 15, 16, 17, 100, 27 * 16, 28 * 16 + 3, 30 * 16, 31 * 16 - 1] {
        bus.bits(&other, bits);
        assert_eq!(bus.bench.strip().shown, shown, "torn after {bits} bits");
    }
    let mut bad = other;
    bad[9] ^= 0x0010;
    bus.bits(&bad, 16 * WORDS);
    // This message has an error that the CRC does not detect. The sum detects it.
    let mut deceiving = other;
    (deceiving[1], deceiving[2]) = (deceiving[1] ^ 0x0001, deceiving[2] ^ 0x1021);
    bus.bits(&deceiving, 16 * WORDS);
    assert_eq!(bus.bench.strip().shown, shown);
    assert_eq!(bus.register("messages_bad"), 10 + 2, "a select without a clock is one too");
    assert_ne!(bus.register("status") & 1 << 1, 0);
    show(&mut bus, rainbow(9));
    assert_eq!(bus.bench.strip().shown, rainbow(9));
    // The message lacks only its last word, which would contain no request. The logic accepts the message, as the
    // dsPIC does.
    bus.bits(&Command { pixels: rainbow(3), ..Command::default() }.encode(), 31 * 16);
    assert_eq!(bus.bench.strip().shown, rainbow(3));
}

#[test]
fn dspic_words_pass_unchanged_except_last() {
    let mut bus = Bus::new();
    let noise: Words = std::array::from_fn(|i| (i as u16).wrapping_mul(40_503).rotate_left(5));
    let sent: Words = std::array::from_fn(|i| !(i as u16).wrapping_mul(9_973));
    let exchange = bus.bench.spi(&sent, &noise);
    assert_eq!(exchange.body, sent);
    assert_eq!(exchange.board[..WORDS - 1], noise[..WORDS - 1]);
}

#[test]
fn ident_is_readable_and_write_takes_two_messages() {
    let mut bus = Bus::new();
    assert_eq!((bus.register("ident"), bus.register("revision")), (shim::IDENT, shim::REVISION));
    let build = ["build_0", "build_1", "build_2", "build_3"].map(|name| bus.register(name));
    assert_eq!(build, [0x01, 0x23, 0x45, 0x67]);
    for register in shim::REGISTERS.iter().filter(|register| register.access == shim::Access::Write) {
        let before = bus.register(register.name);
        assert_eq!(before, register.reset, "{}", register.name);
        let value = if register.name == "control" { 0b110 } else { 0x5a };
        bus.last_words(&[shim::write(register.address, value), NOTHING]);
        assert_eq!(bus.register(register.name), before, "once is not enough: {}", register.name);
        bus.last_words(&[shim::write(register.address, value); 2]);
        assert_eq!(bus.register(register.name), value, "{}", register.name);
    }
    // Read-only registers keep their values.
    bus.last_words(&[shim::write(shim::at("ident"), 0); 2]);
    assert_eq!(bus.register("ident"), shim::IDENT);
}

#[test]
fn status_bits_stay_until_they_are_cleared() {
    let mut bus = Bus::new();
    assert_eq!(bus.register("status") & 0b11, 0b01, "it has started");
    bus.bits(&[0; WORDS], 16 * WORDS);
    assert_eq!(bus.register("status") & 0b11, 0b11, "an idle line is no message");
    bus.last_words(&[shim::write(shim::at("status"), 0b01); 2]);
    assert_eq!(bus.register("status") & 0b11, 0b10);
}

#[test]
fn auxiliary_pins_are_inputs_and_outputs() {
    let mut bus = Bus::new();
    bus.bench.set_aux(0xa55a);
    assert_eq!((bus.register("aux_in_low"), bus.register("aux_in_high")), (0x5a, 0xa5));
}

#[test]
fn ring_turns_red_after_1_s_silence_until_next_message() {
    // During most of the silence of 1 s, only counters advance. This part is simulated at a hundredth of the clock
    // frequency, and for a hundred times as long.
    let waits = |bench: &mut Bench, milliseconds: u64| {
        bench.set_clocks(Clocks { system: 480_000, camera: 0, usb: 0 });
        bench.run(100 * milliseconds * MILLISECOND);
        bench.set_clocks(Clocks { camera: 0, usb: 0, ..Clocks::default() });
    };
    let mut bus = Bus::new();
    let red = [Pixel { red: 0x40, green: 0, blue: 0 }; PIXELS];
    let shown = rainbow(5);
    let show = |bus: &mut Bus| drop(Epuck::new(bus).exchange(&Command { pixels: shown, ..Command::default() }));
    show(&mut bus);
    waits(&mut bus.bench, 990);
    assert_eq!(bus.bench.strip().shown, shown, "not yet");
    waits(&mut bus.bench, 8);
    // After 1 s without a message, the strip turns red at the next tick of the logic (1.4 ms).
    bus.bench.run(12 * MILLISECOND);
    assert_eq!(bus.bench.strip().shown, red);
    show(&mut bus);
    assert_eq!(bus.bench.strip().shown, shown);
    assert_eq!(bus.bench.strip().violations, 0);
}
