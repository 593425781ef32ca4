//! Names and colours of the materials of viewers and servers.

/// Materials of SimSpark: each has a name, and red, green and blue components from 0 to 1.
const STANDARD: [(&str, [f64; 3]); 9] = [
    ("matWhite", [1.0, 1.0, 1.0]),
    ("matGrey", [0.5, 0.5, 0.5]),
    ("matDarkGrey", [0.2, 0.2, 0.2]),
    ("matRed", [1.0, 0.0, 0.0]),
    ("matGreen", [0.0, 1.0, 0.0]),
    ("matBlue", [0.0, 0.0, 1.0]),
    ("matYellow", [1.0, 1.0, 0.0]),
    ("matOrange", [1.0, 0.5, 0.0]),
    ("matMagenta", [1.0, 0.0, 1.0]),
];
/// Materials of other servers, in the same form as [`STANDARD`].
const OTHERS: [(&str, [f64; 3]); 5] = [
    ("matLightBlue", [0.5, 0.7, 1.0]),
    ("white", [1.0, 1.0, 1.0]),
    ("black", [0.0, 0.0, 0.0]),
    ("gray", [0.5, 0.5, 0.5]),
    ("yellow", [1.0, 1.0, 0.0]),
];
const UNKNOWN: [f64; 3] = [0.4, 0.4, 0.4];

/// Returns the name of the standard material whose colour is nearest to the given colour.
pub fn nearest([red, green, blue, _]: &[f64; 4]) -> &'static str {
    let away = |[r, g, b]: [f64; 3]| (r - red).powi(2) + (g - green).powi(2) + (b - blue).powi(2);
    STANDARD.into_iter().min_by(|a, b| away(a.1).total_cmp(&away(b.1))).map_or("matGrey", |(name, _)| name)
}

/// Returns the colour of a material; dark grey if its name is unknown.
pub fn colour(name: &str) -> [f64; 3] {
    STANDARD.iter().chain(&OTHERS).find(|(known, _)| *known == name).map_or(UNKNOWN, |(_, colour)| *colour)
}
