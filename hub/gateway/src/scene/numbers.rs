//! Number formats of SimSpark and RSMP servers.

use std::fmt::Write;

/// Number of significant digits of a number in SimSpark.
const DIGITS: usize = 6;

/// Appends a number in the default format of a C++ stream. The number has up to six significant digits, without
/// trailing zeros. Very large and very small numbers have an exponent. NaN and infinity become 0, which every viewer
/// can read.
pub fn write_general(text: &mut String, number: f64) {
    if !number.is_finite() || number == 0.0 {
        text.push('0');
        return;
    }
    let scientific = format!("{number:.*e}", DIGITS - 1);
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..DIGITS as i32).contains(&exponent) {
        let decimals = (DIGITS as i32 - 1 - exponent).max(0) as usize;
        let plain = format!("{number:.decimals$}");
        text.push_str(if decimals > 0 { trimmed(&plain) } else { &plain });
    } else {
        let _ = write!(text, "{}e{}{:02}", trimmed(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs());
    }
}

/// Appends a number with a fixed number of decimals. NaN and infinity become 0.
pub fn write_fixed(text: &mut String, number: f64, decimals: usize) {
    let number = if number.is_finite() { number } else { 0.0 };
    let _ = write!(text, "{number:.decimals$}");
}

/// Removes trailing zeros of the fraction, and the decimal point if no digit follows it.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_a_real_server_writes_them() {
        let shown = |number| {
            let mut text = String::new();
            write_general(&mut text, number);
            text
        };
        for (number, expected) in [
            (0.0484128, "0.0484128"),
            (-8.742278e-8, "-8.74228e-08"),
            (15.994, "15.994"),
            (1.0, "1"),
            (-10.0, "-10"),
            (123_456.7, "123457"),
            (999_999.9, "1e+06"),
            (1_234_567.0, "1.23457e+06"),
            (0.00012345678, "0.000123457"),
            (0.866025403, "0.866025"),
            (-0.0, "0"),
            (f64::NAN, "0"),
        ] {
            assert_eq!(shown(number), expected);
        }
    }
}
