//! Numbers in the format of the protocol, which allows only `0` to `9`, `+`, `-`, `E`, `e` and `.` (section 2.2 of
//! the specification).

use std::fmt::Write as _;
use std::ops::RangeInclusive;

/// Range of all finite numbers.
pub(super) const FINITE: RangeInclusive<f64> = -f64::MAX..=f64::MAX;
/// Allowed range of counts and indices.
pub(super) const COUNTS: RangeInclusive<f64> = 0.0..=u32::MAX as f64;

/// Maximum number of values of an individual, and maximum number of neurons of each kind.
pub const MAX_VALUES: usize = 60_000;

/// Range of magnitudes that are written without an exponent. Outside it, numbers would need many insignificant
/// digits.
const PLAIN: RangeInclusive<f64> = 1e-6..=1e16;

/// Parses a number. Returns an infinity if the number is too large for a 64-bit float; `None` if the word is not a
/// number.
pub(super) fn read(word: &str) -> Option<f64> {
    // Excludes "inf" and "nan", which Rust's parser accepts.
    if !word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'E' | b'e' | b'.')) {
        return None;
    }
    // Adding 0 turns -0 into 0. The value then equals the value of its written form, which is 0.
    Some(word.parse::<f64>().ok()? + 0.0)
}

/// Appends the shortest text that [`read`] parses to the same bits, such as `1000`, `-0.3` or `1e300`. Appends `0`
/// for -0.
pub(super) fn append(line: &mut String, number: f64) {
    let written = if number == 0.0 {
        line.write_str("0")
    } else if PLAIN.contains(&number.abs()) {
        write!(line, "{number}")
    } else {
        write!(line, "{number:e}")
    };
    written.expect("a string takes all text");
}

/// Returns the text of a number in the format of [`append`].
pub(super) fn text(number: &f64) -> String {
    let mut line = String::new();
    append(&mut line, *number);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_every_form_of_the_document() {
        let forms = [
            ("0", 0.0),
            ("+1", 1.0),
            ("-0.3", -0.3),
            ("12.5E-2", 0.125),
            ("-711e3", -711_000.0),
            (".1", 0.1),
            ("5.", 5.0),
            ("1e-999", 0.0),
        ];
        for (word, number) in forms {
            assert_eq!(read(word), Some(number), "{word}");
        }
        assert_eq!(read("1e999"), Some(f64::INFINITY));
        assert!(read("-0").is_some_and(f64::is_sign_positive));
        assert!(read("-1e-999").is_some_and(f64::is_sign_positive));
    }

    #[test]
    fn malformed_numbers_are_rejected() {
        for word in [
            "", "inf", "-inf", "nan", "NaN", "0x10", "1_000", "1,5", "e", "E5", ".", "+", "1e", "1e+", "--1", "1.2.3",
            "١",
        ] {
            assert_eq!(read(word), None, "{word}");
        }
    }

    #[test]
    fn written_numbers_read_back_to_the_same_bits() {
        let numbers = [
            1.0,
            0.1,
            1e-6,
            9.9e-7,
            1e16,
            1e17,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1.0 / 3.0,
            2000.0,
            4_294_967_295.0,
        ];
        for number in numbers.into_iter().flat_map(|number| [number, -number]) {
            let text = text(&number);
            assert_eq!(read(&text).map(f64::to_bits), Some(number.to_bits()), "{text}");
        }
        assert_eq!(
            [1000.0, -0.0, -0.3, 1e300, 1.5e-9].map(|number| text(&number)),
            ["1000", "0", "-0.3", "1e300", "1.5e-9"]
        );
    }
}
