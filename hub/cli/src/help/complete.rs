//! Shell completion of commands, options and values. The values are those known in the current folder: robots, runs,
//! and keys of evolution files.
//!
//! A shell set up by `xpuck dev completions` calls this program at each TAB, with `COMPLETE` in the environment.

use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use std::ffi::OsStr;
use std::path::PathBuf;
use xpuck_lab::schemas::KINDS;
use xpuck_wire::Swarm;

/// Maximum number of values that are offered for one completion.
const MOST: usize = 200;

/// Answers a completion request of a shell, and exits. Returns at once if there is no request.
pub fn answer(program: impl Fn() -> Command) {
    CompleteEnv::with_factory(|| with_values(program())).complete();
}

/// Adds the completion of option values to the definition of a command and its subcommands.
fn with_values(command: Command) -> Command {
    command.mut_args(with_value).mut_subcommands(with_values)
}

fn with_value(arg: Arg) -> Arg {
    let named = |name: &str| arg.get_value_names().is_some_and(|names| names.iter().any(|one| *one == name));
    let long = arg.get_long().unwrap_or_default().to_string();
    match () {
        () if named("ROBOT") || long == "robots" || long == "robot" && named("ID") => {
            arg.add(ArgValueCompleter::new(|begun: &OsStr| beginning(begun, robots())))
        }
        () if named("RUN") => arg.add(ArgValueCompleter::new(|begun: &OsStr| beginning(begun, runs()))),
        () if long == "set" => arg.add(ArgValueCompleter::new(|begun: &OsStr| beginning(begun, keys()))),
        () => arg,
    }
}

/// Returns the values that begin with the typed text `begun`. In a list with commas, only the text after the last
/// comma counts.
fn beginning(begun: &OsStr, all: Vec<String>) -> Vec<CompletionCandidate> {
    let begun = begun.to_string_lossy();
    let (before, begun) = begun.rsplit_once(',').map_or((String::new(), &*begun), |(a, b)| (format!("{a},"), b));
    // Values that a shell would not read as one word, or that look like an option, are not offered.
    let is_word = |value: &String| {
        !value.starts_with('-') && value.chars().all(|c| c.is_alphanumeric() || "._+=:@%,-".contains(c))
    };
    let found = all.into_iter().filter(|value| value.starts_with(begun) && is_word(value)).take(MOST);
    found.map(|value| CompletionCandidate::new(before.clone() + &value)).collect()
}

/// Returns the ids of the robots in the current folder's swarm file; an empty list if the file cannot be read.
fn robots() -> Vec<String> {
    Swarm::read("swarm.toml".as_ref()).map(|swarm| swarm.robots).unwrap_or_default()
}

/// Returns the names of the runs in the record directory, and `last`.
fn runs() -> Vec<String> {
    let folder = std::env::var_os("XPUCK_RUNS").map_or_else(|| PathBuf::from("runs"), PathBuf::from);
    let folders = xpuck_record::folders(&folder).unwrap_or_default();
    let names = folders.iter().filter_map(|folder| Some(folder.file_name()?.to_str()?.to_string()));
    ["last".to_string()].into_iter().chain(names).collect()
}

/// Returns the keys of evolution files for `--set`, each followed by `=`.
fn keys() -> Vec<String> {
    let of = |schema: &serde_json::Value| -> Vec<String> {
        schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect()
    };
    let Some(kind) = KINDS.iter().find(|kind| kind.name == "evolution") else { return Vec::new() };
    let schema = (kind.schema)().to_value();
    let settings = of(&schema["properties"]["settings"]).into_iter().map(|key| format!("settings.{key}="));
    of(&schema).into_iter().map(|key| key + "=").chain(settings).collect()
}
