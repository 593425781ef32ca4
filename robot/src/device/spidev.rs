//! Kernel SPI device `/dev/spidevB.C`: the bus between the interface board and the e-puck's dsPIC.
//!
//! Each word is a separate transfer followed by a pause. All transfers form one message under one slave select. The
//! dsPIC needs the pause to load its next word. The pauses are between transfers, because few SPI controllers support
//! pauses between the words of a transfer.

use super::{DeviceError, SpiBus};
use ::spidev::{SpiModeFlags, Spidev, SpidevOptions, SpidevTransfer};
use std::io;
use std::path::{Path, PathBuf};
use xpuck_registers::spi::{BYTES, CLOCK_HZ, GAP_CLOCKS, WORDS, Words};
use xpuck_wire::retry_on_interrupt;

/// SPI mode 1: the clock is low when idle, and data is valid on the falling edge.
const MODE: u8 = 1;
/// Pause after each word (us), rounded up from the number of clocks.
const GAP_US: u16 = (GAP_CLOCKS as u64 * 1_000_000).div_ceil(CLOCK_HZ as u64) as u16;

/// Memory layout of a word in the kernel's buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordSize {
    /// 16-bit words in native byte order.
    Sixteen,
    /// 8-bit words, most significant byte first.
    Eight,
}

impl WordSize {
    fn bits(self) -> u8 {
        match self {
            WordSize::Sixteen => 16,
            WordSize::Eight => 8,
        }
    }

    fn bytes(self, word: u16) -> [u8; 2] {
        match self {
            WordSize::Sixteen => word.to_ne_bytes(),
            WordSize::Eight => word.to_be_bytes(),
        }
    }

    fn word(self, bytes: [u8; 2]) -> u16 {
        match self {
            WordSize::Sixteen => u16::from_ne_bytes(bytes),
            WordSize::Eight => u16::from_be_bytes(bytes),
        }
    }
}

/// SPI bus to the dsPIC, accessed through the kernel.
pub struct KernelSpi {
    device: Spidev,
    path: PathBuf,
    size: WordSize,
}

impl KernelSpi {
    /// Opens a device, and sets mode 1, 5 MHz and 16-bit words. If the SPI controller does not support 16-bit words,
    /// sets 8-bit words.
    pub fn open(path: &Path) -> Result<KernelSpi, DeviceError> {
        let mut device = Spidev::open(path).map_err(|source| DeviceError::Open { path: path.into(), source })?;
        let mut set = |size: WordSize| {
            let mut options = SpidevOptions::new();
            options.bits_per_word(size.bits()).max_speed_hz(CLOCK_HZ).mode(SpiModeFlags::SPI_MODE_1);
            device.configure(&options)
        };
        let (size, result) = match set(WordSize::Sixteen) {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => (WordSize::Eight, set(WordSize::Eight)),
            result => (WordSize::Sixteen, result),
        };
        let spi = KernelSpi { device, path: path.into(), size };
        result.map_err(|source| spi.error("set up", source))?;
        Ok(spi)
    }

    fn error(&self, doing: &'static str, source: io::Error) -> DeviceError {
        let (path, bits) = (self.path.clone(), self.size.bits());
        DeviceError::Spi { doing, path, mode: MODE, hertz: CLOCK_HZ, bits, source }
    }
}

impl SpiBus for KernelSpi {
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
        let (mut sent, mut received) = ([0; BYTES], [0; BYTES]);
        for (bytes, word) in sent.chunks_exact_mut(2).zip(words) {
            bytes.copy_from_slice(&self.size.bytes(*word));
        }
        let mut pairs = sent.chunks_exact(2).zip(received.chunks_exact_mut(2));
        let mut transfers: [SpidevTransfer; WORDS] = std::array::from_fn(|_| {
            let (sent, received) = pairs.next().expect("two bytes for each word");
            let mut transfer = SpidevTransfer::read_write(sent, received);
            transfer.delay_usecs = GAP_US;
            transfer
        });
        retry_on_interrupt(|| self.device.transfer_multiple(&mut transfers))
            .map_err(|source| self.error("transfer over", source))?;
        Ok(std::array::from_fn(|i| self.size.word([received[2 * i], received[2 * i + 1]])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_device_is_reported_with_path() {
        let error = KernelSpi::open(Path::new("/dev/spidev99.7")).err().expect("there is no such bus");
        assert!(matches!(&error, DeviceError::Open { source, .. } if source.kind() == io::ErrorKind::NotFound));
        assert!(error.to_string().contains("/dev/spidev99.7"), "{error}");
    }

    #[test]
    fn invalid_spi_device_is_rejected_with_settings() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = KernelSpi::open(file.path()).err().expect("a file takes no settings").to_string();
        for part in [file.path().to_str().unwrap(), "mode 1", "5000000 Hz", "16 bits", "ioctl"] {
            assert!(error.contains(part), "{part} is missing in: {error}");
        }
        let error = KernelSpi::open(Path::new("/dev")).err().expect("a folder cannot be written");
        assert!(matches!(error, DeviceError::Open { .. }), "{error}");
    }

    #[test]
    fn words_travel_high_byte_first_whatever_the_controller_takes() {
        assert_eq!(WordSize::Eight.bytes(0x1234), [0x12, 0x34]);
        // The SPI controller itself sends the most significant bit first, so the bytes in memory are in native order.
        assert_eq!(u16::from_ne_bytes(WordSize::Sixteen.bytes(0x1234)), 0x1234);
        for size in [WordSize::Eight, WordSize::Sixteen] {
            assert!((0..=u16::MAX).all(|word| size.word(size.bytes(word)) == word));
        }
    }

    #[test]
    fn pause_is_long_enough_for_dspic() {
        assert_eq!(GAP_US, 7, "6.4 us and no less");
    }
}
