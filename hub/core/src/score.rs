//! Real fitness of the swarm per segment, computed from poses for every task (thesis Table 8.3). The module is a state
//! machine over running time.

use serde::{Deserialize, Serialize};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::{CONTROL_PERIOD, V_MAX};
use xpuck_kernels::world::task::objective::ObjectiveScore;
use xpuck_kernels::world::task::objective::lots::Lot;
use xpuck_kernels::world::task::transport::{fitness_of_place, raw_fitness};
use xpuck_kernels::world::task::{self, Task};
use xpuck_kernels::world::{Body, Pose, WorldSpec};
use xpuck_wire::Segment;

/// Assumed position of a robot that was never seen (m). It is outside all regions of the arena, and far from all
/// robots.
const NOWHERE: Vec2 = vec2(1e6, 1e6);

/// Duration without a frame that shows the frisbee above which its displacement does not count (s of running time).
const HIDDEN: f64 = 0.25;

/// Position of a robot that was never seen, for objectives: the robot counts in no quantity.
const UNSEEN: Vec2 = vec2(f32::NAN, f32::NAN);

/// Time since the last update from which the updates between are missed (s).
const STALL: f64 = 2.0 * CONTROL_PERIOD as f64;
/// Maximum age of a robot's position in an objective (s). A robot with an older position is not seen. A few lost frames
/// are shorter.
const SEEN_FOR: f64 = 0.25;

/// Fitness of the running swarm, accumulated per segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Score {
    segments: Vec<Scored>,
    /// Last position of the frisbee along x (m).
    last_x: Option<f32>,
    /// Last position of the frisbee along y (m).
    last_y: Option<f32>,
    /// Running time since the frisbee was seen (s).
    #[serde(default)]
    hidden: f64,
    /// Last position of each robot (m).
    robots: Vec<Option<Vec2>>,
    /// Last heading of each robot (rad).
    #[serde(default)]
    headings: Vec<Option<f32>>,
    /// Running time since the last position of each robot (s).
    #[serde(default)]
    ages: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Scored {
    phase: String,
    counted: Counted,
    seconds: f64,
    /// Maximum speed of the robots (m/s).
    #[serde(default = "usual_speed")]
    max_speed: f32,
}

fn usual_speed() -> f32 {
    V_MAX
}

/// Quantity that is accumulated in a segment. It depends on the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Counted {
    /// Displacement of the frisbee along x so far (m).
    Moved(f64),
    /// Last position of the frisbee along x, and the maximum of this coordinate (m).
    Place { x: f32, reach: f32 },
    /// Score of a task that depends on the centres of the robots. The centres are sampled at 10 Hz.
    Centres { task: Box<task::Score>, robots: usize, due: f64 },
}

impl Counted {
    fn from_world(world: &WorldSpec, run: (u64, u32)) -> Counted {
        match &world.task {
            Task::Transport | Task::TransportOnce => Counted::Moved(0.0),
            Task::TransportPosition => {
                let radius = world.discs.first().map_or(0.0, |disc| disc.shape.radius);
                Counted::Place { x: 0.0, reach: world.physics.half_arena.0 - radius }
            }
            task => {
                let (robots, none): (usize, &[Body]) = (world.robots, &[]);
                let task = Box::new(task::Score::new(task, &world.physics, none, robots, run));
                Counted::Centres { task, robots, due: 0.0 }
            }
        }
    }

    /// Returns the raw value of an objective that corresponds to a fitness; `None` for other tasks.
    fn value_of(&self, fitness: f64) -> Option<f64> {
        match self {
            Counted::Centres { task, .. } => match &**task {
                task::Score::Objective(score) => Some(score.objective().value_of(fitness)),
                _ => None,
            },
            Counted::Moved(_) | Counted::Place { .. } => None,
        }
    }

    /// Returns the score of an objective; `None` for other tasks.
    fn objective(&mut self) -> Option<&mut ObjectiveScore> {
        let Counted::Centres { task, .. } = self else { return None };
        if let task::Score::Objective(score) = &mut **task { Some(score) } else { None }
    }

    /// Returns the fitness after a time (s) of robots with this maximum speed (m/s).
    fn fitness(&self, seconds: f64, max_speed: f32) -> f64 {
        f64::from(match self {
            Counted::Moved(way) => raw_fitness(*way as f32, seconds as f32, max_speed),
            Counted::Place { x, reach } => fitness_of_place(*x, *reach),
            Counted::Centres { task, robots, .. } => task.counted_fitness(*robots, seconds as f32),
        })
    }
}

impl Score {
    /// Creates a score without segments. [`Score::begin`] starts a segment.
    pub fn new() -> Score {
        Score::default()
    }

    /// Starts the next segment in the phase `phase`, with the task of `world`. `seed` is the seed of the run; the segment
    /// has the lots of the run with its number.
    pub fn begin(&mut self, phase: &str, world: &WorldSpec, seed: u64) {
        let mut counted = Counted::from_world(world, (seed, self.segments.len() as u32));
        if let (Counted::Place { x, .. }, Some(last)) = (&mut counted, self.last_x) {
            *x = last;
        }
        let last = self.last_x.zip(self.last_y);
        if let Some((score, (x, y))) = counted.objective().zip(last) {
            score.see_disc(0, vec2(x, y), false);
            if self.hidden > HIDDEN {
                score.lose_disc(0);
            }
        }
        let max_speed = world.physics.robot.wheels.max_speed;
        self.segments.push(Scored { phase: phase.into(), counted, seconds: 0.0, max_speed });
    }

    /// Adds running time (s) to the last segment.
    pub fn pass(&mut self, seconds: f64) {
        let Some(segment) = self.segments.last_mut() else { return };
        segment.seconds += seconds;
        self.hidden += seconds;
        self.ages.iter_mut().for_each(|age| *age += seconds);
        let Counted::Centres { task, due, .. } = &mut segment.counted else { return };
        *due += seconds;
        if *due < f64::from(CONTROL_PERIOD) {
            return;
        }
        // Updates missed during a stall are skipped, because the positions at those times are unknown.
        if *due >= STALL
            && let task::Score::Objective(score) = &mut **task
        {
            score.interrupt();
        }
        *due = (*due - f64::from(CONTROL_PERIOD)).min(f64::from(CONTROL_PERIOD));
        // In foraging and objectives, robots are identified by their index in the list, so absent robots need an entry.
        // In all other tasks, absent robots must be left out, and a single robot is not scored.
        let all = |absent: Vec2| self.robots.iter().map(|at| at.unwrap_or(absent)).collect();
        let is_old = |robot: usize| self.ages.get(robot).is_some_and(|age| *age > SEEN_FOR);
        let (centres, fewest): (Vec<Vec2>, usize) = match **task {
            task::Score::Foraging(_) => (all(NOWHERE), 0),
            task::Score::Objective(_) => {
                let centres = all(UNSEEN).into_iter().enumerate();
                (centres.map(|(robot, at)| if is_old(robot) { UNSEEN } else { at }).collect(), 0)
            }
            _ => (self.robots.iter().copied().flatten().collect(), 2),
        };
        if centres.len() >= fewest {
            if let task::Score::Objective(score) = &mut **task {
                let headings = self.headings.iter().enumerate();
                score.see_headings(headings.map(|(robot, heading)| heading.filter(|_| !is_old(robot))));
                if self.hidden > HIDDEN {
                    score.lose_disc(0);
                }
            }
            task.update(&centres);
        }
    }

    /// Records a new position of the frisbee (m). The displacement since the previous position counts only if `running`
    /// is true. It is false during a relocation.
    pub fn see(&mut self, at: Vec2, running: bool) {
        let x = at.x;
        let last = self.last_x.replace(x);
        self.last_y = Some(at.y);
        self.hidden = 0.0;
        match self.segments.last_mut().map(|segment| &mut segment.counted) {
            Some(Counted::Moved(way)) if running => *way += last.map_or(0.0, |last| f64::from(x - last)),
            Some(Counted::Place { x: place, .. }) => *place = x,
            Some(counted) => {
                if let Some(score) = counted.objective() {
                    score.see_disc(0, at, running);
                }
            }
            None => {}
        }
    }

    /// Records a new pose of a robot. `robot` is the robot's index in the swarm file.
    pub fn see_robot(&mut self, robot: usize, pose: Pose) {
        let robots = self.robots.len().max(robot + 1);
        self.robots.resize(robots, None);
        self.headings.resize(robots, None);
        self.ages.resize(robots, 0.0);
        (self.robots[robot], self.headings[robot]) = (Some(pose.at), Some(pose.heading));
        self.ages[robot] = 0.0;
    }

    /// Marks a gap, such as a pause. The movements of the robots until the next update are no steps in an objective, and
    /// cross no line.
    pub fn interrupt(&mut self) {
        if let Some(Scored { counted: Counted::Centres { task, .. }, .. }) = self.segments.last_mut()
            && let task::Score::Objective(score) = &mut **task
        {
            score.interrupt();
        }
    }

    /// Discards the last position of the frisbee, so that the next position does not count as a displacement. Marks a
    /// gap in the robots' movements.
    pub fn forget_place(&mut self) {
        self.interrupt();
        (self.last_x, self.last_y) = (None, None);
        if let Some(score) = self.segments.last_mut().and_then(|segment| segment.counted.objective()) {
            score.lose_disc(0);
        }
    }

    /// Returns the lots of the current segment, such as "coin = 1, alarm = 52.3"; empty without lots.
    pub fn lots(&self) -> String {
        let Some(Scored { counted: Counted::Centres { task, .. }, .. }) = self.segments.last() else {
            return String::new();
        };
        let task::Score::Objective(score) = &**task else { return String::new() };
        let lot = |(lot, value): (&Lot, &f32)| format!("{} = {value}", lot.name);
        let lots: Vec<String> = score.objective().lots.iter().zip(score.lots()).map(lot).collect();
        lots.join(", ")
    }

    /// Returns all segments so far, with their fitness.
    pub fn segments(&self) -> Vec<Segment> {
        let segment = |(number, scored): (u32, &Scored)| {
            let timed = scored.seconds > 0.0;
            let fitness = if timed { scored.counted.fitness(scored.seconds, scored.max_speed) } else { 0.0 };
            let value = scored.counted.value_of(fitness).filter(|_| timed);
            Segment { number, fitness, seconds: scored.seconds, phase: scored.phase.clone(), value }
        };
        (0..).zip(&self.segments).map(segment).collect()
    }

    /// Returns the current fitness of the last segment, or 0 if there is no segment.
    pub fn fitness(&self) -> f64 {
        self.segments.last().map_or(0.0, |last| last.counted.fitness(last.seconds.max(1e-9), last.max_speed))
    }

    /// Returns the raw value of the last segment; `None` if its task is not an objective.
    pub fn value(&self) -> Option<f64> {
        self.segments.last()?.counted.value_of(self.fitness())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::world::task::{Region, objective};
    use xpuck_kernels::world::zone::{Zone, ZoneShape};

    #[test]
    fn relocations_and_pauses_do_not_count() {
        let world = WorldSpec::benchmark(2);
        let mut score = Score::new();
        score.begin("evolve", &world, 1);
        score.see(vec2(0.0, 0.0), true);
        score.begin("evolve", &world, 1);
        score.see(vec2(-0.13, 0.0), true);
        score.pass(10.0);
        score.see(vec2(-0.2, 0.0), false);
        score.see(vec2(0.0, 0.0), false);
        score.see(vec2(-0.13, 0.0), true);
        score.pass(10.0);
        let segments = score.segments();
        assert_eq!((segments.len(), segments[1].value), (2, None));
        assert!((segments[1].fitness - 0.1).abs() < 1e-6, "{segments:?}");
        assert_eq!((segments[0].fitness, segments[0].phase.as_str()), (0.0, "evolve"));
    }

    fn world(task: Task) -> WorldSpec {
        WorldSpec { task, ..WorldSpec::benchmark(2) }
    }

    #[test]
    fn position_score_uses_latest_position() {
        let mut score = Score::new();
        score.see(vec2(0.3, 0.0), true);
        score.begin("measure", &world(Task::TransportPosition), 1);
        score.pass(1.0);
        let before = score.fitness();
        score.see(vec2(-0.5, 0.0), true);
        assert!(score.fitness() > before, "{before} {}", score.fitness());
    }

    #[test]
    fn score_of_centres_matches_simulator() {
        let (nest, food) = (
            Region::Rectangle { at: vec2(-0.8, 0.0), half: vec2(0.2, 0.7) },
            Region::Rectangle { at: vec2(0.8, 0.0), half: vec2(0.2, 0.7) },
        );
        let world = world(Task::Foraging { nest, food });
        let mut score = Score::new();
        score.begin("evolve", &world, 1);
        let mut expected = task::Score::new(&world.task, &world.physics, &[], 2, (1, 0));
        for step in 0..400 {
            let x = if step / 100 % 2 == 0 { 0.8 } else { -0.8 };
            score.see_robot(1, Pose { at: vec2(x, 0.0), heading: 0.0 });
            score.pass(0.05);
            if step % 2 == 1 {
                expected.update(&[NOWHERE, vec2(x, 0.0)]);
            }
        }
        assert!(score.fitness() > 0.0);
        assert!((score.fitness() - f64::from(expected.counted_fitness(2, 20.0))).abs() < 1e-6);
    }

    #[test]
    fn robots_that_were_never_seen_are_not_in_the_way() {
        let mut score = Score::new();
        score.begin("measure", &world(Task::Aggregation { range: 0.2 }), 1);
        score.see_robot(3, Pose { at: vec2(0.0, 0.0), heading: 0.0 });
        score.pass(0.1);
        assert_eq!(score.fitness(), 0.0, "one robot is no cluster");
        score.see_robot(0, Pose { at: vec2(0.1, 0.0), heading: 0.0 });
        score.pass(0.1);
        assert_eq!(score.fitness(), 1.0);
    }

    /// Score of two robots in a segment whose task is a formula over the region `spot`, a disc at (0.5, 0).
    fn of_formula(formula: &str) -> Score {
        let spot = ZoneShape::Simple(Region::Disc { at: vec2(0.5, 0.0), radius: 0.3 });
        let zone = Zone { name: "spot".into(), shapes: vec![spot], without: Vec::new() };
        let objective = objective::parse(formula, &[zone], 0.0, 1.0).unwrap();
        let mut score = Score::new();
        score.begin("measure", &world(Task::Objective(objective.into())), 1);
        score
    }

    /// Running time of an update (s), a little longer than its period, which has a rounding error.
    const UPDATE: f64 = 0.1001;

    /// Advances by an update, in which both robots are seen at (x, 0) and (x, 0.2).
    fn pass_at(score: &mut Score, x: f32) {
        score.see_robot(0, Pose { at: vec2(x, 0.0), heading: 0.0 });
        score.see_robot(1, Pose { at: vec2(x, 0.2), heading: 0.0 });
        score.pass(UPDATE);
    }

    #[test]
    fn robots_out_of_sight_leave_their_region() {
        let mut score = of_formula("last(n(spot))");
        pass_at(&mut score, 0.5);
        assert_eq!(score.value(), Some(2.0));
        for expected in [2.0, 1.0, 1.0] {
            score.see_robot(1, Pose { at: vec2(0.5, 0.2), heading: 0.0 });
            score.pass(UPDATE);
            assert_eq!(score.value(), Some(expected), "a position is valid for 0.25 s");
        }
        pass_at(&mut score, 0.5);
        assert_eq!(score.value(), Some(2.0));
    }

    #[test]
    fn gaps_pauses_and_restarts_are_no_steps() {
        let formula = "sum(moving(0.01)) + 100 * last(crossed(0, -1, 0, 1))";
        let gap = |make: &dyn Fn(&mut Score)| {
            let mut score = of_formula(formula);
            pass_at(&mut score, 0.5);
            make(&mut score);
            pass_at(&mut score, -0.5);
            score.value()
        };
        assert_eq!(gap(&|_| {}), Some(2.0 - 200.0), "without a gap");
        assert_eq!(gap(&Score::interrupt), Some(0.0), "a pause");
        assert_eq!(gap(&Score::forget_place), Some(0.0), "a restart");
        // The stall ends with an update in which nothing moved; the positions after it are new.
        let mut score = of_formula(formula);
        pass_at(&mut score, 0.5);
        score.see_robot(0, Pose { at: vec2(-0.5, 0.0), heading: 0.0 });
        score.see_robot(1, Pose { at: vec2(-0.5, 0.2), heading: 0.0 });
        score.pass(3.0);
        assert_eq!(score.value(), Some(0.0), "a stall");
    }

    #[test]
    fn segments_of_other_lengths_have_values_of_their_own() {
        let mut score = of_formula("mean(share(spot))");
        let world = |formula: &str| world(Task::Objective(objective::parse(formula, &[], 0.0, 1.0).unwrap().into()));
        (0..40).for_each(|_| pass_at(&mut score, 0.5));
        score.begin("short", &world("first(N > 5)"), 1);
        assert_eq!(score.value(), Some(0.0), "before the first update");
        (0..5).for_each(|_| pass_at(&mut score, 0.5));
        let values: Vec<f64> = score.segments().iter().filter_map(|segment| segment.value).collect();
        assert!((values[0] - 1.0).abs() < 1e-6 && (values[1] - 0.5).abs() < 1e-6, "{values:?}");
    }

    #[test]
    fn objective_score_survives_restart_and_ignores_unseen_robots() {
        let spot = ZoneShape::Simple(Region::Disc { at: vec2(0.5, 0.0), radius: 0.3 });
        let zone = Zone { name: "spot".into(), shapes: vec![spot], without: Vec::new() };
        let objective = objective::parse("mean(share(spot)) + last(ever(n(spot) > 1))", &[zone], 0.0, 2.0).unwrap();
        let mut score = Score::new();
        score.begin("measure", &world(Task::Objective(objective.into())), 1);
        score.pass(0.11);
        assert_eq!(score.fitness(), 0.0, "no robot was seen");
        score.see_robot(1, Pose { at: vec2(0.5, 0.1), heading: 0.0 });
        score.pass(0.11);
        // The second of two updates has one of two robots in the spot.
        assert_eq!((score.fitness(), score.value(), score.segments()[0].value), (0.125, Some(0.25), Some(0.25)));
        let mut score: Score = serde_json::from_str(&serde_json::to_string(&score).unwrap()).unwrap();
        score.see_robot(0, Pose { at: vec2(0.5, 0.1), heading: 0.0 });
        score.pass(0.11);
        assert_eq!(score.fitness(), 0.75);
    }

    /// Starts a segment with an objective, and returns its score.
    fn objective(formula: &str) -> Score {
        let objective = objective::parse(formula, &[], 0.0, 1.0).unwrap();
        let mut score = Score::new();
        score.begin("measure", &world(Task::Objective(objective.into())), 1);
        score
    }

    #[test]
    fn objective_reads_disc_without_pauses_and_gaps() {
        let mut score = objective("last(disc_moved_x(1))");
        let mut see = |x: f32, running: bool, seconds: f64| {
            score.see(vec2(x, 0.1), running);
            score.pass(seconds);
            (score.fitness() * 1e3).round() as i32
        };
        assert_eq!([see(0.5, true, 0.1), see(0.4, true, 0.1), see(0.3, true, 0.1)], [0, -100, -200]);
        // A frame is missing, as at any time. Afterwards, the frisbee is hidden for 0.5 s in which the run goes on.
        assert_eq!([see(0.2, true, 0.2), see(0.1, true, 0.25)], [-300, -400]);
        assert_eq!([see(0.0, true, 0.25), see(-0.1, true, 0.1)], [-500, -600]);
        // The frisbee is relocated in a pause.
        assert_eq!([see(0.0, false, 0.0), see(0.0, true, 0.1), see(-0.1, true, 0.1)], [-600, -600, -700]);
        score.pass(0.15);
        score.pass(0.15);
        score.see(vec2(0.8, 0.1), true);
        score.pass(0.1);
        assert!((score.fitness() + 0.7).abs() < 1e-6, "{}", score.fitness());
        // Displacements while no hub was running do not count, and those at the start of a segment do.
        let mut score: Score = serde_json::from_str(&serde_json::to_string(&score).unwrap()).unwrap();
        score.forget_place();
        score.see(vec2(0.0, 0.1), true);
        assert!((score.fitness() + 0.7).abs() < 1e-6, "{}", score.fitness());
        let next = world(Task::Objective(objective::parse("last(disc_moved_x(1))", &[], 0.0, 1.0).unwrap().into()));
        score.begin("measure", &next, 1);
        score.see(vec2(0.2, 0.1), true);
        score.pass(0.1);
        assert!((score.fitness() - 0.2).abs() < 1e-6, "{}", score.fitness());
    }

    #[test]
    fn objective_reads_headings_of_seen_robots() {
        let mut score = objective("last(alignment())");
        score.see_robot(1, Pose { at: vec2(0.0, 0.0), heading: 1.0 });
        score.pass(0.11);
        assert_eq!((score.fitness() * 1e4).round(), 1e4, "robot 0 was never seen");
        score.see_robot(0, Pose { at: vec2(0.0, 0.0), heading: 1.0 + std::f32::consts::PI });
        score.pass(0.11);
        assert!(score.fitness().abs() < 1e-5, "{}", score.fitness());
    }

    #[test]
    fn scores_of_hubs_without_headings_are_readable() {
        let mut score = objective("last(n(arena))");
        score.see(vec2(0.1, 0.0), true);
        let mut json = serde_json::to_value(&score).unwrap();
        for key in ["last_y", "hidden", "headings"] {
            json.as_object_mut().unwrap().remove(key).unwrap();
        }
        let read: Score = serde_json::from_value(json).unwrap();
        assert_eq!((read.last_x, read.last_y, read.hidden), (Some(0.1), None, 0.0));
    }
}
