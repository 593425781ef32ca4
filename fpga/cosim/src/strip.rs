//! Strip of Neopixels (WS2812B), which decodes the signal on its data line.

use xpuck_registers::spi::Pixel;

/// Limits of the high time of a 0, of the high time of a 1, and of the period of a bit (ps). The data sheet gives 0.4
/// +-0.15, 0.8 +-0.15 and 1.25 +-0.6 us.
const ZERO: std::ops::RangeInclusive<u64> = 250_000..=550_000;
const ONE: std::ops::RangeInclusive<u64> = 650_000..=950_000;
const BIT: std::ops::RangeInclusive<u64> = 650_000..=1_850_000;
/// Low time after which the strip shows the received colours (ps); current parts require more than 280 us.
const LATCH: u64 = 280_000_000;

/// Displayed colours, and statistics of the data line.
#[derive(Clone, Debug, Default)]
pub struct Strip {
    level: u8,
    rose: u64,
    fell: u64,
    bits: Vec<bool>,
    /// Displayed pixels.
    pub shown: Vec<Pixel>,
    /// Number of updates of the display.
    pub refreshes: u32,
    /// Number of measured durations outside the limits of the data sheet.
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
