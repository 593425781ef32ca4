//! The foraging experiment of thesis 4.2 as data. A round nest is in the middle of the arena. A ring without food, the
//! gap, surrounds the nest. Food is everywhere outside the gap.

use super::robot::{Kilobot, STEP};
use super::senses::Regions;
use std::f32::consts::PI;
use xpuck_kernels::random::{Stream, nearly_normal, random_block, unit};

/// Maximum number of Kilobots in a world.
pub const MAX_KILOBOTS: usize = 100;
/// Maximum duration of a run (s). Headings, counters and sums remain exact within this duration.
const MAX_SECONDS: f32 = 36_000.0;

/// Arena with nest and food, the robots in the arena, and the duration of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foraging {
    /// Parameters of the robots.
    pub robot: Kilobot,
    /// Number of robots.
    pub robots: usize,
    /// Half the length of the arena along x and along y (m).
    pub half_arena: (f32, f32),
    /// Radius of the nest (m).
    pub nest: f32,
    /// Width of the ring between nest and food (m).
    pub gap: f32,
    /// Grid spacing of the start positions (m).
    pub spacing: f32,
    /// Duration of a run (s).
    pub seconds: f32,
}

/// Start pose of a robot, and the constant bias of its motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Start {
    pub x: f32,
    pub y: f32,
    pub heading: f32,
    /// Bias of speed (m/s) and turning rate (rad/s).
    pub bias: [f32; 2],
}

impl Foraging {
    /// Returns the experiment of the thesis with the given number of robots (25 in the thesis).
    ///
    /// The thesis does not state the radius of the nest. The value of 0.2 m is from the world file of the thesis's
    /// simulator (Kilobox, `test_bt_simple.world`). For swarms of more than 25 robots, the radius grows with the
    /// corner distance of the start grid.
    pub fn thesis(robots: usize) -> Foraging {
        let spacing = 0.05;
        let beyond = corner_distance(grid(robots), spacing) - corner_distance(grid(25), spacing);
        Foraging {
            robot: Kilobot::default(),
            robots,
            half_arena: (1.5, 1.0),
            nest: 0.2 + beyond.max(0.0),
            gap: 0.1,
            spacing,
            seconds: 300.0,
        }
    }

    /// Returns the number of controller updates in a run.
    pub fn updates(&self) -> u32 {
        (self.seconds / (STEP * self.robot.steps as f32)).round() as u32
    }

    /// Returns the maximum number of deliveries (Eq. 4.1). The formula assumes that robots drive straight from the edge
    /// of the nest to the food and back.
    pub fn max_deliveries(&self) -> f32 {
        self.robots as f32 * self.robot.forward * self.seconds / (2.0 * self.gap)
    }

    /// Checks the world. The error is one line that states the fault and its remedy.
    pub fn check(&self) -> Result<(), String> {
        self.robot.check()?;
        let (n, radius, (half_x, half_y)) = (self.robots, self.robot.radius, self.half_arena);
        if !(1..=MAX_KILOBOTS).contains(&n) {
            return Err(format!("{n} Kilobots; 1 to {MAX_KILOBOTS} are allowed"));
        }
        if ![half_x, half_y].iter().all(|half| (0.1..=10.0).contains(half)) {
            return Err(format!("the arena is {} x {} m; both sides must be 0.2 to 20 m", 2.0 * half_x, 2.0 * half_y));
        }
        if !(2.0 * radius..=1.0).contains(&self.spacing) {
            return Err(format!(
                "the spacing is {} m; for robots of radius {radius} m it must be {} to 1 m",
                self.spacing,
                2.0 * radius
            ));
        }
        let room = half_x.min(half_y);
        let reach = (grid(n) - 1) as f32 * 0.5 * self.spacing + radius;
        if reach > room {
            return Err(format!(
                "{n} Kilobots with a spacing of {} m reach {reach} m from the centre, but the arena only {room} m; \
                 use fewer robots or a larger arena",
                self.spacing
            ));
        }
        if !(self.nest > 0.0 && self.gap > 0.0 && self.nest + self.gap < half_x.hypot(half_y)) {
            return Err(format!(
                "the nest has a radius of {} m and the gap is {} m; both must be above 0 and leave room for food in \
                 the arena",
                self.nest, self.gap
            ));
        }
        let farthest = corner_distance(grid(n), self.spacing);
        if farthest > self.nest + self.gap {
            return Err(format!(
                "robots in the corners of the grid, {farthest} m from the centre, start in the food; use a nest \
                 larger than {} m, or fewer robots",
                self.nest
            ));
        }
        if !(1.0..=MAX_SECONDS).contains(&self.seconds) {
            return Err(format!("the run lasts {} s; it must be 1 to {MAX_SECONDS} s", self.seconds));
        }
        Ok(())
    }

    /// Returns the regions of nest and food.
    pub(super) fn regions(&self) -> Regions {
        let food = self.nest + self.gap;
        Regions { nest_squared: self.nest * self.nest, food_squared: food * food }
    }

    /// Returns the start pose and the bias of robot `i`. The position is in the grid, and heading and bias are random.
    pub(super) fn start(&self, i: usize, seed: u64, world: u32) -> Start {
        let side = grid(self.robots);
        let along = |k: usize| (k as f32 - (side - 1) as f32 * 0.5) * self.spacing;
        let words = random_block(seed, world, i as u32, 0, Stream::Start, 0);
        let of = random_block(seed, world, i as u32, 0, Stream::Start, 1);
        Start {
            x: along(i % side),
            y: along(i / side),
            heading: PI * (2.0 * unit(words[0]) - 1.0),
            bias: [
                self.robot.bias[0] * nearly_normal(of[0], of[3]),
                self.robot.bias[1] * nearly_normal(of[1], of[3] >> 8),
            ],
        }
    }
}

/// Returns the number of robots per side of the square start grid.
fn grid(robots: usize) -> usize {
    (1..=MAX_KILOBOTS).find(|side| side * side >= robots).unwrap_or(MAX_KILOBOTS)
}

/// Returns the distance of the corner robots of a square grid from the grid's centre (m).
fn corner_distance(side: usize, spacing: f32) -> f32 {
    (side.max(1) - 1) as f32 * 0.5 * spacing * std::f32::consts::SQRT_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thesis_swarm_can_deliver_at_most_300_food_items() {
        let foraging = Foraging::thesis(25);
        assert_eq!(foraging.check(), Ok(()));
        assert!((foraging.max_deliveries() - 300.0).abs() < 1e-3);
        assert_eq!((foraging.updates(), foraging.nest), (600, 0.2));
    }

    #[test]
    fn twenty_five_robots_start_in_five_rows_of_five() {
        let foraging = Foraging::thesis(25);
        let starts: Vec<Start> = (0..25).map(|i| foraging.start(i, 1, 2)).collect();
        assert_eq!((starts[0].x, starts[0].y), (-0.1, -0.1));
        assert_eq!((starts[12].x, starts[12].y), (0.0, 0.0));
        assert_eq!((starts[24].x, starts[24].y), (0.1, 0.1));
        assert!(starts.iter().all(|s| s.heading.abs() <= PI));
        assert_ne!(starts[0].heading, foraging.start(0, 1, 3).heading, "another world, another heading");
    }

    #[test]
    fn invalid_foraging_setup_is_rejected_with_remedy() {
        let of = |change: fn(&mut Foraging)| {
            let mut foraging = Foraging::thesis(25);
            change(&mut foraging);
            foraging.check().unwrap_err()
        };
        assert_eq!(of(|f| f.robots = 101), "101 Kilobots; 1 to 100 are allowed");
        assert!(of(|f| (f.robots, f.half_arena) = (100, (0.2, 0.2))).contains("use fewer robots or a larger arena"));
        assert!(of(|f| f.spacing = 0.03).contains("must be 0.033 to 1 m"));
        assert!(of(|f| f.gap = 0.0).contains("above 0"));
        assert!(of(|f| f.robot.forward = 0.03).contains("at most 0.02"));
        assert_eq!(Foraging::thesis(100).check(), Ok(()));
    }
}
