//! Formatting of numbers as in Python.

/// Returns the shortest decimal text that parses back to `x`, in the format of Python's `repr`. Magnitudes below
/// 0.0001 and from 10^16 on are written with an exponent of at least two digits.
pub(super) fn python(x: f64) -> String {
    let scientific = format!("{x:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let power: i32 = exponent.parse().unwrap_or(0);
    if x == 0.0 || (-4..16).contains(&power) {
        return format!("{x:?}");
    }
    let sign = if power < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", power.abs())
}

#[cfg(test)]
mod tests {
    use super::python;

    #[test]
    fn numbers_look_as_in_python() {
        let cases = [
            (0.0, "0.0"),
            (-0.5, "-0.5"),
            (1e-4, "0.0001"),
            (0.00001234, "1.234e-05"),
            (-5e-324, "-5e-324"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (0.1 + 0.2, "0.30000000000000004"),
        ];
        for (number, text) in cases {
            assert_eq!(python(number), text);
        }
    }
}
