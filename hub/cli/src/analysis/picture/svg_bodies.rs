//! Bodies and their trajectories in the drawing of a run.

use super::colours::FRISBEE;
use super::legend::Legend;
use std::fmt::Write;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::Pose;
use xpuck_lab::trajectories::Trajectories;

/// Maximum number of robot outlines along the trajectories. More outlines would hide the trajectories.
const MAX_OUTLINES: usize = 1000;

/// Position and scale of the arena in the drawing.
pub struct Plan {
    /// Half the lengths of the arena along x and y (m).
    pub half: (f32, f32),
    /// Pixels per metre.
    pub scale: f32,
    /// Position of the arena's left wall (pixels).
    pub left: f32,
    /// Position of the arena's upper wall (pixels).
    pub top: f32,
}

/// Returns whether the run is short enough to outline robots at every point of their trajectories, as in the thesis.
pub fn outlined(trajectories: &Trajectories) -> bool {
    (trajectories.frames.len() - 1) * trajectories.robots <= MAX_OUTLINES
}

impl Plan {
    /// Converts a point of the arena (m) to a position in the drawing (pixels).
    pub fn at(&self, place: Vec2) -> (f32, f32) {
        (self.left + (self.half.0 + place.x) * self.scale, self.top + (self.half.1 - place.y) * self.scale)
    }

    /// Appends an SVG path command to a path. The command is `M` or `L`, and `place` is a point of the arena (m).
    fn go(&self, path: &mut String, command: char, place: Vec2) {
        let (x, y) = self.at(place);
        let _ = write!(path, "{command}{x:.1} {y:.1}");
    }

    fn circle(&self, svg: &mut String, class: &str, place: Vec2, radius: f32, colours: &str) {
        let ((x, y), radius) = (self.at(place), radius * self.scale);
        let _ = writeln!(svg, "  <circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"{colours}/>");
    }

    /// Draws discs with their trajectories. Only the first disc, which is the frisbee, can be put back during a run.
    pub fn discs(&self, svg: &mut String, trajectories: &Trajectories) {
        for disc in trajectories.robots..trajectories.shapes.len() {
            let radius = trajectories.shapes[disc].radius;
            let frisbee = disc == trajectories.robots;
            let [mut slide, mut back, mut crosses] = [const { String::new() }; 3];
            let mut last = trajectories.frames[0].poses[disc].at;
            self.go(&mut slide, 'M', last);
            for frame in &trajectories.frames[1..] {
                let at = frame.poses[disc].at;
                if frisbee && frame.put_back {
                    self.go(&mut back, 'M', last);
                    self.go(&mut back, 'L', at);
                    self.go(&mut crosses, 'M', at);
                    crosses.push_str("m-5 -5l10 10m0 -10l-10 10");
                    self.go(&mut slide, 'M', at);
                } else if at != last {
                    self.go(&mut slide, 'L', at);
                }
                last = at;
            }
            self.circle(svg, "start", trajectories.frames[0].poses[disc].at, radius, "");
            let _ = writeln!(svg, "  <path class=\"slide\" stroke=\"{FRISBEE}\" d=\"{slide}\"/>");
            if !back.is_empty() {
                let _ = writeln!(svg, "  <path class=\"back\" stroke=\"{FRISBEE}\" d=\"{back}\"/>");
                let _ = writeln!(svg, "  <path class=\"cross\" stroke=\"{FRISBEE}\" d=\"{crosses}\"/>");
            }
            self.circle(svg, "disc", last, radius, &format!(" fill=\"{FRISBEE}\" stroke=\"{FRISBEE}\""));
        }
    }

    /// Draws robots with their trajectories. The end poses are drawn last, so that no trajectory hides them.
    pub fn robots(&self, svg: &mut String, trajectories: &Trajectories, legend: &Legend) {
        for robot in 0..trajectories.robots {
            self.circle(svg, "start", trajectories.frames[0].poses[robot].at, trajectories.shapes[robot].radius, "");
            self.trajectory(svg, trajectories, robot, legend);
        }
        let end = &trajectories.frames[trajectories.frames.len() - 1];
        for robot in 0..trajectories.robots {
            let colour = legend.colour(end.drivers[robot]);
            let (pose, radius) = (end.poses[robot], trajectories.shapes[robot].radius);
            self.circle(svg, "end", pose.at, radius, &format!(" fill=\"{colour}\""));
            let mut line = String::new();
            self.go(&mut line, 'M', pose.at);
            self.go(&mut line, 'L', rim(pose, radius));
            let _ = writeln!(svg, "  <path class=\"heading\" d=\"{line}\"/>");
            let _ = writeln!(svg, "  <path class=\"heading inner\" d=\"{line}\"/>");
        }
    }

    /// Draws one robot's trajectory. Each section with a single driving branch is a separate path in the branch's
    /// colour. In a short run, the robot is also outlined along the trajectory.
    fn trajectory(&self, svg: &mut String, trajectories: &Trajectories, robot: usize, legend: &Legend) {
        let radius = trajectories.shapes[robot].radius * self.scale;
        let outlined = outlined(trajectories);
        let _ = writeln!(svg, "  <g class=\"trajectory\"><title>robot {}</title>", robot + 1);
        let mut from = 0;
        while from + 1 < trajectories.frames.len() {
            let driver = trajectories.frames[from + 1].drivers[robot];
            let same = trajectories.frames[from + 1..].iter().take_while(|f| f.drivers[robot] == driver).count();
            let to = from + same;
            let [mut path, mut outlines] = [const { String::new() }; 2];
            self.go(&mut path, 'M', trajectories.frames[from].poses[robot].at);
            for i in from + 1..=to {
                let at = trajectories.frames[i].poses[robot].at;
                self.go(&mut path, 'L', at);
                if outlined {
                    self.go(&mut outlines, 'M', at);
                    let _ = write!(outlines, "m{radius:.1} 0a{radius:.1} {radius:.1} 0 1 0 0 .1z");
                }
            }
            let colour = legend.colour(driver);
            let _ = writeln!(svg, "  <path stroke=\"{colour}\" d=\"{path}\"/>");
            if outlined {
                let _ = writeln!(svg, "  <path class=\"outlines\" stroke=\"{colour}\" d=\"{outlines}\"/>");
            }
            from = to;
        }
        svg.push_str("  </g>\n");
    }
}

/// Returns the point on a robot's rim in the direction of its heading.
fn rim(pose: Pose, radius: f32) -> Vec2 {
    pose.at + Vec2::unit(pose.heading) * radius
}
