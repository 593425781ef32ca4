//! Senses of the robot (Table 6.1): proximity rays, the three-segment camera, range and bearing, the compass, ambient
//! light and tags.

mod camera;
pub mod camera_model;
mod channel_history;
pub mod light;
pub mod messages;
mod neighbours;
mod proximity;
pub mod tags;

pub use camera::{Blobs, Patch, camera};
pub(crate) use camera::{
    COLUMNS_PER_SEGMENT, columns, columns_hidden, inner_walls_seen, may_be_seen, patch_behind, segments_vector,
};
pub(crate) use channel_history::{ChannelHistory, Reading, last_message, poses_kept};
pub use neighbours::{AttractionMemory, Neighbour, attraction, range_and_bearing};
pub(crate) use neighbours::{attraction_of_sum, gap_step, neighbour, range_and_bearing_among};
pub use proximity::{proximity, proximity_vector, ray_to_walls};
pub(crate) use proximity::{proximity_among, ray_directions, ray_to_circle, walls_within_reach, within_reach};

use crate::math::{Vec2, vec2};

/// Computes v_up, which is the unit vector towards +x of the world, in the frame of a robot with this heading (rad).
#[inline(always)]
pub fn compass(heading: f32) -> Vec2 {
    let ahead = Vec2::unit(heading);
    vec2(ahead.x, -ahead.y)
}

#[cfg(test)]
mod tests {
    use super::super::body::{Body, Colour, Pose, Shape};
    use super::super::physics::Physics;
    use super::super::wall::Wall;
    use super::*;
    use crate::model::{PROX_RANGE, ROBOT_RADIUS};
    use std::f32::consts::{FRAC_PI_2, PI};

    fn robot(x: f32, y: f32, heading: f32) -> Body {
        Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, y), heading })
    }

    fn open() -> Physics {
        Physics::default()
    }

    fn frisbee(x: f32, y: f32) -> Body {
        Body::at_rest(Shape::FRISBEE, Pose { at: vec2(x, y), heading: 0.0 })
    }

    #[test]
    fn proximity_ray_reads_one_minus_distance_over_range() {
        // Robot 0 is turned so that its ray 1, at +0.297 rad, points along +x to the centre of robot 1.
        let bodies = [robot(0.0, 0.0, -0.297), robot(0.075 + 0.012, 0.0, 0.0)];
        let readings = proximity(&bodies, 0, &open());
        assert!((readings[0] - (1.0 - 0.012 / 0.030)).abs() < 1e-4, "{readings:?}");
        assert_eq!(readings[3], 0.0);
        let low = [robot(0.0, 0.0, 0.0), frisbee(0.15, 0.0)];
        assert_eq!(proximity(&low, 0, &open()), [0.0; 8], "the frisbee is too low");
    }

    #[test]
    fn walls_are_seen_on_the_side_where_they_are() {
        let bodies = [robot(0.95, 0.0, FRAC_PI_2)];
        let readings = proximity(&bodies, 0, &open());
        let v = proximity_vector(&readings);
        assert!(v.y < -0.3 && v.x.abs() < 0.3, "{readings:?} {v:?}");
        let expected = 1.0 - (0.05 - ROBOT_RADIUS) / PROX_RANGE;
        assert!((readings[5] - expected).abs() < 1e-3, "{} for {expected}", readings[5]);
    }

    #[test]
    fn camera_vectors_are_those_of_table_6_4() {
        let v = |bits: [bool; 3]| {
            let mut blobs = Blobs::default();
            blobs.0[Colour::Blue as usize] = bits;
            let v = blobs.vector(Colour::Blue);
            (v.length(), v.angle().to_degrees())
        };
        let near = |a: (f32, f32), b: (f32, f32)| (a.0 - b.0).abs() < 0.01 && (a.1 - b.1).abs() < 0.01;
        assert!(near(v([false, false, true]), (1.0, -18.7)));
        assert!(near(v([false, true, true]), (1.97, -9.35)));
        assert!(near(v([true, false, true]), (1.89, 0.0)));
        assert!(near(v([true, true, true]), (2.89, 0.0)), "{:?}", v([true, true, true]));
    }

    #[test]
    fn camera_sees_unoccluded_bodies_ahead() {
        let seen = |bodies: &[Body]| camera(bodies, 0, &[], &open()).0;
        let blue = Colour::Blue as usize;
        assert_eq!(seen(&[robot(0.0, 0.0, 0.0), frisbee(1.2, 0.0)])[blue], [false, true, false]);
        assert_eq!(seen(&[robot(0.0, 0.0, 0.4), frisbee(1.2, 0.0)])[blue], [false, false, true]);
        assert_eq!(seen(&[robot(0.0, 0.0, PI), frisbee(1.2, 0.0)])[blue], [false; 3]);
        assert_eq!(seen(&[robot(0.0, 0.0, 0.0), frisbee(0.15, 0.0)])[blue], [true; 3], "touching fills the view");
        let hidden = [robot(0.0, 0.0, 0.0), frisbee(0.9, 0.0), robot(0.1, 0.0, 0.0)];
        assert_eq!(seen(&hidden)[blue], [false; 3]);
        assert_eq!(seen(&hidden)[Colour::Red as usize], [true; 3]);
    }

    #[test]
    fn wall_patches_are_seen_unless_hidden() {
        let patch = Patch { at: vec2(1.0, 0.0), half_length: 0.2, colour: Colour::Green };
        let bodies = [robot(0.0, 0.0, 0.0)];
        assert_eq!(camera(&bodies, 0, &[patch], &open()).0[Colour::Green as usize], [true, true, true]);
        let hidden = [robot(0.0, 0.0, 0.0), robot(0.08, 0.0, 0.0)];
        assert_eq!(camera(&hidden, 0, &[patch], &open()).0[Colour::Green as usize], [false; 3]);
    }

    #[test]
    fn range_and_bearing_counts_near_robots_only() {
        let bodies = [robot(0.0, 0.0, FRAC_PI_2), robot(0.0, 0.3, 0.0), robot(0.49, 0.0, 0.0), robot(0.6, 0.0, 0.0)];
        let (v, n) = range_and_bearing(&bodies, 0, 0.5);
        assert_eq!(n, 2.0);
        assert!((v.x - 0.25).abs() < 1e-5 && (v.y + 0.075 / 0.49).abs() < 1e-5, "{v:?}");
        let list = [Neighbour { range: 0.3, bearing: 0.0 }, Neighbour { range: 0.49, bearing: -FRAC_PI_2 }];
        assert!((attraction(&list) - v).length() < 1e-5, "both forms agree");
        assert_eq!(range_and_bearing(&bodies[..1], 0, 0.5), (vec2(1.0, 0.0), 0.0));
    }

    #[test]
    fn compass_points_upfield() {
        let up = compass(FRAC_PI_2);
        assert!(up.x.abs() < 1e-6 && (up.y + 1.0).abs() < 1e-6, "facing +y, upfield is to the right");
    }

    #[test]
    fn inner_walls_are_felt_and_hide_what_is_behind() {
        let wall =
            |x: f32| Physics { walls: vec![Wall { from: vec2(x, -0.5), to: vec2(x, 0.5) }], ..Physics::default() };
        let me = [robot(0.0, 0.0, -0.297)];
        let readings = proximity(&me, 0, &wall(0.05));
        assert!((readings[0] - (1.0 - 0.0125 / 0.030)).abs() < 1e-4, "{readings:?}");
        assert_eq!((readings[4], proximity(&me, 0, &wall(0.07))), (0.0, [0.0; 8]));
        assert_eq!(proximity(&me, 0, &wall(0.037))[0], 1.0, "pressed against the wall");
        let patch = Patch { at: vec2(1.0, 0.0), half_length: 0.5, colour: Colour::Green };
        let bodies = [robot(0.0, 0.0, 0.0), frisbee(0.6, 0.0)];
        let seen = |x: f32| camera(&bodies, 0, &[patch], &wall(x)).0.map(|colour| colour.contains(&true));
        assert_eq!(seen(-0.2), [false, true, true], "the wall is behind the robot");
        assert_eq!(seen(0.4), [false; 3], "the wall hides disc and patch");
        assert_eq!(seen(0.8), [false, false, true], "the wall hides the patch");
    }
}
