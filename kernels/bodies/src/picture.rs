//! SVG pictures of bodies.

use crate::Plan;
use crate::part::Part;
use crate::physics::Pose;
use std::fmt::Write;

/// Edge of a cube in SVG units.
const EDGE: f64 = 40.0;
const MARGIN: f64 = 10.0;

/// Returns a body's plan as an SVG picture in isometric view from the front, right and above. In the picture, +x
/// points down left, +y down right, and +z up. Parts have the colours of their classes and are drawn back to front.
pub fn plan_svg(plan: &Plan) -> String {
    let pose = |cell: [i32; 3]| Pose {
        position: cell.map(f64::from),
        rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    };
    let poses: Vec<Pose> = plan.parts().iter().map(|part| pose(part.cell)).collect();
    draw(plan, &poses)
}

/// Returns an SVG picture of a body in the view of [`plan_svg`]. `poses` holds the pose of each part, as returned by
/// [`crate::frames()`]. Poses beyond the number of parts are ignored.
pub fn pose_svg(plan: &Plan, poses: &[Pose]) -> String {
    draw(plan, poses)
}

/// Projects a point to picture coordinates. The y axis of the picture points down.
fn project([x, y, z]: [f64; 3]) -> [f64; 2] {
    let cosine = 3.0f64.sqrt() / 2.0;
    [(y - x) * cosine * EDGE, ((x + y) * 0.5 - z) * EDGE]
}

/// Returns the nearness of a point to the viewer. Larger values are nearer.
fn nearness([x, y, z]: [f64; 3]) -> f64 {
    x + y + z
}

struct Face {
    nearness: f64,
    corners: [[f64; 2]; 4],
    colour: [u8; 3],
}

fn draw(plan: &Plan, poses: &[Pose]) -> String {
    let mut faces: Vec<Face> = Vec::new();
    for (part, pose) in plan.parts().iter().zip(poses) {
        // All faces of a cube share the nearness of its centre, because the cubes of a plan never interlock.
        for face in cube(pose, part.part) {
            faces.push(face);
        }
    }
    faces.sort_by(|a, b| a.nearness.total_cmp(&b.nearness));
    let corners = || faces.iter().flat_map(|face| face.corners);
    let low = corners().fold([f64::INFINITY; 2], |low, at| [low[0].min(at[0]), low[1].min(at[1])]);
    let high = corners().fold([f64::NEG_INFINITY; 2], |high, at| [high[0].max(at[0]), high[1].max(at[1])]);
    let (width, height) = match faces.is_empty() {
        true => (2.0 * MARGIN, 2.0 * MARGIN),
        false => (high[0] - low[0] + 2.0 * MARGIN, high[1] - low[1] + 2.0 * MARGIN),
    };
    let mut out = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.1} {height:.1}\">\n");
    out.push_str("<g stroke=\"#fff\" stroke-width=\"0.8\" stroke-linejoin=\"round\">\n");
    for face in &faces {
        let points = face.corners.map(|at| format!("{:.1},{:.1}", at[0] - low[0] + MARGIN, at[1] - low[1] + MARGIN));
        let [red, green, blue] = face.colour;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<polygon points=\"{}\" fill=\"#{red:02x}{green:02x}{blue:02x}\"/>", points.join(" "));
    }
    out.push_str("</g>\n</svg>\n");
    out
}

/// Returns the faces of a cube that are turned towards the viewer.
fn cube(pose: &Pose, part: Part) -> Vec<Face> {
    let centre = nearness(pose.position);
    let mut faces = Vec::new();
    for axis in 0..3 {
        for side in [-0.5, 0.5] {
            let normal = pose.rotation[axis].map(|x| x * 2.0 * side);
            if nearness(normal) <= 1e-9 {
                continue;
            }
            let (first, second) = (pose.rotation[(axis + 1) % 3], pose.rotation[(axis + 2) % 3]);
            let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(|(a, b)| {
                project([0, 1, 2].map(|k| pose.position[k] + 0.5 * normal[k] + a * first[k] + b * second[k]))
            });
            // The light comes from above and slightly from the right.
            let light = 0.62 + 0.3 * normal[2] + 0.12 * normal[1];
            faces.push(Face { nearness: centre, corners, colour: shade(part, light) });
        }
    }
    faces
}

/// Returns a part's colour under a light. Colours are brightened so that the edges of black parts remain visible.
fn shade(part: Part, light: f64) -> [u8; 3] {
    part.colour().map(|x| {
        let lifted = 0.16 + 0.84 * x;
        (255.0 * (lifted * light).clamp(0.0, 1.0)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prif;

    fn plan(text: &str) -> Plan {
        Plan::new(&Prif::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn plan_draws_three_faces_per_part_back_to_front() {
        let svg = plan_svg(&plan(
            "(CPG(), [FRONT, 1, Y], {FRONT: (S(), [FRONT, 1, X], None), BACK: (F(), [BACK, 1, X], None)})",
        ));
        let fills: Vec<&str> = svg.lines().filter(|line| line.starts_with("<polygon")).collect();
        assert_eq!(fills.len(), 9);
        // The purple cube is behind the brain, and the green cube is in front of the brain.
        let colour = |line: &str| line.split("fill=\"").nth(1).unwrap()[1..7].to_string();
        let strongest = |line: &str| {
            let [r, g, b] = [0, 2, 4].map(|at| u8::from_str_radix(&colour(line)[at..at + 2], 16).unwrap());
            if r == g && g == b {
                "black"
            } else if g > r {
                "green"
            } else {
                "purple"
            }
        };
        let order: Vec<&str> = fills.iter().map(|line| strongest(line)).collect();
        assert_eq!(order, ["purple", "purple", "purple", "black", "black", "black", "green", "green", "green"]);
        roxmltree::Document::parse(&svg).unwrap();
    }

    #[test]
    fn class_colours_differ_and_corners_fit_view_box() {
        let colours: Vec<[u8; 3]> = Part::ALL.map(|part| shade(part, 0.92)).to_vec();
        for (i, a) in colours.iter().enumerate() {
            assert!(colours[..i].iter().all(|b| a != b));
        }
        let svg = plan_svg(&plan("(B(), [LEFT, 5, X], {TOP: (FS(), [TOP, 3, Y], None)})"));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let size: Vec<f64> =
            document.root_element().attribute("viewBox").unwrap().split(' ').map(|x| x.parse().unwrap()).collect();
        for polygon in document.descendants().filter(|node| node.has_tag_name("polygon")) {
            for point in polygon.attribute("points").unwrap().split(' ') {
                let (x, y) = point.split_once(',').unwrap();
                let (x, y): (f64, f64) = (x.parse().unwrap(), y.parse().unwrap());
                assert!(x >= 0.0 && y >= 0.0 && x <= size[2] && y <= size[3], "{x} {y} of {size:?}");
            }
        }
    }
}
