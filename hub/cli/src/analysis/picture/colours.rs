//! Colours of branches. Twelve colours can be distinguished with every kind of colour vision. If a tree has more than
//! twelve branches, the branches with the smallest shares of time have one common additional colour.

use xpuck_lab::trajectories::Branch;

/// Colours of branches, assigned in the order of the branches in the tree.
const BRANCHES: [&str; 12] = [
    "#aa3300", "#5500cc", "#ffcc00", "#11ccff", "#330044", "#99dd88", "#aa33aa", "#aa8866", "#0088ff", "#663322",
    "#ff7733", "#556677",
];
/// Common colour of all branches except the twelve with the largest shares of time.
pub const OTHER: &str = "#2b2f36";
/// Colour of robots that no branch drove.
pub const UNDRIVEN: &str = "#9aa1a9";
/// Colour of the frisbee.
pub const FRISBEE: &str = "#1b74e8";
/// Colour of the floor.
pub const FLOOR: &str = "#ffffff";

/// Returns the colour of paint on the floor. `level` is its brightness, 0 (black) to 1 (white). Black is drawn as dark
/// grey, so that robots and trajectories are visible on it.
pub fn shade(level: f32) -> String {
    let grey = (92.0 + 163.0 * level.clamp(0.0, 1.0).sqrt()).round() as u8;
    format!("#{grey:02x}{grey:02x}{grey:02x}")
}

/// Returns a colour that identifies a robot in a picture without branches. Colours repeat after twelve robots.
pub fn of_robot(robot: usize) -> &'static str {
    BRANCHES[robot % BRANCHES.len()]
}

/// Returns the colour of each branch. The twelve branches with the largest shares of time have distinct colours, and
/// all other branches have the colour [`OTHER`].
pub fn of_branches(branches: &[Branch]) -> Vec<&'static str> {
    let mut by_share: Vec<usize> = (0..branches.len()).collect();
    by_share.sort_by(|&a, &b| branches[b].share.total_cmp(&branches[a].share));
    let mut shown: Vec<usize> = by_share.into_iter().take(BRANCHES.len()).collect();
    shown.sort_unstable();
    (0..branches.len()).map(|branch| shown.binary_search(&branch).map_or(OTHER, |i| BRANCHES[i])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = [[f64; 3]; 3];

    /// Transforms of linear RGB for normal vision, protanopia, deuteranopia and tritanopia (Machado and others 2009).
    const VISIONS: [Matrix; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];
    const LINEAR_TO_XYZ: Matrix = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]];

    fn times(m: &Matrix, v: [f64; 3]) -> [f64; 3] {
        m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    /// Returns the CIE L*a*b* values of a colour as perceived with the given colour vision.
    fn lab(colour: &str, vision: &Matrix) -> [f64; 3] {
        let linear = [1, 3, 5].map(|i| {
            let c = f64::from(u8::from_str_radix(&colour[i..i + 2], 16).unwrap()) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        let seen = times(vision, linear).map(|c| c.clamp(0.0, 1.0));
        let [x, y, z] = times(&LINEAR_TO_XYZ, seen);
        let [x, y, z] =
            [x / 0.9505, y, z / 1.089].map(|t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn colours_are_distinct_for_every_vision_type() {
        let all: Vec<&str> = BRANCHES.into_iter().chain([OTHER, UNDRIVEN, FLOOR]).collect();
        for vision in &VISIONS {
            for (i, a) in all.iter().enumerate() {
                for b in &all[..i] {
                    let (p, q) = (lab(a, vision), lab(b, vision));
                    let apart = p.iter().zip(q).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
                    assert!(apart > 20.0, "{a} and {b} are {apart:.1} apart");
                }
            }
        }
    }

    #[test]
    fn most_active_branches_have_own_colours() {
        let branch = |node: usize| Branch { node, text: String::new(), share: (node as f64 - 3.0).abs() };
        let colours = of_branches(&(0..15).map(branch).collect::<Vec<_>>());
        let others: Vec<usize> = (0..15).filter(|&i| colours[i] == OTHER).collect();
        assert_eq!(others, [2, 3, 4]);
        assert!(colours.iter().filter(|c| **c != OTHER).eq(&BRANCHES));
    }
}
