//! Words for numbers, directions and registers.

use crate::tree::registers::{ATTR, BLUE, GOAL, GROUND, LIGHT, NEIGHBOURS, PROX, RED, UP, register_of};

/// First cell of v_green.
pub(super) const GREEN: usize = RED + 2;

/// Formats a number with three significant digits.
pub(super) fn number(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 {
        return "0".into();
    }
    if !x.is_finite() || !(1e-3..1e6).contains(&size) {
        return format!("{x:.2e}");
    }
    let places = (2 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{x:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

/// Formats a probability in percent, with enough digits to distinguish it from 0 and 1.
pub(super) fn percent(p: f64) -> String {
    let p = 100.0 * p;
    match p {
        _ if p > 0.0 && p < 0.1 => "under 0.1 %".into(),
        _ if p > 99.9 && p < 100.0 => "over 99.9 %".into(),
        _ if !(1.0..=99.0).contains(&p) => format!("{} %", number(p)),
        _ => format!("{p:.0} %"),
    }
}

/// Converts radians to whole degrees in the range -180..=180.
pub(super) fn degrees(radians: f64) -> f64 {
    let whole = radians.to_degrees().round().rem_euclid(360.0);
    if whole > 180.0 { whole - 360.0 } else { whole }
}

/// Formats a direction (degrees). Examples: "39 deg to the left", "straight ahead".
pub(super) fn direction(degrees: f64) -> String {
    match degrees {
        0.0 => "straight ahead".into(),
        90.0 => "straight left".into(),
        -90.0 => "straight right".into(),
        180.0 | -180.0 => "straight back".into(),
        _ => format!("{:.0} deg to the {}", degrees.abs(), side(degrees)),
    }
}

/// Returns the side of an angle or y coordinate: "right" if it is negative, otherwise "left".
pub(super) fn side(y: f64) -> &'static str {
    if y < 0.0 { "right" } else { "left" }
}

/// Returns the name of the object to which the vector at an even cell points.
pub(super) fn thing(cell: u8) -> &'static str {
    match usize::from(cell) {
        PROX => "an obstacle",
        UP => "upfield (+x)",
        ATTR => "the neighbours' centre",
        RED => "red (another robot)",
        GREEN => "green",
        BLUE => "the frisbee (blue)",
        NEIGHBOURS => "the pair (s_n, s_scr)",
        LIGHT => "the light",
        GROUND => "the shade of the floor (-1 black, 0 grey, 1 white)",
        _ => register_of(cell).name,
    }
}

/// Returns the name of the object to which the vector at an even cell points, in the form used after "towards" or "away
/// from". The name differs from that of [`thing`] only for obstacles.
pub(super) fn target(cell: u8) -> &'static str {
    if usize::from(cell) == PROX { "obstacles" } else { thing(cell) }
}

/// Returns the name of the register of an even cell in formulas.
pub(super) fn vector(cell: u8) -> &'static str {
    if usize::from(cell) == NEIGHBOURS { "(s_n, s_scr)" } else { register_of(cell).name }
}

/// Returns two texts: the situation in which a cell of a sense is positive, and the situation in which it is negative.
/// The text is empty for an impossible situation. Returns `None` for cells that are not senses.
pub(super) fn signs(cell: u8) -> Option<[&'static str; 2]> {
    Some(match (usize::from(cell & !1), cell & 1) {
        (PROX, 0) => ["obstacles are in front", "obstacles are behind"],
        (PROX, _) => ["obstacles are on the left", "obstacles are on the right"],
        (UP, 0) => ["it faces upfield", "it faces downfield"],
        (UP, _) => ["upfield is on its left", "upfield is on its right"],
        (ATTR, 0) => ["the neighbours are ahead", "the neighbours are behind"],
        (ATTR, _) => ["the neighbours are on the left", "the neighbours are on the right"],
        (RED, 0) => ["red is seen", ""],
        (RED, _) => ["red is on the left", "red is on the right"],
        (GREEN, 0) => ["green is seen", ""],
        (GREEN, _) => ["green is on the left", "green is on the right"],
        (BLUE, 0) => ["the frisbee is seen", ""],
        (BLUE, _) => ["the frisbee is on the left", "the frisbee is on the right"],
        (LIGHT, 0) => ["the light is ahead", "the light is behind"],
        (LIGHT, _) => ["the light is on the left", "the light is on the right"],
        (NEIGHBOURS, 0) => ["neighbours are near", ""],
        (GROUND, 0) => ["the floor is white", "the floor is black"],
        _ => return None,
    })
}

/// Returns whether a cell belongs to v_goal.
pub(super) fn is_goal(cell: u8) -> bool {
    usize::from(cell) & !1 == GOAL
}

/// Joins words to a list such as "a, b and c".
pub(super) fn list(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., end] => format!("{} {last} {end}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases =
            [(12.297, "12.3"), (6.5458, "6.55"), (-20.68, "-20.7"), (0.25, "0.25"), (5.0, "5"), (1234.0, "1234")];
        for (x, expected) in cases {
            assert_eq!(number(x), expected);
        }
        assert_eq!(number(3.4e38), "3.40e38");
        assert_eq!(number(1e-9), "1.00e-9");
    }

    #[test]
    fn percent_rounds_to_0_and_100_only_if_exact() {
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1e-7), "under 0.1 %");
        assert_eq!(percent(0.2689), "27 %");
        assert_eq!(percent(0.999999), "over 99.9 %");
        assert_eq!(percent(1.0), "100 %");
    }

    #[test]
    fn angles_are_described_with_side() {
        assert_eq!(direction(degrees(28.0 * std::f64::consts::PI / 128.0)), "39 deg to the left");
        assert_eq!(direction(degrees(-std::f64::consts::FRAC_PI_2)), "straight right");
        assert_eq!(direction(degrees(std::f64::consts::PI)), "straight back");
    }
}
