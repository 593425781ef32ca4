//! Texts and colours of scenes.

use super::messages::{Color, Pose, Text};

/// Height of text (m).
pub(super) const LETTERS: f64 = 0.04;

/// Returns a dark text that faces the viewer, at a position (m).
pub(super) fn label(text: &str, x: f64, y: f64, z: f64) -> Text {
    Text {
        pose: Pose::at(x, y, z, 0.0),
        billboard: true,
        font_size: LETTERS,
        scale_invariant: false,
        color: colour(0.1, 0.1, 0.1, 1.0),
        text: text.into(),
    }
}

/// Returns a colour from its red, green and blue part and its opacity (0..=1).
pub(super) fn colour(r: f64, g: f64, b: f64, a: f64) -> Color {
    Color { r, g, b, a }
}
