//! The strip of Neopixels, as it reads its line (WS2812B).

use xpuck_registers::spi::Pixel;

/// Bounds of the high time of a 0 and a 1, and of a bit's whole time, ps: the data sheet's 0.4, 0.8 and 1.25 us, each
/// +-0.15 us (the last +-0.6 us).
const ZERO: std::ops::RangeInclusive<u64> = 250_000..=550_000;
const ONE: std::ops::RangeInclusive<u64> = 650_000..=950_000;
const BIT: std::ops::RangeInclusive<u64> = 650_000..=1_850_000;
/// A line that is low for so long shows what came, ps: current parts want more than 280 us.
const LATCH: u64 = 280_000_000;

/// What the strip shows and saw.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    level: u8,
    rose: u64,
    fell: u64,
    bits: Vec<bool>,
    /// What it shows.
    pub shown: Vec<Pixel>,
    /// Times that it took over something.
    pub refreshes: u32,
    /// Times out of the data sheet's bounds.
    pub violations: u32,
}

impl Strip {
    pub(crate) fn watch(&mut self, now: u64, level: u8) {
        if level == self.level {
            if level == 0 && !self.bits.is_empty() && now - self.fell >= LATCH {
                self.latch();
            }
            return;
        }
        self.level = level;
        if level == 1 {
            self.violations += u32::from(!self.bits.is_empty() && !BIT.contains(&(now - self.rose)));
            self.rose = now;
        } else {
            self.fell = now;
            let high = now - self.rose;
            self.violations += u32::from(!ZERO.contains(&high) && !ONE.contains(&high));
            self.bits.push(high > *ZERO.end());
        }
    }

    fn latch(&mut self) {
        let byte = |bits: &[bool]| bits.iter().fold(0u8, |byte, bit| byte << 1 | u8::from(*bit));
        let pixels = self.bits.chunks_exact(24).map(|bits| Pixel {
            green: byte(&bits[..8]),
            red: byte(&bits[8..16]),
            blue: byte(&bits[16..]),
        });
        self.shown = pixels.collect();
        self.violations += u32::from(!self.bits.len().is_multiple_of(24));
        self.bits.clear();
        self.refreshes += 1;
    }
}
