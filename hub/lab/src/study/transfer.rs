//! Study of transfer: measures the fitness of evolved trees in a world that represents reality. The trees evolve
//! under different settings, such as the accuracy of the simulation or the primitive set. The study also measures the
//! computing time that each setting costs (thesis 8.3.5 and 9.2).

use super::{Budget, Estimate, StudyError, p_value, study_error};
use crate::evolution_run::file::load;
use crate::evolution_run::{Config, EvolutionRun, champion};
use crate::measure::fitness_of_team;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use toml::{Table, Value};
use xpuck_experiment::Calibration;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_stats::statistics::{holm, mann_whitney};
use xpuck_wire::clock::monotonic;

/// Minimum number of seeds per setting.
const FEWEST: usize = 2;

/// A setting under which trees evolve.
#[derive(Clone, Debug)]
pub struct Level {
    /// Name of the setting.
    pub name: String,
    /// Configuration of the setting's evolution runs.
    pub config: Config,
}

/// Reads settings from evolution files. A setting has the name of its file. The keys in `set` override the keys of
/// the files.
///
/// # Errors
/// If a file is invalid, or two files have the same name.
pub fn levels(files: &[PathBuf], set: &Table) -> Result<Vec<Level>, StudyError> {
    let mut levels: Vec<Level> = Vec::with_capacity(files.len());
    for file in files {
        let name = file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
        if levels.iter().any(|level| level.name == name) {
            return study_error(format!(
                "{}: another file has the same name {name}; rename one, because results use these names",
                file.display()
            ));
        }
        let config = load(Some(file), set.clone()).map_err(|error| StudyError(error.to_string()))?;
        levels.push(Level { name, config });
    }
    Ok(levels)
}

/// Returns the first setting's world with the values of a calibration file.
///
/// # Errors
/// If the file is invalid or contains values outside a world's ranges, or if there are no settings.
pub fn measured(levels: &[Level], file: &Path) -> Result<WorldSpec, StudyError> {
    let measured = Calibration::read(file).map_err(|error| StudyError(error.to_string()))?;
    let Some(Level { config, .. }) = levels.first() else { return study_error("no setting was given") };
    // The values apply to a world without calibration, because the first setting may contain another calibration.
    let robots = Table::from_iter([("robots".to_string(), Value::from(config.spec.robots as i64))]);
    let plain = load(None, robots).map_err(|error| StudyError(error.to_string()))?;
    let world = if config.world.is_some() { &config.spec } else { &plain.spec };
    measured.apply(world).map_err(|error| StudyError(format!("{}: {error}", file.display())))
}

/// Result of one run of evolution.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Evolved {
    /// Name of the setting.
    #[serde(rename = "setting")]
    pub level: String,
    /// Seed of the evolution.
    pub seed: u64,
    /// Fitness of the swarm of the run's champions, in the world in which the champions evolved.
    pub simulated: f64,
    /// Fitness of the same swarm in the world that represents reality.
    pub real: f64,
    /// Simulated time of the evolution (robot-seconds).
    pub robot_seconds: f64,
    /// Wall time of the evolution on this machine (s). This is the only value that is not reproducible.
    pub wall_s: f64,
}

/// Results of one setting.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LevelResult {
    /// Name of the setting.
    #[serde(rename = "setting")]
    pub level: String,
    /// Fitness in the setting's own world.
    pub simulated: Estimate,
    /// Fitness in the world that represents reality.
    pub real: Estimate,
    /// Difference of `simulated` minus `real`.
    pub gap: Estimate,
    /// Wall time per million simulated robot-seconds (s), mean of the seeds.
    pub cost: f64,
    /// p-value of the Mann-Whitney test of the setting's real fitness against the first setting's real fitness,
    /// corrected over all settings (Holm); `None` for the first setting.
    pub p: Option<f64>,
}

/// Results of the study of transfer.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TransferStudy {
    /// Simulations of each swarm.
    pub budget: Budget,
    /// Whether a separate world represents reality, for example a calibrated world. Otherwise, the first setting's
    /// world represents reality.
    pub measured: bool,
    /// Results of each run.
    pub runs: Vec<Evolved>,
    /// Results of each setting, in the given order.
    #[serde(rename = "settings")]
    pub levels: Vec<LevelResult>,
}

/// Returns the minimum p-value of a Mann-Whitney test of two samples with `seeds` values each. The p-value is minimal
/// if all values of one sample are above all values of the other sample.
fn least_p(seeds: usize) -> f64 {
    // Two of the (2n choose n) orders have this property, one for each sample.
    2.0 / (1..=seeds).fold(1.0, |orders, i| orders * (seeds + i) as f64 / i as f64)
}

/// Evolves trees under each setting with `seeds` consecutive seeds, starting at the setting's own seed. Measures the
/// fitness in the setting's world and in `real`. If `real` is `None`, the first setting's world represents reality.
/// `progress` is called after each generation. The study is cancelled when `stop` is set.
///
/// # Errors
/// If there are fewer than two seeds or no settings, if swarms differ in size, or if the study was stopped.
pub fn study(
    engine: &dyn Engine,
    levels: &[Level],
    real: Option<&WorldSpec>,
    seeds: usize,
    budget: Budget,
    stop: &AtomicBool,
    mut progress: impl FnMut(),
) -> Result<TransferStudy, StudyError> {
    if seeds < FEWEST || levels.is_empty() {
        return study_error("a study needs at least two seeds and one setting");
    }
    let (measured, real) = (real.is_some(), real.unwrap_or(&levels[0].config.spec));
    for Level { name, config } in levels {
        config.check().map_err(|error| StudyError(format!("{name}: {error}")))?;
        if config.spec.robots != real.robots {
            let [evolved, there] = [config.spec.robots, real.robots];
            return study_error(format!(
                "{name}: {evolved} robots evolve, but {there} are in the real world; use the same number"
            ));
        }
    }
    let mut runs = Vec::with_capacity(levels.len() * seeds);
    for level in levels {
        for seed in (0..seeds as u64).map(|i| level.config.seed + i) {
            let config = Config { seed, ..level.config.clone() };
            let mut watch = || {
                progress();
                stop.load(Ordering::Relaxed)
            };
            runs.push(one(engine, &level.name, config, real, budget, &mut watch)?);
        }
    }
    let of = |level: &Level, value: fn(&Evolved) -> f64| -> Vec<f64> {
        runs.iter().filter(|run| run.level == level.name).map(value).collect()
    };
    let reference = of(&levels[0], |run| run.real);
    let p: Vec<f64> = levels[1..]
        .iter()
        .map(|level| mann_whitney(&of(level, |run| run.real), &reference).map_or(1.0, |ranks| ranks.p))
        .collect();
    let adjusted = [None].into_iter().chain(holm(&p).into_iter().map(Some));
    let result = |(level, p): (&Level, Option<f64>)| {
        let cost = of(level, |run| run.wall_s / run.robot_seconds * 1e6);
        Some(LevelResult {
            level: level.name.clone(),
            simulated: Estimate::from_sample(&of(level, |run| run.simulated))?,
            real: Estimate::from_sample(&of(level, |run| run.real))?,
            gap: Estimate::from_sample(&of(level, |run| run.simulated - run.real))?,
            cost: cost.iter().sum::<f64>() / cost.len() as f64,
            p,
        })
    };
    let found = levels.iter().zip(adjusted).filter_map(result).collect();
    Ok(TransferStudy { budget, measured, runs, levels: found })
}

fn one(
    engine: &dyn Engine,
    level: &str,
    config: Config,
    real: &WorldSpec,
    budget: Budget,
    stop: &mut dyn FnMut() -> bool,
) -> Result<Evolved, StudyError> {
    let (settings, spec, seed) = (config.settings.clone(), config.spec.clone(), config.seed);
    let began = monotonic();
    let mut evolution = EvolutionRun::new(config);
    while !evolution.is_done() {
        evolution.step();
        if stop() {
            return study_error("stopped; nothing was written");
        }
    }
    let wall_s = (monotonic() - began).as_secs_f64();
    let trees = evolution.state().islands.iter().map(|island| champion(island, &settings).tree.under_avoiding());
    let programs: Vec<Program> = trees.map(|tree| Program::compile(&tree).expect("a tree that fits a robot")).collect();
    // If there are more robots than islands, the champions are used in turn.
    let team = Team::from_programs((0..spec.robots).map(|robot| robot % programs.len()));
    // Fitness is measured in worlds that the evolution has not used.
    let fresh = Budget { seed: !seed, ..budget };
    let mean = |spec: &WorldSpec| {
        let fitness = fitness_of_team(engine, &programs, &team, &fresh.plan(spec));
        fitness.iter().sum::<f64>() / fitness.len() as f64
    };
    Ok(Evolved {
        level: level.into(),
        seed,
        simulated: mean(&spec),
        real: mean(real),
        robot_seconds: evolution.robot_seconds(),
        wall_s,
    })
}

impl TransferStudy {
    /// Returns the result as sentences.
    pub fn sentence(&self) -> String {
        let Some(best) = self.levels.iter().max_by(|a, b| a.real.mean.total_cmp(&b.real.mean)) else {
            return String::new();
        };
        let Some(first) = self.levels.first() else { return String::new() };
        let seeds = self.runs.len() / self.levels.len();
        let there = if self.measured { "in the world that represents reality" } else { "in the first file's world" };
        let different: Vec<String> = self
            .levels
            .iter()
            .filter_map(|level| Some((level, level.p.filter(|p| *p < 0.05)?)))
            .map(|(level, p)| format!("`{}` ({:+.3}, {})", level.level, level.real.mean - first.real.mean, p_value(p)))
            .collect();
        let against = match (self.levels.len(), different.is_empty()) {
            (1, _) => format!("{seeds} seeds {there}."),
            (compared, true) if least_p(seeds) * (compared - 1) as f64 >= 0.05 => {
                format!("{seeds} seeds per setting are too few for a significant difference.")
            }
            (_, true) => {
                format!("No setting differs significantly {there} from `{}`, with {seeds} seeds.", first.level)
            }
            (_, false) => {
                format!(
                    "Settings that differ significantly from `{}` {there}, with {seeds} seeds: {}.",
                    first.level,
                    different.join(", ")
                )
            }
        };
        let head = format!(
            "`{}` has the highest mean fitness {there} ({:.3}; simulated {:.3}).",
            best.level,
            Figure(best.real.mean),
            Figure(best.simulated.mean)
        );
        let widest = self.levels.iter().max_by(|a, b| a.gap.mean.abs().total_cmp(&b.gap.mean.abs())).unwrap_or(best);
        let gap = match widest.gap.interval[0] <= 0.0 && widest.gap.interval[1] >= 0.0 {
            true => String::new(),
            false => format!(
                " The largest difference between simulation and that world is that of `{}` ({:+.3}).",
                widest.level,
                Figure(widest.gap.mean)
            ),
        };
        format!("{against} {head}{gap}")
    }

    /// Draws the simulated and real fitness of each setting.
    pub fn draw(&self) -> String {
        let mut fitness = Plot::new("Fitness of evolved trees", "setting, in the order below", "fitness").whole_x();
        let mut cost =
            Plot::new("Computing time of a setting", "setting, in the order below", "s per million robot-s").whole_x();
        let place = |i: usize| (i + 1) as f64;
        let at = |name: &str| self.levels.iter().position(|level| level.level == name).map_or(0.0, place);
        for (shift, colour, value) in [
            (-0.06, Colour::Orange, (|run| run.simulated) as fn(&Evolved) -> f64),
            (0.06, Colour::Blue, |run: &Evolved| run.real),
        ] {
            fitness.points("", colour, self.runs.iter().map(|run| (at(&run.level) + shift, value(run))).collect());
        }
        for (i, level) in self.levels.iter().enumerate() {
            for (shift, colour, mean) in
                [(-0.06, Colour::Orange, level.simulated.mean), (0.06, Colour::Blue, level.real.mean)]
            {
                let x = place(i) + shift;
                fitness.line("", colour, vec![(x - 0.1, mean), (x + 0.1, mean)]);
            }
            cost.line("", Colour::Black, vec![(place(i) - 0.2, level.cost), (place(i) + 0.2, level.cost)]);
        }
        cost.points("", Colour::Grey, vec![(1.0, 0.0)]);
        let (real, first) =
            ("in the world that represents reality; bars are means", "in the first file's world; bars are means");
        let series = vec![
            ("in its own simulation".into(), Stroke::from(Colour::Orange)),
            (if self.measured { real } else { first }.into(), Stroke::from(Colour::Blue)),
        ];
        let list: Vec<String> =
            self.levels.iter().enumerate().map(|(i, l)| format!("{}: {}", i + 1, l.level)).collect();
        to_svg_with(&[fitness, cost], &Footer { series, caption: vec![list.join("; "), self.sentence()] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution_run::file::{keys, load};
    use xpuck_kernels::engine::Simd;

    fn level(name: &str, more: &[&str]) -> Level {
        let texts = ["islands=4", "generations=2", "seconds=5", "settings.population=16", "robots=4"];
        let texts: Vec<String> = texts.iter().chain(more).map(|text| text.to_string()).collect();
        Level { name: name.into(), config: load(None, keys(&texts).unwrap()).unwrap() }
    }

    fn run_study(levels: &[Level], real: &WorldSpec, seeds: usize) -> Result<TransferStudy, StudyError> {
        let budget = Budget { seconds: 5.0, runs: 4, seed: 9 };
        study(&Simd::default(), levels, Some(real), seeds, budget, &AtomicBool::new(false), || {})
    }

    #[test]
    fn trees_evolved_in_real_world_have_no_gap() {
        let same = level("same", &[]);
        let mut other = level("slippery", &[]);
        other.config.spec.robot.mu = 0.1;
        let found = run_study(&[same.clone(), other], &same.config.spec, 2).unwrap();
        assert!(found.runs[..2].iter().all(|run| run.simulated == run.real), "{found:?}");
        assert_eq!(found.levels[0].p, None);
        assert!(found.levels[1].p.is_some() && found.levels.iter().all(|level| level.cost > 0.0));
        assert!(found.draw().contains("slippery") && found.sentence().contains("2 seeds per setting are too few"));
        assert!((least_p(5) - 2.0 / 252.0).abs() < 1e-12);
        let mut again = run_study(std::slice::from_ref(&same), &same.config.spec, 2).unwrap().runs;
        again.iter_mut().zip(&found.runs).for_each(|(run, first)| run.wall_s = first.wall_s);
        assert_eq!(again, found.runs[..2], "but for the clock the same digits");
    }

    #[test]
    fn invalid_comparisons_are_rejected() {
        let four = level("four", &[]);
        let nine = WorldSpec::benchmark(9);
        assert!(
            run_study(std::slice::from_ref(&four), &nine, 2)
                .unwrap_err()
                .to_string()
                .contains("four: 4 robots evolve, but 9")
        );
        assert!(
            run_study(std::slice::from_ref(&four), &four.config.spec, 1).is_err() && run_study(&[], &nine, 2).is_err()
        );
    }
}
