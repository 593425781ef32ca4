//! Evolution file: the configuration of a run of evolution in TOML. Every key is optional.

use super::config::{Config, MAX_FUNCTION};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toml::{Table, Value};
use xpuck_evolve::{Algorithm, Migration, PrimitiveSet, Settings, checkpoint};
use xpuck_experiment::robot_model::{self, RobotSpec, is_named, named_robot};
use xpuck_experiment::settings::{self, DERIVED_SETTINGS};
use xpuck_experiment::steps::{self, MAX_GENERATIONS};
use xpuck_experiment::{Calibration, Step, StepEntry, world_file};
use xpuck_kernels::engine::{AdapterChoice, EngineChoice, EngineKind};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::file::{self, FileError};

/// Maximum length of an evolution file (bytes).
const MAX_TEXT: usize = 64 * 1024;
/// Name of the world file in the same folder as a run's own evolution file.
pub const WORLD: &str = "world.toml";
/// Name of the robot model's file in the same folder as a run's own evolution file.
pub const ROBOT: &str = "robot.toml";
/// Name of the calibration file in the same folder as a run's own evolution file.
pub const CALIBRATION: &str = "calibration.toml";
/// Name of the primitive set's file in the same folder as a run's own evolution file.
pub const PRIMITIVE_SET: &str = "primitive-set.toml";
/// Keys that are also accepted under an older name. Each entry has the older name and the current name.
const RENAMED: [(&str, &str); 1] = [("palette", "primitive_set")];
/// Number of generations if the file has neither this number nor a budget.
const GENERATIONS: u32 = 84;

/// Keys of the evolution file.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EvolutionFile {
    /// Evolutionary algorithm of all islands.
    algorithm: Algorithm,
    /// Number of islands, 1 to 64.
    #[schemars(range(min = 1, max = 64))]
    islands: u16,
    /// Number of the only island that this process evolves (default: all islands).
    #[schemars(range(min = 0, max = 9999))]
    island: Option<u16>,
    /// Number of generations (default 84, unless there is a budget).
    #[schemars(range(min = 1, max = MAX_GENERATIONS))]
    generations: Option<u32>,
    /// Simulated robot time after which the run ends (robot-seconds), even before the last generation.
    #[schemars(range(min = 1.0, max = 1e15))]
    budget: Option<f64>,
    /// Number of simulations (trials). The run ends if a further generation, as large as the largest so far, would exceed
    /// it. The first generation always runs.
    #[schemars(range(min = 1, max = 1_000_000_000_000u64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    simulations: Option<u64>,
    /// Robots in place of those of the world file: the name of a model, or a file relative to this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    robot: Option<String>,
    /// Number of robots in the simulated world (default: that of the world file).
    #[schemars(range(min = 1, max = MAX_ROBOTS))]
    robots: Option<usize>,
    /// Length of a trial (s).
    #[schemars(range(min = 1.0, max = 3600.0))]
    seconds: f32,
    /// Seed of all random numbers.
    seed: u64,
    /// Engine that simulates the trials: "simd" (default), "gpu", "reference", "both" or "auto".
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<EngineKind>,
    /// Adapter of "gpu" and "both", by its index or a part of its name (default: the most capable one).
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<AdapterChoice>,
    /// Number of fresh simulations in which the champion is measured at the end.
    #[schemars(range(min = 1, max = 100_000))]
    remeasure: u32,
    /// World file, relative to this file (default: the benchmark).
    world: Option<PathBuf>,
    /// Name of the Python function that computes the fitness (default: the world's task). Only the Python package can
    /// run such an evolution.
    #[schemars(length(min = 1, max = MAX_FUNCTION))]
    #[serde(skip_serializing_if = "Option::is_none")]
    fitness: Option<String>,
    /// Calibration file, relative to this file. Its measured values are applied to the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    calibration: Option<PathBuf>,
    /// File with the nodes, registers and ranges of trees, relative to this file (default: the swarm's own set).
    #[serde(alias = "palette")]
    primitive_set: Option<PathBuf>,
    /// Settings of the algorithm. The default of each setting depends on the algorithm.
    #[schemars(schema_with = "xpuck_experiment::settings::schema")]
    settings: Table,
    /// Migration of genes between islands.
    migration: Migration,
    /// Curriculum: worlds in which the islands evolve before the run's own world. They are used in the given order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepEntry>,
}

impl Default for EvolutionFile {
    fn default() -> EvolutionFile {
        EvolutionFile {
            algorithm: Algorithm::default(),
            islands: 9,
            island: None,
            generations: None,
            budget: None,
            simulations: None,
            robot: None,
            robots: None,
            seconds: 30.0,
            seed: 1,
            engine: None,
            adapter: None,
            remeasure: 1000,
            world: None,
            fitness: None,
            calibration: None,
            primitive_set: None,
            settings: Table::new(),
            migration: Migration::default(),
            steps: Vec::new(),
        }
    }
}

/// Number of robots of the benchmark if the file does not set it.
const ROBOTS: usize = 9;

/// Loads the configuration of a run. `overrides` has the same keys as the file, and replaces their values. Without a
/// file, the overrides replace the defaults. Paths in the file are relative to the file. Paths in `overrides` are
/// relative to the current folder.
///
/// # Errors
/// The file or a value is invalid, or a Python function computes the fitness. The error is one line that names the
/// file, and the key or the line number.
pub fn load(path: Option<&Path>, overrides: Table) -> Result<Config, FileError> {
    let config = load_any(path, overrides)?;
    let name = path.map_or("evolution".into(), |p| p.display().to_string());
    config.check_fitness().map_err(|message| FileError::value(&name, message))?;
    Ok(config)
}

/// Loads the configuration of a run like [`load`], also if a Python function computes the fitness.
///
/// # Errors
/// The file or a value is invalid. The error is one line that names the file, and the key or the line number.
pub fn load_any(path: Option<&Path>, overrides: Table) -> Result<Config, FileError> {
    let mut table = Table::new();
    let name = path.map_or("evolution".into(), |p| p.display().to_string());
    if let Some(path) = path {
        let text = read(path)?;
        if text.len() > MAX_TEXT {
            return Err(FileError::value(
                &name,
                format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len()),
            ));
        }
        // The file is first parsed without the overrides, so that an error has the line number.
        file::parse::<EvolutionFile>(&name, &text)?;
        table = file::parse(&name, &text)?;
        rename(&mut table);
        for key in ["world", "calibration", "primitive_set"] {
            if let Some(Value::String(beside)) = table.get_mut(key) {
                *beside = path.with_file_name(&beside).to_string_lossy().into_owned();
            }
        }
        if let Some(Value::String(robot)) = table.get_mut("robot").filter(|robot| !robot.as_str().is_some_and(is_named))
        {
            *robot = path.with_file_name(&robot).to_string_lossy().into_owned();
        }
        for step in table.get_mut("steps").and_then(Value::as_array_mut).into_iter().flatten() {
            if let Some(Value::String(beside)) = step.get_mut("world") {
                *beside = path.with_file_name(&beside).to_string_lossy().into_owned();
            }
        }
    }
    let mut overrides = overrides;
    rename(&mut overrides);
    merge(&mut table, overrides);
    let file: EvolutionFile = table.try_into().map_err(|error| FileError::value(&name, file::wrong_value(&error)))?;
    config(&name, file)
}

/// Renames keys with older names to their current names, so that two tables can be merged.
fn rename(table: &mut Table) {
    for (old, new) in RENAMED {
        if let Some(value) = table.remove(old) {
            table.entry(new).or_insert(value);
        }
    }
}

/// Copies the keys of `overrides` into `table`. Nested tables are merged recursively.
pub fn merge(table: &mut Table, overrides: Table) {
    for (key, value) in overrides {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Parses keys of a command line, given as `KEY=VALUE`, for [`load`]. A value that is a single word may lack its
/// quotes, because shells remove them.
///
/// # Errors
/// A text is invalid. The error is one line that contains this text.
pub fn keys(texts: &[String]) -> Result<Table, FileError> {
    let mut table = Table::new();
    for text in texts {
        let wrong = || {
            FileError::value(
                &format!("--set {text}"),
                "write KEY=VALUE as in an evolution file, e.g. settings.elite=0.3",
            )
        };
        merge(&mut table, text.parse().ok().or_else(|| bare_word(text)).ok_or_else(wrong)?);
    }
    Ok(table)
}

/// Parses a key whose value is a word or a path without quotes. Returns `None` if the text has another form.
fn bare_word(text: &str) -> Option<Table> {
    let (key, value) = text.split_once('=')?;
    let value = value.trim();
    let is_word = value.chars().all(|c| c.is_alphanumeric() || "-_./+~".contains(c));
    (is_word && !value.is_empty()).then(|| format!("{key} = \"{value}\"").parse().ok())?
}

fn config(name: &str, file: EvolutionFile) -> Result<Config, FileError> {
    let fail = |message: String| FileError::value(name, message);
    let settings = settings::effective(file.algorithm, file.settings, &file.migration).map_err(fail)?;
    let robot = file.robot.as_deref().map(robot_model::read).transpose();
    let mut robot = robot.map_err(|why| fail(format!("robot: {why}")))?;
    let (spec, world) = match file.world {
        Some(path) => {
            let (spec, text) = (world_file::read_with(&path, robot.as_ref())?, read(&path)?);
            // The folder of the run must not depend on other files.
            if robot.is_none() && named_robot(&text).is_some() {
                robot = Some(world_file::robot(&path)?);
            }
            let text = match robot {
                Some(_) => named_here(&text).map_err(fail)?,
                None => text,
            };
            (spec, Some(text))
        }
        None => {
            let robots = file.robots.unwrap_or(ROBOTS);
            if !(1..=MAX_ROBOTS).contains(&robots) {
                return Err(fail(format!("robots = {robots} is outside 1 to {MAX_ROBOTS}")));
            }
            let mut spec = WorldSpec::benchmark(robots);
            robot.iter().for_each(|robot| robot.apply(&mut spec));
            spec.check().map_err(|error| fail(error.to_string()))?;
            (spec, None)
        }
    };
    if let Some(robots) = file.robots.filter(|robots| *robots != spec.robots) {
        return Err(fail(format!("robots = {robots}, but the world has {} robots; remove `robots`", spec.robots)));
    }
    let absent = spec.physics.robot.absent_cells();
    let (primitive_set, primitive_set_file) = match file.primitive_set {
        Some(path) => {
            let text = read(&path)?;
            let name = path.display().to_string();
            let read = PrimitiveSet::parse_without(&name, &text, absent)
                .map_err(|error| FileError::value(&name, error.message))?;
            (read, Some(text))
        }
        None => (PrimitiveSet::in_swarm_without(absent), None),
    };
    let generations = file.generations.unwrap_or(if file.budget.is_some() || file.simulations.is_some() {
        MAX_GENERATIONS
    } else {
        GENERATIONS
    });
    let world_of = |path: &str| Ok((world_file::read_with(path.as_ref(), robot.as_ref())?, read(path.as_ref())?));
    let mut steps = steps::read(&file.steps, &spec, generations, world_of, fail)?;
    let (spec, calibration) = match file.calibration {
        Some(path) => {
            let name = path.display().to_string();
            let text = read(&path)?;
            let measured = Calibration::parse(&name, &text)?;
            let apply = |spec| measured.apply(&spec).map_err(|why| FileError::value(&name, why));
            for step in &mut steps {
                step.spec = apply(WorldSpec::clone(&step.spec))?.into();
            }
            (apply(spec)?, Some(text))
        }
        None => (spec, None),
    };
    let config = Config {
        islands: file.islands,
        island: file.island,
        generations,
        budget: file.budget,
        simulations: file.simulations,
        robot,
        seconds: file.seconds,
        seed: file.seed,
        remeasure: file.remeasure,
        spec,
        steps,
        world,
        fitness: file.fitness,
        calibration,
        primitive_set,
        primitive_set_file,
        settings,
        migration: file.migration,
        engine: EngineChoice {
            engine: file.engine.unwrap_or(EngineKind::Simd),
            adapter: file.adapter.unwrap_or_default(),
        },
    };
    config.check().map_err(fail)?;
    Ok(config)
}

/// Returns the name of a curriculum step's world file, which is in the same folder as a run's own evolution file.
/// `number` is the number of the step, from 1.
pub fn step_world(number: usize) -> String {
    format!("step-{number}-world.toml")
}

fn read(path: &Path) -> Result<String, FileError> {
    file::text(path, file::MAX_TOML)
}

/// Converts settings to a table via text. In text, 0.05 stays 0.05. A direct conversion would give the f64 value of
/// the nearest f32 value.
fn as_table(settings: &Settings) -> Table {
    let text = toml::to_string(settings).expect("settings are plain data");
    text.parse().expect("what was written can be read")
}

/// Returns the text of a world file whose robots are those of [`ROBOT`] in the same folder. The key is the first line, so
/// that the rest of the file stays as it is.
fn named_here(world: &str) -> Result<String, String> {
    let mut table: Table = world.parse().map_err(|error: toml::de::Error| error.message().to_string())?;
    let before = table.remove("robot");
    if before == Some(ROBOT.into()) {
        return Ok(world.into());
    }
    if before.is_none() {
        return Ok(format!("robot = \"{ROBOT}\"\n{world}"));
    }
    table.insert("robot".into(), ROBOT.into());
    Ok(table.to_string())
}

/// Returns the text of the evolution file for exactly this run, with all keys. Its world file is [`WORLD`] in the
/// same folder.
pub fn write(config: &Config) -> String {
    let EngineChoice { engine, adapter } = config.engine.clone();
    let adapter = Some(adapter).filter(|adapter| *adapter != AdapterChoice::Best);
    let file = EvolutionFile { engine: Some(engine), adapter, ..file_without_engine(config) };
    toml::to_string(&file).expect("seeds are checked to fit")
}

fn file_without_engine(config: &Config) -> EvolutionFile {
    let mut settings = as_table(&config.settings);
    DERIVED_SETTINGS.iter().for_each(|(key, _)| drop(settings.remove(*key)));
    EvolutionFile {
        algorithm: config.settings.algorithm,
        islands: config.islands,
        island: config.island,
        generations: Some(config.generations),
        budget: config.budget,
        simulations: config.simulations,
        robot: config.robot.as_ref().map(|_| ROBOT.into()),
        robots: Some(config.spec.robots),
        seconds: config.seconds,
        seed: config.seed,
        engine: None,
        adapter: None,
        remeasure: config.remeasure,
        world: config.world.as_ref().map(|_| WORLD.into()),
        fitness: config.fitness.clone(),
        calibration: config.calibration.as_ref().map(|_| CALIBRATION.into()),
        primitive_set: config.primitive_set_file.as_ref().map(|_| PRIMITIVE_SET.into()),
        settings,
        migration: config.migration.clone(),
        steps: config.steps.iter().enumerate().map(|(i, step)| step_entry(i + 1, step)).collect(),
    }
}

fn step_entry(number: usize, step: &Step) -> StepEntry {
    StepEntry { world: step.world.as_ref().map(|_| step_world(number)), ..step.into() }
}

impl Config {
    /// Returns the number that identifies this configuration in checkpoints. It does not depend on the engine,
    /// because a run may continue with another engine. The run's folder records the engine.
    pub fn fingerprint(&self) -> u32 {
        let file = toml::to_string(&file_without_engine(self)).expect("seeds are checked to fit");
        let robot = self.robot.as_ref().map(RobotSpec::to_toml);
        let beside = [&self.world, &self.primitive_set_file].map(|text| text.as_deref().unwrap_or(""));
        let worlds = self.steps.iter().filter_map(|step| step.world.as_deref());
        let texts = [file.as_str(), beside[0], beside[1]]
            .into_iter()
            .chain(self.calibration.as_deref())
            .chain(robot.as_deref());
        checkpoint::fingerprint(texts.chain(worlds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load_text(text: &str, overrides: &str) -> Result<Config, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("e.toml");
        std::fs::write(&path, text).unwrap();
        load(Some(&path), overrides.parse().unwrap())
            .map_err(|e| e.to_string().split("e.toml: ").last().unwrap().into())
    }

    #[test]
    fn omitted_settings_use_algorithm_defaults_and_flags_win() {
        let config = load_text("algorithm = \"noise-aware\"\nseed = 3\n[settings]\ndepth = 5\n", "seed = 4").unwrap();
        let expected = Settings { depth: 5, ..Settings::for_algorithm(Algorithm::NoiseAware) };
        assert_eq!((&config.settings, config.seed, config.islands), (&expected, 4, 9));
        let same = load_text("[settings]\nelite = 0.3\n", "settings.depth = 6").unwrap();
        assert_eq!((same.settings.elite, same.settings.depth), (0.3, 6), "tables are merged");
        assert_eq!(load(None, Table::new()).unwrap().settings, Settings::default());
    }

    #[test]
    fn primitive_set_budget_and_old_names_are_accepted() {
        let dir = tempfile::tempdir().unwrap();
        let primitive_set =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../robot/evolve/src/primitive_set/transferability.toml");
        std::fs::copy(primitive_set, dir.path().join("p.toml")).unwrap();
        let text = "algorithm = \"racing\"\nprimitive_set = \"p.toml\"\nbudget = 5e4\n[settings]\npopulation = 12\n";
        std::fs::write(dir.path().join("e.toml"), text).unwrap();
        let config = load(Some(&dir.path().join("e.toml")), Table::new()).unwrap();
        let older = text.replace("racing", "default").replace("primitive_set", "palette");
        std::fs::write(dir.path().join("older.toml"), older).unwrap();
        let older = load(Some(&dir.path().join("older.toml")), Table::new()).unwrap();
        assert_eq!((write(&older), older.fingerprint()), (write(&config), config.fingerprint()), "older names");
        let own = format!("primitive_set = \"{primitive_set}\"");
        let changed = load(Some(&dir.path().join("older.toml")), own.parse().unwrap()).unwrap();
        assert_eq!(changed.fingerprint(), config.fingerprint(), "an override of the key by its new name");
        assert_eq!(config.settings.algorithm, Algorithm::default());
        assert_eq!(config.primitive_set, PrimitiveSet::transferability());
        assert_eq!((config.generations, config.budget), (MAX_GENERATIONS, Some(5e4)));
        assert_eq!((config.settings.immigrants, config.settings.exchange_every), (6, 1), "half of the population");
        let bounded = load(None, "budget = 5e4\ngenerations = 3".parse().unwrap()).unwrap();
        assert_eq!(bounded.generations, 3);
        std::fs::write(dir.path().join("run.toml"), write(&config)).unwrap();
        std::fs::write(dir.path().join(PRIMITIVE_SET), config.primitive_set_file.as_ref().unwrap()).unwrap();
        let again = load(Some(&dir.path().join("run.toml")), Table::new()).unwrap();
        assert_eq!((again.fingerprint(), again.primitive_set), (config.fingerprint(), config.primitive_set.clone()));
        let other = Config { primitive_set_file: None, primitive_set: PrimitiveSet::in_swarm(), ..config.clone() };
        assert_ne!(other.fingerprint(), config.fingerprint());
    }

    #[test]
    fn written_run_has_every_key_and_reads_back() {
        let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/foraging.toml");
        let text = format!("world = \"{world}\"\nseed = 7\n[migration]\nreceive = 4\nevery = 3\n");
        let config = load_text(&text, "").unwrap();
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("run.toml"), write(&config)).unwrap();
        std::fs::write(dir.path().join(WORLD), config.world.as_ref().unwrap()).unwrap();
        let again = load(Some(&dir.path().join("run.toml")), Table::new()).unwrap();
        assert_eq!((write(&again), &again.world), (write(&config), &config.world));
        assert_eq!((again.spec.robots, again.settings.immigrants), (config.spec.robots, 4));
        for key in ["algorithm", "islands", "mutate_parameter = 0.05", "policy", "every = 3", "world = \"world.toml\""]
        {
            assert!(write(&config).contains(key), "{key}: {}", write(&config));
        }
    }

    #[test]
    fn written_curriculum_reads_back() {
        let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/worlds/foraging.toml");
        let steps = format!(
            "[[steps]]\nname = \"alone\"\nrobots = 1\nend = \"gennum >= 3\"\n\
             [[steps]]\nname = \"food\"\nworld = \"{world}\"\nseconds = 10.0\nend = \"best-fitness >= 0.1\"\n"
        );
        let config = load_text(&steps, "").unwrap();
        assert_eq!(config.steps.iter().map(|step| step.spec.robots).collect::<Vec<_>>()[0], 1);
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("run.toml"), write(&config)).unwrap();
        std::fs::write(dir.path().join(step_world(2)), config.steps[1].world.as_ref().unwrap()).unwrap();
        let again = load(Some(&dir.path().join("run.toml")), Table::new()).unwrap();
        assert_eq!((write(&again), again.fingerprint()), (write(&config), config.fingerprint()));
        let other = load_text(&steps.replace("= 10.0", "= 20.0"), "").unwrap();
        assert_ne!(other.fingerprint(), config.fingerprint());
    }

    #[test]
    fn words_of_a_command_line_need_no_quotes() {
        let set = |text: &str| keys(&[text.to_string()]).map_err(|error| error.to_string());
        let policy = set("migration.policy=ring").unwrap();
        assert_eq!(load(None, policy.clone()).unwrap().migration.policy, xpuck_evolve::Policy::Ring);
        assert_eq!(set("migration.policy = \"ring\"").unwrap(), policy);
        assert_eq!(set("world=../worlds/wall-1.toml").unwrap()["world"].as_str(), Some("../worlds/wall-1.toml"));
        assert_eq!(set("settings.elite=0.5").unwrap()["settings"]["elite"].as_float(), Some(0.5));
        let star = load(None, set("migration.policy=star").unwrap()).map(drop).unwrap_err().to_string();
        assert!(star.contains("unknown variant `star`"), "{star}");
        let number = load(None, set("settings.depth=deep").unwrap()).map(drop).unwrap_err().to_string();
        assert!(number.contains("settings") && number.contains("string \"deep\""), "{number}");
        for text in ["policy", "policy=", "policy=a b", "policy=\"a", "policy=[a", "=ring", "a=b#c"] {
            assert_eq!(
                set(text).unwrap_err(),
                format!("--set {text}: write KEY=VALUE as in an evolution file, e.g. settings.elite=0.3")
            );
        }
    }

    #[test]
    fn nonsense_is_refused_in_one_line_that_names_it() {
        for (text, expected) in [
            ("seeds = 3", "line 1: unknown field `seeds`"),
            ("algorithm = \"best\"", "line 1: unknown variant `best`"),
            ("\n[settings]\npopulatoin = 3", "settings: unknown key `populatoin`; did you mean `population`?"),
            ("[settings]\npopulation = 3", "population = 3 is outside 8 to 4096"),
            ("[settings]\nimmigrants = 3", "settings.immigrants: set `migration.receive` instead"),
            ("[migration]\npolicy = \"star\"", "line 2: unknown variant `star`"),
            ("[migration]\nevery = 0", "migration.every = 0 is outside 1 to 1000"),
            ("robots = 257", "robots = 257 is outside 1 to 256"),
            ("seconds = nan", "seconds = NaN is outside"),
            ("islands = 0", "islands = 0 is outside 1 to 64"),
            ("budget = 0", "budget = 0 is outside 1 to "),
            ("[[steps]]\nname = \"a\"", "missing field `end`"),
            ("[[steps]]\nname = \"a\"\nend = \"gennum > 90\"", "step \"a\": end: it can never be true"),
            ("[[steps]]\nname = \"a\"\nend = \"real-runtime > 9\"", "step \"a\": end: real-runtime makes"),
            ("[[steps]]\nname = \"a\"\nend = \"best >= 1\"", "step \"a\": end: "),
            ("[[steps]]\nname = \"a\"\nrobots = 0\nend = \"gennum > 1\"", "step \"a\": robots = 0 is outside 1 to 256"),
            ("palette = \"nowhere.toml\"", "cannot be read"),
            ("primitive_set = \"nowhere.toml\"", "cannot be read"),
            ("palette = \"a\"\nprimitive_set = \"b\"", "duplicate field `primitive_set`"),
            ("world = \"nowhere.toml\"", "cannot be read"),
            ("fitness = \"\"", "fitness has 0 characters; it must have 1 to 100"),
            ("fitness = \"near\"", "fitness = \"near\": a Python function computes"),
        ] {
            let error = load_text(text, "").map(|_| ()).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{text}: {error}");
        }
    }
}
