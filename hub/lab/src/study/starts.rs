//! Random poses around given poses, without overlaps, and the distance between two sets of poses.

use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream, normal_pair};
use xpuck_kernels::world::{Pose, WorldSpec};

/// Maximum number of draws of a complete configuration.
const TRIES: u32 = 10_000;

/// Standard deviations of x (m), y (m) and heading (rad).
pub(super) type Deviations = (f32, f32, f32);

/// Returns the start poses of run `run`: the poses `centres` plus normally distributed deviations (thesis 8.6.3). All
/// poses are drawn anew until no robot overlaps another robot, a disc at its start, or a wall. Returns `None` after
/// [`TRIES`] unsuccessful draws.
pub(super) fn poses(spec: &WorldSpec, centres: &[Pose], by: Deviations, seed: u64, run: u32) -> Option<Vec<Pose>> {
    (0..TRIES).find_map(|attempt| {
        let mut draws = Draws::new(seed, run, 0, attempt, Stream::Start);
        let drawn: Vec<Pose> = centres.iter().map(|centre| drawn(centre, by, &mut draws)).collect();
        free(spec, &drawn).then_some(drawn)
    })
}

fn drawn(centre: &Pose, by: Deviations, draws: &mut Draws) -> Pose {
    let (x, y) = normal_pair(draws.word(), draws.word());
    let (turn, _) = normal_pair(draws.word(), draws.word());
    let heading = centre.heading + by.2 * turn;
    let turns = (heading / std::f32::consts::TAU).round();
    Pose { at: centre.at + vec2(by.0 * x, by.1 * y), heading: heading - turns * std::f32::consts::TAU }
}

fn free(spec: &WorldSpec, poses: &[Pose]) -> bool {
    let (hx, hy) = spec.physics.half_arena;
    let size = spec.robot.radius;
    let inside = |at: Vec2| at.x.abs() <= hx - size && at.y.abs() <= hy - size;
    let clear = |at: Vec2| {
        let discs = spec.discs.iter().map(|disc| (disc.start.low, disc.shape.radius));
        discs.into_iter().all(|(centre, radius)| (at - centre).length() >= size + radius)
            && spec.physics.walls.iter().all(|wall| wall.offset(at).length() >= size)
    };
    let apart = |i: usize, at: Vec2| poses[..i].iter().all(|other| (other.at - at).length() >= 2.0 * size);
    poses.iter().enumerate().all(|(i, pose)| inside(pose.at) && clear(pose.at) && apart(i, pose.at))
}

/// Returns the mean distance between the robots of two configurations (m). Robots are interchangeable, so they are
/// paired such that the mean is minimal.
pub(super) fn distance(a: &[Pose], b: &[Pose]) -> f64 {
    fn least(a: &[Pose], b: &mut [Pose]) -> f64 {
        let Some((first, rest)) = a.split_first() else { return 0.0 };
        let mut best = f64::INFINITY;
        for i in 0..b.len() {
            b.swap(0, i);
            best = best.min(f64::from((first.at - b[0].at).length()) + least(rest, &mut b[1..]));
            b.swap(0, i);
        }
        best
    }
    least(a, &mut b.to_vec()) / a.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::world::spec::Area;

    fn spec() -> WorldSpec {
        let mut spec = WorldSpec::benchmark(2);
        spec.discs[0].start = Area { low: Vec2::ZERO, high: Vec2::ZERO };
        spec
    }

    fn at(x: f32, y: f32) -> Pose {
        Pose { at: vec2(x, y), heading: 0.0 }
    }

    #[test]
    fn poses_do_not_overlap_and_have_requested_spread() {
        let spec = spec();
        let centres = [at(0.5, 0.0), at(-0.5, 0.0)];
        let drawn: Vec<Vec<Pose>> =
            (0..2000).map(|run| poses(&spec, &centres, (0.05, 0.02, 0.5), 3, run).unwrap()).collect();
        assert!(drawn.iter().all(|poses| free(&spec, poses)));
        let of = |value: fn(&Pose) -> f32| {
            let all: Vec<f64> = drawn.iter().map(|poses| f64::from(value(&poses[0]))).collect();
            xpuck_stats::statistics::mean_and_sd(&all)
        };
        let measured: [((f64, f64), (f64, f64)); 3] = [
            (of(|pose| pose.at.x), (0.5, 0.05)),
            (of(|pose| pose.at.y), (0.0, 0.02)),
            (of(|pose| pose.heading), (0.0, 0.5)),
        ];
        for ((mean, sd), expected) in measured {
            assert!((mean - expected.0).abs() < 0.06 * expected.1.max(0.1), "{mean}, not {}", expected.0);
            assert!((sd / expected.1 - 1.0).abs() < 0.06, "{sd}, not {}", expected.1);
        }
        assert_ne!(drawn[0], drawn[1]);
        assert_eq!(drawn[7], poses(&spec, &centres, (0.05, 0.02, 0.5), 3, 7).unwrap());
    }

    #[test]
    fn places_that_are_never_free_are_none() {
        assert_eq!(poses(&spec(), &[at(0.0, 0.0)], (0.001, 0.001, 1.0), 1, 0), None);
        assert_eq!(poses(&spec(), &[at(5.0, 0.0)], (0.001, 0.001, 1.0), 1, 0), None);
        assert_eq!(poses(&spec(), &[at(0.5, 0.0), at(0.5, 0.0)], (0.001, 0.001, 1.0), 1, 0), None);
        let wide = poses(&spec(), &[at(0.0, 0.0); 2], (0.2, 0.2, 1.5), 1, 0).unwrap();
        assert!(wide.iter().all(|pose| pose.heading.abs() <= std::f32::consts::PI + 1e-5));
    }

    #[test]
    fn robots_are_alike() {
        let (a, b) = ([at(0.0, 0.0), at(1.0, 0.0)], [at(1.0, 0.0), at(0.0, 0.3)]);
        assert!((distance(&a, &b) - 0.15).abs() < 1e-6);
        assert!((distance(&b, &a) - 0.15).abs() < 1e-6);
        let three = [at(0.0, 0.0), at(1.0, 0.0), at(2.0, 0.0)];
        let turned = [three[2], three[0], three[1]];
        assert_eq!((distance(&three, &turned), distance(&[], &[])), (0.0, 0.0));
    }
}
