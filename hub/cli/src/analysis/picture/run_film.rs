//! Film of a simulated run.

use super::Caption;
use super::colours::FRISBEE;
use super::film::canvas::rgb;
use super::film::{self, Sheet, Stage, Token};
use super::legend::{self, Legend};
use super::scenery::Scenery;
use anyhow::Result;
use std::path::Path;
use xpuck_kernels::world::Pose;
use xpuck_lab::trajectories::{Frame, Trajectories};

/// Makes the film of a run at `speed` times real time. `quiet` hides the progress.
///
/// # Errors
/// A required program is missing or fails, the file cannot be written, or a signal stopped the film.
pub fn make(path: &Path, trajectories: &Trajectories, caption: &Caption, speed: f64, quiet: bool) -> Result<()> {
    let legend = Legend::new(trajectories);
    let Caption { tree, start, seed, run } = caption;
    let row = |row: &legend::Row| {
        let line = row.line.map_or(String::new(), |line| line.to_string());
        // SVG ignores leading spaces. Line numbers are therefore not padded.
        (
            row.colour,
            format!("{:.1} %, {line}{}{}", 100.0 * row.share, if line.is_empty() { "" } else { ": " }, row.text),
        )
    };
    let robots = trajectories.robots;
    let sheet = Sheet {
        half: trajectories.half_arena,
        scenery: Scenery::from_trajectories(trajectories),
        titles: [tree.clone(), format!("{start}, seed {seed}, run {run}; robots: {robots}; {speed} times real time")],
        number: "fitness",
        legend: "Driving branches: share of time, line of `xpuck tree fmt`, first leaf that writes v_goal",
        rows: legend.rows.iter().map(row).collect(),
    };
    let mut stage = Stage::new(&sheet)?;
    let moments = film::moments(trajectories.seconds().into(), speed);
    let mut at = 0;
    film::shoot(path, &mut stage, moments, quiet, |stage, moment| {
        let frames = &trajectories.frames;
        while at + 2 < frames.len() && f64::from(frames[at + 1].seconds) < moment {
            at += 1;
        }
        let (before, after) = (&frames[at], &frames[at + 1]);
        let part =
            ((moment - f64::from(before.seconds)) / f64::from(after.seconds - before.seconds)).clamp(0.0, 1.0) as f32;
        let bodies = (0..trajectories.shapes.len()).map(|body| {
            let pose = between(before, after, body, part, robots);
            let (heading, colour) =
                if body < robots { (Some(pose.heading), legend.colour(after.drivers[body])) } else { (None, FRISBEE) };
            Token { at: pose.at, heading, radius: trajectories.shapes[body].radius, colour: rgb(colour) }
        });
        // Discs are drawn first, so that robots are drawn over them.
        let mut bodies: Vec<Token> = bodies.collect();
        bodies.rotate_left(robots);
        let told = if part < 1.0 { before } else { after };
        stage.draw(bodies, moment, Some(told.fitness.into()));
        Ok(())
    })
}

/// Returns the pose of a body at fraction `part` of the interval between two frames. Poses are interpolated linearly. A
/// frisbee that was put back in the interval is the exception: its pose jumps at the end. `robots` is the frisbee's
/// index.
fn between(before: &Frame, after: &Frame, body: usize, part: f32, robots: usize) -> Pose {
    let (from, to) = (before.poses[body], after.poses[body]);
    if body == robots && after.put_back {
        return if part < 1.0 { from } else { to };
    }
    from.towards(&to, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::PI;
    use xpuck_kernels::math::Vec2;

    fn frame(x: f32, heading: f32, put_back: bool) -> Frame {
        let pose = Pose { at: Vec2 { x, y: 0.0 }, heading };
        Frame { seconds: 0.0, poses: vec![pose; 2], drivers: vec![None], fitness: 0.0, put_back }
    }

    #[test]
    fn bodies_go_the_short_way_and_a_frisbee_that_is_put_back_jumps() {
        let (before, after) = (frame(0.0, 3.0, false), frame(1.0, -3.0, true));
        let robot = between(&before, &after, 0, 0.5, 1);
        assert!((robot.at.x - 0.5).abs() < 1e-6 && (robot.heading - PI).abs() < 1e-5, "{robot:?}");
        assert_eq!(between(&before, &after, 1, 0.9, 1).at.x, 0.0);
        assert_eq!(between(&before, &after, 1, 1.0, 1).at.x, 1.0);
    }
}
