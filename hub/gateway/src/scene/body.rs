//! Scene of a body made of connected cubes, on a floor.

use super::arena::{box_node, light, shape};
use super::{Look, Matrix, Node, ShapeKind, StandardShape};

/// Thickness of the floor (m).
const FLOOR: f64 = 0.05;

/// Pose and colour of a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cube {
    /// Centre of the cube (m).
    pub at: [f64; 3],
    /// Rows of the cube's rotation matrix.
    pub rotation: [[f64; 3]; 3],
    /// Red, green and blue components, each 0 to 1.
    pub colour: [f64; 3],
}

/// Returns a scene of cubes on a floor. `half` is half of the floor's size along x and y (m), and `edge` is the edge
/// length of a cube (m). Scenes with equal numbers of cubes have the same tree of nodes.
pub fn scene(half: [f64; 2], edge: f64, cubes: &[Cube]) -> Vec<Node> {
    let white = Look::Material("matWhite".into());
    let floor = box_node([0.0, 0.0, -0.5 * FLOOR], 0.0, [2.0 * half[0], 2.0 * half[1], FLOOR], white);
    let cube = |cube: &Cube| {
        let [red, green, blue] = cube.colour;
        let form = ShapeKind::Standard(StandardShape::Box, Vec::new());
        let look = Look::Colour([red, green, blue, 1.0]);
        Node::Transform(matrix(cube), vec![shape(form, [edge; 3], look, true)])
    };
    [light([-20.0, 20.0, 30.0]), floor].into_iter().chain(cubes.iter().map(cube)).collect()
}

/// Returns the column-major matrix of a cube's pose.
fn matrix(Cube { at, rotation: r, .. }: &Cube) -> Matrix {
    let column = |k: usize| [r[0][k], r[1][k], r[2][k], 0.0];
    let mut matrix = [0.0; 16];
    for (k, column) in [column(0), column(1), column(2), [at[0], at[1], at[2], 1.0]].iter().enumerate() {
        matrix[4 * k..4 * k + 4].copy_from_slice(column);
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::pose_matrix;

    #[test]
    fn cube_is_placed_by_its_pose() {
        let turned = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
        let cube = Cube { at: [1.0, 2.0, 0.5], rotation: turned, colour: [1.0, 0.0, 0.0] };
        let nodes = scene([10.0, 10.0], 1.0, &[cube]);
        let Node::Transform(matrix, children) = &nodes[2] else { panic!("{nodes:?}") };
        let quarter = pose_matrix([1.0, 2.0, 0.5], std::f64::consts::FRAC_PI_2);
        assert!(matrix.iter().zip(quarter).all(|(a, b)| (a - b).abs() < 1e-12), "{matrix:?}");
        let [Node::Shape(shape)] = &children[..] else { panic!("{children:?}") };
        assert_eq!((shape.scale, &shape.look), ([1.0; 3], &Look::Colour([1.0, 0.0, 0.0, 1.0])));
    }
}
