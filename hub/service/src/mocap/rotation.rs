//! Conversion of the protocols' rotations into row-major rotation matrices.

/// Converts a unit quaternion (x, y, z, w) into a rotation matrix. The result of any other quaternion is not a
/// rotation matrix, and the hub's pose filter rejects it.
pub(super) fn from_quaternion([x, y, z, w]: [f64; 4]) -> [f64; 9] {
    [
        w * w + x * x - y * y - z * z,
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        w * w - x * x + y * y - z * z,
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        w * w - x * x - y * y + z * z,
    ]
}

/// Converts a rotation vector into a rotation matrix by Rodrigues' formula. The rotation vector is the unit axis times
/// the angle (rad). The zero vector gives the identity matrix.
pub(super) fn from_axis_angle(axis: [f64; 3]) -> [f64; 9] {
    let angle = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
    let [x, y, z] = if angle > 0.0 { axis.map(|a| a / angle) } else { [0.0, 0.0, 1.0] };
    let (s, c) = angle.sin_cos();
    let v = 1.0 - c;
    [
        c + x * x * v,
        x * y * v - z * s,
        x * z * v + y * s,
        y * x * v + z * s,
        c + y * y * v,
        y * z * v - x * s,
        z * x * v - y * s,
        z * y * v + x * s,
        c + z * z * v,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    fn near(found: [f64; 9], expected: [f64; 9]) {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn both_forms_of_a_quarter_turn_are_one_matrix() {
        let (h, q) = (0.5f64.sqrt(), FRAC_PI_2);
        // Quarter turns about x, y and z. The columns of the matrix are the images of the three axes.
        for (quaternion, vector, matrix) in [
            ([h, 0.0, 0.0, h], [q, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]),
            ([0.0, h, 0.0, h], [0.0, q, 0.0], [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 0.0]),
            ([0.0, 0.0, h, h], [0.0, 0.0, q], [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
        ] {
            near(from_quaternion(quaternion), matrix);
            near(from_axis_angle(vector), matrix);
        }
    }

    #[test]
    fn any_axis_may_be_turned_about() {
        let (axis, angle) = ([2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0], 1.1f64);
        let [x, y, z] = axis.map(|a| a * (angle / 2.0).sin());
        near(from_quaternion([x, y, z, (angle / 2.0).cos()]), from_axis_angle(axis.map(|a| a * angle)));
    }

    #[test]
    fn zero_turn_is_identity_and_zero_quaternion_is_invalid() {
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        near(from_quaternion([0.0, 0.0, 0.0, 1.0]), unit);
        near(from_axis_angle([0.0; 3]), unit);
        near(from_quaternion([0.0; 4]), [0.0; 9]);
        near(from_quaternion([0.0, 0.0, 0.0, 1.1]), unit.map(|a| 1.21 * a));
    }
}
