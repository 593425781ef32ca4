//! Evolution files: one run of evolution as TOML, of which everything may be left out.

use crate::swarm::Config;
use crate::world_file;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toml::{Table, Value};
use xpuck_evolve::{Form, Settings};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::model::MAX_ROBOTS;
use xpuck_wire::Migration;
use xpuck_wire::file::{self, FileError};

/// Longest evolution file, bytes.
const MAX_TEXT: usize = 64 * 1024;
/// Name of the world file beside a run's own evolution file.
pub const WORLD: &str = "world.toml";
/// Settings that other keys of the file say, and which key that is.
const SAID_ELSEWHERE: [(&str, &str); 2] = [("form", "algorithm"), ("immigrants", "migration.receive")];

/// An algorithm by its name in files and on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// The one that finds most for its simulations.
    #[default]
    #[serde(alias = "honest")]
    Default,
    /// The thesis's (8.2.2, Table 8.1), which selects luck.
    NoiseAware,
}

impl Algorithm {
    /// The algorithm's own settings.
    pub fn settings(self) -> Settings {
        Settings::of(match self {
            Algorithm::Default => Form::Honest,
            Algorithm::NoiseAware => Form::AsPublished,
        })
    }
}

/// The keys of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct EvolutionFile {
    algorithm: Algorithm,
    islands: u16,
    island: Option<u16>,
    generations: u32,
    /// Without it as many as the world has.
    robots: Option<usize>,
    seconds: f32,
    seed: u64,
    remeasure: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    world: Option<PathBuf>,
    settings: Table,
    migration: Migration,
}

impl Default for EvolutionFile {
    fn default() -> EvolutionFile {
        EvolutionFile {
            algorithm: Algorithm::Default,
            islands: 9,
            island: None,
            generations: 84,
            robots: None,
            seconds: 30.0,
            seed: 1,
            remeasure: 1000,
            world: None,
            settings: Table::new(),
            migration: Migration::default(),
        }
    }
}

/// Robots of the benchmark, unless the file says otherwise.
const ROBOTS: usize = 9;

/// The run that a file describes, changed by `overrides`, which are keys like the file's own; without a file, the
/// defaults are changed. Paths in the file are relative to it, those in `overrides` to the current folder.
///
/// # Errors
/// One line that names the file, and the key or the line.
pub fn load(path: Option<&Path>, overrides: Table) -> Result<Config, FileError> {
    let mut table = Table::new();
    let name = path.map_or("evolution".into(), |p| p.display().to_string());
    if let Some(path) = path {
        let text = std::fs::read_to_string(path).map_err(|error| FileError::Unreadable { path: path.into(), error })?;
        if text.len() > MAX_TEXT {
            return Err(FileError::value(&name, format!("{} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        // Read on its own first, so that an error names the line.
        file::parse::<EvolutionFile>(&name, &text)?;
        table = file::parse(&name, &text)?;
        if let Some(Value::String(world)) = table.get_mut("world") {
            *world = path.with_file_name(&world).to_string_lossy().into_owned();
        }
    }
    merge(&mut table, overrides);
    let file: EvolutionFile = table.try_into().map_err(|error| FileError::value(&name, one_line(&error)))?;
    config(&name, file)
}

/// Puts the keys of `overrides` into `table`, those of tables within it too.
pub fn merge(table: &mut Table, overrides: Table) {
    for (key, value) in overrides {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// Keys given as `KEY=VALUE` on a command line, for [`load`].
///
/// # Errors
/// One line that names the text that is no such thing.
pub fn keys(texts: &[String]) -> Result<Table, FileError> {
    let mut table = Table::new();
    for text in texts {
        let wrong = |_| {
            FileError::value(
                &format!("--set {text}"),
                "write KEY=VALUE as in an evolution file, e.g. settings.elite=0.3",
            )
        };
        merge(&mut table, text.parse().map_err(wrong)?);
    }
    Ok(table)
}

fn one_line(error: &toml::de::Error) -> String {
    error.to_string().trim_end().replace('\n', "; ")
}

fn config(name: &str, file: EvolutionFile) -> Result<Config, FileError> {
    let EvolutionFile {
        algorithm,
        islands,
        island,
        generations,
        robots,
        seconds,
        seed,
        remeasure,
        world,
        settings,
        migration,
    } = file;
    let fail = |message: String| FileError::value(name, message);
    let settings = effective(algorithm, settings, &migration).map_err(fail)?;
    let (spec, world) = match world {
        Some(path) => {
            let spec = world_file::read(&path)?;
            let text = std::fs::read_to_string(&path).map_err(|error| FileError::Unreadable { path, error })?;
            (spec, Some(text))
        }
        None => {
            let robots = robots.unwrap_or(ROBOTS);
            if !(1..=MAX_ROBOTS).contains(&robots) {
                return Err(fail(format!("robots = {robots} is outside 1..={MAX_ROBOTS}")));
            }
            (WorldSpec::benchmark(robots), None)
        }
    };
    if robots.is_some_and(|robots| robots != spec.robots) {
        return Err(fail(format!(
            "robots = {}, but the world has {}; leave robots out",
            robots.unwrap_or(0),
            spec.robots
        )));
    }
    let config =
        Config { algorithm, islands, island, generations, seconds, seed, remeasure, spec, world, settings, migration };
    config.check().map_err(fail)?;
    Ok(config)
}

/// The algorithm's settings with those that the file gives.
fn effective(algorithm: Algorithm, given: Table, migration: &Migration) -> Result<Settings, String> {
    for (key, instead) in SAID_ELSEWHERE {
        if given.contains_key(key) {
            return Err(format!("[settings]: {key} is said by `{instead}`; set that"));
        }
    }
    let mut table = as_table(&algorithm.settings());
    table.extend(given);
    let settings: Settings = table.try_into().map_err(|error| format!("[settings]: {}", one_line(&error)))?;
    // Never more than half of the population.
    Ok(Settings { immigrants: migration.receive.min(settings.population / 2), ..settings })
}

/// By way of text, in which 0.05 is 0.05; as a value it would be the f64 nearest to the f32 nearest to it.
fn as_table(settings: &Settings) -> Table {
    let text = toml::to_string(settings).expect("settings are plain data");
    text.parse().expect("what was written can be read")
}

/// The evolution file that says exactly this run, every key of it; its world file is [`WORLD`] beside it.
pub fn write(config: &Config) -> String {
    let mut settings = as_table(&config.settings);
    SAID_ELSEWHERE.iter().for_each(|(key, _)| drop(settings.remove(*key)));
    let file = EvolutionFile {
        algorithm: config.algorithm,
        islands: config.islands,
        island: config.island,
        generations: config.generations,
        robots: Some(config.spec.robots),
        seconds: config.seconds,
        seed: config.seed,
        remeasure: config.remeasure,
        world: config.world.as_ref().map(|_| WORLD.into()),
        settings,
        migration: config.migration.clone(),
    };
    toml::to_string(&file).expect("seeds are checked to fit")
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
    fn what_is_left_out_has_the_algorithms_value_and_flags_win() {
        let config = load_text("algorithm = \"noise-aware\"\nseed = 3\n[settings]\ndepth = 5\n", "seed = 4").unwrap();
        let expected = Settings { depth: 5, ..Settings::as_published() };
        assert_eq!((&config.settings, config.seed, config.islands), (&expected, 4, 9));
        let same = load_text("[settings]\nelite = 0.3\n", "settings.depth = 6").unwrap();
        assert_eq!((same.settings.elite, same.settings.depth), (0.3, 6), "tables are merged");
        assert_eq!(load(None, Table::new()).unwrap().settings, Settings::default());
    }

    #[test]
    fn a_run_is_written_with_every_key_and_reads_back_as_itself() {
        let world = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/worlds/foraging.toml");
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
    fn nonsense_is_refused_in_one_line_that_names_it() {
        for (text, expected) in [
            ("seeds = 3", "line 1: unknown field `seeds`"),
            ("algorithm = \"best\"", "line 1: unknown variant `best`"),
            ("\n[settings]\npopulatoin = 3", "[settings]: unknown field `populatoin`"),
            ("[settings]\npopulation = 3", "population = 3 is outside 8..=4096"),
            ("[settings]\nform = \"honest\"", "[settings]: form is said by `algorithm`"),
            ("[migration]\npolicy = \"star\"", "line 2: unknown variant `star`"),
            ("[migration]\nevery = 0", "migration.every = 0 is outside 1..=1000"),
            ("robots = 17", "robots = 17 is outside 1..=16"),
            ("seconds = nan", "seconds = NaN is outside"),
            ("islands = 0", "islands = 0 is outside 1..=64"),
            ("world = \"nowhere.toml\"", "cannot be read"),
        ] {
            let error = load_text(text, "").map(|_| ()).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{text}: {error}");
        }
    }
}
