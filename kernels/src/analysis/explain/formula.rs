//! Formulas of vectors. A formula is the sum of a constant vector and of scaled and rotated senses. Vectors that do not
//! have this form are formatted by component.

use super::linear::{Pair, Sum};
use super::words::{degrees, number, vector};
use std::collections::BTreeSet;

/// Scaled and rotated vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Term {
    /// Even cell of the vector, which holds its x component.
    pub cell: u8,
    /// Scale factor, not negative.
    pub size: f64,
    /// Rotation to the left (whole degrees), -180..=180.
    pub turn: f64,
}

/// Vector as the sum of a constant vector and terms.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Terms {
    /// Length and direction of the constant vector (whole degrees).
    pub constant: (f64, f64),
    pub terms: Vec<Term>,
}

/// Returns the even cells of all vectors in a pair.
pub(super) fn vectors([x, y]: &Pair) -> BTreeSet<u8> {
    x.factors.keys().chain(y.factors.keys()).map(|cell| cell & !1).collect()
}

/// Converts a pair to a sum of scaled and rotated vectors; `None` if the pair does not have this form.
pub(super) fn terms(pair: &Pair) -> Option<Terms> {
    let [x, y] = pair;
    let mut terms = Vec::new();
    for cell in vectors(pair) {
        let (a, b) = (x.factor(cell), y.factor(cell));
        let (c, d) = (x.factor(cell + 1), y.factor(cell + 1));
        let size = a.hypot(b);
        if (c + b).abs() > 1e-6 * size || (d - a).abs() > 1e-6 * size {
            return None;
        }
        terms.push(Term { cell, size, turn: degrees(b.atan2(a)) });
    }
    let constant = (x.constant.hypot(y.constant), degrees(y.constant.atan2(x.constant)));
    Some(Terms { constant, terms })
}

/// Formats an assignment. Example: "v_goal = unit(39 deg) + 12.3 v_blue". If the pair is not a sum of vectors, both
/// components are formatted separately.
pub(super) fn assignment(name: &str, pair: &Pair) -> String {
    match terms(pair) {
        Some(terms) => format!("{name} = {}", write(&terms)),
        None => format!("{name}.x = {}, {name}.y = {}", pair[0].formula(), pair[1].formula()),
    }
}

/// Formats a pair as an expression, without an assignment.
pub(super) fn expression(pair: &Pair) -> String {
    match terms(pair) {
        Some(terms) => write(&terms),
        None => format!("({}, {})", pair[0].formula(), pair[1].formula()),
    }
}

fn write(Terms { constant: (length, angle), terms }: &Terms) -> String {
    let mut sum = Sum::default();
    if *length != 0.0 {
        // A length that differs from 1 only by rounding errors is printed as 1.
        let length = if (length - 1.0).abs() < 1e-6 { 1.0 } else { *length };
        sum.add(length, &format!("unit({angle:.0} deg)"));
    }
    for term in terms {
        match term.turn {
            0.0 => sum.add(term.size, vector(term.cell)),
            180.0 | -180.0 => sum.add(-term.size, vector(term.cell)),
            turn => sum.add(term.size, &format!("turn({}, {turn:.0} deg)", vector(term.cell))),
        }
    }
    if sum.text.is_empty() { number(0.0) } else { sum.text }
}

#[cfg(test)]
mod tests {
    use super::super::linear::Linear;
    use super::*;

    fn register(cell: u8) -> Pair {
        [Linear::cell(cell), Linear::cell(cell + 1)]
    }

    #[test]
    fn vectors_are_written_as_vectors_where_they_are() {
        let blue = register(14);
        let (sin, cos) = 30f64.to_radians().sin_cos();
        let turned = [0, 1].map(|i| {
            let (u, v) = if i == 0 { (cos, -sin) } else { (sin, cos) };
            Linear { constant: 2.0 * f64::from(i), ..Linear::default() }.plus(2.0 * u, &blue[0]).plus(2.0 * v, &blue[1])
        });
        assert_eq!(assignment("v_goal", &turned), "v_goal = 2 unit(90 deg) + 2 turn(v_blue, 30 deg)");
        let apart = [blue[1].plus(-20.7, &register(6)[0]), register(4)[0].plus(6.55, &register(6)[1])];
        assert_eq!(
            assignment("v_goal", &apart),
            "v_goal.x = -20.7 v_up.x + v_blue.y, v_goal.y = v_prox.x + 6.55 v_up.y"
        );
    }
}
