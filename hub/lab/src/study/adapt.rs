//! Study of adaptivity: the world changes while the swarm works. The study measures the time until a swarm that
//! detects the change reaches the fitness of a swarm evolved for the new world (thesis 9.2.1).

pub use super::adapt_swarm::Change;
use super::adapt_swarm::{Real, Swarm, worth_on_wheels};
use super::{Budget, Estimate, StudyError, study_error};
use crate::evolution_run::{Config, EvolutionRun, champion};
use crate::measure::fitness_of_team;
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::estimate::{Parameter, WorldModel};
use xpuck_kernels::tree::Program;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};

/// Minimum fitness of a swarm that counts as recovered, as a share of the fitness of a swarm evolved for the new world.
const REGAINED: f64 = 0.9;
/// Minimum fitness of a swarm evolved for the new world. Below this fitness, recovery is not evaluated.
const WORTH_REGAINING: f64 = 0.01;
/// Number of final generations over which the fitness of a swarm evolved for the new world is averaged.
const LAST: usize = 4;
/// Friction at or above which a simulated disc stops within one step.
const STOPS_AT_ONCE: f32 = 0.5;
/// Time after the change at which the robots' values of the changed parameter are read (s).
const FOUND_WITHIN: f64 = 120.0;

/// Parameters of the study.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AdaptPlan {
    /// Name of the parameter that changes.
    pub parameter: &'static str,
    /// Value of the parameter after the change.
    pub value: f32,
    /// Numbers of generations before and after the change. A generation lasts [`AdaptPlan::pace`].
    pub generations: [u32; 2],
    /// Working time of the robots in a generation (s).
    pub pace: f64,
    /// Number of generations in a segment, after which robots load the fittest trees of their islands.
    pub segment: u32,
    /// Number of seeds.
    pub seeds: usize,
}

impl AdaptPlan {
    /// Plans the change of a named parameter to a value. A segment lasts a minute, or a generation if a generation is
    /// longer.
    ///
    /// # Errors
    /// If the parameter is unknown, the value is out of range, or the pace is not 1 to 3600 s.
    pub fn new(
        parameter: &str,
        value: f32,
        generations: [u32; 2],
        pace: f64,
        seeds: usize,
    ) -> Result<AdaptPlan, StudyError> {
        let Some(known) = Parameter::from_name(parameter) else {
            let names: Vec<&str> = Parameter::ALL.map(Parameter::name).into();
            return study_error(format!("{parameter}: unknown parameter; choose one of {}", names.join(", ")));
        };
        if !known.is_plausible(value) {
            return study_error(format!(
                "{parameter}={value} is out of range: masses and friction must be 0.001 to 10, edges 0.05 to 20 m, \
                 wheels 0 to 1.5 of their speed"
            ));
        }
        if !(1.0..=3600.0).contains(&pace) {
            return study_error(format!("pace = {pace} s per generation: must be 1 to 3600 s"));
        }
        let segment = (60.0 / pace).round().max(1.0) as u32;
        Ok(AdaptPlan { parameter: known.name(), value, generations, pace, segment, seeds })
    }
}

/// Strategy of a swarm after the change of the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The robots detect the change, and continue with their populations.
    Adaptive,
    /// The robots continue as before, with the planned world in simulation.
    Unaware,
    /// All islands restart at the change, with the new world in simulation.
    Restart,
}

/// All strategies, in the order of the results.
pub const STRATEGIES: [Strategy; 3] = [Strategy::Adaptive, Strategy::Unaware, Strategy::Restart];

/// A value for each strategy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ByStrategy<T> {
    /// Value for [`Strategy::Adaptive`].
    pub adaptive: T,
    /// Value for [`Strategy::Unaware`].
    pub unaware: T,
    /// Value for [`Strategy::Restart`].
    pub restart: T,
}

impl<T> ByStrategy<T> {
    /// Returns the value for a strategy.
    pub fn get(&self, strategy: Strategy) -> &T {
        match strategy {
            Strategy::Adaptive => &self.adaptive,
            Strategy::Unaware => &self.unaware,
            Strategy::Restart => &self.restart,
        }
    }

    fn of_mut(&mut self, strategy: Strategy) -> &mut T {
        match strategy {
            Strategy::Adaptive => &mut self.adaptive,
            Strategy::Unaware => &mut self.unaware,
            Strategy::Restart => &mut self.restart,
        }
    }
}

/// Results of one seed.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Seed {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Fitness of the swarm in the new world after each generation since the change, for each strategy.
    pub worth: ByStrategy<Vec<f64>>,
    /// Fitness of the swarm in the planned world, immediately before the change.
    pub before: f64,
    /// Fitness of the same swarm in the new world, immediately after the change.
    pub at_once: f64,
    /// Fitness of a swarm that was evolved for the new world from the beginning.
    pub evolved_for_it: f64,
    /// Number of parameter changes that robots made in their simulators before the world changed.
    pub false_alarms: usize,
    /// All parameter changes that robots made in their simulators.
    pub changes: Vec<Change>,
    /// Number of changes that robots made to other parameters after the world changed.
    pub mistaken: usize,
    /// Time at which the first robot detected the change (s after the change); `None` if no robot detected it.
    pub noticed: Option<f64>,
    /// Values of the changed parameter in the robots' simulators, two minutes after the change. For a wheel parameter,
    /// the list contains only the value of the first robot.
    pub found: Vec<f32>,
    /// Time until 90 % of the fitness of a swarm evolved for the new world was reached (s after the change), for each
    /// strategy; `None` if this fitness was not reached.
    pub regained: ByStrategy<Option<f64>>,
}

/// Results of the study of adaptivity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct AdaptStudy {
    /// Parameters of the study.
    pub plan: AdaptPlan,
    /// Simulations of each swarm.
    pub budget: Budget,
    /// Results of each seed.
    pub seeds: Vec<Seed>,
}

/// Runs the study with the seeds `config.seed`, `config.seed + 1` and so on. `progress` is called after each
/// generation. The study stops if `progress` returns true.
///
/// # Errors
/// If a setting is invalid, the new world cannot be run, or the study was stopped.
pub fn study(
    engine: &dyn Engine,
    config: &Config,
    plan: AdaptPlan,
    budget: Budget,
    mut progress: impl FnMut() -> bool,
) -> Result<AdaptStudy, StudyError> {
    config.check().map_err(StudyError)?;
    if usize::from(config.islands) != config.spec.robots {
        return study_error(format!(
            "{} islands and {} robots: the numbers must be equal, because each robot has one island",
            config.islands, config.spec.robots
        ));
    }
    let Some(parameter) = Parameter::from_name(plan.parameter) else {
        let names: Vec<&str> = Parameter::ALL.map(Parameter::name).into();
        return study_error(format!("{}: unknown parameter; choose one of {}", plan.parameter, names.join(", ")));
    };
    let there = WorldModel::from_spec(&config.spec).get(parameter);
    if parameter == Parameter::FrisbeeFriction && there.min(plan.value) >= STOPS_AT_ONCE {
        return study_error(format!(
            "{}={}: at {STOPS_AT_ONCE} or more a disc stops within one simulated step, so the change has no effect; \
             choose a smaller value",
            plan.parameter, plan.value
        ));
    }
    if there == plan.value {
        return study_error(format!(
            "{}={} is already the current value; choose another value",
            plan.parameter, plan.value
        ));
    }
    let changed = Real::with(&config.spec, parameter, plan.value)
        .map_err(|why| StudyError(format!("{}={}: {why}", plan.parameter, plan.value)))?;
    let mut seeds = Vec::with_capacity(plan.seeds);
    for seed in (0..plan.seeds as u64).map(|i| config.seed + i) {
        let config = Config { seed, ..config.clone() };
        seeds.push(one(engine, &config, (&plan, parameter), &changed, budget, &mut progress)?);
    }
    Ok(AdaptStudy { plan, budget, seeds })
}

/// Returns the mean fitness of a swarm in the world `real`. The robots run the fittest trees of their own islands.
/// The first robot assumes the wheel factors `held`.
fn worth(engine: &dyn Engine, evolution: &EvolutionRun, real: &Real, held: [f32; 2], budget: Budget) -> f64 {
    let settings = &evolution.config().settings;
    let trees = evolution.state().islands.iter().map(|island| champion(island, settings).tree.under_avoiding());
    let programs: Vec<Program> = trees.map(|tree| Program::compile(&tree).expect("a tree that fits a robot")).collect();
    let plan = budget.plan(&real.spec);
    if real.first_wheels != [1.0; 2] || held != [1.0; 2] {
        return worth_on_wheels(&programs, real, held, &plan);
    }
    let fitness = fitness_of_team(engine, &programs, &Team::from_programs(0..programs.len()), &plan);
    fitness.iter().sum::<f64>() / fitness.len() as f64
}

fn one(
    engine: &dyn Engine,
    config: &Config,
    (plan, parameter): (&AdaptPlan, Parameter),
    changed: &Real,
    budget: Budget,
    progress: &mut dyn FnMut() -> bool,
) -> Result<Seed, StudyError> {
    let mut go_on = || if progress() { study_error("stopped; nothing was written") } else { Ok(()) };
    let [before, after] = plan.generations;
    // Fitness is measured in worlds that the evolution has not used.
    let budget = Budget { seed: !config.seed, ..budget };
    let mut evolution = EvolutionRun::new(config.clone());
    let mut swarm = Swarm::new(&config.spec, config.seed);
    let planned = Real::as_planned(&config.spec);
    for generation in 0..before {
        evolution.step();
        if generation % plan.segment == 0 {
            swarm.begin_segment(&planned, &evolution);
        }
        swarm.work(&planned, plan.pace);
        swarm.exchange(&mut evolution);
        go_on()?;
    }
    let false_alarms = swarm.changes.len();
    let began = swarm.time();
    let measured = |evolution: &EvolutionRun, real: &Real, held: [f32; 2]| worth(engine, evolution, real, held, budget);
    let whole = swarm.first_wheels();
    let before_it = measured(&evolution, &planned, whole);
    let at_once = measured(&evolution, changed, whole);

    let told = Config { spec: changed.spec.clone(), ..config.clone() };
    let state = evolution.state().clone();
    let mut worth: ByStrategy<Vec<f64>> = ByStrategy::default();
    let mut found = Vec::new();
    for strategy in STRATEGIES {
        let mut evolution = match strategy {
            // Changes that robots made in their simulators after a false alarm are kept.
            Strategy::Adaptive => {
                std::mem::replace(&mut evolution, EvolutionRun::resumed(config.clone(), state.clone()))
            }
            Strategy::Unaware => EvolutionRun::resumed(config.clone(), state.clone()),
            Strategy::Restart => EvolutionRun::new(told.clone()),
        };
        for generation in 0..after {
            if strategy == Strategy::Adaptive {
                if generation % plan.segment == 0 {
                    swarm.begin_segment(changed, &evolution);
                }
                swarm.work(changed, plan.pace);
                swarm.exchange(&mut evolution);
                if found.is_empty() && f64::from(generation + 1) * plan.pace >= FOUND_WITHIN {
                    found = swarm.models(parameter);
                }
            }
            evolution.step();
            let held = match strategy {
                Strategy::Adaptive => swarm.first_wheels(),
                Strategy::Unaware => whole,
                Strategy::Restart => changed.first_wheels,
            };
            worth.of_mut(strategy).push(measured(&evolution, changed, held));
            go_on()?;
        }
    }
    if parameter.is_own_body() {
        found.truncate(1);
    }
    // The total number of generations is the same as for the other strategies.
    let mut new = EvolutionRun::new(told);
    let mut reached = Vec::new();
    for generation in 0..before + after {
        new.step();
        if (generation + LAST as u32) >= before + after {
            reached.push(measured(&new, changed, changed.first_wheels));
        }
        go_on()?;
    }
    let evolved_for_it = reached.iter().sum::<f64>() / reached.len() as f64;
    let mut regained = ByStrategy::default();
    // A share of a negligible fitness is meaningless.
    for strategy in STRATEGIES.into_iter().filter(|_| evolved_for_it >= WORTH_REGAINING) {
        let after = worth.get(strategy).iter().position(|worth| *worth >= REGAINED * evolved_for_it);
        *regained.of_mut(strategy) = after.map(|after| (after + 1) as f64 * plan.pace);
    }
    let since = &swarm.changes[false_alarms..];
    let mistaken = since.iter().filter(|change| change.parameter != parameter).count();
    let noticed = since.iter().find(|change| change.parameter == parameter).map(|change| change.time - began);
    Ok(Seed {
        seed: config.seed,
        worth,
        before: before_it,
        at_once,
        evolved_for_it,
        false_alarms,
        mistaken,
        changes: swarm.changes,
        noticed,
        found,
        regained,
    })
}

impl AdaptStudy {
    /// Returns the largest relative error of the values in [`Seed::found`] over all seeds; `None` if there are no
    /// values.
    pub fn worst_error(&self) -> Option<f64> {
        let value = f64::from(self.plan.value);
        let errors =
            self.seeds.iter().flat_map(|seed| &seed.found).map(|found| (f64::from(*found) / value - 1.0).abs());
        errors.fold(None, |worst: Option<f64>, error| Some(worst.map_or(error, |worst| worst.max(error))))
    }

    /// Returns a difference for each seed: the mean fitness of `strategy` after the change, minus the mean fitness of
    /// the strategy `of`.
    pub fn ahead(&self, strategy: Strategy, of: Strategy) -> Vec<f64> {
        let mean = |curve: &[f64]| curve.iter().sum::<f64>() / curve.len() as f64;
        self.seeds.iter().map(|seed| mean(seed.worth.get(strategy)) - mean(seed.worth.get(of))).collect()
    }

    /// Returns the median over the seeds of the time in [`Seed::regained`] (s). A time is infinite if a swarm did not
    /// regain its fitness.
    pub fn median_regained(&self, strategy: Strategy) -> f64 {
        let mut times: Vec<f64> =
            self.seeds.iter().map(|seed| seed.regained.get(strategy).unwrap_or(f64::INFINITY)).collect();
        times.sort_by(f64::total_cmp);
        let middle = times.len() / 2;
        if times.len() % 2 == 1 { times[middle] } else { 0.5 * (times[middle - 1] + times[middle]) }
    }

    /// Returns the result as sentences.
    pub fn sentence(&self) -> String {
        [self.said_of_noticing(), self.said_of_alarms(), self.said_of_worth()].join(" ")
    }

    fn said_of_noticing(&self) -> String {
        let swarms = self.seeds.len();
        let noticed: Vec<f64> = self.seeds.iter().filter_map(|seed| seed.noticed).collect();
        if noticed.is_empty() {
            return format!("None of {swarms} swarms detected the change of {}.", self.plan.parameter);
        }
        let slowest = noticed.iter().copied().fold(0.0, f64::max);
        let all = noticed.len() == swarms;
        let error = self.worst_error().filter(|_| all).map_or(String::new(), |error| {
            format!(
                "; two minutes after the change every robot's estimate was within {:.0} %",
                (100.0 * error).max(1.0).ceil()
            )
        });
        format!(
            "{} of {swarms} swarms detected the change of {}, the last after {slowest:.0} s{error}.",
            noticed.len(),
            self.plan.parameter
        )
    }

    fn said_of_alarms(&self) -> String {
        let many = |count: fn(&Seed) -> usize| self.seeds.iter().filter(|seed| count(seed) > 0).count();
        let said = |swarms: usize, what: &str| match swarms {
            0 => format!("No robot changed a parameter {what}."),
            1 => format!("In one swarm robots changed a parameter {what}."),
            swarms => format!("In {swarms} swarms robots changed a parameter {what}."),
        };
        let early = said(many(|seed| seed.false_alarms), "before the change");
        let other = said(many(|seed| seed.mistaken), "other than the changed one after it");
        format!("{early} {other}")
    }

    fn said_of_worth(&self) -> String {
        let time = |strategy: Strategy| match self.median_regained(strategy) {
            seconds if seconds.is_finite() => format!("after {seconds:.0} s"),
            _ => "not within the study".into(),
        };
        let ahead = self.ahead(Strategy::Adaptive, Strategy::Unaware);
        let mean = ahead.iter().sum::<f64>() / ahead.len() as f64;
        let interval = Estimate::from_sample(&ahead).map_or(String::new(), |ahead| {
            let [low, high] = ahead.interval.map(Figure);
            format!(" (95 %: {low:+.3} to {high:+.3})")
        });
        let ahead = format!(
            "After the change the mean fitness of adaptive swarms minus that of unaware swarms was {:+.3}{interval}",
            Figure(mean)
        );
        if self.seeds.iter().all(|seed| seed.noticed.is_none()) {
            return "Without a detected change, adaptive and unaware swarms were equal.".into();
        }
        if self.seeds.iter().all(|seed| seed.evolved_for_it < WORTH_REGAINING) {
            return format!(
                "{ahead}; swarms evolved for the new world from the beginning reached no useful fitness in this time."
            );
        }
        format!(
            "{ahead}; half of them reached 90 % of the fitness of swarms evolved for the new world {}, half of the \
             restarted ones {}.",
            time(Strategy::Adaptive),
            time(Strategy::Restart)
        )
    }

    /// Draws the mean fitness of each strategy after the change. A band shows the minimum and the maximum over the
    /// seeds for the adaptive strategy.
    pub fn draw(&self) -> String {
        let title = format!("Change of {} to {}", self.plan.parameter, self.plan.value);
        let mut plot = Plot::new(&title, "time since the change, min", "fitness in the new world");
        let minutes = |generation: usize| (generation + 1) as f64 * self.plan.pace / 60.0;
        let strokes = [Stroke::from(Colour::Blue), Stroke::from(Colour::Grey), Stroke::from(Colour::Orange).dashed()];
        let generations = self.plan.generations[1] as usize;
        let all = |strategy: Strategy, generation: usize| {
            self.seeds.iter().map(move |seed| seed.worth.get(strategy)[generation])
        };
        let edges = |generation: usize| {
            let low = all(Strategy::Adaptive, generation).fold(f64::INFINITY, f64::min);
            (minutes(generation), low, all(Strategy::Adaptive, generation).fold(f64::NEG_INFINITY, f64::max))
        };
        plot.band("", Colour::Blue, (0..generations).map(edges).collect());
        for (strategy, stroke) in STRATEGIES.into_iter().zip(&strokes) {
            let mean = |generation| all(strategy, generation).sum::<f64>() / self.seeds.len() as f64;
            plot.line(
                "",
                *stroke,
                (0..generations).map(|generation| (minutes(generation), mean(generation))).collect(),
            );
        }
        let level = self.seeds.iter().map(|seed| seed.evolved_for_it).sum::<f64>() / self.seeds.len() as f64;
        let end = minutes(generations.saturating_sub(1));
        plot.line("", Stroke::from(Colour::Black).faint(), vec![(0.0, level), (end, level)]);
        let names = ["adaptive (band: all seeds)", "unaware", "restarted with the new world"];
        let mut series: Vec<(String, Stroke)> = names.map(String::from).into_iter().zip(strokes).collect();
        series.push(("evolved for the new world from the beginning".into(), Stroke::from(Colour::Black).faint()));
        to_svg_with(&[plot], &Footer { series, caption: vec![self.sentence()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution_run::file::{keys, load};
    use xpuck_kernels::engine::Simd;

    fn config(islands: u16) -> Config {
        let texts = [
            format!("islands={islands}"),
            "generations=1000".into(),
            "seconds=5".into(),
            "settings.population=16".into(),
            "robots=4".into(),
        ];
        load(None, keys(&texts).unwrap()).unwrap()
    }

    fn plan(parameter: &'static str, value: f32) -> AdaptPlan {
        AdaptPlan { parameter, value, generations: [3, 13], pace: 10.0, segment: 2, seeds: 1 }
    }

    fn run_study(config: &Config, plan: AdaptPlan) -> Result<AdaptStudy, StudyError> {
        study(&Simd::default(), config, plan, Budget { seconds: 5.0, runs: 4, seed: 9 }, || false)
    }

    #[test]
    fn all_strategies_run_and_equal_seeds_reproduce() {
        let plan = plan("left-wheel", 0.6);
        let found = run_study(&config(4), plan).unwrap();
        let seed = &found.seeds[0];
        assert!(STRATEGIES.iter().all(|strategy| seed.worth.get(*strategy).len() == 13));
        assert_eq!((seed.false_alarms, seed.found.len()), (0, 1));
        assert!((seed.found[0] - 0.6).abs() < 0.09, "{:?}", seed.found);
        assert!(
            found.draw().contains("left-wheel")
                && found.sentence().contains("1 of 1 swarms detected the change of left-wheel")
        );
        assert_eq!(run_study(&config(4), plan).unwrap(), found);
    }

    #[test]
    fn invalid_studies_are_rejected_in_one_line() {
        let why = |config: &Config, plan| run_study(config, plan).unwrap_err().to_string();
        assert!(why(&config(4), plan("gravity", 1.0)).contains("unknown parameter; choose one of frisbee-mass"));
        assert!(why(&config(4), plan("frisbee-friction", 0.9)).contains("so the change has no effect"));
        assert!(why(&config(2), plan("frisbee-mass", 0.2)).contains("2 islands and 4 robots"));
        assert!(why(&config(4), plan("left-edge", 0.01)).lines().count() == 1);
        assert!(why(&config(4), plan("left-edge", 1.5)).contains("the edge of the arena is at 1 m"));
        let stopped = study(
            &Simd::default(),
            &config(4),
            plan("frisbee-mass", 0.2),
            Budget { seconds: 5.0, runs: 4, seed: 9 },
            || true,
        );
        assert!(stopped.unwrap_err().to_string().contains("stopped"));
    }
}
